"""Recurrences whose step is a cell that torch computes for a whole sequence: LSTM and GRU.

    LSTM: c' = sigmoid(f) * c + sigmoid(i) * tanh(g),   h' = sigmoid(o) * tanh(c')
    GRU:  h' = (1 - z) * n + z * h,   n = tanh(... + r * (U_n h + b_n)),   r, z = sigmoid(...)

Each of f, i, g, o, r, z is a map W ._emb x + U ._hid h + b, one matrix for each or all in one tensor
with an axis of gates. Everything else runs as a loop.

Source: Hochreiter and Schmidhuber, Long short-term memory, 1997, with the forget gate of Gers, 2000;
Cho and others, 2014, in the form of cuDNN, where r acts on the product with U.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from namedtensor.axes import FRESH
from namedtensor.formula.rewrite.patterns import is_number, op, terms
from namedtensor.operations.indexing import AT
from namedtensor.operations.recurrence import SCAN, Looped
from namedtensor.operations.renaming import RENAME
from namedtensor.operations.step_trees import Step, placed
from namedtensor.plans import Value
from namedtensor.primitives import Call, Node, Type, primitive, table
from namedtensor.primitives.node import apply_node, make_node, operands_first, without
from namedtensor.primitives.notation import KERNEL

#: What a cell gives beside every h: the last h and the last c.
EVERY, LAST_H, LAST_C, ALL = "every h", "last h", "last c", "all"


@dataclass(frozen=True, slots=True)
class Linear:
    """A gate before its nonlinearity: matrices for x and for h, and what is added to their products.

    The matrices have the axes of x and h that are summed, and `out`.
    """

    W: Node | None
    U: Node | None
    b: Node | None


class _Cell:
    """The leaves of a step, as a matcher sees them: h, x, and those that are the same at each step."""

    def __init__(self, step: Step, h: Node, hid: str) -> None:
        self.h = h
        self.hid = hid
        (self.x,) = step.elements
        self._moves: dict[Node, bool] = dict.fromkeys(step.leaves[: step.carries + 1], True)
        self.emb: tuple[str, ...] | None = None

    @property
    def out(self) -> str:
        return f"{self.hid}{FRESH}"

    def moves(self, node: Node) -> bool:
        """Say whether a part differs from step to step."""
        for part in operands_first([node]):
            if part not in self._moves:
                self._moves[part] = any(self._moves[o] for o in part.operands)
        return self._moves[node]

    def gate(self, node: Node, used: Sequence[str] = ("x", "h")) -> Linear | None:
        """Read the sum of maps that a gate is made of."""
        found: dict[str, list[Node]] = {"x": [], "h": [], "b": []}
        for term in _spread(node):
            part = self._term(term)
            if part is None:
                return None
            found[part[0]].append(part[1])
        if [len(found[k]) for k in ("x", "h")] != [int(k in used) for k in ("x", "h")]:
            return None
        W, U = [next(iter(found[k]), None) for k in ("x", "h")]
        bias = None
        for b in found["b"]:
            bias = b if bias is None else op("add", bias, b)
        return Linear(W, U, bias)

    def _term(self, node: Node) -> tuple[str, Node] | None:
        """Read one term: x or h times a matrix, or what is the same at each step."""
        if not self.moves(node):
            if node.type.kind != "float" or node.type.host or node.type.names != (self.hid,):
                return None
            return "b", _renamed(node, ((self.hid, self.out),))
        found = self._product(node)
        if found is None:
            return None
        which, matrix, made = found
        if made != self.hid:
            return None
        return which, matrix

    def _product(self, node: Node) -> tuple[str, Node, str] | None:
        """Read a product with x or h, renamed or indexed afterwards: its matrix, and the axis it makes."""
        wrappers = []
        while node.operation.primitive in (RENAME, AT):
            wrappers.append(node)
            node = node.operands[0]
        if node.name != "dot" or len(node.operands) != 2:
            return None
        moving = [o for o in node.operands if self.moves(o)]
        fixed = [o for o in node.operands if not self.moves(o)]
        if len(moving) != 1:
            return None
        (matrix,), (given,) = fixed, moving
        names = {a: a for a in given.type.names}
        while given.name == "rename":
            before = {new: old for old, new in given.operation.params[0]}
            names = {a: before.get(old, old) for a, old in names.items()}
            given = given.operands[0]
        if given not in (self.x, self.h):
            return None
        summed = node.operation.params[0]
        if any(n not in summed and n in names for n in matrix.type.names):
            return None
        made = {n: n for n in matrix.type.names if n not in summed}
        for wrapper in reversed(wrappers):
            if wrapper.name == "at":
                (axis,) = wrapper.operation.params
                own = next((n for n, now in made.items() if now == axis), None)
                if own is None or wrapper.operands[1].value is None:
                    return None
                matrix = apply_node(table()["at"](own), (matrix, wrapper.operands[1]))
                del made[own]
                continue
            pairs = dict(wrapper.operation.params[0])
            if not set(pairs) <= set(made.values()):
                return None
            made = {n: pairs.get(now, now) for n, now in made.items()}
        if len(made) != 1 or matrix.type.kind != "float" or matrix.type.weak:
            return None
        ((own, now),) = made.items()
        inner = tuple([names[a] for a in summed])
        if given is self.x:
            if self.emb is not None and set(self.emb) != set(inner):
                return None
            self.emb = self.emb or inner
        elif inner != (self.hid,):
            return None
        pairs_in = [(a, names[a]) for a in summed if names[a] != a]
        return (
            "x" if given is self.x else "h",
            _renamed(matrix, ((own, self.out), *pairs_in)),
            now,
        )


def _spread(node: Node) -> list[Node]:
    """List the terms of a sum; an index or a renaming of the sum is applied to each term."""
    wrappers = []
    part = node
    while part.operation.primitive in (RENAME, AT):
        wrappers.append(part)
        part = part.operands[0]
    if part.name != "add":
        return [node]
    if not wrappers:
        return [t for o in part.operands for t in _spread(o)]
    found: list[Node] = []
    for term in terms(part):
        whole: Node | None = term
        for wrapper in reversed(wrappers):
            whole = _wrapped(wrapper, whole)
        if whole is None:
            return [node]
        found += _spread(whole)
    return found


def _wrapped(wrapper: Node, term: Node | None) -> Node | None:
    """Apply a renaming or an index to a term that may lack the axis."""
    if term is None:
        return None
    if wrapper.name == "at":
        (axis,) = wrapper.operation.params
        if not term.type.has(axis):
            return term
        return apply_node(wrapper.operation, (term, *wrapper.operands[1:]))
    pairs = tuple([p for p in wrapper.operation.params[0] if term.type.has(p[0])])
    return apply_node(table()["rename"](pairs), (term,)) if pairs else term


def _renamed(node: Node, pairs: Iterable[tuple[str, str]]) -> Node:
    given = tuple([p for p in pairs if p[0] != p[1]])
    return apply_node(table()["rename"](given), (node,)) if given else node


# ------------------------------------------------------------------------------------ the patterns


def lstm(node: Node, present: Iterable[Node] = ()) -> Node | None:
    """Match an LSTM, unless the result contains c at every step."""
    step = _step_of(node, carries=2)
    if step is None:
        return None
    for h_place, c_place in ((0, 1), (1, 0)):
        asked = {_asked(n, h_place, c_place) for n in present if _same_loop(n, node)}
        which = _asked(node, h_place, c_place)
        if which is None or None in asked:
            continue
        h, c = step.leaves[h_place], step.leaves[c_place]
        for hid in h.type.names:
            cell = _Cell(step, h, hid)
            gates = _lstm_gates(cell, c, step.results[h_place], step.results[c_place])
            if gates is not None:
                starts = (node.operands[h_place], node.operands[c_place])
                return _kernel(node, step, cell, "lstm", which, starts, gates, ())
    return None


def _lstm_gates(cell: _Cell, c: Node, next_h: Node, next_c: Node) -> list[Linear] | None:
    """Read the gates i, f, g, o."""
    out = _gated(next_h, lambda n: n.name == "tanh" and n.operands[0] is next_c)
    if out is None or next_c.name != "add":
        return None
    for kept, new in (next_c.operands, next_c.operands[::-1]):
        forget = _gated(kept, lambda n: n is c)
        put = _gated(new, lambda n: n.name == "tanh")
        if forget is not None and put is not None:
            gates = [put[0], forget[0], put[1].operands[0], out[0]]
            found = [cell.gate(g) for g in gates]
            return None if None in found else [g for g in found if g is not None]
    return None


def _gated(node: Node, test: Any) -> tuple[Node, Node] | None:
    """Read sigmoid(gate) * value, in either order."""
    if node.name == "mul":
        for gate, value in (node.operands, node.operands[::-1]):
            if gate.name == "sigmoid" and test(value):
                return gate.operands[0], value
    return None


def gru(node: Node, present: Iterable[Node] = ()) -> Node | None:
    """Match a GRU."""
    step = _step_of(node, carries=1)
    if step is None:
        return None
    h = step.leaves[0]
    which = EVERY if node.operation.params[2][0] else LAST_H
    for hid in h.type.names:
        cell = _Cell(step, h, hid)
        for z, n in _mixed(step.results[0], h):
            gates = _gru_gates(cell, z, n)
            if gates is not None:
                given, inner = gates[:3], gates[3]
                return _kernel(node, step, cell, "gru", which, node.operands[:1], given, (inner,))
    return None


def _mixed(node: Node, h: Node) -> list[tuple[Node, Node]]:
    """Read (1 - z) * n + z * h or n + z * (h - n) as the pair of z and n."""
    found = []
    if node.name == "add":
        for new, kept in (node.operands, node.operands[::-1]):
            if kept.name != "mul":
                continue
            for z, old in (kept.operands, kept.operands[::-1]):
                if old.name == "sub" and old.operands == (h, new):
                    found.append((z, new))
                if old is h and new.name == "mul":
                    for rest, n in (new.operands, new.operands[::-1]):
                        one = rest.name == "sub" and is_number(rest.operands[0], 1)
                        if one and rest.operands[1] is z:
                            found.append((z, n))
    return found


def _gru_gates(cell: _Cell, z: Node, n: Node) -> list[Linear] | None:
    """Read the gates r, z, n, and what r is multiplied with."""
    if z.name != "sigmoid" or n.name != "tanh":
        return None
    parts = terms(n.operands[0])
    for term in parts:
        if term.name != "mul":
            continue
        for r, inner in (term.operands, term.operands[::-1]):
            if r.name != "sigmoid":
                continue
            rest = without(parts, term)
            if not rest:
                continue
            whole = rest[0]
            for t in rest[1:]:
                whole = op("add", whole, t)
            found = [
                cell.gate(r.operands[0]),
                cell.gate(z.operands[0]),
                cell.gate(whole, ("x",)),
                cell.gate(inner, ("h",)),
            ]
            if None not in found:
                return [g for g in found if g is not None]
    return None


def _step_of(node: Node, carries: int) -> Step | None:
    """Give the step of a scan of floats along one sequence, with nothing emitted."""
    if node.operation.primitive is not SCAN:
        return None
    *_, step, _ = node.operation.params
    shape = (step.carries, step.sequences, len(step.results))
    kinds = {leaf.type.kind for leaf in step.leaves[: carries + 1]}
    if shape != (carries, 1, carries) or kinds != {"float"}:
        return None
    X, starts = node.operands[carries], node.operands[:carries]
    axis = node.operation.params[0]
    wide = {frozenset(leaf.type.names) for leaf in step.leaves[:carries]}
    same = len(wide) == 1 and all(set(s.type.names) in wide for s in starts)
    if not same or X.type.weak or not X.type.has(axis):
        return None
    results: Step = step
    return results


def _same_loop(a: Node, b: Node) -> bool:
    return (
        a.operation.primitive is SCAN
        and a.operands == b.operands
        and a.operation.params[:-1] == b.operation.params[:-1]
    )


def _asked(node: Node, h_place: int, c_place: int) -> str | None:
    """Say which result of the cell a node is; None for c at every step, which the kernel does not give."""
    _, _, listed, _, place = node.operation.params
    if place == h_place:
        return EVERY if listed[place] else LAST_H
    return None if listed[place] else LAST_C


def _kernel(
    node: Node,
    step: Step,
    cell: _Cell,
    kind: str,
    which: str,
    starts: tuple[Node, ...],
    gates: Sequence[Linear],
    inner: Sequence[Linear],
) -> Node | None:
    """Give the node of the kernel, its operands outside of the loop."""
    axis, reverse = node.operation.params[:2]
    X = node.operands[step.carries]
    emb = cell.emb or ()
    batch = set(cell.h.type.names) - {cell.hid}
    if set(X.type.names) != {axis, *emb} | batch or not emb or {axis, *emb} & batch:
        return None
    outside = dict(zip(step.leaves, node.operands, strict=True))
    count = len(gates)
    groups = [
        ([g.W for g in gates], (*emb, cell.out)),
        ([g.U for g in (*gates[: count - len(inner)], *inner)], (cell.hid, cell.out)),
        ([g.b for g in gates], (cell.out,)),
        ([*([None] * (count - len(inner))), *[g.b for g in inner]], (cell.out,)),
    ]
    forms: list[Any] = []
    operands: list[Node] = []
    for group, axes in groups:
        form, given = _packed(group)
        parts = placed(given, outside)
        if any(set(p.type.names) - {form} != set(axes) for p in parts):
            return None
        forms.append(form)
        operands += parts
    operation = CELL(kind, axis, reverse, cell.hid, emb, cell.out, tuple(forms), which)
    return apply_node(operation, (X, *starts, *operands))


def _packed(parts: Sequence[Node | None]) -> tuple[Any, list[Node]]:
    """Find the one tensor of which the parts are the elements in order, and the axis that they lie along.

    Otherwise say which parts there are, and give them.
    """
    found = [_element(part) for part in parts]
    if found[0] is not None and all(f is not None and f[:3] == found[0][:3] for f in found):
        base, axis, pairs, _ = found[0]
        in_order = [f[3] for f in found if f is not None] == list(range(len(parts)))
        freed = [old for old, _ in pairs]  # all are renamed at once
        if in_order and all(new in freed or not base.type.has(new) for _, new in pairs):
            return axis, [_renamed(base, pairs)]
    return tuple([part is not None for part in parts]), [part for part in parts if part is not None]


def _element(node: Node | None) -> tuple[Node, str, tuple[tuple[str, str], ...], Any] | None:
    """Read X[gate(k)], renamed or not, as X, the axis, the renaming, and k."""
    pairs: tuple[tuple[str, str], ...] = ()
    if node is not None and node.name == "rename":
        (pairs,), (node,) = node.operation.params, node.operands
    if node is None or node.name != "at" or node.operands[1].value is None:
        return None
    return node.operands[0], node.operation.params[0], pairs, node.operands[1].value


# -------------------------------------------------------------------------------------- the kernel


def _cell_rule(call: Call) -> Type:
    kind, axis, _, hid, emb, _, forms, which = call.params
    X, h = call.types[:2]
    first = 2 + (kind == "lstm")
    counts = [1 if isinstance(form, str) else sum(form) for form in forms]
    for a in emb:
        call.agree(a, (0, *range(first, first + counts[0])))
    call.agree(hid, (1, *range(first + counts[0], first + counts[0] + counts[1])))
    axes = [(a, size if a == hid else X.size(a)) for a, size in h.axes]
    return Type(tuple([(axis, X.size(axis)), *axes] if which == EVERY else axes), X.kind)


def _lower_cell(emit: Any, call: Any, *values: Any) -> Value:
    _, axis, _, hid, *_, which = call.params
    params, node = call.params[:-1], call.node
    if which == ALL:
        return _lower_whole(emit, call, values)
    whole: Looped = emit.value(make_node(CELL(*params, ALL), node.operands, Type(())))
    (batch,) = whole.orders
    order = (axis, *batch, hid) if which == EVERY else (*batch, hid)
    code = emit.subscript(whole, (EVERY, LAST_H, LAST_C).index(which))
    if len(batch) != 1:
        code = emit.call("reshape", code, emit.sizes_of(call.type, order))
    made: Value = emit.bind(code, order, call.type, "H")
    return made


def _lower_whole(emit: Any, call: Any, values: Sequence[Any]) -> Value:
    """Call torch's cell on rows: the axes that the step does not name become one axis."""
    kind, axis, reverse, hid, emb, out, forms, _ = call.params
    first = 2 + (kind == "lstm")
    X, starts, rest = values[0], values[1:first], iter(values[first:])
    batch = tuple([a for a in X.axes if a != axis and a not in emb])
    rows, features = emit.product_of(X.type, batch), emit.product_of(X.type, emb)
    x = emit.permute(X, (axis, *batch, *emb))
    if len(batch) != 1 or len(emb) != 1:
        x = emit.call("reshape", x, (emit.size(X.type.size(axis)), rows, features))
    flat = []
    different = {start.code: start for start in starts}  # h and c may both be the same zeros
    typed = {code: emit.named(emit.typed_like(h, [X])) for code, h in different.items()}
    for start in starts:
        moved = emit.permute(typed[start.code], (*batch, hid))
        wide = emit.size(start.type.size(hid))
        flat.append(moved if len(batch) == 1 else emit.call("reshape", moved, (rows, wide)))
    weights = []
    for form, axes in zip(forms, (emb, (hid,), (), ()), strict=True):
        gates = (form,) if isinstance(form, str) else ()
        parts: list[Any] = []
        for there in (True,) if gates else form:
            if not there:
                parts.append(None)
                continue
            W = emit.typed_like(next(rest), [X])
            moved = emit.permute(W, (*gates, out, *axes))
            if len(axes) > 1:
                lead = [emit.size(W.type.size(a)) for a in (*gates, out)]
                moved = emit.call("reshape", moved, (*lead, features))
            parts.append(moved)
        weights.append(parts[0] if gates else tuple(parts))
    settings = {"reverse": True} if reverse else {}
    code = emit.call(kind, x, tuple(flat), *weights, **settings)
    bound = emit.bind(code, (), Type((), host=True), "states")
    return Looped(bound.code, (), bound.type, (batch,))


CELL = primitive("cell", _cell_rule, _lower_cell, notation=KERNEL)
