"""apply: the one door for every operation, on data, on numbers, and on symbols."""

from __future__ import annotations

import numbers
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

from namedtensor.axes import SIZES, Axis, axis_code, naming, shown, typed_axes
from namedtensor.backends import backend_of
from namedtensor.backends.lazy import is_scalar
from namedtensor.compilers import MAKING, STORE, compiling, constant_for_compilers
from namedtensor.errors import (
    AxisSizeError,
    BackendError,
    NamedTensorError,
    TraceError,
    kind_of_thing,
    shorten,
)
from namedtensor.plans import LIBRARY_ERRORS, Plan, compile_plan, layout_by_number
from namedtensor.plans.compile import plan_for_numbers, run_on_numbers
from namedtensor.primitives import Node, Operation, Type, argument, number, size_of, table
from namedtensor.primitives.node import (
    apply_node,
    declared_size,
    node_by_number,
    type_of_number,
)
from namedtensor.tensor import operators, protocols
from namedtensor.tensor.diagnose import diagnose, of_two_devices
from namedtensor.tensor.labels import caller_labels, first_letters, letters, warn_caller
from namedtensor.tensor.named import NamedTensor
from namedtensor.tensor.resize import meet, resize

#: What a user's function may raise when it is run on stand-ins for data: symbols, or other sizes.
STAND_IN_ERRORS = (
    *LIBRARY_ERRORS,
    NamedTensorError,
    AttributeError,
    LookupError,
    AssertionError,
)

NUMBERS = (bool, int, float, complex)

#: Gives a symbol for a tensor with data that is combined with symbols, while a plain function is traced.
capturing: ContextVar[Callable[[Any], Any] | None] = ContextVar("capturing", default=None)
#: How many nested steps of recurrences are being run on symbols.
steps_traced: ContextVar[int] = ContextVar("steps_traced", default=0)

#: While bodies are traced: pairs of sizes that the formulas they call require to be equal.
sizes_held: ContextVar[list[tuple[Any, Any]] | None] = ContextVar("sizes_held", default=None)

_new = object.__new__  # half the time of calling the class
_NONE: Any = object()
#: The class of symbols, which is defined later.
_symbolic: Any = None


def use_symbols(symbolic: type) -> None:
    """Set the class of symbols."""
    global _symbolic
    _symbolic = symbolic


def apply(operation: Operation, x: Any = _NONE, *more: Any) -> NamedTensor:
    """Apply an operation to named tensors, numbers and symbols.

    The plan is found by the operands' layouts; a call whose plan is known costs one lookup.
    """
    if more or type(x) is not NamedTensor:
        if len(more) == 1:
            return apply_two(operation, x, *more)
        if more:
            return _apply_several(operation, (x, *more))
        return _apply_any(operation, () if x is _NONE else (x,))
    plan = operation.plans.get(x._layout)
    if plan is None:
        return _apply_any(operation, (x,))
    try:
        data = plan.run(x._data)
    except LIBRARY_ERRORS as error:
        raise diagnose(operation, (x,), error) from None
    result: NamedTensor = _new(NamedTensor)
    result._data = data
    result._layout = plan.layout
    return result


def apply_two(operation: Operation, x: Any, y: Any) -> NamedTensor:
    """Apply an operation to two operands: the path of every operator, written out for speed."""
    if type(x) is not NamedTensor:
        return _apply_any(operation, (x, y))
    if type(y) is NamedTensor:
        plan, second = operation.plans.get((x._layout, y._layout)), y._data
    else:
        plan, second = operation.plans.get((x._layout, type(y))), y
    if plan is None:
        return _apply_any(operation, (x, y))
    try:
        data = plan.run(x._data, second)
    except LIBRARY_ERRORS as error:
        raise diagnose(operation, (x, y), error) from None
    result: NamedTensor = _new(NamedTensor)
    result._data = data
    result._layout = plan.layout
    return result


