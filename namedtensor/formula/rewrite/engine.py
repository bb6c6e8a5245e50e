"""Run the rules over a tree: first to stable forms, then, largest pattern first, to kernels."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from namedtensor.doors import door
from namedtensor.errors import Place
from namedtensor.formula.declared import Declared
from namedtensor.formula.rewrite import formulas
from namedtensor.formula.rewrite.attention import attention
from namedtensor.formula.rewrite.cells import gru, lstm
from namedtensor.formula.rewrite.chain import chain
from namedtensor.formula.rewrite.linear import identity, linear
from namedtensor.formula.rewrite.lookup import cross_entropy, lookup
from namedtensor.formula.rewrite.normalisation import (
    channel_norm,
    group_norm,
    layer_norm,
    rms_norm,
    spelled_standardize,
    told,
)
from namedtensor.formula.rewrite.patterns import written
from namedtensor.formula.rewrite.renames import push_renames
from namedtensor.formula.rewrite.spelled import (
    accumulated,
    drawn_once,
    rectifier,
    relu_gradient,
    variance,
)
from namedtensor.formula.rewrite.stable import stable_log_softmax, stable_logsumexp, stable_softmax
from namedtensor.formula.rewrite.windows import convolution, pooling, transposed_convolution
from namedtensor.formula.shapes import traced_results
from namedtensor.operations.recurrence import SCAN, hoisted, recurs
from namedtensor.operations.step_trees import placed_parts
from namedtensor.primitives import Node
from namedtensor.primitives.node import apply_node, make_node, operands_first
from namedtensor.primitives.origins import Origins


@dataclass(frozen=True, slots=True)
class Rule:
    """A formula, the function that matches it and gives the kernel, and the `libraries` that have the kernel.

    `written` is the formula as a plain function, `pattern` the formula itself. `asks` says that the match is
    also given the nodes that are used more than once, which must stay. `looks` says that it is given all
    nodes. `selects` says that the formula is written as a product but the kernel only selects records and
    multiplies nothing.
    """

    name: str
    written: Callable[..., Any]
    match: Callable[..., Node | None]
    libraries: tuple[str, ...] = ("torch",)
    asks: bool = False
    looks: bool = False
    selects: bool = False

    @property
    def pattern(self) -> Declared:
        """The formula that the rule looks for."""
        return _formula(self.written)

    def __str__(self) -> str:
        (result,) = traced_results(self.pattern, (), {})[1]
        return written(result.node, 9)


@functools.cache
def _formula(function: Callable[..., Any]) -> Declared:
    made: Declared = door("formula.formula.formula")(function)  # which runs through these rules
    return made


@dataclass(frozen=True, slots=True)
class Fired:
    """Where a rule fired: the tree before, the tree after, and the place where the first was written."""

    rule: str
    formula: str
    before: Node
    after: Node
    table: Origins = field(repr=False, compare=False)
    selects: bool = field(default=False, compare=False)

    @property
    def origins(self) -> tuple[Place, ...]:
        """The places of all that the rule replaced."""
        return self.table.replaced(self.before, self.after)


BOTH = ("numpy", "torch")

#: Equal forms that are safer.
STABLE = (
    Rule("softmax", formulas.softmax, stable_softmax, BOTH),
    Rule("log_softmax", formulas.log_of_softmax, stable_log_softmax, BOTH),
    Rule("logsumexp", formulas.logsumexp, stable_logsumexp, BOTH),
)

#: Random numbers, in a form that can be differentiated.
DRAWN = Rule("dropout", formulas.dropped, drawn_once, BOTH)

#: Equal forms that are safer or plainer, on every library.
FORMS = (
    *STABLE,
    Rule("identity", formulas.identity, identity, BOTH, selects=True),
    Rule("lookup", formulas.lookup, lookup, BOTH, selects=True),
    Rule("variance", formulas.variance, variance, BOTH),
    Rule("relu", formulas.relu, rectifier, BOTH),
    Rule("standardize", formulas.standardized, spelled_standardize, BOTH),
)

#: Kernels, the largest pattern first.
KERNELS = (
    Rule("attention", formulas.attention, attention, asks=True),
    Rule("cross_entropy", formulas.cross_entropy, cross_entropy, selects=True),
    Rule("group_norm", formulas.group_norm, group_norm, asks=True),
    Rule("layer_norm", formulas.layer_norm, layer_norm, asks=True),
    Rule("channel_norm", formulas.channel_norm, channel_norm, asks=True),
    Rule("rms_norm", formulas.rms_norm, rms_norm, asks=True),
    Rule("convolution", formulas.convolution, convolution, asks=True),
    Rule(
        "transposed_convolution",
        formulas.transposed_convolution,
        transposed_convolution,
        asks=True,
    ),
    Rule("pooling", formulas.pooling, pooling),
    Rule(
        "lstm",
        formulas.lstm,
        lstm,
        looks=True,
    ),
    Rule("gru", formulas.gru, gru, looks=True),
    Rule("relu_gradient", formulas.relu_gradient, relu_gradient, looks=True),
    Rule("linear", formulas.linear, linear, asks=True),
)

#: Rules for the steps of loops, after all others.
STEPS = (Rule("addcmul", formulas.accumulated, accumulated, asks=True),)

#: The order of contractions comes last: kernels know better orders.
CHAIN = Rule("chain", formulas.chain, chain, BOTH, asks=True)

RULES = (*FORMS, *KERNELS, *STEPS, CHAIN)


def rewrite(
    nodes: Sequence[Node], library: str, origins: Origins | None = None
) -> tuple[tuple[Node, ...], tuple[Fired, ...]]:
    """Apply every rule whose kernel the library has; give the new trees, and where rules fired.

    A node that replaces others gets their origins.
    """
    fired: list[Fired] = []
    origins = Origins() if origins is None else origins
    nodes = push_renames(nodes, origins)
    for rules in (FORMS, KERNELS):
        nodes = _applied(rules, nodes, library, fired, origins)
    if library in KERNELS[0].libraries:
        nodes = placed_parts(nodes, told(nodes))
    nodes = _applied((CHAIN,), nodes, library, fired, origins)
    return _with_steps(nodes, library, origins, fired), tuple(fired)


def _applied(
    rules: Sequence[Rule],
    nodes: Sequence[Node],
    library: str,
    fired: list[Fired],
    origins: Origins,
) -> tuple[Node, ...]:
    """Apply to trees the rules whose kernels a library has; forms are matched from the leaves up."""
    shared, every = shared_in(nodes), list(operands_first(nodes))
    usable = [_telling(r, shared, every) for r in rules if library in r.libraries]
    done: dict[Node, Node] = {}
    return tuple([_rewrite(n, usable, rules is not FORMS, done, fired, origins) for n in nodes])


def in_plain_forms(nodes: Sequence[Node], written: bool = False) -> tuple[Node, ...]:
    """Rewrite trees to differentiate: what they spell out, such as a softmax, becomes one operation.

    A tree that is `written` for a reader keeps what is safe as it is.
    """
    rules = (DRAWN, *(STABLE if written else FORMS))
    nodes = nodes if written else push_renames(nodes)
    done: dict[Node, Node] = {}
    return tuple([_rewrite(n, rules, False, done, [], Origins()) for n in nodes])


def _with_steps(
    nodes: Sequence[Node], library: str, origins: Origins, fired: list[Fired]
) -> tuple[Node, ...]:
    """Rewrite the steps inside of loops, without what is computed for all elements at once."""
    from namedtensor.formula.shared import SHARED, rewritten  # which plans

    done: dict[Node, Node] = {}
    steps: dict[Any, Any] = {}
    for node in operands_first(nodes):
        operands = tuple([done[o] for o in node.operands])
        new = node if operands == node.operands else _on(node, operands)
        if recurs(new):
            traced = new.operation.params[-2].results
            new = hoisted(new) if new.operation.primitive is SCAN else new
            *before, step, place = new.operation.params
            for old, own in zip(traced, step.results, strict=True):
                origins.follow(old, own)
            results, inside = rewrite(step.results, library, origins)
            fired += inside
            results = _applied(STEPS, results, library, fired, origins)
            operation = new.operation.primitive(*before, replace(step, results=results), place)
            new = apply_node(operation, new.operands)
        if new.operation.primitive is SHARED:
            step = new.operation.params[0]
            if step not in steps:
                results, inside = rewrite(step.results, library, origins)
                fired += inside
                steps[step] = replace(step, results=results)
            new = rewritten(new, steps[step])
        if new is not node:
            origins.move(node, new)
        done[node] = new
    return tuple([done[node] for node in nodes])


def _telling(rule: Rule, shared: set[Node], every: Sequence[Node]) -> Rule:
    """Give a rule's match the nodes that are used more than once if it `asks`, or all nodes if it `looks`."""
    if rule.looks:
        return replace(rule, match=functools.partial(rule.match, present=every))
    if not rule.asks:
        return rule
    return replace(rule, match=functools.partial(rule.match, shared=shared))


