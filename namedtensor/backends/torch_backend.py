"""The vocabulary in torch, where its own word or meaning differs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import amax as amax
from torch import amin as amin
from torch import broadcast_to as broadcast_to
from torch import cat as concat
from torch import clamp as clamp
from torch import log_softmax as log_softmax
from torch import logsumexp as logsumexp
from torch import permute as permute
from torch import reshape as reshape
from torch import select as select
from torch import softmax as softmax
from torch import stack as stack
from torch import unsqueeze as unsqueeze
from torch import where as where
from torch.compiler import is_compiling
from torch.linalg import cholesky as cholesky
from torch.linalg import det as det
from torch.linalg import inv as inv
from torch.linalg import pinv as pinv
from torch.linalg import solve as solve

from namedtensor.backends.constants import Kept
from namedtensor.backends.loops import associating, looping, refuse_dtype
from namedtensor.backends.torch_attention import attend as attend
from namedtensor.backends.torch_attention import index_number as index_number
from namedtensor.backends.torch_attention import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from namedtensor.backends.torch_attention import transformed
from namedtensor.backends.torch_cells import gru as gru
from namedtensor.backends.torch_cells import lstm as lstm
from namedtensor.backends.torch_norms import batch_norm as batch_norm
from namedtensor.backends.torch_norms import batch_norm_told as batch_norm_told
from namedtensor.backends.torch_norms import group_norm as group_norm
from namedtensor.backends.torch_norms import layer_norm as layer_norm
from namedtensor.backends.torch_norms import rms_norm as rms_norm
from namedtensor.backends.torch_random import standard_gamma
from namedtensor.errors import WHERE_NUMBERS_ARE, KindError

FALLBACK = torch

Array = Any
Dims = tuple[int, ...]


def kind_of(dtype: Any) -> str:
    if dtype is torch.bool:
        return "bool"
    if dtype.is_floating_point:
        return "float"
    return "complex" if dtype.is_complex else "int"


def device_of(x: Array) -> Any:
    return x.device


def numpy_of(x: Array) -> Any:
    try:
        return x.detach().cpu().resolve_conj().resolve_neg().numpy()
    except (TypeError, NotImplementedError):
        what = "data on the meta device" if x.device.type == "meta" else str(x.dtype)
        hint = WHERE_NUMBERS_ARE if x.is_meta else 'X.to("float32").numpy(...)'
        raise KindError("X.numpy(...)", f"numpy cannot hold {what}", hint=hint) from None


def cast(x: Array, dtype: Any) -> Array:
    return x.to(dtype)


#: Complex numbers of the precision of real ones; torch.compile reads no `dtype.to_complex()` (2.13).
_COMPLEX = {
    torch.bfloat16: torch.complex64,
    torch.float16: torch.complex32,
    torch.float32: torch.complex64,
    torch.float64: torch.complex128,
}


def floating(x: Array) -> Array:
    dtype = torch.get_default_dtype()
    return x.to(_COMPLEX[dtype] if x.dtype.is_complex else dtype)


def integer(x: Array) -> Array:
    return x.to(torch.int64)


def double(x: Array) -> Array:
    return x.to(torch.float64)


def as_complex(x: Array) -> Array:
    """Give real numbers as complex ones of the same precision."""
    return x.to(_COMPLEX.get(x.dtype, x.dtype))


def as_like(x: Array, like: Array) -> Array:
    """Give index-defined numbers the dtype and device of the data `like`."""
    if like.dtype.is_floating_point or like.dtype.is_complex:
        dtype = like.dtype
        return x.to(like.device, _COMPLEX.get(dtype, dtype) if x.dtype.is_complex else dtype)
    if x.dtype.is_floating_point:
        return x.to(like.device, torch.get_default_dtype())
    # whole numbers keep their own dtype, which holds more than a narrow one
    return x.to(like.device)


#: The least and the greatest number of each dtype of whole numbers.
LIMITS = {
    dtype: (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    for dtype in (
        *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
        *(torch.int8, torch.int16, torch.int32, torch.int64),
    )
}
ANY = (-math.inf, math.inf)
UNSIGNED = frozenset({dtype for dtype, (low, _) in LIMITS.items() if low == 0})
#: Whole numbers beyond it are not all floats.
MOST_EXACT = 1 << 53


def limits(x: Array) -> tuple[Any, Any]:
    """Give the least and the greatest number that a dtype holds."""
    if x.dtype in LIMITS:
        return LIMITS[x.dtype]
    found = torch.finfo(x.dtype)
    return found.min, found.max


def fitting(number: int, like: Array) -> int:
    """Refuse a whole number that the dtype of `like` cannot hold; torch would wrap it around."""
    low, high = LIMITS.get(like.dtype, ANY)
    if low <= number <= high:
        return number
    raise OverflowError(f"{number} is out of bounds for {like.dtype}")


def widened(x: Array, other: Array) -> Array:
    """Give x a dtype that holds a number without axes too, which torch takes for a plain number."""
    return x.to(torch.promote_types(x.dtype, other.dtype))


def signed(x: Array) -> Array:
    """Refuse to negate unsigned numbers."""
    if x.dtype in UNSIGNED:
        raise OverflowError(f"{x.dtype} holds no number below 0")
    return x


def compared(number: int, like: Array) -> Any:
    """Give a whole number that is compared with `like`, in a wider dtype where it needs one."""
    low, high = LIMITS.get(like.dtype, ANY)
    if low <= number <= high:
        return number
    return torch.full((1,) * min(like.ndim, 1), number, dtype=torch.int64, device=like.device)


def stored(x: Array, like: Array) -> Array:
    """Give a state's new value as it is kept: without its history, in the dtype of the old one."""
    return x.detach() if x.dtype is like.dtype else x.detach().to(like.dtype)


