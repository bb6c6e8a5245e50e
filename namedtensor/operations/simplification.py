"""Simplify derivatives, which contain many zeros, ones, identities, expanded axes and renames.

Each rule gives an equal tree. Trees that are kept, those of the function itself, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

from namedtensor.operations.expanding import EXPAND
from namedtensor.primitives import Node, number, table
from namedtensor.primitives.node import apply_node, without
from namedtensor.primitives.sizes import as_node

Pairs = tuple[tuple[str, str], ...]


class Simplifier:
    """Simplify trees; shared nodes are simplified once.

    `kept` are the nodes of the function that is derived. `inside` says that each index lies inside its
    axis, so that its one-hot vector sums to 1. That may be assumed for printing, but not in code that runs.
    """

    def __init__(self, kept: Iterable[Node] = (), inside: bool = False) -> None:
        self.kept = set(kept)
        self.inside = inside
        self.done: dict[Node, Node] = {node: node for node in self.kept}

    def __call__(self, root: Node) -> Node:
        waiting = [root]
        while waiting:
            node = waiting[-1]
            missing = [o for o in node.operands if o not in self.done]
            if node in self.done:
                waiting.pop()
            elif missing:
                waiting += missing
            else:
                waiting.pop()
                operands = tuple([self.done[o] for o in node.operands])
                new = node if operands == node.operands else apply_node(node.operation, operands)
                found = self.simpler(new)
                self.done[node] = new if found is None else self(found)
                self.done[self.done[node]] = self.done[node]
        return self.done[root]

    def make(self, name: str, *operands: Node, params: tuple[Any, ...] = ()) -> Node:
        """Apply an operation to simplified operands, and simplify."""
        return self(apply_node(table()[name](*params), operands))

    # ------------------------------------------------------------------------------- the rules

    def simpler(self, node: Node) -> Node | None:
        """Give an equal, simpler tree, which may be simplified further; None if there is none."""
        if node in self.kept or not node.operands:
            return None
        if node.type.host:
            return self._host(node)
        zero = self._zero(node)
        if zero is not None:
            return zero
        if node.operation.primitive.traits.pointwise and not node.operation.params:
            found = self._outside(node)
            if found is not None:
                return found
        rule = getattr(self, f"of_{node.name}", None)
        return None if rule is None else rule(node)

    def _host(self, node: Node) -> Node | None:
        """Compute with sizes where they are known, and drop factors of 1."""
        if node.name == "mul":
            for one, other in (node.operands, node.operands[::-1]):
                if is_number(one, 1):
                    return other
        return _folded(node.name, node.operands)

    def _zero(self, node: Node) -> Node | None:
        """A linear operation on 0 gives 0."""
        if node.name == "expand":
            return None
        traits = node.operation.primitive.traits
        for place, operand in enumerate(node.operands):
            if not traits.linear_in(place) or not is_filled(operand, 0):
                continue
            if not traits.jointly or len(node.operands) == 1:
                return zeros(node)
        if traits.jointly and node.operands:
            linear = [o for i, o in enumerate(node.operands) if traits.linear_in(i)]
            if all(is_filled(o, 0) for o in linear):
                return zeros(node)
        return None

    def _outside(self, node: Node) -> Node | None:
        """Move a repeated axis out of a pointwise operation, or drop it if another operand has the axis."""
        for place, operand in enumerate(node.operands):
            if not is_expanded(operand) or operand in self.kept:
                continue
            (axis,) = operand.operation.params
            inner, size = operand.operands
            others = [o for i, o in enumerate(node.operands) if i != place]
            having = [o for o in others if o.type.has(axis)]
            if any(is_expanded(o) and o.operation.params == (axis,) for o in having):
                taken = [_without(o, axis) for o in node.operands]
            else:
                taken = [inner if i == place else o for i, o in enumerate(node.operands)]
            if all(o is not None for o in taken):
                found = self._again(node, [o for o in taken if o is not None])
                return found if found.type.has(axis) else expanded(found, [(axis, size)])
        return None

    def _again(self, node: Node, operands: Sequence[Node]) -> Node:
        """Apply an operation anew; on numbers alone it stays a tensor's."""
        if all(o.type.host for o in operands):
            folded = _folded(node.name, operands)
            if folded is not None:
                return folded
        return apply_node(node.operation, tuple(operands))

    def of_mul(self, node: Node) -> Node | None:
        a, b = node.operands
        for one, other in ((a, b), (b, a)):
            if is_number(one, 1) and _counts(other, node):
                return other
            if one.name == "neg" and one not in self.kept:
                return op("neg", op("mul", *_put(node, one, one.operands[0])))
            if is_number(one, -1) and _counts(other, node):
                return op("neg", other)
            if other.value is not None and one.name == "mul" and one not in self.kept:
                scale, rest = _scaled(one)
                if scale is not None:
                    return op("mul", number(scale * other.value), rest)
            if other.value is not None and one.value is None and one is a:
                return op("mul", b, a)
            if one.name == "where" and one not in self.kept and identity_axes(one) is None:
                condition, yes, no = one.operands
                if yes.value in (0, 1) and no.value in (0, 1) and other.value is None:
                    return op("where", condition, *[_chosen(v, other) for v in (yes, no)])
            if one.name == "div" and one not in self.kept:
                top, bottom = one.operands
                if bottom is other and _counts(top, node):
                    return top
                if is_number(top, 1) and other.value is None:
                    return op("div", other, bottom)
        return None

    def of_add(self, node: Node) -> Node | None:
        a, b = node.operands
        for one, other in ((a, b), (b, a)):
            if is_filled(one, 0) and other.type.kind != "bool":
                return filled_up(other, node)
        if b.name == "neg" and b not in self.kept:
            return op("sub", a, b.operands[0])
        if a.name == "neg" and a not in self.kept:
            return op("sub", b, a.operands[0])
        if a is b:
            return op("mul", number(2), a)
        return self._shared_factor(node)

    def _shared_factor(self, node: Node) -> Node | None:
        """Write a x + a y as a (x + y), and x / a + y / a as (x + y) / a."""
        one, other = node.operands
        if one.name != other.name or one in self.kept or other in self.kept:
            return None
        if one.name == "div" and one.operands[1] is other.operands[1]:
            return op("div", op(node.name, one.operands[0], other.operands[0]), one.operands[1])
        if one.name == "mul":
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                shared = one.operands[i]
                if shared is other.operands[j] and shared.value is None:
                    parts = op(node.name, one.operands[1 - i], other.operands[1 - j])
                    return op("mul", shared, parts)
        return None

    def of_sub(self, node: Node) -> Node | None:
        a, b = node.operands
        if is_filled(b, 0) and a.type.kind != "bool":
            return filled_up(a, node)
        if is_filled(a, 0) and b.type.kind != "bool":
            return filled_up(op("neg", b), node)
        if b.name == "neg" and b not in self.kept:
            return op("add", a, b.operands[0])
        if a.name == "neg" and a not in self.kept:
            return op("neg", op("add", a.operands[0], b))
        return self._shared_factor(node)

    def of_pow(self, node: Node) -> Node | None:
        base, exponent = node.operands
        return base if is_number(exponent, 1) and _counts(base, node) else None

    def of_neg(self, node: Node) -> Node | None:
        (a,) = node.operands
        if a in self.kept:
            return a.operands[0] if a.name == "neg" else None
        if a.name == "neg":
            return a.operands[0]
        if a.name == "sub":
            return op("sub", *a.operands[::-1])
        if a.name == "mul":
            scale, rest = _scaled(a)
            if scale is not None:
                return op("mul", number(-scale), rest)
        if a.name == "div" and a.operands[0].value is not None:
            return op("div", number(-a.operands[0].value), a.operands[1])
        return None

    def of_div(self, node: Node) -> Node | None:
        a, b = node.operands
        if is_number(b, 1) and a.type == node.type:
            return a
        if a.name == "neg" and a not in self.kept:
            return op("neg", op("div", a.operands[0], b))
        if b.name == "neg" and b not in self.kept:
            return op("neg", op("div", a, b.operands[0]))
        if b.value is not None and a not in self.kept and a.name == "mul":
            scale, rest = _scaled(a)
            if scale is not None and scale % b.value == 0:
                return op("mul", number(scale / b.value), rest)
        return None

    def of_where(self, node: Node) -> Node | None:
        _, yes, no = node.operands
        if is_filled(yes, 0) and is_filled(no, 0):
            return zeros(node)
        return None

    def of_rename(self, node: Node) -> Node | None:
        """Move a rename down to the nodes of the function itself."""
        (x,) = node.operands
        (pairs,) = node.operation.params
        pairs = tuple([(a, b) for a, b in pairs if a != b])
        if not pairs:
            return x
        if pairs != node.operation.params[0]:
            return rename(x, pairs)
        if x.name == "rename":
            own = dict(x.operation.params[0])
            every = {n: own.get(n, n) for n in x.operands[0].type.names}
            new = dict(pairs)
            return rename(x.operands[0], tuple([(o, new.get(m, m)) for o, m in every.items()]))
        if x in self.kept or not x.operands:
            return None
        return self._renamed_below(x, dict(pairs))

    def _renamed_below(self, x: Node, new: dict[str, str]) -> Node | None:
        if is_expanded(x):
            (axis,) = x.operation.params
            rest = tuple([(a, b) for a, b in new.items() if a != axis])
            inner, size = x.operands
            return apply_node(EXPAND(new.get(axis, axis)), (rename(inner, rest), size))
        traits = x.operation.primitive.traits
        plain = traits.pointwise and not x.operation.params
        if not (plain or traits.uniform or x.name in ("dot", "sum", "mean", "iota")):
            return None
        bound = {n for o in x.operands for n in o.type.names} - set(x.type.names)
        if bound & set(new.values()):
            return None
        operands = [
            rename(o, tuple([(n, new[n]) for n in o.type.names if n in new])) for o in x.operands
        ]
        return apply_node(x.operation.renamed(new), tuple(operands))

    def of_sum(self, node: Node) -> Node | None:
        (x,) = node.operands
        (axes,) = node.operation.params
        if not axes:
            return x if x.type == node.type else None
        for axis in axes:
            found = _without(x, axis)
            if found is not None:
                return op("mul", as_node(x.type.size(axis)), total(found, _but(axes, axis)))
        if x in self.kept:
            return self._picks_summed(x, axes)
        if x.name == "neg":
            return op("neg", total(x.operands[0], axes))
        if x.name == "sum":
            return total(x.operands[0], (*x.operation.params[0], *axes))
        if x.name == "div" and not any(x.operands[1].type.has(a) for a in axes):
            return op("div", total(x.operands[0], axes), x.operands[1])
        if x.name == "mul" or identity_axes(x) is not None:
            return self._summed_product(factors(x, self.kept), axes, node)
        return self._picks_summed(x, axes)

    def _one_hot_summed(self, x: Node, axes: tuple[str, ...]) -> Node | None:
        """Add one-hot vectors up: 1 where the index lies inside its axis."""
        if x.name != "one_hot" or x.operation.params[0] not in axes:
            return None
        index, size = x.operands
        (axis,) = x.operation.params
        ones = expanded(number(1), index.type.axes)
        if not self.inside:
            within = op("logical_and", op("ge", index, number(0)), op("lt", index, size))
            ones = op("where", within, number(1), number(0))
        return total(ones, _but(axes, axis))

    def _picks_summed(self, x: Node, axes: tuple[str, ...]) -> Node | None:
        """Sum over an axis in which an index picks a place: the sum is the number at that place."""
        if x.name == "picks" and x.operation.params[0] in axes:
            ones = expanded(number(1), x.operands[0].type.axes)
            return total(ones, _but(axes, x.operation.params[0]))
        if x.name == "scatter" and x.operation.params[1] == 1:
            *used, made = x.operation.params[0]
            if made in axes:
                whole = filled_up(x.operands[0], x.operands[1])
                return total(whole, (*used, *_but(axes, made)))
        return self._one_hot_summed(x, axes)

    def of_scatter(self, node: Node) -> Node | None:
        """Move numbers out of a scatter; a scatter of one number becomes that number at the marked places."""
        axes, count = node.operation.params
        g, index, size = node.operands[:3]
        if g.name == "neg" and g not in self.kept:
            return op("neg", apply_node(node.operation, (g.operands[0], *node.operands[1:])))
        if g.name == "div" and g not in self.kept and g.operands[1].type.host:
            top, bottom = g.operands
            return op("div", apply_node(node.operation, (top, *node.operands[1:])), bottom)
        scale, rest = _scaled(g) if g not in self.kept else (None, g)
        if scale is not None:
            found = apply_node(node.operation, (rest, *node.operands[1:]))
            return op("mul", number(scale), found)
        value = filled_with(g)
        if value is None or count != 1 or len(axes) != 1:
            return None
        picks = apply_node(table()["picks"](*axes), (index, size))
        return filled_up(op("mul", value, picks), node)

    def of_mean(self, node: Node) -> Node | None:
        (x,) = node.operands
        axes: tuple[str, ...] = node.operation.params[0]
        if not axes:
            return x if x.type == node.type else None
        for axis in axes:
            found = _without(x, axis)
            if found is not None:
                return mean(found, _but(axes, axis))
        if x in self.kept:
            return None
        if x.name == "neg":
            return op("neg", mean(x.operands[0], axes))
        of_identities = {a for f in factors(x, self.kept) for a in identity_axes(f) or ()}
        for axis in axes:
            if axis in of_identities:
                summed = op("div", total(x, (axis,)), as_node(x.type.size(axis)))
                return mean(summed, _but(axes, axis))
        return None

    def of_dot(self, node: Node) -> Node | None:
        (axes,) = node.operation.params
        if not axes:
            return product(node.operands)
        if len(node.operands) != 2:
            return None
        a, b = node.operands
        for one, other in ((a, b), (b, a)):
            if one.name == "neg" and one not in self.kept:
                return op("neg", dot(axes, *_put(node, one, one.operands[0])))
            scale, rest = _scaled(one) if one not in self.kept else (None, one)
            if scale is not None:
                return op("mul", number(scale), dot(axes, *_put(node, one, rest)))
            if one.name == "div" and one not in self.kept and one.operands[1].type.host:
                top, bottom = one.operands
                return op("div", dot(axes, *_put(node, one, top)), bottom)
            if not is_expanded(one):
                continue
            (axis,) = one.operation.params
            inner, size = one.operands
            if axis not in axes:
                found = dot(axes, *_put(node, one, inner))
                return found if found.type.has(axis) else expanded(found, [(axis, size)])
            return contracted(_but(axes, axis), inner, total(other, (axis,)))
        for one in node.operands:
            own = factors(one, self.kept)
            free = [f for f in own if identity_axes(f) and not {*axes} & {*f.type.names}]
            bound = [f for f in own if f not in free]
            if free and bound and all(any(f.type.has(a) for f in bound) for a in axes):
                return product([dot(axes, *_put(node, one, product(bound))), *free])
        parts = [f for o in node.operands for f in factors(o, self.kept)]
        left = _cancelled(parts, self.kept)
        if left is not None:
            return total(filled_up(product(left), product(parts)), axes)
        return self._without_identity(parts, axes, node)

    def _summed_product(
        self, parts: Sequence[Node], axes: tuple[str, ...], node: Node
    ) -> Node | None:
        """Sum a product: identities rename, factors without the axes stand outside, the rest contracts."""
        found = self._without_identity(parts, axes, node)
        if found is not None:
            return found
        outside = [p for p in parts if not any(p.type.has(a) for a in axes)]
        inside = [p for p in parts if any(p.type.has(a) for a in axes)]
        if len(inside) == 1 and not outside:
            return None
        inside = _gathered(inside)
        if len(inside) == 1:
            return product([*outside, total(inside[0], axes)])
        if len(inside) > 2:
            inside = [inside[0], product(inside[1:])]
        left, right = inside
        alone = (
            [a for a in axes if not right.type.has(a)],
            [a for a in axes if not left.type.has(a)],
        )
        both = tuple([a for a in axes if left.type.has(a) and right.type.has(a)])
        left, right = total(left, tuple(alone[0])), total(right, tuple(alone[1]))
        return product([*outside, contracted(both, left, right)])

    def _without_identity(
        self, parts: Sequence[Node], axes: tuple[str, ...], node: Node
    ) -> Node | None:
        """Sum over an axis of an identity by renaming that axis to the other one."""
        for part in parts:
            pair = identity_axes(part)
            if pair is None:
                continue
            for axis, other in (pair, pair[::-1]):
                others = [p for p in parts if p is not part]
                if axis not in axes or any(p.type.has(axis) and p.type.has(other) for p in others):
                    continue
                others = [rename(p, ((axis, other),)) if p.type.has(axis) else p for p in others]
                found = product(others) if others else number(1)
                kept = _but(axes, axis)
                if any(not found.type.has(a) for a in kept):
                    found = expanded(
                        found, [(a, part.type.size(a)) for a in kept if not found.type.has(a)]
                    )
                return filled_up(total(found, kept), node)
        return None


