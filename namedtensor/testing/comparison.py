"""Equality of named tensors. The order of axes has no meaning, and so does not count.

A failure names the first record, in the order of axis names, at which the two differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from namedtensor.testing.boundary import hold_named, to_named
from namedtensor.testing.records import RecordTensor, written

#: (rtol, atol) for doubles, singles and halves, by the bytes that a real number takes.
TOLERANCES = {8: (1e-7, 1e-7), 4: (1.3e-6, 1e-5), 2: (1.6e-2, 1e-5)}


def assert_same(X: Any, Y: Any) -> None:
    """Raise AssertionError unless X and Y have one shape, one kind, and the same numbers.

    nan equals nan. X and Y are named tensors or tensors of records, over any library. Where one is a
    RecordTensor of no records, kinds are not compared.

    >>> import namedtensor as nt
    >>> assert_same(nt.tensor([[1, 2]], "seq emb"), nt.tensor([[1], [2]], "emb seq"))
    >>> assert_same(nt.tensor([1, 2], "seq"), nt.tensor([1, 3], "seq"))
    Traceback (most recent call last):
    AssertionError: X and Y differ at {seq(1)}: 2 in X and 3 in Y
      1 of 2 records differ, by 1 at most
    """
    a, b, order = aligned(X, Y)
    known = not any(isinstance(Z, RecordTensor) and not Z.entries for Z in (X, Y))
    if known and a.dtype.kind != b.dtype.kind:
        raise AssertionError(f"X holds {a.dtype} and Y {b.dtype} numbers")
    report(a, b, order, equal(a, b), "")


def assert_close(X: Any, Y: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """Raise AssertionError unless X and Y have one shape and nearly the same numbers.

        |X_r - Y_r| <= atol + rtol |Y_r|  at every record r

    nan is close to nan, inf to inf. Unless given, rtol and atol are those of the coarser dtype.

    >>> import namedtensor as nt
    >>> assert_close(nt.tensor([1.0], "seq"), nt.tensor([1.0 + 1e-12], "seq"))
    """
    a, b, order = aligned(X, Y)
    usual = TOLERANCES[min(width(X), width(Y))]
    rtol, atol = usual[0] if rtol is None else rtol, usual[1] if atol is None else atol
    a, b = wide(a), wide(b)
    near = np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    report(a, b, order, near, f" (rtol {rtol:g}, atol {atol:g})")


def aligned(X: Any, Y: Any) -> tuple[Any, Any, list[str]]:
    """Give the numbers of X and of Y as arrays, their axes sorted by name, and these names."""
    X, Y = [to_named(Z) if isinstance(Z, RecordTensor) else Z for Z in (X, Y)]
    hold_named("assert_close(X, Y)", X, Y)
    shapes = [dict(zip(Z.axes, map(int, Z.data.shape), strict=True)) for Z in (X, Y)]
    if shapes[0] != shapes[1]:
        raise AssertionError(f"X is {written(shapes[0])} and Y is {written(shapes[1])}")
    order = sorted(X.axes)
    return numbers(X, order), numbers(Y, order), order


def numbers(X: Any, order: list[str]) -> Any:
    """Read X as a numpy array, its axes in this order; float types that numpy lacks become float32."""
    data = X.data
    if hasattr(data, "detach"):
        data = data.detach().cpu().resolve_conj()
        narrow = data.dtype.is_floating_point and data.dtype.itemsize < 4
        data = (data.float() if narrow else data).numpy()
    return np.transpose(np.asarray(data), [X.axes.index(axis) for axis in order])


def width(X: Any) -> int:
    """Count the bytes of a real number of X: 8, as of a double, where X holds whole numbers."""
    if isinstance(X, RecordTensor) or X.kind not in ("float", "complex"):
        return 8
    return min(8, int(X.data.dtype.itemsize) // (2 if X.kind == "complex" else 1))


def wide(x: Any) -> Any:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def equal(a: Any, b: Any) -> Any:
    same = a == b
    return same | ((a != a) & (b != b)) if a.dtype.kind in "fc" else same


def report(a: Any, b: Any, order: list[str], agree: Any, limits: str) -> None:
    """Raise AssertionError where the two do not agree, and name the first record where they differ."""
    agree = np.asarray(agree)
    if agree.all():
        return
    first = tuple(int(i) for i in np.argwhere(~agree)[0])
    record = ", ".join(f"{axis}({i})" for axis, i in zip(order, first, strict=True))
    with np.errstate(invalid="ignore"):
        apart = np.abs(wide(np.asarray(a)) - wide(np.asarray(b)))[~agree]
    raise AssertionError(
        f"X and Y differ at {{{record}}}: {a[first]} in X and {b[first]} in Y{limits}\n"
        f"  {int((~agree).sum())} of {agree.size} records differ, by {apart.max():g} at most"
    )
