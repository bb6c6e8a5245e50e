r"""Names that are no letters: what the left sides of a document's equations name.

\Delta W, \log Z, p(y \mid x), \|s\|, \mathbb{E}[z] and \log |\det J| are what such an equation defines, and
stand for it wherever they are written again. So do the derivatives of a function, as functions of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from namedtensor.latex.printing.names import identifier, named
from namedtensor.latex.reading.ranges import listed, places_of
from namedtensor.latex.reading.spoken import (
    CONSTANTS,
    applied_in,
    head_of,
    in_reach,
    key_of,
    names_of,
    nearest_of,
    numbers_in,
    sections_around,
)
from namedtensor.latex.reading.statements import is_name
from namedtensor.latex.reading.words import FUNCTIONS, MOMENTS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    AxisName,
    Bars,
    Big,
    Binary,
    Call,
    Constraint,
    Declaration,
    Definition,
    Derivative,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Renaming,
    Scripts,
    Statement,
    Unary,
)
from namedtensor.latex.walk import all_of, children, letters_of, put, reached

#: Greek letters that are written before another one to make a name of both.
MARKS = frozenset(("Delta", "delta", "nabla"))

#: Letters of places and times, whose steps are numbers: \\Delta t.
COORDINATES = frozenset("t x y z s tau".split())

#: Letters of densities, which their arguments tell apart.
DENSITIES = frozenset(("p", "q"))

LOGARITHMS = frozenset(("log", "ln"))

#: Signs that are no operations by themselves, and the one of a convolution.
SIGNS = frozenset(("*", "circ", "star", "oplus", "otimes"))


@dataclass(frozen=True, slots=True)
class LeftSides:
    """What left sides name, and the name that stands for each part of a formula that is one.

    `marked` are the names with a mark, log Z; `givens` the functions of what is given, p(y | x), `several`
    those of one head that their arguments tell apart, p(x | z) and p(z), `calls` all these as they are
    defined; `idle` the arguments that nothing is made of; `whole` the left sides that stand for a value as
    they are written. `near` are the names that are letters, by the sections in whose reach they are, and
    `here` those in reach of one section.
    """

    marked: frozenset[str] = frozenset()
    givens: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()
    calls: tuple[Call, ...] = ()
    idle: frozenset[str] = frozenset()
    whole: frozenset[Expression] = frozenset()
    near: Mapping[int, frozenset[str]] = field(default_factory=dict)
    here: frozenset[str] = frozenset()

    def at(self, section: int) -> LeftSides:
        r"""Give what stands for parts in a section: \log Z is a logarithm where a Z is in reach."""
        return replace(self, here=self.near.get(section, frozenset()))

    def __call__(self, part: Any) -> Expression | None:
        """Give the name that stands for a part, or the call of one; None for any other part."""
        if isinstance(part, Call):
            if _bare(part) in self.whole:
                return _name_of(part)
            name = key_of(part.function)
            if name in self.several or (is_given(part) and name in self.givens):
                return self._call(part)
        elif isinstance(part, Bars | Indexed | Binary) and part in self.whole:
            return _name_of(part)
        both = compound(part, self.here)
        if isinstance(part, Binary) and isinstance(part.left, Binary) and _is_mark(part.left.right):
            marked = self(replace(part, left=part.left.right))  # 2 \Delta W
            before = put(part.left.left, self)
            return marked and replace(part.left, span=part.span, left=before, right=marked)
        if both is None or both[0] not in self.marked:
            return None
        found = both[1]
        return self._call(found) if isinstance(found, Call) else found

    def _call(self, call: Call) -> Expression:
        """Take p(y | x) for a function p of y and x; where p is several, each has its own name."""
        function: Any = call.function
        call = replace(call, span=function.span | call.span)
        if key_of(function) in self.several or self._is_another(call):
            function = Letter(call.span, self._meant(call), "word")
        given = _parted(call)
        busy = tuple([a for a in given if key_of(a) not in self.idle])
        return replace(call, function=function, arguments=busy) if busy or not given else function

    def _meant(self, call: Call) -> str:
        """Name the one of several functions that a call has the letters of; else what nothing defines."""
        for said in (key_of, head_of):
            fits = [c for c in self.calls if _text(c, said) == _text(call, said)]
            if len(fits) == 1:
                return _text(fits[0])
        return _text(call)

    def _is_another(self, call: Call) -> bool:
        """Say whether a call has the letters of the only function of its head in another order.

        Or more letters, or fewer, than a density of what is given: p(z) is not p(x | z).
        """
        names = sorted(map(key_of, _parted(call)))
        alike = [c for c in self.calls if key_of(c.function) == key_of(call.function)]
        if alike and all(is_given(c) and len(_parted(c)) != len(names) for c in alike):
            return True
        return any(
            key_of(c.function) == key_of(call.function)
            and sorted(map(key_of, _parted(c))) == names
            and _text(c) != _text(call)
            for c in self.calls
        )


# ------------------------------------------------------------------------------ what is found


def _within(
    given: Mapping[str, Collection[int]], sections: Iterable[int], parents: Sequence[int]
) -> dict[int, frozenset[str]]:
    """Give for each section the names that it, one around it or one within it gives."""
    here: dict[int, set[str]] = {}
    for text, places in given.items():
        for place in places:
            here.setdefault(place, set()).add(text)
    reach: dict[int, set[str]] = {}
    for place, texts in here.items():
        for outer in sections_around(place, parents):
            reach.setdefault(outer, set()).update(texts)
    return {
        section: frozenset(reach.get(section, ())).union(
            *[here.get(outer, ()) for outer in sections_around(section, parents)]
        )
        for section in sections
    }


def left_sides(
    statements: Sequence[Statement], sections: Sequence[int], parents: Sequence[int] = (0,)
) -> LeftSides | None:
    """Find what left sides name that is no letter; None where there is nothing of the kind."""
    densities = _densities(statements, sections)
    known = {
        text
        for s in statements
        if not any(key_of(f.function) in densities for f in _functions([s]))
        for name in given_names(s)
        for text in (key_of(name), head_of(name))
    }
    densities -= known
    declared = {key_of(n) for s in statements if isinstance(s, Declaration) for n in s.names}
    given: dict[str, set[int]] = {}
    for s, section in zip(statements, sections, strict=True):
        for text in {text for name in given_names(s) for text in (key_of(name), head_of(name))}:
            if text in known:
                given.setdefault(text, set()).add(section)
    near = _within(given, set(sections), parents)
    sides = [part for s in statements for part, _ in _left(s)]
    named = [part for part in (*sides, *_functions(statements)) if isinstance(part, Call)]
    stated = {_text(call, head_of) for call in named}
    marked: set[str] = set()
    calls: list[Call] = []
    lefts: dict[int, Expression] = {}
    derived = False
    for at, statement in enumerate(statements):
        for step in all_of(Binary, statement):
            step = replace(step, left=step.left.right) if isinstance(step.left, Binary) else step
            if _is_mark(step.left) and head_of(step.right) in COORDINATES:
                both = compound(step, near[sections[at]])
                marked.update([both[0]] if both is not None else [])
        calls += [f for f in _functions([statement]) if key_of(f.function) in densities]
        for part, op in _left(statement):
            derived = derived or derived_function(part) is not None
            both = compound(part, near[sections[at]])
            free = both is not None and not (op == "=" and isinstance(part, Derivative))
            if both is not None and free:
                marked.add(both[0])
                calls += [both[1]] if isinstance(both[1], Call) else []
            elif isinstance(part, Call) and is_given(part) and key_of(part.function) not in known:
                if _is_identity(statement, part, stated):
                    continue
                calls.append(part)
            elif op != "=" or not _may_be_whole(part) or _is_way(part, declared):
                continue
            lefts[at] = part
    if not (lefts or derived or densities or marked):
        return None
    idle, whole = _settled(statements, lefts, known)
    calls = [*{_text(c): c for c in calls}.values()]
    heads = [key_of(c.function) for c in calls]
    return LeftSides(
        frozenset(marked),
        frozenset(key_of(c.function) for c in calls if is_given(c)),
        frozenset(head for head in heads if heads.count(head) > 1),
        tuple(calls),
        frozenset(idle),
        frozenset(whole),
        near,
    )


def _is_identity(statement: Statement, left: Call, stated: Collection[str]) -> bool:
    """Say whether a density is said by others of its head that nothing defines: Bayes' rule."""
    alike = [c for c in all_of(Call, statement) if key_of(c.function) == key_of(left.function)]
    return any(_text(c, head_of) not in stated for c in alike)