# ------------------------------------------------------------------------------------ small trees


def op(name: str, *operands: Node) -> Node:
    """Apply an operation without parameters."""
    if all(o.value is not None for o in operands):
        folded = _folded(name, operands)
        if folded is not None:
            return folded
    return apply_node(table()[name].plain, operands)


def _folded(name: str, operands: Sequence[Node]) -> Node | None:
    """Compute with numbers that are known."""
    values = [o.value for o in operands]
    if any(v is None for v in values):
        return None
    if name == "neg":
        return number(-values[0])
    if name in ("add", "sub", "mul"):
        a, b = values
        return number(a + b if name == "add" else a - b if name == "sub" else a * b)
    if name == "div" and values[1] != 0:
        return number(values[0] / values[1])
    return None


def total(x: Node, axes: tuple[str, ...]) -> Node:
    """Sum over axes, of which there may be none."""
    return apply_node(table()["sum"](axes), (x,)) if axes else x


def mean(x: Node, axes: tuple[str, ...]) -> Node:
    """Average over axes, of which there may be none."""
    return apply_node(table()["mean"](axes), (x,)) if axes else x


def dot(axes: tuple[str, ...], *operands: Node) -> Node:
    return apply_node(table()["dot"](axes), operands)


def contracted(axes: tuple[str, ...], a: Node, b: Node) -> Node:
    """Contract over axes of both, of which there may be none."""
    return dot(axes, a, b) if axes else op("mul", a, b)