def kept(make: Callable[..., Array]) -> Kept:
    """Remember what is made of sizes alone."""
    return Kept(make, _plain, as_like, _outside_of_inference, torch.get_default_dtype)


def _plain(x: Any) -> bool:
    """Say whether this is plain data, and not a stand-in of a compiler or a transform."""
    return _direct(x) and not transformed(x)


def _direct(x: Any) -> bool:
    """Say whether operations on this data run when they are called, if only within torch.func."""
    if is_compiling():
        return False
    return type(x) is torch.Tensor or type(x) is torch.nn.Parameter


def _outside_of_inference(compute: Callable[[], Array]) -> Array:
    """Compute a tensor that training may use later."""
    if not torch.is_inference_mode_enabled():
        return compute()
    with torch.inference_mode(False):
        return compute()


#: Real numbers that all of torch's kernels take: it computes little with wide unsigned and 8-bit ones.
COMMON = frozenset(
    {
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.uint8),
        *(torch.int8, torch.int16, torch.int32, torch.int64),
    }
)


def floor_divide(x: Any, y: Any) -> Array:
    """Give x // y, whose derivative is 0; torch's own operator has none."""
    if not isinstance(x, torch.Tensor):
        x = torch.full((), x, dtype=(x + y).dtype, device=y.device)
    return torch.div(x, y, rounding_mode="floor")


def whole_power(x: Any, y: Array) -> Array:
    """Give x ** y of whole numbers; refuse powers below 0, for which torch gives 0."""
    if _plain(y) and not y.is_meta and bool((y < 0).any()):
        raise ValueError("whole numbers have no powers below 0")
    return x**y


# ------------------------------------------------------------------------------------ creation


def arange(n: int, like: Array) -> Array:
    return torch.arange(n, device=None if like is None else like.device)


def listed(numbers: list[int], like: Array) -> Array:
    return torch.tensor(numbers, dtype=torch.int64, device=None if like is None else like.device)


def full(shape: Dims, value: Any, like: Array) -> Array:
    dtype = torch.float64 if isinstance(value, float) else None
    return torch.full(shape, value, dtype=dtype, device=None if like is None else like.device)


def full_like_kind(shape: Dims, value: Any, x: Array) -> Array:
    if type(value) is int:
        value = fitting(value, x)
    return torch.full(shape, value, dtype=x.dtype, device=x.device)


def where_number(c: Array, number: Any, x: Array) -> Array:
    """Choose between a number and data that have all axes and whose kind is the result's."""
    if x.dtype in COMMON:  # it starts faster
        return torch.masked_fill(x, c, number)
    return torch.where(c, number, x)


def where_weak(c: Array, x: Any, y: Any) -> Array:
    """Choose between numbers that have no dtype yet: the widest holds them until they have."""
    wide = torch.float64 if isinstance(x, float) or isinstance(y, float) else None
    x = x if isinstance(x, torch.Tensor) else torch.full((), x, dtype=wide, device=c.device)
    y = y if isinstance(y, torch.Tensor) else torch.full((), y, dtype=wide, device=c.device)
    return torch.where(c, x, y)


# --------------------------------------------------------------------------------- elementwise

power = torch.pow
absolute = torch.abs
relu = torch.relu
silu = F.silu
gelu = F.gelu
elu = F.elu
selu = F.selu
mish = F.mish
softsign = F.softsign
logsigmoid = F.logsigmoid
relu6 = F.relu6
hardsigmoid = F.hardsigmoid
hardswish = F.hardswish


def softplus(x: Array) -> Array:
    """Compute log(1 + exp x); torch takes it for x from 20 on, where float64 still tells them apart."""
    return F.softplus(x, threshold=40)


def hardtanh(x: Array) -> Array:
    return F.hardtanh(x) if x.is_floating_point() else torch.clamp(x, -1, 1)


def sign(x: Array) -> Array:
    """Give nan for nan, where torch gives 0."""
    found = torch.sign(x)
    return torch.where(x == x, found, x) if x.is_floating_point() else found


def cbrt(x: Array) -> Array:
    return torch.sign(x) * torch.abs(x) ** (1 / 3)


def imag(x: Array) -> Array:
    # a conjugate is a view in torch, and the imaginary part of that view has no rule under vmap
    return torch.imag(torch.resolve_conj(x)) if x.is_complex() else torch.zeros_like(x)


def maximum(x: Any, y: Any) -> Array:
    if isinstance(y, torch.Tensor):
        return torch.maximum(x, y) if isinstance(x, torch.Tensor) else torch.clamp(y, min=x)
    return torch.clamp(x, min=y)


def minimum(x: Any, y: Any) -> Array:
    if isinstance(y, torch.Tensor):
        return torch.minimum(x, y) if isinstance(x, torch.Tensor) else torch.clamp(y, max=x)
    return torch.clamp(x, max=y)


