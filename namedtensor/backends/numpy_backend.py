"""The vocabulary in numpy, where its own word or meaning differs."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy import broadcast_to as broadcast_to

from namedtensor.backends.constants import Kept
from namedtensor.backends.host_backend import SELU_BEND, SELU_SCALE
from namedtensor.backends.host_backend import digamma as digamma_of_number
from namedtensor.backends.host_backend import erfinv as erfinv_of_number
from namedtensor.backends.host_backend import lgamma as lgamma_of_number
from namedtensor.backends.host_backend import polygamma as polygamma_of_number
from namedtensor.backends.loops import associating, looping, refuse_dtype

FALLBACK = np

Array = Any
Dims = tuple[int, ...]

_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}


def kind_of(dtype: Any) -> str:
    return _KINDS.get(np.dtype(dtype).kind, "object")


def device_of(x: Array) -> Any:
    return "cpu"


def numpy_of(x: Array) -> Any:
    return np.asarray(x)


def cast(x: Array, dtype: Any) -> Array:
    return np.asarray(x, dtype=dtype)


def floating(x: Array) -> Array:
    return np.asarray(x, dtype=np.complex128 if np.iscomplexobj(x) else np.float64)


def integer(x: Array) -> Array:
    return np.asarray(x, dtype=np.int64)


def double(x: Array) -> Array:
    return np.asarray(x, dtype=np.float64)


def as_like(x: Array, like: Array) -> Array:
    """Give index-defined numbers the dtype of the data `like`."""
    x = np.asarray(x)
    if like.dtype.kind == "f" and x.dtype.kind == "c":
        return x.astype(np.result_type(like.dtype, np.complex64))
    # whole numbers keep their own dtype, which holds more than a narrow one
    return x.astype(like.dtype) if like.dtype.kind in "fc" else x


def limits(x: Array) -> tuple[Any, Any]:
    """Give the least and the greatest number that a dtype holds."""
    found: Any = np.iinfo(x.dtype) if x.dtype.kind in "iu" else np.finfo(x.dtype)
    return found.min, found.max


def fitting(number: int, like: Array) -> int:
    """Refuse a whole number that the dtype of `like` cannot hold; numpy may wrap it around."""
    low, high = limits(like)
    if not low <= number <= high:
        raise OverflowError(f"{number} is out of bounds for {like.dtype}")
    return number


def widened(x: Array, other: Array) -> Array:
    """Give x a dtype that holds the whole numbers of another array too."""
    return x.astype(np.result_type(x.dtype, other.dtype), copy=False)


def signed(x: Array) -> Array:
    """Refuse to negate unsigned numbers."""
    if x.dtype.kind == "u":
        raise OverflowError(f"{x.dtype} holds no number below 0")
    return x


def stored(x: Array, like: Array) -> Array:
    """Give a state's new value in the dtype of the old one."""
    return np.asarray(x).astype(like.dtype, copy=False)


def kept(make: Callable[..., Array]) -> Kept:
    """Remember what is made of sizes alone."""
    return Kept(make, _plain, as_like, lambda compute: compute(), lambda: None)


def _plain(x: Any) -> bool:
    return type(x) is np.ndarray


def room(x: Array, other: Any) -> Array | None:
    """Give x as the array to write a result of x and another operand to, if their dtypes agree."""
    return x if getattr(other, "dtype", x.dtype) == x.dtype else None


permute = np.transpose


def unsqueeze(x: Array, dim: int) -> Array:
    return np.expand_dims(x, dim)


def reshape(x: Array, shape: Dims) -> Array:
    return np.reshape(x, shape)


# ------------------------------------------------------------------------------------ creation


def arange(n: int, like: Array) -> Array:
    return np.arange(n)


def listed(numbers: list[int], like: Array) -> Array:
    return np.array(numbers, dtype=np.int64)


def full(shape: Dims, value: Any, like: Array) -> Array:
    return np.full(shape, value)


def full_like_kind(shape: Dims, value: Any, x: Array) -> Array:
    return np.full(shape, value, dtype=x.dtype)


def where(c: Array, x: Any, y: Any) -> Array:
    return np.where(c, x, y)


where_weak = where

# --------------------------------------------------------------------------------- elementwise

power = np.power
absolute = np.abs


