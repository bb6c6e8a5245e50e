"""Contraction: multiply elementwise, then sum over the axes under the dot (paper, section 3.3).

A ._ax B = sum_ax A * B,  lifted over all other axes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from namedtensor.axes import (
    FRESH,
    either,
    lacks,
    renamed_code,
    shown,
    typed_axes,
    typed_order,
    visible,
)
from namedtensor.errors import AxisMissingError, NamedTensorError, nearest
from namedtensor.operations.axis_functions import Tensor, axis_function
from namedtensor.operations.reductions import records_of
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Node, Operation, Type, primitive
from namedtensor.primitives.notation import Special
from namedtensor.primitives.sizes import combine, product
from namedtensor.primitives.traits import EVERY, Cost, Traits, uses_first
from namedtensor.primitives.type import widest
from namedtensor.primitives.use import Use
from namedtensor.tensor import NamedTensor, apply


def dot_rule(call: Call) -> Type:
    (axes,) = call.params
    if len(call.types) < 2:
        raise call.fail(
            NamedTensorError,
            "a contraction takes two operands or more",
            f"`nt.sum[{typed_order(axes)}]({call.labels[0]})` reduces one",
        )
    if len(call.types) == 2:
        _need_both(call, axes)
    for axis in axes:
        owners = [i for i, t in enumerate(call.types) if t.has(axis)]
        if len(owners) < 2:
            which = f"only {call.labels[owners[0]]} has" if owners else "no operand has"
            raise call.fail(
                AxisMissingError,
                f"{which} axis {axis}, and a contraction needs two",
                f"nt.sum[{axis}](X) sums over an axis of one tensor",
            )
    kept = [a for a in call.union() if a[0] not in axes]
    kind = widest(["int", *[t.kind for t in call.types]])
    return Type(tuple(kept), kind, weak=call.weak)


def _need_both(call: Call, axes: Sequence[str]) -> None:
    """Raise AxisMissingError where one of two operands lacks an axis; name those that both have."""
    for axis in axes:
        lacking = [i for i, type_ in enumerate(call.types) if not type_.has(axis)]
        if not lacking or call.types[lacking[0]].host or call.types[lacking[0]].has(axis + FRESH):
            call.need(lacking[0] if lacking else 0, [axis] if lacking else [])
            continue
        left, right = call.labels
        both = [a for a in visible(call.types[0].names) if call.types[1].has(a)]
        both = [a for a in both if a not in axes]
        guess = nearest(axis, both)
        both.sort(key=lambda a: a != guess)
        hint = call.renaming_hint(lacking[0], axis)
        if both:
            others = [[a if b == axis else b for b in axes] for a in both]
            codes = [f"{left} @ {typed_axes(names)} @ {right}" for names in others]
            label = call.labels[lacking[0]]
            copies = [a for a in both if a.rstrip("'") == axis.rstrip("'")]
            again = either([renamed_code(label, a, axis) for a in copies])
            fitting = _fitting(call, lacking[0], axis)
            hint = (f"a second copy of {shown(copies[0])}: {again}; or " if copies else "") + (
                f"both have {' and '.join(map(shown, both))}: {either(codes)}"
                + (f"; or rename: {either(fitting)}" if fitting else "")
            )
        raise call.fail(AxisMissingError, lacks(call.labels[lacking[0]], axis), hint)


def _fitting(call: Call, operand: int, axis: str) -> list[str]:
    """List the renamings of an operand's own axes that have the size of an axis which it lacks."""
    type_, other = call.types[operand], call.types[1 - operand]
    size = other.size(axis) if other.has(axis) else None
    own = [a for a in visible(type_.names) if not other.has(a)]
    fitting = [a for a in own if type(size) is int and type_.size(a) == size]
    return [renamed_code(call.labels[operand], a, axis) for a in fitting]


def write_dot(operation: Operation, labels: tuple[str, ...]) -> str:
    return f"dot[{', '.join(operation.params[0])}]({', '.join(labels)})"


