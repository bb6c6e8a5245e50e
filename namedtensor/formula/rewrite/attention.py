"""Attention as written is scaled_dot_product_attention.

    V @ seq @ softmax[seq](Q @ key @ K * s + M)

up to the order of factors and terms, any scale, any number of masks, and any extra axes. The causal
cases become the kernel's own mask; no other index-defined mask is lost: it is built and passed on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from namedtensor.formula.rewrite.patterns import (
    below_diagonal,
    is_number,
    negated,
    op,
    peel_scale,
    positive,
    terms,
)
from namedtensor.primitives import Call, Node, Type, number, primitive, table
from namedtensor.primitives.node import apply_node
from namedtensor.primitives.sizes import as_node


@dataclass(slots=True)
class Scores:
    """Q @ key @ K with its scale and masks."""

    product: Node
    scale: Node | None
    added: list[Node]
    kept: list[Node]


def attention(node: Node) -> Node | None:
    if node.name != "dot" or len(node.operands) != 2:
        return None
    seqs = node.operation.params[0]
    for weights, V in (node.operands, node.operands[::-1]):
        inner, p = _without_dropout(weights)
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
        rest = [t for t in parts if t is not term]
        core, scale = peel_scale(term)
        if core.name == "dot":
            return _scaled(Scores(core, scale, rest, []), outer)
        if rest and core.name == "where" and (found := read_scores(term)) is not None:
            found.added += rest
            return _scaled(found, outer)
    return None


def _scaled(scores: Scores, outer: Node | None) -> Scores | None:
    if outer is not None:
        scores.scale = outer if scores.scale is None else op("mul", scores.scale, outer)
        scores.added = [op("mul", m, outer) for m in scores.added]
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
    if (
        any(Q.type.has(s) for s in seqs)
        or any(V.type.has(k) for k in keys)
        or Q.type.weak
        or K.type.weak
    ):
        return None
    queries = [n for n in Q.type.names if not K.type.has(n) and not V.type.has(n) and n not in keys]
    masks = scores.added + scores.kept
    inside = {n for o in (Q, K) for n in o.type.names} - set(keys)
    if len(queries) > 1 and masks:
        return None
    if any(n not in inside for m in masks for n in m.type.names):
        # a mask that brings an axis of its own lifts the whole formula
        return None
    causal, mask = _masks(scores, queries, seqs[0])
    operands = [Q, K, V]
    flags = [causal]
    scale = None if _is_default(scores.scale, Q, keys) else scores.scale or number(1.0)
    for extra in (mask, scale, p):
        flags.append(extra is not None)
        if extra is not None:
            operands.append(extra)
    return apply_node(ATTENTION(keys, seqs, tuple(queries), tuple(flags)), tuple(operands))


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


def _masks(scores: Scores, queries: list[str], seq: str) -> tuple[bool, Node | None]:
    """Tell the causal cases from other masks; give the others as one."""
    causal = False
    kept: list[Node] = []
    added: list[Node] = []
    for condition in scores.kept:
        if queries and below_diagonal(condition) == (queries[0], seq):
            causal = True
        else:
            kept.append(condition)
    for mask in scores.added:
        keeps = _kept_by(mask)
        if keeps is None:
            added.append(mask)
        elif queries and below_diagonal(keeps) == (queries[0], seq):
            causal = True
        else:
            kept.append(keeps)
    if not kept and not added:
        return causal, None
    if causal:
        product = scores.product
        sizes = {n: s for o in product.operands for n, s in o.type.axes}
        i, j = [apply_node(table()["iota"](a), (as_node(sizes[a]),)) for a in (queries[0], seq)]
        kept.append(op("le", j, i))
    if added:
        added += [op("where", c, number(0.0), number(float("-inf"))) for c in kept]
        return False, _joined("add", added)
    return False, _joined("logical_and", kept)


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


# ------------------------------------------------------------------------------------- the kernel


def _rule(call: Call) -> Type:
    keys, seqs, _, _ = call.params
    gone = {*keys, *seqs}
    axes: dict[str, Any] = {}
    for type_ in call.types[:3]:
        for name, size in type_.axes:
            if name not in gone:
                axes.setdefault(name, size)
    for name in {n for t in call.types[:3] for n in t.names}:
        call.agree(name, range(3))
    return Type(tuple(axes.items()), call.types[2].kind)


def _lower(emit: Any, call: Any, Q: Any, K: Any, V: Any, *rest: Any) -> Any:
    keys, seqs, queries, (causal, has_mask, has_scale, has_dropout) = call.params
    given = list(rest)
    mask = given.pop(0) if has_mask else None
    scale = given.pop(0) if has_scale else None
    p = given.pop(0) if has_dropout else None
    known = {*keys, *seqs, *queries}
    inner = [a for o in (Q, K) for a in o.axes if a not in known]
    vals = [a for a in V.axes if a not in known and a not in inner]
    batch = list(dict.fromkeys(inner))
    # a value of several axes, or none, is one axis to the kernel
    keys_in_order = [a for a in K.axes if a in keys]
    q = _arranged(emit, Q, batch, queries, keys_in_order, call)
    k = _arranged(emit, K, batch, seqs, keys_in_order, call)
    v = _arranged(emit, V, batch, seqs, vals, call)
    options = []
    if mask is not None:
        options.append(f"attn_mask={_mask_code(emit, mask, batch, queries, seqs, Q)}")
    if p is not None:
        options.append(f"dropout_p={p.code}")
    if causal:
        options.append("is_causal=True")
    if scale is not None:
        options.append(f"scale={scale.code}")
    code = emit.call("scaled_dot_product_attention", q, k, v, *options)
    for _ in range(max(0, 2 - len(batch))):
        code = f"{code}[0]"
    axes = (*batch, *queries, *vals)
    if len(queries) != 1 or len(vals) != 1:
        sizes = dict(V.type.axes) | dict(K.type.axes) | dict(Q.type.axes)
        parts = [emit.size(sizes[a]) for a in axes]
        code = emit.call("reshape", code, f"({', '.join(parts)}{',' if parts else ''})")
    return emit.bind(code, axes, call.type, "attended")


def _arranged(emit: Any, x: Any, batch: Any, rows: Any, columns: Any, call: Any) -> str:
    """Write an operand as batch x rows x columns, with two batch axes at least."""
    sizes = dict(call.types[2].axes) | dict(call.types[1].axes) | dict(call.types[0].axes)
    moved = emit.permute(x, [a for a in (*batch, *rows, *columns) if a in x.axes])
    code = moved.code
    lacks = [a for a in batch if a not in x.axes]
    for i, axis in enumerate(batch):
        if axis in lacks:
            code = emit.call("unsqueeze", code, i)
    if len(rows) != 1 or len(columns) != 1 or lacks:
        groups = [emit.size(sizes[a]) for a in batch]
        own = [emit.size(x.type.size(a)) for a in (*rows, *columns)]
        if lacks:
            code = emit.call("broadcast_to", code, f"({', '.join([*groups, *own])},)")
        if len(rows) != 1 or len(columns) != 1:
            for part in (rows, columns):
                groups.append(" * ".join(emit.size(x.type.size(a)) for a in part) or "1")
            code = emit.call("reshape", code, f"({', '.join(groups)},)")
    for _ in range(max(0, 2 - len(batch))):
        code = emit.call("unsqueeze", code, 0)
    return str(code)


def _mask_code(emit: Any, mask: Any, batch: Any, queries: Any, seqs: Any, Q: Any) -> str:
    from dataclasses import replace

    if mask.type.kind != "bool":
        mask = replace(mask, code=emit.call("as_like", mask.code, emit.named(Q).code))
    axes = (*batch, *(queries or ("",)), *seqs)
    code = emit.aligned(mask, axes)
    first = next((i for i, a in enumerate(axes) if a in mask.axes), len(axes))
    for _ in range(max(0, first - (len(axes) - 2))):
        code = emit.call("unsqueeze", code, 0)
    return str(code)


ATTENTION = primitive("attention", _rule, _lower)
