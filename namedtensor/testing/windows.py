"""Windows: an axis cut into overlapping or adjoining pieces (paper, section 4, convolution)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.testing.lifting import lift
from namedtensor.testing.records import Number, Record, RecordTensor, index_of, record, tabulate


def unroll(
    X: RecordTensor,
    axis: str,
    kernel: str,
    size: int,
    stride: int = 1,
    padding: int | str | tuple[int, int] = 0,
    dilation: int = 1,
    value: Number = 0.0,
) -> RecordTensor:
    """Give every window of an axis.

        unroll_{ax,kernel} : R^ax[n] -> R^{ax[n - |kernel| + 1], kernel}
        unroll(X)_{ax(i), kernel(j)} = X_{ax(i + j)}

    With a stride and a dilation, X_{ax(i stride + j dilation)}, for as many i as fit.
    """
    span = dilation * (size - 1) + 1
    X = pad(X, axis, *ends(padding, X.shape[axis], span, stride), value=value)
    count = (X.shape[axis] - span) // stride + 1
    if count < 1 or size < 1:
        raise ValueError(f"no window of {size} in an axis of {X.shape[axis]}")
    shape = {axis: count, kernel: size}

    def cut(V: RecordTensor) -> RecordTensor:
        return tabulate(
            shape,
            lambda r: V[
                record(**{axis: index_of(r, axis) * stride + index_of(r, kernel) * dilation})
            ],
        )

    return lift(cut, [X], [[axis]], shape)


def ends(padding: int | str | tuple[int, int], n: int, span: int, stride: int) -> tuple[int, int]:
    """Give how many indices to add at each end; "same" adds the fewest for ceil(n / stride) windows."""
    if isinstance(padding, tuple):
        return padding
    if isinstance(padding, int):
        return padding, padding
    wanted = len(range(0, n, stride))
    whole = next(w for w in range(span + n + 1) if w + n >= span + stride * (wanted - 1))
    return whole // 2, whole - whole // 2


def pool(
    X: RecordTensor, axis: str, kernel: str, size: int, stride: int | None = None, **how: Any
) -> RecordTensor:
    """Cut an axis into adjoining windows.

    pool_{ax,kernel} : R^ax[n] -> R^{ax[n / |kernel|], kernel}
    pool(X)_{ax(i), kernel(j)} = X_{ax(i |kernel| + j)}
    """
    if stride is not None or how:
        return unroll(X, axis, kernel, size, size if stride is None else stride, **how)
    if X.shape[axis] % size:
        raise ValueError(f"windows of {size} do not fill an axis of {X.shape[axis]}")
    shape = {axis: X.shape[axis] // size, kernel: size}

    def cut(V: RecordTensor) -> RecordTensor:
        return tabulate(
            shape, lambda r: V[record(**{axis: index_of(r, axis) * size + index_of(r, kernel)})]
        )

    return lift(cut, [X], [[axis]], shape)


def overlap_add(
    X: RecordTensor,
    axis: str,
    kernel: str,
    stride: int = 1,
    dilation: int = 1,
    padding: tuple[int, int] = (0, 0),
    size: int | None = None,
) -> RecordTensor:
    """Add up windows that begin at each index of an axis, or a stride apart.

    overlap_add_{ax,kernel} : R^{ax[m], kernel[k]} -> R^ax[m + k - 1]
    overlap_add(X)_{ax(i)} = sum_{j, l: j stride + l dilation = i + before} X_{ax(j), kernel(l)}
    """
    starts, steps = X.shape[axis], X.shape[kernel]
    least = (starts - 1) * stride + (steps - 1) * dilation + 1 - sum(padding)
    shape = {axis: least if size is None else size}

    def added(V: RecordTensor) -> RecordTensor:
        def number(r: Record) -> Number:
            i = index_of(r, axis) + padding[0]
            pairs = [
                (j, l)
                for j in range(starts)
                for l in range(steps)
                if j * stride + l * dilation == i
            ]
            return sum(V[record(**{axis: j, kernel: l})] for j, l in pairs)

        return tabulate(shape, number)

    return lift(added, [X], [[axis, kernel]], shape)


def pad(
    X: RecordTensor,
    axis: str,
    before: int,
    after: int,
    value: Number = 0.0,
    mode: str = "constant",
) -> RecordTensor:
    """Lengthen an axis at both ends, by one number or, as the mode says, by numbers of its own.

    pad(X)_{ax(i)} = X_{ax(i - before)} where X has that index, value elsewhere
    """
    size = X.shape[axis]
    shape = {axis: before + size + after}

    def longer(V: RecordTensor) -> RecordTensor:
        def number(r: Record) -> Number:
            i = index_of(r, axis) - before
            if mode != "constant":
                i = walked(i, size, mode)
            return V[record(**{axis: i})] if 0 <= i < size else value

        return tabulate(shape, number)

    return lift(longer, [X], [[axis]], shape)


def upsample(
    X: RecordTensor, axes: Sequence[str], factor: int, linear: bool = False
) -> RecordTensor:
    """Lengthen axes, one after the other.

    upsample(X)_{ax(i)} = X_{ax(floor(i / factor))};  linear: X interpolated at (i + 1/2) / factor - 1/2
    """
    for axis in axes:
        X = _longer(X, axis, factor, linear)
    return X


def _longer(X: RecordTensor, axis: str, factor: int, linear: bool) -> RecordTensor:
    size = X.shape[axis]

    def longer(V: RecordTensor) -> RecordTensor:
        def number(r: Record) -> Number:
            i = index_of(r, axis)
            if not linear:
                return V[record(**{axis: i // factor})]
            place = min(max((i + 0.5) / factor - 0.5, 0.0), size - 1.0)
            shares = [(j, 1 - abs(place - j)) for j in range(size) if abs(place - j) < 1]
            return sum(V[record(**{axis: j})] * share for j, share in shares)

        return tabulate({axis: size * factor}, number)

    return lift(longer, [X], [[axis]], {axis: size * factor})


def walked(i: int, size: int, mode: str) -> int:
    """Bring an index outside an axis back inside, as the mode of `pad` says."""
    while not 0 <= i < size:
        if mode == "edge":
            i = 0 if i < 0 else size - 1
        elif mode == "wrap":
            i += size if i < 0 else -size
        elif mode == "symmetric":
            i = -1 - i if i < 0 else 2 * size - 1 - i
        else:  # reflect; on an axis of size 1 every index becomes 0
            i = 0 if size == 1 else -i if i < 0 else 2 * size - 2 - i
    return i


WINDOWS: dict[str, Callable[..., Any]] = {
    "unroll": unroll,
    "pool": pool,
    "overlap_add": overlap_add,
    "pad": pad,
    "upsample": upsample,
}
