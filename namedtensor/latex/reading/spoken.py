"""Find which statements without axes belong to the notation, by the names that they speak of."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from namedtensor.latex.reading.ranges import all_bound, listed
from namedtensor.latex.reading.statements import is_name, is_range
from namedtensor.latex.reading.words import APPLIED, FUNCTIONS, MOMENTS
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Big,
    Binary,
    Call,
    Constraint,
    Declaration,
    Definition,
    Derivative,
    Expression,
    Indexed,
    Letter,
    Number,
    Relation,
    Scripts,
    Signature,
    Statement,
    Unary,
)
from namedtensor.latex.walk import all_of, children, letters_of, once, reached, texts_of

#: Names that a formula may use without anybody giving them.
CONSTANTS = frozenset(("pi", "e", "infty", "epsilon", "varepsilon"))

#: Operators that act on each number, in every notation.
TERMS = frozenset(("+", "-", "/", "odot"))

#: What stands in a section.
Thing = TypeVar("Thing")

#: What speaks of what speaks of the notation ... is followed so far.
ROUNDS = 8


def sections_around(section: int, parents: Sequence[int]) -> tuple[int, ...]:
    """Give a section and those that it lies in, the innermost first.

    >>> sections_around(3, (0, 0, 1, 2))
    (3, 2, 1, 0)
    """
    found = [section]
    while section > 0:
        section = parents[section] if section < len(parents) else 0
        found.append(section)
    return tuple(found)


def in_reach(at: int, section: int, parents: Sequence[int]) -> bool:
    """Say whether one section is the other, lies in it, or has it inside."""
    return lies_in(section, at, parents) or lies_in(at, section, parents)


def lies_in(inner: int, outer: int, parents: Sequence[int]) -> bool:
    """Say whether a section is another, or lies in it."""
    while inner > outer:
        inner = parents[inner] if inner < len(parents) else 0
    return inner == outer


def nearest_of(there: Mapping[int, Thing], around: Sequence[int]) -> Thing | None:
    """Give what stands in the innermost of some sections, or the only thing there is in any."""
    near = next((there[at] for at in around if at in there), None)
    return next(iter(there.values())) if near is None and len(there) == 1 else near


class Nearby(Generic[Thing]):
    """Things by names and sections, found from a section."""

    def __init__(self, parents: Sequence[int]) -> None:
        self._parents = parents
        self.names: set[str] = set()
        self._here: dict[tuple[str, int], list[Thing]] = {}
        self._within: dict[tuple[str, int], list[Thing]] = {}

    def add(self, name: str, section: int, thing: Thing) -> None:
        self.names.add(name)
        self._here.setdefault((name, section), []).append(thing)
        for outer in sections_around(section, self._parents)[1:]:
            self._within.setdefault((name, outer), []).append(thing)

    def around(self, name: str, section: int) -> list[Thing]:
        """Give what has a name in a section, or in one around it."""
        around = sections_around(section, self._parents)
        return [thing for at in around for thing in self._here.get((name, at), ())]

    def near(self, name: str, section: int) -> list[Thing]:
        """Give what has a name in a section, in one around it, or in one within it."""
        return self.around(name, section) + self._within.get((name, section), [])


class Spoken:
    """The names that the notation speaks of, those that it gives, and those of its functions.

    What is spoken of in a section is spoken of in those around it: `parents` say which these are.
    """

    def __init__(self, parents: Sequence[int] = (0,)) -> None:
        self._parents = parents
        self.here: set[tuple[int, str]] = set()
        self.given: set[tuple[int | None, str]] = set()
        self.families: set[tuple[int | None, str]] = set()
        self.shaped: set[tuple[int, str]] = set()
        self.tensors: set[tuple[int, str]] = set()
        self.anywhere: set[str] = set()
        self.plain: set[tuple[int, str]] = set()
        #: what is defined
        self.made: set[str] = set()
        #: letters of series with the number above, v^t: v^T is a member and no transpose
        self.series: set[str] = set()
        #: what prose speaks of
        self.numbers: frozenset[str] = frozenset()

    def set_aside(self, statement: Statement, section: int) -> None:
        """Take in that a declaration gives its names axes that are counted."""
        if isinstance(statement, Declaration):
            self.plain |= {(section, key_of(name)) for name in statement.names}

    def add(self, statement: Statement, section: int) -> None:
        """Take in what a statement of the notation speaks of."""
        texts = texts_of(statement)
        self.here |= {(a, text) for a in sections_around(section, self._parents) for text in texts}
        if isinstance(statement, Declaration):
            self.shaped |= {(section, key_of(name)) for name in statement.names}
            if statement.space.axes:
                self.tensors |= {(section, head_of(name)) for name in statement.names}
            sizes = {key_of(name) for name in names_of(statement.space)}
            self.given |= {(place, size) for size in sizes for place in (section, None)}
        for name in subjects_of(statement):
            key = key_of(name)
            if isinstance(statement, Definition):
                self.made.add(key)
            if not isinstance(statement, Constraint):
                self.given |= {(section, key), (None, key)}
                if isinstance(name, Scripts) and _is_index(name.sup):
                    self.series.add(head_of(name))
                if isinstance(name, Scripts) and _is_index(name.sup or name.sub):
                    self.families |= {(section, head_of(name)), (None, head_of(name))}
                if _runs_along_an_axis(statement):
                    self.given.add((section, head_of(name)))
                    self.anywhere |= {text for text in (head_of(name),) if len(text) > 1}
            if len(key) > 1:
                self.anywhere.add(key)

    def knows(self, statement: Statement, section: int, positional: bool) -> bool:
        """Say whether a statement without axes speaks of what the notation speaks of."""
        for name in subjects_of(statement):
            key = key_of(name)
            if positional:
                return (section, key) in self.shaped
            if (section, head_of(name)) in self.here or key in self.anywhere:
                return not self.counts(statement, section)
        if isinstance(statement, Constraint):
            if is_range(statement.relation):
                return bool(self.here)
            return self._relates(statement, section)
        if not isinstance(statement, Definition) or positional or self.counts(statement, section):
            return False
        target = statement.target
        given = (*target.arguments, *target.parameters) if isinstance(target, Call) else ()
        around = sections_around(section, self._parents)
        if head_of(target) not in FUNCTIONS and any(
            (at, key_of(name)) in self.shaped for name in given for at in around
        ):
            return True
        if any(c.parameters and self.gives(c.function) for c in all_of(Call, statement.body)):
            return True  # only this notation writes f(x; W), whose f may be another section's
        own = texts_of(target)
        runs = [run for big in all_of(Big, statement.body) for run in all_bound(big)]
        counts = {t.text for r in runs if isinstance(r.lower, Number) for t in letters_of(r.index)}
        powers = [p.sup for p in all_of(Scripts, statement.body) if head_of(p) == "e"]
        return any(
            head_of(name) not in own and self.gives(name, section, counts)
            for name in (*names_of(statement.body), *names_of(tuple(powers)))
        )

    def _relates(self, statement: Constraint, section: int) -> bool:
        """Say whether a relation stands between given names, and one of a tensor at least."""
        relation = statement.relation
        if not isinstance(relation, Relation) or self._multiplies(relation, section):
            return False
        names = names_of(relation)
        shaped = any((section, key_of(name)) in self.shaped for name in names)
        known = FUNCTIONS - MOMENTS
        at: int | None = section
        if isinstance(relation.first, Derivative):  # it may define one
            at, known = None, known | self.numbers | applied_in(relation)
            shaped = shaped or any(key_of(name) in self.made for name in names)
        given = all(self.gives(name, at) or head_of(name) in known for name in names)
        return shaped and given

    def _multiplies(self, relation: Relation, section: int) -> bool:
        """Say whether tensors meet in a product or an integral that only other notations give axes.

        X(0) and X[0] may be the tensor at a time, and are no products with 0.
        """
        if any(all_of(Derivative, relation)):
            return False

        def holds_tensor(side: Expression) -> bool:
            return bool(self.tensors_among(texts_of(side), section))

        products = [p for p in all_of(Binary, relation) if p.op not in TERMS and not p.axes]
        among = any(
            holds_tensor(p.left) and (holds_tensor(p.right) or p.right.span.end < p.span.end)
            for p in products
        )
        at = any(holds_tensor(call.function) for call in all_of(Call, relation))
        return among or at or any(big.op == "int" for big in all_of(Big, relation))

    def counts(self, statement: Statement, section: int) -> bool:
        """Say whether a definition uses tensors whose axes are counted, a transpose or an integral."""
        if not isinstance(statement, Definition):
            return False
        if any(big.op == "int" for big in all_of(Big, statement.body)):
            return True
        for name in names_of(statement.body):
            place = (section, key_of(name))
            if place in self.plain and place not in self.given:
                return True
            sup = name.sup if isinstance(name, Scripts) else None
            transposed = isinstance(sup, Letter) and sup.text == "T"
            if transposed and (section, "T") not in self.given and head_of(name) not in self.series:
                return True
        return False

    def tensors_among(self, letters: Collection[str], section: int) -> list[str]:
        """List the letters among some that are of tensors that a section or one around it declares."""
        around = sections_around(section, self._parents)
        return sorted(x for x in letters if any((at, x) in self.tensors for at in around))

    def elements_in(self, part: Any) -> list[str]:
        """List the letters of what is defined that stand with something below them: C_{ii} of C."""
        below = [head_of(name) for name in all_of(Scripts, part) if name.sub is not None]
        return sorted({*below} & self.made)

    def sums_elements(self, statement: Statement) -> bool:
        """Say whether a definition has sums over elements of what is defined: \\sum_i C_{ii}."""
        for big in all_of(Big, getattr(statement, "body", None)):
            bound = {letter.text for run in all_bound(big) for letter in letters_of(run.index)}
            for name in all_of(Scripts, big.body):
                below = texts_of(name.sub)  # i and j of C_{ij}
                if head_of(name) in self.made and not bound.isdisjoint({*below, *"".join(below)}):
                    return True
        return False

    def gives(
        self, name: Expression, section: int | None = None, counts: Collection[str] = ()
    ) -> bool:
        """Say whether a name is given: itself, as a member of a family, or with a power, also by a letter."""
        head, key = head_of(name), key_of(name)
        around = (None,) if section is None else sections_around(section, self._parents)
        if key in self.anywhere or any((at, key) in self.given for at in around):
            return True
        if not isinstance(name, Scripts):
            return False
        script = name.sup if name.sub is None else name.sub
        if (section, head) in self.families or (
            (None, head) in self.families and _is_index(script)
        ):
            return True
        if isinstance(name.sup, Letter):
            sup = name.sup.text
            known = sup in counts or any((at, sup) in self.given for at in around)
        else:
            known = isinstance(name.sup, Number | Unary | Binary | None)
        if not known:
            return False
        bare = key_of(replace(name, sup=None))
        return (section, bare) in self.given or bare in self.anywhere


def applied_in(part: Any) -> frozenset[str]:
    r"""List the letters in a part that are functions before what they are applied to: \sigma(x)."""
    return frozenset([head_of(c.function) for c in all_of(Call, part)]) & APPLIED.keys()


def closed_among(
    statements: Sequence[Statement],
    spoken: Spoken,
    numbers: Collection[str] = (),
    shown: Collection[Statement] = (),
) -> list[Statement]:
    """Give the definitions that use nothing but their arguments, given names, and one another.

    `numbers` are names that prose speaks of, and `shown` the statements in displays. Of those that define
    no function only those count that something uses, that form a series, or that are shown and use a tensor.
    """
    whole = [
        s
        for s in statements
        if isinstance(s, Definition) and _is_plain(s.target) and not spoken.counts(s, s.section)
    ]
    free = {id(s): _free(s) for s in whole}
    lent = {  # the where-clauses of a function use its arguments
        (s.block, key_of(name))
        for s in whole
        if isinstance(s.target, Call)
        for name in s.target.arguments
    }
    in_displays = {*map(id, shown)}
    for _ in range(ROUNDS):
        defined = Spoken()
        for statement in whole:
            defined.add(statement, 0)
        kept = [
            s
            for s in whole
            if all(
                spoken.gives(name)
                or defined.gives(name, 0)
                or key_of(name) in numbers
                or (s.block, key_of(name)) in lent
                for name in free[id(s)]
            )
        ]
        if len(kept) == len(whole):
            break
        whole = kept
    series = {head_of(s.target) for s in whole if isinstance(s.target, Scripts) and _recurs(s)}
    of_functions = {head_of(n) for s in whole if isinstance(s.target, Call) for n in free[id(s)]}
    used = series | {text for _, text in spoken.here}
    begun = [
        head_of(s.target)
        for s in whole
        if isinstance(s.target, Call)
        or head_of(s.target) in used
        # a display that is made of what the notation defines
        or (id(s) in in_displays and any(key_of(name) in spoken.made for name in free[id(s)]))
    ]
    onward = {head_of(s.target): [head_of(name) for name in free[id(s)]] for s in whole}
    used = reached(begun, lambda text: onward.get(text, ()))
    # x_0 = 1 and d_4 = 10 say what elements are, and only the rule of a series waits for them
    numbered = used & (series | of_functions)
    return [
        s
        for s in whole
        if head_of(s.target)
        in (numbered if isinstance(getattr(s.target, "sub", None), Number) else used)
    ]


def _free(definition: Definition) -> list[Expression]:
    """Give the names that a definition takes from elsewhere."""
    own = texts_of(definition.target)
    for big in all_of(Big, definition.body):
        own |= texts_of(big.lower)
    return [
        name
        for name in names_of((definition.body, *definition.chain))
        if not (head_of(name) in own or head_of(name) in CONSTANTS or head_of(name) in FUNCTIONS)
        and not all(part in own for part in head_of(name))
    ]


def _is_plain(target: Expression) -> bool:
    """Say whether a target is a name, or a function of letters without scripts."""
    if isinstance(target, Call):
        return all(isinstance(each, Letter) for each in (*target.arguments, *target.parameters))
    return not isinstance(target, Indexed)


def _recurs(definition: Definition) -> bool:
    """Say whether a definition gives a member of a series by another one."""
    target = definition.target
    if not isinstance(target, Scripts) or not _is_index(target.sup or target.sub):
        return False
    return any(letter.text == head_of(target) for letter in letters_of(definition.body))


def _runs_along_an_axis(statement: Statement) -> bool:
    """Say whether a series is defined by a letter that indexes an axis, so that it is known as a whole."""
    if not isinstance(statement, Definition) or not isinstance(statement.target, Scripts):
        return False
    script = statement.target.sub or statement.target.sup
    counts = isinstance(script, Letter) and script.style == "letter"
    return counts and bool(indexed(statement.body, script.text))  # type: ignore[union-attr]


def summands(body: Any) -> list[Any]:
    """List what a sum adds or takes away; what is no sum is alone."""
    if isinstance(body, Binary) and body.op in ("+", "-") and not body.axes:
        return [*summands(body.left), *summands(body.right)]
    return [body]


def is_series(definition: Definition) -> bool:
    """Say whether a definition gives the members of a series."""
    return _recurs(definition) or _runs_along_an_axis(definition)


def indexed(body: Expression, letter: str) -> list[AxisName]:
    """List the axes that a letter indexes, or the index of a sum from it or up to it.

    None where a sum or the like runs over the letter itself.
    """
    below = [
        (_ends(big), {t.text for one in all_bound(big) for t in letters_of(one.index)})
        for big in all_of(Big, body)
    ]
    if any(letter in over for _, over in below):
        return []
    own = {letter}.union(*[over for ends, over in below if letter in ends])
    used = [(a.axis, texts_of(a.at)) for a in all_of(At, body)]
    return [axis for axis, letters in used if letters and letters <= own]


def _ends(part: Big) -> set[str]:
    """Give the letters of what bounds an index: t and T of k = t, ..., T, and t of k >= t."""
    ends = [part.upper]
    if isinstance(part.lower, Relation) and isinstance(part.lower.first, Letter):
        ends += [end for op, end in part.lower.rest if op not in ("in", "notin")]
    plain = [end for end in ends if end is not None and not any(all_of(Indexed, end))]
    return {t.text for end in plain for t in letters_of(end)}


def _is_index(script: Expression | None) -> bool:
    """Say whether a script counts: l and l-1 do, and a word does not."""
    return isinstance(script, Binary) or (isinstance(script, Letter) and script.style == "letter")


def names_of(whole: object) -> Sequence[Expression]:
    """Give the names in a part of the tree: letters, and letters with scripts as one."""
    return once(_names_of, whole) if all_of(Scripts, whole) else letters_of(whole)


def _names_of(whole: object) -> Sequence[Expression]:
    found: list[Expression] = []
    waiting: list[Any] = [whole]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, Letter) or (
            isinstance(thing, Scripts) and isinstance(thing.base, Letter)
        ):
            found.append(thing)
        else:
            waiting += children(thing)
    return tuple(found)


def subjects_of(statement: Statement) -> Iterator[Expression]:
    """Give the names that a statement is about: a function's rather than its arguments'."""
    names: tuple[Expression, ...] = ()
    if isinstance(statement, Declaration):
        names = statement.names
    elif isinstance(statement, Signature):
        names = (statement.name,)
    elif isinstance(statement, Definition):
        names = (statement.target,)
    elif isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
        first, *_ = compared(statement.relation)
        names = listed(first) if all(map(is_name, listed(first))) else ()
    for name in names:
        yield name.function if isinstance(name, Call) else name


def compared(relation: Relation) -> list[Expression]:
    """List what a relation compares, a name before the number below it: t, 0, 1 for 0 < t < 1."""
    first, *rest = [relation.first, *[part for _, part in relation.rest]]
    return [rest[0], first, *rest[1:]] if isinstance(first, Number) else [first, *rest]


def numbers_in(relation: Relation) -> tuple[Expression, ...]:
    """List the names that a relation says no more of than which numbers they lie above, below or between."""
    sides = [relation.first, *[part for _, part in relation.rest]]
    names = [side for side in sides if not isinstance(side, Number)]
    ordered = {*relation.ops} <= {"<", ">", "<=", ">="}
    bounded = ordered and 0 < len(names) < len(sides)
    several = len(names) > 1 and not all(isinstance(n, (Letter, Scripts)) for n in names)
    return tuple([n for name in names for n in listed(name)]) if bounded and not several else ()


def head_of(name: Expression) -> str:
    """Give the letter of a name without its scripts and arguments."""
    while not isinstance(name, Letter):
        if not isinstance(name, (Scripts, Indexed, Call)):
            return ""
        name = name.function if isinstance(name, Call) else name.base
    return name.text


def key_of(name: Expression) -> str:
    """Give a name with its scripts as one text.

    >>> from namedtensor.latex.reading.reader import parse_expression
    >>> key_of(parse_expression("d_k")), key_of(parse_expression("W'^1"))
    ('d_k', "W'^1")
    """
    if isinstance(name, Letter):
        return name.text
    parts = [head_of(name)]
    while isinstance(name, (Scripts, Indexed)):
        if isinstance(name, Scripts):
            parts += ["'" * name.primes]
            parts += [f"_{_said(name.sub)}"] if name.sub is not None else []
            parts += [f"^{_said(name.sup)}"] if name.sup is not None else []
        name = name.base
    return "".join(parts)


def _said(script: Expression) -> str:
    return str(getattr(script, "text", getattr(script, "value", "?")))
