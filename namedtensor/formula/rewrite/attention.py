"""Attention as written is scaled_dot_product_attention.

    V @ seq @ softmax[seq](Q @ key @ K * s + M)

up to the order of factors and terms, any scale, any number of masks, and any extra axes. The causal
cases become the kernel's own mask; other masks and changes of scores that are defined by indices become
functions of indices, and are never built.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from namedtensor.axes import FRESH, unused
from namedtensor.formula.rewrite.attention_kernel import ATTENTION, Parts
from namedtensor.formula.rewrite.indexed import Pointwise, elementwise, is_given
from namedtensor.formula.rewrite.patterns import (
    below_diagonal,
    is_number,
    negated,
    op,
    peel_scale,
    positive,
    terms,
)
from namedtensor.primitives import Node, number, table
from namedtensor.primitives.node import apply_node, without


@dataclass(slots=True)
class Scores:
    """Q @ key @ K with its scale and masks; `bent` is what a function made of it, as in c tanh(S / c)."""

    product: Node
    scale: Node | None = None
    added: list[Node] = field(default_factory=list)
    kept: list[Node] = field(default_factory=list)
    bent: Node | None = None


def attention(node: Node, shared: Collection[Node] = ()) -> Node | None:
    """Match attention; weights that are also used elsewhere stay: the kernel would compute them again."""
    if node.name != "dot" or len(node.operands) != 2:
        return None
    seqs = node.operation.params[0]
    for weights, V in (node.operands, node.operands[::-1]):
        inner, p = _without_dropout(weights)
        if weights in shared or inner in shared:
            continue
        if inner.name != "softmax" or set(inner.operation.params[0]) != set(seqs) or V.type.weak:
            continue
        scores = read_scores(inner.operands[0])
        if scores is None:
            continue
        found = _fused(scores, V, seqs, p)
        if found is not None:
            return found
    return None


def _without_dropout(node: Node) -> tuple[Node, Node | None]:
    if node.name == "dropout":
        return node.operands[0], node.operands[1]
    return node, None


def read_scores(node: Node) -> Scores | None:
    """Take scores apart: one contraction, its scale, and masks added or chosen by a condition."""
    node, outer = peel_scale(node)
    if node.name == "where":
        condition, yes, no = node.operands
        keep: Node | None = condition
        if is_number(yes, float("-inf")):
            keep, yes, no = negated(condition) or op("logical_not", condition), no, yes
        if not is_number(no, float("-inf")) or not positive(outer):
            return None
        found = read_scores(yes)
        if found is None:
            return None
        found.kept.append(keep)  # type: ignore[arg-type]
        return _scaled(found, outer)
    parts = terms(node)
    for term in parts:
        rest = without(parts, term)
        core, scale = peel_scale(term)
        if core.name == "dot":
            return _scaled(Scores(core, scale, rest), outer)
        if rest and core.name == "where" and (found := read_scores(term)) is not None:
            if not positive(outer):
                return None
            found.added += rest
            return _scaled(found, outer)
    for term in parts:
        inner = _products_in(term)
        if len(inner) == 1:
            rest = without(parts, term)
            return _scaled(Scores(inner.pop(), None, rest, bent=term), outer)
    return None


def _products_in(node: Node) -> set[Node]:
    """Find the contractions that a tree has below operations on each record alone."""
    if node.name == "dot":
        return {node}
    if not elementwise(node):
        return set()
    return {found for o in node.operands for found in _products_in(o)}


def _scaled(scores: Scores, outer: Node | None) -> Scores | None:
    if outer is not None:
        if scores.bent is not None:
            scores.bent = op("mul", scores.bent, outer)
        else:
            scores.scale = outer if scores.scale is None else op("mul", scores.scale, outer)
        scores.added = [op("mul", _as_real(m), outer) for m in scores.added]
    return scores


def _fused(scores: Scores, V: Node, seqs: tuple[str, ...], p: Node | None) -> Node | None:
    product = scores.product
    if len(product.operands) != 2 or any(o.type.kind != "float" for o in (*product.operands, V)):
        return None
    keys = product.operation.params[0]
    sides = [all(o.type.has(s) for s in seqs) for o in product.operands]
    if sides not in ([True, False], [False, True]) or not keys or len(seqs) != 1:
        return None
    K, Q = product.operands if sides[0] else product.operands[::-1]
    if any(Q.type.has(s) for s in seqs) or Q.type.weak or K.type.weak:
        return None
    own = [k for k in keys if V.type.has(k)]
    if own:  # an axis of V that has the name of the axis which Q and K used up
        taken = {n for o in (Q, K, V) for n in o.type.names}
        apart = tuple([(k, unused(k, taken, FRESH)) for k in own])
        found = _fused(scores, apply_node(table()["rename"](apart), (V,)), seqs, p)
        back = table()["rename"](tuple([(new, k) for k, new in apart]))
        return None if found is None else apply_node(back, (found,))
    queries = [n for n in Q.type.names if not K.type.has(n) and not V.type.has(n) and n not in keys]
    scores.added = [_as_number(m) for m in scores.added]
    masks = [*scores.added, *scores.kept, *([scores.bent] if scores.bent else [])]
    if any(m.type.kind == "complex" for m in masks):
        return None
    inside = {n for o in (Q, K) for n in o.type.names} - set(keys)
    if any(n not in inside for m in masks for n in m.type.names):
        # a mask that brings an axis of its own lifts the whole formula
        return None
    groups: list[str] = []
    if masks and len(queries) > 1:
        # the other axes of Q alone share the keys: grouped-query attention
        query = _query_of(queries, seqs[0], scores)
        groups = [n for n in queries if n != query]
        queries = [query]
    scale = None if _is_default(scores.scale, Q, keys) else scores.scale or number(1.0)
    parts = Parts(keys, seqs, tuple(queries), tuple(groups), scaled=scale is not None)
    extras = _masks(scores, queries, seqs[0], parts)
    built, read = extras[: parts.masked], extras[parts.masked :]
    numbers = [o for o in (scale, p) if o is not None]
    parts.dropped = p is not None
    return apply_node(ATTENTION(*parts.params()), (Q, K, V, *built, *numbers, *read))


def _as_real(mask: Node) -> Node:
    """Make whole numbers in a mask real, because added or scaled as whole numbers they might overflow."""
    whole = mask.type.kind in ("bool", "int") and not mask.type.weak
    return op("mul", mask, number(1.0)) if whole else mask


def _as_number(mask: Node) -> Node:
    """Make truth values that are added to scores numbers, 1 or 0; the kernel takes them for conditions."""
    return op("where", mask, number(1.0), number(0.0)) if mask.type.kind == "bool" else mask


def _query_of(queries: list[str], seq: str, scores: Scores) -> str:
    """Choose the axis that counts queries: that of a causal mask, of any mask, or the last."""
    for condition in (*scores.kept, *[k for m in scores.added if (k := _kept_by(m)) is not None]):
        pair = below_diagonal(condition)
        if pair is not None and pair[1] == seq and pair[0] in queries:
            return pair[0]
    masked = [n for n in queries if any(m.type.has(n) for m in (*scores.kept, *scores.added))]
    return masked[-1] if masked else queries[-1]


def _is_default(scale: Node | None, Q: Node, keys: tuple[str, ...]) -> bool:
    """Say whether the scale is the kernel's own, 1 / sqrt(|key|)."""
    if (
        scale is None
        or len(keys) != 1
        or scale.name != "div"
        or not is_number(scale.operands[0], 1)
    ):
        return False
    root = scale.operands[1]
    return root.name == "sqrt" and root.operands[0] is Q.type.size(keys[0])


