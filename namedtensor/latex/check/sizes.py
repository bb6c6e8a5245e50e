"""Compare symbolic sizes: can n - |kernel| + 1 and n be equal?

A size is a whole number of 1 or more. Equations of the document, |key| = |layer|/|heads|, are taken as
true.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from namedtensor.latex.check.algebra import Sum, as_fraction, solved_for, text
from namedtensor.latex.check.report import is_own_size, unstated
from namedtensor.operations.elementwise import NEG, POW, SQRT, SQUARE
from namedtensor.primitives import Node
from namedtensor.primitives.node import NUMBER, SIZE
from namedtensor.primitives.sizes import OPERATORS

#: Relations that say which of two sizes is larger: the sign of their difference, and the least it can be.
ORDERED = {"<": (-1, 1), "<=": (-1, 0), ">": (1, 1), ">=": (1, 0)}

#: Sizes with more operations than this are not compared.
LARGEST = 60


@dataclass(frozen=True, slots=True)
class Comparison:
    """A verdict on two sizes: `equal`, `never` equal, equal only `where` something holds, or `open`."""

    verdict: str
    where: str = ""


EQUAL = Comparison("equal")
NEVER = Comparison("never")
OPEN = Comparison("open")


class Facts:
    """The equations of a document between its sizes.

    >>> from namedtensor.primitives.node import size_of
    >>> n, m = size_of("n", "n", 0), size_of("m", "m", 0)
    >>> Facts().compare(n, m)
    Comparison(verdict='where', where='m = n')
    >>> Facts([(n, m)]).compare(n, m)
    Comparison(verdict='equal', where='')
    """

    def __init__(self, equations: Sequence[tuple[Any, Any]] = ()) -> None:
        self.solved: dict[str, Any] = {}
        self.not_negative: list[Sum] = []
        self.impossible: list[tuple[Any, Any]] = []
        for left, right in equations:
            if not self.learn(left, right):
                self.impossible.append((left, right))

    def learn(self, left: Any, right: Any, op: str = "=") -> bool:
        """Take a relation as true; return False if it is an equation that cannot hold."""
        a, b = algebra(left), algebra(right)
        if a is None or b is None:
            return True
        if op in ORDERED:
            sign, least = ORDERED[op]
            self.not_negative.append((a - b) * Sum.number(sign) - Sum.number(least))
            return True
        difference = self.reduced(a - b)
        if _definite(difference):
            return False
        target = _lone_symbol(difference)
        if target is not None:
            name, value = target
            self.solved = {s: v.with_values({name: value}) for s, v in self.solved.items()}
            self.solved[name] = value
        return True

    def is_enough(self, longer: Sum, shorter: Sum) -> bool:
        """Say whether one size is known to be no less than another."""
        more = self.reduced(longer - shorter)
        known = (Sum({}), *map(self.reduced, self.not_negative))
        return any(is_never_negative(more - least) for least in known)

    def compare(self, left: Any, right: Any) -> Comparison:
        """Compare two sizes: numbers, symbolic expressions, or None for an unknown size."""
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

    def mismatch(self, left: Any, right: Any, axis: str = "") -> tuple[str, str] | None:
        """Give the severity of a difference of two sizes, and when they are equal; None if they may be.

        A size that is only the symbol |axis| agrees with any other.
        """
        if is_own_size(axis, left) or is_own_size(axis, right):
            return None
        if unstated(left) is not None and unstated(left) == unstated(right):
            return None
        found = self.compare(left, right)
        if found.verdict not in ("never", "where"):
            return None
        only = f", right only where {found.where}" if found.where else ""
        return "error" if found.verdict == "never" else "warning", only

    def reduced(self, expression: Sum) -> Sum:
        """Simplify an expression by all known equations."""
        for _ in range(len(self.solved) + 1):
            replaced = expression.with_values(self.solved)
            if replaced == expression:
                break
            expression = replaced
        return expression if expression.over()[0].terms else Sum({})


def algebra(size: Any) -> Sum | None:
    """Turn a size into a `Sum`; None if that is not possible."""
    if isinstance(size, bool) or size is None:
        return None
    if isinstance(size, int):
        return Sum.number(size)
    if isinstance(size, float):
        return Sum.number(int(size)) if size.is_integer() else None
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


# a quotient of sizes is assumed to be whole, so // is the same as /
_OPERATORS = {**OPERATORS, "/": operator.truediv, "//": operator.truediv}


@lru_cache(maxsize=4096)
def _algebra(node: Node) -> Sum | None:
    if node.operation.primitive is NUMBER:
        return algebra(node.value)
    if node.operation.primitive is SIZE:
        return Sum.symbol(str(node.operation.params[0]))
    parts = [_algebra(o) for o in node.operands]
    if not parts or None in parts:
        return None
    operation, (first, *others) = node.operation, [part for part in parts if part is not None]
    if operation is POW:
        power = others[0].value
        small = power is not None and power.denominator == 1 and abs(power) <= 8
        return first ** int(power) if power is not None and small else None
    if operation is NEG:
        return -first
    if operation is SQRT:
        return first.root()
    if operation is SQUARE:
        return first * first
    combined = _OPERATORS.get(operation.primitive.traits.symbol)
    if combined is None or (combined is operator.truediv and not others[0].over()[0].terms):
        return None
    found: Sum = combined(first, *others)
    return found


def _definite(difference: Sum) -> bool:
    """Say whether a difference is not zero for any sizes of 1 or more."""
    return is_positive(difference) or is_positive(-difference)


def is_positive(expression: Sum) -> bool:
    """Say whether an expression is above zero for all sizes of 1 or more."""
    return {2} <= expression.signs() <= {1, 2}


def is_never_negative(expression: Sum) -> bool:
    """Say whether an expression is zero or more for all sizes of 1 or more."""
    return expression.signs() <= {1, 2}


def _unrelated(a: Sum, b: Sum) -> bool:
    """Say whether one size may be the value of the other, as d_model may be 512 or h d_k."""
    plain = all(one.names and one == Sum.symbol(one.names[0]) for one in (a, b))
    return not plain and not {*a.names} & {*b.names}


def condition(difference: Sum) -> str:
    """Write the condition for a difference to be zero, solved for a symbol if possible."""
    found = _lone_symbol(difference)
    if found is not None:
        return f"{found[0]} = {as_fraction(found[1])}"
    return f"{text(difference.over()[0])} = 0"


def _lone_symbol(difference: Sum) -> tuple[str, Sum] | None:
    """Solve a difference for a symbol in which it is linear; of several answers, give the shortest."""
    return min(solved_for(difference), key=_plainness, default=None)


def _plainness(answer: tuple[str, Sum]) -> tuple[int, bool, str]:
    """Rank an answer by its number of operations; among equals, answers for |seq| come first."""
    words = as_fraction(answer[1]).replace(" + ", "+").replace(" - ", "-")
    count = sum(words.count(sign) for sign in "+-/^ ")
    return count, not answer[0].startswith("|"), answer[0]
