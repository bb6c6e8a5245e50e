"""A named tensor as text: its axes and sizes before its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

UNREADABLE = "(its numbers cannot be read)"
TOO_MANY = "(too many numbers to lay out)"
_MOST = 60  # numbers shown in full; of more, the first and last few of each axis
_LAID_OUT = 1_000


def text(X: Any) -> str:
    """Write a tensor: its shape and dtype, then its numbers, shortened where there are many.

    >>> import namedtensor as nt
    >>> nt.tensor([[1, 2], [3, 4]], "seq emb")
    NamedTensor(seq[2] x emb[2], int64)
    [[1 2]
     [3 4]]
    """
    if not X.axes and X.layout.backend.name == "numpy":
        return f"NamedTensor({X.data.item()!r})"
    return f"NamedTensor({title(X)})\n{_body(X)}"


def _body(X: Any) -> str:
    sizes = [size for _, size in X.sizes]
    short = math.prod(sizes) > _MOST
    edge = next((e for e in (2, 1) if math.prod(min(s, 2 * e) for s in sizes) <= _LAID_OUT), 0)
    if short and not edge:
        return TOO_MANY
    # numpy leaves out the middle itself, and one number in the middle is enough for that
    data = numbers_at(X, [ends(size, 2 * edge + 1) if short else range(size) for size in sizes])
    if data is None:
        return UNREADABLE
    return np.array2string(data, threshold=0 if short else _MOST, edgeitems=edge, **decimals(data))


def title(X: Any) -> str:
    """Write what is known of a tensor before its numbers: seq[2] x emb[2], float64 torch."""
    library = X.layout.backend.name
    words = [str(X.dtype).removeprefix("torch.")]
    if library != "numpy":
        words += [library] if str(X.device) == "cpu" else [library, str(X.device)]
    parts = [str(X.shape)] if X.axes else []
    return ", ".join([*parts, " ".join(words), *(["requires_grad"] if X.requires_grad else [])])


def numbers_at(X: Any, keep: Sequence[Sequence[int]]) -> Any:
    """Give some numbers of each stored axis as a numpy array, or None where they are out of reach.

    Only these are copied from a device. Dtypes that numpy lacks come as float32.
    """
    data = X.data
    try:
        if any(len(kept) < size for kept, (_, size) in zip(keep, X.sizes, strict=True)):
            data = data[tuple([kept[0] if len(kept) == 1 else slice(None) for kept in keep])]
            data = data[np.ix_(*[kept for kept in keep if len(kept) > 1])]
            data = data.reshape([len(kept) for kept in keep])
        if str(data.dtype).startswith(("torch.bfloat16", "torch.float8")):
            data = data.float()
        return X.layout.backend.function("numpy_of")(data)
    except (RuntimeError, TypeError):  # meta, sparse, or wrapped by vmap: torch has no array
        return None


def decimals(numbers: Any) -> dict[str, Any]:
    """Choose how numpy writes numbers: exponents only where decimals would hide one."""
    size = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    return {"precision": 4, "suppress_small": not size.size or bool(size.min() >= 1e-4)}


def ends(size: int, most: int) -> Sequence[int]:
    """Give the indices of an axis to show: all of them, or the first and last of too many.

    >>> ends(3, 4), ends(100, 4)
    (range(0, 3), [0, 1, 98, 99])
    """
    first = (most + 1) // 2
    return range(size) if size <= most else [*range(first), *range(size - most + first, size)]
