"""A named tensor as text: its axes and sizes before its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


def text(X: Any) -> str:
    """Write a tensor: its shape and dtype, then its numbers, shortened where there are many.

    >>> import namedtensor as nt
    >>> nt.tensor([[1, 2], [3, 4]], "seq emb")
    NamedTensor(seq[2] x emb[2], int64)
    [[1 2]
     [3 4]]
    """
    backend = X.layout.backend
    data = np.asarray(numbers_of(X))
    body = np.array2string(data, threshold=60, edgeitems=2, precision=4)
    if not X.axes and backend.name == "numpy":
        return f"NamedTensor({data.item()!r})"
    dtype = str(X.dtype).removeprefix("torch.")
    place = "" if backend.name == "numpy" else f" {backend.name}"
    if backend.name != "numpy" and str(X.device) != "cpu":
        place += f" {X.device}"
    grad = ", requires_grad" if X.requires_grad else ""
    head = f"{X.shape}, {dtype}{place}{grad}" if X.axes else f"{dtype}{place}{grad}"
    return f"NamedTensor({head})\n{body}"


def numbers_of(X: Any) -> Any:
    """Give the numbers for display; dtypes that numpy lacks are shown as float32."""
    data = X.data
    if X.layout.backend.name == "torch" and str(data.dtype) in (
        "torch.bfloat16",
        "torch.float8_e4m3fn",
    ):
        data = data.float()
    return X.layout.backend.function("numpy_of")(data)
