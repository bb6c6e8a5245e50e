"""Layers of a stack that are alike share a plan: the body is traced once, and becomes a function.

A call of such a layer is one node: its operands are the layer's arguments, and its step holds the trees of
the results, as the step of a recurrence does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.formula.alike import Apart
from namedtensor.formula.lifting import Leaf
from namedtensor.operations.recurrence import ALL, Looped, step_function
from namedtensor.operations.step_trees import Step, placed
from namedtensor.operations.training import MODE
from namedtensor.plans import Value
from namedtensor.plans.code import Apply, Prefix, code_of
from namedtensor.plans.compile import collect_guards, not_held
from namedtensor.plans.rows import ROW
from namedtensor.primitives import Call, Node, Operation, Type, primitive, size_of
from namedtensor.primitives.node import ARGUMENT, SIZE, make_node, operands_first
from namedtensor.primitives.notation import KERNEL
from namedtensor.primitives.traits import Traits
from namedtensor.tensor import SymbolicTensor
from namedtensor.tensor.apply import sizes_held, steps_traced
from namedtensor.tensor.symbolic import tracing


class _Alone(Exception):
    """A layer's body uses something from outside of it, so that its trace cannot be shared."""


@dataclass(frozen=True, slots=True)
class Layer(Step):
    """The step of a layer; those of a stack that are alike take `row`, the leaves of the first, as one.

    `held` are pairs of sizes that must be equal although no part of the results checks them.
    """

    row: tuple[Node, ...] = ()
    held: tuple[tuple[Any, Any], ...] = ()

    def each(self, given: Sequence[Any], row: Sequence[Any]) -> list[Any]:
        """Replace what is given for the row by what is given for each of its leaves."""
        return [*given[:-1], *row] if self.row else [*given]


@dataclass(frozen=True, eq=False, slots=True)
class Shared:
    """What a layer computes: its step, the states that it updates, and whether it draws random numbers."""

    step: Layer
    results: int
    updates: tuple[str, ...]
    effect: bool


# ------------------------------------------------------------------------------ a call as a node


def _rule(call: Call) -> Type:
    step, place, _ = call.params
    if place == ALL:
        return Type(())
    types = step.each(call.types, [leaf.type for leaf in step.row])
    given = {
        leaf: make_node(leaf.operation, (), replace(leaf.type, axes=type_.axes))
        for leaf, type_ in zip(step.leaves, types, strict=True)
    }
    pairs = (
        [*step.held, *[g for r in step.results for g in collect_guards(r)]] if place == 0 else []
    )
    found: Type = step.results[place].type
    inside = [size for pair in pairs for size in pair] + [size for _, size in found.axes]
    outside = _sizes(inside, given)
    call.guards += [(outside[first], outside[second]) for first, second in pairs]
    return found.with_axes([(axis, outside[size]) for axis, size in found.axes])


def _sizes(inside: Sequence[Any], given: dict[Node, Node]) -> dict[Any, Any]:
    """Map the sizes inside of a layer to those outside."""
    nodes = [size for size in dict.fromkeys(inside) if isinstance(size, Node)]
    placed_ = zip(nodes, placed(nodes, given), strict=True)
    known = {size: new if new.value is None else new.value for size, new in placed_}
    return {size: size for size in inside} | known


def _write(operation: Operation, labels: tuple[str, ...]) -> str:
    return f"{operation.params[0].name}({', '.join(labels)})" if operation.params else "layer(...)"


def _lower(emit: Any, call: Any, *values: Value) -> Value:
    step, place, serial = call.params
    if place != ALL:
        every = make_node(SHARED(step, ALL, serial), call.node.operands, Type(()))
        whole: Looped = emit.value(every)
        code = emit.subscript(whole, place) if len(step.results) > 1 else whole.code
        return Value(code, whole.orders[place], call.type)
    key = (step, tuple([v.axes for v in values]))
    given = [code_of(value) for value in values]
    if key not in emit.several:
        row = [emit.value(leaf) for leaf in step.row]
        name, orders = step_function(emit, step, step.each(values, row), _each)
        emit.several[key] = Looped(name, (), Type((), host=True), orders)
    function = emit.several[key]
    code = Apply(function.code, tuple(step.each(given, [Prefix("*", given[-1])])))
    bound = emit.bind(code, (), Type((), host=True), step.name)
    return Looped(bound.code, (), bound.type, function.orders)


def _each(inner: Any, results: Sequence[Node]) -> list[Value]:
    return [inner.value(result) for result in results]


