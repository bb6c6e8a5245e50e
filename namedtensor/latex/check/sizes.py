"""Sizes as symbols: whether n - |kernel| + 1 and n can be equal.

A size is a whole number of 1 or more. What a document says about sizes, |key| = |layer|/|heads|, is
taken as given; sympy does the algebra, and is loaded when the first two symbols are compared.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from namedtensor.operations.elementwise import NEG, POW, SQRT, SQUARE
from namedtensor.primitives import Node
from namedtensor.primitives.node import NUMBER, SIZE
from namedtensor.primitives.sizes import OPERATORS

#: Sizes with more operations than this are left uncompared.
LARGEST = 60


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of two sizes: `equal`, `never` equal, equal only `where` something holds, or `open`."""

    verdict: str
    where: str = ""


EQUAL = Comparison("equal")
NEVER = Comparison("never")
OPEN = Comparison("open")


class Facts:
    """What a document says about its sizes.

    >>> from namedtensor.primitives.node import size_of
    >>> n, m = size_of("n", "n", 0), size_of("m", "m", 0)
    >>> Facts().compare(n, m)
    Comparison(verdict='where', where='m = n')
    >>> Facts([(n, m)]).compare(n, m)
    Comparison(verdict='equal', where='')
    """

    def __init__(self, equations: Sequence[tuple[Any, Any]] = ()) -> None:
        self.solved: dict[Any, Any] = {}
        self.impossible: list[tuple[Any, Any]] = []
        for left, right in equations:
            if not self.learn(left, right):
                self.impossible.append((left, right))

    def learn(self, left: Any, right: Any) -> bool:
        """Take an equation for given; False where it cannot hold."""
        a, b = algebra(left), algebra(right)
        if a is None or b is None:
            return True
        difference = self.reduced(a - b)
        if _definite(difference):
            return False
        target = _lone_symbol(difference)
        if target is not None:
            symbol, value = target
            self.solved = {s: v.subs(symbol, value) for s, v in self.solved.items()}
            self.solved[symbol] = value
        return True

    def compare(self, left: Any, right: Any) -> Comparison:
        """Compare two sizes: numbers, host expressions, or None where nothing is known."""
        if isinstance(left, int) and isinstance(right, int):
            return EQUAL if left == right else NEVER
        if left is right:
            return EQUAL
        a, b = algebra(left), algebra(right)
        if a is None or b is None:
            return OPEN
        difference = self.reduced(a - b)
        if difference == 0:
            return EQUAL
        if _definite(difference):
            return NEVER
        if _unrelated(self.reduced(a), self.reduced(b)):
            return OPEN
        return Comparison("where", condition(difference))

    def reduced(self, expression: Any) -> Any:
        """Give an expression after all that is known."""
        import sympy

        for _ in range(len(self.solved) + 1):
            replaced = expression.subs(self.solved)
            if replaced == expression:
                break
            expression = replaced
        return sympy.cancel(sympy.together(expression))


def algebra(size: Any) -> Any:
    """Give a size to sympy; None where it holds something that is no algebra."""
    import sympy

    if isinstance(size, bool) or size is None:
        return None
    if isinstance(size, int):
        return sympy.Integer(size)
    if isinstance(size, float):
        return sympy.Integer(int(size)) if size.is_integer() else None
    node = getattr(size, "node", size)
    if not isinstance(node, Node) or _count(node, LARGEST) <= 0:
        return None
    return _algebra(node)


def _count(node: Node, left: int) -> int:
    for operand in node.operands:
        if left <= 0:
            break
        left = _count(operand, left - 1)
    return left


# a size that is divided is taken to divide
_OPERATORS = {**OPERATORS, "/": operator.truediv, "//": operator.truediv}


@lru_cache(maxsize=4096)
def _algebra(node: Node) -> Any:
    if node.operation.primitive is NUMBER:
        return algebra(node.value)
    if node.operation.primitive is SIZE:
        return symbol(str(node.operation.params[0]))
    parts = [_algebra(o) for o in node.operands]
    if any(p is None for p in parts):
        return None
    operation, first = node.operation, parts[0]
    if operation is POW:
        small = parts[1].is_Integer and abs(int(parts[1])) <= 8
        return first ** parts[1] if small else None
    if operation is NEG:
        return -first
    if operation is SQRT:
        return first ** (algebra(1) / 2)
    if operation is SQUARE:
        return first * first
    combined = _OPERATORS.get(operation.primitive.traits.symbol)
    if combined is None or (combined is operator.truediv and parts[1] == 0):
        return None
    return combined(*parts)


@lru_cache(maxsize=4096)
def symbol(name: str) -> Any:
    """Give the symbol of a size: a whole number of 1 or more."""
    import sympy

    return sympy.Symbol(name, integer=True, positive=True)


def _definite(difference: Any) -> bool:
    """Say whether a difference is never zero, its symbols being 1 or more."""
    return is_positive(difference) or is_positive(-difference)


def is_positive(expression: Any) -> bool:
    """Say whether an expression is above zero for all sizes of 1 or more."""
    return bool(_from_one(expression).is_positive)


def is_never_negative(expression: Any) -> bool:
    """Say whether an expression is zero or more for all sizes of 1 or more."""
    return bool(_from_one(expression).is_nonnegative)


def _from_one(expression: Any) -> Any:
    """Write sizes as 1 + something that is not negative, so that signs show."""
    import sympy

    shifted = expression.subs({s: _from_zero(s) + 1 for s in expression.free_symbols})
    numerator, denominator = sympy.fraction(sympy.together(shifted))
    return numerator.expand() / denominator.expand()


@lru_cache(maxsize=4096)
def _from_zero(one: Any) -> Any:
    import sympy

    return sympy.Symbol(f"{one.name} - 1", integer=True, nonnegative=True)


def _unrelated(a: Any, b: Any) -> bool:
    """Say whether one size may simply be the other's value: d_model is 512, or h d_k."""
    plain = a.is_Symbol and b.is_Symbol
    return not plain and not (a.free_symbols & b.free_symbols)


def condition(difference: Any) -> str:
    """Write where a difference is zero, for the first symbol that it can be solved for."""
    found = _lone_symbol(difference)
    if found is None:
        return f"{text(difference.as_numer_denom()[0])} = 0"
    return f"{text(found[0])} = {text(found[1])}"


def _lone_symbol(difference: Any) -> tuple[Any, Any] | None:
    """Solve a difference for a symbol in which it is linear; the plainest answer is taken."""
    import sympy

    numerator = difference.as_numer_denom()[0].expand()
    found = []
    for candidate in sorted(numerator.free_symbols, key=str):
        slope = numerator.coeff(candidate, 1)
        rest = numerator.coeff(candidate, 0)
        if slope != 0 and sympy.expand(slope * candidate + rest - numerator) == 0:
            found.append((candidate, sympy.cancel(-rest / slope)))
    return min(found, key=lambda pair: (pair[1].count_ops(), str(pair[0])), default=None)


def text(expression: Any) -> str:
    """Write algebra the way sizes are written here."""
    import sympy

    return str(sympy.sstr(expression)).replace("**", "^").replace("*", " ")
