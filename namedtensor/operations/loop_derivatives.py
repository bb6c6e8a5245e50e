"""Derivatives of loops, which are loops (paper, section 5).

    h_t = step(h_{t-1}, X_t, W)

    dh_t = (ds/dh) dh_{t-1} + (ds/dX) dX_t + (ds/dW) dW      the change, from the start to the end
    g_{t-1} = (ds/dh)^T g_t + what comes at t-1              the gradient, from the end to the start:
    gX_t = (ds/dX)^T g_t,   gW = sum_t (ds/dW)^T g_t         X's share, and W's

Both use the carries of the original loop. What a step does to changes and gradients is found once, as trees
over its leaves, so that one plan serves all lengths. An associative scan is differentiated as a loop: h_t =
combine(h_{t-1}, X_t), where the first is X_1 itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.axes import BOUND, unused
from namedtensor.operations.derivatives import Derivation, Used, no_rule
from namedtensor.operations.index_defined import iota
from namedtensor.operations.simplification import expanded
from namedtensor.operations.step_trees import Step, key_of, leaf_of, like_leaf, step_of
from namedtensor.primitives import Node, Type, number, table
from namedtensor.primitives.node import ARGUMENT, apply_node, operands_first
from namedtensor.primitives.sizes import as_node
from namedtensor.shape import sized
from namedtensor.tensor import SymbolicTensor


def change_of_loop(use: Used, place: int, d: SymbolicTensor) -> SymbolicTensor:
    """Give the change of a loop's result for a change d of one operand."""
    loop = _Loop(use, place)
    further = _further(d.node, use.node.operands[place])
    beside = _Beside(loop, further)
    changes = {h: beside("d", h) for h in loop.real(loop.before)}
    leaf = loop.operands[place]
    own = changes.get(leaf) or beside("d", leaf)
    derivation = Derivation(loop.results, [*changes, leaf])
    kept = {i: r for i, r in enumerate(loop.results) if _is_real(r)}
    results = []
    for i, root in kept.items():
        axes = [*root.type.axes, *_sized(own, further)]
        found = derivation.change(root, {**changes, leaf: own}) or number(0.0)
        first = own if i == place else number(0.0)
        results.append(loop.chosen(*[derivation.filled(x, axes) for x in (first, found)]))
    starts = {
        dh: d.node if h is leaf else loop.zeros(h, d.node, further) for h, dh in changes.items()
    }
    along = {own: d.node} if leaf in loop.elements else {}
    given = {own: d.node} if leaf in loop.given else {}
    listed = [loop.listed[i] for i in kept]
    at = list(kept).index(loop.result)
    return loop.run(loop.reverse, starts, along, given, results, listed, at)


def share_of_loop(use: Used, place: int, g: SymbolicTensor) -> SymbolicTensor:
    """Give an operand's share of the gradient g of a loop's result.

    One loop finds the shares of all operands, so that those of the others cost no loop of their own.
    """
    loop = _Loop(use, place)
    shares, run = _all_shares(use, g.node)
    return run(shares.index(loop.operands[place]))


