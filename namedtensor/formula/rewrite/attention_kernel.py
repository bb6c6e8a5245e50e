"""The attention kernel: its type, and its call as lead x heads x rows x columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.formula.rewrite.indexed import indices_in, write_function
from namedtensor.plans.code import Name
from namedtensor.primitives import Call, Node, Type, primitive
from namedtensor.primitives.notation import KERNEL


@dataclass(slots=True)
class Parts:
    """What an attention kernel is made of besides its operands.

    `groups` are axes of Q alone whose queries share keys and values. `keeps` and `scores` are trees
    over one query and one key. `masked` counts the tensors that are added up to the mask.
    """

    keys: tuple[str, ...]
    seqs: tuple[str, ...]
    queries: tuple[str, ...]
    groups: tuple[str, ...]
    causal: bool = False
    masked: int = 0
    scaled: bool = False
    dropped: bool = False
    keeps: Node | None = None
    scores: Node | None = None

    def params(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])


def _rule(call: Call) -> Type:
    gone = {*call.params[0], *call.params[1]}
    axes: dict[str, Any] = {}
    for type_ in call.types[:3]:
        for name, size in type_.axes:
            if name not in gone:
                axes.setdefault(name, size)
    for name in {n for t in call.types[:3] for n in t.names}:
        call.agree(name, range(3))
    return Type(tuple(axes.items()), call.types[2].kind)


@dataclass(slots=True)
class Order:
    """Which axes become the kernel's four: those of Q, and the heads of keys and values."""

    lead: tuple[str, ...]
    heads: tuple[str, ...]
    owners: tuple[str, ...]
    sizes: dict[str, Any]

    @classmethod
    def of(cls, parts: Parts, call: Any, Q: Any, K: Any) -> Order:
        known = {*parts.keys, *parts.seqs, *parts.queries, *parts.groups}
        shared = tuple(dict.fromkeys([a for o in (Q, K) for a in o.axes if a not in known]))
        groups = tuple([a for a in Q.axes if a in parts.groups])
        sizes = {a: s for t in reversed(call.types[:3]) for a, s in t.axes}
        return cls(shared[:-1], shared[-1:] + groups, shared[-1:], sizes)

    def arranged(self, emit: Any, x: Any, heads: Any, rows: Any, columns: Any) -> Any:
        """Give an operand as lead x heads x rows x columns."""
        groups = [self.lead, heads, rows, columns]
        every = [a for group in groups for a in group]
        code = emit.permute(x, [a for a in every if a in x.axes])
        lacks = [a for a in every if a not in x.axes]
        for axis in lacks:
            code = emit.call("unsqueeze", code, every.index(axis))
        if lacks:
            code = emit.call("broadcast_to", code, emit.sizes([self.sizes[a] for a in every]))
        return self.in_four(emit, code, groups)

    def in_four(self, emit: Any, code: Any, groups: Sequence[Any]) -> Any:
        if all(len(g) == 1 for g in groups[2:]) and all(len(g) <= 1 for g in groups[:2]):
            for _ in range(sum(not g for g in groups[:2])):
                code = emit.call("unsqueeze", code, 0)
            return code
        shape = tuple([emit.product([self.sizes[a] for a in g]) for g in groups])
        return emit.call("reshape", code, shape)

    def index(self, emit: Any, parts: Parts) -> dict[str, Any]:
        """Write the index along each axis in terms of the kernel's own b, h, i and j."""
        b, h, i, j = (Name(name) for name in "bhij")
        found: dict[str, Any] = dict.fromkeys(parts.queries, i) | dict.fromkeys(parts.seqs, j)
        for index, axes in ((b, self.lead), (h, self.heads)):
            for place, axis in enumerate(axes):
                inner = [self.sizes[a] for a in axes[place + 1 :]]
                code = emit.infix("//", index, emit.product(inner)) if inner else index
                if place:
                    code = emit.infix("%", code, emit.size(self.sizes[axis]))
                found[axis] = code
        return found