def _of_number(number: Any, like: Array) -> Array:
    """Make a tensor of a number beside a tensor; a fraction stays a fraction beside whole numbers."""
    whole = isinstance(number, float) and kind_of(like.dtype) in ("bool", "int")
    dtype = torch.float64 if whole else like.dtype
    return torch.full((), number, dtype=dtype, device=like.device)


def _both(function: Any) -> Any:
    """Let a function of two tensors take a Python number on either side, and two dtypes."""

    def call(x: Any, y: Any, *settings: Any) -> Array:
        if not isinstance(x, torch.Tensor):
            x = _of_number(x, y)
        if not isinstance(y, torch.Tensor):
            y = _of_number(y, x)
        if x.dtype != y.dtype:
            wide = (x + y).dtype  # Dynamo cannot follow torch.result_type
            x, y = x.to(wide), y.to(wide)
        return function(x, y, *settings)

    return call


copysign = _both(torch.copysign)
# torch's own heaviside has no derivative
heaviside = _both(lambda x, y: torch.where(x == 0, y, 0.5 * sign(x) + 0.5))
isclose = _both(torch.isclose)
_any_leaky_relu = _both(lambda x, slope: torch.where(x > 0, x, slope * x))


def leaky_relu(x: Any, slope: Any) -> Array:
    """Scale negative numbers down; torch's kernel takes one plain number for the slope."""
    if isinstance(slope, float) and isinstance(x, torch.Tensor) and x.is_floating_point():
        return F.leaky_relu(x, slope)
    return _any_leaky_relu(x, slope)


atan2 = _both(torch.atan2)
hypot = _both(torch.hypot)
logaddexp = _both(torch.logaddexp)
addcmul = torch.addcmul


# ---------------------------------------------------------------------------------- reductions


def sum(x: Array, dims: Dims) -> Array:
    return torch.sum(x, dims)


def mean(x: Array, dims: Dims) -> Array:
    return torch.mean(x, dims)


def prod(x: Array, dims: Dims) -> Array:
    for dim in sorted(dims, reverse=True):
        x = torch.prod(x, dim)
    return x


def quantile(x: Array, q: float) -> Array:
    """Interpolate along the last axis; torch refuses halves, and tensors without numbers."""
    if x.numel() == 0:
        return x[..., 0]
    # at a number itself nothing is interpolated: 0 times an infinite distance would be nan
    between = "linear" if q * (x.shape[-1] - 1) % 1 else "lower"
    if x.dtype in (torch.float16, torch.bfloat16):
        return torch.quantile(x.float(), q, -1, interpolation=between).to(x.dtype)
    return torch.quantile(x, q, -1, interpolation=between)


def var(x: Array, dims: Dims) -> Array:
    if x.numel() == 0:  # torch warns of no degrees of freedom; the mean of nothing is nan
        return torch.mean(x, dims)
    if x.dtype in (torch.float32, torch.float64) and not x.requires_grad and x.device.type == "cpu":
        # ten times as fast as torch.var where rows are short; gradients would need more memory
        distance = x - torch.mean(x, dims, keepdim=True)
        return torch.mean(distance * distance, dims)
    return torch.var(x, dims, correction=0)


def relu_gradient(g: Array, x: Array) -> Array:
    """Hand a gradient on where x is above 0: torch.where takes ten times as long on the CPU."""
    return torch.ops.aten.threshold_backward(g, x, 0)


def std(x: Array, dims: Dims) -> Array:
    return torch.mean(x, dims) if x.numel() == 0 else torch.std(x, dims, correction=0)


def norm(x: Array, dims: Dims) -> Array:
    return torch.linalg.vector_norm(x, dim=dims)


def any(x: Array, dims: Dims) -> Array:
    return torch.any(x, dims)


def all(x: Array, dims: Dims) -> Array:
    return torch.all(x, dims)


def count(x: Array, dims: Dims) -> Array:
    return torch.count_nonzero(x, dims)


def argmax(x: Array, dim: int) -> Array:
    return torch.argmax(x, dim)


def argmin(x: Array, dim: int) -> Array:
    return torch.argmin(x, dim)


# -------------------------------------------------------------------------- functions along axes


def standardize(x: Array, dims: Dims, eps: float) -> Array:
    if x.numel() == 0:
        return x.clone()
    if x.is_complex():
        distance = x - torch.mean(x, dims, keepdim=True)
        return distance / torch.sqrt(torch.var(x, dims, correction=0, keepdim=True) + eps)
    if dims == tuple(range(x.ndim - len(dims), x.ndim)):
        return F.layer_norm(x, x.shape[x.ndim - len(dims) :], eps=eps)
    # the copy costs less than a pass over x for each of mean, variance and quotient
    order = [d for d in range(x.ndim) if d not in dims] + list(dims)
    moved = torch.permute(x, order)
    done = F.layer_norm(moved, moved.shape[x.ndim - len(dims) :], eps=eps)
    return torch.permute(done, [order.index(d) for d in range(x.ndim)])


def cumsum(x: Array, dim: int) -> Array:
    return torch.cumsum(x, dim)


def cumprod(x: Array, dim: int) -> Array:
    return torch.cumprod(x, dim)


def cummax(x: Array, dim: int) -> Array:
    return torch.cummax(x, dim).values


def cummin(x: Array, dim: int) -> Array:
    return torch.cummin(x, dim).values


def logcumsumexp(x: Array, dim: int) -> Array:
    """Add up exponentials; torch's own has no derivative where there are none."""
    return torch.logcumsumexp(x, dim) if x.numel() else x.clone()