def product(parts: Sequence[Node]) -> Node:
    found = parts[0]
    for part in parts[1:]:
        found = op("mul", found, part)
    return found


def rename(x: Node, pairs: Pairs) -> Node:
    """Rename axes, of which there may be none."""
    pairs = tuple([(a, b) for a, b in pairs if a != b])
    return apply_node(table()["rename"](pairs), (x,)) if pairs else x


def expanded(x: Node, axes: Iterable[tuple[str, Any]]) -> Node:
    """Repeat along new axes; each is stored before those that are there."""
    for axis, size in reversed(list(axes)):
        x = apply_node(EXPAND(axis), (x,) if size is None else (x, as_node(size)))
    return x


def filled_up(x: Node, like: Node) -> Node:
    """Give x all axes of another tree."""
    return expanded(x, [(a, s) for a, s in like.type.axes if not x.type.has(a)])


def zeros(like: Node) -> Node:
    """Give 0 over the axes of a tree."""
    return expanded(number(0.0), like.type.axes)


def is_number(node: Node, value: float) -> bool:
    found = node.value
    return found is not None and not isinstance(found, bool) and bool(found == value)


def is_expanded(node: Node) -> bool:
    """Say whether a tree is repeated along an axis whose size is known."""
    return node.name == "expand" and len(node.operands) == 2