def _apply_several(operation: Operation, operands: tuple[Any, ...]) -> NamedTensor:
    """Apply an operation to three operands or more."""
    key: list[Any] = []
    arrays: list[Any] = []
    for x in operands:
        if type(x) is NamedTensor:
            key.append(x._layout)
            arrays.append(x._data)
        else:
            key.append(type(x))
            arrays.append(x)
    plan = operation.plans.get(tuple(key))
    if plan is None:
        return _apply_any(operation, operands)
    try:
        data = plan.run(*arrays)
    except LIBRARY_ERRORS as error:
        raise diagnose(operation, operands, error) from None
    result: NamedTensor = _new(NamedTensor)
    result._data = data
    result._layout = plan.layout
    return result


def _key(operands: Sequence[Any]) -> Any:
    """Give what a plan depends on: layouts of data, trees of symbols, types of numbers."""
    found = tuple(
        [
            x._layout if type(x) is NamedTensor else x.node if hasattr(x, "node") else type(x)
            for x in operands
        ]
    )
    return found[0] if len(found) == 1 else found


def code_of(x: Any) -> str:
    """Write what a plan depends on as text, which a graph compiler takes for a constant."""
    if type(x) is NamedTensor:
        return str(x._layout.code)
    if not isinstance(x, _symbolic):
        return f"type {type(x).__name__}"
    return str(x.node.code)


def stand_in(code: str) -> Any:
    """Make an operand that has the layout, tree or type of a code, and no data."""
    what, _, which = code.partition(" ")
    if what == "layout":
        layout = layout_by_number(int(which))
        return NamedTensor(_Absent(len(layout.axes)), layout)
    if what == "node":
        return _symbolic(node_by_number(int(which)))
    if what == "number":
        kind, _, text = which.partition(" ")
        return text == "True" if kind == "bool" else {t.__name__: t for t in NUMBERS}[kind](text)
    return {"bool": False, "int": 0, "float": 0.0, "complex": 0j}[which]


class _Absent:
    """A stand-in for data of unknown sizes."""

    def __init__(self, axes: int) -> None:
        self.shape = (None,) * axes


@constant_for_compilers
def plan_by_codes(name: str, params: tuple[Any, ...], *codes: str) -> str:
    """Plan an operation that a graph compiler meets before it was ever called; give its name.

    The compiler runs this outside of its graph, where planning is plain Python; it keeps no plan in
    `Operation.plans`, whose keys the compiler watches.
    """

    def make() -> Plan:
        operation, operands = table()[name](*params), [stand_in(code) for code in codes]
        if all(code.startswith("type ") for code in codes):
            return plan_for_numbers(operation, operands)
        return plan_for(operation, operands)

    return STORE.name(("plan", name, params, codes), make)


def _apply_compiling(operation: Operation, operands: Sequence[Any]) -> NamedTensor:
    codes = [code_of(x) for x in operands]
    name = plan_by_codes(operation.primitive.name, operation.params, *codes)
    plan: Plan = getattr(STORE, name)
    arrays = [
        x._data if type(x) is NamedTensor else x for x in operands if not isinstance(x, _symbolic)
    ]
    data = plan.run(*arrays)
    result: NamedTensor = data if _are_numbers(operands) else NamedTensor(data, plan.layout)
    return result


@constant_for_compilers
def symbol_by_codes(name: str, params: tuple[Any, ...], *codes: str) -> str:
    """Give the name of the tree of an operation on index-defined tensors, since a compiler cannot make it."""

    def make() -> Any:
        operands = [stand_in(code) for code in codes]
        return _symbolic(symbolic_node(table()[name](*params), operands))

    return STORE.name(("symbol", name, params, codes), make)


def applied_to_symbols(operation: Operation, operands: Sequence[Any]) -> Any:
    """Apply an operation to symbols and numbers while a graph compiler reads."""
    codes = [
        code_of(x) if isinstance(x, _symbolic) else f"number {type(x).__name__} {x!r}"
        for x in operands
    ]
    name = symbol_by_codes(operation.primitive.name, operation.params, *codes)
    return getattr(STORE, name)