def flip(x: Array, dims: Dims) -> Array:
    return torch.flip(x, dims)


def roll(x: Array, shift: int, dim: int) -> Array:
    return torch.roll(x, shift, dim)


def pad(x: Array, dim: int, before: int, after: int, value: Any) -> Array:
    if type(value) is int and abs(value) > MOST_EXACT:  # torch takes the value for a float
        value = torch.full((), value, dtype=x.dtype, device=x.device)
        ends = [
            torch.broadcast_to(value, (*x.shape[:dim], n, *x.shape[dim + 1 :]))
            for n in (before, after)
        ]
        return torch.cat([ends[0], x, ends[1]], dim)
    return F.pad(x, (0, 0) * (x.ndim - dim - 1) + (before, after), value=value)


# ------------------------------------------------------------------------------------ ordering


def _part(dim: int, *bounds: int | None) -> tuple[slice, ...]:
    return (slice(None),) * dim + (slice(*bounds),)


def nonzero(x: Array) -> tuple[Array, ...]:
    return torch.nonzero(x, as_tuple=True)


def sort(x: Array, dim: int, descending: bool) -> Array:
    return torch.sort(x, dim=dim, descending=descending, stable=True).values


def argsort(x: Array, dim: int, descending: bool) -> Array:
    return torch.sort(x, dim=dim, descending=descending, stable=True).indices


#: Fewer numbers are sorted sooner than the greatest of them are found and compared.
FEW = 1024


def top_indices(x: Array, k: int, dim: int, largest: bool) -> Array:
    """Give the indices of the greatest or the smallest numbers; equals keep their order."""
    if x.is_cpu and x.dtype in COMMON and _plain(x) and x.numel() > FEW:
        more = k < x.shape[dim]  # tells whether the last of k has an equal that is left out
        values, indices = torch.topk(x.detach(), k + more, dim, largest)
        before, after = values[_part(dim, None, -1)], values[_part(dim, 1, None)]
        # torch has equals in any order; nan, which equals nothing, is left to the sort too
        if bool(torch.all(before > after if largest else before < after)):
            return indices[_part(dim, None, k)]
    return torch.narrow(argsort(x, dim, largest), dim, 0, k)


def top(x: Array, k: int, dim: int, largest: bool) -> Array:
    """Give the greatest or the smallest numbers, whose gradient goes to the first of equals."""
    recorded = x.requires_grad and torch.is_grad_enabled()
    if x.is_cpu and x.dtype in COMMON and _plain(x) and not recorded:
        return torch.topk(x, k, dim, largest).values
    return torch.gather(x, dim, top_indices(x, k, dim, largest))


def take_along(x: Array, index: Array, dim: int) -> Array:
    """Index dim by an array that has the other axes of x too."""
    index = _wide(index)
    if _refuses(x):
        try:
            return torch.gather(x, dim, index)
        except RuntimeError:
            pass
    grids = [index_grid(n, x.ndim, i, x) for i, n in enumerate(index.shape)]
    grids[dim] = index
    return x[tuple(grids)]


def one_hot(index: Array, n: int) -> Array:
    if _refuses(index) and index.numel():
        try:
            return F.one_hot(_wide(index), n)
        except RuntimeError:  # an index outside has no 1
            pass
    return (index.unsqueeze(-1) == torch.arange(n, device=index.device)).to(torch.int64)


# ------------------------------------------------------------------------------------ indexing


def narrow(x: Array, dim: int, start: int | None, stop: int | None, step: int | None) -> Array:
    if step is not None and step < 0:
        kept = range(*slice(start, stop, step).indices(x.shape[dim]))
        return torch.index_select(
            x, dim, torch.tensor(list(kept), dtype=torch.int64, device=x.device)
        )
    return x[_part(dim, start, stop, step)]


def _refuses(x: Array) -> bool:
    """Say whether kernels that know no indices from the end refuse them: on the CPU, while nothing is traced.

    They are faster than the general one, which takes what they refuse, or says what is wrong.
    """
    return x.is_cpu and _direct(x)


def take(x: Array, index: Array, dim: int) -> Array:
    """Index axis dim by an array of any shape, whose axes come in its place, or by a number."""
    if not isinstance(index, int) and _refuses(x) and x.numel():
        try:
            if index.ndim == 1:
                return torch.index_select(x, dim, _wide(index))
            if x.ndim == 2 and dim == 0 and index.ndim and x.is_floating_point():
                return torch.embedding(x, _wide(index))
        except (RuntimeError, IndexError):
            pass
    found = x[(slice(None),) * dim + (_as_index(index),)]
    return found if isinstance(index, int) or index.ndim else found.squeeze(dim)


def from_front(index: Array, beyond: int) -> Array:
    """Move indices below 0 beyond every axis."""
    index = index.long()
    return torch.where(index < 0, index + beyond, index)


def gather(x: Array, index: Sequence[Array]) -> Array:
    """Index the first axes by arrays that broadcast against one another, and numbers."""
    for i in index:
        if isinstance(i, int) or i.dtype is not torch.int64 or not i.ndim:
            break
    else:
        return x[tuple(index)]
    found = x[tuple([_as_index(i) for i in index])]
    axes = [i.ndim for i in index if not isinstance(i, int)]
    return found.squeeze(0) if axes and not [count for count in axes if count] else found


def detach(x: Array) -> Array:
    """Give the same numbers outside the gradient's record."""
    return x.detach()


