"""A contraction of unrolled windows is a convolution; the greatest number of each pool, a pooling."""

from __future__ import annotations

from typing import Any

from namedtensor.operations.reductions import MAX, MEAN
from namedtensor.primitives import Call, Node, Type, combine, primitive
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import KERNEL


def convolution(node: Node) -> Node | None:
    """W @ (chans, kernel) @ unroll[seq, kernel](X) + b: one or two axes of X are unrolled."""
    parts = list(node.operands) if node.name == "add" else [node]
    for product in parts:
        bias = [p for p in parts if p is not product]
        found = _match(product, bias)
        if found is not None:
            return found
    return None


def _seen_through(node: Node, name: str) -> tuple[Node, tuple[tuple[str, str], ...], list[Node]]:
    """Take windows apart: what is under them, their axes and kernels, and the kernels' sizes."""
    pairs: list[tuple[str, str]] = []
    sizes: list[Node] = []
    while node.name == name:
        pairs.append(node.operation.params)
        sizes.append(node.operands[1])
        node = node.operands[0]
    return node, tuple(pairs[::-1]), sizes[::-1]


def _match(product: Node, bias: list[Node]) -> Node | None:
    if product.name != "dot" or len(product.operands) != 2:
        return None
    summed = set(product.operation.params[0])
    for W, windows in (product.operands, product.operands[::-1]):
        X, pairs, _ = _seen_through(windows, "unroll")
        seqs, kernels = {a for a, _ in pairs}, {k for _, k in pairs}
        if len(pairs) not in (1, 2) or len(seqs) != len(pairs):
            continue
        chans = [a for a in product.operation.params[0] if a not in kernels]
        outs = [n for n in W.type.names if n not in summed]
        if not kernels <= summed or summed & seqs or len(chans) != 1 or len(outs) != 1:
            continue
        if X.type.has(outs[0]) or not X.type.has(chans[0]) or any(W.type.has(a) for a in seqs):
            continue
        if any(o.type.weak or o.type.kind != "float" for o in (W, X)):
            continue
        if any(b.type.host or b.type.weak or set(b.type.names) != set(outs) for b in bias):
            continue
        if any(b.type.kind != "float" for b in bias):
            continue
        return apply_node(CONV(pairs, chans[0], outs[0]), (X, W, *bias))
    return None


def _conv_rule(call: Call) -> Type:
    pairs, chans, out = call.params
    X, W = call.types[:2]
    call.agree(chans, (0, 1))
    axes = dict(X.without((chans,)).axes)
    for seq, kernel in pairs:
        axes[seq] = combine("add", combine("sub", X.size(seq), W.size(kernel)), 1)
    return X.with_axes((*axes.items(), (out, W.size(out))))


def _lower_conv(emit: Any, call: Any, x: Any, w: Any, *bias: Any) -> Any:
    pairs, chans, out = call.params
    seqs = tuple([a for a in x.axes if any(a == seq for seq, _ in pairs)])
    kernels = [dict(pairs)[a] for a in seqs]
    rest = tuple([a for a in x.axes if a not in seqs and a != chans])
    moved = _rows(emit, x, rest, (chans, *seqs))
    weight = emit.permute(w, (out, chans, *kernels))
    code = emit.call(f"conv{len(seqs)}d", moved, weight, *bias)
    if len(rest) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, (*rest, out, *seqs)))
    return emit.bind(code, (*rest, out, *seqs), call.type, "convolved")


def _rows(emit: Any, x: Any, rest: Any, own: Any) -> Any:
    """Give a value with its own axes last and all others as one."""
    moved = emit.permute(x, (*rest, *own))
    if len(rest) == 1:
        return moved
    rows = emit.product_of(x.type, rest)
    return emit.call("reshape", moved, (rows, *[emit.size(x.type.size(a)) for a in own]))


CONV = primitive("convolution", _conv_rule, _lower_conv, notation=KERNEL)


# -------------------------------------------------------------------------------------- pooling

#: The library's word for a reduction of pools.
WORDS = {MAX: "max_pool", MEAN: "avg_pool"}


def pooling(node: Node) -> Node | None:
    """max[kernel](pool[seq, kernel](X)), or mean, over one or two axes."""
    word = WORDS.get(node.operation.primitive)
    if word is None or node.operands[0].name != "pool":
        return None
    X, pairs, sizes = _seen_through(node.operands[0], "pool")
    if {k for _, k in pairs} != set(node.operation.params[0]) or len(pairs) > 2:
        return None
    if len({a for a, _ in pairs}) != len(pairs) or X.type.weak or X.type.kind != "float":
        return None
    return apply_node(POOLING(word, tuple([a for a, _ in pairs])), (X, *sizes))


def _pooling_rule(call: Call) -> Type:
    _, pooled = call.params
    axes = dict(call.types[0].axes)
    for axis, size in zip(pooled, call.values[1:], strict=True):
        axes[axis] = combine("floordiv", axes[axis], size)
    return call.types[0].with_axes(axes.items())


def _lower_pooling(emit: Any, call: Any, x: Any, *sizes: Any) -> Any:
    word, pooled = call.params
    by_axis = dict(zip(pooled, sizes, strict=True))
    own = tuple([a for a in x.axes if a in pooled])
    rest = tuple([a for a in x.axes if a not in pooled])
    kernel = tuple([by_axis[a] for a in own])
    code = emit.call(f"{word}{len(own)}d", _rows(emit, x, rest, own), kernel)
    if len(rest) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, (*rest, *own)))
    return emit.bind(code, (*rest, *own), call.type, "pooled")


POOLING = primitive("pooling", _pooling_rule, _lower_pooling, notation=KERNEL)
