"""A named tensor as text: its axes and sizes before its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

UNREADABLE = "(its numbers cannot be read)"
_MOST, _EDGE = 60, 2  # numbers shown in full, and how many of each axis where there are more


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
    short = X.shape.count > _MOST
    # numpy leaves out the middle itself, and one number in the middle is enough for that
    keep = [ends(size, 2 * _EDGE + 1) if short else range(size) for _, size in X.sizes]
    data = numbers_at(X, keep)
    body = (
        UNREADABLE
        if data is None
        else np.array2string(
            data, threshold=0 if short else _MOST, edgeitems=_EDGE, **decimals(data)
        )
    )
    return f"NamedTensor({title(X)})\n{body}"


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
    for place, ((_, size), kept) in enumerate(zip(X.sizes, keep, strict=True)):
        if len(kept) < size:
            data = data[(*[slice(None)] * place, list(kept))]
    if X.layout.backend.name == "numpy":
        return data
    try:
        data = data.detach().resolve_conj().resolve_neg()
        if str(data.dtype).startswith(("torch.bfloat16", "torch.float8")):
            data = data.float()
        return data.cpu().numpy()
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
