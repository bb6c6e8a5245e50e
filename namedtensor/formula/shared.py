"""Layers of a stack that are alike share a plan: the body is traced once, and becomes a function.

A call of such a layer is one node, whose operands are what the layer is given, and whose step, as that
of a recurrence, holds the trees of its results.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.formula.lifting import Leaf
from namedtensor.operations.recurrence import ALL, Looped, Step, placed
from namedtensor.operations.training import MODE
from namedtensor.plans import Emitter, Value
from namedtensor.plans.code import Apply, Function, Name, Return, code_of, printed
from namedtensor.plans.compile import collect_guards, guess
from namedtensor.plans.constants import constants_of
from namedtensor.plans.reuse import reuse_memory
from namedtensor.primitives import Call, Node, Operation, Type, primitive, size_of
from namedtensor.primitives.node import ARGUMENT, SIZE, make_node, operands_first
from namedtensor.primitives.notation import KERNEL
from namedtensor.tensor import SymbolicTensor
from namedtensor.tensor.apply import steps_traced
from namedtensor.tensor.symbolic import tracing


class _Alone(Exception):
    """A layer's body asks for what is not in it; it cannot be shared."""


@dataclass(frozen=True, eq=False, slots=True)
class Shared:
    """What a layer computes: its step, the states that it updates, and whether it draws anew each time."""

    step: Step
    results: int
    updates: tuple[str, ...]
    effect: bool


# ------------------------------------------------------------------------------ a call as a node


def _rule(call: Call) -> Type:
    step, place, _ = call.params
    if place == ALL:
        return Type(())
    given = {
        leaf: make_node(leaf.operation, (), replace(leaf.type, axes=type_.axes))
        for leaf, type_ in zip(step.leaves, call.types, strict=True)
    }
    pairs = [g for r in step.results for g in collect_guards(r)] if place == 0 else []
    found: Type = step.results[place].type
    inside = [size for pair in pairs for size in pair] + [size for _, size in found.axes]
    outside = _sizes(inside, given)
    call.guards += [(outside[first], outside[second]) for first, second in pairs]
    return found.with_axes([(axis, outside[size]) for axis, size in found.axes])


def _sizes(inside: Sequence[Any], given: dict[Node, Node]) -> dict[Any, Any]:
    """Give sizes inside of a layer as they are outside."""
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
    if key not in emit.several:
        name, orders = _function(emit, step, values)
        emit.several[key] = Looped(name, (), Type((), host=True), orders)
    function = emit.several[key]
    code = Apply(function.code, tuple(map(code_of, values)))
    bound = emit.bind(code, (), Type((), host=True), step.name)
    return Looped(bound.code, (), bound.type, function.orders)


def _function(
    emit: Any, step: Step, values: Sequence[Value]
) -> tuple[Name, tuple[tuple[str, ...], ...]]:
    """Write a layer as a function of values, and say in which order its results are stored."""
    name = emit.fresh(step.name)
    inner = Emitter(emit.backend)
    inner.locals.add(name)
    inner.held = emit.held
    leaves: list[Node] = []
    hints: dict[Node, int] = {}
    inner.guess = functools.partial(guess, hints)
    for leaf, value in zip(step.leaves, values, strict=True):
        key, stem = leaf.operation.params
        sizes = tuple([(a, size_of(key, a, place)) for place, a in enumerate(value.axes)])
        leaves.append(make_node(leaf.operation, (), replace(leaf.type, axes=sizes)))
        inner.arguments[key] = Value(Name(inner.fresh(stem)), value.axes, leaves[-1].type)
        hints |= {s: n for a, s in leaves[-1].type.axes if (n := emit.guess(value.type.size(a)))}
    parameters = [printed(v.code) for v in inner.arguments.values()]
    inner.like = next((v.code for v in inner.arguments.values() if v.strong), inner.like)
    results = step.on(leaves)
    inner.constants = constants_of(results)
    given = [inner.value(result) for result in results]
    inner.body.append(Return(tuple(given)))
    if emit.backend.name == "numpy":
        reuse_memory(inner)
    body = (*inner.unpacking(), *inner.body)
    emit.functions += [*inner.functions, Function(name, tuple(parameters), body)]
    emit.locals |= {function.name for function in inner.functions}
    return Name(name), tuple([value.axes for value in given])