def _wide(index: Array) -> Array:
    """Give an index the dtype that all kernels take; whole numbers of 8 bits would be masks to torch."""
    return index if index.dtype is torch.int64 else index.long()


def _as_index(index: Any) -> Any:
    if isinstance(index, int):
        return index
    return _wide(index) if index.ndim else _with_an_axis(index)


def _with_an_axis(index: Array) -> Array:
    """Give one index an axis: a compiler takes it for a number, which it cannot know.

    Whole numbers of 8 bits would be masks to torch.
    """
    index = index.long()
    return index if index.ndim else index.reshape(1)


def set_at(x: Array, index: Any, value: Array) -> Array:
    x = x.clone()
    index = tuple([_with_an_axis(i) if isinstance(i, torch.Tensor) else i for i in index])
    x[index] = value.to(x.dtype) if isinstance(value, torch.Tensor) else value
    return x


def _with_part(
    x: Array, places: Sequence[tuple[int, Any]], made: Callable[[Array], Array]
) -> Array:
    """Give x with another part, made of the one that is there; the last dim comes first among the places."""
    if not places:
        return made(x)
    (dim, at), *rest = places
    if isinstance(at, tuple):
        start, stop, _ = ends = slice(*at).indices(x.shape[dim])
        part = x[_part(dim, *ends)]
        stop = max(start, stop)
        return torch.slice_scatter(x, _with_part(part, rest, made), dim, start, stop, ends[2])
    part = torch.select(x, dim, at)
    return torch.select_scatter(x, _with_part(part, rest, made), dim, at)


def _copied(x: Array, places: Sequence[tuple[int, Any]]) -> tuple[Array, Array]:
    """Give a copy of x, and a view of its part."""
    x = part = x.clone()
    for dim, at in places:
        part = part[_part(dim, *at)] if isinstance(at, tuple) else torch.select(part, dim, at)
    return x, part


def set_part(x: Array, places: Sequence[tuple[int, Any]], value: Any) -> Array:
    """Give x with a value at a part: an index, or the ends and the step of a range, for some dims."""
    if isinstance(value, torch.Tensor):
        value = value.to(x.dtype)
        return _with_part(x, places, lambda part: torch.broadcast_to(value, part.shape))
    x, part = _copied(x, places)
    part.fill_(value)
    return x


def add_part(x: Array, places: Sequence[tuple[int, Any]], value: Any) -> Array:
    """Give x with a value added at a part."""
    if isinstance(value, torch.Tensor):
        return _with_part(x, places, lambda part: (part + value).to(x.dtype))
    x, part = _copied(x, places)
    if x.dtype in COMMON or not x.is_floating_point():
        part.add_(value)
    else:
        part.copy_(part.float() + value)
    return x


def _places(x: Array, index: Any, value: Any) -> tuple[Array, Array]:
    """Give the places in memory order that an index means, and the value for each of them."""
    index = tuple([_with_an_axis(i) if isinstance(i, torch.Tensor) else i for i in index])
    places = torch.arange(x.numel(), device=x.device).reshape(x.shape)[index]
    value = torch.as_tensor(value, dtype=x.dtype, device=x.device)
    return places.reshape(-1), torch.broadcast_to(value, places.shape).reshape(-1)


def add_at(x: Array, index: Any, value: Array) -> Array:
    index = tuple([_with_an_axis(torch.as_tensor(i, device=x.device)) for i in index])
    value = torch.as_tensor(value, dtype=x.dtype, device=x.device)
    return x.index_put(index, value, accumulate=True)


def add_along(y: Array, index: Array, shape: Dims, dim: int) -> Array:
    """Add y up in zeros of a shape: along dim at an index that has the axes up to it, elsewhere in place."""
    index, zeros = _wide(index), y.new_zeros(shape)
    if _refuses(y) and y.numel():
        try:
            if dim == 0:
                return zeros.index_add(0, index, y)
            if y.ndim == index.ndim:
                return zeros.scatter_add(dim, index, y)
        except (RuntimeError, IndexError):
            pass
    grids = [index_grid(shape[i], index.ndim, i, y) for i in range(dim)]
    return add_at(zeros, (*grids, index), y)


def _reduce_at(how: str) -> Callable[[Array, Any, Array], Array]:
    def reduce(x: Array, index: Any, value: Array) -> Array:
        places, values = _places(x, index, value)
        return x.reshape(-1).scatter_reduce(0, places, values, how).reshape(x.shape)

    return reduce


def multiply_at(x: Array, index: Any, value: Array) -> Array:
    """Multiply the values of one place with one another, in a number of steps logarithmic in their count.

    Not by torch's scatter_reduce, whose derivative of products is 0 in forward mode (2.13).
    """
    places, values = _places(x, index, value)
    places, order = torch.sort(places, stable=True)
    values, step = values[order], 1
    while step < len(places):
        both = torch.where(
            places[step:] == places[:-step], values[step:] * values[:-step], values[step:]
        )
        values, step = torch.cat([values[:step], both]), 2 * step
    last = torch.cat([places[1:] != places[:-1], torch.ones_like(places[:1], dtype=torch.bool)])
    flat = x.reshape(-1)
    factors = torch.where(last, values * flat[places], torch.zeros_like(values))
    written = torch.zeros_like(flat).index_add(0, places, factors)
    touched = torch.zeros_like(flat, dtype=torch.bool).index_fill(0, places, True)
    return torch.where(touched, written, flat).reshape(x.shape)


