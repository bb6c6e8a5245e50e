"""Contraction: multiply, then sum over the axes under the dot (paper, section 3.3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.testing.lifting import lift
from namedtensor.testing.records import RecordTensor, only, part, records, scalar, union


def dot(*operands: RecordTensor, axes: Sequence[str]) -> RecordTensor:
    """Sum the products of numbers whose records agree.

        X ._ax Y = sum_{s in rec(ax)} [X]_s [Y]_s

    Each axis must be in at least two operands; without axes this is the outer product.
    """
    for name in axes:
        if sum(name in X.shape for X in operands) < min(2, len(operands)):
            raise ValueError(f"axis {name} is contracted, and fewer than two operands have it")
    inner = [[name for name in axes if name in X.shape] for X in operands]
    summed = union(*[only(X.shape, own) for X, own in zip(operands, inner, strict=True)])

    def contract(*vectors: RecordTensor) -> RecordTensor:
        products = [math.prod(V[part(s, V.shape)] for V in vectors) for s in records(summed)]
        return scalar(sum(products))

    return lift(contract, operands, inner, {})


CONTRACTION: dict[str, Callable[..., Any]] = {"dot": dot}
