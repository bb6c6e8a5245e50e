r"""What is written by another letter, and is a letter of its own: squares and margins.

\sigma_t^2 = \omega + \beta \sigma_{t-1}^2 says what the square is, and not its root. Where nothing else says
what \sigma is, its square is a letter of its own, and \sigma_t is the root of it. So is
\rho^2 = \sum_{uv} u^2 where other formulas use \rho or \rho^4.

X_{i \cdot} = \sum_j X_{ij} says what a letter of its own is, and so do X_{\cdot j} and X_{++}. Marks stand
for the indices that are summed or averaged over. The letter is X with the places of its marks: Xall2 of
X_{i \cdot}, whose only index is i.

In 1[e = e_t] the index e has the letter of a tensor whose elements stand beside it. It gets another one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.left_sides import given_names
from namedtensor.latex.reading.ranges import all_bound, listed
from namedtensor.latex.reading.spoken import head_of, sections_around
from namedtensor.latex.syntax import (
    At,
    Big,
    Call,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Root,
    Scripts,
    Text,
    Unary,
)
from namedtensor.latex.walk import all_of, children, letters_of, put, walk


def put_squares(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    """Give the squares of which there are series, or which others take as such, letters of their own."""
    squares = [
        (entry.region.section, statement, letter)
        for entry in entries
        if isinstance(statement := entry.statement, Definition) and statement.op == "="
        for letter in [_squared(statement.target)]
        if letter
    ]
    if not squares:
        return
    bare = {letter for _, statement, letter in squares if not _below(statement.target)}
    powers = {
        text
        for entry in entries
        if bare and not bare.isdisjoint([t.text for t in letters_of(entry.statement)])
        for text in _other_powers(entry.statement)
    }
    given = [name for entry in entries for name in given_names(entry.statement)]
    roots = {head_of(name) for name in given if not _squared(name)}
    rules: dict[int, set[str]] = {}
    for section, statement, letter in squares:
        series = _counts(statement.target) and _uses(statement.body, letter)
        if series or (letter in powers and not _below(statement.target)):
            rules.setdefault(section, set()).add(letter)
    for entry in entries if rules else ():
        around = sections_around(entry.region.section, parents)
        letters = set().union(*[rules.get(section, set()) for section in around]) - roots
        if letters:
            entry.found.statement = put(entry.statement, _Squares(letters))


def _squared(part: Any) -> str:
    r"""Name the letter of \sigma_t^2, \sigma_{time(t)}^2 and \sigma^2; nothing for what is no square."""
    power = part.base if isinstance(part, Indexed) else part
    match power:
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
    raised = whole and part.sub is None and not part.primes and isinstance(part.sup, Number)
    if raised and part.sup.value != 2:
        yield part.base.text
    elif isinstance(part, Letter) and part.style == "letter":
        yield part.text
    for inner in () if whole else children(part):
        if not (isinstance(part, Call) and inner is part.function):
            yield from _other_powers(inner)


def _below(target: Expression) -> Any:
    """Give what stands below a left side."""
    return target.items if isinstance(target, Indexed) else getattr(target, "sub", None)


def _counts(target: Expression) -> bool:
    """Say whether a left side has an index that is a letter."""
    below = _below(target)
    return below is not None and any(letter.style == "letter" for letter in letters_of(below))


def _uses(body: Expression, letter: str) -> bool:
    """Say whether a body is made of other elements of the square."""
    return any(_squared(p) == letter and _counts(p) for p in walk(body))


class _Squares:
    """What to put for squares that are letters of their own, and for their roots."""

    def __init__(self, letters: set[str]) -> None:
        self._letters = letters

    def __call__(self, part: Any) -> Expression | None:
        """Give the letter of a square, or the root of it; None for any other part."""
        letter = _squared(part)
        if letter in self._letters:
            square: Expression = self._letter(part)
            return square
        whole = part.base if isinstance(part, Indexed) else part
        bare = whole.base if isinstance(whole, Scripts) else whole
        plain = not isinstance(whole, Scripts) or (whole.sup is None and not whole.primes)
        if not (isinstance(bare, Letter) and bare.text in self._letters):
            return None
        if plain:
            return Root(part.span, self._letter(part))
        power = whole.sup if isinstance(whole, Scripts) and not whole.primes else None
        if isinstance(power, Number) and isinstance(part, Scripts):
            half = replace(power, value=power.value / 2 if power.value % 2 else power.value // 2)
            return Scripts(part.span, self._letter(replace(part, sup=None)), sup=half)
        return None

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


#: Marks and single letters, as they stand below a letter.
PLACE = re.compile(r"(\\cdot|\\bullet|[+*])|([a-z])|,")


def put_margins(entries: Sequence[Entry]) -> None:
    """Give the margins that are defined letters of their own."""
    targets = [e.statement.target for e in entries if isinstance(e.statement, Definition)]
    known = {(head_of(t), margin.base) for t in targets if (margin := _margin(t)) is not None}

    def change(part: Any) -> Expression | None:
        margin = _margin(part)
        if margin is None or (head_of(part), margin.base) not in known:
            return None
        return margin.base if margin.sub is None and margin.sup is None else margin

    for entry in entries if known else ():
        entry.found.statement = put(entry.statement, change)


def _margin(part: Any) -> Scripts | None:
    """Give a margin as a letter of its own with its indices; None for what is none."""
    if not isinstance(part, Scripts) or not isinstance(part.base, Letter):
        return None
    said = part.sub.text if isinstance(part.sub, Text) else ""
    if isinstance(part.sub, Unary) and isinstance(part.sub.operand, Letter):
        said = part.sub.op + part.sub.operand.text
    found = [m for m in PLACE.finditer(said) if m[0] != ","]
    marks = [str(at) for at, m in enumerate(found, 1) if m[1]]
    letters = [Letter(part.sub.span, m[2]) for m in found if m[2]]  # type: ignore[union-attr]
    if not marks or len(found) < 2 or PLACE.sub("", said):
        return None
    base = replace(part.base, text=f"{part.base.text}all{''.join(marks)}", style="word")
    sub: Expression | None = Items(part.span, tuple(letters), "") if letters else None
    return replace(part, base=base, sub=letters[0] if len(letters) == 1 else sub)


# --------------------------------------------------------------------------------------- indices

#: Letters for indices whose own letter is that of a tensor.
INDICES = "ijklmnpqrstuvwabcdefghxyz"


def put_indices_apart(entries: Sequence[Entry]) -> None:
    """Give an index another letter where elements of a tensor with its letter stand in its formula."""
    taken: set[str] = set()
    for entry in entries:
        said = entry.statement
        if not isinstance(said, Definition) or not (bases := _bases(said)):
            continue
        taken = taken or {letter.text for e in entries for letter in letters_of(e.statement)}
        below = _below(said.target.function if isinstance(said.target, Call) else said.target)
        places = below if type(below) is tuple else () if below is None else listed(below)
        own = [item.at if isinstance(item, At) else item for item in places]
        clash = bases & {at.text for at in own if isinstance(at, Letter)}
        if clash:
            entry.found.statement = put(said, _Renamed(clash, taken))
        elif any(bases & _bound(big) for big in all_of(Big, said)):
            entry.found.statement = put(said, functools.partial(_with_own, bases, taken))


def _bound(part: Big) -> set[str]:
    return {one.index.text for one in all_bound(part) if isinstance(one.index, Letter)}


def _with_own(bases: set[str], taken: set[str], part: Any) -> Expression | None:
    """Give an operator's index another letter than that of a tensor below it."""
    clash = bases & _bound(part) if isinstance(part, Big) else set()
    clash &= _bases(part)
    return put(part, _Renamed(clash, taken)) if clash else None


def _bases(part: Any) -> set[str]:
    """List the letters of which elements or members stand in a part."""
    bases = [p.base for p in all_of(Indexed, part)]
    bases += [p.base for p in all_of(Scripts, part) if p.sub is not None]
    return {base.text for base in bases if isinstance(base, Letter)}


class _Renamed:
    """What to put for indices that have the letter of a tensor: letters that the document does not use."""

    def __init__(self, letters: set[str], taken: set[str]) -> None:
        free = [letter for letter in INDICES if letter not in taken]
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
