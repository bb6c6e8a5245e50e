"""A contraction of unrolled windows is a convolution."""

from __future__ import annotations

from typing import Any

from namedtensor.primitives import Call, Node, Type, primitive
from namedtensor.primitives.node import apply_node


def convolution(node: Node) -> Node | None:
    """W @ (chans, kernel) @ unroll[seq, kernel](X) + b: one axis of X is unrolled."""
    parts = list(node.operands) if node.name == "add" else [node]
    for product in parts:
        bias = [p for p in parts if p is not product]
        found = _match(product, bias)
        if found is not None:
            return found
    return None


def _match(product: Node, bias: list[Node]) -> Node | None:
    if product.name != "dot" or len(product.operands) != 2:
        return None
    summed = product.operation.params[0]
    for W, windows in (product.operands, product.operands[::-1]):
        if windows.name != "unroll" or W.type.weak or windows.type.weak:
            continue
        seq, kernel = windows.operation.params
        X = windows.operands[0]
        chans = [a for a in summed if a != kernel]
        outs = [n for n in W.type.names if n not in summed]
        if kernel not in summed or seq in summed or len(chans) != 1 or len(outs) != 1:
            continue
        if (
            X.type.has(outs[0])
            or W.type.has(seq)
            or W.type.kind != "float"
            or X.type.kind != "float"
        ):
            continue
        if any(b.type.host or b.type.weak or set(b.type.names) != set(outs) for b in bias):
            continue
        return apply_node(CONV(seq, kernel, chans[0], outs[0]), (X, W, *bias))
    return None


def _conv_rule(call: Call) -> Type:
    from namedtensor.primitives import combine

    seq, kernel, chans, out = call.params
    X, W = call.types[:2]
    call.agree(chans, (0, 1))
    length = combine("add", combine("sub", X.size(seq), W.size(kernel)), 1)
    axes = [(n, length if n == seq else s) for n, s in X.without((chans,)).axes]
    return X.with_axes((*axes, (out, W.size(out))))


def _lower_conv(emit: Any, call: Any, x: Any, w: Any, *bias: Any) -> Any:
    seq, kernel, chans, out = call.params
    rest = tuple([a for a in x.axes if a not in (seq, chans)])
    moved = emit.permute(x, (*rest, chans, seq)).code
    if len(rest) != 1:
        rows = " * ".join(emit.size(x.type.size(a)) for a in rest) or "1"
        sizes = f"({rows}, {emit.size(x.type.size(chans))}, {emit.size(x.type.size(seq))})"
        moved = emit.call("reshape", moved, sizes)
    weight = emit.permute(w, (out, chans, kernel)).code
    code = emit.call("conv1d", moved, weight, *[b.code for b in bias])
    if len(rest) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, (*rest, out, seq)))
    return emit.bind(code, (*rest, out, seq), call.type, "convolved")


CONV = primitive("convolution", _conv_rule, _lower_conv)