#: shared(step, place, serial): one result of a layer, or all of them together.
SHARED = primitive(
    "shared", _rule, _lower, write=_write, notation=KERNEL, traits=Traits(opaque=True)
)
_serial = itertools.count(1)


def needed(node: Node) -> Sequence[Node]:
    """Give the operands that a node's value depends on: of a layer, those that this one result reads."""
    if node.operation.primitive is not SHARED:
        return node.operands
    step, place, _ = node.operation.params
    if place == ALL or step.row:
        return node.operands
    read = set(operands_first([step.results[place]], needed))
    return [own for leaf, own in zip(step.leaves, node.operands, strict=True) if leaf in read]


# ------------------------------------------------------------------------------ a layer that is called


def share(
    cache: dict[Any, Any], formula: Any, values: dict[str, Any], mode: bool
) -> tuple[Any, dict[str, Any]] | None:
    """Give the results and the updated states of a layer as nodes; None if it must be traced alone."""
    if tracing.get() is None or steps_traced.get():
        return None
    given = formula.arguments.read(values, mode, every=True)
    key = _key(formula, given)
    if key is None:
        return None
    if key not in cache:
        cache[key] = _traced(formula, given)
    shared: Shared | None = cache[key]
    if shared is None:
        return None
    nodes = [leaf.tensor.node for leaf in given.leaves]
    found, _ = _called(shared, tuple([node for node in nodes if not node.closed]))
    parts, new = found[: shared.results], found[shared.results :]
    result = tuple(parts) if formula.signature.several else parts[0]
    return result, dict(zip(shared.updates, new, strict=True))


