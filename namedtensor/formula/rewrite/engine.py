"""Run the rules over a tree: first to stable forms, then, largest pattern first, to kernels."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from namedtensor.formula.rewrite.attention import attention
from namedtensor.formula.rewrite.chain import chain
from namedtensor.formula.rewrite.linear import identity, linear
from namedtensor.formula.rewrite.lookup import cross_entropy, lookup
from namedtensor.formula.rewrite.normalisation import (
    channel_norm,
    layer_norm,
    rms_norm,
    spelled_standardize,
)
from namedtensor.formula.rewrite.patterns import written
from namedtensor.formula.rewrite.renames import push_renames
from namedtensor.formula.rewrite.spelled import rectifier, variance
from namedtensor.formula.rewrite.stable import stable_log_softmax, stable_logsumexp, stable_softmax
from namedtensor.formula.rewrite.windows import convolution, pooling
from namedtensor.primitives import Node
from namedtensor.primitives.node import apply_node


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what computes it; `libraries` are those that have the kernel.

    `asks` says that the match takes the nodes that are used more than once: they are computed once.
    """

    name: str
    pattern: str
    match: Callable[..., Node | None]
    libraries: tuple[str, ...] = ("torch",)
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Fired:
    """Where a rule fired."""

    rule: str
    formula: str


BOTH = ("numpy", "torch")

#: Equal forms that are safer or plainer, on every library.
FORMS = (
    Rule("softmax", "exp(X) / sum[ax](exp(X))", stable_softmax, BOTH),
    Rule("log_softmax", "log(softmax[ax](X))", stable_log_softmax, BOTH),
    Rule("logsumexp", "log(sum[ax](exp(X)))", stable_logsumexp, BOTH),
    Rule("identity", "eye(ax, bx) @ bx @ X", identity, BOTH),
    Rule("lookup", "E @ vocab @ one_hot(I, vocab)", lookup, BOTH),
    Rule("variance", "mean[ax]((X - mean[ax](X))**2)", variance, BOTH),
    Rule("relu", "maximum(0, X)", rectifier, BOTH),
    Rule("standardize", "(X - mean[ax](X)) / sqrt(var[ax](X) + eps)", spelled_standardize, BOTH),
)

#: Kernels, the largest pattern first.
KERNELS = (
    Rule("attention", "V @ seq @ softmax[seq](Q @ key @ K * s + M)", attention),
    Rule("cross_entropy", "log_softmax[vocab](Z)[vocab(y)]", cross_entropy),
    Rule("layer_norm", "standardize[ax](X) * gamma + beta", layer_norm),
    Rule("channel_norm", "standardize[batch, ax](X) * gamma[chans] + beta[chans]", channel_norm),
    Rule("rms_norm", "X / sqrt(mean[ax](X * X) + eps) * gamma", rms_norm),
    Rule("convolution", "W @ (chans, kernel) @ unroll[seq, kernel](X) + b", convolution),
    Rule("pooling", "max[kernel](pool[seq, kernel](X))", pooling),
    Rule("linear", "W @ ax @ X + b", linear, asks=True),
)

#: The order of contractions comes last: kernels know better orders.
CHAIN = Rule("chain", "A @ ax @ B @ bx @ C", chain, BOTH, asks=True)

RULES = (*FORMS, *KERNELS, CHAIN)


def rewrite(nodes: Sequence[Node], library: str) -> tuple[tuple[Node, ...], tuple[Fired, ...]]:
    """Give the trees with every rule applied that the library has a kernel for, and what fired."""
    fired: list[Fired] = []
    nodes = push_renames(nodes)
    for rules in (FORMS, KERNELS):
        downwards = rules is KERNELS
        shared = _shared(nodes)
        usable = [_telling(r, shared) for r in rules if library in r.libraries]
        done: dict[Node, Node] = {}
        nodes = tuple([_rewrite(n, usable, downwards, done, fired) for n in nodes])
    links = (_telling(CHAIN, _shared(nodes)),)
    seen: dict[Node, Node] = {}
    nodes = tuple([_rewrite(n, links, True, seen, fired) for n in nodes])
    return tuple(nodes), tuple(fired)


def _telling(rule: Rule, shared: set[Node]) -> Rule:
    """Tell a rule which nodes are used more than once, if it asks."""
    if not rule.asks:
        return rule
    return replace(rule, match=functools.partial(rule.match, shared=shared))


def _shared(roots: Sequence[Node]) -> set[Node]:
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
    root: Node, rules: Sequence[Rule], downwards: bool, done: dict[Node, Node], fired: list[Fired]
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
            heads[top] = _fire(top, rules, fired) if downwards else top
        head = heads[top]
        missing = [o for o in head.operands if o not in done and o is not top]
        if missing:
            waiting += reversed(missing)
            continue
        waiting.pop()
        operands = tuple([done[o] for o in head.operands])
        new = head if operands == head.operands else apply_node(head.operation, operands)
        done[top] = new if downwards else _fire(new, rules, fired)
    return done[root]


def _fire(node: Node, rules: Sequence[Rule], fired: list[Fired]) -> Node:
    for rule in rules:
        found = rule.match(node)
        if found is not None:
            fired.append(Fired(rule.name, written(node, 4)))
            return found if rule not in FORMS else _fire(found, rules, fired)
    return node