def _lower(emit: Any, call: Any, Q: Any, K: Any, V: Any, *rest: Any) -> Any:
    parts = Parts(*call.params)
    given = list(rest)
    masks = [given.pop(0) for _ in range(parts.masked)]
    options: dict[str, Any] = {}
    if parts.scaled:
        options["scale"] = given.pop(0)
    if parts.dropped:
        options["dropout_p"] = given.pop(0)
    order = Order.of(parts, call, Q, K)
    batch = {*order.lead, *order.heads}
    vals = [a for a in V.axes if a not in batch and a not in parts.seqs]
    # keys and values of several axes, or none, are one axis to the kernel
    keys = [a for a in K.axes if a in parts.keys]
    q = order.arranged(emit, Q, order.heads, parts.queries, keys)
    k = order.arranged(emit, K, order.owners, parts.seqs, keys)
    v = order.arranged(emit, V, order.owners, parts.seqs, vals)
    if parts.keeps is not None or parts.scores is not None:
        functions = _functions(emit, parts, order, given)
        code = emit.call("attend", q, k, v, **functions, **options)
    else:
        if masks:
            # each becomes the scores' dtype before they meet one another
            codes = [_mask_code(emit, mask, order, parts, Q) for mask in masks]
            whole = codes[0] if len(codes) == 1 else emit.infix("+", *codes)
            options = {"attn_mask": whole, **options}
        if parts.causal:
            options["is_causal"] = True
        if order.heads != order.owners:
            options["enable_gqa"] = True
        code = emit.call("scaled_dot_product_attention", q, k, v, **options)
    groups = [order.lead, order.heads, parts.queries, tuple(vals)]
    axes = tuple([a for g in groups for a in g])
    if all(len(g) == 1 for g in groups[2:]) and all(len(g) <= 1 for g in groups[:2]):
        for _ in range(sum(not g for g in groups[:2])):
            code = emit.subscript(code, 0)
    else:
        code = emit.call("reshape", code, emit.sizes([order.sizes[a] for a in axes]))
    return emit.bind(code, axes, call.type, "attended")


def _functions(emit: Any, parts: Parts, order: Order, leaves: Sequence[Any]) -> dict[str, Any]:
    index = order.index(emit, parts)
    leaves = [v if v.type.host else emit.named(v) for v in leaves]
    options: dict[str, Any] = {}
    if parts.keeps is not None:
        options["keeps"] = write_function(emit, "keeps", parts.keeps, leaves, index, scored=False)
        used = indices_in(parts.keeps)
        axes = {n.removeprefix("at ") for n in used if n.startswith("at ")}
        axes |= {a for i, v in enumerate(leaves) if f"leaf{i}" in used for a in v.axes}
        each = "".join(n for n, own in (("b", order.lead), ("h", order.heads)) if axes & {*own})
        if each:
            options["each"] = each
    if parts.scores is not None:
        options["scores"] = write_function(emit, "scores", parts.scores, leaves, index, scored=True)
    return options


def _mask_code(emit: Any, mask: Any, order: Order, parts: Parts, Q: Any) -> Any:
    """Give a mask that is built so that it broadcasts against the scores."""
    if mask.type.kind != "bool":
        mask = replace(mask, code=emit.call("as_like", mask, emit.named(Q)))
    batch = [order.lead, order.heads]
    whole = [a for g in batch if len(g) > 1 and {*g} & {*mask.axes} for a in g]
    axes = (*order.lead, *order.heads, *(parts.queries or ("",)), *parts.seqs)
    if not whole:
        # groups of axes that the mask lacks are one axis of size 1
        axes = (*[g[0] if g else "" for g in batch], *axes[-2:])
        axes = tuple([a or "none" for a in axes])
        code = emit.aligned(mask, axes)
        first = next((i for i, a in enumerate(axes) if a in mask.axes), len(axes))
        # torch's fused kernels take masks of two axes or of four
        for _ in range((0, 1, 0, 1, 2)[first]):
            code = emit.call("unsqueeze", code, 0)
        return code
    code = emit.permute(mask, [a for a in axes if a in mask.axes])
    for place, axis in enumerate(axes):
        if axis not in mask.axes:
            code = emit.call("unsqueeze", code, place)
    sizes = [order.sizes[a] if a in whole or a in mask.axes else 1 for a in axes]
    code = emit.call("broadcast_to", code, emit.sizes(sizes))
    four = []
    for group in (*batch, axes[-2:-1], axes[-1:]):
        own = [order.sizes[a] for a in group if a in whole or a in mask.axes]
        four.append(emit.product(own))
    return emit.call("reshape", code, tuple(four))


ATTENTION = primitive("attention", _rule, _lower, notation=KERNEL)