def share_alike(
    cache: dict[Any, Any], bundle: Any, args: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Give the results of one of the bundles of a stack that are alike.

    Raises: Apart if its body must be run alone.
    """
    formula, alike = bundle.formula, bundle._alike
    mode = MODE.training if bundle.training is None else bundle.training
    key: Any = None
    if not named and all([type(x) is SymbolicTensor and x.node.type.settled for x in args]):
        key = (alike, mode, *[(x.axes, x.node.type) for x in args])
    shared, operands, types = cache.get(key, (None, (), ()))
    if shared is None:
        shared, operands = _shared_alike(cache, bundle, args, named, mode)
    else:
        operands = tuple([x.node for x in args])
    row = make_node(ARGUMENT(alike.name(bundle._place), alike.path), (), ROW)
    found, types = _called(shared, (*operands, row), types)
    if key is not None:
        cache[key] = (shared, operands, types)
    parts = found[: shared.results]
    return tuple(parts) if formula.signature.several else parts[0]


def _shared_alike(
    cache: dict[Any, Any], bundle: Any, args: Sequence[Any], named: Mapping[str, Any], mode: bool
) -> tuple[Shared, tuple[Node, ...]]:
    """Trace the body that such bundles share; give it with its operands before the row."""
    formula, alike = bundle.formula, bundle._alike
    if tracing.get() is None or steps_traced.get():
        raise Apart
    values = formula.arguments.bind(args, bundle._first._given(args, named))
    given = formula.arguments.read(values, mode, every=True)
    before = len(given.leaves) - len(alike.nodes)
    if tuple([leaf.tensor.node for leaf in given.leaves[max(before, 0) :]]) != alike.nodes:
        raise Apart
    key = _key(formula, given, before)
    if key is None:
        raise Apart
    if (alike, key) not in cache:
        shared = _traced(formula, given, before)
        if shared is None or shared.updates:
            raise Apart
        cache[alike, key] = replace(shared, step=replace(shared.step, row=alike.nodes))
    nodes = [leaf.tensor.node for leaf in given.leaves[:before]]
    return cache[alike, key], tuple([node for node in nodes if not node.closed])


def _called(
    shared: Shared, operands: tuple[Node, ...], types: Sequence[Any] = ()
) -> tuple[list[SymbolicTensor], tuple[Any, ...]]:
    """Make the nodes of a call's results; and their types and guards, which may be known."""
    serial = next(_serial) if shared.effect else 0
    found, kept = [], []
    for place in range(len(shared.step.results)):
        operation = SHARED(shared.step, place, serial)
        if types:
            type_, guards = types[place]
        else:
            call = operation.typed(
                tuple([o.type for o in operands]), ("",) * len(operands), operands
            )
            type_, guards = call.result, tuple(call.guards)
        kept.append((type_, guards))
        found.append(SymbolicTensor(make_node(operation, operands, type_, guards)))
    return found, tuple(kept)


def _key(formula: Any, given: Any, before: int | None = None) -> Any:
    """Give a key that is equal for layers that can share a trace; None for a layer that cannot.

    The sizes of the leaves after the first `before` are unrelated to those of the others.
    """
    seen: dict[Any, int] = {}
    parts: list[Any] = []
    for i, leaf in enumerate(given.leaves):
        if i == before:
            seen = {}
        if not isinstance(leaf.tensor, SymbolicTensor):
            return None
        node = leaf.tensor.node
        if node.closed:
            parts.append(node)
            continue
        if node.type.weak or node.type.host or node.type.open:
            return None
        if any([size is None for _, size in node.type.axes]):
            return None  # it takes its sizes from the tensors that the body combines it with
        sizes = [
            (a, s if isinstance(s, int) else ("like", seen.setdefault(s, len(seen))))
            for a, s in [(a, node.type.size(a)) for a in _ordered(leaf)]
        ]
        parts.append((leaf.path, tuple(sizes), node.type.kind))
    rest = [part for part in given.key if not isinstance(part, Node)]
    if any(isinstance(part, SymbolicTensor) for part in rest):
        return None
    return (formula.number, given.mode, tuple(rest), tuple(parts))


def _ordered(leaf: Leaf) -> tuple[str, ...]:
    """Give a leaf's axes as declared, then those that pass through."""
    declared = leaf.space.names
    return (*declared, *sorted([a for a in leaf.axes if a not in declared]))


def _traced(formula: Any, given: Any, before: int | None = None) -> Shared | None:
    """Run a layer's body on symbols of its own."""
    known: dict[Any, Any] = {}
    leaves: list[Leaf] = []
    own: list[Node] = []
    outer: list[Node] = []
    first = 0
    for i, leaf in enumerate(given.leaves):
        node = leaf.tensor.node
        if i == before:
            known, first = {}, len(own)
        if node.closed:
            leaves.append(leaf)
            continue
        key = f"{leaf.path} of {formula.name} {i}"
        sizes = {
            a: s if isinstance(s, int) else known.setdefault(s, size_of(key, a, place))
            for place, (a, s) in enumerate([(a, node.type.size(a)) for a in _ordered(leaf)])
        }
        type_ = node.type.with_axes(sizes.items())
        own.append(make_node(ARGUMENT(key, leaf.path.rpartition(".")[2]), (), type_))
        outer.append(node)
        leaves.append(Leaf(leaf.path, leaf.space, SymbolicTensor(own[-1]), leaf.state))
    row = {} if before is None else dict(zip(own[first:], outer[first:], strict=True))
    token = tracing.set(_asked_of(row, tracing.get()))
    asked = MODE.asked
    pairs: list[tuple[Any, Any]] = []
    around = sizes_held.set(pairs)
    try:
        result, cells = formula.body.inline(given.values, leaves, given.mode)
    except _Alone:
        return None
    finally:
        sizes_held.reset(around)
        tracing.reset(token)
        MODE.asked = MODE.asked or asked
    parts = list(result) if isinstance(result, tuple) else [result]
    values = [*parts, *[cell.value for cell in cells.values()]]
    if not all(isinstance(value, SymbolicTensor) for value in values):
        return None
    nodes = tuple([value.node for value in values])
    keys = {node.operation.params[0] for node in own}
    inside = list(operands_first(nodes))
    for node in inside:
        if node.operation.primitive in (ARGUMENT, SIZE) and node.operation.params[0] not in keys:
            return None
    if any(node.type.weak or node.type.host or node.type.open for node in nodes):
        return None
    effect = any(node.operation.primitive.effect for node in inside)
    step = Layer(tuple(own), 0, 0, nodes, formula.name, held=tuple(not_held(pairs, nodes)))
    return Shared(step, len(parts), tuple(cells), effect)


def _asked_of(row: Mapping[Node, Node], outside: Any) -> Callable[[Node], Any]:
    """Make what Python gets where a layer's body asks for a size: of the row, which all layers have."""
    names = {leaf.operation.params[0] for leaf in row}

    def number(size: Node) -> Any:
        asked = [n for n in operands_first([size]) if n.operation.primitive in (ARGUMENT, SIZE)]
        if not asked or any(n.operation.params[0] not in names for n in asked):
            raise _Alone
        found = _sizes([size], dict(row))[size]
        return outside(found) if isinstance(found, Node) else found

    return number


def rewritten(node: Node, step: Step) -> Node:
    """Rebuild a call of a layer with rewritten trees."""
    _, place, serial = node.operation.params
    return make_node(SHARED(step, place, serial), node.operands, node.type, node.guards)
