r"""What is written by another letter, and is a letter of its own: squares and margins.

\sigma_t^2 = \omega + \beta \sigma_{t-1}^2 says what the square is, and not its root. Where nothing else says
what \sigma is, its square is a letter of its own, and \sigma_t is the root of it. So is
\rho^2 = \sum_{uv} u^2 where other formulas use \rho or \rho^4.

X_{i \cdot} = \sum_j X_{ij} says what a letter of its own is, and so do X_{\cdot j} and X_{++}. Marks stand
for the indices that are summed or averaged over. The letter is X with the places of its marks: Xall2 of
X_{i \cdot}, whose only index is i.

d_{row, col} = ..., with nothing but axes below it, says what axes d has, where nothing else gives a d.

In 1[e = e_t] the index e has the letter of a tensor whose elements stand beside it. It gets another one.

"Where $\omega = 2 \pi (k - 1) / n$", with an index k of the elements beside it, says what to put for \omega.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.left_sides import given_names
from namedtensor.latex.reading.ranges import (
    all_bound,
    indices_of,
    listed,
    places_of,
    ranges_in,
    renamed,
)
from namedtensor.latex.reading.spoken import head_of, key_of, names_of, sections_around
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.reading.words import APPLIED
from namedtensor.latex.syntax import (
    At,
    AxisName,
    Big,
    Binary,
    Call,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Root,
    Scripts,
    SizedAxis,
    Space,
    Text,
    Unary,
)
from namedtensor.latex.walk import all_of, children, letters_of, put, texts_of, walk


def put_roots(entries: Sequence[Entry]) -> None:
    """Let (s)^2 = v define s^2, and (s^{new})^2 = v or (s_j)^2 = v the root, where nothing else gives s."""
    given = {key_of(name) for entry in entries for name in given_names(entry.statement)}
    for entry in entries:
        match entry.relation:
            case Relation(
                first=Scripts(
                    base=Items(parts=(Letter() | Scripts() as own,), bracket="("),
                    sub=None,
                    sup=Number(value=2) as two,
                ),
                rest=(("=", body),),
            ) if key_of(own) not in given:
                at = entry.statement.span
                if isinstance(own, Letter):
                    entry.found.statement = Definition(at, Scripts(at, own, sup=two), body)
                else:  # (s^new)^2 = v says what s^new is
                    entry.found.statement = Definition(at, own, Root(body.span, body))


def put_squares(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    """Give the squares of which there are series, or which others take as such, letters of their own."""
    squares = [
        (entry.region.section, statement, letter)
        for entry in entries
        if isinstance(statement := entry.statement, Definition) and statement.op == "="
        for letter in [_squared(statement.target)]
        if letter
    ]
    declared = {
        _squared(name)
        for entry in entries
        if isinstance(statement := entry.statement, Declaration)
        for name in statement.names
        if isinstance(name, Scripts) and name.sub is None and _squared(name).islower()
    }
    if not (squares or declared):
        return
    bare = {letter for _, statement, letter in squares if not _below(statement.target)} | declared
    powers = {
        text
        for entry in entries
        if bare and not bare.isdisjoint(texts_of(entry.statement))
        for text in _other_powers(entry.statement)
    }
    elements = [part for entry in entries for part in all_of(Indexed, entry.statement)]
    rooted = {head_of(part.base) for part in elements if not _squared(part)}
    names = [name for entry in entries for name in given_names(entry.statement)]
    roots = {head_of(name) for name in names if not _squared(name)}
    calls = [call.function for entry in entries for call in all_of(Call, entry.statement)]
    called = {function.text for function in calls if isinstance(function, Letter)}
    rules: dict[int, set[str]] = {}
    functions: set[str] = set()
    for section, statement, letter in squares:
        if isinstance(statement.target, Call):
            functions.add(letter)
            if letter in called:  # beside \sigma^2(x) = ..., \sigma(x) is its root
                rules.setdefault(section, set()).add(letter)
            continue
        series = _counts(statement.target) and _uses(statement.body, letter)
        alone = letter in powers and not _below(statement.target)
        if series or alone or letter in rooted or _is_of_elements(statement):
            rules.setdefault(section, set()).add(letter)
    declared &= powers | called  # beside \sigma^2 \in \mathbb{R}^{..}, \sigma is its root
    if declared:
        rules.setdefault(0, set()).update(declared)
    for entry in entries if rules else ():
        around = sections_around(entry.region.section, parents)
        letters = set().union(*[rules.get(section, set()) for section in around]) - roots
        if letters:
            entry.found.statement = put(entry.statement, _Squares(letters, functions))


def _squared(part: Any) -> str:
    r"""Name the letter of \sigma_t^2, \sigma_{time(t)}^2 and \sigma^2(x); nothing for what is no square."""
    match part:
        case Indexed(base=power) | Call(function=power):
            return _squared(power) if isinstance(power, Scripts) else ""
        case Scripts(base=Letter(text=text), sup=Number(value=2), primes=0):
            return text
    return ""


def _other_powers(part: Any) -> Iterator[str]:
    """Name the letters that stand in a part without a square: of \\rho^4, and of \\rho alone."""
    if isinstance(part, Definition):
        arguments = part.target.arguments if isinstance(part.target, Call) else ()
        own = {head_of(name) for name in arguments}
        yield from [text for text in _other_powers(part.body) if text not in own]
        return
    whole = isinstance(part, Scripts) and isinstance(part.base, Letter)
    power = _power(part) if whole and part.sub is None else None
    if power is not None and power != 2:
        yield part.base.text
    elif isinstance(part, Letter) and part.style == "letter":
        yield part.text
    for inner in () if whole else children(part):
        if not (isinstance(part, Call) and inner is part.function):
            yield from _other_powers(inner)


def _power(part: Scripts) -> float | None:
    r"""Give the number that a name is raised to: 4 of \rho^4, -2 of \sigma^{-2}."""
    match part:
        case Scripts(sup=Number(value=value), primes=0):
            return value
        case Scripts(sup=Unary(op="-", operand=Number(value=value)), primes=0):
            return -value
    return None


def _below(target: Expression) -> Any:
    """Give what stands below a left side."""
    return target.items if isinstance(target, Indexed) else getattr(target, "sub", None)


def _counts(target: Expression) -> bool:
    """Say whether a left side has an index that is a letter."""
    below = _below(target)
    return below is not None and any(letter.style == "letter" for letter in letters_of(below))


def _is_of_elements(statement: Definition) -> bool:
    r"""Say whether indices of what it is made of stand below a square: r_{ij}^2 = D_{ij}^2 f_j."""
    if not isinstance(statement.target, Scripts):
        return False
    own = {at.text for at in indices_of(statement.target.sub) or () if isinstance(at, Letter)}
    below: list[Any] = [at.at for at in all_of(At, statement.body)]
    below += [place for p in all_of(Scripts, statement.body) for place in indices_of(p.sub) or ()]
    return bool(own) and own <= texts_of(tuple(below))


def _uses(body: Expression, letter: str) -> bool:
    """Say whether a body is made of other elements of the square."""
    return any(_squared(p) == letter and _counts(p) for p in walk(body))


class _Squares:
    """What to put for squares that are letters of their own, and for their roots."""

    def __init__(self, letters: set[str], functions: set[str]) -> None:
        self._letters, self._functions = letters, functions

    def __call__(self, part: Any) -> Expression | None:
        """Give the letter of a square, or the root of it; None for any other part."""
        if isinstance(part, Call):
            return self._called(part)
        letter = _squared(part)
        if letter in self._letters:
            square: Expression = self._letter(part)
            return square
        if isinstance(part, Scripts) and head_of(part) not in self._letters:
            if getattr(part.sup, "text", "") in self._letters:
                return part  # \sigma of W^\sigma, and of W_\sigma, says which W it is
            if getattr(part.sub, "text", "") in self._letters:
                return replace(part, sup=put(part.sup, self))
        whole = part.base if isinstance(part, Indexed) else part
        bare = whole.base if isinstance(whole, Scripts) else whole
        plain = not isinstance(whole, Scripts) or (whole.sup is None and not whole.primes)
        if not (isinstance(bare, Letter) and bare.text in self._letters):
            return None
        if plain:
            return Root(part.span, self._letter(part))
        power = _power(part) if isinstance(part, Scripts) else None
        if power is None:
            return None
        whole, over = self._letter(replace(part, sup=None)), abs(power)
        if over != 2:
            half = Number(part.span, over / 2 if over % 2 else over // 2)
            whole = Scripts(part.span, whole, sup=half)
        return whole if power > 0 else Binary(part.span, "/", Number(part.span, 1), whole)

    def _called(self, call: Call) -> Expression | None:
        r"""Give the root of what a square's function gives: \sigma(x) beside \sigma^2(x) = ..."""
        function = call.function
        if not (isinstance(function, Letter) and function.text in self._letters):
            return None
        known = function.text in APPLIED and function.text not in self._functions
        arguments, parameters = put((call.arguments, call.parameters), self)
        own = replace(call, arguments=arguments, parameters=parameters)
        if known:
            return own  # beside a value \sigma^2, \sigma(x) is the function that everybody knows
        return Root(call.span, replace(own, function=self._letter(function)))

    def _letter(self, part: Any) -> Any:
        """Write a square or its root with the letter of the square, and what stands below it."""
        if isinstance(part, Indexed):
            items = tuple([put(item, self) for item in part.items])
            return replace(part, base=self._letter(part.base), items=items)
        if isinstance(part, Scripts):
            letter = self._letter(part.base)
            return letter if part.sub is None else replace(part, base=letter, sup=None)
        return replace(part, text=f"{part.text}sq", style="word")


