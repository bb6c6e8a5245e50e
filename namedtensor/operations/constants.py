"""New tensors inside a formula's body: filled with a number, repeated along an axis, drawn at random.

Each is a node of the tree, so that printers show what was written, and sizes may be symbols. Outside of
bodies, `creation` and `random` make the data at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from namedtensor.axes import Axis, distinct, parse_axes, shown
from namedtensor.compilers import compiling
from namedtensor.errors import TraceError
from namedtensor.operations.expanding import EXPAND
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.plans.code import Attribute, Literal
from namedtensor.primitives import (
    Acts,
    Call,
    Node,
    Operation,
    Primitive,
    Traits,
    Type,
    number,
    primitive,
)
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.notation import Special, Word
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.apply import applied_to_symbols
from namedtensor.tensor.resize import need_sizes


def makes_first(params: tuple[Any, ...]) -> Acts:
    """Say that the first parameter lists the axes which are made."""
    return Acts(makes=params[0])


def kind_of_dtype(name: str) -> str:
    """Give the kind of numbers that a dtype of this name holds."""
    if name == "bool":
        return "bool"
    return next((kind for kind in ("int", "complex") if kind in name), "float")


def _sizes_given(call: Call, before: int) -> tuple[tuple[str, Any], ...]:
    """Give the new axes with their sizes, which are all open if none is given."""
    names = call.params[0]
    return tuple(zip(names, call.values[before:] or [None] * len(names), strict=True))


def _write(operation: Operation, labels: tuple[str, ...]) -> str:
    value, *sizes = labels
    return f"full({', '.join([*_made(operation.params[0], sizes), value])})"


def _made(names: Sequence[str], sizes: Sequence[str]) -> list[str]:
    if not sizes:
        return [shown(n) for n in names]
    return [f"{shown(n)}[{size}]" for n, size in zip(names, sizes, strict=True)]


# ----------------------------------------------------------------------------------- one number


def _full_rule(call: Call) -> Type:
    _, dtype = call.params
    kind = kind_of_dtype(dtype) if dtype else call.types[0].kind
    return Type(_sizes_given(call, 1), kind, weak=not dtype)


def _lower_full(emit: Emitter, call: Lowered, value: Value, *sizes: Value) -> Any:
    names, dtype = call.params
    need_sizes(call.node, "index-defined tensor")
    code = emit.call("full", emit.sizes_of(call.type, names), value, emit.like)
    if not dtype:
        return emit.filled(code, names, call.type)
    return emit.bind(emit.call("cast", code, _dtype_word(emit, dtype)), names, call.type, "filled")


def _dtype_word(emit: Emitter, name: str) -> Any:
    return emit.word("bool_" if name == "bool" and emit.backend.name == "numpy" else name)


#: full(names, dtype): a number in all records; without a dtype it takes that of the data beside it.
FULL = primitive(
    "full",
    _full_rule,
    _lower_full,
    write=_write,
    notation=Special("element"),
    traits=Traits(moves=True, uniform=True, fresh=True, spreads=True, acts=makes_first),
)


# ------------------------------------------------------------------------------------ one more axis


def along(X: Any, axis: Axis) -> Any:
    """Repeat X along an axis that it lacks; the new axis is open if it has no size."""
    known = () if axis.size is None else (axis.size,)
    names = (axis.name,)
    if hasattr(X, "sizes") and not hasattr(X, "node"):
        if axis.size is None:
            need_sizes(apply_node(FULL(names, ""), (number(0),)), f"define[{axis}](rule)")
        return apply(EXPAND(axis.name), X, axis.size)
    is_number = not hasattr(X, "sizes") or X.node.type.host
    return made(FULL(names, "") if is_number else EXPAND(axis.name), X, *known)


def made(operation: Operation, *operands: Any) -> SymbolicTensor:
    """Give the node of a tensor that is made of symbols and numbers."""
    if compiling():
        found: SymbolicTensor = applied_to_symbols(operation, operands)
        return found
    return SymbolicTensor(apply_node(operation, tuple([_node_of(x) for x in operands])))


def _node_of(x: Node | NamedTensor | complex) -> Node:
    """Give the node of a symbol, or of a number of any library."""
    if isinstance(x, Node):
        return x
    return x.node if hasattr(x, "node") else number(getattr(x, "item", lambda: x)())


# ------------------------------------------------------------------------------------------- noise


def _noise(law: str, word: str, kind: str) -> Primitive:
    """Make the operation law(names, generator, dtype), which draws anew at each call."""

    def rule(call: Call) -> Type:
        return Type(_sizes_given(call, len(call.types) - len(call.params[0])), kind)

    def lower(emit: Emitter, call: Lowered, *values: Value) -> Any:
        names, generator, dtype = call.params
        bounds = values[: len(values) - len(names)]
        like = _data(emit, kind)
        on = (
            Attribute(like, "device") if like is not None and emit.backend.name == "torch" else None
        )
        source = None if generator is None else emit.hold("generator", generator)
        wanted = None
        if dtype:
            wanted = emit.call("dtype_of", Literal(dtype))
        elif like is not None and kind == "float":
            wanted = Attribute(like, "dtype")
        drawn = emit.call("generator_of", source, on)
        shape = emit.sizes_of(call.type, names)
        code = emit.call(word, shape, *bounds, drawn, wanted, on)
        return emit.bind(code, names, call.type, "noise")

    return primitive(
        law,
        rule,
        lower,
        effect=True,
        notation=Word(law),
        traits=Traits(fresh=True, acts=makes_first),
    )


def _data(emit: Emitter, kind: str) -> Any:
    """Find an argument of the code whose device (and dtype, for real numbers) the noise gets."""
    for value in emit.arguments.values():
        if value.strong and (kind != "float" or value.type.kind == "float"):
            return value.code
    return None


#: Operations by the word of the library that draws.
NOISE = {
    word: _noise(law, word, kind)
    for law, word, kind in (
        ("normal", "random_normal", "float"),
        ("uniform", "random_uniform", "float"),
        ("gamma", "random_gamma", "float"),
        ("beta", "random_beta", "float"),
        ("randint", "random_integers", "int"),
        ("poisson", "random_poisson", "int"),
    )
}


def noise_in_body(
    name: str, word: str, axes: Any, bounds: Any, generator: Any, dtype: str | None
) -> NamedTensor:
    """Give the node of a tensor that is drawn anew whenever the formula is called."""
    names, sizes = axes_in_body(name, axes)
    return made(NOISE[word](names, generator, dtype or ""), *bounds, *sizes)


# -------------------------------------------------------------------------------------- in a body


def axes_in_body(name: str, axes: Any) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """Read the axes of a tensor that a body makes; an axis without a size has its size in the formula."""
    parsed = parse_axes(axes)
    distinct(f"{name}({', '.join(map(repr, parsed))})", parsed)
    return tuple([a.name for a in parsed]), tuple([abs(a) for a in parsed])


def refuse_place(name: str, device: Any, backend: str | None) -> None:
    """Refuse a library or a device: a tensor made in a body has those of the arguments."""
    for word, given in (("device", device), ("backend", backend)):
        if given is not None:
            raise TraceError(
                f"{name}(..., {word}={given!r})",
                f"a formula's body makes its tensors where its arguments live, not on {word} {given}",
                hint=f"leave {word} out, or pass the tensor as an argument",
            )


def full_in_body(
    name: str, axes: Any, value: Any, dtype: Any, device: Any = None, backend: str | None = None
) -> Any:
    """Give the node of a tensor filled with a number."""
    refuse_place(name, device, backend)
    names, sizes = axes_in_body(name, axes)
    return made(FULL(names, dtype or ""), value, *sizes)