def shared_in(roots: Sequence[Node]) -> set[Node]:
    """Find the nodes that are used more than once: they are computed once, and stay whole."""
    uses = Counter(roots)
    waiting = list(dict.fromkeys(roots))
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        uses.update(node.operands)
        fresh = [o for o in dict.fromkeys(node.operands) if o not in seen]
        seen.update(fresh)
        waiting += fresh
    return {node for node, count in uses.items() if count > 1}


def _rewrite(
    root: Node,
    rules: Sequence[Rule],
    downwards: bool,
    done: dict[Node, Node],
    fired: list[Fired],
    origins: Origins,
) -> Node:
    """Rewrite a tree; `downwards` matches a node before its operands are changed."""
    heads: dict[Node, Node] = {}
    waiting = [root]
    while waiting:
        top = waiting[-1]
        if top in done:
            waiting.pop()
            continue
        if top not in heads:
            heads[top] = _fire(top, rules, fired, origins) if downwards else top
        head = heads[top]
        missing = [o for o in head.operands if o not in done and o is not top]
        if missing:
            waiting += reversed(missing)
            continue
        waiting.pop()
        operands = tuple([done[o] for o in head.operands])
        new = head
        if operands != head.operands:
            new = _on(head, operands)
            origins.move(head, new)
        done[top] = new if downwards else _fire(new, rules, fired, origins)
    return done[root]


def _on(node: Node, operands: tuple[Node, ...]) -> Node:
    """Rebuild a node with other operands."""
    if all([new.type == old.type for new, old in zip(operands, node.operands, strict=True)]):
        # a kept call has no rule: its type was found when the other formula was read
        return make_node(node.operation, operands, node.type, node.guards)
    return apply_node(node.operation, operands)


def _fire(node: Node, rules: Sequence[Rule], fired: list[Fired], origins: Origins) -> Node:
    if not node.operands or node.operation.primitive.traits.opaque:
        return node
    for rule in rules:
        found = rule.match(node)
        if found is not None:
            fired.append(Fired(rule.name, written(node, 4), node, found, origins, rule.selects))
            origins.move(node, found, whole=True)
            return found if rule not in FORMS else _fire(found, rules, fired, origins)
    return node