def _are_numbers(operands: Sequence[Any]) -> bool:
    return all([type(x) in NUMBERS for x in operands])


def _apply_any(operation: Operation, given: Sequence[Any]) -> NamedTensor:
    if compiling():
        return _apply_first(operation, given)
    try:
        plan = operation.plans.get(_key(given)) if given else None
        return _apply_first(operation, given) if plan is None else _run(plan, operation, given)
    except NamedTensorError as error:
        if SIZES.of is None:  # a running body needs the frames to find its own line
            shorten(error)
        raise


def _apply_first(operation: Operation, given: Sequence[Any]) -> NamedTensor:
    """Apply an operation for the first time, on symbols, on numbers alone, or by mistake."""
    if compiling():
        if any([type(x) is NamedTensor for x in given]) or _are_numbers(given):
            return _apply_compiling(operation, given)
        if all([isinstance(x, _symbolic) or type(x) in NUMBERS for x in given]):
            symbol: NamedTensor = applied_to_symbols(operation, given)
            return symbol
    operands = [operand(operation, x, given) for x in given]
    if not any(type(x) is NamedTensor for x in operands):
        if not operands or any(isinstance(x, _symbolic) for x in operands):
            symbol = _symbolic(symbolic_node(operation, operands))
            return symbol
        return _on_numbers(operation, operands)
    if any(isinstance(x, _symbolic) and not x.node.closed for x in operands):
        keep = capturing.get()
        kept = [x if type(x) is not NamedTensor else keep and keep(x) for x in operands]
        if any(x is None for x in kept):
            raise captured(operation, operands)
        return apply(operation, *kept)
    key = _key(operands)
    plan = operation.plans.get(key)
    if plan is None:
        checked(operation, operands)
        try:
            plan = _planned(operation, key, operands)
        except AxisSizeError:
            sized = [with_declared_sizes(x) for x in operands]
            if all(x is y for x, y in zip(sized, operands, strict=True)):
                raise
            return apply(operation, *sized)
    return _run(plan, operation, operands)


def _run(plan: Plan, operation: Operation, operands: Sequence[Any]) -> NamedTensor:
    """Run a plan for operands of which some may be defined by their indices."""
    arrays = [x._data if type(x) is NamedTensor else x for x in operands if not hasattr(x, "node")]
    try:
        data = plan.run(*arrays)
    except LIBRARY_ERRORS as error:
        raise diagnose(operation, operands, error) from None
    return NamedTensor(data, plan.layout)


def with_declared_sizes(x: Any) -> Any:
    """Give the open axes of an index-defined tensor the sizes that the running body declares."""
    if not isinstance(x, _symbolic):
        return x
    open_ = [name for name in x.axes if x.node.type.size(name) is None]
    sizes = {name: declared_size(name) for name in open_}
    if not open_ or any([size is None for size in sizes.values()]):
        return x
    sizes = {name: getattr(size, "node", size) for name, size in sizes.items()}
    return _symbolic(resize(x.node, sizes))


#: How many plans of single operations are kept in all; the oldest is forgotten first.
MOST_PLANS = 2048
_kept: deque[tuple[Operation, Any]] = deque()
_told: list[str] = []


def _planned(operation: Operation, key: Any, operands: Sequence[Any]) -> Plan:
    """Make an operation's plan for operands of some layouts, once for all threads."""
    with MAKING:
        plan: Plan | None = operation.plans.get(key)
        if plan is None:
            plan = operation.plans[key] = plan_for(operation, operands)
            _kept.append((operation, key))
        full = len(_kept) > MOST_PLANS
        if full:
            oldest, forgotten = _kept.popleft()
            oldest.plans.pop(forgotten, None)
    if full and not _told:
        shapes = [f"{' '.join(map(shown, x.axes))!r}" for x in operands if hasattr(x, "sizes")]
        _told.append(operation.name)
        warn_caller(
            f"single operations were planned {MOST_PLANS} times, the last one {operation.name} of axes "
            f"{' and '.join(shapes)}: each new name of an axis, and each new order in which axes are stored, "
            "is another plan, and the oldest are forgotten now; name axes alike from call to call"
        )
    return plan