def _functions(statements: Sequence[Statement]) -> list[Call]:
    """List the functions that statements define by a name and brackets, f(X)."""
    targets = [s.target for s in statements if isinstance(s, Definition)]
    return [t for t in targets if isinstance(t, Call) and not t.axes]


def _densities(statements: Sequence[Statement], sections: Sequence[int]) -> set[str]:
    """Find the functions that have others of their head beside them: p(z) beside p(x | z), or p(x)."""
    lefts = [part for s in statements for part, _ in _left(s)]
    givens = {key_of(c.function) for c in lefts if isinstance(c, Call) and is_given(c)}
    found: dict[tuple[int, str], set[str]] = {}
    for statement, section in zip(statements, sections, strict=True):
        for call in _functions([statement]):
            stated = any(names_of(getattr(statement, "body", ())))  # f(X) = 0 is a fact
            if stated and head_of(call.function) in DENSITIES:
                found.setdefault((section, key_of(call.function)), set()).add(_text(call))
    both = {name for (_, name), texts in found.items() if len(texts) > 1}
    return both | (givens & {key_of(call.function) for call in _functions(statements)})


def _left(statement: Statement) -> Iterator[tuple[Expression, str]]:
    """Give what an equation says something of, without a sign, and how."""
    relation = getattr(statement, "relation", None)
    if isinstance(statement, Definition) and isinstance(statement.target, Call):
        if is_moment(statement.target):
            yield statement.target, "="
    elif isinstance(statement, Definition) and _is_way(statement.target):
        yield statement.target, "="
    elif isinstance(relation, Binary):  # \Delta t alone, in prose
        yield relation, "in"
    elif isinstance(statement, Constraint) and isinstance(relation, Relation):
        op = relation.rest[0][0]
        for part in listed(relation.first) if op in ("=", "in") else ():
            yield signed(part)[1], op


