"""Derivatives of loops, which are loops (paper, section 5).

    h_t = step(h_{t-1}, X_t, W)

    dh_t = (ds/dh) dh_{t-1} + (ds/dX) dX_t + (ds/dW) dW        the change runs beside the loop
    g_{t-1} = (ds/dh)^T g_t + what comes at t-1                the gradient runs through it backwards,
    gX_t = (ds/dX)^T g_t,   gW = sum_t (ds/dW)^T g_t           and meets each carry as it was

What a step does to changes and gradients are trees over its leaves, found once by the rules of its
operations: the loop takes the same memory and the same plan for every length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.axes import BOUND, unused
from namedtensor.operations.derivatives import Derivation, Used, no_rule
from namedtensor.operations.index_defined import iota
from namedtensor.operations.simplification import expanded
from namedtensor.operations.step_trees import Step, key_of, leaf_of
from namedtensor.primitives import Node, Type, number, table
from namedtensor.primitives.node import ARGUMENT, apply_node, operands_first
from namedtensor.primitives.sizes import as_node
from namedtensor.shape import sized
from namedtensor.tensor import SymbolicTensor

Axes = list[tuple[str, Any]]


def change_of_loop(use: Used, place: int, d: SymbolicTensor) -> SymbolicTensor:
    """Give the change of a loop's result for a change d of one operand: a loop of both."""
    node, step = use.node, _smooth_step(use, place)
    axis, reverse, listed, _, result = use.params
    first, last = step.carries, step.carries + step.sequences
    further = _further(d.node, node.operands[place])
    beside = _Beside(step.leaves, further)
    changed = {h: beside("d", h) for h in step.leaves[:first] if _is_real(h)}
    leaf = step.leaves[place]
    own = changed.get(leaf) or beside("d", leaf)
    derivation = Derivation(step.results, [*changed, leaf])

    def change(root: Node) -> Node:
        found = derivation.change(root, {**changed, leaf: own})
        return derivation.filled(found or number(0.0), [*root.type.axes, *_sized(own, further)])

    real = [i for i, h in enumerate(step.leaves[:first]) if h in changed]
    emitted = [i for i, r in enumerate(step.results) if i >= first and _is_real(r)]
    results = [*step.results[:first], *[change(step.results[i]) for i in (*real, *emitted)]]
    starts = [
        d.node
        if i == place
        else expanded(number(0.0), [*node.operands[i].type.axes, *_sized(d.node, further)])
        for i in real
    ]
    leaves = [*step.leaves[:first], *changed.values(), *step.leaves[first:last]]
    operands = [*node.operands[:first], *starts, *node.operands[first:last]]
    if first <= place < last:
        leaves.append(own)
        operands.append(d.node)
    leaves += step.leaves[last:]
    operands += node.operands[last:]
    if place >= last:
        leaves.append(own)
        operands.append(d.node)
    both = Step(
        tuple(leaves),
        first + len(real),
        step.sequences + (first <= place < last),
        tuple(results),
        step.name,
    )
    kept = (*[False] * first, *[listed[i] for i in (*real, *emitted)])
    at = first + (*real, *emitted).index(result)
    operation = use.operation.primitive(axis, reverse, kept, both, at)
    return SymbolicTensor(apply_node(operation, tuple(operands)))


def share_of_loop(use: Used, place: int, g: SymbolicTensor) -> SymbolicTensor:
    """Give an operand's share of the gradient g of a loop's result: a loop from its end to its start.

    It finds the shares of all operands, so that all of them are found by one.
    """
    node, step = use.node, _smooth_step(use, place)
    axis, reverse, listed, _, result = use.params
    first, last = step.carries, step.carries + step.sequences
    along = listed[result]
    further = _further(g.node, node)
    carries = [h for h in step.leaves[:first] if _is_real(h)]
    elements = [x for x in step.elements if _is_real(x)]
    given = [w for w in step.leaves[last:] if _is_real(w)]
    derivation = Derivation(step.results, [*carries, *elements, *given])

    beside = _Beside(step.leaves, further)
    gradients = {h: beside("g", h) for h in carries}
    sums = {w: beside("sum", w) for w in given}
    coming = beside("g", step.results[result]) if along else None
    shares: dict[Node, list[Node]] = {}
    for i, root in enumerate(step.results):
        parts = [gradients[step.leaves[i]]] if i < first and step.leaves[i] in gradients else []
        if coming is not None and i == result:
            parts.append(coming)
        whole = derivation.added(parts)
        if whole is not None:
            leaves = [*carries, *elements, *given]
            for leaf, part in zip(leaves, derivation.gradients(root, leaves, whole), strict=True):
                shares.setdefault(leaf, []).extend([] if part is None else [part])

    sized = _sized(
        next(iter([*gradients.values(), *sums.values(), *filter(None, [coming])])), further
    )

    def share(leaf: Node, before: Iterable[Node] = ()) -> Node:
        found = derivation.added([*before, *shares.get(leaf, ())])
        return derivation.filled(found or number(0.0), [*leaf.type.axes, *sized])

    results = [
        *[share(h) for h in carries],
        *[share(w, [sums[w]]) for w in given],
        *[share(x) for x in elements],
    ]
    outside = dict(zip(step.leaves, node.operands, strict=True))
    starts = [
        g.node
        if not along and h is step.leaves[result]
        else expanded(number(0.0), [*outside[h].type.axes, *_sized(g.node, further)])
        for h in (*carries, *given)
    ]
    backwards = Step(
        (
            *gradients.values(),
            *sums.values(),
            *step.leaves[:last],
            *([coming] if coming is not None else []),
            *step.leaves[last:],
        ),
        len(starts),
        last + along,
        tuple(results),
        step.name,
    )
    kept = (*[False] * len(starts), *[True] * len(elements))
    at = [*carries, *given, *elements].index(step.leaves[place])
    operation = use.operation.primitive(axis, not reverse, kept, backwards, at)
    operands = (
        *starts,
        *_before(use),
        *node.operands[first:last],
        *([g.node] if along else []),
        *node.operands[last:],
    )
    return SymbolicTensor(apply_node(operation, operands))


