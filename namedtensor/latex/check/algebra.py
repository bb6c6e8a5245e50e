"""Sums of products of sizes and their powers, with rational factors: enough algebra for sizes.

    |layer|/|heads| + 2 n - 1      {((|heads|, -1), (|layer|, 1)): 1, ((n, 1),): 2, (): -1}

All symbols are sizes, and so 1 or more. A sum that is divided by, as in l/(h + 1), is one factor of such
a product: a `Bracket`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from namedtensor.latex.source import unchanging

Monomial = tuple[
    tuple[str, int], ...
]  # names and their powers, none of them 0, in the order of names

ONE: Monomial = ()


class Bracket(str):
    """The name of a sum that is divided by: (n + 1) of 1/(n + 1)."""

    inside: Sum


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
            found[monomial] = found[monomial] + factor if monomial in found else factor
        return Sum({m: f for m, f in found.items() if f})

    @staticmethod
    def number(value: int | Fraction) -> Sum:
        return Sum({ONE: Fraction(value)} if value else {})

    @staticmethod
    def symbol(name: str) -> Sum:
        return Sum({((name, 1),): Fraction(1)})

    @property
    def names(self) -> list[str]:
        """The symbols, also those in brackets, in the order of their names."""
        found = {name for monomial in self.terms for name, _ in monomial}
        inner = [name.inside.names for name in found if isinstance(name, Bracket)]
        return sorted(set().union(*inner) | {n for n in found if not isinstance(n, Bracket)})

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

    def __add__(self, other: Sum | int) -> Sum:
        return Sum.of([*self.terms.items(), *_sum(other).terms.items()])

    def __mul__(self, other: Sum | int) -> Sum:
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

    def __sub__(self, other: Sum | int) -> Sum:
        return self + -other

    def __rsub__(self, other: Sum | int) -> Sum:
        return -self + other

    def __truediv__(self, other: Sum | int) -> Sum:
        return self * _sum(other) ** -1

    def __pow__(self, power: int) -> Sum:
        if power < 0 and len(self.terms) != 1:
            bracket = Bracket(f"({text(self)})")
            bracket.inside = self
            return Sum({((bracket, power),): Fraction(1)})
        if power < 0:
            ((monomial, factor),) = self.terms.items()
            return Sum({tuple([(n, -e) for n, e in monomial]): 1 / factor}) ** -power
        found = self if power else Sum.number(1)
        for _ in range(power - 1):
            found = found * self
        return found

    def root(self) -> Sum | None:
        """Give the square root of a square; None for any other sum."""
        if len(self.terms) == 1:
            ((monomial, factor),) = self.terms.items()
            above, below = math.isqrt(abs(factor.numerator)), math.isqrt(factor.denominator)
            whole = Fraction(above * above, below * below) == factor
            if whole and all(power % 2 == 0 for _, power in monomial):
                halves = tuple([(name, power // 2) for name, power in monomial])
                return Sum({halves: Fraction(above, below)})
        return None

    def with_values(self, values: Mapping[str, Sum]) -> Sum:
        """Replace symbols by values; what stood in brackets is multiplied out."""
        found = Sum({})
        for monomial, factor in self.terms.items():
            term = Sum.number(factor)
            for name, power in monomial:
                if isinstance(name, Bracket):
                    value = name.inside.with_values(values)
                else:
                    value = values.get(name, Sum.symbol(name))
                term = term * value**power
            found = found + term
        return found

    def over(self) -> tuple[Sum, Sum]:
        """Write the sum as one fraction: a numerator with whole factors and no brackets, and a monomial."""
        lowest: dict[str, int] = {}
        for monomial in self.terms:
            for name, power in monomial:
                lowest[name] = min(lowest.get(name, 0), power)
        common = math.lcm(*[f.denominator for f in self.terms.values()])
        powers = tuple([(n, -e) for n, e in sorted(lowest.items()) if e])
        below = Sum({powers: Fraction(common)})
        if not any(isinstance(name, Bracket) for name, _ in powers):
            return self * below, below
        above, more = (self * below).with_values({}).over()  # brackets may hold others
        return above, below * more

    def signs(self) -> set[int]:
        """Give the signs of the numerator's terms, with each size written as 1 + a number of 0 or more.

        A constant term gives 2 or -2, other terms 1 or -1. Below a line all brackets must be above 0.
        """
        above, below = self.over()
        brackets = [n for m in below.terms for n, _ in m if isinstance(n, Bracket)]
        if not all({2} <= bracket.inside.signs() <= {1, 2} for bracket in brackets):
            return {-1, 1}
        signs = {1 if factor > 0 else -1 for factor in above.terms.values()}
        if len(signs) < 2:  # nothing is taken away
            return {2 * sign for sign in signs}.union(signs if above.names else ())
        shifted = above.with_values({n: Sum.symbol(n) + 1 for n in above.names})
        return {
            (1 if factor > 0 else -1) * (2 if monomial == ONE else 1)
            for monomial, factor in shifted.terms.items()
        }


def _sum(value: Sum | int) -> Sum:
    return value if isinstance(value, Sum) else Sum.number(value)


def _product(one: Monomial, other: Monomial) -> Monomial:
    if not one or not other:
        return one or other
    powers = dict(one)
    for name, power in other:
        powers[name] = powers.get(name, 0) + power
    return tuple(sorted([(name, power) for name, power in powers.items() if power]))


def solved_for(difference: Sum) -> list[tuple[str, Sum]]:
    """Solve difference = 0 for each symbol in which it is linear: those of one term, or else all."""
    above, _ = difference.over()
    found: list[tuple[str, Sum, Sum]] = []
    for name in above.names:
        slope = Sum.of([(m, f) for m, f in above.terms.items() if dict(m).get(name, 0)])
        if {dict(m)[name] for m in slope.terms} == {1}:
            found.append((name, above - slope, slope / Sum.symbol(name)))
    single = [one for one in found if len(one[2].terms) == 1]
    return [(name, -rest / slope) for name, rest, slope in single or found]


def text(value: Sum) -> str:
    """Write a sum: symbols in the order of their names, highest powers first.

    >>> n, h = Sum.symbol("n"), Sum.symbol("|heads|")
    >>> text(1 - h + 2 * n), text(n / (2 * h)), text(n / h - 1)
    ('2 n - |heads| + 1', 'n/(2 |heads|)', 'n/|heads| - 1')
    """
    found = {name for monomial in value.terms for name, _ in monomial}
    names = sorted(found, key=lambda name: (isinstance(name, Bracket), name))
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
    bare = " " not in under or under.find(")") == len(under) - 1
    return f"({text(above)})/{under if bare else f'({under})'}"


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
