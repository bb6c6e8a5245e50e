"""Numbers as a formula writes them, so that reading gives the very same number back."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from namedtensor.primitives.notation import ATOM, DOT, MINUS, SCRIPT

#: Floats from here on, and below 1 / LARGE, are written with a power of ten.
LARGE = 1e6


def figure(value: Any, taken: frozenset[str] = frozenset()) -> tuple[str, int]:
    """Write a number, and say how tightly its text holds together; `taken` are names in use.

    >>> figure(1e-05)
    ('10^{-5}', 10)
    >>> figure(2.5e-07)
    ('2.5 \\\\cdot 10^{-7}', 6)
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


#: Powers of ten that are read more easily as they are.
PLAIN = (0.0, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0, 100000.0)


def _plain(value: float) -> tuple[str, int]:
    text = f"{Decimal(repr(value)):f}"
    return (text if "." in text else f"{text}.0"), ATOM
