r"""Series of squares: \sigma_t^2 = \omega + \beta \sigma_{t-1}^2 says what the square is, and not its root.

Where nothing else says what \sigma is, its square is a letter of its own, and \sigma_t is the root of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.left_sides import given_names
from namedtensor.latex.reading.spoken import head_of, sections_around
from namedtensor.latex.syntax import (
    Definition,
    Expression,
    Indexed,
    Letter,
    Number,
    Root,
    Scripts,
)
from namedtensor.latex.walk import letters_of, put, walk


def put_squares(entries: Sequence[Entry], parents: Sequence[int]) -> None:
    """Give the squares of which there are series letters of their own."""
    rules: dict[int, set[str]] = {}
    roots: set[str] = set()
    for entry in entries:
        statement = entry.statement
        for name in given_names(statement):
            roots |= set() if _squared(name) else {head_of(name)}
        if isinstance(statement, Definition) and statement.op == "=":
            letter = _squared(statement.target)
            if letter and _counts(statement.target) and _uses(statement.body, letter):
                rules.setdefault(entry.region.section, set()).add(letter)
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


def _counts(target: Expression) -> bool:
    """Say whether a left side has an index that is a letter."""
    below: Any = target.items if isinstance(target, Indexed) else getattr(target, "sub", None)
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
        if isinstance(bare, Letter) and bare.text in self._letters and plain:
            return Root(part.span, self._letter(part))
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