@functools.lru_cache(maxsize=64)
def _all_shares(use: Used, g: Node) -> tuple[list[Node], Callable[[int], SymbolicTensor]]:
    """Derive a loop backwards: give the leaves that have shares, and what runs the loop for one of them."""
    loop = _Loop(use, 0)
    further = _further(g, use.node)
    before, elements, given = map(loop.real, (loop.before, loop.elements, loop.given))
    leaves = [*before, *elements, *given]
    beside = _Beside(loop, further)
    gradients = {h: beside("g", h) for h in before}
    sums = {w: beside("sum", w) for w in given}
    along = loop.listed[loop.result]
    coming = [beside("g", loop.results[loop.result])] if along else []
    derivation = Derivation(loop.results, leaves)
    wholes: dict[int, Node] = {}
    shares: dict[Node, list[Node]] = {leaf: [] for leaf in leaves}
    for i, root in enumerate(loop.results):
        carried = [gradients[h] for h in loop.before[i : i + 1] if h in gradients]
        whole = derivation.added([*carried, *(coming if i == loop.result else [])])
        if whole is not None:
            wholes[i] = whole
            found = derivation.gradients(root, leaves, whole)
            for leaf, part in zip(leaves, found, strict=True):
                shares[leaf] += [] if part is None else [part]
    any_ = next(iter([*gradients.values(), *sums.values(), *coming]))

    def filled(found: Node | None, leaf: Node) -> Node:
        axes = [*leaf.type.axes, *_sized(any_, further)]
        return derivation.filled(number(0.0) if found is None else found, axes)

    results = [filled(derivation.added(shares[h]), h) for h in before]
    for w, whole in sums.items():
        more = derivation.added([whole, *shares[w]])
        results.append(loop.chosen(whole, filled(more, w)))
    for x in elements:
        first = wholes[loop.elements.index(x)] if loop.first is not None else None
        results.append(loop.chosen(filled(first, x), filled(derivation.added(shares[x]), x)))
    starts = {
        gh: g if not along and h is loop.before[loop.result] else loop.zeros(h, g, further)
        for h, gh in gradients.items()
    }
    starts |= {sum_: loop.zeros(w, g, further) for w, sum_ in sums.items()}
    listed = [*[False] * len(starts), *[True] * len(elements)]
    known = dict.fromkeys(coming, g)
    run = functools.partial(loop.run, not loop.reverse, starts, known, {}, results, listed)
    return [*before, *given, *elements], run