def _of_numbers(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """Apply a function of one number elementwise, in the dtype of the array."""
    each = np.vectorize(function, otypes=[np.float64])

    def call(x: Array) -> Array:
        x = np.asarray(x)
        return each(x).astype(np.result_type(x.dtype, np.float32)) if x.size else x * 1.0

    return call


erf = _of_numbers(math.erf)
erfc = _of_numbers(math.erfc)
erfinv = _of_numbers(erfinv_of_number)
lgamma = _of_numbers(lgamma_of_number)
digamma = _of_numbers(digamma_of_number)


def polygamma(n: int, x: Array) -> Array:
    return _of_numbers(functools.partial(polygamma_of_number, n))(x)


def rsqrt(x: Array) -> Array:
    return 1.0 / np.sqrt(x)


def logit(x: Array) -> Array:
    return np.log(x) - np.log1p(-x)


def relu(x: Array, out: Array | None = None) -> Array:
    return np.maximum(x, 0, out=out)


def relu6(x: Array) -> Array:
    return np.clip(x, 0, 6)


def hardtanh(x: Array) -> Array:
    return np.clip(x, -1, 1)


def hardsigmoid(x: Array) -> Array:
    return np.clip(x + 3, 0, 6) / 6


def hardswish(x: Array) -> Array:
    return x * hardsigmoid(x)


def softsign(x: Array) -> Array:
    return x / (1 + np.abs(x))


def leaky_relu(x: Array, slope: Any) -> Array:
    return np.where(np.asarray(x) > 0, x, slope * x)


def sigmoid(x: Array) -> Array:
    if np.iscomplexobj(x):
        return 1.0 / (1.0 + np.exp(-x))
    # the two branches never exponentiate a large positive number
    z = np.exp(-np.abs(x))
    return np.where(np.asarray(x) >= 0, 1.0, z) / (1.0 + z)


def logsigmoid(x: Array) -> Array:
    return -np.logaddexp(-x, 0)


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def mish(x: Array) -> Array:
    return x * np.tanh(softplus(x))


def gelu(x: Array) -> Array:
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))


def softplus(x: Array) -> Array:
    return np.logaddexp(x, 0)


def elu(x: Array) -> Array:
    return np.where(np.asarray(x) > 0, x, np.expm1(np.minimum(x, 0)))


def selu(x: Array) -> Array:
    return SELU_SCALE * np.where(np.asarray(x) > 0, x, SELU_BEND * np.expm1(np.minimum(x, 0)))


# ---------------------------------------------------------------------------------- reductions


def amax(x: Array, dims: Dims) -> Array:
    return np.max(x, axis=dims)


def amin(x: Array, dims: Dims) -> Array:
    return np.min(x, axis=dims)


def _adding(x: Array) -> Any:
    """Give the dtype in which numbers are summed: signed, and wider than a narrow one."""
    return np.int64 if x.dtype.kind == "u" and x.dtype.itemsize < 8 else None


def sum(x: Array, dims: Dims) -> Array:
    return np.sum(x, axis=dims, dtype=_adding(x))


def prod(x: Array, dims: Dims) -> Array:
    return np.prod(x, axis=dims, dtype=_adding(x))


def _wider(compute: Callable[..., Array]) -> Callable[..., Array]:
    """Compute in float32 what float16 cannot hold: its sums are soon infinite, it counts to 2048."""

    @functools.wraps(compute)
    def computed(x: Array, *settings: Any) -> Array:
        if x.dtype == np.float16:
            return compute(x.astype(np.float32), *settings).astype(x.dtype)
        return compute(x, *settings)

    return computed


@_wider
def mean(x: Array, dims: Dims) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sum(x, axis=dims) / np.asarray(
            math.prod([x.shape[d] for d in dims]), dtype=x.dtype
        )


def nansum(x: Array, dims: Dims) -> Array:
    return np.nansum(x, axis=dims, dtype=_adding(x))