#: shared(step, place, serial): one result of a layer, or all of them together.
SHARED = primitive("shared", _rule, _lower, write=_write, notation=KERNEL)
_serial = itertools.count(1)


# ------------------------------------------------------------------------------ a layer that is called


def share(
    cache: dict[Any, Any], formula: Any, values: dict[str, Any], mode: bool
) -> tuple[Any, dict[str, Any]] | None:
    """Give the results and the updated states of a layer as nodes; None where it is to be traced alone."""
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
    operands = tuple([leaf.tensor.node for leaf in given.leaves if not leaf.tensor.node.closed])
    serial = next(_serial) if shared.effect else 0
    found = []
    for place in range(len(shared.step.results)):
        call = SHARED(shared.step, place, serial).typed(
            tuple([o.type for o in operands]), ("",) * len(operands), operands
        )
        operation = SHARED(shared.step, place, serial)
        found.append(SymbolicTensor(make_node(operation, operands, call.result, call.guards)))
    parts, new = found[: shared.results], found[shared.results :]
    result = tuple(parts) if formula.signature.several else parts[0]
    return result, dict(zip(shared.updates, new, strict=True))


def _key(formula: Any, given: Any) -> Any:
    """Say what layers have in common that share a trace; None of one that cannot."""
    seen: dict[Any, int] = {}
    parts: list[Any] = []
    for leaf in given.leaves:
        if not isinstance(leaf.tensor, SymbolicTensor):
            return None
        node = leaf.tensor.node
        if node.closed:
            parts.append(node)
            continue
        if node.type.weak or node.type.host or node.type.open:
            return None
        sizes = [
            (a, s if isinstance(s, int) else ("like", seen.setdefault(s, len(seen))))
            for a, s in node.type.axes
        ]
        parts.append((leaf.path, leaf.tensor.axes, tuple(sizes), node.type.kind))
    rest = [part for part in given.key if not isinstance(part, Node)]
    if any(isinstance(part, SymbolicTensor) for part in rest):
        return None
    return (formula.number, given.mode, tuple(rest), tuple(parts))


def _traced(formula: Any, given: Any) -> Shared | None:
    """Run a layer's body on symbols of its own."""
    known: dict[Any, Any] = {}
    leaves, own = [], []
    for i, leaf in enumerate(given.leaves):
        node = leaf.tensor.node
        if node.closed:
            leaves.append(leaf)
            continue
        key = f"{leaf.path} of {formula.name} {i}"
        sizes = {
            a: s if isinstance(s, int) else known.setdefault(s, size_of(key, a, place))
            for place, (a, s) in enumerate([(a, node.type.size(a)) for a in leaf.tensor.axes])
        }
        type_ = node.type.with_axes([(a, sizes[a]) for a in node.type.names])
        own.append(make_node(ARGUMENT(key, leaf.path.rpartition(".")[2]), (), type_))
        leaves.append(
            Leaf(leaf.path, leaf.space, SymbolicTensor(own[-1], leaf.tensor.axes), leaf.state)
        )
    token = tracing.set(_refuse)
    asked = MODE.asked
    try:
        result, cells = formula.body.inline(given.values, leaves, given.mode)
    except _Alone:
        return None
    finally:
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
    return Shared(Step(tuple(own), 0, 0, nodes, formula.name), len(parts), tuple(cells), effect)


def _refuse(size: Node) -> Any:
    raise _Alone


def rewritten(node: Node, step: Step) -> Node:
    """Put rewritten trees into a call of a layer."""
    _, place, serial = node.operation.params
    return make_node(SHARED(step, place, serial), node.operands, node.type, node.guards)