def lower_dot(emit: Emitter, call: Lowered, *values: Value) -> Any:
    """Contract two operands at a time, in the order that opt_einsum finds cheapest."""
    (axes,) = call.params
    values = tuple([_strong(emit, call, v, values) for v in values])
    if len(values) == 2:
        return pair(emit, call, values[0], values[1], axes)
    pending = list(values)
    path, _ = find_path(emit, pending, axes)
    for i, j in path:
        right, left = pending.pop(max(i, j)), pending.pop(min(i, j))
        ready = [a for a in axes if not any(a in v.axes for v in pending)]
        pending.append(pair(emit, call, left, right, ready))
    return pending[0]


def _strong(emit: Emitter, call: Lowered, value: Value, values: Sequence[Any]) -> Any:
    """Convert whole numbers to the dtype of the floats or complex numbers that they are multiplied with."""

    if value.type.host:
        return value
    value = emit.typed_like(value, values)
    strong = {v.type.kind: v for v in reversed(values) if v.strong}
    data = strong.get("complex", strong.get("float"))
    if call.type.wide:
        return emit.wide(value, call.type)
    if value.strong and value.type.kind in ("bool", "int") and data is not None:
        return replace(
            value,
            code=emit.call("as_like", value.code, data.code),
            type=value.type.of_kind(data.type.kind),
        )
    mixed = value.strong and value.type.kind == "float" and "complex" in strong
    # torch refuses to multiply the two, or gives real zeros for empty tensors
    if mixed and emit.backend.name == "torch":
        return emit.complexed(value)
    narrow = value.type.kind == "int" and data is None  # whose products would wrap around
    if value.type.kind == "bool" or narrow:
        return replace(value, code=emit.call("integer", value.code), type=value.type.of_kind("int"))
    return value


def find_path(
    emit: Emitter, values: Sequence[Any], axes: Sequence[str], optimize: Any = "auto"
) -> tuple[list[tuple[int, int]], float]:
    """Ask opt_einsum for the order of pairwise contractions, with the sizes of the first call.

    Gives the order and what it costs; `optimize` may be an order, whose cost is then found.
    """
    import opt_einsum

    every = list(dict.fromkeys([a for v in values for a in v.axes]))
    letter = {a: opt_einsum.get_symbol(i) for i, a in enumerate(every)}
    inputs = ["".join(letter[a] for a in v.axes) for v in values]
    output = "".join(letter[a] for a in every if a not in axes)
    sizes = emit.guesses(values)
    shapes = [tuple([sizes[a] for a in v.axes]) for v in values]
    path, found = opt_einsum.contract_path(
        f"{','.join(inputs)}->{output}", *shapes, shapes=True, optimize=optimize
    )
    return [(i, j) for i, j in path], found.opt_cost


# ------------------------------------------------------------------------------- two operands


def pair(emit: Emitter, call: Lowered, A: Value, B: Value, axes: Sequence[str]) -> Any:
    """Contract two operands as one matrix product wherever there is one."""
    kind = widest([A.type.kind, B.type.kind])
    shared = [a for a in A.axes if a in B.axes]
    summed = [a for a in shared if a in axes]
    batch = [a for a in shared if a not in axes]
    left = [a for a in A.axes if a not in shared]
    right = [a for a in B.axes if a not in shared]
    type_ = _result_type(A, B, summed, kind)
    if kind in ("bool", "int") or not summed or not (left or right):
        return multiply_and_sum(emit, A, B, summed, type_)
    if not left or (right and _rows(emit, B, summed) > _rows(emit, A, summed)):
        A, B, left, right = B, A, right, left
    if not right and len(left) > 1 and set(A.axes[: len(batch)]) != set(batch):
        # a vector for each index of what A does not store first: A would be copied for a product of matrices
        return multiply_and_sum(emit, A, B, summed, type_)
    return matrix_product(emit, A, B, batch, left, summed, right, type_)