def _before(use: Used) -> list[Node]:
    """Give the carries before each step, along the axis."""
    axis, reverse, _, step, _ = use.params
    count = step.carries
    twice = replace(step, results=(*step.results[:count], *step.leaves[:count]))
    kept = (*[False] * count, *[True] * count)
    return [
        apply_node(
            use.operation.primitive(axis, reverse, kept, twice, count + i), use.node.operands
        )
        for i in range(count)
    ]


# ------------------------------------------------------- of steps that may be taken in another order


class _Combined:
    """An associative scan, as the loop that it is: y_t = combine(y_{t-1}, x_t), and y_t = x_t at the first.

    `before` are the leaves of y_{t-1}, `elements` those of x_t, `given` what is used from outside.
    """

    def __init__(self, use: Used, place: int) -> None:
        step = _smooth_step(use, place)
        self.axis, hidden, self.reverse, _, _ = use.params
        self.use, self.count = use, step.carries
        bare = [
            leaf_of(key_of(h), h.operation.params[1], h.type.without([hidden]).names, h.type)
            for h in step.leaves[: 2 * self.count]
        ]
        self.before, self.elements = bare[: self.count], bare[self.count :]
        self.given = list(step.leaves[2 * self.count :])
        self.results = step.on([*bare, *self.given])
        self.real = [i for i, h in enumerate(self.before) if _is_real(h)]
        operands = use.node.operands
        self.outside = dict(zip([*self.elements, *self.given], operands, strict=True))
        self.first = leaf_of(f"first{BOUND}{self.axis}", "first", (), Type((), "bool"))
        self.leaves = [*bare, *self.given, self.first]

    def zeros(self, leaf: Node, like: Node, further: Sequence[str]) -> Node:
        """Give zeros of one element, or of what is given, with the further axes of a change."""
        axes = [a for a in self.outside[leaf].type.axes if a[0] != self.axis or leaf in self.given]
        return expanded(number(0.0), [*axes, *_sized(like, further)])

    def known(self) -> list[Node]:
        """Give what y was before each element, each element, and which is the first, along the axis."""
        node, (axis, hidden, reverse, step, _) = self.use.node, self.use.params
        whole = [
            apply_node(self.use.operation.primitive(axis, hidden, reverse, step, i), node.operands)
            for i in range(self.count)
        ]
        roll = table()["roll"]((axis,))
        size = as_node(node.type.size(axis))
        counted = iota(sized(axis, SymbolicTensor(size)))
        edge = SymbolicTensor(size) - 1 if reverse else 0
        shifted = [apply_node(roll, (y, number(-1 if reverse else 1))) for y in whole]
        first: Any = counted == edge
        return [*shifted, *node.operands[: self.count], first.node]

    def run(
        self,
        reverse: bool,
        carries: Sequence[tuple[Node, Node]],
        along: Sequence[tuple[Node, Node]],
        beside: Sequence[tuple[Node, Node]],
        results: Sequence[Node],
        place: int,
    ) -> SymbolicTensor:
        """Run a loop over leaves with their operands; what it gives after the carries is kept."""
        known = zip([*self.before, *self.elements, self.first], self.known(), strict=True)
        given = [(w, self.outside[w]) for w in self.given]
        pairs = [*carries, *known, *along, *given, *beside]
        count = 2 * self.count + 1 + len(along)
        step = Step(
            tuple([leaf for leaf, _ in pairs]),
            len(carries),
            count,
            tuple(results),
            self.use.params[3].name,
        )
        kept = tuple([i >= len(carries) for i in range(len(results))])
        operation = table()["scan"](self.axis, reverse, kept, step, place)
        return SymbolicTensor(apply_node(operation, tuple([operand for _, operand in pairs])))

    def chosen(self, at_first: Node, else_: Node) -> Node:
        return apply_node(table()["where"].plain, (self.first, at_first, else_))