min_at = _reduce_at("amin")
max_at = _reduce_at("amax")


def _at_dim(
    fast: Callable[..., Array], general: Callable[[Array, Any, Array], Array]
) -> Callable[[Array, int, Array, Any], Array]:
    def write(x: Array, dim: int, index: Array, value: Any) -> Array:
        shape = (*x.shape[:dim], len(index), *x.shape[dim + 1 :])
        value = torch.as_tensor(value, dtype=x.dtype, device=x.device).broadcast_to(shape)
        if _refuses(x) and x.numel():
            try:
                return fast(x, dim, _wide(index), value)
            except (RuntimeError, IndexError):
                pass
        grids = [index_grid(n, x.ndim, i, x) for i, n in enumerate(shape)]
        grids[dim] = index.reshape([n if i == dim else 1 for i, n in enumerate(shape)])
        return general(x, tuple(grids), value)

    return write


def _reduced_along(how: str) -> Callable[..., Array]:
    def reduce(x: Array, dim: int, index: Array, value: Array) -> Array:
        places = index.reshape([-1 if i == dim else 1 for i in range(x.ndim)])
        return x.scatter_reduce(dim, places.expand(value.shape), value, how)

    return reduce


#: Write at an index of one axis, which has one axis itself.
add_at_dim = _at_dim(torch.index_add, add_at)
min_at_dim = _at_dim(_reduced_along("amin"), min_at)
max_at_dim = _at_dim(_reduced_along("amax"), max_at)


def _index_grid(n: int, dims: int, dim: int, like: Array) -> Array:
    shape = (1,) * dim + (n,) + (1,) * (dims - dim - 1)
    return torch.arange(n, device=like.device).reshape(shape)


#: Count along one of several axes, shaped to broadcast against the others.
index_grid = kept(_index_grid)


def windows(x: Array, dim: int, size: int, stride: int, dilation: int = 1) -> Array:
    if size < 1:
        raise ValueError("a window holds 1 or more")
    seen = x.unfold(dim, (size - 1) * dilation + 1, stride)
    seen = seen if dilation == 1 else seen[..., ::dilation]
    # torch 2.13 gets the gradient wrong where a compiled graph gives away a view that overlaps itself
    return seen.clone() if is_compiling() else seen


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
    x = torch.movedim(x, (dim, kernel), (-1, 0))
    steps = x.shape[0]
    if stride > 1:
        x = F.pad(x.unsqueeze(-1), (0, stride - 1)).flatten(-2)[..., : 1 - stride]
    shifts = [(j * dilation, (steps - 1 - j) * dilation) for j in range(steps)]
    total = functools.reduce(torch.add, [F.pad(x[j], shifts[j]) for j in range(steps)])
    if size is not None:
        beyond = before + size - total.shape[-1]
        total = F.pad(total, (0, max(beyond, 0)))[..., before : before + size]
    return torch.movedim(total, -1, dim - (kernel < dim))


def upsample(x: Array, dims: Dims, factor: int, linear: bool) -> Array:
    """Repeat, or interpolate between, up to three dims at once."""
    if factor < 1:
        raise ValueError(f"a factor of {factor}")
    if not x.is_floating_point() or x.numel() == 0 or factor == 1:
        for dim in dims:
            x = torch.repeat_interleave(x, factor, dim)
        return x
    while dims:
        some, dims = tuple(dims[:3]), dims[3:]
        ends = tuple(range(-len(some), 0))
        moved = torch.movedim(x, some, ends)
        sizes = [n * factor for n in moved.shape[ends[0] :]]
        mode = ("linear", "bilinear", "trilinear")[len(some) - 1] if linear else "nearest"
        rows = moved.reshape(1, -1, *moved.shape[ends[0] :])
        found = F.interpolate(rows, size=sizes, mode=mode)
        x = torch.movedim(found.reshape(*moved.shape[: ends[0]], *sizes), ends, some)
    return x


# ----------------------------------------------------------------------------------- recurrence


def carried(before: Array, after: Array) -> Array:
    """Give the next carry of a loop the dtype that it has under autocast, where dtypes come and go."""
    if before.dtype == after.dtype:
        return after
    if torch.is_autocast_enabled(before.device.type):
        return after.to(before.dtype)
    whole = before.dtype in LIMITS and after.dtype in (*LIMITS, torch.bool)
    if whole and torch.promote_types(before.dtype, after.dtype) is before.dtype:
        return after.to(before.dtype)  # whole numbers of a narrower dtype
    raise refuse_dtype(before, after)


def stacked(values: Sequence[Array], shape: Dims, zero: Any, like: Array) -> Array:
    """Stack the values of a loop; none make an empty array of this shape."""
    if values:
        return torch.stack(tuple(values))
    same = like is not None and kind_of(like.dtype) == type(zero).__name__
    dtype = like.dtype if same else None
    return torch.full((0, *shape), zero, dtype=dtype, device=None if like is None else like.device)


def _weave(even: Array, odd: Array) -> Array:
    both = torch.stack((even[: odd.shape[0]], odd), 1).flatten(0, 1)
    return both if even.shape[0] == odd.shape[0] else torch.cat((both, even[-1:]))


loop = looping(carried)
associate = associating(
    lambda parts: concat(tuple(parts), 0), _weave, lambda x: torch.flip(x, (0,))
)