# --------------------------------------------------------------------------------------- margins


#: Marks and single indices, as they stand below a letter.
PLACE = re.compile(r"(\\cdot|\\?bullet|[+*:])|([a-z])|(\d+)|,")


def put_margins(entries: Sequence[Entry]) -> None:
    """Give the margins that are defined letters of their own, and write X_{i,:} as a row of X."""
    targets = [e.statement.target for e in entries if isinstance(e.statement, Definition)]
    known = {margin[0] for target in targets if (margin := _margin(target)) is not None}
    spaces: dict[Expression, set[tuple[AxisName, ...]]] = {}
    for said in [e.statement for e in entries if isinstance(e.statement, Declaration)]:
        axes = tuple([sized.axis for sized in said.space.axes])
        for name in said.names:
            spaces.setdefault(name, set()).add(axes)

    def change(part: Any) -> Expression | None:
        margin = _margin(part)
        return margin[1] if margin is not None and margin[0] in known else _row(part, spaces)

    for entry in entries:
        if known or all_of(Text, entry.statement):
            entry.found.statement = put(entry.statement, change)


def _marked(part: Any) -> tuple[Letter, list[tuple[str, Expression | At]]] | None:
    r"""Give the letter of X_{i \cdot} or X_{\text{row}(i), \cdot}, its marks and indices in their order."""
    items = part.items if isinstance(part, Indexed) else ()
    whole = part.base if items else part
    if not isinstance(whole, Scripts) or not isinstance(whole.base, Letter) or whole.sub is None:
        return None
    sub = whole.sub
    said = sub.text if isinstance(sub, (Text, Letter)) else ""
    if isinstance(sub, Unary) and isinstance(sub.operand, Letter):
        said = sub.op + sub.operand.text
    found: list[tuple[str, Any]] = []
    for m in PLACE.finditer(said):
        number = Number(sub.span, int(m[3])) if m[3] else None
        found += [] if m[0] == "," else [(m[1] or "", number or Letter(sub.span, m[0]))]
    if PLACE.sub("", said) or not any(m for m, _ in found) or len(found) + len(items) < 2:
        return None
    if items and not all(m for m, _ in found):
        return None
    before = [("", item) for item in items if item.span.start < sub.span.start]
    behind = [("", item) for item in items[len(before) :]]
    return whole.base, [*before, *found, *behind]


