"""Recurrence along an axis (paper, section 4.2): h_i = step(h_{i-1}, X_{seq(i)}).

A step runs once, on symbols. The resulting trees are kept in the operation, so that one plan serves all
lengths: the positional code is a function for the step, and a loop that calls it.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.axes import FRESH, Axis, naming, shown, typed_axes, typed_axis, unused
from namedtensor.backends.lazy import is_number, is_scalar
from namedtensor.compilers import compiling
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    KindError,
    NamedTensorError,
    TraceError,
    flag,
    kind_of_thing,
)
from namedtensor.operations.axis_functions import axis_function, named_operand, same_size
from namedtensor.operations.expanding import EXPAND
from namedtensor.operations.joining import stack
from namedtensor.operations.loop_derivatives import change_of_loop, share_of_loop
from namedtensor.operations.step_trees import (
    Step,
    key_of,
    leaf_of,
    like_leaf,
    placed,
    placed_parts,
    step_of,
)
from namedtensor.plans import LIBRARY_ERRORS, Emitter, Lowered, Plan, Value, compile_plan
from namedtensor.plans.code import Function, Name, Return, printed
from namedtensor.plans.compile import collect_guards, guess
from namedtensor.plans.constants import constants_of
from namedtensor.plans.layout import layout_of
from namedtensor.plans.lifetimes import views_once
from namedtensor.plans.reuse import reuse_memory
from namedtensor.primitives import Call, Node, Operation, Type, number, primitive, size_of, table
from namedtensor.primitives.node import (
    ARGUMENT,
    SIZE,
    apply_node,
    describe,
    make_node,
    operands_first,
)
from namedtensor.primitives.notation import Special
from namedtensor.primitives.origins import made_again, noted_inside
from namedtensor.primitives.sizes import as_node
from namedtensor.primitives.traits import Acts, Traits
from namedtensor.primitives.type import widest
from namedtensor.shape import shapes
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply, tracing
from namedtensor.tensor.apply import (
    STAND_IN_ERRORS,
    argument_type,
    captured,
    capturing,
    checked,
    common_backend,
    sizes_held,
    steps_traced,
    type_of,
    with_declared_sizes,
)
from namedtensor.tensor.diagnose import diagnose
from namedtensor.tensor.resize import need_sizes
from namedtensor.tensor.symbolic import on_symbols
from namedtensor.tensor.wrong_calls import call_passed

# ---------------------------------------------------------------------------- the loop as a node

#: The place that stands for all results of a loop together; other places count its results.
ALL = -1


def _scan_rule(call: Call) -> Type:
    """Check a step on its operands; its results' axes and kinds are as they were when it was traced."""
    axis, _, listed, step, place = call.params
    types, size = _element_types(call, axis, step)
    given = _operands_of(step.leaves, types, call.values)
    results = step.on(given)
    for result in results:
        call.guards += collect_guards(result)
    for carry, result in zip(given[: step.carries], results, strict=False):
        _same_sizes(call, describe(carry, 0) or "h", carry.type, result.type)
    if place == ALL:
        return Type((), results[0].type.kind if results else "float")
    found = given[place].type if place < step.carries else results[place].type
    axes = (*([(axis, size)] if listed[place] else []), *found.axes)
    return Type(axes, found.kind)


def _operands_of(
    leaves: Sequence[Node], types: Sequence[Type], values: Sequence[Any]
) -> list[Node]:
    """Give leaves the types of a loop's operands; a number, which may be a size, keeps its value."""
    return [
        as_node(getattr(value, "node", value))
        if leaf.type.host
        else make_node(leaf.operation, (), replace(leaf.type, axes=type_.axes))
        for leaf, type_, value in zip(leaves, types, values, strict=True)
    ]


def _element_types(call: Call, axis: str, step: Step) -> tuple[list[Type], Any]:
    """Give the operands' types as the step sees them, and the size of the axis that it runs along."""
    sequences = range(step.carries, step.carries + step.sequences)
    for i in sequences:
        call.need(i, [axis])
    size = call.agree(axis, sequences)
    return [t.without([axis]) if i in sequences else t for i, t in enumerate(call.types)], size


def _same_sizes(call: Call, name: str, before: Type, after: Type) -> None:
    """Require the next carry to have the sizes of the carry."""
    for axis, size in before.axes:
        new = after.size(axis)
        if isinstance(size, int) and isinstance(new, int):
            if size != new:
                raise call.fail(
                    AxisSizeError,
                    f"axis {shown(axis)} is {size} in {name} and {new} in the next {name}",
                    "a carry keeps its sizes: the step may not join to it, or cut it",
                )
        elif size is not new:
            call.guards.append((size, new))


def _write_scan(operation: Operation, labels: tuple[str, ...]) -> str:
    if not operation.params:
        return f"scan({', '.join(labels)})"
    axis, _, _, step, _ = operation.params
    given = labels[: step.carries + step.sequences]
    return f"scan[{shown(axis)}]({', '.join([step.name, *given])})"


def _lower_scan(emit: Emitter, call: Lowered, *values: Value) -> Value:
    axis, reverse, listed, step, place = call.params
    if place == ALL:
        return _lower_loop(emit, call, values)
    node = call.node
    every = make_node(SCAN(axis, reverse, listed, step, ALL), node.operands, Type(()))
    loop: Any = emit.value(every)
    code, axes = emit.subscript(loop, place), loop.orders[place]
    if not listed[place]:
        return Value(code, axes, call.type)
    like = next((v for v in values if v.strong and v.type.kind == call.type.kind), emit.like)
    zero = {"bool": False, "int": 0}.get(call.type.kind, 0.0)
    code = emit.call("stacked", code, emit.sizes_of(call.type, axes), zero, like)
    made: Value = emit.bind(code, (axis, *axes), call.type, "H")
    return made


#: Gives the results of a step as its function returns them.
Finish = Callable[[Emitter, Sequence[Node]], list[Value]]


@dataclass(frozen=True, slots=True)
class Looped(Value):
    """The results of a loop in emitted code: a tuple; each has its own storage order."""

    orders: tuple[tuple[str, ...], ...] = ()


def _lower_loop(emit: Emitter, call: Lowered, values: Sequence[Any]) -> Value:
    """Write the step as a function, and the loop as a call."""
    axis, reverse, listed, step, _ = call.params
    plain = hoisted(call.node)
    if plain is not call.node:
        ready: Value = emit.value(plain)
        return ready
    carries, sequences = step.carries, range(step.carries, step.carries + step.sequences)
    values = [
        _started(emit, v, leaf, values) if i < carries else v
        for i, (v, leaf) in enumerate(zip(values, step.leaves, strict=True))
    ]
    seen = [
        Value(v.code, tuple([a for a in v.axes if a != axis or i not in sequences]), v.type)
        for i, v in enumerate(values)
    ]
    name, orders = step_function(emit, step, seen, _as_carried(step, seen))
    code = emit.call(
        "loop",
        name,
        tuple(values[:carries]),
        tuple([emit.call("unbind", values[i], values[i].place(axis)) for i in sequences]),
        tuple(values[carries + step.sequences :]),
        listed=listed,
        **({"reverse": True} if reverse else {}),
    )
    loop = emit.bind(code, (), Type((), host=True), "states")
    return Looped(loop.code, (), loop.type, orders)