def signed(part: Expression) -> tuple[str, Expression]:
    """Part a sign from what stands behind it."""
    if isinstance(part, Unary) and part.op == "-":
        return "-", part.operand
    return "", part


def _settled(
    statements: Sequence[Statement], lefts: dict[int, Expression], known: set[str]
) -> tuple[set[str], set[Expression]]:
    r"""Give the names that nothing is made of, and the left sides that stand for a value as they are written.

    A mean of what its body is made of is a function; where nothing is made of x, p(x) is a value. So is
    \log p(z) of a declared z, but where other formulas say what their z is.
    """
    functions = {key_of(call.function) for call in _functions(statements)}
    declared = {key_of(n) for s in statements if isinstance(s, Declaration) for n in s.names}
    fixed = known - declared.intersection(
        [key_of(s.target) for s in statements if isinstance(s, Definition) and is_name(s.target)]
    )
    while True:
        before = len(lefts)
        apart = frozenset(map(_bare, lefts.values()))
        made_of = [_made_of(s, apart) for s in statements]
        of_values = {
            s.target.text: said
            for s, said in zip(statements, made_of, strict=True)
            if isinstance(s, Definition) and isinstance(s.target, Letter)
        }
        used = set().union(*made_of)
        idle = (
            {
                key_of(name)
                for left in apart
                for name in names_of(left)
                if not {key_of(name), head_of(name)} & known and head_of(name) not in used
            }
            - FUNCTIONS
            - CONSTANTS
        ) | {  # J_f beside J, where f is a function
            key_of(name)
            for name in all_of(Scripts, tuple(apart))
            if name.sub is not None and key_of(name) not in known
            if key_of(name.sub) in functions
        }
        whole: set[Expression] = set()
        for at, left in [*lefts.items()]:
            if not _may_be_whole(left):
                continue
            signed = operated(left)
            if signed is left:
                words = [letter.text for letter in letters_of(statements[at])]
                if any(words.count(head_of(name)) < 2 for name in names_of(left)):
                    del lefts[at]  # X \otimes Y = W says something of W
                    continue
            if signed or _is_way(left):
                whole.add(signed or left)
                continue
            names = [name for name in names_of(left) if name is not getattr(left, "function", None)]
            if is_moment(left):
                given = _parted(left) if isinstance(left, Call) else []
                heads = {head_of(name) for name in given}
                fits = not all(map(is_name, given)) or not heads & made_of[at]
                inner = [side for event in all_of(Relation, left) for side in names_of(event)]
            else:
                inner = [a for call in all_of(Call, left) for a in call.arguments if is_name(a)]
                fits = any(key_of(name) in idle for name in names)
            formal = {head_of(a) for a in inner if not {key_of(a), head_of(a)} & fixed}
            # of x, which nothing else gives, itself or by what it is made of
            onward: set[str] = reached(made_of[at], partial(_onward, of_values))
            fits = fits and not formal & onward
            if fits:
                whole.add(_bare(left))
            else:
                del lefts[at]
        if len(lefts) == before:
            return idle, whole


