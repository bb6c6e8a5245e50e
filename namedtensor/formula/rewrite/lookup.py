"""A contraction with one-hot vectors is a lookup; the negative log of a looked-up softmax, a loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from namedtensor.formula.rewrite.patterns import op
from namedtensor.operations.elementwise import clip, where
from namedtensor.operations.indexing import INDEX, SCATTER
from namedtensor.primitives import Call, Node, Traits, Type, primitive
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import KERNEL
from namedtensor.primitives.use import Use
from namedtensor.shape import sized
from namedtensor.tensor import apply


def lookup(node: Node) -> Node | None:
    """E @ vocab @ one_hot(I, vocab) takes rows of E; the one-hot matrix is never built."""
    if node.name != "dot" or len(node.operands) != 2 or len(node.operation.params[0]) != 1:
        return None
    (axis,) = node.operation.params[0]
    for hot, data in (node.operands, node.operands[::-1]):
        if hot.name == "one_hot" and hot.operation.params == (axis,) and not data.type.weak:
            if data.type.kind not in ("float", "complex") or data.name == "one_hot":
                return None
            return apply_node(EMBEDDING(axis), (data, hot.operands[0]))
    return None


def _embedding_rule(call: Call) -> Type:
    (axis,) = call.params
    call.need(0, [axis])
    call.kind(1, ("int",), "an index is a whole number")
    rest = call.types[0].without([axis])
    names = list(dict.fromkeys([*rest.names, *call.types[1].names]))
    axes = [(n, call.agree(n, (0, 1))) if n != axis else (n, call.types[1].size(n)) for n in names]
    return Type(tuple(axes), call.types[0].kind)


def _lower_embedding(emit: Any, call: Any, table: Any, index: Any) -> Any:
    (axis,) = call.params
    rest = tuple([a for a in table.axes if a != axis])
    plain = len(rest) == 1 and rest[0] not in index.axes and emit.backend.name == "torch"
    if not plain:
        return _indexed(emit, call, table, index, axis)
    moved = emit.permute(table, (axis, *rest))
    code = emit.call("embedding", moved, index)
    return emit.bind(code, (*index.axes, *rest), call.type, "embedded")


def _indexed(emit: Any, call: Any, table: Any, index: Any, axis: str) -> Any:
    """Take rows by an index; where it lies outside, a one-hot vector would be 0, and so is the row."""
    use = _WithParams(call, ((axis,),))
    size = emit.size(table.type.size(axis))
    if emit.backend.name == "numpy":
        code = emit.call("all_inside", index, size)
        return INDEX.lower(emit, use, table, replace(index, code=code))
    near = emit.bind(
        emit.call("clamp", index, 0, emit.infix("-", size, 1)), index.axes, index.type, "near"
    )
    found = INDEX.lower(emit, use, table, near)
    inside = emit.infix("==", emit.aligned(index, found.axes), emit.aligned(near, found.axes))
    code = emit.call("where", inside, found, 0)
    return emit.bind(code, found.axes, call.type, "embedded")


class _WithParams:
    """The same use of an operation, with the parameters of another one."""

    def __init__(self, call: Any, params: tuple[Any, ...]) -> None:
        self.node = call.node
        self.type = call.type
        self.types = call.types
        self.operation = call.operation
        self.params = params


def _scattered(use: Use, place: int, g: Any) -> Any:
    """Add the gradient up at the indices; one that lies outside was a one-hot vector of zeros."""
    (axis,) = use.params
    table, index = use.operands
    size = table.size(sized(axis, None))
    near = clip(index, 0, size - 1)
    inner = [a for a in index.axes if not table.node.type.has(a) or a == axis]
    return apply(SCATTER((*inner, axis), 1), where(near == index, g, 0.0), near, size)


EMBEDDING = primitive(
    "embedding",
    _embedding_rule,
    _lower_embedding,
    notation=KERNEL,
    traits=Traits(linear=(0,)),
    transpose=_scattered,
)


def cross_entropy(node: Node) -> Node | None:
    """-log(softmax[vocab](Z)) looked up at y, in one kernel."""
    if node.name != "embedding":
        return None
    data, index = node.operands
    sign = -1
    if data.name == "neg":
        data, sign = data.operands[0], 1
    if data.name != "log_softmax" or data.operation.params != (node.operation.params,):
        return None
    logits = data.operands[0]
    rest = {n for n in logits.type.names if n != node.operation.params[0]}
    if set(index.type.names) != rest or logits.type.kind != "float":
        return None
    loss = apply_node(CROSS_ENTROPY(*node.operation.params), (logits, index))
    return loss if sign == 1 else op("neg", loss)


def _lower_cross_entropy(emit: Any, call: Any, logits: Any, index: Any) -> Any:
    (axis,) = call.params
    rest = tuple([a for a in logits.axes if a != axis])
    rows = emit.product_of(logits.type, rest)
    size = emit.size(logits.type.size(axis))
    moved = emit.permute(logits, (*rest, axis))
    y = emit.permute(index, rest)
    if len(rest) != 1:
        moved = emit.call("reshape", moved, (rows, size))
        y = emit.call("reshape", y, (rows,))
    code = emit.call("cross_entropy", moved, y)
    if len(rest) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, rest))
    return emit.bind(code, rest, call.type, "loss")


CROSS_ENTROPY = primitive("cross_entropy", _embedding_rule, _lower_cross_entropy, notation=KERNEL)