def filled_with(node: Node) -> Node | None:
    """Give the number that a tree is everywhere, if it is one."""
    while node.name == "expand":
        node = node.operands[0]
    return None if node.value is None else node


def is_filled(node: Node, value: float) -> bool:
    """Say whether a tree is this number everywhere."""
    found = filled_with(node)
    return found is not None and is_number(found, value)


def identity_axes(node: Node) -> tuple[str, str] | None:
    """Give the two axes of an identity: 1 where their indices agree, else 0."""
    if node.name != "where":
        return None
    condition, yes, no = node.operands
    if condition.name != "eq" or not is_number(yes, 1) or not is_number(no, 0):
        return None
    if any(o.name != "iota" for o in condition.operands):
        return None
    row, col = [o.type.names[0] for o in condition.operands]
    return (row, col) if row != col else None


def factors(node: Node, kept: Set[Node]) -> list[Node]:
    """List the factors of a product; nodes of the function itself are not split."""
    if node.name == "mul" and node not in kept:
        return [f for o in node.operands for f in factors(o, kept)]
    return [node]


def _cancelled(parts: Sequence[Node], kept: Set[Node]) -> list[Node] | None:
    """Drop a factor that another one divides by."""
    for part in parts:
        if part.name == "div" and part not in kept and part.operands[1] in parts:
            left = without(without(parts, part), part.operands[1])
            return [*left, part.operands[0]]
    return None