def _onward(of_values: Mapping[str, set[str]], text: str) -> set[str]:
    return of_values.get(text, set())


def _made_of(statement: Statement, apart: Collection[Expression]) -> set[str]:
    """Name the letters that a statement is made of, beside what is set apart; and its arguments."""
    waiting: list[Any] = [statement]
    if isinstance(statement, Declaration):
        waiting = [statement.space]
    found: set[str] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, (Call, Bars)) and _bare(part) in apart:
            continue
        if isinstance(part, Letter) and part.text not in FUNCTIONS:
            found.add(part.text)
        waiting += children(part)
    return found


def _may_be_whole(left: Expression) -> bool:
    r"""Say whether a left side may stand for a value as it is written: E[z], \log |\det J|, KL(q \| p)."""
    if is_moment(left) or _is_way(left) or operated(left):
        return True
    acts = isinstance(left, Bars) or (
        isinstance(left, Call) and head_of(left.function) in FUNCTIONS
    )
    inner = [c for c in all_of(Call, left) if head_of(c.function) in FUNCTIONS]
    return acts and bool(inner) and not all_of(AxisName, left)


def _is_way(part: Expression, bases: Collection[str] | None = None) -> bool:
    r"""Say whether a part is a name with a way below, L_{\text{a} \to \text{b}}, of one of some bases."""
    ways = isinstance(part, Indexed) and all(isinstance(i, Renaming) for i in part.items)
    return ways and (bases is None or key_of(part) in bases)


def operated(part: Expression) -> Binary | None:
    r"""Give h \ast x of (h \ast x)_{seq(n)}: two names with a sign between them that the document defines."""
    inner = part.base if isinstance(part, (Indexed, Scripts)) else part
    if not isinstance(inner, Binary) or inner.axes or inner.how or inner.op not in SIGNS:
        return None
    product = inner.op in ("*", "circ") and inner is part  # h \ast x = y is of a product
    return inner if not product and is_name(inner.left) and is_name(inner.right) else None


