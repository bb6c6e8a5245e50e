"""What the step of a loop computes, as trees over leaves of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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
        return placed(self.results, dict(zip(self.leaves, given, strict=True)))


def placed(roots: Sequence[Node], given: dict[Node, Node]) -> tuple[Node, ...]:
    """Rebuild trees with nodes in place of leaves, and their sizes in place of the leaves' sizes."""
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
    if node.name == "call":  # a kept call is read, and never checked again
        return make_node(node.operation, operands, node.type)
    if node.type.host and all(o.operation.primitive is NUMBER for o in operands):
        return number(run_on_numbers(node.operation, [o.value for o in operands]))
    return apply_node(node.operation, operands)


def key_of(leaf: Node) -> str:
    key: str = leaf.operation.params[0]
    return key


def leaf_of(key: str, name: str, axes: Iterable[str], like: Type) -> Node:
    """Make a leaf of a step, over these axes in storage order; its sizes are leaves too."""
    if like.host:
        return make_node(ARGUMENT(key, name), (), like)
    sizes = tuple([(a, size_of(key, a, place)) for place, a in enumerate(axes)])
    return make_node(ARGUMENT(key, name), (), Type(sizes, like.kind, weak=like.weak))
