"""Stacks of layers as LaTeX: X^0 = ..., X^l = layer(X^{l-1}; layers^l) for l = 1, ..., L.

A body is traced layer by layer, so its tree holds every layer. Where all layers do the same to the
results of the layer before, one step is written for all of them. If a layer differs, or a part uses
several layers at once, the stack is written layer by layer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from namedtensor.formula.written import Written
from namedtensor.operations.recurrence import recurs
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, SIZE, operands_first

_MEMBER = re.compile(r"(.+?)\.(\d+)\.")


@dataclass(eq=False, slots=True)
class Ladder:
    """A stack whose layers all take the same step, from the results of one layer to those of the next.

    A layer may have several results; each has a letter. `ends` are the results of the last layer,
    `before` its inputs and `starts` the inputs of the first layer, one for each letter. `rungs` are the
    results of the other layers: part -> (letter, layer). `inside` are the parts of the last step.
    """

    stack: str
    count: int
    ends: list[Node]
    before: list[Node]
    starts: list[Node | None]
    rungs: dict[Node, tuple[int, int]]
    inside: set[Node]
    letters: list[str] = field(default_factory=list)
    index: str = ""
    last: str = ""

    def has(self, node: Node) -> bool:
        """Say whether a part is a parameter of one of the layers."""
        found = _member(node)
        return found is not None and found[0] == self.stack


def ladders_of(written: Written) -> list[Ladder]:
    """Find the stacks of a formula whose layers all take the same step."""
    order = list(operands_first(written.results))
    counts: dict[str, set[int]] = {}
    for node in order:
        found = _member(node)
        if found is not None:
            counts.setdefault(found[0], set()).add(found[1])
    first = [p.name for p in written.signature.parameters]
    ladders = [
        _ladder(stack, len(places), order)
        for stack, places in sorted(counts.items(), key=lambda c: first.index(c[0].split(".")[0]))
        if len(places) > 1 and places == set(range(len(places)))
    ]
    return [ladder for ladder in ladders if ladder is not None]


def _member(node: Node) -> tuple[str, int] | None:
    """Give the stack and the layer of a parameter or a size, or None where it belongs to no layer."""
    if node.operation.primitive not in (ARGUMENT, SIZE):
        return None
    found = _MEMBER.match(str(node.operation.params[0]))
    return None if found is None else (found[1], int(found[2]))


def _ladder(stack: str, count: int, order: list[Node]) -> Ladder | None:
    layer: dict[Node, int] = {}
    for node in order:
        own = _member(node)
        at = own[1] if own is not None and own[0] == stack else -1
        layer[node] = max([at, *[layer[o] for o in node.operands]])
    given = [_given(k, order, layer) for k in range(count - 1)]
    if not given[0] or any(len(g) != len(given[0]) for g in given):
        return None
    steps = _Steps(stack, layer)
    starts: dict[Node, Node] = {}
    for k in range(1, count - 1):
        pairs = starts if k == 1 else dict(zip(given[k - 1], given[k - 2], strict=True))
        known = set(given[k - 1])
        if not all(
            steps.alike(a, b, known, pairs) for a, b in zip(given[k], given[k - 1], strict=True)
        ):
            return None
    pairs = starts if count == 2 else dict(zip(given[-1], given[-2], strict=True))
    ends = []
    for model in given[-1]:
        for node in [n for n in order if layer[n] == count - 1]:
            tried = dict(pairs)
            if steps.alike(node, model, set(given[-1]), tried):
                pairs.update(tried)
                ends.append(node)
                break
        else:
            return None
    if any(layer[start] >= 0 for start in starts.values()):
        return None
    inside = {n for n in _below(ends, set(given[-1])) if layer[n] >= 0}
    if any(recurs(node) for node in inside) or set(ends) & set(given[-1]):
        return None
    rungs = {node: (i, k) for k, parts in enumerate(given) for i, node in enumerate(parts)}
    return Ladder(
        stack, count, ends, given[-1], [starts.get(node) for node in given[0]], rungs, inside
    )


def _given(k: int, order: list[Node], layer: Mapping[Node, int]) -> list[Node]:
    """List the results of layer k that later parts use, except those that others of them determine."""
    later = [node for node in order if layer[node] > k]
    used = {o for node in later for o in node.operands if layer[o] == k and _member(o) is None}
    found = [node for node in order if node in used]
    return [
        node
        for node in found
        if not node.operands or not all(o in used or layer[o] < 0 for o in node.operands)
    ]


def _below(roots: list[Node], stop: set[Node]) -> Iterator[Node]:
    """List the parts of trees, down to the parts in `stop`."""
    return operands_first(roots, lambda n: () if n in stop else n.operands)


@dataclass(slots=True)
class _Steps:
    """Compare the steps of two consecutive layers of a stack."""

    stack: str
    layer: Mapping[Node, int]

    def alike(self, later: Node, earlier: Node, given: set[Node], pairs: dict[Node, Node]) -> bool:
        """Say whether a layer computes `later` as the layer before it computed `earlier`.

        `given` are the inputs of the later layer. `pairs` maps each of them to the input that the
        earlier layer uses in its place; inputs that it does not hold yet are added to it.
        """
        seen: dict[Node, Node] = {}
        pending = [(later, earlier)]
        while pending:
            a, b = pending.pop()
            if a in given:
                if pairs.setdefault(a, b) is not b:
                    return False
            elif self.layer[a] < 0 or self.layer[b] < 0:
                if a is not b:
                    return False
            elif seen.get(a) is not b:
                seen[a] = b
                if len(a.operands) != len(b.operands) or not self._same_operation(a, b):
                    return False
                pending += zip(a.operands, b.operands, strict=True)
        return True

    def _same_operation(self, a: Node, b: Node) -> bool:
        if a.operation == b.operation:
            return _member(a) is None
        later, earlier = _member(a), _member(b)
        if later is None or earlier is None or later[0] != self.stack or earlier[0] != self.stack:
            return False
        path = re.sub(r"\.\d+\.", f".{later[1]}.", str(b.operation.params[0]), count=1)
        params: tuple[Any, ...] = (path, *b.operation.params[1:])
        return later[1] == earlier[1] + 1 and a.operation == a.operation.primitive(*params)