# ------------------------------------------------------------------------------------ matrices

# for few rows, the copy of w costs more than it saves; small matrices cost more one by one than copied.
# The gradient of x sums over the matrices, which with many rows costs more than the copy.
MOST_ROWS = 512
MOST_ROWS_RECORDED = 128
LEAST_MATRIX = 1024


def matmul_each(x: Array, w: Array) -> Array:
    """Multiply rows with several matrices: lead x rows x i, each x i x j -> lead x each x rows x j.

    One product with all of w side by side needs w copied; a product for each does not.
    """
    each, i, j = w.shape
    *lead, rows, _ = x.shape
    flat = torch.flatten(x, 0, -2) if lead else x
    # a compiler is not asked: it would make one graph for few rows and one for many
    if not is_compiling() and i * j >= LEAST_MATRIX:
        most = MOST_ROWS_RECORDED if torch.is_grad_enabled() else MOST_ROWS
        if flat.shape[0] <= most:
            product = torch.bmm(flat.expand(each, -1, -1), w)
            return product.view(each, *lead, rows, j).movedim(0, -3) if lead else product
    side_by_side = torch.reshape(torch.transpose(w, 0, 1), (i, each * j))
    return torch.transpose((flat @ side_by_side).view(*lead, rows, each, j), -3, -2)


eigvals_symmetric = torch.linalg.eigvalsh
singular_values = torch.linalg.svdvals


def eigh(x: Array) -> Array:
    """Give eigenvalues as a row above the eigenvectors."""
    values, vectors = torch.linalg.eigh(x)
    return torch.cat([values.unsqueeze(-2), vectors], -2)


def eig(x: Array) -> Array:
    """Give eigenvalues as a row above the eigenvectors, complex whatever they are."""
    values, vectors = torch.linalg.eig(x)
    return torch.cat([values.unsqueeze(-2), vectors], -2)


def svd(x: Array) -> Array:
    """Give singular values as a row above the vectors of the rows and those of the columns."""
    U, S, V = torch.linalg.svd(x, full_matrices=False)
    return torch.cat([S.unsqueeze(-2), U, V.mT], -2)


def qr(x: Array) -> Array:
    """Give the orthogonal columns above the transposed triangle."""
    Q, R = torch.linalg.qr(x)
    return torch.cat([Q, R.mT], -2)


def matrix_exp(x: Array) -> Array:
    return torch.linalg.matrix_exp(x.contiguous())


def solve_triangular(a: Array, b: Array, upper: bool) -> Array:
    return torch.linalg.solve_triangular(a, b, upper=upper)


def slogdet(x: Array) -> Array:
    return torch.linalg.slogdet(x).logabsdet


def diagonal(x: Array, a: int, b: int) -> Array:
    return torch.diagonal(x, 0, a, b)


# -------------------------------------------------------------------------------------- random


def generator_of(generator: Any, device: Any) -> Any:
    if generator is not None and not isinstance(generator, torch.Generator):
        raise TypeError("its generators are like torch.Generator()")
    return generator


def dtype_of(dtype: Any) -> Any:
    """Accept torch's dtypes, and for them names, numpy's and Python's."""
    if dtype is None or isinstance(dtype, torch.dtype):
        return dtype
    words = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}
    name = words.get(dtype) or getattr(dtype, "name", getattr(dtype, "__name__", dtype))
    found = getattr(torch, str(name).removeprefix("torch."), None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"it has no dtype {dtype}")
    return found


def create(shape: Dims, value: Any, dtype: Any, device: Any) -> Array:
    if dtype is None and not isinstance(value, (bool, complex)):
        dtype = torch.get_default_dtype()
    return torch.full(shape, value, dtype=dtype, device=device)


def random_normal(shape: Dims, generator: Any, dtype: Any, device: Any) -> Array:
    return torch.randn(shape, generator=generator, dtype=dtype, device=device)


def random_uniform(shape: Dims, generator: Any, dtype: Any, device: Any) -> Array:
    return torch.rand(shape, generator=generator, dtype=dtype, device=device)


def random_integers(
    shape: Dims, low: int, high: int, generator: Any, dtype: Any, device: Any
) -> Array:
    return torch.randint(low, high, shape, generator=generator, dtype=dtype, device=device)


def random_gamma(shape: Dims, a: float, generator: Any, dtype: Any, device: Any) -> Array:
    alpha = torch.full(shape, a, dtype=dtype or torch.get_default_dtype(), device=device)
    return standard_gamma(alpha, generator)


def random_beta(shape: Dims, a: float, b: float, generator: Any, dtype: Any, device: Any) -> Array:
    """Give the share of one of two gammas."""
    x, y = [random_gamma(shape, c, generator, torch.float64, device) for c in (a, b)]
    return (x / (x + y)).to(dtype or torch.get_default_dtype())


def random_poisson(shape: Dims, rate: float, generator: Any, dtype: Any, device: Any) -> Array:
    if dtype is not None and (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"whole numbers do not fit into {dtype}")
    rates = torch.full(shape, rate, dtype=torch.float64, device=device)
    return torch.poisson(rates, generator=generator).to(dtype or torch.int64)


def categorical(p: Array, generator: Any) -> Array:
    """Draw one index along the last axis, with probabilities proportional to p."""
    flat = p.reshape(-1, p.shape[-1])
    source = generator_of(generator, p.device)
    return torch.multinomial(flat, 1, generator=source).reshape(p.shape[:-1])