def is_moment(part: Expression) -> bool:
    """Say whether a part is what random variables have, E[z] or p(y = 1), which is not along axes."""
    if not isinstance(part, Call) or part.axes:
        return False
    name = part.function.base if isinstance(part.function, Scripts) else part.function
    if not isinstance(name, Letter):
        return False
    events = [a for a in part.arguments if isinstance(a, Relation) and a.rest[0][0] == "="]
    if events and name.text.lower() in DENSITIES:
        return True
    return name.style == "word" and name.text in MOMENTS


def _bare(part: Expression) -> Expression:
    """Give the mean of z for that of a member of a series, z_t, and log p for that of elements, p_{ik}."""
    match part:
        case Call(arguments=(Scripts(sup=None, primes=0, base=base) as name,)):
            elements = head_of(part.function) in LOGARITHMS and bool(places_of(name))
            return replace(part, arguments=(base,)) if elements or is_moment(part) else part
    return part


def _name_of(whole: Any) -> Letter | Scripts:
    """Give the name that stands for a left side."""
    if isinstance(whole, Indexed):
        return Scripts(whole.span, whole.base, sub=Letter(whole.span, _spelled(whole), "word"))
    letter = Letter(whole.span, _spelled(_bare(whole)).replace("*", "ast"), "word")
    if _bare(whole) is whole:
        return letter
    scripted: Scripts = whole.arguments[0]
    return replace(scripted, base=letter)


def _spelled(part: Any) -> str:
    """Spell a left side as one word: Ez, Eqlogtheta, logdetJ."""
    match part:
        case Letter(text=text):
            return text
        case Number(value=value):
            return str(value)
        case Indexed(items=items):
            ways = [(*i.before, *i.after) for i in items if isinstance(i, Renaming)]
            return "_".join(["to".join([a.axis.name for a in way]) for way in ways])
        case Call(function=function) if not (is_moment(part) or head_of(function) in FUNCTIONS):
            return f"{_spelled(function)}({'_'.join(map(_spelled, _parted(part)))})"
        case Call(function=function):
            return _spelled(function) + "_".join(map(_spelled, _parted(part)))
        case Derivative(of=of, by=by):
            return f"d{_spelled(of)}" + (f"_d{_spelled(by)}" if by is not None else "")
        case Binary(op=op, left=left, right=right, how=how):
            return f"{_spelled(left)}{'' if how == 'juxtaposed' else op}{_spelled(right)}"
    return "".join(map(_spelled, children(part)))


# ------------------------------------------------------------------------------------- names


def compound(part: Any, known: Collection[str] = ()) -> tuple[str, Expression] | None:
    r"""Give a key for \Delta W, \log Z, \log p(y), \|s\| or \partial X, and the name that may stand for it.

    Where their parts are `known`, \Delta W is a product and \log Z a logarithm; that of a power is one.
    """
    match part:
        case Binary(how="juxtaposed", left=Letter(text=mark) as left, right=right):
            if _is_mark(left) and mark not in known and is_name(right):
                return f"{mark} {head_of(right)}", _marked(right, left, mark)
        case Call(function=Letter(text=word) as log, axes=(), arguments=(inner,)):
            name = inner.function if isinstance(inner, Call) else inner
            plain = log.style == "word" and part.bracket == "" and word not in {*known} | MOMENTS
            if plain and word not in FUNCTIONS and isinstance(inner, Call) and is_name(name):
                return f"{word} {head_of(name)}", replace(inner, function=_marked(name, log, word))
            if word not in LOGARITHMS or not is_name(name) or head_of(name) in FUNCTIONS:
                return None
            if key_of(name) not in known and not _is_power(name):
                letter = _marked(name, log, "log")
                whole = replace(inner, function=letter) if isinstance(inner, Call) else letter
                return f"log {head_of(name)}", whole
        case Bars(double=True, axes=(), operand=Letter(text=text)):
            return f"| {text}", Letter(part.span, f"norm{text}", "word")
        case Derivative(by=None, of=of) if is_name(of):
            derived = derivative_name(part)
            return None if derived is None else (f"d {key_of(of)}", derived)
    return None


