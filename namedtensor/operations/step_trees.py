"""What the step of a loop computes, as trees over leaves of its own."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from namedtensor.plans.compile import run_on_numbers
from namedtensor.primitives import Node, Type, number, size_of
from namedtensor.primitives.node import (
    ARGUMENT,
    NUMBER,
    SIZE,
    apply_node,
    make_node,
    operands_first,
)
from namedtensor.primitives.sizes import as_node


@dataclass(frozen=True, slots=True)
class Step:
    """What a step computes, as trees over leaves of its own.

    The leaves are the carries, then the elements of the sequences, then what the step uses from
    outside. The results are the next carries, then what is emitted.
    """

    leaves: tuple[Node, ...]
    carries: int
    sequences: int
    results: tuple[Node, ...]
    name: str = field(default="step", compare=False)

    @property
    def elements(self) -> tuple[Node, ...]:
        return self.leaves[self.carries : self.carries + self.sequences]

    def on(self, given: Sequence[Node]) -> tuple[Node, ...]:
        """Give the results for these nodes in place of the leaves."""
        return _on(self, tuple(given))

    def over(self, axes: Sequence[Sequence[str]]) -> Step:
        """Give the step with these axes of its leaves: a rewrite around the loop may have changed them."""
        leaves = tuple(
            [
                leaf if {*leaf.type.names} == {*names} else like_leaf(leaf, names)
                for leaf, names in zip(self.leaves, axes, strict=True)
            ]
        )
        if leaves == self.leaves:
            return self
        return replace(self, leaves=leaves, results=self.on(leaves))


@functools.lru_cache(maxsize=256)
def _on(step: Step, given: tuple[Node, ...]) -> tuple[Node, ...]:
    # cached: each result of a loop asks for all of them, and so does each result of an inner loop
    return placed(step.results, dict(zip(step.leaves, given, strict=True)))


def step_of(node: Node) -> Step:
    """Give the step of a loop, over the axes that the loop's operands have."""
    axis, *rest, step, _ = node.operation.params
    axes = [o.type.names for o in node.operands]
    first, last = step.carries, step.carries + step.sequences
    if node.name == "scan":
        axes[first:last] = [tuple([a for a in names if a != axis]) for names in axes[first:last]]
    else:
        parts = [tuple([rest[0] if a == axis else a for a in names]) for names in axes[:first]]
        axes = [*parts, *parts, *axes[first:]]
    found: Step = step.over(axes)
    return found


def placed(roots: Sequence[Node], given: dict[Node, Node]) -> tuple[Node, ...]:
    """Substitute nodes for leaves, and their sizes for the leaves' sizes."""
    types = {leaf.operation.params[0]: node.type for leaf, node in given.items()}
    done = dict(given)
    for node in operands_first(roots):
        if node in done:
            continue
        if node.operation.primitive is SIZE and node.operation.params[0] in types:
            key, _, axis = node.operation.params
            done[node] = as_node(types[key].size(axis))
            continue
        operands = tuple([done[o] for o in node.operands])
        done[node] = node if operands == node.operands else remade(node, operands)
    return tuple([done[root] for root in roots])


def placed_parts(roots: Sequence[Node], given: dict[Node, Node]) -> tuple[Node, ...]:
    """Rebuild trees with other nodes in place of parts."""
    done = dict(given)
    for node in operands_first(roots, lambda n: () if n in given else n.operands):
        if node not in done:
            operands = tuple([done[o] for o in node.operands])
            done[node] = node if operands == node.operands else remade(node, operands)
    return tuple([done[root] for root in roots])


def remade(node: Node, operands: tuple[Node, ...]) -> Node:
    """Apply a node's operation to other operands; numbers alone give a number."""
    if node.name == "call":  # a kept call is only read, so that it is not checked again
        return make_node(node.operation, operands, node.type)
    if node.type.host and all(o.operation.primitive is NUMBER for o in operands):
        return number(run_on_numbers(node.operation, [o.value for o in operands]))
    return apply_node(node.operation, operands)


def key_of(leaf: Node) -> str:
    key: str = leaf.operation.params[0]
    return key


def like_leaf(leaf: Node, axes: Iterable[str]) -> Node:
    """Make a leaf like another one, over other axes."""
    return leaf_of(key_of(leaf), leaf.operation.params[1], axes, leaf.type)


def leaf_of(key: str, name: str, axes: Iterable[str], like: Type) -> Node:
    """Make a leaf of a step, over these axes in storage order; its sizes are leaves too."""
    if like.host:
        return make_node(ARGUMENT(key, name), (), like)
    sizes = tuple([(a, size_of(key, a, place)) for place, a in enumerate(axes)])
    return make_node(ARGUMENT(key, name), (), Type(sizes, like.kind, weak=like.weak))