def _masks(scores: Scores, queries: list[str], seq: str, parts: Parts) -> list[Node]:
    """Sort the masks: the causal cases, functions of indices, or one mask that is built.

    Gives the parts of that mask, and the tensors that the functions read; `parts` takes the rest.
    """
    plane = (*queries, seq)
    kept, added = list(scores.kept), list[Node]()
    for mask in scores.added:
        keeps = _kept_by(mask)
        (added if keeps is None else kept).append(mask if keeps is None else keeps)
    diagonal = [c for c in kept if queries and below_diagonal(c) == plane]
    kept = [c for c in kept if c not in diagonal]
    if scores.bent is None and not kept and not added:
        parts.causal = bool(diagonal)
        return []
    kept += diagonal[:1]
    if scores.bent is not None or _is_by_index([*kept, *added], plane):
        return _functions(scores, kept, added, plane, parts)
    if added:
        added += [op("where", c, number(0.0), number(float("-inf"))) for c in kept]
        parts.masked = len(added)
        return [*added]
    parts.masked = 1
    return [_joined("logical_and", kept)]


def _is_by_index(masks: list[Node], plane: tuple[str, ...]) -> bool:
    """Say whether masks would have to be built over queries and keys, because none is stored that way."""
    spans = any(all(m.type.has(a) for a in plane) for m in masks)
    return len(plane) > 1 and spans and not any(is_given(m, plane) for m in masks)


def _functions(
    scores: Scores, kept: list[Node], added: list[Node], plane: tuple[str, ...], parts: Parts
) -> list[Node]:
    written = Pointwise(plane, scores.product)
    if kept:
        parts.keeps = written.tree(_joined("logical_and", kept))
    if scores.bent is not None or added:
        parts.scores = written.tree(_joined("add", [scores.bent or scores.product, *added]))
    return written.leaves


def _joined(name: str, nodes: list[Node]) -> Node:
    total = nodes[0]
    for node in nodes[1:]:
        total = op(name, total, node)
    return total


def _kept_by(mask: Node) -> Node | None:
    """Read where(c, 0, -inf) as the condition c."""
    if mask.name != "where":
        return None
    condition, yes, no = mask.operands
    if is_number(yes, 0) and is_number(no, float("-inf")):
        return condition
    if is_number(yes, float("-inf")) and is_number(no, 0):
        return negated(condition) or op("logical_not", condition)
    return None