def operand(operation: Operation, x: Any, given: Sequence[Any]) -> Any:
    """Accept a named tensor, a symbol or a number; refuse bare arrays and everything else."""
    if isinstance(x, NamedTensor):
        return x
    if is_scalar(x):
        return x.item()
    if isinstance(x, NUMBERS):
        return x
    if type(x).__name__ in ("Fraction", "Decimal"):  # numpy would make arrays of objects from these
        return float(x)
    if isinstance(x, numbers.Number) or (hasattr(x, "__index__") and not hasattr(x, "shape")):
        return x
    labels = caller_labels(given)
    what = labels[next(i for i, y in enumerate(given) if y is x)]
    if backend_of(x) is not None:
        shape = ", ".join(map(str, x.shape))
        raise BackendError(
            operation.write(labels),
            f"{what} is a bare array of sizes ({shape}); its axes have no names",
            typed(labels, given),
            naming(what, x),
        )
    if type(x).__name__ == "Contraction":
        x._is_half()
    hint = naming(what, x)
    other = next((label for label, y in zip(labels, given, strict=True) if y is not x), "X")
    asked = {"==": "is", "!=": "is not"}.get(str(operation.primitive.traits.symbol))
    if x is None and asked:
        hint = f"`{other} {asked} None` asks whether there is a tensor"
    if isinstance(x, str) and x in dict.fromkeys(n for y in given for n in getattr(y, "axes", ())):
        hint = f"an axis stands between two @, {other} @ {typed_axes([x])} @ Y, or in brackets, "
        hint += f"nt.sum[{typed_axes([x])}]({other})"
    if isinstance(x, tuple) and x and all([isinstance(part, NamedTensor) for part in x]):
        raise BackendError(
            operation.write(labels),
            f"{what} is a tuple of {len(x)} named tensors",
            typed([f"{what}[{i}]" for i in range(len(x))], x),
            f"take one of them, {what}[0]",
        )
    if isinstance(x, Axis):
        axis = axis_code(x.name)
        hint = f"its size is a number: abs({axis}) in a formula, X.size({axis}) of a tensor X"
    raise BackendError(
        operation.write(labels),
        f"{what} is {kind_of_thing(x)}, neither a named tensor nor a number",
        typed(labels, given),
        hint,
    )


def _on_numbers(operation: Operation, operands: Sequence[Any]) -> NamedTensor:
    """Compute with Python numbers where the operation has a meaning for them."""
    try:
        result: NamedTensor = run_on_numbers(operation, operands)
    except AttributeError:
        raise BackendError(
            operation.write(tuple(map(repr, operands))),
            f"{operation.name} takes a named tensor, and only numbers are given",
            hint="make a tensor without axes: nt.tensor(3.0)",
        ) from None
    return result


def type_of(x: Any) -> Type:
    """Give the type of a tensor with its true sizes, or of a number."""
    if type(x) is not NamedTensor and hasattr(x, "node"):
        node_type: Type = x.node.type
        return node_type
    if hasattr(x, "sizes"):
        return Type(tuple(zip(x.layout.axes, x.data.shape, strict=True)), x.layout.kind)
    return type_of_number(x)


def typed(labels: Sequence[str], operands: Sequence[Any]) -> list[tuple[str, str]]:
    """Write the types of the tensors among operands, for an error."""
    pairs = zip(labels, operands, strict=True)
    return [(label, str(type_of(x))) for label, x in pairs if isinstance(x, NamedTensor)]