def _rows(emit: Emitter, value: Value, summed: Sequence[str]) -> tuple[bool, bool, bool, int]:
    """Rank a value as the rows of a product: a summed axis stored last, not a parameter, many axes.

    Features of data then stay stored side by side, as norms and attention need them.
    """
    all_last = set(value.axes[-len(summed) :]) == set(summed)
    return value.axes[-1] in summed, value.code not in emit.weights, all_last, len(value.axes)


def _result_type(A: Value, B: Value, summed: Sequence[str], kind: str) -> Type:
    sizes = dict(B.type.axes) | dict(A.type.axes)
    kept = tuple([(a, s) for a, s in sizes.items() if a not in summed])
    return Type(kept, kind, weak=A.type.weak and B.type.weak)


def multiply_and_sum(emit: Emitter, A: Value, B: Value, summed: Sequence[str], type_: Type) -> Any:
    every = list(dict.fromkeys([*A.axes, *B.axes]))
    order = emit.order([A, B], every)
    product = emit.infix("*", emit.aligned(A, order), emit.aligned(B, order))
    if not summed:
        return emit.bind(product, order, type_, "product")
    places = tuple([order.index(a) for a in summed])
    rest = [a for a in order if a not in summed]
    return emit.bind(emit.call("sum", product, places), rest, type_, "dot")


def matrix_product(
    emit: Emitter,
    A: Value,
    B: Value,
    batch: Sequence[str],
    left: Sequence[str],
    summed: Sequence[str],
    right: Sequence[str],
    type_: Type,
) -> Any:
    """Write batch x left x summed @ batch x summed x right.

    Axes of one group become one axis, which costs nothing where they are stored side by side.
    """
    summed = _as_stored(A, B, summed)
    if not batch:
        before, after = around(B, summed)
        if before and after:
            return each_product(emit, A, B, left, summed, (before, after), type_)
    a = group(emit, A, batch, left, summed, keep=not batch)
    if right and not batch and _is_map(emit, B, right, summed):
        product = emit.call("linear", a, grouped(emit, B, [right, summed]))
    else:
        b = group(emit, B, batch, summed, right, keep=False)
        product = emit.function("matmul", "@", a, b)
    if not right:
        # a column of one: the product is a matrix by a vector
        axes = (*batch, *left)
        if len(left) == 1 or not batch:
            return emit.bind(emit.call("squeeze_last", product), axes, type_, "dot")
        code = emit.call("reshape", product, emit.sizes_of(type_, axes))
        return emit.bind(code, axes, type_, "dot")
    axes = (*batch, *left, *right)
    flat_left = len(left) != 1 and bool(batch)
    if flat_left or len(right) != 1:
        product = emit.call("reshape", product, emit.sizes_of(type_, axes))
    return emit.bind(product, axes, type_, "dot")


def _is_map(emit: Emitter, value: Value, right: Sequence[str], summed: Sequence[str]) -> bool:
    """Say whether a value is stored as torch's linear maps are, out x in, so that it need not be copied."""
    torch = emit.backend.name == "torch" and not emit.eager
    return torch and value.axes == (*right, *summed)