def _is_mark(part: Expression) -> bool:
    return isinstance(part, Letter) and part.text in MARKS


def _is_power(name: Expression) -> bool:
    return isinstance(name, Scripts) and isinstance(name.sup, Number)


def _marked(name: Any, before: Letter, mark: str) -> Letter | Scripts:
    """Put a mark before the letter of a name, which keeps its scripts."""
    base: Any = name.base if isinstance(name, Scripts) else name
    letter = Letter(before.span | base.span, mark + base.text, "word")
    return replace(name, base=letter) if isinstance(name, Scripts) else letter


def given_names(statement: Statement) -> list[Expression]:
    """Give the names that a statement declares or defines."""
    if isinstance(statement, Declaration):
        return list(statement.names)
    if isinstance(statement, Definition):
        target = statement.target
        return [target.function if isinstance(target, Call) else target]
    return []


def derivative_name(part: Expression) -> Letter | Scripts | None:
    r"""Name a derivative: df_dX of \frac{\partial f(X)}{\partial X}, df of \partial f(X), dX of \partial X.

    >>> from namedtensor.latex.reading.reader import parse_expression
    >>> identifier(derivative_name(parse_expression(r"\frac{\partial}{\partial X} \partial f(X)")))
    'ddf_dX'
    """
    if not isinstance(part, Derivative):
        return None
    inner = derivative_name(part.of) or part.of
    of = inner.function if isinstance(inner, Call) else inner
    names = [identifier(each) for each in (of, part.by) if each is not None]
    if None in names:
        return None
    return named("_".join([f"d{name}" for name in names]), part.span)


def derived_function(part: Expression) -> Call | None:
    """Give the function that the derivative of a function is, with the arguments of that."""
    name, of = derivative_name(part), part
    while isinstance(of, Derivative):
        of = of.of
    if name is None or not isinstance(of, Call) or not is_target(of):
        return None
    return replace(of, function=name)


def with_derivatives(
    statements: Sequence[Statement], shown: Collection[Span], parents: Sequence[int]
) -> list[Statement]:
    r"""Let \frac{\partial L}{\partial W} = X define that derivative, which formulas around then take for it.

    So does what is `shown` in a display and is made of what the document gives. A document that writes the
    axes of derivatives with stars means what computes them has, and its formulas compute them.
    """
    if not any(all_of(Derivative, statement) for statement in statements):
        return list(statements)
    known = {head_of(n) for s in statements for n in given_names(s)} | FUNCTIONS | CONSTANTS
    known |= {t.text for s in statements for t in letters_of(getattr(s, "space", None))}
    relations = [s.relation for s in statements if isinstance(s, Constraint)]
    known |= {head_of(n) for r in relations if isinstance(r, Relation) for n in numbers_in(r)}
    made_here = {key_of(s.target) for s in statements if isinstance(s, Definition)}
    made_here |= {key_of(f.function) for f in _functions(statements)}
    stated = {
        at: made
        for at, said in enumerate(statements)
        if said.span in shown and (made := _stated(said, made_here)) is not None
    }
    names = {key_of(made.target) for made in stated.values()}
    found, given = list(statements), dict[str, list[int]]()

    def name_in(part: Any, among: Collection[str]) -> Expression | None:
        name = derivative_name(part) if isinstance(part, Derivative) and part.by else None
        return name if name is not None and key_of(name) in among else None

    for place, made in stated.items():
        sides = put((made.body, *made.chain), partial(name_in, among=names))
        by = made.derives.by if isinstance(made.derives, Derivative) else None
        free = {head_of(name) for name in names_of((sides, by)) if key_of(name) not in names}
        free -= applied_in(sides)
        if free - {t.text for b in all_of(Big, sides) for t in letters_of(b.lower)} <= known:
            given.setdefault(key_of(made.target), []).append(made.section)
            found[place] = made
    if any(a.name.endswith("*") for a in all_of(AxisName, tuple(statements))):
        return found
    found = list(put(tuple(found), _plain))
    if not given:
        return found
    for place, said in enumerate(found):
        if isinstance(said, Definition):
            near = {
                name
                for name, sections in given.items()
                if any(in_reach(at, said.section, parents) for at in sections)
            }
            sides = put((said.body, *said.chain), partial(name_in, among=near))
            found[place] = replace(said, body=sides[0], chain=sides[1:])
    return found


