"""Sums of products of sizes and their powers, with rational factors: enough algebra for most sizes.

    |layer|/|heads| + 2 n - 1      {((|heads|, -1), (|layer|, 1)): 1, ((n, 1),): 2, (): -1}

All symbols are sizes, and so 1 or more. An expression that is no such sum, as 1/(n + 1), is one of
sympy, whose import takes as long as checking many documents. A `Sum` may be combined with an expression
of sympy; the result is sympy's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from namedtensor.latex.source import unchanging

Monomial = tuple[
    tuple[str, int], ...
]  # names and their powers, none of them 0, in the order of names

ONE: Monomial = ()


@unchanging
class Sum:
    """A sum of monomials, each with a factor that is not 0."""

    terms: Mapping[Monomial, Fraction]

    @staticmethod
    def of(terms: Iterable[tuple[Monomial, Fraction]]) -> Sum:
        """Make a sum of terms; terms with the same monomial are added up.

        >>> n = Sum.symbol("n")
        >>> text(n * n - 2 * n + n * 2 + 1), (n - n).terms
        ('n^2 + 1', {})
        """
        found: dict[Monomial, Fraction] = {}
        for monomial, factor in terms:
            found[monomial] = found.get(monomial, Fraction(0)) + factor
        return Sum({m: f for m, f in found.items() if f})

    @staticmethod
    def number(value: int | Fraction) -> Sum:
        return Sum.of([(ONE, Fraction(value))])

    @staticmethod
    def symbol(name: str) -> Sum:
        return Sum({((name, 1),): Fraction(1)})

    @property
    def names(self) -> list[str]:
        """The symbols, in the order of their names."""
        return sorted({name for monomial in self.terms for name, _ in monomial})

    @property
    def value(self) -> Fraction | None:
        """The number, if the sum has no symbols; else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(ONE) if len(self.terms) == 1 else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, int):
            return self.value == other
        return isinstance(other, Sum) and dict(self.terms) == dict(other.terms)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, (Sum, int)):
            return self._sympy_() + other
        return Sum.of([*self.terms.items(), *_sum(other).terms.items()])

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, (Sum, int)):
            return self._sympy_() * other
        products = [
            (_product(m, k), f * g)
            for m, f in self.terms.items()
            for k, g in _sum(other).terms.items()
        ]
        return Sum.of(products)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Sum:
        return Sum({m: -f for m, f in self.terms.items()})

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, (Sum, int)) or len(_sum(other).terms) != 1:
            return self._sympy_() / other
        return self * _sum(other) ** -1

    def __pow__(self, power: int) -> Any:
        if power < 0 and len(self.terms) == 1:
            ((monomial, factor),) = self.terms.items()
            return Sum({tuple([(n, -e) for n, e in monomial]): 1 / factor}) ** -power
        if power < 0:
            return self._sympy_() ** power
        found = Sum.number(1)
        for _ in range(power):
            found = found * self
        return found

    def root(self) -> Any:
        """Give the square root."""
        if len(self.terms) == 1:
            ((monomial, factor),) = self.terms.items()
            above, below = math.isqrt(abs(factor.numerator)), math.isqrt(factor.denominator)
            whole = Fraction(above * above, below * below) == factor
            if whole and all(power % 2 == 0 for _, power in monomial):
                halves = tuple([(name, power // 2) for name, power in monomial])
                return Sum({halves: Fraction(above, below)})
        import sympy

        return sympy.sqrt(self._sympy_())

    def with_values(self, values: Mapping[str, Any]) -> Any:
        """Replace symbols by values."""
        found: Any = Sum({})
        for monomial, factor in self.terms.items():
            term: Any = Sum.number(factor)
            for name, power in monomial:
                term = term * values.get(name, Sum.symbol(name)) ** power
            found = found + term
        return found

    def over(self) -> tuple[Sum, Sum]:
        """Write the sum as one fraction: a numerator with whole factors, and a monomial."""
        lowest: dict[str, int] = {}
        for monomial in self.terms:
            for name, power in monomial:
                lowest[name] = min(lowest.get(name, 0), power)
        common = math.lcm(*[f.denominator for f in self.terms.values()])
        powers = tuple([(n, -e) for n, e in sorted(lowest.items()) if e])
        below = Sum({powers: Fraction(common)})
        return self * below, below

    def signs(self) -> set[int]:
        """Give the signs of the numerator's terms, with each size written as 1 + a number of 0 or more.

        A constant term gives 2 or -2, other terms 1 or -1.
        """
        above, _ = self.over()
        shifted = above.with_values({n: Sum.symbol(n) + 1 for n in above.names})
        return {
            (1 if factor > 0 else -1) * (2 if monomial == ONE else 1)
            for monomial, factor in shifted.terms.items()
        }

    def _sympy_(self) -> Any:
        import sympy

        terms = [
            sympy.Rational(f.numerator, f.denominator)
            * sympy.prod([sympy.Symbol(n, integer=True, positive=True) ** e for n, e in m])
            for m, f in self.terms.items()
        ]
        return sympy.Add(*terms)


def _sum(value: Sum | int) -> Sum:
    return value if isinstance(value, Sum) else Sum.number(value)


def _product(one: Monomial, other: Monomial) -> Monomial:
    powers = dict(one)
    for name, power in other:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted([(name, power) for name, power in powers.items() if power]))


def solved_for(difference: Sum) -> list[tuple[str, Sum]]:
    """Solve difference = 0 for each symbol that is in one linear term, with a monomial as factor."""
    above, _ = difference.over()
    found = []
    for name in above.names:
        slope = Sum.of([(m, f) for m, f in above.terms.items() if dict(m).get(name, 0)])
        powers = {dict(m)[name] for m in slope.terms}
        if powers == {1} and len(slope.terms) == 1:
            found.append((name, -(above - slope) / (slope / Sum.symbol(name))))
    return found


def text(value: Sum) -> str:
    """Write a sum: symbols in the order of their names, highest powers first.

    >>> n, h = Sum.symbol("n"), Sum.symbol("|heads|")
    >>> text(1 - h + 2 * n), text(n / (2 * h)), text(n / h - 1)
    ('2 n - |heads| + 1', 'n/(2 |heads|)', 'n/|heads| - 1')
    """
    names = value.names
    ordered = sorted(value.terms.items(), key=lambda t: [-dict(t[0]).get(n, 0) for n in names])
    words = ""
    for monomial, factor in ordered:
        sign = ("-" if factor < 0 else "") if not words else " - " if factor < 0 else " + "
        words += sign + _term(monomial, abs(factor))
    return words or "0"


def as_fraction(value: Sum) -> str:
    """Write a sum, as one fraction if it divides by sizes.

    >>> n, h = Sum.symbol("n"), Sum.symbol("h")
    >>> as_fraction(n / h - 1), as_fraction(n / 2 - 1)
    ('(-h + n)/h', 'n/2 - 1')
    """
    above, below = value.over()
    if len(value.terms) == 1 or below.value is not None:
        return text(value)
    under = text(below)
    return f"({text(above)})/{f'({under})' if ' ' in under else under}"


def _term(monomial: Monomial, factor: Fraction) -> str:
    above = [_power(n, e) for n, e in monomial if e > 0]
    below = [_power(n, -e) for n, e in monomial if e < 0]
    if factor.numerator != 1 or not above:
        above.insert(0, str(factor.numerator))
    if factor.denominator != 1:
        below.insert(0, str(factor.denominator))
    if not below:
        return " ".join(above)
    return f"{' '.join(above)}/{below[0] if len(below) == 1 else '(' + ' '.join(below) + ')'}"


def _power(name: str, power: int) -> str:
    return name if power == 1 else f"{name}^{power}"