def _as_carried(step: Step, values: Sequence[Value]) -> Finish:
    """Store each carry as the one before it."""

    def finish(inner: Emitter, results: Sequence[Node]) -> list[Value]:
        orders = [v.axes for v in values[: step.carries]]
        orders += [r.type.names for r in results[step.carries :]]
        return [_next(inner, r, order) for r, order in zip(results, orders, strict=True)]

    return finish


def step_function(
    emit: Emitter,
    step: Any,
    values: Sequence[Value],
    finish: Finish,
) -> tuple[Name, tuple[tuple[str, ...], ...]]:
    """Write a step as a function of values, and say in which order its results are stored.

    `finish` gives the results as the function returns them.
    """
    name, inner = emit.title(step.name), emit.inside()
    leaves: list[Node] = []
    hints: dict[Node, int] = {}
    inner.guess = functools.partial(guess, hints)
    for leaf, value in zip(step.leaves, values, strict=True):
        key, stem = leaf.operation.params
        sizes = tuple([(a, size_of(key, a, place)) for place, a in enumerate(value.axes)])
        leaves.append(make_node(leaf.operation, (), replace(leaf.type, axes=sizes)))
        inner.arguments[key] = Value(Name(inner.fresh(stem)), value.axes, leaves[-1].type)
        inner.inherit(emit, key, value)
        hints |= {s: n for a, s in leaves[-1].type.axes if (n := emit.guess(value.type.size(a)))}
    parameters = [printed(v.code) for v in inner.arguments.values()]
    inner.like = next((v.code for v in inner.arguments.values() if v.strong), inner.like)
    results = step.on(leaves)
    inner.constants = constants_of(results)
    given = finish(inner, results)
    inner.body.append(Return(tuple(given)))
    inner.body = views_once(inner.body, inner.fresh)
    if emit.backend.name == "numpy":
        reuse_memory(inner)
    body = (*inner.unpacking(), *inner.body)
    emit.functions += [*inner.functions, Function(name, tuple(parameters), body)]
    return Name(name), tuple([value.axes for value in given])


def _started(emit: Emitter, value: Value, leaf: Node, values: Sequence[Value]) -> Value:
    """Turn the start of a recurrence into data if it is a number or index-defined."""
    if value.strong:
        return value
    strong = [v for v in values if v.strong]
    data = [v for v in strong if v.type.kind == leaf.type.kind]
    if leaf.type.kind in ("float", "complex"):
        data = data or strong
    if value.type.host:
        # a whole number gets a wide dtype, as Python's have, whatever it is combined with
        same = data and data[0].type.kind == leaf.type.kind != "int"
        word, like = ("full_like_kind", data[0]) if same else ("full", emit.like)
        code = emit.call(word, (), value, like)
        if not same and leaf.type.kind == "float":
            code = emit.floating(code)
        made: Value = emit.bind(code, (), leaf.type, "start")
        return made
    if not data:
        named: Value = emit.named(value)
        return replace(named, type=replace(named.type, weak=False))
    typed: Value = emit.named(emit.typed_like(value, data))
    return replace(typed, type=replace(typed.type, weak=False))


def _next(emit: Emitter, node: Node, order: tuple[str, ...]) -> Value:
    """Give a result of a step as data in a storage order."""
    value: Value = emit.value(node)
    if value.type.host:
        return Value(emit.call("full_like_kind", (), value, emit.like), (), node.type)
    data = [v for v in emit.arguments.values() if v.strong and v.type.kind == node.type.kind]
    if node.type.open:
        value = emit.settled(value, next(iter(data), None))
    moved: Value = emit.permute(emit.typed_like(value, data), order)
    return moved


SCAN = primitive(
    "scan",
    _scan_rule,
    _lower_scan,
    write=_write_scan,
    notation=Special("scan"),
    traits=Traits(dtype="given", acts=lambda params: Acts(along=params[:1])),
    differential=change_of_loop,
    share=share_of_loop,
)


# ------------------------------------------------------- steps that may be taken in another order


def _associative_rule(call: Call) -> Type:
    """Check the combination of all earlier with all later elements.

    Along the axis these have a hidden name, which the combination cannot see.
    """
    axis, hidden, _, step, place = call.params
    count = step.carries
    for i in range(count):
        call.need(i, [axis])
    call.agree(axis, range(count))
    parts = [_renamed(t, axis, hidden) for t in call.types[:count]]
    types, values = [*parts, *parts, *call.types[count:]], [*call.values[:count], *call.values]
    given = _operands_of(step.leaves, types, values)
    results = step.on(given)
    for result in results:
        call.guards += collect_guards(result)
    for part, result in zip(given[:count], results, strict=True):
        _same_sizes(call, describe(part, 0), part.type, result.type)
    return _renamed(given[max(place, 0)].type, hidden, axis)


def _renamed(type_: Type, before: str, after: str) -> Type:
    return type_.with_axes([(after if a == before else a, size) for a, size in type_.axes])


def _lower_associative(emit: Emitter, call: Lowered, *values: Value) -> Value:
    axis, hidden, reverse, step, place = call.params
    if place != ALL:
        every = ASSOCIATIVE(axis, hidden, reverse, step, ALL)
        loop: Any = emit.value(make_node(every, call.node.operands, Type(())))
        order = (axis, *loop.orders[place][1:])
        made: Value = emit.bind(emit.subscript(loop, place), order, call.type, "H")
        return made
    count = step.carries
    parts = []
    for v, leaf in zip(values[:count], step.leaves[:count], strict=True):
        data = _started(emit, v, leaf, values)
        moved = emit.permute(data, (axis, *[a for a in data.axes if a != axis]))
        parts.append(
            Value(moved.code, (hidden, *moved.axes[1:]), _renamed(moved.type, axis, hidden))
        )
    seen = [*parts, *parts, *values[count:]]
    name, orders = step_function(emit, step, seen, _as_carried(step, seen))
    settings = {"reverse": True} if reverse else {}
    code = emit.call("associate", name, tuple(parts), tuple(values[count:]), **settings)
    bound = emit.bind(code, (), Type((), host=True), "combined")
    return Looped(bound.code, (), bound.type, orders)


