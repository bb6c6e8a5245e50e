"""Derivatives of expressions, as expressions (paper, section 5).

    dY_t = sum_s (dY/dX)_{t, s*} dX_s        each operation has one rule, in the table

Forwards, the change of each node follows from the changes of its operands: a linear operation is applied to
them. Backwards, the same linear maps are transposed: the gradient of each node gives each operand its share.
Changes and gradients may have further axes, which lift: a full derivative is the change for an identity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.axes import BOUND, FRESH, visible
from namedtensor.errors import DerivativeError
from namedtensor.operations.elementwise import where
from namedtensor.operations.expanding import ALIKE, EXPAND
from namedtensor.operations.index_defined import iota
from namedtensor.operations.simplification import (
    Simplifier,
    expanded,
    identity_axes,
    is_expanded,
    rename,
    total,
)
from namedtensor.operations.step_trees import Step
from namedtensor.primitives import Node, Operation, argument, number, table
from namedtensor.primitives.node import apply_node, describe, operands_first
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply


@dataclass(frozen=True, slots=True)
class Used:
    """One use of an operation, as its derivative rule sees it, whether the result is run or printed."""

    node: Node
    read: bool = False

    @property
    def operation(self) -> Operation:
        return self.node.operation

    @property
    def params(self) -> tuple[Any, ...]:
        return self.node.operation.params

    @property
    def operands(self) -> tuple[Any, ...]:
        return tuple([_operand(o) for o in self.node.operands])

    @property
    def result(self) -> Any:
        return SymbolicTensor(self.node)


def _operand(node: Node) -> Any:
    return SymbolicTensor(node) if node.value is None else node.value


def derivative(
    Y: Node,
    X: Node,
    stars: Mapping[str, str],
    inside: bool = False,
    forwards: bool | None = None,
) -> Node:
    """Give the derivative of Y by a part X of it, whose axes get new names: (dY/dX)_{t, s*}.

    `forwards` computes the change for each record of X, else the gradient of each record of Y; the default is
    backwards if Y is a single number. Axes that a body cannot see get no new names: each record has its own
    derivative.
    """
    if forwards if forwards is not None else visible(Y.type.names):
        derivation = Derivation([Y], [X], inside)
        taken = {name for node in derivation.order for name in node.type.names}
        hidden = {a: f"{a}{BOUND}*" if star in taken else star for a, star in stars.items()}
        found = derivation.change(Y, {X: identity(X, hidden)})
        axes = [(hidden[a], s) for a, s in X.type.axes if a in hidden]
        if found is None:
            found = number(0.0)
        found = derivation.filled(found, [*Y.type.axes, *axes])
        return derivation.finished(rename(found, tuple((hidden[a], stars[a]) for a in hidden)))
    Y, (X,) = _widened(Y, [X])
    derivation = Derivation([Y], [X], inside)
    hidden = {axis: f"{axis}{BOUND}*" for axis in visible(Y.type.names)}
    (found,) = derivation.gradients(Y, [X], identity(Y, hidden))
    axes = [(hidden[a], s) for a, s in Y.type.axes if a in hidden]
    found = derivation.filled(number(0.0) if found is None else found, [*X.type.axes, *axes])
    pairs = [*stars.items(), *[(hidden[a], a) for a in hidden]]
    return derivation.finished(rename(found, tuple(pairs)))


def gradients(Y: Node, parts: Sequence[Node], inside: bool = False) -> list[Node]:
    """Give the gradients of a single number by parts of its expression."""
    Y, parts = _widened(Y, parts)
    derivation = Derivation([Y], parts, inside)
    found = derivation.gradients(Y, parts, number(1.0))
    return [
        derivation.finished(derivation.filled(number(0.0) if g is None else g, part.type.axes))
        for g, part in zip(found, parts, strict=True)
    ]


def _widened(Y: Node, parts: Sequence[Node]) -> tuple[Node, Sequence[Node]]:
    """Give parts the axes of Y that a body cannot see, so that each record has gradients of its own."""
    axes = [(a, s) for a, s in Y.type.axes if a.endswith(FRESH)]
    wider = {part: expanded(part, [a for a in axes if not part.type.has(a[0])]) for part in parts}
    if all(part is wide for part, wide in wider.items()):
        return Y, parts
    (found,) = lifted([Y], {part: SymbolicTensor(wide) for part, wide in wider.items()})
    return _node(found), list(wider.values())


def change(Y: Node, changes: Mapping[Node, Node], inside: bool = False) -> Node:
    """Give the change of Y for changes of parts of it."""
    derivation = Derivation([Y], list(changes), inside)
    found = derivation.change(Y, changes)
    return derivation.finished(
        derivation.filled(number(0.0) if found is None else found, Y.type.axes)
    )


def identity(X: Node, names: Mapping[str, str]) -> Node:
    """Give 1 where each axis of X and its new name have the same index, else 0."""
    found = number(1.0)
    for axis, size in X.type.axes:
        if axis not in names:
            continue
        one, other = [iota(sized(a, _size(size))) for a in (axis, names[axis])]
        equal: Any = where(one == other, 1.0, 0.0)
        same = equal.node
        found = same if found.value is not None else apply_node(table()["mul"].plain, (found, same))
    return found


def lifted(roots: Sequence[Node], given: Mapping[Node, Any]) -> list[Any]:
    """Compute trees with values for some of their leaves; further axes of the values lift."""
    done: dict[Node, Any] = dict(given)
    changed = set(given)
    for node in operands_first(roots):
        if node in changed:
            continue
        if any(o in changed for o in node.operands):
            changed.add(node)
            done[node] = apply(node.operation, *_wide(node, [done[o] for o in node.operands]))
        else:
            done[node] = SymbolicTensor(node) if node.value is None else node.value
    return [done[root] for root in roots]


def _wide(node: Node, operands: list[Any]) -> list[Any]:
    """Give a loop's start the further axes of all operands, because its steps add them to the carry."""
    step = next((p for p in node.operation.params if isinstance(p, Step)), None)
    if step is None:
        return operands
    further: dict[str, Any] = {}
    for before, X in zip(node.operands, operands, strict=True):
        for axis, size in getattr(X, "sizes", ()):
            if not before.type.has(axis):
                further.setdefault(axis, size)
    starts = operands[: step.carries]
    for axis, size in further.items():
        starts = [
            X if axis in getattr(X, "axes", ()) else apply(EXPAND(axis), _tensor(X), size)
            for X in starts
        ]
    return [*starts, *operands[step.carries :]]