def dropout(x: Array, p: float, generator: Any) -> Array:
    if generator is None:
        return F.dropout(x, p)
    keep = torch.rand(x.shape, generator=generator, device=x.device) >= p
    return torch.where(keep, x / (1.0 - p) if p < 1 else 0 * x, math.copysign(0.0, 1.0))


def squeeze_last(x: Array) -> Array:
    return torch.squeeze(x, -1)


def rearrange(x: Array, pattern: str, **sizes: int) -> Array:
    import einops

    return einops.rearrange(x, pattern, **sizes)


def as_array(x: Any) -> Array:
    return x


# ------------------------------------------------------------------------------- fused kernels

linear = F.linear


def _even(
    x: Array, padding: Sequence[Any], value: float, most: Sequence[int] | None = None
) -> tuple[Array, tuple[int, ...]]:
    """Pad where torch's kernels cannot: different padding at both ends, or more than they take."""
    pairs = [p if isinstance(p, tuple) else (p, p) for p in padding]
    limits = [before for before, _ in pairs] if most is None else most
    if False not in [b == a <= m for (b, a), m in zip(pairs, limits, strict=True)]:
        return x, tuple([before for before, _ in pairs])
    flat = [width for pair in reversed(pairs) for width in pair]
    return F.pad(x, flat, value=value), (0,) * len(pairs)


def _convolved(
    kernel: Any, x: Array, w: Array, *bias: Array, padding: Sequence[Any] = (), **steps: Any
) -> Array:
    """Convolve; torch's gradient of float64 wants the weight contiguous.

    Without channels torch's convolution gives a wrong shape; what is refused runs as written.
    """
    if 0 in w.shape[:2]:
        raise IndexError("a convolution without channels")
    if padding:
        x, steps["padding"] = _even(x, padding, 0.0)
    found: Array = kernel(x, w.contiguous(), *bias, **steps)
    return found


conv1d = functools.partial(_convolved, F.conv1d)
conv2d = functools.partial(_convolved, F.conv2d)
conv3d = functools.partial(_convolved, F.conv3d)


def _transposed(
    kernel: Any,
    x: Array,
    w: Array,
    *bias: Array,
    before: Sequence[int],
    size: Sequence[int],
    stride: Sequence[int] = (),
    dilation: Sequence[int] = (),
    groups: int = 1,
) -> Array:
    """Add up the windows of all records, leaving out the first `before` sums."""
    count = len(size)
    stride, dilation = stride or (1,) * count, dilation or (1,) * count
    steps = {"stride": stride, "dilation": dilation, "groups": groups}
    parts = list(zip(x.shape[-count:], w.shape[-count:], stride, dilation, strict=True))
    if 0 in x.shape[-count:] or x.shape[-count - 1] == 0:
        raise IndexError("a convolution of nothing")
    whole = [(m - 1) * s + (k - 1) * d + 1 for m, k, s, d in parts]
    more = [n + 2 * b - w for n, b, w in zip(size, before, whole, strict=True)]
    found: Array
    ends = zip(more, stride, dilation, strict=True)
    if False not in [0 <= o < s or 0 <= o < d for o, s, d in ends]:
        found = kernel(x, w, *bias, padding=tuple(before), output_padding=tuple(more), **steps)
        return found
    found = kernel(x, w, **steps)
    for i, (n, b, full) in enumerate(zip(size, before, whole, strict=True)):
        dim = i - count
        beyond = b + n - full
        found = found if beyond <= 0 else pad(found, found.ndim + dim, 0, beyond, 0.0)
        found = found.narrow(dim, b, n)
    for b in bias:
        found = found + b.reshape(-1, *(1,) * count)
    return found


conv_transpose1d = functools.partial(_transposed, F.conv_transpose1d)
conv_transpose2d = functools.partial(_transposed, F.conv_transpose2d)
conv_transpose3d = functools.partial(_transposed, F.conv_transpose3d)


def _pooled(
    kernel: Any,
    filling: float,
    x: Array,
    size: Sequence[int],
    padding: Sequence[Any] = (),
    **steps: Any,
) -> Array:
    """Pool; torch's kernels take padding up to half a window."""
    if padding:
        x, steps["padding"] = _even(x, padding, filling, [k // 2 for k in size])
    nothing = not x.shape[0]  # torch's kernels accept an empty batch, but not zero channels
    found: Array = kernel(x[:, None] if nothing else x, size, **steps)
    return found[:, 0] if nothing else found


max_pool1d = functools.partial(_pooled, F.max_pool1d, -math.inf)
max_pool2d = functools.partial(_pooled, F.max_pool2d, -math.inf)
max_pool3d = functools.partial(_pooled, F.max_pool3d, -math.inf)
avg_pool1d = functools.partial(_pooled, F.avg_pool1d, 0.0)
avg_pool2d = functools.partial(_pooled, F.avg_pool2d, 0.0)
avg_pool3d = functools.partial(_pooled, F.avg_pool3d, 0.0)


def embedding(table: Array, index: Array) -> Array:
    """Take rows of a table; F.embedding only adds options."""
    wide = index.dtype is torch.int64 or index.dtype is torch.int32
    return torch.embedding(table, index if wide else index.long())


def cross_entropy(z: Array, y: Array) -> Array:
    return F.cross_entropy(z, y.long(), reduction="none")