def _write_associative(operation: Operation, labels: tuple[str, ...]) -> str:
    if not operation.params:
        return f"associative_scan({', '.join(labels)})"
    axis, _, _, step, _ = operation.params
    return f"associative_scan[{shown(axis)}]({', '.join([step.name, *labels[: step.carries]])})"


ASSOCIATIVE = primitive(
    "associative_scan",
    _associative_rule,
    _lower_associative,
    write=_write_associative,
    notation=Special("associative scan"),
    traits=Traits(dtype="given", acts=lambda params: Acts(along=params[:1])),
    differential=change_of_loop,
    share=share_of_loop,
)


# ------------------------------------------------------------- parts that do not need the carry

FIXED, ELEMENT, CARRIED = range(3)


def hoisted(node: Node) -> Node:
    """Move parts that depend on elements alone out of the loop: lifted over the axis, computed at once.

    [f(X)]_{seq(i)} = f(X_{seq(i)}) where f does not name seq. Only what sums is worth the memory.
    """
    axis, reverse, listed, _, place = node.operation.params
    step = step_of(node)
    level = _levels(step, axis)
    found: dict[Node, None] = {}
    for part in operands_first(step.results):
        if level[part] == CARRIED:
            found |= {o: None for o in part.operands if level[o] == ELEMENT}
    found |= {r: None for r in step.results if level[r] == ELEMENT}
    tops = [part for part in found if _sums(part, level)]
    if not tops:
        return node
    outside = dict(zip(step.leaves, node.operands, strict=True))
    done = placed(tops, outside)
    stem, taken = key_of(step.elements[0]), {key_of(leaf) for leaf in step.leaves}
    keys = (key for j in itertools.count() if (key := f"{stem} {j}") not in taken)
    # what depends on no data outside has no dtype in the step either
    new = [
        leaf_of(key, "x", t.type.names, replace(t.type, weak=d.type.weak))
        for key, t, d in zip(keys, tops, done, strict=False)
    ]
    results = placed_parts(step.results, dict(zip(tops, new, strict=True)))
    used = {key_of(n) for n in operands_first(results) if n.operation.primitive in (ARGUMENT, SIZE)}
    first, last = step.carries, step.carries + step.sequences
    kept = [
        (leaf, operand)
        for leaf, operand in zip(step.elements, node.operands[first:last], strict=True)
        if key_of(leaf) in used
    ]
    elements = [*kept, *zip(new, done, strict=True)]
    outer = [
        (leaf, operand)
        for leaf, operand in zip(step.leaves[last:], node.operands[last:], strict=True)
        if key_of(leaf) in used
    ]
    pairs = [*zip(step.leaves[:first], node.operands[:first], strict=True), *elements, *outer]
    lighter = replace(
        step, leaves=tuple([p[0] for p in pairs]), sequences=len(elements), results=results
    )
    operation = SCAN(axis, reverse, listed, lighter, place)
    return apply_node(operation, tuple([p[1] for p in pairs]))


def _levels(step: Step, axis: str) -> dict[Node, int]:
    """Say for each part of a step whether it needs the carry, or elements alone."""
    level: dict[Node, int] = {}
    first, last = step.carries, step.carries + step.sequences
    for place, leaf in enumerate(step.leaves):
        level[leaf] = CARRIED if place < first else ELEMENT if place < last else FIXED
    for node in operands_first(step.results):
        if node in level:
            continue
        found = max([level[o] for o in node.operands], default=FIXED)
        lifts = found != ELEMENT or _lifts(node, axis, [level[o] for o in node.operands])
        if node.operation.primitive.effect or not lifts:
            found = CARRIED
        level[node] = found
    return level


def _lifts(node: Node, axis: str, levels: Sequence[int]) -> bool:
    """Say whether an operation may be applied to all elements at once."""
    traits = node.operation.primitive.traits
    if traits.scatters and levels[0] != ELEMENT and ELEMENT in levels[2:]:
        return False
    free = not any(n.type.has(axis) for n in (node, *node.operands))
    return free and (traits.pointwise or bool(traits.linear))


def _sums(part: Node, level: dict[Node, int]) -> bool:
    inside = [n for n in operands_first([part]) if level[n] == ELEMENT and n.operands]
    entries = [n.operation.primitive.traits for n in inside]
    return any(not (traits.pointwise or traits.spreads) for traits in entries)


# ------------------------------------------------------------------------- a loop as it is written


@dataclass(frozen=True, slots=True)
class Unfolded:
    """One step of a loop, to be written: what it uses from outside is in its place.

    `before` are the carries before a step, `after` those after it, which what is emitted may use;
    `starts` and `sequences` are outside. An associative scan starts with its first elements.
    """

    axis: str
    reverse: bool
    starts: tuple[Node, ...]
    sequences: tuple[Node, ...]
    before: tuple[Node, ...]
    after: tuple[Node, ...]
    elements: tuple[Node, ...]
    results: tuple[Node, ...]


def unfolded(node: Node) -> Unfolded:
    """Read a node of a loop."""
    step = step_of(node)
    if node.operation.primitive is ASSOCIATIVE:
        axis, hidden, reverse, _, _ = node.operation.params
        count = step.carries
        both = step.leaves[: 2 * count]
        bare = [like_leaf(h, h.type.without([hidden]).names) for h in both]
        results = step.on([*bare, *node.operands[count:]])
        before, later = tuple(bare[:count]), tuple(bare[count:])
        return Unfolded(axis, reverse, (), node.operands[:count], before, (), later, results)
    axis, reverse, *_ = node.operation.params
    first, last = step.carries, step.carries + step.sequences
    outside = dict(zip(step.leaves[last:], node.operands[last:], strict=True))
    results = placed(step.results, outside)
    before = step.leaves[:first]
    after = tuple(
        [leaf_of(f"{key_of(h)} next", h.operation.params[1], h.type.names, h.type) for h in before]
    )
    known = {r: h for r, h in zip(results, after, strict=False) if r.operands}
    return Unfolded(
        axis,
        reverse,
        tuple([_narrow(start) for start in node.operands[:first]]),
        node.operands[first:last],
        before,
        after,
        step.elements,
        (*results[:first], *placed_parts(results[first:], known)),
    )


def recurs(node: Node) -> bool:
    """Say whether a node is a result of a loop."""
    return node.operation.primitive in (SCAN, ASSOCIATIVE)


def rounds_of(node: Node) -> tuple[Any, list[tuple[Any, Any]]]:
    """Give the number of steps of a loop, and pairs of a size in the step and the size outside."""
    axis, *_, step, _ = node.operation.params
    outside = node.operands
    if node.operation.primitive is ASSOCIATIVE:
        outside = (*outside[: step.carries], *outside)
    pairs = [
        (size, operand.type.size(name))
        for leaf, operand in zip(step.leaves, outside, strict=True)
        for name, size in leaf.type.axes
        if operand.type.has(name)
    ]
    rounds = next((o.type.size(axis) for o in outside if o.type.has(axis)), 1)
    return rounds, pairs