def _gathered(parts: Sequence[Node]) -> list[Node]:
    """Multiply factors into another one that has all their axes."""
    found: list[Node] = []
    for part in sorted(parts, key=lambda p: -len(p.type.axes)):
        own = set(part.type.names)
        at = next((i for i, p in enumerate(found) if own <= set(p.type.names)), None)
        if at is None or len(found) < 2:
            found.append(part)
        else:
            found[at] = op("mul", found[at], part)
    return found


def _scaled(node: Node) -> tuple[Any, Node]:
    """Split off the number at the start of a product."""
    if node.name == "mul":
        a, b = node.operands
        if a.value is not None and b.value is None:
            return a.value, b
        if b.value is not None and a.value is None:
            return b.value, a
    return None, node


def _chosen(value: Node, other: Node) -> Node:
    return other if value.value else number(0.0)


def _put(node: Node, old: Node, new: Node) -> list[Node]:
    """Give the operands with one of them replaced, once."""
    at = node.operands.index(old)
    return [new if i == at else o for i, o in enumerate(node.operands)]


def _without(node: Node, axis: str) -> Node | None:
    """Give a tree without an axis along which it is only repeated; None if it depends on the axis."""
    if not is_expanded(node):
        return node if not node.type.has(axis) else None
    inner, size = node.operands
    if node.operation.params == (axis,):
        return inner
    found = _without(inner, axis) if inner.type.has(axis) else None
    return None if found is None else apply_node(node.operation, (found, size))


def _but(axes: tuple[str, ...], axis: str) -> tuple[str, ...]:
    return tuple([a for a in axes if a != axis])


def _counts(a: Node, node: Node) -> bool:
    """Say whether a tree can replace its product with 1, which may have another kind."""
    return _same_axes(a, node) and a.type.kind != "bool" and not a.type.host


def _same_axes(a: Node, b: Node) -> bool:
    return set(a.type.names) == set(b.type.names)