def argument_type(name: str, x: Any) -> Type:
    """Give the type of a tensor with sizes that the code reads when it runs."""
    if hasattr(x, "sizes"):
        return Type(
            tuple([(a, size_of(name, a, i)) for i, a in enumerate(x.layout.axes)]), x.layout.kind
        )
    found = number(x).type
    return Type((), found.kind, host=True)


def checked(operation: Operation, operands: Sequence[Any]) -> None:
    """Check an operation on true sizes; the error names the caller's own variables."""
    types = tuple([type_of(x) for x in operands])
    values = tuple(operands)
    # raised again outside of the handler, with the caller's names, so that one traceback shows
    with suppress(NamedTensorError):
        operation.typed(types, first_letters(len(types)), values)
        return
    operation.typed(types, caller_labels(operands), values)


def plan_for(operation: Operation, operands: Sequence[Any]) -> Plan:
    """Compile one operation for operands of these layouts, index-defined ones inlined."""
    backend = common_backend(operation, operands)
    leaves, arguments = [], []
    hints: dict[Node, int] = {}
    for label, x in zip(letters(), operands, strict=False):
        if hasattr(x, "node"):
            leaves.append(x.node)
            continue
        type_ = argument_type(label, x)
        leaves.append(argument(label, type_))
        arguments.append((label, type_, x.layout.axes if hasattr(x, "sizes") else ()))
        if hasattr(x, "sizes"):
            found = zip(type_.axes, x.data.shape, strict=True)
            hints |= {size: n for (_, size), n in found if type(n) is int}
    node = sized_node(operation, leaves)
    return compile_plan(operation.name, node, arguments, backend, hints=hints, eager=True)


def sized_node(
    operation: Operation, leaves: Sequence[Node], labels: Sequence[str] | None = None
) -> Node:
    """Apply an operation to nodes; index-defined ones take open sizes from the others."""

    return apply_node(operation, tuple(meet(leaves)), labels)


def symbolic_node(operation: Operation, operands: Sequence[Any]) -> Node:
    """Apply an operation to symbols and numbers."""
    nodes = [x.node if hasattr(x, "node") else number(x) for x in operands]
    with suppress(NamedTensorError):
        return sized_node(operation, nodes)
    return sized_node(operation, nodes, caller_labels(operands))


def common_backend(operation: Operation, operands: Sequence[Any]) -> Any:
    """Give the one library of all operands."""
    owners = [
        (i, x.layout.backend)
        for i, x in enumerate(operands)
        if hasattr(x, "sizes") and not hasattr(x, "node")
    ]
    first = owners[0][1]
    for i, backend in owners[1:]:
        if backend is not first:
            labels = caller_labels(operands)
            a, b = labels[owners[0][0]], labels[i]
            raise BackendError(
                operation.write(labels),
                f"{a} is a {first} tensor and {b} a {backend} tensor; data never changes library by itself",
                typed(labels, operands),
                f'convert one of them: {b}.to("{first}")',
            )
    data = [x.data for x in operands if hasattr(x, "sizes") and not hasattr(x, "node") and x.axes]
    empty = [getattr(x, "is_meta", False) for x in data]
    if any(empty) and not all(empty):
        labels = caller_labels(operands)
        held = [(w, x) for w, x in zip(labels, operands, strict=True) if hasattr(x, "sizes")]
        given = [(w, x) for w, x in held if not hasattr(x, "node")]
        raise of_two_devices(operation.write(labels), given, typed(labels, operands))
    return first


def captured(operation: Operation, operands: Sequence[Any]) -> TraceError:
    """Make the error for data that a formula's body uses but does not take as an argument."""
    labels = caller_labels(operands)
    name = next(w for w, x in zip(labels, operands, strict=True) if type(x) is NamedTensor)
    return TraceError(
        operation.write(labels),
        f"the formula uses the named tensor {name}, which is none of its arguments",
        typed(labels, operands),
        f"pass {name} as an argument, as a parameter after the *, "
        "or leave the body untraced with @formula(trace=False)",
    )


operators.apply = protocols.apply = apply
operators.apply_two = apply_two