def kept_along(node: Node) -> bool:
    """Say whether a result of a loop has every value along the axis, not the last alone."""
    if node.operation.primitive is ASSOCIATIVE:
        return True
    _, _, listed, _, place = node.operation.params
    return bool(listed[place])


def _narrow(start: Node) -> Node:
    """Undo the widening of a recurrence's start, for printing."""
    while start.operation.primitive is EXPAND:
        start = start.operands[0]
    return start


# --------------------------------------------------------------------------- a step run on symbols

#: What a hint says of a start, which data does not explain better: the start would be a plain number.
_STARTS = " starts without "


class Trace:
    """One recurrence: its step run on symbols, until the carry has all the axes that it gets.

    `operands` are what the loop takes, in the order of the step's leaves.
    """

    def __init__(self, said: Said, step: Any, carry: Any, sequences: Sequence[Any], emit: Any):
        self.said = said
        self.function = step
        self.emit = emit
        self.form = carry
        self.carry = list(flat(carry))
        self.sequences = list(sequences)
        self.held: dict[int, tuple[NamedTensor, SymbolicTensor]] = {}
        self.depth = steps_traced.get()  # a step inside of another has leaves of its own
        self.types: dict[str, Type] = {}
        self.emitted: Any = None
        self._outer = tracing.get()
        self._run_until_wide()

    def _run_until_wide(self) -> None:
        """Run the step; again, where the next carry has more axes, or a number becomes another kind."""
        types = [type_of(h) for h in self.carry]
        types, results, next_types = self._first_run(types)
        while True:
            wider = []
            for before, after in zip(types, next_types, strict=False):
                new = [(a, self._outside(s)) for a, s in after.axes if not before.has(a)]
                kind = after.kind if before.host and not before.axes else before.kind
                wider.append(Type((*new, *before.axes), kind, host=before.host))
            if wider == types:
                break
            types = wider
            results, next_types = self._run(types)
        self._hold_sizes(types)
        for name, before, after in zip(self.said.names, types, next_types, strict=False):
            self.said.check_next(name, before, after)
        self.step, self.operands = self._closed(results, types)

    def _first_run(self, types: list[Type]) -> tuple[list[Type], list[Node], list[Type]]:
        """Run the step first; a whole number in the carry becomes real if the step fails otherwise."""
        try:
            return types, *self._run(types)
        except AxisMissingError as error:
            self._tell_start(error)
            raise
        except KindError:
            whole = [i for i, t in enumerate(types) if t.host and t.kind in ("bool", "int")]
            for chosen in [*[[i] for i in whole], whole]:
                real = [replace(t, kind="float") if i in chosen else t for i, t in enumerate(types)]
                with suppress(KindError):
                    return real, *self._run(real)
            raise

    def _tell_start(self, error: AxisMissingError) -> None:
        """Say how to start where the step needs an axis of a carry that starts without it."""
        lacking = re.fullmatch(r"(\w+) has no axis (\S+)", error.why)
        if lacking is None or lacking[1] not in self.said.names[: len(self.carry)]:
            return
        label, axis = lacking.groups()
        typed = typed_axis(axis)
        sizes = [type_of(X).size(axis) for X in self.sequences if axis in X.axes]
        size = next((s for s in sizes if isinstance(s, int)), f"abs({typed})")
        error.hint = (
            f"{label}{_STARTS}{axis}: start with all axes that the step needs, such as "
            f"nt.zeros({typed}[{size}])"
        )
        error.args = (*error.args[:-1], error.hint)

    def _hold_sizes(self, carry: Sequence[Type]) -> None:
        """Require equal what the formulas called by the step require equal; they raise the error."""
        around = sizes_held.get()
        for pair in self.pairs:
            first, second = map(self._outside, pair)
            if isinstance(first, int) and isinstance(second, int):
                if first != second:
                    self._run(carry, sized=True)
            elif around is not None and first is not second:
                around.append((first, second))

    def _run(self, carry: Sequence[Type], sized: bool = False) -> tuple[list[Node], list[Type]]:
        axis = self.said.axis.name
        elements = [type_of(X).without([axis]) for X in self.sequences]
        self.types, self.held = {}, {}
        self.leaves: list[Node] = []
        self.pairs: list[tuple[Any, Any]] = []
        self.sized = sized
        symbols = [
            self._symbol(name, type_)
            for name, type_ in zip(self.said.names, [*carry, *elements], strict=True)
        ]
        given = [formed(self.form, symbols[: len(carry)]), *symbols[len(carry) :]]
        with ExitStack() as around:
            around.callback(tracing.reset, tracing.set(self._number))
            around.callback(capturing.reset, capturing.set(self._hold))
            around.callback(steps_traced.reset, steps_traced.set(self.depth + 1))
            around.callback(on_symbols.reset, on_symbols.set(True))
            around.callback(sizes_held.reset, sizes_held.set(self.pairs))
            around.enter_context(noted_inside(self.said.step))
            after = self.said.ask("the step", self.function, *given)
            parts = self.said.like(self.form, after)
            if self.emit is not None:
                self.emitted = self.said.ask("emit", self.emit, after, *given[1:])
            parts += flat(self.emitted)
            nodes = [self._node(part) for part in parts]
        nodes[: len(carry)] = map(_lifted_like, self.leaves, nodes[: len(carry)])
        return nodes, [n.type for n in nodes]

    def _symbol(self, name: str, type_: Type) -> SymbolicTensor:
        key = f"{name} {self.depth}.{len(self.types)}"
        own = replace(type_, host=False, weak=False)
        leaf = (
            make_node(ARGUMENT(key, name), (), own)
            if self.sized
            else leaf_of(key, name, type_.names, own)
        )
        self.types[key] = type_
        self.leaves.append(leaf)
        return SymbolicTensor(leaf)

    def _hold(self, X: NamedTensor) -> Any:
        """Take in data that the step uses: it becomes an operand of the loop."""
        if tracing.get() != self._number:
            return None  # a formula that the step calls is being traced on its own
        if id(X) not in self.held:
            self.held[id(X)] = X, self._symbol(f"given{len(self.held) + 1}", type_of(X))
        return self.held[id(X)][1]

    def _node(self, value: Any) -> Node:
        if isinstance(value, SymbolicTensor):
            need_sizes(value.node, str(self.said))
            node: Node = value.node
            return node
        if isinstance(value, NamedTensor):
            held = self._hold(value)
            return held.node  # type: ignore[no-any-return]
        if is_number(value):
            return number(value.item() if is_scalar(value) else value)
        raise self.said.no_tensor(value)

    def _outside(self, size: Any) -> Any:
        """Map a size inside of the step to the size outside."""
        if not isinstance(size, Node):
            return size
        (found,) = placed([size], {leaf: _typed(leaf, self.types) for leaf in self.leaves})
        return found if found.value is None else found.value

    def _number(self, size: Node) -> Any:
        """Give the number of a size if Python needs it inside of the step."""
        found = self._outside(size)
        if isinstance(found, int):
            return found
        if self._outer is not None:
            return self._outer(found)
        raise TraceError(
            describe(size),
            "Python asks for the number of a size that is open here",
            hint='give the size: f.shape("seq[5]") for f.shape("seq")',
        )

    def _closed(self, results: list[Node], carry: Sequence[Type]) -> tuple[Step, list[Any]]:
        """Turn the largest parts of the step that are the same at each step into operands."""
        own = {key_of(leaf) for leaf in self.leaves}
        inside: set[Node] = set()
        for node in operands_first(results):
            at_leaf = node.operation.primitive in (ARGUMENT, SIZE) and key_of(node) in own
            effect = node.operation.primitive.effect
            if at_leaf or effect or any(o in inside for o in node.operands):
                inside.add(node)
        parts = [o for n in operands_first(results) if n in inside for o in n.operands]
        outside = [n for n in dict.fromkeys([*parts, *results]) if n not in inside and not n.closed]
        leaves: list[Node] = []
        for node in outside:
            name = str(node.operation.params[-1]) if not node.operands else "fixed"
            key = f"{name} {self.depth}.{len(own) + len(leaves)}"
            leaves.append(leaf_of(key, name.rpartition(".")[2], node.type.names, node.type))
        if outside:
            given = dict(zip(outside, leaves, strict=True))
            results = list(made_again(results, lambda roots: placed_parts(roots, given)))
        count = len(self.carry), len(self.sequences)
        held = [X for X, _ in self.held.values()]
        starts = [self._widened(h, t) for h, t in zip(self.carry, carry, strict=True)]
        step = Step((*self.leaves, *leaves), *count, tuple(results), self.said.step)
        return step, [*starts, *self.sequences, *held, *map(SymbolicTensor, outside)]

    def _as_kind(self, number: Any, kind: str) -> Any:
        """Give a number that a carry starts with the kind of the carry."""
        of_kind = {"bool": bool, "int": int, "float": float, "complex": complex}[kind]
        try:
            found = of_kind(number)
        except (TypeError, ValueError, OverflowError):  # 1j is no float, and nan no whole number
            found = None
        if found != number and found == found:  # nan stays nan
            raise self.said.error(
                KindError,
                f"a carry starts as {number}, and the step gives {kind} numbers",
                f"start with {kind} numbers",
            )
        return found

    def _widened(self, h: Any, type_: Type) -> Any:
        """Give the start of the recurrence the axes of the carry."""
        if not isinstance(h, NamedTensor):
            h = self._as_kind(h.item() if is_scalar(h) else h, type_.kind)
            data = [
                X
                for X in [*self.sequences, *[X for X, _ in self.held.values()]]
                if not _is_symbol(X)
            ]
            if data and type_.axes and all(isinstance(size, int) for _, size in type_.axes):
                like = next((X for X in data if X.kind == type_.kind), None)
                same = like is not None and type_.kind != "int"
                h = _filled(type_, h, data[0] if like is None else like, same)
        have = () if not isinstance(h, NamedTensor) else h.axes
        for axis, size in reversed([a for a in type_.axes if a[0] not in have]):
            start = h if isinstance(h, NamedTensor) else SymbolicTensor(number(h))
            h = apply(EXPAND(axis), start, SymbolicTensor(size) if isinstance(size, Node) else size)
        return h