def _margin(part: Any) -> tuple[Letter, Expression] | None:
    """Give the letter of a margin, and this letter with its indices; None for what is none."""
    marked = _marked(part)
    if marked is None or any(mark == ":" for mark, _ in marked[1]):
        return None
    letter, places = marked
    at = "".join([str(i) for i, (mark, _) in enumerate(places, 1) if mark])
    base = replace(letter, text=f"{letter.text}all{at}", style="word")
    if isinstance(part, Indexed):
        return base, replace(part, base=base)
    indices: Any = tuple([index for mark, index in places if not mark])
    below = indices[0] if len(indices) == 1 else Items(part.span, indices, "")
    return base, replace(part, base=base, sub=below) if indices else base


def _row(part: Any, spaces: Mapping[Expression, set[tuple[AxisName, ...]]]) -> Indexed | None:
    """Give X_{i,:} and X_{:,j} of a declared X the axes of its indices; None for any other part."""
    marked = _marked(part)
    known = () if marked is None else [*spaces.get(marked[0], ())]
    axes = known[0] if len(known) == 1 else ()
    if marked is None or len(axes) != len(marked[1]) or {m for m, _ in marked[1]} != {"", ":"}:
        return None
    items = tuple(
        [
            at if isinstance(at, At) else At(at.span, axis, at)
            for axis, (mark, at) in zip(axes, marked[1], strict=True)
            if not mark
        ]
    )
    return Indexed(part.span, marked[0], items)


