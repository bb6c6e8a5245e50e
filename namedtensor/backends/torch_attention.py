"""Attention whose masks and scores are functions of indices: they are computed where they are used.

`keeps(b, h, i, j)` says which keys j a query i sees, `scores(s, b, h, i, j)` changes a score. Both take
index tensors that broadcast, or single indices, so that one function serves FlexAttention (on CUDA),
blocks of queries (elsewhere), and short sequences, where the whole mask is small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from namedtensor.compilers import keep

Array = Any
Function = Callable[..., Any]

#: Up to this many scores of one head, building the mask costs less than avoiding it.
SHORT = 512 * 512
#: The most scores of all heads that a block of queries holds at once.
BLOCK = 1 << 23
#: Up to this many keys, torch's kernel for the CPU derives in float32 faster than in bfloat16.
FEW_KEYS = 256


def scaled_dot_product_attention(q: Array, k: Array, v: Array, *mask: Any, **options: Any) -> Array:
    """Attend as torch does.

    torch 2.13's graph compilers give the result the strides of q, which are wrong where the
    features of values are not as many as those of keys and q is permuted: there q is copied.
    """
    _hold_features(q)
    if torch.compiler.is_compiling():
        if q.shape[-1] != v.shape[-1]:
            q = q.contiguous()
    elif q.dtype is k.dtype is v.dtype is torch.bfloat16 and _derives_few_keys(q, k, v):
        return _in_float32(q, k, v, mask, options)
    if options.get("scale") is not None and options.get("is_causal") and not options["scale"] > 0:
        # torch's kernel for the CPU multiplies its -inf with the scale, which gives nan
        seen = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()
        return F.scaled_dot_product_attention(q, k, v, seen, **options | {"is_causal": False})
    return F.scaled_dot_product_attention(q, k, v, *mask, **options)


def _derives_few_keys(q: Array, k: Array, v: Array) -> bool:
    """Say whether gradients on a CPU will be asked of so few keys that bfloat16 costs more."""
    few = q.device.type == "cpu" and k.shape[-2] <= FEW_KEYS
    return few and torch.is_grad_enabled() and any(t.requires_grad for t in (q, k, v))


def _in_float32(q: Array, k: Array, v: Array, mask: Any, options: dict[str, Any]) -> Array:
    """Attend in float32, also under autocast; the result is bfloat16 again."""
    masks = [m.float() if m is not None and m.is_floating_point() else m for m in mask]
    if (bias := options.get("attn_mask")) is not None and bias.is_floating_point():
        options = options | {"attn_mask": bias.float()}
    with torch.autocast("cpu", enabled=False):
        out = scaled_dot_product_attention(q.float(), k.float(), v.float(), *masks, **options)
    return out.to(q.dtype)


def attend(
    q: Array,
    k: Array,
    v: Array,
    keeps: Function | None = None,
    scores: Function | None = None,
    each: str = "",
    scale: float | None = None,
    dropout_p: float = 0.0,
) -> Array:
    """Attend with a mask and scores by index; `each` names what the mask depends on, b or h."""
    _hold_features(q)
    n, m = q.shape[-2], k.shape[-2]
    if _flex_takes(q, k, v, dropout_p) and (torch.compiler.is_compiling() or n * m > SHORT):
        return _flex(q, k, v, keeps, scores, each, scale)
    block = _Block(keeps, scores, scale, dropout_p)
    if torch.compiler.is_compiling() or n * m <= SHORT or transformed(q, k, v):
        return block(q, k, v, 0, n)
    step = max(16, min(256, BLOCK // max(1, q.shape[0] * q.shape[1] * m)))
    starts = range(0, n, step)
    # a function of scores may read tensors of its own that need gradients
    if torch.is_grad_enabled() and (scores or any(t.requires_grad for t in (q, k, v))):
        # the backward pass computes a block's mask again instead of keeping every block's
        parts = [
            checkpoint(block, q[:, :, s : s + step], k, v, s, n, use_reentrant=False)
            for s in starts
        ]
        return torch.cat(parts, 2)
    # written into one tensor: results kept between blocks would scatter what the blocks free
    first = block(q[:, :, :step], k, v, 0, n)
    out = first.new_empty((*q.shape[:-1], v.shape[-1]))
    out[:, :, :step] = first
    for s in starts[1:]:
        out[:, :, s : s + step] = block(q[:, :, s : s + step], k, v, s, n)
    return out


def _hold_features(q: Array) -> None:
    """Refuse queries without features, of which torch drops the scale: 0 / sqrt(0) is nan."""
    if q.shape[-1] == 0:
        raise ValueError("no features")


def transformed(*tensors: Array) -> bool:
    """Say whether torch.func sees these tensors: it takes no checkpoints, nor numbers to skip by.

    torch has no public word for this; a test of torch.func says when this one changes.
    """
    wrapped = torch._C._functorch.is_functorch_wrapped_tensor
    return True in [wrapped(x) for x in tensors]


class _Block:
    """Attend from some queries, from `start` on, to the keys that any of them sees."""

    def __init__(
        self,
        keeps: Function | None,
        scores: Function | None,
        scale: float | None,
        dropout_p: float,
    ) -> None:
        self.keeps = keeps
        self.scores = scores
        self.scale = scale
        self.dropout_p = dropout_p

    def __call__(self, q: Array, k: Array, v: Array, start: int, n: int) -> Array:
        count = torch.arange
        at = q.device
        b = count(q.shape[0], device=at).reshape(-1, 1, 1, 1)
        h = count(q.shape[1], device=at).reshape(-1, 1, 1)
        i = count(start, start + q.shape[2], device=at).reshape(-1, 1)
        j = count(k.shape[2], device=at)
        kept = None
        if self.keeps is not None:
            kept = self.keeps(b, h, i, j)
            kept = torch.broadcast_to(kept, (*kept.shape[:-2], q.shape[2], k.shape[2]))
            if q.shape[2] < n:
                seen = _range_of(kept)
                k, v, j, kept = k[:, :, seen], v[:, :, seen], j[seen], kept[..., seen]
        if self.scores is None:
            return scaled_dot_product_attention(
                q,
                k,
                v,
                attn_mask=kept,
                scale=self.scale,
                dropout_p=self.dropout_p,
                enable_gqa=q.shape[1] != k.shape[1],
            )
        scale = q.shape[-1] ** -0.5 if self.scale is None else self.scale
        s = self.scores(_heads(q * scale, k.mT), b, h, i, j)
        return _heads(F.dropout(_weights(s, kept), self.dropout_p), v)


def _range_of(kept: Array) -> slice:
    """Find the keys between the first and the last that any query sees."""
    (seen,) = torch.nonzero(kept.reshape(-1, kept.shape[-1]).any(0), as_tuple=True)
    return slice(int(seen[0]), int(seen[-1]) + 1) if len(seen) else slice(0, 1)


def _weights(s: Array, kept: Array | None) -> Array:
    """Take the softmax of what is kept; a query that keeps nothing has no weights."""
    if kept is None:
        return torch.softmax(s, -1)
    some = kept.any(-1, keepdim=True)
    s = torch.where(kept, s, torch.where(some, -torch.inf, 0.0).to(s.dtype))
    return torch.where(some, torch.softmax(s, -1), 0.0)


def _heads(x: Array, y: Array) -> Array:
    """Multiply matrices head by head, where several heads of x may share one of y."""
    heads, owners = x.shape[1], y.shape[1]
    if heads == owners:
        return x @ y
    grouped = x.reshape(x.shape[0], owners, heads // owners, *x.shape[2:]) @ y.unsqueeze(2)
    return grouped.reshape(x.shape[0], heads, *grouped.shape[3:])


# ----------------------------------------------------------------------------- what nt.explain says


def path_by_index(
    n: int, m: int, widths: tuple[int, int], dtype: Any, device: Any, dropped: bool
) -> str:
    """Say how attention with a mask by index runs for n queries, m keys, and features so wide."""
    lacks = _flex_lacks(widths, dtype, device, dropped)
    if n * m <= SHORT:
        return f"with its mask built, since {n} x {m} scores are few"
    if lacks:
        return f"in blocks of queries, each with its part of the mask: FlexAttention takes {lacks}"
    return "by FlexAttention, which computes the mask where it is used"


def path_of_scores(widths: tuple[int, int], device: Any, dropped: bool) -> str:
    """Say why torch computes all scores at once, or nothing where its kernel does not."""
    if device.type != "cpu":
        return ""
    lacks = "no dropout" if dropped else ""
    if widths[0] != widths[1]:
        lacks = f"values as wide as keys (they are {widths[1]} and {widths[0]} wide)"
    return f"with all scores at once: on {device}, torch's kernel takes {lacks}" if lacks else ""


# -------------------------------------------------------------------------------- FlexAttention

_compiled: dict[str, Function] = {}


def _flex_takes(q: Array, k: Array, v: Array, dropout_p: float) -> bool:
    """Say whether FlexAttention has a fast kernel for these, with gradients."""
    widths = q.shape[-1], v.shape[-1]
    return (
        not _flex_lacks(widths, q.dtype, q.device, dropout_p != 0.0)
        and q.dtype == k.dtype == v.dtype
        and (torch.compiler.is_compiling() or not transformed(q, k, v))
    )


def _flex_lacks(widths: tuple[int, int], dtype: Any, device: Any, dropped: bool) -> str:
    """Say what FlexAttention would need, in words, or nothing where it has it."""
    if device.type != "cuda":
        return f"data on CUDA (they are on {device})"
    if dtype not in (torch.float16, torch.bfloat16, torch.float32):
        return f"float32, bfloat16 or float16 (they are {dtype})"
    if min(widths) < 16:
        return f"16 features or more (they are {min(widths)})"
    return "no dropout" if dropped else ""


def _flex(
    q: Array,
    k: Array,
    v: Array,
    keeps: Function | None,
    scores: Function | None,
    each: str,
    scale: float | None,
) -> Array:
    attention, block_mask = _kernel("flex_attention"), _kernel("create_block_mask")
    mask = None
    if keeps is not None:
        owners = [q.shape[i] if name in each else None for i, name in enumerate("bh")]
        mask = block_mask(keeps, *owners, q.shape[2], k.shape[2], device=q.device)
    shared = q.shape[1] != k.shape[1]
    return attention(q, k, v, scores, mask, scale=scale, enable_gqa=shared)


def _kernel(name: str) -> Function:
    """Compile a function of FlexAttention once: uncompiled, it builds the whole mask."""
    if torch.compiler.is_compiling():
        return getattr(torch.nn.attention.flex_attention, name)  # type: ignore[no-any-return]
    if name not in _compiled:
        import torch.nn.attention.flex_attention as flex

        keep(_compiled, name, torch.compile(getattr(flex, name)), most=2)
    return _compiled[name]


def index_number(i: Array) -> Array:
    """Give an index as a floating number: FlexAttention's are 32 bits wide, all others double."""
    return i.to(torch.float32 if i.dtype is torch.int32 else torch.float64)