def _lifted_like(h: Node, after: Node) -> Node:
    """Repeat the next carry over the axes that no formula's body sees, which lift: it cannot lose them."""
    for axis, size in h.type.axes:
        if axis.endswith(FRESH) and not after.type.has(axis):
            after = apply_node(EXPAND(axis), (after, as_node(size)))
    return after


def _typed(leaf: Node, types: dict[str, Type]) -> Node:
    return make_node(leaf.operation, (), replace(leaf.type, axes=types[key_of(leaf)].axes))


def _is_symbol(X: Any) -> bool:
    return isinstance(X, SymbolicTensor)


def _is_data(X: Any) -> bool:
    return isinstance(X, NamedTensor) and not isinstance(X, SymbolicTensor)


def _filled(type_: Type, value: Any, like: NamedTensor, same_kind: bool) -> NamedTensor:
    backend = like.layout.backend
    shape = tuple([size for _, size in type_.axes])
    if same_kind:
        data = backend.function("full_like_kind")(shape, value, like.data)
    else:
        data = backend.function("full")(shape, value, like.data)
        data = backend.function("floating")(data) if type_.kind == "float" else data
    return NamedTensor(data, layout_of(type_.names, type_.kind, backend))


# ------------------------------------------------------------------------------ carries and words


def flat(form: Any) -> list[Any]:
    """List the parts of a carry: one tensor, a tuple, or None."""
    return [] if form is None else list(form) if isinstance(form, (tuple, list)) else [form]


def formed(form: Any, parts: Sequence[Any]) -> Any:
    """Put parts into the form of a carry."""
    return None if form is None else tuple(parts) if isinstance(form, (tuple, list)) else parts[0]