# --------------------------------------------------------------------------------------- indices

#: Letters for indices whose own letter is that of a tensor.
INDICES = "ijklmnpqrstuvwabcdefghxyz"


def letters_read(entries: Sequence[Entry]) -> set[str]:
    """List the letters of all that could be read."""
    return {t.text for e in entries if isinstance(e.read, Found) for t in letters_of(e.statement)}


def free_indices(taken: Collection[str]) -> list[str]:
    """List the letters that an index may have, the usual ones first, without those that are taken."""
    return [letter for letter in INDICES if letter not in taken]


def put_indices_apart(entries: Sequence[Entry]) -> None:
    """Give an index another letter where elements of a tensor with its letter stand in its formula."""
    taken: set[str] = set()
    relations = [getattr(e.statement, "relation", ()) for e in entries]
    ranges = [r.first for part in relations for r in all_of(Relation, part) if any(ranges_in(r))]
    spaces = [e.statement for e in entries if isinstance(e.statement, Declaration)]
    ranges += [name for s in spaces if s.space.base == "[n]" for name in s.names]
    ranged = {letter.text for part in ranges for letter in letters_of(part)}
    for entry in entries:
        said = entry.statement
        if not isinstance(said, Definition) or not (bases := _bases(said)):
            continue
        taken = taken or letters_read(entries)
        below = _below(said.target.function if isinstance(said.target, Call) else said.target)
        places = below if type(below) is tuple else () if below is None else listed(below)
        own = [item.at if isinstance(item, At) else item for item in places]
        clash = bases & {at.text for at in own if isinstance(at, Letter)} - ranged
        if isinstance(said.target, Scripts):  # beside V_{time(t)}, the V of L_V only names the L
            clash &= texts_of(_places_in(said.body))
        if clash:
            entry.found.statement = put(said, _Renamed(clash, taken))
        elif any(bases & _bound(big) for big in all_of(Big, said)):
            entry.found.statement = put(said, functools.partial(_with_own, bases, taken))


def put_abbreviations(entries: Sequence[Entry]) -> None:
    """Put for a letter what is said of it by the indices of those elements in which it stands."""
    given = {head_of(name) for entry in entries for name in given_names(entry.statement)}
    defined = [(e, e.statement) for e in entries if isinstance(e.statement, Definition)]
    bodies = [texts_of(said.body) for _, said in defined]
    uses: dict[tuple[int, str], list[Entry]] = {}
    for (entry, _), letters in zip(defined, bodies, strict=True):
        for text in letters & given:
            uses.setdefault((entry.region.section, text), []).append(entry)
    for (entry, said), letters in zip(defined, bodies, strict=True):
        target, plain = said.target, said.op == "=" and said.condition is None and not said.chain
        if not isinstance(target, Letter) or not plain or letters <= given:
            continue
        using = uses.get((entry.region.section, target.text), [])
        free = letters - given.union(*map(_bound, all_of(Big, said.body)))
        indices = [_own_indices(other) & free for other in using]
        if indices and indices[0] and all(own == indices[0] for own in indices):
            whole = Items(said.body.span, (said.body,), "(")
            for other in using:
                use: Any = other.statement
                other.found.statement = replace(use, body=renamed(use.body, {target: whole}))
            entry.leave_out("it stands for a part of the elements beside it")


def _own_indices(entry: Entry) -> set[str]:
    """List the indices of the elements that an entry defines."""
    places = places_of(entry.statement.target, 1)  # type: ignore[union-attr]
    return {at.text for at in places if isinstance(at, Letter)}


def _places_in(part: Expression) -> tuple[Expression, ...]:
    """List the indices of the elements and the members in a part."""
    below = [p.sub for p in all_of(Scripts, part) if p.sub is not None]
    return (*[item.at for item in all_of(At, part)], *below)


def _bound(part: Big) -> set[str]:
    return {one.index.text for one in all_bound(part) if isinstance(one.index, Letter)}


