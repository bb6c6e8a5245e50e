"""The expression tree: operations applied to operands, equal trees being one object."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar
from typing import Any
from weakref import WeakValueDictionary

from namedtensor.axes import SIZES, shown
from namedtensor.compilers import MAKING
from namedtensor.errors import AxisSizeError, NamedTensorError
from namedtensor.primitives.call import Call
from namedtensor.primitives.notation import Special
from namedtensor.primitives.primitive import Operation, Primitive, primitive
from namedtensor.primitives.type import Type, kind_of

_NONE: frozenset[str] = frozenset()
_nodes: WeakValueDictionary[Any, Node] = WeakValueDictionary()
_by_number: WeakValueDictionary[int, Node] = WeakValueDictionary()
_serial = itertools.count()

#: The table (`primitives.origins.Origins`) that notes where nodes are written while a body is traced.
noting: ContextVar[Any] = ContextVar("noting", default=None)


def node_by_number(number: int) -> Node:
    """Find a tree by its number."""
    return _by_number[number]


class Node:
    """Apply an operation to operands.

    Nodes with the same operation and operands are the same object, so a common subexpression is
    found by identity. `guards` are pairs of sizes that must be equal when the code runs. `measures` are the
    axes with open sizes on which the numbers of an index-defined tensor depend.
    """

    __slots__ = (
        "__weakref__",
        "closed",
        "code",
        "guards",
        "measures",
        "operands",
        "operation",
        "type",
    )

    operation: Operation
    operands: tuple[Node, ...]
    type: Type
    guards: tuple[tuple[Any, Any], ...]
    closed: bool
    code: str
    measures: frozenset[str]

    @property
    def name(self) -> str:
        return self.operation.primitive.name

    @property
    def value(self) -> Any:
        """The number, if the node is that of a number; else None."""
        return self.operation.params[0] if self.operation.primitive is NUMBER else None

    def brought_by(self, name: str) -> Iterator[str]:
        """Give the arguments from which an axis comes unchanged or only renamed."""
        if self.operation.primitive is ARGUMENT:
            yield str(self.operation.params[-1])
            return
        size = self.type.size(name)
        before = name
        if self.name == "rename":
            before = {new: old for old, new in self.operation.params[0]}.get(name, name)
        for operand in self.operands:
            if operand.type.has(before) and operand.type.size(before) is size:
                yield from operand.brought_by(before)

    def __repr__(self) -> str:
        return describe(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.operation, self.operands, self.type)


def make_node(
    operation: Operation, operands: tuple[Node, ...], type_: Type, guards: Any = ()
) -> Node:
    """Give the one node of an operation and its operands."""
    extra = next(_serial) if operation.primitive.effect else None
    key = (operation, operands, type_, extra)
    node = _nodes.get(key)
    if node is None:
        with MAKING:
            node = _nodes.get(key)
            if node is None:
                node = _nodes[key] = _new_node(operation, operands, type_, tuple(guards))
    table = noting.get()
    if table is not None and (operands or not type_.host):
        table.note(node)
    return node


def _new_node(
    operation: Operation, operands: tuple[Node, ...], type_: Type, guards: tuple[Any, ...]
) -> Node:
    node = Node.__new__(Node)
    node.operation = operation
    node.operands = operands
    node.type = type_
    node.guards = guards
    drawn = operation.primitive.effect and all(o.type.host for o in operands)
    leaf_closed = operation.primitive not in (ARGUMENT, SIZE) and not drawn
    node.closed = leaf_closed and all(o.closed for o in operands)
    node.measures = _measures(operation, operands)
    number = next(_serial)
    # text, which a graph compiler takes for a constant where it makes a number dynamic
    node.code = f"node {number}"
    _by_number[number] = node
    return node


def _measures(operation: Operation, operands: tuple[Node, ...]) -> frozenset[str]:
    if operation.primitive is OPEN_SIZE:
        return frozenset(operation.params)
    found = _NONE.union(*[o.measures for o in operands if o.measures])
    if found and operation.name == "rename":
        after = dict(operation.params[0])
        return frozenset([after.get(name, name) for name in found])
    return found


def apply_node(operation: Operation, operands: tuple[Node, ...], labels: Any = None) -> Node:
    """Check an operation on nodes and give its node."""
    types = tuple([o.type for o in operands])
    values = tuple([o if o.value is None else o.value for o in operands])
    if labels is None:
        # operands are described only for an error, which is rare
        with suppress(NamedTensorError):
            call = operation.typed(types, ("",) * len(operands), values)
            return make_node(operation, operands, call.result, call.guards)
        labels = tuple([describe(o) for o in operands])
    call = operation.typed(types, labels, values)
    return make_node(operation, operands, call.result, call.guards)


def _own_operands(node: Node) -> tuple[Node, ...]:
    return node.operands


def without(parts: Sequence[Node], one: Node) -> list[Node]:
    """Leave out one occurrence of a part of a sum or a product; equal parts are the same node."""
    place = list(parts).index(one)
    return [*parts[:place], *parts[place + 1 :]]


def operands_first(
    roots: Iterable[Node], inside: Callable[[Node], Sequence[Node]] = _own_operands
) -> Iterator[Node]:
    """Give every node of some trees once, after its operands (or after what `inside` gives)."""
    seen: set[Node] = set()
    pending = [(root, False) for root in reversed(list(roots))]
    while pending:
        node, done = pending.pop()
        if done:
            yield node
        elif node not in seen:
            seen.add(node)
            pending.append((node, True))
            pending += [(part, False) for part in reversed(inside(node))]


def only_in(one: Node, other: Node) -> list[Node]:
    """Give the operations in one tree that are not in the other, the outermost first.

    An operand is older than the nodes made from it. So the youngest nodes of both trees are visited first,
    and nothing below a shared node is visited.
    """
    if one is other:
        return []
    found: list[Node] = []
    apart, shared = {one}, {other}  # reached from the first tree, from the other
    waiting = [(-_age(one), one), (-_age(other), other)]
    heapq.heapify(waiting)
    while apart:
        _, node = heapq.heappop(waiting)
        mine = node in apart
        if mine:
            apart.discard(node)
            found.append(node)
        for operand in node.operands:
            if not operand.operands or operand in shared:
                continue
            if mine and operand in apart:
                continue
            if not mine:
                shared.add(operand)
                if operand in apart:
                    apart.discard(operand)
                    continue
            else:
                apart.add(operand)
            heapq.heappush(waiting, (-_age(operand), operand))
    return found


def is_weighted_mean(of: Node, parts: Iterable[Node]) -> bool:
    """Say whether parts of a tree multiply a node by weights, and sum these alone too: sum w X / sum w."""
    parts = list(parts)
    beside = {n for part in parts if of in part.operands for n in part.operands} - {of}
    weights = beside | {n for node in beside for n in node.operands}
    sums = [n for n in parts if n.operation.primitive.traits.reduces(n.operation.params)]
    return any({*total.operands} <= weights for total in sums)


def _age(node: Node) -> int:
    return int(node.code.partition(" ")[2])


def still_open(call: str, name: str, shapes: Sequence[tuple[str, str]] = ()) -> AxisSizeError:
    """Make the error for an index-defined tensor with an axis that has no size yet."""
    return AxisSizeError(
        call,
        f"axis {shown(name)} has no size yet",
        shapes,
        f"give it one where the tensor is defined, {shown(name)}[5], or combine the tensor "
        f"with one that has an axis {shown(name)}",
    )


def declared_size(name: str) -> Any:
    """Give the size of an axis of the formula whose body runs, or None."""
    if SIZES.of is None:
        return None
    try:
        size = SIZES.of(name)
    except AxisSizeError:
        return None
    node = getattr(size, "node", size)
    return None if isinstance(node, Node) and node.operation.primitive is OPEN_SIZE else size


def describe(node: Node, depth: int = 2) -> str:
    """Write a node the way a person would, shortened where it is deep."""
    if node.operation.primitive is OPEN_SIZE:
        return f"abs({shown(node.operation.params[0])})"
    if node.operation.primitive in (ARGUMENT, SIZE):
        return shown(str(node.operation.params[-1]))
    if node.operation.primitive is NUMBER:
        return repr(node.value)
    if depth == 0:
        return "..."
    labels = [describe(o, depth - 1) for o in node.operands]
    if _infix(node):
        pairs = zip(labels, node.operands, strict=True)
        labels = [f"({text})" if _infix(o) and text != "..." else text for text, o in pairs]
    return node.operation.write(tuple(labels))


def _infix(node: Node) -> bool:
    return bool(node.operation.primitive.traits.symbol) and len(node.operands) == 2


def _rebuild(operation: Operation, operands: tuple[Node, ...], type_: Type) -> Node:
    return make_node(operation, operands, type_)


# ------------------------------------------------------------------------------------- leaves


_SIZE_TYPE = Type((), "int", host=True, weak=True)


def _leaf_rule(call: Call) -> Type:
    raise TypeError(f"{call.operation.name} is a leaf")


def _lower_argument(emit: Any, call: Call) -> Any:
    return emit.argument(call.params[0])


def _lower_size(emit: Any, call: Call) -> Any:
    return emit.size_of(*call.params)


def _lower_open_size(emit: Any, call: Call) -> Any:
    (name,) = call.params
    raise still_open(f"abs({shown(name)})", name)


def _lower_number(emit: Any, call: Call) -> Any:
    return emit.number(call.params[0])


ARGUMENT: Primitive = primitive(
    "argument", _leaf_rule, _lower_argument, notation=Special("argument")
)
SIZE: Primitive = primitive("size", _leaf_rule, _lower_size, notation=Special("size"))
#: The size of an axis of an index-defined tensor that is not known yet.
OPEN_SIZE: Primitive = primitive(
    "open_size", lambda call: _SIZE_TYPE, _lower_open_size, notation=Special("size")
)
NUMBER: Primitive = primitive("number", _leaf_rule, _lower_number, notation=Special("number"))

Argument = ARGUMENT


def argument(name: str, type_: Type) -> Node:
    """Make the leaf that stands for an argument."""
    return make_node(ARGUMENT(name), (), type_)


def size_of(name: str, axis: str, place: int) -> Node:
    """Make the leaf that stands for the size of an argument's axis, stored at this place."""
    return make_node(SIZE(name, place, axis), (), _SIZE_TYPE)


def number(value: Any) -> Node:
    """Make the leaf of a Python number."""
    # repr distinguishes 1, 1.0 and True, 0.0 and -0.0, and is the same for every nan
    return make_node(NUMBER(value, repr(value)), (), type_of_number(value))


def type_of_number(value: Any) -> Type:
    """Give the type of a Python number, without a leaf for it."""
    return Type((), kind_of(value), host=True, weak=True)
