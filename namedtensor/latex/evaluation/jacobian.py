"""Derivatives of expressions, operation by operation, as expressions themselves.

    (dY/dX)_{t, s*} = d Y_t / d X_s

A derivative has the axes of what is derived, and those of X with a star. Starred axes lift through
everything that is linear, so that most rules are the operation itself on the operand's derivative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.latex.evaluation.hidden import renamed
from namedtensor.latex.evaluation.indices import Index
from namedtensor.latex.evaluation.partials import (
    LINEAR,
    POINTWISE,
    RULES,
    STEPPED,
    like_zero,
    times,
)
from namedtensor.operations.contraction import dot
from namedtensor.operations.elementwise import where
from namedtensor.operations.reductions import mean
from namedtensor.operations.reductions import sum as total
from namedtensor.operations.vectors import softmax
from namedtensor.primitives import Node, table
from namedtensor.primitives.node import describe
from namedtensor.shape import sized
from namedtensor.tensor import SymbolicTensor, apply


class UnsupportedError(NamedTensorError):
    """A formula says what it means, and we cannot compute it."""


def jacobian(Y: Any, X: Any) -> Any:
    """Give the derivative of one expression by another that it is made of."""
    stars = {axis: Index(axis).axis for axis in X.axes}
    found = _Derivation(X, stars).of(Y.node)
    axes = getattr(found, "axes", ())
    if found is None or any(star not in axes for star in stars.values()):
        zero = apply(table()["rename"](tuple(stars.items())), like_zero(X))
        found = zero * like_zero(Y) if found is None else found + zero
    taken = set(Y.axes)
    pairs = []
    for axis, star in stars.items():
        name = axis + "*"
        while name in taken:
            name += "*"
        taken.add(name)
        pairs.append((star, name))
    return renamed(found, pairs)


#: Summing the operand's derivative with weights.
WEIGHTED = frozenset(("softmax", "log_softmax", "logsumexp", "norm"))


@dataclass(frozen=True, slots=True, eq=False)
class Diagonal:
    """A derivative that is 0 but where axes and their stars have the same index.

    `stars` tells the star of each such axis; the numbers there are the coefficient's.
    """

    coefficient: Any
    stars: Mapping[str, str]


class _Derivation:
    """Derive parts of an expression by X; `stars` are the hidden names of X's axes."""

    def __init__(self, X: Any, stars: dict[str, str]) -> None:
        self.X = X
        self.stars = stars
        self.sizes = {star: X.size(sized(axis, None)) for axis, star in stars.items()}
        self.done: dict[Node, Any] = {X.node: Diagonal(1.0, stars)}

    def of(self, node: Node) -> Any:
        """Give the derivative of a node; None where it does not depend on X."""
        waiting = [node]
        while waiting:
            part = waiting[-1]
            missing = [o for o in part.operands if o not in self.done]
            if part in self.done:
                waiting.pop()
            elif missing:
                waiting += missing
            else:
                self.done[part] = self._over_axes_of(part, self._derived(part))
        return self.whole(self.done[node])

    def whole(self, found: Any) -> Any:
        """Write a diagonal out."""
        if not isinstance(found, Diagonal):
            return found
        result = found.coefficient
        for axis, star in found.stars.items():
            own, other = Index(axis, self.sizes[star]), Index(axis, self.sizes[star])
            own.axis, other.axis = axis, star
            result = times(result, where(own.counter() == other.counter(), 1, 0))
        return result

    def _over_axes_of(self, node: Node, found: Any) -> Any:
        """Give a derivative all axes of what is derived: that of X + b does not depend on b."""
        if isinstance(found, Diagonal):
            own = {*getattr(found.coefficient, "axes", ()), *found.stars}
            if set(node.type.names) <= own:
                return found
            return Diagonal(found.coefficient + like_zero(SymbolicTensor(node)), found.stars)
        if found is None or set(node.type.names) <= set(getattr(found, "axes", ())):
            return found
        return found + like_zero(SymbolicTensor(node))

    def _derived(self, node: Node) -> Any:
        parts = [self.done[o] for o in node.operands]
        stepped = node.type.kind in ("bool", "int") or node.name in STEPPED
        if stepped or all(part is None for part in parts):
            return None
        operands = [SymbolicTensor(o) for o in node.operands]
        kept = self._diagonal(node, operands, parts)
        if kept is not None:
            return kept
        parts = [self.whole(part) for part in parts]
        if node.name in LINEAR and all(p is None for p in parts[1:]):
            return apply(node.operation, parts[0], *operands[1:])
        rule = RULES.get(node.name)
        if rule is None:
            raise UnsupportedError(
                f"d {node.name}",
                f"the derivative of {node.name} is not known",
                [(describe(node), str(node.type))],
                "take it in Python, where torch knows it",
            )
        return rule(SymbolicTensor(node), node.operation.params, operands, parts)

    # ------------------------------------------------------------------------------- diagonals

    def _diagonal(self, node: Node, operands: Sequence[Any], parts: Sequence[Any]) -> Any:
        """Derive what keeps to the diagonal, or sums over it; None for all else."""
        given = [part for part in parts if part is not None]
        if not all(isinstance(p, Diagonal) and p.stars == given[0].stars for p in given):
            return None
        stars = given[0].stars
        bare: list[Any] = [None if part is None else part.coefficient for part in parts]
        params = node.operation.params
        if node.name in POINTWISE:
            return Diagonal(RULES[node.name](SymbolicTensor(node), params, operands, bare), stars)
        if node.name == "neg":
            return Diagonal(-bare[0], stars)
        if node.name == "rename":
            return _renamed(bare[0], stars, dict(params[0]))
        if node.name in ("sum", "mean"):
            reduce = total if node.name == "sum" else mean
            return self._summed(reduce, params[0], bare[0], stars)
        if node.name == "dot" and len(parts) == 2 and len(given) == 1:
            first = parts[0] is not None
            coefficient, other = (bare[0], operands[1]) if first else (bare[1], operands[0])
            return _contracted(coefficient, other, params[0], stars)
        if node.name in WEIGHTED:
            return self._weighted(node, operands[0], bare[0], stars)
        return None

    def _weighted(self, node: Node, x: Any, coefficient: Any, stars: Mapping[str, str]) -> Any:
        """Derive what sums the operand's derivative with weights: softmax and its kin, and norms."""
        (axes,) = node.operation.params
        y = SymbolicTensor(node)
        over = tuple([sized(a, None) for a in axes])
        if node.name == "norm":
            weighted = times(x / y, coefficient)
        else:
            weighted = times(y if node.name == "softmax" else softmax[over](x), coefficient)
        summed = self._summed(total, axes, weighted, stars)
        if node.name in ("norm", "logsumexp"):
            return summed
        if node.name == "log_softmax":
            return self.whole(Diagonal(coefficient, stars)) - self.whole(summed)
        return self.whole(Diagonal(weighted, stars)) - y * self.whole(summed)

    def _summed(
        self, reduce: Any, axes: Sequence[str], coefficient: Any, stars: Mapping[str, str]
    ) -> Diagonal:
        """Sum a diagonal over an axis that it stands on: the star takes the axis's place."""
        rest = tuple([sized(a, None) for a in axes if a not in stars])
        found = reduce[rest](coefficient) if rest else coefficient
        for axis in axes:
            if axis in stars and reduce is mean:
                found = found / self.sizes[stars[axis]]
        return Diagonal(_starred(found, axes, stars), _without(stars, axes))


def _without(stars: Mapping[str, str], axes: Sequence[str]) -> Mapping[str, str]:
    return {axis: star for axis, star in stars.items() if axis not in axes}


def _starred(found: Any, axes: Sequence[str], stars: Mapping[str, str]) -> Any:
    return _with_names(found, {a: stars[a] for a in axes if a in stars})


def _with_names(found: Any, names: Mapping[str, str]) -> Any:
    pairs = tuple([(a, names[a]) for a in getattr(found, "axes", ()) if a in names])
    return apply(table()["rename"](pairs), found) if pairs else found


def _renamed(coefficient: Any, stars: Mapping[str, str], names: Mapping[str, str]) -> Diagonal:
    moved = {names.get(axis, axis): star for axis, star in stars.items()}
    return Diagonal(_with_names(coefficient, names), moved)


def _contracted(
    coefficient: Any, other: Any, axes: Sequence[str], stars: Mapping[str, str]
) -> Diagonal:
    """Contract a diagonal: W ._ax X, derived by X, is W with its axis ax renamed to ax*."""
    rest = tuple([sized(a, None) for a in axes if a not in stars])
    found = dot[rest](coefficient, other) if rest else times(coefficient, other)
    return Diagonal(_starred(found, axes, stars), _without(stars, axes))