def _with_own(bases: set[str], taken: set[str], part: Any) -> Expression | None:
    """Give an operator's index another letter than that of a tensor below it."""
    clash = bases & _bound(part) if isinstance(part, Big) else set()
    clash &= _bases(part)
    return put(part, _Renamed(clash, taken)) if clash else None


def _bases(part: Any) -> set[str]:
    """List the letters of which elements or members stand in a part, by an index that is a letter."""
    bases = [p.base for p in all_of(Indexed, part)]
    below = [(p.base, letters_of(p.sub)) for p in all_of(Scripts, part) if p.sub is not None]
    bases += [base for base, sub in below if any(letter.style == "letter" for letter in sub)]
    return {base.text for base in bases if isinstance(base, Letter)}


class _Renamed:
    """What to put for indices that have the letter of a tensor: letters that the document does not use."""

    def __init__(self, letters: set[str], taken: set[str]) -> None:
        free = free_indices(taken)
        self._new = dict(zip(sorted(letters), free, strict=False))

    def __call__(self, part: Any) -> Expression | None:
        """Give an index its new letter; None for any other part."""
        if isinstance(part, Indexed) and isinstance(part.base, Letter):
            return replace(part, items=put(part.items, self))
        if isinstance(part, Scripts) and isinstance(part.base, Letter) and part.sub is not None:
            sup = None if part.sup is None else put(part.sup, self)
            return replace(part, sub=put(part.sub, self), sup=sup)
        if isinstance(part, Letter) and part.text in self._new:
            return replace(part, text=self._new[part.text])
        return None


# --------------------------------------------------------------------------------------- shapes


def with_shapes_below(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Give what was read; d_{row, col} = ... defines d, declared before it, and z_{row, col} is z."""
    read = [e for e in entries if isinstance(e.read, Found)]
    if not any(_axes_below(part) for e in read for part in all_of(Scripts, e.statement)):
        yield from entries
        return
    axes = {sized.axis.name for e in read for sized in all_of(SizedAxis, e.statement)}
    given = {key_of(name) for e in read for name in given_names(e.statement)}
    used = {key_of(name) for e in read for name in names_of(e.statement)} - given
    shapes: dict[Expression, Declaration] = {}
    for entry in read:
        target: Any = entry.target
        below = _axes_below(target)
        new = len(below) > 1 and target.sup is None and target.base.text in used
        if new and axes.issuperset(below):
            over = [SizedAxis(target.span, AxisName(target.span, a), None) for a in below]
            space = Space(target.span, "R", tuple(over))
            shapes.setdefault(target, Declaration(target.span, (target.base,), space))
    if len({shape.names for shape in shapes.values()}) < len(shapes):
        shapes = {}  # d_{row, col} and d_{row, time} are two
    spaces: dict[Expression, set[frozenset[str]]] = {}
    declared = [e.statement for e in read if isinstance(e.statement, Declaration)]
    for said in [*declared, *shapes.values()]:
        over_all = frozenset(said.space.names)
        for name in said.names:
            spaces.setdefault(name, set()).add(over_all)
    others = given - {key_of(target) for target in shapes}

    def change(part: Any) -> Any:
        below = _axes_below(part)
        if not below or spaces.get(part.base) != {frozenset(below)} or key_of(part) in others:
            return None
        return part.base if part.sup is None else replace(part, sub=None)

    for entry in entries:
        statement: Any = entry.statement if isinstance(entry.read, Found) else None
        if getattr(statement, "target", None) in shapes:
            yield Entry(Found(shapes[statement.target], named=True), entry.region)
        if spaces and any(map(_axes_below, all_of(Scripts, statement))):
            entry.found.statement = put(statement, change)
        yield entry


def _axes_below(target: Any) -> tuple[str, ...]:
    """List the names of axes that are all that stands below a letter."""
    match target:
        case Scripts(base=Letter(), sub=Items(parts=parts, bracket=""), primes=0):
            words = [getattr(p, "base", p) for p in parts]
            texts = [getattr(w, "name", getattr(w, "text", "")) for w in words]
            named = all(isinstance(w, AxisName) or getattr(w, "style", "") == "word" for w in words)
            marks = ["'" * getattr(p, "primes", 0) for p in parts]
            return tuple([t + m for t, m in zip(texts, marks, strict=True)]) if named else ()
    return ()