class Said:
    """The call as written, for messages, with the names of the carries and elements."""

    def __init__(
        self, name: str, axis: Axis, step: Any, carry: Any, sequences: Sequence[Any]
    ) -> None:
        self.name = name
        self.axis = axis
        code = getattr(step, "__code__", None)
        words = list(code.co_varnames[: code.co_argcount]) if code is not None else []
        count = 1 + len(sequences)
        if len(words) != count:
            words = ["h", *"xyzuvw"[: count - 1]] if count < 8 else [f"x{i}" for i in range(count)]
        parts = flat(carry)
        first = [words[0]] if len(parts) == 1 else [f"{words[0]}{i + 1}" for i in range(len(parts))]
        self.names = [*first, *words[1:]]
        self.function = step
        self.sequences = sequences
        self.carry = carry
        word = getattr(step, "__name__", "step")
        self.step = word if word.isidentifier() else "step"

    def name_both(self, combine: Any, count: int) -> None:
        """Name the earlier and the later element that a combination takes."""
        code = getattr(combine, "__code__", None)
        words = list(code.co_varnames[: code.co_argcount]) if code is not None else []
        numbers = [str(i + 1) for i in range(count)] if count > 1 else [""]
        both = words if len(words) == 2 else ["x", "y"]
        self.names = [word + number for word in both for number in numbers]

    def __str__(self) -> str:
        if self.name == "associative_scan":
            return f"{self.name}[{shown(self.axis.name)}](combine, X)"
        given = ", ".join(["h0", *"XYZUVW"[: len(self.sequences)]])
        return f"{self.name}[{shown(self.axis.name)}](step, {given})"

    def error(self, kind: type[NamedTensorError], why: str, hint: str) -> NamedTensorError:
        return kind(str(self), why, self.shapes(), hint)

    def ask(self, what: str, function: Any, *given: Any) -> Any:
        """Call a function that was passed; one that does not take what it is given is refused."""

        def refusal(why: str) -> NamedTensorError:
            words = ["h", *"xyzuvw"] if len(given) < 8 else [f"x{i}" for i in range(len(given))]
            return self.error(
                KindError,
                f"{what} is given {len(given)} arguments, and {why}",
                f"lambda {', '.join(words[: len(given)])}: ...",
            )

        return call_passed(function, given, refusal)

    def shapes(self) -> list[tuple[str, str]]:
        pairs = [
            *zip(self.names, flat(self.carry), strict=False),
            *zip("XYZUVW", self.sequences, strict=False),
        ]
        return [(name, str(type_of(X))) for name, X in pairs if isinstance(X, NamedTensor)]

    def like(self, form: Any, after: Any) -> list[Any]:
        """Raise unless the step gives a carry of the same structure."""
        parts = flat(after)
        same = isinstance(form, (tuple, list)) == isinstance(after, (tuple, list))
        if same and (form is None) == (after is None) and len(parts) == len(flat(form)):
            for part in parts:
                if not (isinstance(part, NamedTensor) or is_number(part)):
                    raise self.no_tensor(part)
            return parts
        raise self.error(
            NamedTensorError,
            f"the carry is {_structure(form)}, and the step gives {_structure(after)}",
            "a step gives the next carry, of the same structure; emit=g gives other things along "
            f"{shown(self.axis.name)}",
        )

    def no_tensor(
        self, value: Any, who: str = "the step", wanted: str = "a carry is made of named tensors"
    ) -> NamedTensorError:
        return self.error(
            NamedTensorError,
            f"{who} gives {kind_of_thing(value)}, and {wanted}",
            f"give {'the next carry, ' if who == 'the step' else ''}a named tensor or a tuple of them",
        )

    def check_next(self, name: str, before: Type, after: Type, settled: bool = True) -> None:
        """Raise unless the next carry has the axes and the kind of the carry."""
        lost = [a for a in before.names if not after.has(a)]
        if lost and settled:
            listed = ", ".join(map(shown, lost))
            raise self.error(
                AxisMissingError,
                f"the next {name}, over {' '.join(map(shown, after.names)) or 'no axes'}, "
                f"has lost {listed}",
                f"a carry keeps its axes: start without {listed}, or keep it in the step",
            )
        for axis, size in before.axes:
            new = after.size(axis) if after.has(axis) else None
            if isinstance(size, int) and isinstance(new, int) and size != new:
                raise self.error(
                    AxisSizeError,
                    f"axis {shown(axis)} is {size} in {name} and {new} in the next {name}",
                    "a carry keeps its sizes: the step may not join to it, or cut it",
                )
        if after.has(self.axis.name):
            raise self.error(
                AxisClashError,
                f"the next {name} has the axis {shown(self.axis.name)}, along which the steps are taken",
                "reduce or rename that axis in the step",
            )
        if (
            before.kind != after.kind
            and not before.host
            and not (after.host and widest([before.kind, after.kind]) == before.kind)
        ):
            raise self.error(
                KindError,
                f"{name} holds {before.kind} numbers, and the next {name} {after.kind} numbers",
                f"start with {after.kind} numbers: nt.cast(h0, {after.kind})"
                if widest([before.kind, after.kind]) == after.kind
                else f"keep {before.kind} numbers in the step: nt.cast({name}, {before.kind})",
            )


def _structure(form: Any) -> str:
    if form is None:
        return "None"
    if isinstance(form, (tuple, list)):
        return f"a tuple of {len(form)}"
    return "one named tensor" if isinstance(form, NamedTensor) else kind_of_thing(form)


# -------------------------------------------------------------------------------------- running


def _recur(said: Said, reverse: bool, emit: Any, every: bool) -> tuple[Any, Any]:
    """Run a recurrence; give its carry, every one or the last, and what it emits."""
    carry, sequences = said.carry, said.sequences
    call = f"{said.name}[{said.axis.name}]"
    if not sequences:
        raise AxisNameError(
            f"{call}(step, h0)",
            "there is nothing to run along",
            hint=f"nt.{said.name}[{said.axis.name}](step, h0, X)",
        )
    for X in sequences:
        if isinstance(X, (tuple, list)):
            both = ", ".join("XYZUVW"[: max(2, len(X))])
            raise KindError(
                str(said),
                f"a sequence is {kind_of_thing(X)}, and each is given by itself",
                hint=f"nt.{said.name}[{typed_axes([said.axis.name])}](step, h0, {both}), with "
                f"step(h, {both.lower()})",
            )
        named_operand(call, X, said.axis)
    if all(isinstance(X.size(said.axis), int) for X in sequences):
        same_size(call, said.axis.name, sequences)
    carry = said.carry = formed(carry, [with_declared_sizes(h) for h in flat(carry)])
    for name, h in zip(said.names, flat(carry), strict=False):
        _startable(said, name, h)
    if carry is None and emit is None:
        raise AxisNameError(
            f"{call}(step, None, X)",
            "there is neither a carry nor anything to emit",
            said.shapes(),
            f"nt.{said.name}[{said.axis.name}](step, None, X, emit=g)",
        )
    given = [*flat(carry), *sequences]

    def traced() -> tuple[Any, Any]:
        trace = Trace(said, said.function, carry, sequences, emit)
        found = _run(said, trace, reverse, every)
        count = len(flat(carry))
        return formed(carry, found[:count]), formed(trace.emitted, found[count:])

    found: tuple[Any, Any] = _traced_or_run(
        given, traced, lambda: _step_by_step(said, reverse, emit, every)
    )
    return found


def _traced_or_run(given: Sequence[Any], traced: Callable[[], Any], run: Callable[[], Any]) -> Any:
    """Trace a step, or run it on data, one element after the other.

    It runs on data if its Python code needs numbers, or if there is an error, which data explains better.
    """
    symbols = any(_is_symbol(x) and not x.node.closed for x in given)
    if symbols or not compiling():
        try:
            return traced()
        except STAND_IN_ERRORS as error:
            if symbols or _STARTS in getattr(error, "hint", ""):
                raise
    return run()


