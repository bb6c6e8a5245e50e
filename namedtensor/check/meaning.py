"""Rules about what axes mean: each reads one formula's tree, and warns of what is legal but rarely meant.

    att(Q, K, V) = V ._seq softmax_seq'(Q ._key K)    weights over seq', contracted over seq

A rule asks the traits of operations and the origins of nodes, and no names of operations.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.axes import FRESH, shown
from namedtensor.errors import NamedTensorError
from namedtensor.formula.records import NotCounted, numbers_of, records_in
from namedtensor.formula.written import Written
from namedtensor.plans.compile import fold
from namedtensor.primitives import Node, number
from namedtensor.primitives.node import (
    ARGUMENT,
    NUMBER,
    SIZE,
    apply_node,
    describe,
    is_weighted_mean,
    operands_first,
)
from namedtensor.primitives.traits import Acts
from namedtensor.tensor.resize import resize

#: The rules, and what each one says; `docs/checking.md` shows an example of each.
MEANINGS: dict[str, str] = {
    "softmax-unmet": "weights are normalised over one axis, and contracted over or used as of another",
    "softmax-twice": "what is normalised over an axis is normalised, or summed, over it again",
    "softmax-constant": "what is added before a softmax is the same along its axis, and has no effect",
    "scale-axis": "scores are divided by the size of an axis that was not contracted, or of one of several",
    "statistic-axis": "mean and spread, length and gain, or both sides of a cosine are over different axes",
    "mask-swapped": "a mask lets queries see what comes after them, and not what came before",
    "mask-multiplied": "a mask with infinities is multiplied, and not added",
    "prime-forgotten": "the scores of a self-attention have one axis where they need two",
    "axis-lifted": "a parameter has an axis that nothing else names, and that lifts or is summed over",
    "axis-brought-back": "a parameter brings an axis back that was used up, or a sum one that is summed over "
    "beside it",
    "residual-axis": "a branch is added to its own input, and ends in another axis, or one more",
    "size-unequal": "two sizes must be equal, and cannot be, or are sizes of different axes",
    "loss-axes": "a loss keeps axes",
    "unused": "an argument has no part in the result",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """The remark of a rule: its code, the words, the node (or an argument's name), and a hint.

    It is `certain` if the formula runs for no sizes of at least 1.
    """

    code: str
    message: str
    node: Node | None
    hint: str = ""
    argument: str = ""
    certain: bool = False


class Tree:
    """The trees of a formula's results, with what uses each node."""

    def __init__(self, written: Written) -> None:
        self.written = written
        self.results = written.results
        self.nodes = list(operands_first(written.results))
        self.users: dict[Node, list[Node]] = {}
        for node in self.nodes:
            for operand in dict.fromkeys(node.operands):
                self.users.setdefault(operand, []).append(node)
        self.below: dict[Node, frozenset[Node]] = {}

    def tensors(self) -> list[Node]:
        return [node for node in self.nodes if not node.type.host]

    def inside(self, node: Node) -> frozenset[Node]:
        """Give all nodes of a node's tree, itself among them."""
        found = self.below.get(node)
        if found is None:
            found = self.below[node] = frozenset(operands_first([node]))
        return found

    def is_parameter(self, node: Node) -> bool:
        """Say whether a node is an argument after the semicolon, by itself or renamed."""
        node = bare(node)
        if node.operation.primitive is not ARGUMENT:
            return False
        path = str(node.operation.params[0])
        if "." in path:
            return True
        return any(p.name == path and p.after for p in self.written.signature.parameters)

    def kept(self, axis: str) -> bool:
        """Say whether a result has an axis."""
        return any(axis in node.type.names for node in self.results)


def remarks(written: Written) -> list[Remark]:
    """Give what the rules say of one formula; one node has one remark of each rule."""
    tree = Tree(written)
    found: dict[Any, Remark] = {}
    for rule in RULES:
        for remark in rule(tree):
            found.setdefault((remark.code, remark.node, remark.argument), remark)
    return list(found.values())


# ------------------------------------------------------------------------------ reading the tree


def uses(node: Node) -> tuple[str, ...]:
    """Give the axes that a node sums up or reduces otherwise, of one operand or of several."""
    return node.operation.primitive.traits.reduces(node.operation.params)


def is_contraction(node: Node) -> bool:
    return bool(uses(node)) and len([o for o in node.operands if not o.type.host]) > 1


def is_sum(node: Node) -> bool:
    """Say whether a node adds up the records of its one operand."""
    return bool(uses(node)) and _folds(node) == "+"


def is_mean(node: Node) -> bool:
    traits = node.operation.primitive.traits
    return bool(uses(node)) and traits.idempotent and traits.linear_in(0)


def _folds(node: Node) -> str:
    from namedtensor.primitives.primitive import table

    folds = node.operation.primitive.traits.folds
    return table()[folds].traits.symbol if folds else ""


def symbol(node: Node) -> str:
    return node.operation.primitive.traits.symbol if len(node.operands) == 2 else ""


def is_pointwise(node: Node) -> bool:
    return node.operation.primitive.traits.pointwise


def renames(node: Node) -> list[tuple[str, str]] | None:
    """Give what a node renames, merges or splits: pairs of an axis and one that it becomes."""
    traits = node.operation.primitive.traits
    acts = traits.acts(node.operation.params)
    if traits.uniform or not traits.linear_in(0) or not acts.uses or not acts.makes:
        return None
    if len([o for o in node.operands if not o.type.host]) != 1:
        return None
    if len(acts.uses) == len(acts.makes):
        return list(zip(acts.uses, acts.makes, strict=True))
    return list(itertools.product(acts.uses, acts.makes))


def bare(node: Node) -> Node:
    """Take renames off a node."""
    while renames(node) is not None:
        node = node.operands[0]
    return node


def renamed(axes: frozenset[str], node: Node) -> frozenset[str]:
    """Follow axes through a node that renames."""
    pairs = renames(node) or []
    moved = {old for old, _ in pairs}
    return frozenset(axes - moved) | {new for old, new in pairs if old in axes}


def base(axis: str) -> str:
    return axis.rstrip("'" + FRESH)


def listed(axes: Any) -> str:
    """Write axes for a message, in the order of their names."""
    return ", ".join(map(shown, sorted(axes)))


def sizes_in(size: Any) -> frozenset[Node]:
    """Give the open sizes that a size is computed of."""
    if not isinstance(size, Node):
        return frozenset()
    return frozenset(n for n in operands_first([size]) if n.operation.primitive is SIZE)


def axis_of(size: Node) -> str:
    return str(size.operation.params[2])


def valued(node: Node, values: Callable[[Node], Any]) -> Node:
    """Rebuild a tree of numbers and index-defined tensors with these sizes."""
    done: dict[Node, Node] = {}
    for part in operands_first([node]):
        operands = tuple([done[o] for o in part.operands])
        if part.operation.primitive is SIZE:
            done[part] = number(values(part))
        elif operands == part.operands:
            done[part] = part
        else:
            done[part] = fold(part, operands) or apply_node(part.operation, operands)
    return done[node]


def value_of(node: Any, values: Callable[[Node], Any]) -> Any:
    """Compute a number from sizes, or give None."""
    if not isinstance(node, Node):
        return node
    try:
        return valued(node, values).value
    except (NamedTensorError, ArithmeticError, TypeError):
        return None


#: How many numbers are computed at most to see what a tensor says, as a mask does.
MOST = 1 << 12


def table_of(node: Node, down: str, across: str) -> list[list[Any]] | None:
    """Give the numbers of what is defined by its indices alone and small, as rows; else None."""
    try:
        small = valued(node, lambda size: 4)
        small = resize(small, dict.fromkeys(small.type.names, 4))
        if sum(records_in(part) for part in operands_first([small])) > MOST:
            return None
        (numbers,) = numbers_of([small])
    except (NotCounted, NamedTensorError, TypeError, ValueError, ArithmeticError):
        return None
    if small.type.names.index(down) > small.type.names.index(across):
        numbers = {(i, j): x for (j, i), x in numbers.items()}
    rows = sorted({i for i, _ in numbers})
    return [[numbers[i, j] for j in sorted({j for _, j in numbers})] for i in rows]


def terms(node: Node) -> Iterator[Node]:
    """List the terms of a sum, looking through renames and factors that are numbers."""
    if symbol(node) == "+":
        yield from terms(node.operands[0])
        yield from terms(node.operands[1])
    else:
        yield node


def unscaled(node: Node) -> Node:
    """Take factors that are numbers, and signs, off a node."""
    while True:
        tensors = [o for o in node.operands if o.type.names]
        scaled = symbol(node) in ("*", "/") and tensors == [node.operands[0]]
        if scaled or (symbol(node) == "*" and len(tensors) == 1):
            node = tensors[0]
        elif len(node.operands) == 1 and is_pointwise(node) and _is_linear(node):
            node = node.operands[0]
        else:
            return node


def _is_linear(node: Node) -> bool:
    return node.operation.primitive.traits.linear_in(0)


# ---------------------------------------------------------------------- weights that are normalised


def normalised(node: Node) -> tuple[str, frozenset[str]] | None:
    """Say whether a node is normalised, over which axes, and whether it holds logarithms.

    Spelled out, too: A / sum[ax](A).
    """
    traits = node.operation.primitive.traits
    if traits.normalises:
        return traits.normalises, frozenset(traits.acts(node.operation.params).along)
    if symbol(node) == "/" and is_sum(node.operands[1]):
        above, below = node.operands
        if below.operands[0] is above:
            return "numbers", frozenset(uses(below))
    return None


def weights_met(tree: Tree) -> Iterator[Remark]:
    """Weights are contracted over the axes that they are normalised over."""
    for node in tree.tensors():
        found = normalised(node)
        if found is not None:
            chain = [*_earlier(node), found[1]]
            yield from _follow(tree, node, node, found[0], chain, ())


def _earlier(node: Node) -> list[frozenset[str]]:
    """Give the axes of the normalisations below one: Sinkhorn's are taken in turn."""
    found: list[frozenset[str]] = []
    part = unscaled(node.operands[0])
    while (inner := normalised(part)) is not None:
        found.insert(0, inner[1])
        part = unscaled(part.operands[0])
    return found


def _follow(
    tree: Tree,
    start: Node,
    node: Node,
    kind: str,
    chain: list[frozenset[str]],
    others: tuple[Node, ...],
    depth: int = 0,
) -> Iterator[Remark]:
    """Follow weights to where they are summed up; `chain` are the axes of each normalisation."""
    for user in tree.users.get(node, ()) if depth < 40 else ():
        if user.type.host:
            continue
        again = normalised(user)
        used = uses(user)
        beside = [o for o in user.operands if o is not node and not o.type.host]
        if used:
            met = frozenset(used)
            tensors = [*others, *beside]
            if (is_contraction(user) or is_sum(user)) and tensors:
                remark = _unmet(tree, start, user, kind, chain, met, tensors)
                if remark is not None:
                    yield remark
        elif again is not None:
            if user.operands[0] is node:
                more = [*chain, again[1]]
                yield from _follow(tree, start, user, kind, more, others, depth + 1)
        elif is_pointwise(user):
            product = symbol(user) == "*" or (symbol(user) == "/" and user.operands[0] is node)
            if product or not beside:
                more_others = (*others, *beside) if symbol(user) == "*" else others
                yield from _follow(tree, start, user, kind, chain, more_others, depth + 1)
            elif symbol(user) == "+" and len(beside) == 1 and not beside[0].type.names:
                yield from _follow(tree, start, user, kind, chain, others, depth + 1)
        elif renames(user) is not None:
            moved = [renamed(axes, user) for axes in chain]
            yield from _follow(tree, start, user, kind, moved, others, depth + 1)


def _unmet(
    tree: Tree,
    start: Node,
    user: Node,
    kind: str,
    chain: list[frozenset[str]],
    met: frozenset[str],
    others: list[Node],
) -> Remark | None:
    if any(axes <= met for axes in chain):
        only = kind != "logs" and len(chain) == 1 and bool(user.type.names)
        return _partly(tree, start, chain[0], met, others) if only else None
    left = chain[-1] - met
    named = listed(left)
    hint = f"normalise over what is contracted: [{listed(met)}]"
    what = "logarithms of weights" if kind == "logs" else "weights"
    remark = Remark(
        "softmax-unmet",
        f"the {what} sum to 1 over {listed(chain[-1])}, and are contracted over {listed(met)}; "
        f"{named} is never summed over",
        start,
        hint,
    )
    has_left = any(left <= set(o.type.names) for o in others)
    if kind == "logs":
        picked = any(n.operation.primitive.traits.picks for o in others for n in tree.inside(o))
        return remark if picked or has_left else None
    if any(_sums_over(tree, o, met) for o in others):
        return None  # a mixture of distributions
    if any(start in tree.inside(o) for o in others):
        return None  # what has its mean taken off, by these weights: the derivative of a softmax
    of_another = not has_left and not {base(a) for a in met} & {base(a) for a in left}
    if _is_table(start, met | left) and (of_another or all({*o.type.names} <= met for o in others)):
        return None  # chances of one thing for each of another, as of a Markov chain or a policy
    if any(is_sum(u) and set(uses(u)) & met for u in tree.users.get(start, ())):
        return None  # responsibilities, divided by their sums
    if _is_divided_by_its_sum(tree, user):
        return None  # expected counts, as those of words for each topic
    scores = [s for p in scores_of(start) for s in (p.operands if symbol(p) == "-" else (p,))]
    own = any(left >= {*term.type.names} > set() for part in scores for term in terms(part))
    if own and all(o in tree.inside(start) for o in others):
        return None  # responsibilities, by scores with a term of each component, for its records
    by_hand = symbol(start) == "/" and kind != "logs"
    if by_hand and all(set(o.type.names) <= set(start.type.names) for o in others):
        return None  # counts, shared out by responsibilities
    if has_left:
        later = _contracted_later(tree, user, left)
        if later is None and _mixes_components(tree, met, left):
            why = f"the parts that are mixed are of {listed(met)}, and each {named} is mixed by itself"
            message = f"the weights sum to 1 over {named}; {why}"
            if any(_meets_itself(part, left) for part in _scores_below(tree, start)):
                hint = f"rename it in the queries: [{named} >> {named}']"
            return replace(remark, message=message, hint=hint)
        return remark if later is not None and any(map(tree.is_parameter, later.operands)) else None
    return None if _contracted_later(tree, user, left) is not None else remark


def _is_divided_by_its_sum(tree: Tree, node: Node) -> bool:
    """Say whether what is divided by its sum is a node, or a node plus and times numbers."""
    for user in tree.users.get(node, ()):
        if symbol(user) == "/" and normalised(user) is not None and user.operands[0] is node:
            return True
        alone = is_pointwise(user) and [o for o in user.operands if o.type.names] == [node]
        if alone and _is_divided_by_its_sum(tree, user):
            return True
    return False


def _partly(
    tree: Tree, start: Node, axes: frozenset[str], met: frozenset[str], others: list[Node]
) -> Remark | None:
    """Find records of the data that are pooled over two axes, and weighted over one of them."""
    more, (ours, data) = met - axes, _given(tree)
    if not more or not met <= data - ours or not all(met <= set(o.type.names) for o in others):
        return None
    if any(_is_made_of_weights(other, axes) for other in others):
        return None  # entropies and divergences, which add up over independent variables
    return Remark(
        "softmax-unmet",
        f"the weights sum to 1 over {listed(axes)} for each {listed(more)}, and are contracted over "
        f"{listed(met)}",
        start,
        f"normalise over what is contracted: [{listed(met)}]",
    )


def _is_made_of_weights(node: Node, axes: frozenset[str]) -> bool:
    """Say whether a tensor is computed number by number from weights over these axes, as their logs."""
    found = normalised(node)
    if found is not None:
        return bool(found[1] & axes)
    if renames(node) is not None:
        return _is_made_of_weights(node.operands[0], _back(axes, node))
    return is_pointwise(node) and any(_is_made_of_weights(part, axes) for part in node.operands)


def _is_table(weights: Node, axes: frozenset[str]) -> bool:
    """Say whether weights are made of one argument's numbers, each by itself, as chances of their logits."""
    node = weights.operands[0]
    while len(node.operands) == 1 and is_pointwise(node):
        node = node.operands[0]
    return node.operation.primitive is ARGUMENT and axes <= set(node.type.names)


def _mixes_components(tree: Tree, met: frozenset[str], left: frozenset[str]) -> bool:
    """Say whether weights mix what parameters make, as experts, along an axis of the data alone."""
    ours, data = _given(tree)
    return met <= ours - data and left <= data - ours and any(map(tree.kept, left))


def _given(tree: Tree) -> tuple[set[str], set[str]]:
    """Give the axes of the parameters, and those of the data."""
    ours: set[str] = set()
    data: set[str] = set()
    for node in tree.nodes:
        if node.operation.primitive is ARGUMENT:
            (ours if tree.is_parameter(node) else data).update(node.type.names)
    return ours, data


def logarithms_met(tree: Tree) -> Iterator[Remark]:
    """Scores are picked along the axes over which a sum of their exponentials normalises them.

    And both distributions of a divergence, p (log p - log q), are over the same axes.
    """
    for node in tree.tensors():
        if symbol(node) == "-":
            for part, other in (node.operands, node.operands[::-1]):
                total = _summed(part)
                if total.operation.primitive.traits.folds != "logaddexp":
                    continue
                over = frozenset(uses(total))
                picked = {
                    axis
                    for user in tree.users[total.operands[0]]
                    if user in tree.inside(other) and renames(user) is None
                    if not uses(user) or is_contraction(user)
                    for axis in _acts(user).uses
                }
                if picked and not picked & over:
                    yield Remark(
                        "softmax-unmet",
                        f"the scores are normalised over {listed(over)}, and picked along {listed(picked)}",
                        total,
                        f"normalise over what is picked: [{listed(picked)}]",
                    )
        if symbol(node) == "*":
            for weights, logs in (node.operands, node.operands[::-1]):
                yield from _divergence(weights, logs)


def _summed(node: Node) -> Node:
    """Take sums and means off a node, factors that are numbers, and renames."""
    while True:
        part = bare(unscaled(node))
        if (is_sum(part) or is_mean(part)) and not is_contraction(part):
            part = part.operands[0]
        if part is node:
            return node
        node = part


def _divergence(weights: Node, logs: Node) -> Iterator[Remark]:
    """Find two distributions over other axes in p (log p - log q), and in p log(p / q)."""
    own = normalised(weights)
    sides = logs.operands[:1] if symbol(logs) != "-" else logs.operands
    if symbol(logs) != "-" and (len(sides) != 1 or symbol(sides[0]) != "/"):
        return
    parts = sides if symbol(logs) == "-" else sides[0].operands
    found = [(p, normalised(p) or normalised(next(iter(p.operands), p))) for p in parts]
    if own is None or own[0] != "numbers" or found[0][1] is None or found[0][1][1] != own[1]:
        return
    part, other = found[1]
    if other is not None and not other[1] & own[1]:
        yield Remark(
            "softmax-unmet",
            f"of a divergence, one distribution is over {listed(own[1])}, and the other over "
            f"{listed(other[1])}",
            part if normalised(part) else part.operands[0],
            f"normalise over {listed(own[1])}",
        )


def _sums_over(tree: Tree, node: Node, axes: frozenset[str]) -> bool:
    """Say whether a tensor is itself normalised over these axes."""
    while True:
        found = normalised(node)
        if found is not None:
            return bool(found[1] & axes)
        if renames(node) is not None or (is_pointwise(node) and len(node.operands) == 1):
            axes = _back(axes, node)
            node = node.operands[0]
        elif is_contraction(node):  # what a table of chances mixes are chances
            tables = [o for o in map(bare, node.operands) if normalised(o) and _is_table(o, axes)]
            return any(_sums_over(tree, table, axes) for table in tables)
        else:
            return False


def _back(axes: frozenset[str], node: Node) -> frozenset[str]:
    pairs = renames(node) or []
    return frozenset(axes - {new for _, new in pairs}) | {old for old, new in pairs if new in axes}


def _contracted_later(
    tree: Tree, node: Node, axes: frozenset[str], linear: bool = False
) -> Node | None:
    """Find where axes of a node are summed over after all; or only if nothing but scales lies between."""
    waiting, seen = [(node, axes)], set()
    while waiting:
        part, names = waiting.pop()
        for user in tree.users.get(part, ()):
            if user.type.host or (user, names) in seen:
                continue
            seen.add((user, names))
            if names & set(uses(user)):
                return user
            if not linear or renames(user) is not None or unscaled(user) is not user:
                waiting.append((user, renamed(names, user)))
    return None


def normalised_once(tree: Tree) -> Iterator[Remark]:
    """A softmax of what a softmax gave, or a sum, over the same axes."""
    for node in tree.tensors():
        if (is_sum(node) or is_mean(node)) and not is_contraction(node):
            weights, axes = unscaled(node.operands[0]), frozenset(uses(node))
            while renames(weights) is not None:
                weights, axes = unscaled(weights.operands[0]), _back(axes, weights)
            found = normalised(weights)
            if found is not None and found[0] == "numbers" and found[1] <= axes:
                what = "sum" if is_sum(node) else "mean"
                yield Remark(
                    "softmax-twice",
                    f"what is normalised over {listed(found[1])} already has the same {what} over it, "
                    "whatever it is given",
                    weights,
                    "normalise over another axis, or sum over another",
                )
        outer = node.operation.primitive.traits.normalises
        inner = normalised(unscaled(node.operands[0])) if outer else None
        own = normalised(node)
        if inner is not None and own is not None and inner == ("numbers", own[1]):
            yield Remark(
                "softmax-twice",
                f"what is normalised over {listed(own[1])} already is normalised over it again",
                node,
                "give it the scores",
            )


def moves_a_softmax(tree: Tree) -> Iterator[Remark]:
    """What is added to scores varies along the axis of the softmax."""
    for node in tree.tensors():
        if not node.operation.primitive.traits.normalises:
            continue
        found = normalised(node)
        assert found is not None
        for part in scores_of(node):
            for term in terms(part):
                leaf = bare(unscaled(term))
                alone = leaf.operation.primitive is ARGUMENT or leaf.closed
                if alone and not term.type.host and not found[1] & set(term.type.names):
                    axis = listed(found[1])
                    yield Remark(
                        "softmax-constant",
                        f"{describe(leaf)} has no axis {axis}: it is the same for each {axis}, and adding "
                        "it changes nothing in the softmax",
                        part,
                        f"is it over {axis}?",
                    )
            condition = _condition(part)
            if condition is not None and not found[1] & set(condition[0].type.names):
                axis = listed(found[1])
                yield Remark(
                    "softmax-constant",
                    f"the mask {describe(bare(condition[0]))} has no axis {axis}: it hides whole rows",
                    part,
                    f"is it over {axis}?",
                )


def scores_of(node: Node) -> list[Node]:
    """Give the scores that a softmax takes: what it takes, and what a mask chooses from."""
    part = unscaled(node.operands[0])
    found = [part]
    condition = _condition(part)
    if condition is not None:
        found += [unscaled(o) for o in part.operands[1:] if not o.type.host]
    return found


def _condition(node: Node) -> tuple[Node, bool] | None:
    """Give the condition under which a choice keeps a score, with whether it keeps or hides."""
    if len(node.operands) != 3 or node.operands[0].type.kind != "bool" or not is_pointwise(node):
        return None
    infinite = [o.value == -float("inf") for o in node.operands[1:]]
    if infinite == [False, True]:
        return node.operands[0], True
    if infinite == [True, False]:
        return node.operands[0], False
    return None


def masks_point_back(tree: Tree) -> Iterator[Remark]:
    """A causal mask lets queries see what came before them."""
    for node in tree.tensors():
        found = normalised(node)
        if not node.operation.primitive.traits.normalises or found is None or len(found[1]) != 1:
            continue
        (axis,) = found[1]
        for part in scores_of(node):
            for mask, allowed in _allowed(part, axis):
                n = len(allowed)
                before = [allowed[q][s] for q in range(n) for s in range(q)]
                after = [allowed[q][s] for q in range(n) for s in range(q + 1, n)]
                if not any(before) and all(after):
                    query = next(name for name in mask.type.names if name != axis)
                    yield Remark(
                        "mask-swapped",
                        f"the mask lets an index of {shown(query)} see the later indices of {shown(axis)}, "
                        "and hides the earlier ones",
                        part,
                        f"swap {shown(axis)} and {shown(query)} in the mask, or silence this if it is meant",
                    )


def _allowed(part: Node, axis: str) -> Iterator[tuple[Node, Any]]:
    """Give the masks among scores: which keys each query may see."""
    condition = _condition(part)
    candidates = [(term, None) for term in terms(part)]
    for term, keeps in [*candidates, *([condition] if condition else [])]:
        names = term.type.names
        if len(names) != 2 or axis not in names or base(names[0]) != base(names[1]):
            continue
        query = names[0] if names[1] == axis else names[1]
        table = table_of(term, query, axis)
        if table is not None and keeps is None:
            yield term, [[x > -float("inf") for x in row] for row in table]
        elif table is not None:
            yield term, [[bool(x) == keeps for x in row] for row in table]


def masks_are_added(tree: Tree) -> Iterator[Remark]:
    """Infinities are added to scores, and not multiplied."""
    for node in tree.tensors():
        if symbol(node) != "*":
            continue
        for mask, other in (node.operands, node.operands[::-1]):
            if other.type.host or mask.type.host or _depends_on_indices(tree, other):
                continue
            if any(_is_infinite(n) for n in tree.inside(mask)) and _depends_on_indices(tree, mask):
                yield Remark(
                    "mask-multiplied",
                    f"{describe(mask)} holds infinities, and is multiplied: 0 times infinity is nan",
                    node,
                    "add the mask",
                )


def _is_infinite(node: Node) -> bool:
    return node.operation.primitive is NUMBER and abs(node.value) == float("inf")


def _depends_on_indices(tree: Tree, node: Node) -> bool:
    return not any(n.operation.primitive is ARGUMENT for n in tree.inside(node))


def primes(tree: Tree) -> Iterator[Remark]:
    """Scores of a self-attention have two axes of positions."""
    for node in tree.tensors():
        found = normalised(node)
        if found is None or len(found[1]) != 1:
            continue
        (axis,) = found[1]
        for user in tree.users.get(node, ()):
            if not is_contraction(user) or axis not in uses(user):
                continue
            for part in _scores_below(tree, node):
                if _meets_itself(part, found[1]):
                    yield Remark(
                        "prime-forgotten",
                        f"both operands of the scores have {shown(axis)}, so that each position meets itself "
                        f"alone; the weights then sum over {shown(axis)}",
                        part,
                        f"rename it in the queries: [{shown(axis)} >> {shown(axis)}']",
                    )


def _meets_itself(product: Node, axes: frozenset[str]) -> bool:
    """Say whether both operands of a contraction have axes that it does not sum over."""
    tensors = [o for o in product.operands if not o.type.host]
    return not axes & {*uses(product)} and all(axes <= {*o.type.names} for o in tensors)


def _scores_below(tree: Tree, node: Node) -> Iterator[Node]:
    for part in scores_of(node):
        for term in terms(part):
            term = unscaled(term)
            if is_contraction(term):
                yield term


# --------------------------------------------------------------------------------- scales, statistics


def scales(tree: Tree) -> Iterator[Remark]:
    """A scale is made of the sizes that were summed over."""
    for node in tree.tensors():
        if symbol(node) not in ("*", "/") or node.type.host:
            continue
        hosts = [o for o in node.operands if o.type.host]
        tensors = [o for o in node.operands if not o.type.host]
        if (
            len(hosts) != 1
            or len(tensors) != 1
            or (symbol(node) == "/" and not node.operands[1].type.host)
        ):
            continue
        power = _power(hosts[0]) * (-1 if symbol(node) == "/" else 1)
        found = sizes_in(hosts[0])
        if power >= 0 or not found:
            continue
        root = power > -0.75
        for summed in _sums_below(tensors[0], root):
            inner = _summed_sizes(summed)
            if not inner or _is_lookup(tree, summed):
                continue
            if found & inner:
                said = {axis_of(size) for size in found}
                rest = {axis_of(size) for size in inner - found} - said
                if root and rest and found < inner and _weighed(tree, node):
                    yield Remark(
                        "scale-axis",
                        f"{listed(uses(summed))} are summed over, and the result is divided by the root of "
                        f"the size of {listed(said)} alone",
                        node,
                        f"divide by the size of {listed(rest)} too, or sum over fewer axes",
                    )
                continue
            within = tree.inside(summed) - {summed} if is_sum(summed) else ()
            if found <= {size for n in within for size in _summed_sizes(n)}:
                continue  # a mean over what has been counted before
            names = {axis_of(size) for size in found}
            if not root and not summed.type.names and not found & _sizes_of(summed.operands):
                continue  # a penalty or a divergence, which so many records share
            own = frozenset(a for a, s in node.type.axes if sizes_in(s) & found)
            if _contracted_later(tree, node, own, linear=root) is not None:
                continue  # as of a query that is scaled before it meets its keys
            yield Remark(
                "scale-axis",
                f"{listed(uses(summed))} is summed over, and the result is divided by the size of "
                f"{listed(names)}",
                node,
                f"divide by the size of {listed(uses(summed))}",
            )


def _weighed(tree: Tree, node: Node) -> bool:
    """Say whether scores go into a softmax as they are."""
    return any(normalised(user) is not None for user in tree.users.get(node, ()))


def _power(host: Node) -> float:
    """Find the power with which a number grows with the sizes that it is made of."""
    small, large = value_of(host, lambda size: 64), value_of(host, lambda size: 1024)
    count = max(1, len(sizes_in(host)))
    if not isinstance(small, int | float) or not isinstance(large, int | float):
        return 0.0
    if small <= 0 or large <= 0:
        return 0.0
    return math.log(large / small) / math.log(16) / count


def _sums_below(node: Node, root: bool) -> Iterator[Node]:
    for term in terms(unscaled(node)):
        term = unscaled(bare(unscaled(term)))
        if is_contraction(term) or (is_sum(term) and not root):
            yield term


def _summed_sizes(node: Node) -> frozenset[Node]:
    found: frozenset[Node] = frozenset()
    for operand in node.operands:
        for name, size in operand.type.axes:
            if name in uses(node):
                found |= sizes_in(size)
    return found


def _sizes_of(nodes: Iterable[Node]) -> frozenset[Node]:
    """Collect the sizes of the axes of nodes."""
    return frozenset(
        part for node in nodes for _, size in node.type.axes for part in sizes_in(size)
    )


def _is_lookup(tree: Tree, node: Node) -> bool:
    return any(n.operation.primitive.traits.picks for o in node.operands for n in tree.inside(o))


def statistics(tree: Tree) -> Iterator[Remark]:
    """The mean and the spread of one normalisation are over one set of axes, and so are two norms."""
    norms: list[tuple[Node, frozenset[str], frozenset[str]]] = []
    for node in tree.tensors():
        traits = node.operation.primitive.traits
        if traits.centres:
            over = frozenset(traits.acts(node.operation.params).along)
            norms.append((node, over, frozenset(node.operands[0].type.names)))
        if symbol(node) != "/" or node.operands[0].type.host:
            continue
        above, below = node.operands
        centred = next(filter(_is_centred, _factors(above)), None)
        if centred is None:
            continue
        whole, mean = centred.operands
        over = frozenset(uses(mean))
        norms.append((node, over, frozenset(whole.type.names)))
        spreads = [
            n
            for n in tree.inside(below)
            if uses(n) and n is not mean and n not in tree.inside(whole) and not n.type.host
        ]
        both = frozenset(axis for spread in spreads for axis in uses(spread))
        if spreads and both != over:
            meet = f" or over {listed(over)}" if both & over else ""
            yield Remark(
                "statistic-axis",
                f"the mean is over {listed(over)}, and the spread over {listed(both)}",
                spreads[-1] if both & over else node,
                f"take both over {listed(both)}{meet}",
            )
    yield from _uncentred(tree)
    for (_, first, names), (second, over, same) in itertools.combinations(norms, 2):
        if names == same and not first & over:
            yield Remark(
                "statistic-axis",
                f"this norm is over {listed(over)}, and another one of the same axes over {listed(first)}",
                second,
                f"is {listed(first)} meant?",
            )


def _factors(node: Node) -> Iterator[Node]:
    """Give what is multiplied."""
    if symbol(node) == "*":
        yield from _factors(node.operands[0])
        yield from _factors(node.operands[1])
    else:
        yield node


def _is_centred(node: Node) -> bool:
    """Say whether a node takes the mean of something off it."""
    if symbol(node) != "-" or not is_mean(node.operands[1]):
        return False
    return node.operands[1].operands[0] is node.operands[0]


def divided(node: Node) -> tuple[Node, frozenset[str]] | None:
    """Say what a node divides by a reduction of itself, X / norm[emb](X), and over which axes."""
    if symbol(node) != "/" or node.operands[1].type.host:
        return None
    whole, below = node.operands
    reductions = [n for n in operands_first([below]) if uses(n) and not n.type.host]
    own = [n for n in reductions if n not in set(operands_first([whole]))]
    if len(own) != 1 or is_contraction(own[0]) or whole not in set(operands_first(own)):
        return None
    return whole, frozenset(uses(own[0]))


def _uncentred(tree: Tree) -> Iterator[Remark]:
    """What has a length of 1 is used where its length counts: under its gain, and in a cosine.

    A norm without a mean over one axis, a gain over the others and no bias is an RMS norm of the wrong axis.
    The response norms of images are over two axes, or have a bias.
    """
    for node in tree.tensors():
        found = divided(node)
        weights = normalised(node) is not None  # they have no length
        if found and not weights and len(found[1]) == 1 and not tree.is_parameter(found[0]):
            names = frozenset(node.type.names)
            for user in tree.users.get(node, ()):
                gains = [o for o in user.operands if o is not node and tree.is_parameter(o)]
                if symbol(user) != "*" or not gains or _is_biased(tree, user):
                    continue
                over = frozenset(gains[0].type.names)
                later = _contracted_later(tree, node, found[1])
                if over and over < names and not over & found[1] and later is None:
                    yield Remark(
                        "statistic-axis",
                        f"the length is taken over {listed(found[1])}, and the gain "
                        f"{describe(bare(gains[0]))} is over {listed(over)}",
                        node,
                        f"take it over {listed(over)}",
                    )
        if is_contraction(node) and len(node.operands) == 2:
            lengths = [divided(bare(unscaled(o))) for o in node.operands]
            met = frozenset(uses(node))
            for place in (0, 1):
                one, other = lengths[place], lengths[1 - place]
                if one is not None and other is not None and one[1] == met and not met & other[1]:
                    yield Remark(
                        "statistic-axis",
                        f"of the product over {listed(met)}, one side has length 1 over {listed(met)}, and "
                        f"the other over {listed(other[1])}",
                        bare(unscaled(node.operands[1 - place])),
                        f"take the length over {listed(met)}",
                    )


def _is_biased(tree: Tree, node: Node) -> bool:
    return any(
        symbol(user) in ("+", "-") and any(map(tree.is_parameter, user.operands))
        for user in tree.users.get(node, ())
    )


# -------------------------------------------------------------------------------- axes that turn up


def declared(tree: Tree) -> dict[str, int]:
    """Count in how many declarations each axis stands."""
    found: dict[str, int] = {}
    leaves = {n for n in tree.nodes if n.operation.primitive is ARGUMENT and not n.type.host}
    for leaf in leaves:
        for name in leaf.type.names:
            found[name] = found.get(name, 0) + 1
    return found


def sums_bring_axes(tree: Tree) -> Iterator[Remark]:
    """A sum brings no axis into a result that nobody declared."""
    if tree.written.signature.results is not None:
        return
    acted: set[str] = set()
    for node in tree.tensors():
        acts = node.operation.primitive.traits.acts(node.operation.params)
        acted |= {*acts.uses, *acts.along, *acts.makes}
    counts = declared(tree)
    for node in tree.tensors():
        if symbol(node) not in ("+", "-") or len(node.operands) != 2:
            continue
        for part, other in (node.operands, node.operands[::-1]):
            own = set(part.type.names) - set(other.type.names)
            theirs = set(other.type.names) - set(part.type.names)
            shared = set(part.type.names) & set(other.type.names)
            if not all(map(tree.kept, own | theirs)):
                continue
            if not theirs and symbol(node) == "+":
                yield from _summed_less(tree, part, other, own)
            if not own and theirs and part in tree.inside(other) and not part.closed:
                yield from _branch_gains(tree, node, other, theirs)
            if not own or not theirs:
                continue
            if tree.is_parameter(part) and not tree.is_parameter(other):
                lost = {a for n in tree.inside(other) for a in uses(n)}
                back = own & lost
                alone = {a for a in own if counts.get(a) == 1 and a not in acted}
                if back:
                    yield Remark(
                        "axis-brought-back",
                        f"{listed(back)} was used up, and {describe(bare(part))} brings it back",
                        node,
                        f"is {describe(bare(part))} over {listed(theirs)}?",
                    )
                elif alone and all(map(tree.kept, shared)):
                    yield Remark(
                        "axis-lifted",
                        f"{describe(bare(part))} alone has {listed(alone)}, which becomes an axis of the "
                        "result",
                        node,
                        f"is {listed(theirs)} meant? If not, declare the result: -> R[...]",
                    )
            elif (
                part in tree.inside(other)
                and part is not other
                and all(map(tree.kept, shared))
                and not (symbol(node) == "-" and is_weighted_mean(part, tree.inside(other)))
                and not _added_to_both(tree, node, own | theirs)
            ):
                yield Remark(
                    "residual-axis",
                    f"the input has {listed(own)}, and the branch that is added to it {listed(theirs)}",
                    node,
                    f"rename the branch: [{listed(theirs)} >> {listed(own)}]",
                )


def _added_to_both(tree: Tree, node: Node, axes: set[str]) -> bool:
    """Say whether a sum, or one that it is a term of, has a term with all of these axes."""
    waiting = [node]
    while waiting:
        whole = waiting.pop()
        if any(axes <= {*term.type.names} for part in whole.operands for term in terms(part)):
            return True
        waiting += [user for user in tree.users.get(whole, ()) if symbol(user) in ("+", "-")]
    return False


def _summed_less(tree: Tree, part: Node, other: Node, own: set[str]) -> Iterator[Remark]:
    """Find a sum that leaves axes which the sum that it is added to has summed over."""
    inside = tree.inside(part)  # a mean that is added again was taken off before
    back = own & {
        axis
        for n in tree.inside(other)
        if is_contraction(n) or (is_sum(n) and n.operands[0] not in inside)
        for axis in uses(n)
    }
    sums = [n for n in (unscaled(part), *map(unscaled, terms(other))) if uses(n)]
    if back and len(sums) > 1 and sums[0] is unscaled(part):
        yield Remark(
            "axis-brought-back",
            f"{listed(back)} is summed over in what {describe(bare(sums[0]))} is added to, and not in it",
            sums[0],
            f"sum over {listed(back)} too",
        )


def _branch_gains(tree: Tree, node: Node, branch: Node, gained: set[str]) -> Iterator[Remark]:
    """Find the contraction at which a branch that is added to its own input keeps an axis too many."""
    for part in tree.inside(branch):
        both = set.intersection(*[set(o.type.names) for o in part.operands] or [set()])
        both -= set(uses(part))
        if is_contraction(part) and both & gained and any(map(tree.is_parameter, part.operands)):
            yield Remark(
                "residual-axis",
                f"the branch that is added to its own input has {listed(both & gained)} too, which both "
                f"sides of {describe(part)} have",
                node,
                f"sum over {listed(both & gained)} too",
            )
            return


def sums_lose_axes(tree: Tree) -> Iterator[Remark]:
    """An axis of one parameter alone is more than added to something and summed over."""
    counts = declared(tree)
    for node in tree.tensors():
        if is_contraction(node) or not (is_sum(node) or is_mean(node)):
            continue
        elsewhere = {
            axis
            for other in tree.tensors()
            if other is not node
            for axis in (*_acts(other).uses, *_acts(other).along, *_acts(other).makes)
        }
        added = list(terms(unscaled(node.operands[0])))
        for term in added:
            alone = {
                axis
                for axis in uses(node)
                if counts.get(axis) == 1 and axis in term.type.names and axis not in elsewhere
            }
            data = [t for t in added if alone and not alone & set(t.type.names) and t.type.names]
            if tree.is_parameter(unscaled(term)) and data:
                yield Remark(
                    "axis-lifted",
                    f"{describe(bare(unscaled(term)))} alone has {listed(alone)}, which meets nothing and "
                    "is summed over",
                    node,
                    f"is another axis than {listed(alone)} meant, or is it to be indexed?",
                )


def sizes_fit(tree: Tree) -> Iterator[Remark]:
    """Sizes that must be equal are of one axis, and can be equal."""
    for node in tree.tensors():
        for pair in node.guards:
            for size, plain in (pair, pair[::-1]):
                remark = _unequal(node, size, plain)
                if remark is not None:
                    yield remark


def _each(n: int) -> Callable[[Node], int]:
    """Give every size one value."""
    return lambda size: n


def _small(leaf: Node, n: int) -> Callable[[Node], int]:
    """Give one size a small value, and large ones to the others."""
    return lambda size: n if size is leaf else 1000


#: The sizes that are tried where two expressions of one size meet.
_TRIED = (*range(1, 65), 101, 128, 256, 512, 1000, 1024)


def _unequal(node: Node, size: Any, plain: Any) -> Remark | None:
    leaves = sizes_in(size)
    if not isinstance(size, Node) or size.operation.primitive is SIZE or not leaves:
        return None
    if leaves | sizes_in(plain) == leaves and len(leaves) == 1:
        (leaf,) = leaves
        pairs = [(value_of(size, _each(n)), value_of(plain, _each(n))) for n in _TRIED]
        if all(None not in pair and pair[0] != pair[1] for pair in pairs):
            name = shown(axis_of(leaf))
            return Remark(
                "size-unequal",
                f"an axis {name} of size |{name}| meets one of another size"
                if plain is leaf
                else f"two sizes that come of |{name}| meet, and are never equal",
                node,
                f"look where the size of {name} changes",
                certain=True,
            )
        return None
    if not isinstance(plain, Node) or plain.operation.primitive is not SIZE:
        return None
    axis = axis_of(plain)
    if plain in leaves:
        return None
    for leaf in sorted(leaves, key=lambda leaf: base(axis_of(leaf)) != base(axis)):
        small, other = value_of(size, _small(leaf, 7)), value_of(size, _small(leaf, 11))
        if (small, other) == (7, 11):
            return Remark(
                "size-unequal",
                f"an axis of size |{shown(axis)}| meets one that was cut to |{shown(axis_of(leaf))}|",
                node,
                f"cut it to |{shown(axis)}|",
            )
    return None


def sizes_known(tree: Tree) -> Iterator[Remark]:
    """Of what is defined by its indices, each axis gets a size from a number or from another tensor."""
    results = tree.written.results
    open_ = {axis for node in results for axis, size in node.type.axes if size is None}
    for node in tree.nodes:
        lost = [axis for axis, size in node.type.axes if size is None and axis not in open_]
        if lost:
            (axis, *_) = lost
            yield Remark(
                "axis-size",
                f"nothing says the size of {shown(axis)}, which is gone from the result",
                node,
                f"give it one: {shown(axis)}[5], or combine it with a tensor that has {shown(axis)}",
                certain=True,
            )
            return
    if open_ and any(
        p.space is not None and p.space.axes for p in tree.written.signature.parameters
    ):
        node = next(n for n in tree.nodes if any(size is None for _, size in n.type.axes))
        yield Remark(
            "axis-size",
            f"nothing says the size of {listed(open_)}: {tree.written.name} runs only inside another formula "
            f"whose tensors have {listed(open_)}",
            node,
            f"give it one: {listed(open_)}[5]",
        )


def why_not_declared(tree: Tree, more: set[str], missing: set[str]) -> Iterator[Remark]:
    """Find where a result got an axis that it should not have, or lost one that it should.

    The tree is that of a formula whose result is not as declared; the first remark is the surest.
    """
    if missing:
        yield from primes(tree)
    joins = [n for n in tree.tensors() if is_pointwise(n) and len(n.operands) == 2]
    for node in joins:
        for part, other in (node.operands, node.operands[::-1]):
            own = (set(part.type.names) - set(other.type.names)) & more
            if len(own) != 1 or other.type.host or bare(part) in tree.inside(other):
                continue
            (axis,) = own
            theirs = set(other.type.names) - set(part.type.names)
            lost = _used_up(tree, other)
            twins = {a for a in theirs if base(a) == base(axis)} or theirs
            if axis in lost:
                yield Remark(
                    "result-shape",
                    f"{shown(axis)} was used up, and {describe(part)} brings it back",
                    node,
                    f"is another axis than {shown(axis)} meant in {describe(part)}?",
                )
            elif len(twins) == 1 and not tree.is_parameter(part):
                picked = twins & _used_up(tree, part, picked=True)
                yield Remark(
                    "result-shape",
                    f"{describe(part)} has {shown(axis)} where {describe(other)} has {listed(twins)}",
                    node,
                    f"{listed(picked)} is indexed away in {describe(part)}: is {shown(axis)} meant?"
                    if picked
                    else f"rename it in {describe(part)}: [{shown(axis)} >> {listed(twins)}]",
                )
    for node in reversed(tree.tensors()):  # what is kept from early on is summed over by the last
        shared = set.intersection(*[set(o.type.names) for o in node.operands] or [set()]) & more
        if is_contraction(node) and shared:
            both = [a for a in node.operands[0].type.names if a in shared or a in uses(node)]
            yield Remark(
                "result-shape",
                f"both operands have {listed(shared)}, which is not summed over",
                node,
                f"contract over {listed(both)}",
            )
    for axis in sorted(missing):
        using = [n for n in tree.tensors() if axis in _acts(n).uses]
        if len(using) == 1:
            yield Remark(
                "result-shape",
                f"{shown(axis)} is used up here",
                using[0],
                f"is another axis than {shown(axis)} meant?",
            )


def _acts(node: Node) -> Acts:
    return node.operation.primitive.traits.acts(node.operation.params)


def _used_up(tree: Tree, node: Node, picked: bool = False) -> set[str]:
    """Give the axes that are used up below a node, or with `picked` those that are indexed away."""
    found = set()
    for part in tree.inside(node):
        if not picked:
            found |= set(uses(part))
        elif not part.operation.primitive.traits.uniform and renames(part) is None:
            found |= set(_acts(part).uses)
    return found


# ------------------------------------------------------------------------------------- the whole


def losses(tree: Tree) -> Iterator[Remark]:
    """A loss is a number."""
    written = tree.written
    words = written.name.lower().split("_")
    if written.signature.results is not None or "loss" not in words:
        return
    for node in written.results:
        if node.type.names:
            yield Remark(
                "loss-axes",
                f"{written.name} keeps {listed(node.type.names)}, and a loss is a number",
                node,
                f"average: nt.mean[{listed(node.type.names)}](...), or declare what it gives",
            )


def arguments_used(tree: Tree) -> Iterator[Remark]:
    """Every tensor has a part in the result, by its numbers or by its sizes."""
    reached = {
        str(n.operation.params[0]).partition(".")[0]
        for n in tree.nodes
        if n.operation.primitive in (ARGUMENT, SIZE)
    }
    for parameter in tree.written.signature.parameters:
        name = parameter.name
        if parameter.space is None or parameter.default is not inspect.Parameter.empty:
            continue
        if name not in reached and not name.startswith("_"):
            yield Remark("unused", f"{name} has no part in the result", None, "leave it out", name)


RULES: tuple[Callable[[Tree], Iterator[Remark]], ...] = (
    weights_met,
    logarithms_met,
    normalised_once,
    moves_a_softmax,
    masks_point_back,
    masks_are_added,
    primes,
    scales,
    statistics,
    sums_bring_axes,
    sums_lose_axes,
    sizes_fit,
    sizes_known,
    losses,
    arguments_used,
)