def _tensor(X: Any) -> Any:
    return X if isinstance(X, NamedTensor) else SymbolicTensor(number(X))


class Derivation:
    """Differentiate trees by parts of them; a node that depends on none of these has derivative None."""

    def __init__(self, roots: Sequence[Node], parts: Sequence[Node], inside: bool = False) -> None:
        self.order = list(operands_first(roots))
        self.like = parts[0]
        self.own = frozenset(self.order)
        self.simplified = Simplifier(self.own, inside)
        self.depend: set[Node] = set(parts)
        for node in self.order:
            if _is_smooth(node) and any(o in self.depend for o in node.operands):
                self.depend.add(node)

    def filled(self, found: Node, axes: Iterable[tuple[str, Any]]) -> Node:
        """Repeat a change or gradient along the axes that it lacks."""
        missing = [(a, s) for a, s in axes if not found.type.has(a)]
        return self.simplified(expanded(found, missing))

    def finished(self, root: Node) -> Node:
        """Simplify, and give numbers that depend on no data the dtype of the part to differentiate by.

        What is read stays plain. A pointwise operation gives them the dtype that they meet. Identities
        are of 1 and 0 here; until here they were real, as changes are.
        """
        root = self.simplified(root)
        done: dict[Node, Node] = {}
        for node in operands_first([root]):
            operands = tuple([done[o] for o in node.operands])
            if identity_axes(node):
                operands = (operands[0], number(1), number(0))
            elif not self.simplified.inside and not node.type.host:
                operands = operands if node in self.own else self._all_typed(node, operands)
            same = operands == node.operands
            done[node] = node if same else apply_node(node.operation, operands)
        found = done[root]
        if self.simplified.inside or (found.type.kind == "float" and not found.type.weak):
            return found
        return apply_node(ALIKE.plain, (found, self.like))

    def _all_typed(self, node: Node, operands: tuple[Node, ...]) -> tuple[Node, ...]:
        """Give operands their dtype where an operation does not give them that of the others."""
        traits = node.operation.primitive.traits
        before = node.operands
        if traits.pointwise:
            numbers = node.name == "where" and all(o.type.host for o in before[1:])
            needed = [numbers and not node.type.weak and i > 0 for i in range(len(before))]
        elif traits.jointly:
            needed = [o.type.weak for o in before]
        else:
            # an operation that computes its result may refuse whole numbers, as linear upsampling does
            apart = node.type.weak and all(o.type.weak for o in before) and not traits.fresh
            needed = [o.type.weak and bool(o.type.axes) and not apart for o in before]
        # whole numbers are indices and stay
        return tuple(
            [
                apply_node(ALIKE.plain, (new, self.like))
                if need and o.type.kind == "float"
                else new
                for o, new, need in zip(before, operands, needed, strict=True)
            ]
        )

    def added(self, terms: Iterable[Node]) -> Node | None:
        """Add up terms; None if there are none."""
        found: Node | None = None
        for term in terms:
            found = term if found is None else self.simplified.make("add", found, term)
        return found

    # ---------------------------------------------------------------------------- forwards

    def change(self, root: Node, changes: Mapping[Node, Node]) -> Node | None:
        """Give the change of a tree for changes of parts of it; None if it does not change."""
        found: dict[Node, Node] = dict(changes)
        for node in self.order:
            if node in self.depend and node not in found:
                parts = [found.get(o) for o in node.operands]
                new = self.added(self._changes(node, parts))
                if new is not None:
                    found[node] = self.filled(new, node.type.axes)
        return found.get(root)

    def _changes(self, node: Node, parts: Sequence[Node | None]) -> Iterable[Node]:
        """Give the change of a node due to each operand; the sum is its whole change."""
        traits = node.operation.primitive.traits
        together = [traits.linear_in(i) and part is not None for i, part in enumerate(parts)]
        if traits.jointly and not traits.pointwise and any(together):
            yield self._jointly(node, parts)
            parts = [None if traits.linear_in(i) else part for i, part in enumerate(parts)]
        for place, part in enumerate(parts):
            new = None if part is None else self._changed(node, place, part)
            if new is not None:
                yield new

    def _jointly(self, node: Node, parts: Sequence[Node | None]) -> Node:
        """Apply what is linear in all operands together to their changes."""
        linear = node.operation.primitive.traits.linear_in
        operands = [
            o if not linear(i) else self.filled(part or number(0.0), o.type.axes)
            for i, (o, part) in enumerate(zip(node.operands, parts, strict=True))
        ]
        return self.simplified(apply_node(node.operation, tuple(operands)))

    def _changed(self, node: Node, place: int, d: Node) -> Node | None:
        """Give the change of a node for the change d of one operand; None if it does not change."""
        entry = node.operation.primitive
        slope = entry.slopes[place] if place < len(entry.slopes) else None
        if slope is not None:
            partial = self._slope(node, slope)
            return None if partial.value == 0 else self._times(partial, d)
        if entry.traits.linear_in(place):
            return self._linear(node, place, d)
        if entry.differential is not None:
            found = entry.differential(Used(node, self.simplified.inside), place, SymbolicTensor(d))
            return self.simplified(_node(found))
        raise no_rule(node, place)

    def _times(self, a: Node, b: Node) -> Node:
        return self.simplified.make("mul", a, b)

    def _slope(self, node: Node, slope: Callable[..., Any]) -> Node:
        use = Used(node, self.simplified.inside)
        return self.simplified(_node(slope(*use.operands, use.result)))

    def _linear(self, node: Node, place: int, d: Node) -> Node:
        """Apply an operation to the change of an operand in which it is linear."""
        traits = node.operation.primitive.traits
        operands = [
            d if i == place else number(0.0) if traits.jointly and traits.linear_in(i) else o
            for i, o in enumerate(node.operands)
        ]
        return self.simplified(apply_node(node.operation, tuple(operands)))

    # --------------------------------------------------------------------------- backwards

    def gradients(self, root: Node, parts: Sequence[Node], gradient: Node) -> list[Node | None]:
        """Propagate the gradient of a tree to parts of it; None for a part on which it does not depend."""
        shares: dict[Node, list[Node]] = {root: [gradient]} if root in self.depend else {}
        found: dict[Node, Node | None] = dict.fromkeys(parts)
        for node in reversed(self.order):
            g = self.added(shares.pop(node, ()))
            if g is None:
                continue
            if node in found:
                found[node] = g
            if not self.simplified.inside and not is_expanded(g):
                # kept whole, so that it is computed once
                self.simplified.kept.add(g)
            for place, operand in enumerate(node.operands):
                if operand in self.depend and _is_smooth(node):
                    shares.setdefault(operand, []).append(self._share(node, place, g))
        return [found[part] for part in parts]

    def _share(self, node: Node, place: int, g: Node) -> Node:
        """Give the operand's share of the gradient of a node."""
        entry = node.operation.primitive
        operand = node.operands[place]
        further = [a for a in g.type.axes if not node.type.has(a[0])]
        g = self.filled(g, node.type.axes)
        slope = entry.slopes[place] if place < len(entry.slopes) else None
        if slope is not None:
            share = self._times(g, self._slope(node, slope))
        elif entry.transpose is not None and entry.traits.linear_in(place):
            share = self.simplified(
                _node(entry.transpose(Used(node, self.simplified.inside), place, SymbolicTensor(g)))
            )
        elif entry.traits.linear_in(place) and entry.traits.pointwise:
            share = self._linear(node, place, g)
        elif entry.share is not None:
            share = self.simplified(
                _node(entry.share(Used(node, self.simplified.inside), place, SymbolicTensor(g)))
            )
        elif entry.differential is not None:
            return self._transposed(node, place, g)
        else:
            raise no_rule(node, place)
        wanted = [*operand.type.axes, *further]
        names = {a for a, _ in wanted}
        gone = tuple([a for a in share.type.names if a not in names])
        return self.filled(self.simplified(total(share, gone)), wanted)

    def _transposed(self, node: Node, place: int, g: Node) -> Node:
        """Transpose the differential of a node: the gradient of a tree that is linear in a change."""
        operand = node.operands[place]
        d = argument(f"d{BOUND}{operand.code}", operand.type)
        rule = node.operation.primitive.differential
        assert rule is not None
        linear = _node(rule(Used(node, self.simplified.inside), place, SymbolicTensor(d)))
        inner = Derivation([linear], [d], self.simplified.inside)
        if not self.simplified.inside:
            inner.simplified.kept |= self.simplified.kept
        (found,) = inner.gradients(linear, [d], self.filled(g, node.type.axes))
        return self.simplified(number(0.0) if found is None else found)


def _is_smooth(node: Node) -> bool:
    """Say whether a result changes with its operands, and does not jump."""
    return node.type.kind in ("float", "complex") and not node.operation.primitive.traits.stepped


def _size(size: Any) -> Any:
    return SymbolicTensor(size) if isinstance(size, Node) else size


def _node(found: Any) -> Node:
    node: Node = found.node if hasattr(found, "node") else number(found)
    return node


def no_rule(node: Node, place: int) -> DerivativeError:
    """Make the error of an operation whose derivative the table does not know."""
    operand = node.operands[place]
    return DerivativeError(
        f"d {describe(node)}",
        f"{node.name} has no rule for its derivative",
        [(describe(o), str(o.type)) for o in (operand,)],
        f"leave {node.name} out of what is derived, or let torch derive it: "
        "nt.sum[...](f(X)).backward()",
    )