def _startable(said: Said, name: str, h: Any) -> None:
    if not (isinstance(h, NamedTensor) or is_number(h)):
        raise said.error(
            KindError,
            f"{name} starts as {kind_of_thing(h)}, and a carry is a named tensor, a tuple of them, or None",
            naming("h0", h),
        )
    if isinstance(h, SymbolicTensor):
        need_sizes(h.node, str(said))
    if isinstance(h, NamedTensor) and said.axis.name in h.axes:
        raise said.error(
            AxisClashError,
            f"{name} has the axis {shown(said.axis.name)}, along which the steps are taken",
            f"start with one index of it: h0[{typed_axis(said.axis.name)}(0)]",
        )


def _run(said: Said, trace: Trace, reverse: bool, every: bool) -> list[Any]:
    """Apply a traced recurrence to its operands: on data, or as nodes of a formula's tree."""
    step = trace.step
    emitted = len(step.results) - step.carries
    listed = (*([every] * step.carries), *([True] * emitted))
    operations = [SCAN(said.axis.name, reverse, listed, step, i) for i in range(len(step.results))]
    return _applied(operations, trace.operands, step.leaves)


def _applied(
    operations: Sequence[Operation], given: Sequence[Any], leaves: Sequence[Node]
) -> list[Any]:
    """Apply operations to the same operands: on data, or as nodes of a formula's tree."""
    operands = [x.item() if is_scalar(x) else x for x in given]
    if any(_is_symbol(x) and not x.node.closed for x in operands):
        keep = capturing.get()
        operands = [keep(x) if keep and _is_data(x) else x for x in operands]
        if any(_is_data(x) or x is None for x in operands):
            raise captured(operations[0], operands)
    if not any(map(_is_data, operands)):
        nodes = [x.node if _is_symbol(x) else number(x) for x in operands]
        return [SymbolicTensor(apply_node(op, tuple(nodes))) for op in operations]
    return _on_data(operations, operands, leaves)


def _on_data(
    operations: Sequence[Operation], operands: Sequence[Any], leaves: Sequence[Node]
) -> list[Any]:
    """Run a loop on data; its plan gives all results at once."""
    first = operations[0]
    key = (
        "together",
        *[
            x.node if _is_symbol(x) else x.layout if isinstance(x, NamedTensor) else type(x)
            for x in operands
        ],
    )
    plan = first.plans.get(key)
    if plan is None:
        checked(first, operands)
        plan = first.plans[key] = _plan(operations, operands, leaves)
    arrays = [x.data if isinstance(x, NamedTensor) else x for x in operands if not _is_symbol(x)]
    try:
        found = plan.run(*arrays)
    except LIBRARY_ERRORS as error:
        raise diagnose(first, operands, error) from None
    found = found if len(operations) > 1 else (found,)
    return [NamedTensor(d, at) for d, at in zip(found, plan.layouts, strict=True)]


def _plan(operations: Sequence[Operation], operands: Sequence[Any], leaves: Sequence[Node]) -> Plan:
    backend = common_backend(operations[0], operands)
    nodes: list[Node] = []
    arguments: list[tuple[str, Type, tuple[str, ...]]] = []
    hints: dict[Node, int] = {}
    names = [leaf.operation.params[1] for leaf in leaves]
    for place, (x, name) in enumerate(zip(operands, names, strict=True)):
        if _is_symbol(x):
            nodes.append(x.node)
            continue
        path = f"{name} {place}"
        type_ = argument_type(path, x)
        nodes.append(make_node(ARGUMENT(path, name), (), type_))
        arguments.append((path, type_, type_.names))
        if isinstance(x, NamedTensor):
            hints |= {s: n for (_, s), n in zip(type_.axes, x.data.shape, strict=True)}
    trees = tuple([apply_node(operation, tuple(nodes)) for operation in operations])
    return compile_plan(operations[0].name, trees, arguments, backend, hints=hints)


def _step_by_step(said: Said, reverse: bool, emit: Any, every: bool) -> tuple[Any, Any]:
    """Run each step on data, because its Python code needs numbers or a graph compiler reads it."""
    carry, sequences = said.carry, said.sequences
    axis = said.axis
    states: list[list[Any]] = [[] for _ in flat(carry)]
    outs: list[list[Any]] = []
    form: Any = None
    size = int(sequences[0].size(axis))
    for count, i in enumerate(range(size - 1, -1, -1) if reverse else range(size)):
        elements = [X[axis(i)] for X in sequences]
        after = said.ask("the step", said.function, carry, *elements)
        for name, h, new, kept in zip(
            said.names, flat(carry), said.like(carry, after), states, strict=False
        ):
            # an axis may need a step for each carry until it has reached them all
            said.check_next(name, type_of(h), type_of(new), settled=count >= len(states) - 1)
            kept.append(new)
        carry = formed(carry, list(map(_carried, flat(carry), flat(after))))
        if emit is not None:
            form = said.ask("emit", emit, carry, *elements)
            for part in flat(form):
                if not (isinstance(part, NamedTensor) or is_number(part)):
                    raise said.no_tensor(part, "emit", "what is emitted is a named tensor")
            outs = outs or [[] for _ in flat(form)]
            for kept, new in zip(outs, flat(form), strict=True):
                kept.append(new)
    joined = [_joined(said, kept, h, reverse) for kept, h in zip(states, flat(carry), strict=True)]
    last = formed(carry, joined) if every else carry
    return last, formed(form, [_joined(said, kept, None, reverse) for kept in outs])


def _carried(before: Any, after: Any) -> Any:
    """Require the next carry to have the dtype of the carry, unless the carry is index-defined."""
    if not isinstance(before, NamedTensor) or not isinstance(after, NamedTensor):
        return after
    if before.layout.backend is not after.layout.backend:
        return after
    data = after.layout.backend.function("carried")(before.data, after.data)
    return NamedTensor(data, after.layout)


def _joined(said: Said, kept: list[Any], h: Any, reverse: bool) -> Any:
    if kept:
        return stack[said.axis.name](*(reversed(kept) if reverse else kept))
    return stack[said.axis.name](h)[said.axis[0:0]]


def _callable(name: str, axis: Axis, step: Any) -> None:
    """Raise KindError unless a step is a function."""
    if not callable(step):
        arguments = "combine, X" if name == "associative_scan" else "step, h0, X"
        raise KindError(
            f"{name}[{shown(axis.name)}]({arguments})",
            f"{arguments.partition(',')[0]} is {kind_of_thing(step)}, and not a function",
            hint=f"the function comes first: nt.{name}[{typed_axes([axis.name])}]({arguments})",
        )