def change_of_combined(use: Used, place: int, d: SymbolicTensor) -> SymbolicTensor:
    """Give the change of an associative scan's result for a change d of one operand."""
    loop = _Combined(use, place)
    further = _further(d.node, use.node.operands[place])
    leaf = [*loop.elements, *loop.given][place]
    beside = _Beside(loop.leaves, further)
    own = beside("d", leaf)
    changed = {loop.before[i]: beside("d", loop.before[i]) for i in loop.real}
    derivation = Derivation(loop.results, [*changed, leaf])
    results = []
    for i in loop.real:
        axes = [*loop.elements[i].type.axes, *_sized(own, further)]
        found = derivation.change(loop.results[i], {**changed, leaf: own})
        start = own if i == place else number(0.0)
        results.append(
            loop.chosen(
                derivation.filled(start, axes), derivation.filled(found or number(0.0), axes)
            )
        )
    starts = [
        (h, loop.zeros(loop.elements[i], d.node, further))
        for i, h in zip(loop.real, changed.values(), strict=True)
    ]
    pair = [(own, d.node)]
    along, given = (pair, []) if place < loop.count else ([], pair)
    at = len(starts) + loop.real.index(use.params[4])
    return loop.run(loop.reverse, starts, along, given, [*results, *results], at)


def share_of_combined(use: Used, place: int, g: SymbolicTensor) -> SymbolicTensor:
    """Give an operand's share of the gradient g of an associative scan's result."""
    loop = _Combined(use, place)
    further = _further(g.node, use.node)
    before = [loop.before[i] for i in loop.real]
    elements = [loop.elements[i] for i in loop.real]
    given = [w for w in loop.given if _is_real(w)]
    leaves = [*before, *elements, *given]
    derivation = Derivation(loop.results, leaves)
    beside = _Beside(loop.leaves, further)
    gradients = {h: beside("g", h) for h in before}
    sums = {w: beside("sum", w) for w in given}
    coming = beside("g", loop.results[use.params[4]])
    sized_ = _sized(coming, further)
    shares: dict[Node, list[Node]] = {leaf: [] for leaf in leaves}
    wholes: list[Node] = []
    for i, h in zip(loop.real, before, strict=True):
        whole = derivation.added([gradients[h], *([coming] if i == use.params[4] else [])])
        assert whole is not None
        wholes.append(whole)
        found = derivation.gradients(loop.results[i], leaves, whole)
        for leaf, part in zip(leaves, found, strict=True):
            shares[leaf] += [] if part is None else [part]

    def share(leaf: Node) -> Node:
        found = derivation.added(shares[leaf])
        return derivation.filled(found or number(0.0), [*leaf.type.axes, *sized_])

    results = [
        *[share(h) for h in before],
        *[loop.chosen(sums[w], _sum(sums[w], share(w))) for w in given],
        *[
            loop.chosen(derivation.filled(w, [*x.type.axes, *sized_]), share(x))
            for w, x in zip(wholes, elements, strict=True)
        ],
    ]
    carries = [
        *[
            (gradients[h], loop.zeros(x, g.node, further))
            for h, x in zip(before, elements, strict=True)
        ],
        *[(sums[w], loop.zeros(w, g.node, further)) for w in given],
    ]
    leaf = [*loop.elements, *loop.given][place]
    at = [*before, *given, *elements].index(leaf)
    return loop.run(not loop.reverse, carries, [(coming, g.node)], [], results, at)


def _sum(a: Node, b: Node) -> Node:
    return apply_node(table()["add"].plain, (a, b))


def _smooth_step(use: Used, place: int) -> Step:
    """Give the step of a loop; refuse one that draws anew each time, or computes complex numbers."""
    step: Step = use.params[3]
    nodes = [*step.leaves, *operands_first(step.results)]
    if any(n.type.kind == "complex" or n.operation.primitive.effect for n in nodes):
        raise no_rule(use.node, place)
    return step


def _is_real(node: Node) -> bool:
    return node.type.kind == "float"


def _further(d: Node, like: Node) -> list[str]:
    """Name the axes that a change or gradient has beyond those of what changes: they lift."""
    return [a for a in d.type.names if not like.type.has(a)]


def _sized(node: Node, names: Sequence[str]) -> Axes:
    return [(a, node.type.size(a)) for a in names]


class _Beside:
    """Makes leaves for what belongs to the parts of a step: it may have such leaves already."""

    def __init__(self, leaves: Iterable[Node], further: Sequence[str]) -> None:
        self.taken = {key_of(leaf) for leaf in leaves}
        self.further = further

    def __call__(self, mark: str, of: Node) -> Node:
        """Make the leaf of a part's change, gradient or sum, with the further axes."""
        leaf = of.operation.primitive is ARGUMENT
        stem, name = (key_of(of), f"{mark}{of.operation.params[1]}") if leaf else ("", mark)
        key = unused(f"{mark}{BOUND}{stem}", self.taken, BOUND)
        self.taken.add(key)
        type_ = replace(of.type, host=False, weak=False, open=False)
        return leaf_of(key, name, (*self.further, *of.type.names), type_)
