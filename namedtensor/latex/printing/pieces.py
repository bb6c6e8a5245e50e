"""Parts of a formula as text, and where they need parentheses."""

from __future__ import annotations

from dataclasses import dataclass

from namedtensor.primitives.notation import AND, ATOM, NOT, OR, RELATION, SCRIPT

#: What makes a part taller than a line, so that its parentheses grow with it.
_TALL = (r"\frac", r"\begin", r"\sum", r"\prod", r"\nsum", r"\left")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a formula as text.

    `level` says how tightly it holds together. `open` is the level of an operator at its right end
    that would take in what comes next, and `prefix` says that it begins with an operator, so that it
    may follow another one as it is. `terms` are the text's parts, where lines may be broken.
    """

    text: str
    level: int = ATOM
    open: int = ATOM
    prefix: bool = False
    terms: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Say whether this is a letter or a word, without scripts."""
        return self.level == ATOM and self.text.lstrip("\\").isalpha()


def wrapped(text: str, left: str = "(", right: str = ")") -> str:
    """Put brackets around a text, as tall as it is."""
    if any(word in text for word in _TALL):
        return rf"\left{left} {text} \right{right}"
    return f"{left}{text}{right}"


def raised(piece: Piece, above: str) -> Piece:
    """Put something above a letter, X^l."""
    text = f"{{{piece.text}}}" if "^" in piece.text else piece.text
    return Piece(f"{text}^{above}" if len(above) == 1 else f"{text}^{{{above}}}", SCRIPT)


def inside(piece: Piece, level: int) -> str:
    """Give a piece's text where `level` is wanted, in parentheses if it is looser."""
    return piece.text if piece.level >= level else wrapped(piece.text)


def joined_by(
    left: Piece, sign: str, right: Piece, level: int, terms: tuple[str, ...] = ()
) -> Piece:
    """Put a sign between two pieces; equal signs group to the left."""
    tight = left.level > level or (left.level == level and level != RELATION)
    if level == OR:
        tight, right = _apart(left), right if _apart(right) else Piece(wrapped(right.text))
    before = left.text if tight and left.open >= level else wrapped(left.text)
    bare = (right.level > level or right.prefix) and not right.text.startswith("-")
    after = right.text if bare else wrapped(right.text)
    opened = min(level, right.open) if bare else level
    if terms and before == left.text:
        terms = (*terms, f"{sign} {after}")
    elif terms:
        terms = (before, f"{sign} {after}")
    return Piece(f"{before} {sign} {after}", level, opened, terms=terms)


def _apart(piece: Piece) -> bool:
    """Say whether a part may stand beside \\lor as it is: \\land is put in parentheses there."""
    return piece.level not in (AND, NOT)