class _Loop:
    """A loop whose carries are known at each step, as its derivatives need them.

    `before` are the leaves of the carries, `elements` those of the sequences, `given` those of what the
    step uses from outside; `operands` are the leaves by the loop's operands. `first` is the leaf that
    says where an associative scan has no carry yet: its result is the element.
    """

    def __init__(self, use: Used, place: int) -> None:
        self.use = use
        step, self.result = step_of(use.node), use.params[-1]
        nodes = [*step.leaves, *operands_first(step.results)]
        if any(n.type.kind == "complex" or n.operation.primitive.effect for n in nodes):
            raise no_rule(use.node, place)  # random numbers differ at each run
        self.step = step
        self.axis: str = use.params[0]
        self.first: Node | None = None
        count = step.carries
        if use.node.name == "scan":
            _, self.reverse, self.listed, _, _ = use.params
            last = count + step.sequences
            self.before, self.elements = step.leaves[:count], step.leaves[count:last]
            self.given, self.results = step.leaves[last:], step.results
            self.operands = step.leaves
        else:
            _, hidden, self.reverse, _, _ = use.params
            both = step.leaves[: 2 * count]
            bare = tuple([like_leaf(h, h.type.without([hidden]).names) for h in both])
            self.before, self.elements = bare[:count], bare[count:]
            self.given = step.leaves[2 * count :]
            self.results = step.on([*bare, *self.given])
            self.operands = (*self.elements, *self.given)
            self.listed = (True,) * count
            self.first = leaf_of(f"first{BOUND}{self.axis}", "first", (), Type((), "bool"))
        self.outside = dict(zip(self.operands, use.node.operands, strict=True))

    def real(self, leaves: Iterable[Node]) -> list[Node]:
        """List the leaves that hold real numbers, which have derivatives."""
        return [leaf for leaf in leaves if _is_real(leaf)]

    def zeros(self, leaf: Node, like: Node, further: Sequence[str]) -> Node:
        """Give zeros of a carry, or of what is given, with the further axes of a change or gradient."""
        if leaf not in self.outside:  # the elements of an associative scan are its carries
            leaf = self.elements[self.before.index(leaf)]
        axes = [a for a in self.outside[leaf].type.axes if a[0] != self.axis or leaf in self.given]
        return expanded(number(0.0), [*axes, *_sized(like, further)])

    def chosen(self, at_first: Node, then: Node) -> Node:
        """Choose one tree for the element without a carry, and another for all others."""
        if self.first is None:
            return then
        return apply_node(table()["where"].plain, (self.first, at_first, then))

    def known(self) -> dict[Node, Node]:
        """Give what is known along the axis: the carries before each step, and the elements."""
        node, step, count = self.use.node, self.step, self.step.carries
        operation = self.use.operation.primitive
        shown = self.first is None and self.use.read
        if shown or not all(self.listed[:count]):
            # the steps run once more, keeping the carry before each
            twice = replace(step, results=(*step.results[:count], *self.before))
            params = (self.axis, self.reverse, (*[False] * count, *[True] * count), twice)
            every = [operation(*params, count + i) for i in range(count)]
            carries = [apply_node(one, node.operands) for one in every]
            return self._along(carries)
        params = node.operation.params[:-1]
        results = [apply_node(operation(*params, i), node.operands) for i in range(count)]
        shift, roll = number(-1 if self.reverse else 1), table()["roll"]((self.axis,))
        carries = [apply_node(roll, (result, shift)) for result in results]
        size = SymbolicTensor(as_node(node.type.size(self.axis)))
        first: Any = iota(sized(self.axis, size)) == (size - 1 if self.reverse else 0)
        if self.first is not None:
            return {**self._along(carries), self.first: first.node}
        where = table()["where"].plain
        pairs = zip(node.operands, carries, strict=False)
        return self._along([apply_node(where, (first.node, start, h)) for start, h in pairs])

    def _along(self, carries: Iterable[Node]) -> dict[Node, Node]:
        return dict(zip(self.before, carries, strict=True)) | self._of(self.elements)

    def _of(self, leaves: Iterable[Node]) -> dict[Node, Node]:
        return {leaf: self.outside[leaf] for leaf in leaves}

    def run(
        self,
        reverse: bool,
        starts: Mapping[Node, Node],
        along: Mapping[Node, Node],
        given: Mapping[Node, Node],
        results: Sequence[Node],
        listed: Sequence[bool],
        place: int,
    ) -> SymbolicTensor:
        """Run a loop that knows the carries of this one; each leaf has its operand."""
        sequences = self.known() | dict(along)
        pairs = {**starts, **sequences, **self._of(self.given), **given}
        step = Step(tuple(pairs), len(starts), len(sequences), tuple(results), self.step.name)
        operation = table()["scan"](self.axis, reverse, tuple(listed), step, place)
        return SymbolicTensor(apply_node(operation, tuple(pairs.values())))


class _Beside:
    """Makes the leaves for changes, gradients and sums; a step may contain such leaves already."""

    def __init__(self, loop: _Loop, further: Sequence[str]) -> None:
        self.taken = {key_of(leaf) for leaf in (*loop.before, *loop.elements, *loop.given)}
        self.further = further

    def __call__(self, mark: str, of: Node) -> Node:
        """Make the leaf of a part's change, gradient or sum, with the further axes."""
        leaf = of.operation.primitive is ARGUMENT
        stem, name = (key_of(of), f"{mark}{of.operation.params[1]}") if leaf else ("", mark)
        key = unused(f"{mark}{BOUND}{stem}", self.taken, BOUND)
        self.taken.add(key)
        type_ = replace(of.type, host=False, weak=False, open=False)
        return leaf_of(key, name, (*self.further, *of.type.names), type_)


def _is_real(node: Node) -> bool:
    return node.type.kind == "float"


def _further(d: Node, like: Node) -> list[str]:
    """Name the axes that a change or gradient has beyond those of what changes: they lift."""
    return [a for a in d.type.names if not like.type.has(a)]


def _sized(node: Node, names: Sequence[str]) -> list[tuple[str, Any]]:
    return [(a, node.type.size(a)) for a in names]