def around(value: Any, summed: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give the axes stored before and after the summed ones, where those stand side by side in order."""
    first = value.place(summed[0])
    if value.axes[first : first + len(summed)] != tuple(summed):
        return [], []
    return list(value.axes[:first]), list(value.axes[first + len(summed) :])


def each_product(
    emit: Emitter,
    A: Value,
    B: Value,
    left: Sequence[str],
    summed: Sequence[str],
    right: tuple[Sequence[str], Sequence[str]],
    type_: Type,
) -> Any:
    """Multiply A with each of the matrices that B stores, such as one for each head.

    The result is stored as attention takes it: the axes that it loops over, then rows, then columns.
    """
    before, after = right
    a = group(emit, A, (), left, summed, keep=True)
    b = grouped(emit, B, [before, summed, after])
    axes = (*left[:-1], *before, *left[-1:], *after)
    code = emit.call("matmul_each", a, b)
    if any(len(group) != 1 for group in (before, left[-1:], after)):
        code = emit.call("reshape", code, emit.sizes_of(type_, axes))
    return emit.bind(code, axes, type_, "dot")


def grouped(emit: Emitter, value: Value, groups: Sequence[Sequence[str]]) -> Any:
    """Give a value, stored in the order of these groups, with each of them as one axis."""
    if all(len(group) == 1 for group in groups):
        return value
    shape = tuple([emit.product_of(value.type, group) for group in groups])
    return emit.call("reshape", value, shape)


def _as_stored(A: Value, B: Value, summed: Sequence[str]) -> list[str]:
    """Order the summed axes as the larger operand stores them."""
    base = A if len(A.axes) >= len(B.axes) else B
    return [a for a in base.axes if a in summed]


def group(
    emit: Emitter,
    value: Value,
    batch: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    keep: bool,
) -> Any:
    """Give a value as batch x rows x columns; `keep` leaves several rows as they are."""
    moved = emit.permute(value, (*batch, *rows, *columns))
    if (len(rows) == 1 or (keep and rows)) and len(columns) == 1:
        return moved
    if len(rows) == 1 and not columns:
        return emit.call("unsqueeze", moved, -1)
    parts = [emit.size(value.type.size(a)) for a in batch]
    if keep and rows:
        parts += [emit.size(value.type.size(a)) for a in rows]
    else:
        parts.append(emit.product_of(value.type, rows))
    parts.append(emit.product_of(value.type, columns))
    return emit.call("reshape", moved, tuple(parts))


def is_plain_product(node: Node) -> bool:
    """Say whether a contraction is one matrix product without batches, whose sizes the library checks."""
    summed = node.operation.params[0]
    if len(node.operands) != 2 or len(summed) != 1 or node.type.kind != "float":
        return False
    a, b = [set(o.type.names) for o in node.operands]
    return (
        a & b == set(summed)
        and len(a) > 1
        and len(b) > 1
        and node.operands[0].type.kind == node.operands[1].type.kind
    )


def _share(use: Use, place: int, g: NamedTensor) -> Any:
    """Contract the gradient with the other operands, over the axes that the operand lacks."""
    others = [o for i, o in enumerate(use.operands) if i != place]
    own = use.node.operands[place].type.names
    met = dict.fromkeys([a for o in use.node.operands for a in o.type.names])
    return apply(DOT(tuple([a for a in met if a not in own])), g, *others)


def _products(node: Node) -> Cost:
    """Multiply and add once for each record of all axes, for each operand after the first."""
    sizes = {axis: size for o in node.operands for axis, size in o.type.axes}
    read: Any = 0
    for operand in node.operands:
        read = combine("add", read, records_of(operand.type))
    return Cost(
        multiply_adds=product([*sizes.values(), len(node.operands) - 1]),
        read=read,
        written=records_of(node.type),
    )


DOT = primitive(
    "dot",
    dot_rule,
    lower_dot,
    write=write_dot,
    trusted=is_plain_product,
    notation=Special("contraction"),
    transpose=_share,
    cost=_products,
    traits=Traits(linear=(EVERY,), commutative=True, uniform=True, fresh=True, acts=uses_first),
)


@axis_function(DOT)
def dot(op: Operation, *operands: Tensor) -> NamedTensor:
    """Contract any number of operands: multiply, then add up over the axes under the dot.

        dot_ax : R^ax x ... x R^ax -> R;  dot[ax](A, B, C) = sum_ax A * B * C

    Written A @ ax @ B for two. Every axis under the dot is an axis of at least two operands.

    Raises: AxisMissingError where fewer than two operands have an axis, AxisSizeError where they differ.

    >>> X = nt.tensor([1.0, 2.0], "seq")
    >>> nt.dot["seq"](X, X, X)
    NamedTensor(9.0)
    """
    return apply(op, *operands)