@axis_function(first=lambda axes: axes[0], example="nt.scan[seq](step, h0, X)")
def scan(
    axis: Axis,
    step: Callable[..., Any],
    carry: Any,
    *sequences: Any,
    reverse: bool = False,
    emit: Callable[..., Any] | None = None,
) -> NamedTensor | Any:
    """Run a recurrence along an axis and give every carry after its step.

        scan[seq](step, h0, X)_{seq(i)} = h_i,   h_i = step(h_{i-1}, X_{seq(i)}),   h_{-1} = h0

    A carry is one tensor, a tuple of them, or None; its axes widen to those of the step's result.
    With several sequences the step is step(h, x, y). `reverse=True` starts at the last index.
    `emit=g` gives (last carry, g(carry, x) along seq). The step runs once, on symbols, and is kept for
    all lengths; one that asks for numbers runs on data, at each index.

    Raises: AxisMissingError, AxisSizeError, AxisClashError, KindError.

    >>> import namedtensor as nt
    >>> nt.scan["seq"](lambda h, x: h + x, 0.0, nt.tensor([1.0, 2.0, 3.0], "seq"))
    NamedTensor(seq[3], float64)
    seq  0  1  2
         1  3  6
    """
    _callable("scan", axis, step)
    if emit is not None and not callable(emit):
        raise KindError(
            f"scan[{shown(axis.name)}](step, h0, X, emit)",
            f"emit is {kind_of_thing(emit)}, and not a function",
            hint=f"nt.scan[{typed_axes([axis.name])}](step, h0, X, emit=lambda h, x: h)",
        )
    flag(f"scan[{axis.name}](...)", "reverse", reverse)
    said = Said("scan", axis, step, carry, sequences)
    states, emitted = _recur(said, reverse, emit, every=emit is None)
    return states if emit is None else (states, emitted)


@axis_function(first=lambda axes: axes[0], example="nt.fold[seq](step, h0, X)")
def fold(
    axis: Axis,
    step: Callable[..., Any],
    carry: Any,
    *sequences: Any,
    reverse: bool = False,
) -> NamedTensor | Any:
    """Run a recurrence along an axis and give the last carry.

        fold[seq](step, h0, X) = h_{n-1},   h_i = step(h_{i-1}, X_{seq(i)}),   h_{-1} = h0

    Raises: AxisMissingError, AxisSizeError, AxisClashError, KindError.

    >>> import namedtensor as nt
    >>> nt.fold["seq"](lambda h, x: h + x, 0.0, nt.tensor([1.0, 2.0, 3.0], "seq"))
    NamedTensor(6.0)
    """
    _callable("fold", axis, step)
    flag(f"fold[{axis.name}](...)", "reverse", reverse)
    said = Said("fold", axis, step, carry, sequences)
    return _recur(said, reverse, None, every=False)[0]


@axis_function(first=lambda axes: axes[0], example="nt.associative_scan[seq](combine, X)")
def associative_scan(
    axis: Axis, combine: Callable[..., Any], X: Any, reverse: bool = False
) -> NamedTensor | Any:
    """Combine the first 1, 2, ..., n elements along an axis, in logarithmic depth.

        Y_{seq(0)} = X_{seq(0)},   Y_{seq(i)} = combine(Y_{seq(i-1)}, X_{seq(i)})

    `combine(earlier, later)` must be associative. It acts on single elements, which have no seq. X
    may be a tuple of tensors; `combine` then takes and gives tuples. `reverse=True` starts at the end.

    Source: Blelloch, Prefix sums and their applications, 1990.

    Raises: AxisMissingError, AxisSizeError, AxisClashError, KindError.

    A state-space model h_i = a_i h_{i-1} + b_i is a combination of pairs (a, b):

    >>> import namedtensor as nt
    >>> a, b = nt.tensor([0.5, 0.5, 0.5], "seq"), nt.tensor([1.0, 1.0, 1.0], "seq")
    >>> nt.associative_scan["seq"](lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b))[1]
    NamedTensor(seq[3], float64)
    seq     0     1     2
         1.00  1.50  1.75
    """
    _callable("associative_scan", axis, combine)
    if isinstance(reverse, NamedTensor):
        raise KindError(
            f"associative_scan[{axis!r}](combine, X, Y)",
            "several tensors are combined as one tuple",
            shapes(X, reverse, labels="XY"),
            f"nt.associative_scan[{axis!r}](combine, (X, Y))",
        )
    flag(f"associative_scan[{axis.name}](...)", "reverse", reverse)
    parts = flat(X)
    said = Said("associative_scan", axis, combine, X, ())
    said.name_both(combine, len(parts))
    call = f"associative_scan[{axis.name}]"
    for part in parts:
        named_operand(call, part, axis)
    if not parts:
        raise AxisNameError(
            f"{call}(combine, X)",
            "there is nothing to combine",
            hint=f"nt.associative_scan[{typed_axes([axis.name])}](combine, X)",
        )
    if all(isinstance(part.size(axis), int) for part in parts):
        same_size(call, axis.name, parts)
    return _traced_or_run(
        parts,
        lambda: formed(X, _combined(said, combine, X, reverse)),
        lambda: _one_by_one(said, combine, X, reverse),
    )


def _combined(said: Said, combine: Any, X: Any, reverse: bool) -> list[Any]:
    """Trace a combination, of elements that have a hidden axis, and apply it."""
    axis, parts = said.axis.name, flat(X)
    hidden = unused(axis + FRESH, {name for part in parts for name in part.axes}, FRESH)
    rename, count = table()["rename"], len(parts)

    def step(earlier: Any, *later: Any) -> Any:
        return said.ask("combine", combine, earlier, formed(X, later))

    while True:
        turned = [apply(rename(((axis, hidden),)), part) for part in parts]
        trace = Trace(said, step, formed(X, turned), turned, None)
        wide = trace.operands[:count]
        if all(set(a.axes) == set(b.axes) for a, b in zip(turned, wide, strict=True)):
            break
        parts = [apply(rename(((hidden, axis),)), part) for part in wide]
    operands = [*parts, *trace.operands[2 * count :]]
    operations = [ASSOCIATIVE(axis, hidden, reverse, trace.step, i) for i in range(count)]
    return _applied(operations, operands, trace.step.leaves[count:])


def _one_by_one(said: Said, combine: Any, X: Any, reverse: bool) -> Any:
    """Combine one element after the other, on data."""
    axis, parts = said.axis, flat(X)
    size = int(parts[0].size(axis))
    found: list[list[Any]] = []
    for i in range(size - 1, -1, -1) if reverse else range(size):
        element = [part[axis(i)] for part in parts]
        if found:
            both = formed(X, found[-1]), formed(X, element)
            element = said.like(X, said.ask("combine", combine, *both))
            for name, before, after in zip(said.names, found[-1], element, strict=False):
                kind = type_of(before).kind  # `stack` unifies the kinds
                said.check_next(name, type_of(before), type_of(after).of_kind(kind))
        found.append(element)
    kept = [list(values) for values in zip(*found, strict=True)] or [[] for _ in parts]
    joined = [_joined(said, v, None, reverse) if v else x for v, x in zip(kept, parts, strict=True)]
    return formed(X, joined)