def with_functions_derived(
    statements: Sequence[Statement], parents: Sequence[int]
) -> list[Statement]:
    r"""Let \frac{\partial L}{\partial w}, and \nabla L(w), of a function L(w) be derivatives at w."""
    calls: dict[Expression, dict[int, Call]] = {}
    for said in statements:
        target = said.target if isinstance(said, Definition) else None
        if isinstance(target, Call) and is_target(target):
            calls.setdefault(target.function, {})[said.section] = target
    found: list[Statement] = []
    for said in statements:
        if isinstance(said, Definition) and calls and any(all_of(Derivative, said.body)):
            around = sections_around(said.section, parents)

            def applied(part: Any, around: Sequence[int] = around) -> Any:
                if not isinstance(part, Derivative):
                    return None
                call = nearest_of(calls.get(getattr(part.of, "function", part.of), {}), around)
                if call is None:
                    return None
                of = part.of if isinstance(part.of, Call) else replace(call, span=part.of.span)
                by = of.arguments[0] if len(of.arguments) == 1 else None
                by = by if part.by is None and by is not None and is_name(by) else part.by
                return replace(part, of=of, by=by)

            said = replace(said, body=put(said.body, applied), chain=put(said.chain, applied))
        found.append(said)
    return found


def _plain(part: Any) -> Expression | None:
    """Let a derivative of a number have the axes of what it is by."""
    return replace(part, plain=True) if isinstance(part, Derivative) and part.by else None


def _stated(said: Statement, given: Collection[str]) -> Definition | None:
    r"""Give the definition that states \frac{\partial L}{\partial W}; none where that is to be 0.

    dL/dW and \nabla_W L are so where L is given.
    """
    relation = getattr(said, "relation", None)
    match relation:
        case Relation(first=Derivative(op=op, of=of) as first, rest=[(_, body), *more]):
            means = op == "partial" or key_of(of) in given
            name = derivative_name(first) if is_name(of) and first.by and means else None
            if name is not None and {*relation.ops} <= {"=", ":="}:
                chain = tuple([side for _, side in more])
                made = Definition(said.span, name, body, "=", chain, derives=first)
                made = replace(made, block=said.block, section=said.section)
                return None if isinstance(body, Number) else made
    return None


def is_target(first: Expression) -> bool:
    """Say whether a left side is a name, or a function of names."""
    if isinstance(first, Call):
        given = (*first.arguments, *first.parameters)
        return is_name(first.function) and all(is_name(a) for a in given)
    return is_name(first)


def is_given(call: Call) -> bool:
    """Say whether a call is of what is given: p(y | x)."""
    return any(isinstance(a, Relation) and a.ops == ("mid",) for a in call.arguments)


def _text(call: Call, said: Callable[[Expression], str] = key_of) -> str:
    """Write a call with the names of its arguments, and its bar: p(x given z)."""
    written = [
        " given ".join(",".join(map(said, side)) for side in _sides(a)) for a in call.arguments
    ]
    return f"{key_of(call.function)}({','.join(written)})"


def _parted(call: Call) -> list[Expression]:
    """Give what is given and what for: y and x of p(y | x)."""
    return [part for argument in call.arguments for side in _sides(argument) for part in side]


def _sides(argument: Expression) -> list[tuple[Expression, ...]]:
    """List what stands on each side of the bar of an argument, y | x; any other has one side."""
    sides = [argument]
    if isinstance(argument, Relation):
        sides = [argument.first, *[side for _, side in argument.rest]]
    return [side.parts if isinstance(side, Items) else (side,) for side in sides]
