"""The text of parts of a formula, and the parentheses that they need."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from namedtensor.primitives.notation import AND, ATOM, DOT, MINUS, NOT, OR, RELATION, SCRIPT

#: Commands that make a part taller than a line, so that its parentheses must grow.
_TALL = (r"\frac", r"\begin", r"\sum", r"\prod", r"\nsum", r"\left")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a formula as text.

    `level` is the precedence of its outermost operator. `open` is the level of a prefix operator at its
    right end, which would take what comes next as part of its operand. `prefix` says that the part
    begins with a prefix operator, and so needs no parentheses after another operator. `terms` are the
    parts of the text between which a line may be broken.
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
    """Put brackets around a text; around a tall text they grow."""
    if any(word in text for word in _TALL):
        return rf"\left{left} {text} \right{right}"
    return f"{left}{text}{right}"


def raised(piece: Piece, above: str) -> Piece:
    """Put something above a letter, X^l."""
    text = f"{{{piece.text}}}" if "^" in piece.text else piece.text
    return Piece(f"{text}^{above}" if len(above) == 1 else f"{text}^{{{above}}}", SCRIPT)


def inside(piece: Piece, level: int) -> str:
    """Give the text of a piece, in parentheses if its level is lower than `level`."""
    return piece.text if piece.level >= level else wrapped(piece.text)


def joined_by(
    left: Piece, sign: str, right: Piece, level: int, terms: tuple[str, ...] = ()
) -> Piece:
    """Put an operator between two pieces: a - b - c means (a - b) - c; (a < b) < c has parentheses."""
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
    """Say whether a part needs no parentheses beside \\lor; \\land and \\lnot get them."""
    return piece.level not in (AND, NOT)


# ----------------------------------------------------------------------------------------- numbers


#: Floats of at least LARGE, or below 1 / LARGE, are written with a power of ten.
LARGE = 1e6


def figure(value: Any, taken: frozenset[str] = frozenset()) -> tuple[str, int]:
    """Write a number, and give the level of its text; `taken` are names in use.

    >>> figure(1e-05)
    ('10^{-5}', 12)
    >>> figure(2.5e-07)
    ('2.5 \\\\cdot 10^{-7}', 7)
    """
    if isinstance(value, bool):
        return (r"\text{true}" if value else r"\text{false}"), ATOM
    if isinstance(value, complex):
        return rf"\text{{complex}}({figure(value.real)[0]}, {figure(value.imag)[0]})", SCRIPT
    if isinstance(value, float) and math.isnan(value):
        return r"\text{nan}", ATOM
    if value < 0 or (value == 0 and math.copysign(1.0, value) < 0):
        text, level = figure(-value, taken)
        return f"-{text}", min(level, MINUS)
    if isinstance(value, int):
        return str(value), ATOM
    if value == math.inf:
        return r"\infty", ATOM
    if value == math.pi and "pi" not in taken:
        return r"\pi", ATOM
    return _float(value)


def _float(value: float) -> tuple[str, int]:
    if (1 / LARGE <= value < LARGE and value != 10.0 ** round(math.log10(value))) or value in PLAIN:
        return _plain(value)
    mantissa, _, exponent = f"{Decimal(repr(value)):e}".partition("e")
    power = int(exponent)
    mantissa = _plain(float(mantissa))[0]
    if float(mantissa) == 1.0 and isinstance(10**power, float) and 10**power == value:
        return f"10^{{{power}}}", SCRIPT
    if float(mantissa) * 10**power == value:
        return rf"{mantissa} \cdot 10^{{{power}}}", DOT
    return _plain(value)


#: Powers of ten that are easier to read as decimals.
PLAIN = (0.0, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0)


def _plain(value: float) -> tuple[str, int]:
    text = f"{Decimal(repr(value)):f}"
    return (text if "." in text else f"{text}.0"), ATOM