def nanmean(x: Array, dims: Dims) -> Array:
    numbers = ~np.isnan(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nansum(x, axis=dims) / np.sum(numbers, axis=dims, dtype=x.dtype)


def quantile(x: Array, q: float) -> Array:
    """Interpolate along the last axis."""
    # at a number itself nothing is interpolated: 0 times an infinite distance would be nan
    method: Literal["linear", "lower"] = "linear" if q * (x.shape[-1] - 1) % 1 else "lower"
    with np.errstate(invalid="ignore"):
        return np.quantile(x, q, axis=-1, method=method).astype(x.dtype)


@_wider
def var(x: Array, dims: Dims) -> Array:
    return mean(_squared(x - np.expand_dims(mean(x, dims), dims)), dims)


def _squared(x: Array) -> Array:
    """Square the distance of each number from 0."""
    return (x * x.conj()).real if np.iscomplexobj(x) else x * x


@_wider
def std(x: Array, dims: Dims) -> Array:
    return np.sqrt(var(x, dims))


@_wider
def norm(x: Array, dims: Dims) -> Array:
    return np.sqrt(np.sum(_squared(x), axis=dims))


def logsumexp(x: Array, dims: Dims) -> Array:
    if math.prod([x.shape[d] for d in dims]) == 0:
        return np.full(np.sum(x, axis=dims).shape, -np.inf, dtype=x.dtype)
    high = np.max(x, axis=dims, keepdims=True)
    high = np.where(np.isfinite(high), high, 0).astype(x.dtype)
    with np.errstate(divide="ignore"):
        return np.log(np.sum(np.exp(x - high), axis=dims)) + np.squeeze(high, dims)


def any(x: Array, dims: Dims) -> Array:
    return np.any(x, axis=dims)


def all(x: Array, dims: Dims) -> Array:
    return np.all(x, axis=dims)


def count(x: Array, dims: Dims) -> Array:
    return np.count_nonzero(x, axis=dims)


def argmax(x: Array, dim: int) -> Array:
    return np.argmax(x, axis=dim)


def argmin(x: Array, dim: int) -> Array:
    return np.argmin(x, axis=dim)


# -------------------------------------------------------------------------- functions along axes


def softmax(x: Array, dim: int, out: Array | None = None) -> Array:
    if x.shape[dim] == 0:
        return np.array(x)
    high = np.max(x, axis=dim, keepdims=True)
    with np.errstate(invalid="ignore"):
        weight = np.subtract(x, high, out=out)
        weight = np.exp(weight, out=weight if weight.dtype.kind in "fc" else None)
        weight /= np.sum(weight, axis=dim, keepdims=True)
    return weight


def log_softmax(x: Array, dim: int) -> Array:
    return x - np.expand_dims(logsumexp(x, (dim,)), dim)


@_wider
def standardize(x: Array, dims: Dims, eps: float) -> Array:
    distance = x - np.expand_dims(mean(x, dims), dims)
    return distance / np.sqrt(np.expand_dims(mean(_squared(distance), dims), dims) + eps)


@_wider
def cumsum(x: Array, dim: int) -> Array:
    return np.cumsum(x, axis=dim, dtype=_adding(x))


def cumprod(x: Array, dim: int) -> Array:
    return np.cumprod(x, axis=dim, dtype=_adding(x))


def cummax(x: Array, dim: int) -> Array:
    return np.maximum.accumulate(x, axis=dim)


def cummin(x: Array, dim: int) -> Array:
    return np.minimum.accumulate(x, axis=dim)


def logcumsumexp(x: Array, dim: int) -> Array:
    return np.logaddexp.accumulate(x, axis=dim)


def flip(x: Array, dims: Dims) -> Array:
    return np.flip(x, axis=dims)


def roll(x: Array, shift: int, dim: int) -> Array:
    return np.roll(x, shift, axis=dim)


def pad(x: Array, dim: int, before: int, after: int, value: Any) -> Array:
    width = [(0, 0)] * x.ndim
    width[dim] = (before, after)
    return np.pad(x, width, constant_values=value)


# ------------------------------------------------------------------------------------ ordering


def unique(x: Array) -> Array:
    return np.unique(x, equal_nan=False)  # as torch has it: nan equals nothing


def argsort(x: Array, dim: int, descending: bool) -> Array:
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    # reversed before and after, so that equal numbers keep their order
    n = x.shape[dim]
    return np.flip((n - 1) - np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)


def sort(x: Array, dim: int, descending: bool) -> Array:
    return np.take_along_axis(x, argsort(x, dim, descending), dim)


def top_indices(x: Array, k: int, dim: int, largest: bool) -> Array:
    if k > x.shape[dim]:
        raise IndexError(k)  # an axis of size 0 beside it keeps numpy from looking
    return np.take(argsort(x, dim, largest), np.arange(k), axis=dim)


def top(x: Array, k: int, dim: int, largest: bool) -> Array:
    return take_along(x, top_indices(x, k, dim, largest), dim)


def take_along(x: Array, index: Array, dim: int) -> Array:
    """Index dim by an array that has the other axes of x too."""
    return np.take_along_axis(x, index, dim)


def one_hot(index: Array, n: int) -> Array:
    return (np.expand_dims(index, -1) == np.arange(n)).astype(np.int64)


# ------------------------------------------------------------------------------------ indexing


def select(x: Array, dim: int, index: int) -> Array:
    return x[(slice(None),) * dim + (index,)]


def narrow(x: Array, dim: int, start: int | None, stop: int | None, step: int | None) -> Array:
    return x[(slice(None),) * dim + (slice(start, stop, step),)]


def take(x: Array, index: Array, dim: int) -> Array:
    """Index axis dim by an array of any shape, whose axes come in its place."""
    return x[(slice(None),) * dim + (index,)]


def from_front(index: Array, beyond: int) -> Array:
    """Move indices below 0 beyond every axis."""
    index = np.asarray(index, dtype=np.int64)
    return np.where(index < 0, index + beyond, index)


def gather(x: Array, index: Sequence[Array]) -> Array:
    """Index the first axes by arrays that broadcast against one another."""
    return x[tuple(index)]


def _written(write: Callable[[Array, Any, Array], None]) -> Callable[[Array, Any, Array], Array]:
    """Give a copy that is written at an index."""

    def written(x: Array, index: Any, value: Array) -> Array:
        x = np.array(x)
        write(x, index, value)
        return x

    return written


def _partwise(write: Callable[[Array, Any, Array], None]) -> Callable[[Array, Any, Array], Array]:
    """Give a copy that is written at an index, or the ends and the step of a range, of some dims."""

    def written(x: Array, places: Sequence[tuple[int, Any]], value: Array) -> Array:
        found = {dim: slice(*at) if isinstance(at, tuple) else at for dim, at in places}
        x = np.array(x)
        write(x, tuple([found.get(dim, slice(None)) for dim in range(x.ndim)]), value)
        return x

    return written


def _add(x: Array, index: Any, value: Array) -> None:
    x[index] = x[index] + value


set_part = _partwise(operator.setitem)
add_part = _partwise(_add)
set_at = _written(operator.setitem)
add_at = _written(np.add.at)
multiply_at = _written(np.multiply.at)
min_at = _written(np.minimum.at)
max_at = _written(np.maximum.at)


def _at_dim(
    write: Callable[[Array, Any, Array], Array],
) -> Callable[[Array, int, Array, Any], Array]:
    return lambda x, dim, index, value: write(x, (*[slice(None)] * dim, index), value)


#: Write at an index of one axis, which has one axis itself.
add_at_dim = _at_dim(add_at)
min_at_dim = _at_dim(min_at)
max_at_dim = _at_dim(max_at)


def add_along(y: Array, index: Array, shape: Dims, dim: int) -> Array:
    """Add y up in zeros of a shape: along dim at an index that has the axes up to it, elsewhere in place."""
    grids = [index_grid(shape[i], index.ndim, i, y) for i in range(dim)]
    return add_at(np.zeros(shape, dtype=y.dtype), (*grids, index), y)


def all_inside(index: Array, n: int) -> Array:
    """Refuse indices from behind: a one-hot vector has none."""
    if index.size and (index.min() < 0 or index.max() >= n):
        raise IndexError("an index lies outside")
    return index


def index_grid(n: int, dims: int, dim: int, like: Array) -> Array:
    """Count along one of several axes, shaped to broadcast against the others."""
    return np.arange(n).reshape((1,) * dim + (n,) + (1,) * (dims - dim - 1))


def windows(x: Array, dim: int, size: int, stride: int, dilation: int = 1) -> Array:
    if size < 1:
        raise ValueError("a window holds 1 or more")
    span = (size - 1) * dilation + 1
    view = np.lib.stride_tricks.sliding_window_view(x, span, axis=dim)
    return view[
        (slice(None),) * dim + (slice(None, None, stride), ..., slice(None, None, dilation))
    ]


def overlap_add(
    x: Array,
    dim: int,
    kernel: int,
    stride: int = 1,
    dilation: int = 1,
    before: int = 0,
    after: int = 0,
    size: int | None = None,
) -> Array:
    """Add up windows, which begin at every so many indices of dim; leave out sums at both ends."""
    x = np.moveaxis(x, (dim, kernel), (-1, 0))
    steps, starts = x.shape[0], x.shape[-1]
    if not steps:
        raise ValueError("windows of nothing")
    reach = (starts - 1) * stride + 1
    total = np.zeros((*x.shape[1:-1], reach + (steps - 1) * dilation), dtype=x.dtype)
    for j in range(steps):
        total[..., j * dilation : j * dilation + reach : stride] += x[j]
    if size is not None:
        beyond = max(before + size - total.shape[-1], 0)
        total = pad(total, total.ndim - 1, 0, beyond, 0)[..., before : before + size]
    return np.moveaxis(total, -1, dim - (kernel < dim))


def upsample(x: Array, dims: Dims, factor: int, linear: bool) -> Array:
    """Repeat, or interpolate between, dim by dim."""
    if factor < 1:
        raise ValueError(f"a factor of {factor}")
    for dim in dims:
        n = x.shape[dim]
        if not linear or n == 0 or factor == 1:
            x = np.repeat(x, factor, axis=dim)
            continue
        place = np.clip((np.arange(n * factor) + 0.5) / factor - 0.5, 0, n - 1)
        low = place.astype(int)
        share = (place - low).reshape((-1,) + (1,) * (x.ndim - dim - 1)).astype(x.dtype)
        high = np.minimum(low + 1, n - 1)
        x = np.take(x, low, dim) * (1 - share) + np.take(x, high, dim) * share
    return x


# ------------------------------------------------------------------------------------- joining


def concat(parts: Sequence[Array], dim: int) -> Array:
    return np.concatenate(parts, axis=dim)


def stack(parts: Sequence[Array], dim: int) -> Array:
    return np.stack(parts, axis=dim)


# ----------------------------------------------------------------------------------- recurrence


def unbind(x: Array, dim: int) -> list[Array]:
    return list(np.moveaxis(x, dim, 0))


def carried(before: Array, after: Array) -> Array:
    if before.dtype == after.dtype:
        return after
    if before.dtype.kind in "iu" and np.result_type(before.dtype, after.dtype) == before.dtype:
        return after.astype(before.dtype)  # whole numbers of a narrower dtype
    raise refuse_dtype(before, after)


def stacked(values: Sequence[Array], shape: Dims, zero: Any, like: Array) -> Array:
    """Stack the values of a loop; none make an empty array of this shape."""
    if values:
        return np.stack(values)
    same = like is not None and kind_of(like.dtype) == type(zero).__name__
    return np.full((0, *shape), zero, like.dtype if same else None)


def _weave(even: Array, odd: Array) -> Array:
    both = np.stack((even[: len(odd)], odd), 1).reshape(2 * len(odd), *odd.shape[1:])
    return both if len(even) == len(odd) else np.concatenate((both, even[-1:]))


loop = looping(carried)
associate = associating(np.concatenate, _weave, lambda x: x[::-1])


# ------------------------------------------------------------------------------------ matrices


def matmul_each(x: Array, w: Array) -> Array:
    """Multiply rows with several matrices: lead x rows x i, each x i x j -> lead x each x rows x j."""
    each, i, j = w.shape
    *lead, rows, _ = x.shape
    product = np.matmul(np.reshape(x, (math.prod(lead) * rows, i)), w)
    return np.moveaxis(np.reshape(product, (each, *lead, rows, j)), 0, -3)


det = np.linalg.det
inv = np.linalg.inv
pinv = np.linalg.pinv
solve = np.linalg.solve
cholesky = np.linalg.cholesky
eigvals_symmetric = np.linalg.eigvalsh


def solve_triangular(a: Array, b: Array, upper: bool) -> Array:
    """Solve one row after the other; numpy has no function that reads one triangle."""
    n = a.shape[-1]
    x = np.zeros(b.shape, dtype=np.result_type(a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        for i in reversed(range(n)) if upper else range(n):
            known = slice(i + 1, n) if upper else slice(0, i)
            rest = b[..., i, :] - np.squeeze(a[..., i : i + 1, known] @ x[..., known, :], -2)
            x[..., i, :] = rest / a[..., i, i, None]
    return x


def slogdet(x: Array) -> Array:
    return np.linalg.slogdet(x)[1]


def diagonal(x: Array, a: int, b: int) -> Array:
    return np.diagonal(x, axis1=a, axis2=b)


def singular_values(x: Array) -> Array:
    return np.linalg.svd(x, compute_uv=False)


def eigh(x: Array) -> Array:
    """Give eigenvalues as a row above the eigenvectors."""
    values, vectors = np.linalg.eigh(x)
    return np.concatenate([np.expand_dims(values, -2), vectors], axis=-2)


def eig(x: Array) -> Array:
    """Give eigenvalues as a row above the eigenvectors, complex whatever they are."""
    values, vectors = np.linalg.eig(x)
    both = np.concatenate([np.expand_dims(values, -2), vectors], axis=-2)
    return both.astype(np.result_type(both.dtype, np.complex64))


def svd(x: Array) -> Array:
    """Give singular values as a row above the vectors of the rows and those of the columns."""
    U, S, V = np.linalg.svd(x, full_matrices=False)
    return np.concatenate([np.expand_dims(S, -2), U, np.swapaxes(V, -1, -2)], axis=-2)


def qr(x: Array) -> Array:
    """Give the orthogonal columns above the transposed triangle."""
    Q, R = np.linalg.qr(x)
    return np.concatenate([Q, np.swapaxes(R, -1, -2)], axis=-2)


def matrix_exp(x: Array) -> Array:
    """Scale down by 2^s, sum the Taylor series, and square s times."""
    size = float(np.max(np.abs(x), initial=0.0)) * x.shape[-1]
    squarings = max(0, math.ceil(math.log2(size)) + 4) if size > 0 else 0
    small = x / 2.0**squarings
    total = term = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    for k in range(1, 20):
        term = term @ small / k
        total = total + term
    for _ in range(squarings):
        total = total @ total
    return total


# -------------------------------------------------------------------------------------- random


def generator_of(generator: Any, device: Any) -> Any:
    if generator is not None and not isinstance(generator, np.random.Generator):
        raise TypeError("its generators are like np.random.default_rng(0)")
    return np.random.default_rng() if generator is None else generator


def dtype_of(dtype: Any) -> Any:
    if dtype is None:
        return None
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"it has no dtype {dtype}") from None
    if found.kind not in _KINDS:
        raise TypeError(f"it has no numbers of dtype {dtype}")
    return found


def create(shape: Dims, value: Any, dtype: Any, device: Any) -> Array:
    if dtype is None:
        dtype = np.complex128 if isinstance(value, complex) else np.float64
    return np.full(shape, value, dtype=dtype)


def _real(dtype: Any) -> Any:
    if dtype is not None and dtype.kind not in "fc":
        raise TypeError(f"real numbers do not fit into {dtype}")
    return dtype or np.float64


def random_normal(shape: Dims, generator: Any, dtype: Any, device: Any) -> Array:
    return generator.standard_normal(shape).astype(_real(dtype))


def random_uniform(shape: Dims, generator: Any, dtype: Any, device: Any) -> Array:
    return generator.random(shape).astype(_real(dtype))


def random_integers(
    shape: Dims, low: int, high: int, generator: Any, dtype: Any, device: Any
) -> Array:
    if dtype is not None and dtype.kind not in "iu":
        raise TypeError(f"whole numbers do not fit into {dtype}")
    return generator.integers(low, high, shape, dtype=dtype or np.int64)


def random_gamma(shape: Dims, a: float, generator: Any, dtype: Any, device: Any) -> Array:
    return generator.standard_gamma(a, shape).astype(_real(dtype))


def random_beta(shape: Dims, a: float, b: float, generator: Any, dtype: Any, device: Any) -> Array:
    return generator.beta(a, b, shape).astype(_real(dtype))


def random_poisson(shape: Dims, rate: float, generator: Any, dtype: Any, device: Any) -> Array:
    if dtype is not None and dtype.kind not in "iu":
        raise TypeError(f"whole numbers do not fit into {dtype}")
    return generator.poisson(rate, shape).astype(dtype or np.int64)


def categorical(p: Array, generator: Any) -> Array:
    """Draw one index along the last axis, with probabilities proportional to p."""
    edges = np.cumsum(p, axis=-1)
    total = edges[..., -1]
    if np.any(p < 0) or not np.all((total > 0) & np.isfinite(total)):
        raise ValueError("some probability is negative, nan or inf, or all are 0")
    draw = generator_of(generator, None).random(p.shape[:-1])[..., None] * edges[..., -1:]
    # "<=" steps over indices whose probability is zero
    return np.minimum(np.sum(edges <= draw, axis=-1), p.shape[-1] - 1)


def dropout(x: Array, p: float, generator: Any) -> Array:
    keep = generator_of(generator, None).random(x.shape) >= p
    return np.where(keep, x / (1.0 - p) if p < 1 else 0 * x, 0).astype(x.dtype)


def squeeze_last(x: Array) -> Array:
    return np.squeeze(x, -1)


def rearrange(x: Array, pattern: str, **sizes: int) -> Array:
    import einops

    return einops.rearrange(x, pattern, **sizes)


def as_array(x: Any) -> Array:
    return np.asarray(x)
