"""Positions: whole numbers that are places on an axis.

The notation counts from 1, and data counts from 0. A position is kept as a sum, as in seq(i + j - 1), so
that the 1 between both counts cancels: the index i of a formula is the axis's counter plus 1, and an
element of an integer tensor I, as an index, is its number plus 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.axes import BOUND, shown, unused
from namedtensor.errors import AxisSizeError
from namedtensor.formula.rewrite.renames import push_renames
from namedtensor.operations.elementwise import ADD, NEG, SUB
from namedtensor.operations.indexing import AT, INDEX, from_front
from namedtensor.operations.joining import CONCAT, STACK
from namedtensor.operations.recurrence import SCAN
from namedtensor.operations.reductions import argmax_index, argmin_index
from namedtensor.operations.renaming import RENAME
from namedtensor.operations.step_trees import Step, remade
from namedtensor.operations.vectors import ARGMAX, ARGMIN
from namedtensor.primitives import Node, Type, table
from namedtensor.primitives.node import (
    ARGUMENT,
    NUMBER,
    SIZE,
    apply_node,
    make_node,
    operands_first,
)
from namedtensor.primitives.sizes import OPERATORS, as_node
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.symbolic import tracing

_serial = itertools.count()


class Index:
    """An index that a formula binds: the i of P_{seq(i)} = ..., or of sum_{i=1}^n.

    It runs along a hidden axis of its own. Its range may be `open` until the index is used: X_{seq(i)}
    gives i the range of seq, and `home` is the name of the first such axis. An index `follows` if the
    end of its range depends on another index, as in l = 1, ..., n - i. `first` and `last` are such ends,
    from 0. `shifts` says how far beyond the index its formula looks along an axis, 2 for X_{seq(i+2)}.
    """

    __slots__ = ("axis", "first", "follows", "home", "last", "open", "shifts", "size")

    def __init__(self, letter: str, size: Any = None) -> None:
        self.axis = f"{letter}{BOUND}{next(_serial)}"
        self.size = size
        self.open = size is None
        self.follows = False
        self.first: Position | None = None
        self.last: Position | None = None
        self.home: str | None = None
        self.shifts: dict[str, int] = {}

    def counter(self) -> Any:
        """Make the tensor 0, 1, ... along the index's axis."""
        operation = table()["iota"](self.axis)
        if self.size is None:
            type_ = Type(((self.axis, None),), "int", weak=True)
            return SymbolicTensor(make_node(operation, (), type_))
        size = getattr(self.size, "node", self.size)
        return SymbolicTensor(apply_node(operation, (as_node(size),)))


Term = Index | Any


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A sum of bound indices, integer tensors and sizes, each with a whole factor, and a constant.

    `written` holds the numbers as the formula computes them, if that is not the sum itself.
    """

    terms: tuple[tuple[Term, int], ...]
    constant: int = 0
    written: Any = None

    def plus(self, other: Position, times: int = 1) -> Position:
        """Add another position, times a factor; a number of data added to an index is a distance."""
        mine, its = self.beside(other), other.beside(self)
        terms = list(self.terms)
        for term, count in other.terms:
            for place, (known, before) in enumerate(terms):
                if same(known, term):
                    terms[place] = (known, before + times * count)
                    break
            else:
                terms.append((term, times * count))
        kept = tuple([t for t in terms if t[1] != 0])
        return Position(kept, mine + times * its)

    def beside(self, other: Position) -> int:
        """Give the constant to add or multiply by; data counts from 0 only if it is an index by itself."""
        data = isinstance(self.written, int) and bool(other.terms)
        return self.written if data else self.constant

    def as_written(self, numbers: Any) -> Position:
        """Keep the numbers as the formula computes them."""
        return Position(self.terms, self.constant, numbers)

    @property
    def index(self) -> Index | None:
        """The bound index, if this is one index plus a constant; else None."""
        if len(self.terms) == 1 and self.terms[0][1] == 1:
            term = self.terms[0][0]
            return term if isinstance(term, Index) else None
        return None

    @property
    def direct(self) -> bool:
        """Say whether this is one index or integer tensor itself, and nothing is added to it."""
        single = len(self.terms) == 1 and self.terms[0][1] == 1
        return single and self.constant == 1 and self.written is None

    @property
    def may_be_below_zero(self) -> bool:
        """Say whether this may be negative, as -i or i - 2; a sum with a size, n - i, counts as not."""
        indices = [count for term, count in self.terms if isinstance(term, Index)]
        added = any(n > 0 for term, n in self.terms if not isinstance(term, Index))
        taken = self.constant < 0 or any(n < 0 for _, n in self.terms)
        return bool(indices) and taken and not added

    @property
    def may_lie_before(self) -> bool:
        """Say whether data may put this before the first element: k - 1 or n - k, with k from data."""
        data = [term for term, _ in self.terms if _is_data(term)]
        taken = self.constant < 1 or any(n < 0 for _, n in self.terms)
        return bool(data) and (taken or any(map(_is_computed, data)))

    @property
    def may_wrap(self) -> bool:
        """Say whether this may lie before the first element, where it must not count from the end.

        t - i of two indices may; |seq| - i + 1 may not if i runs up to |seq|.
        """
        if self.may_lie_before or not any(isinstance(term, Index) for term, _ in self.terms):
            return self.may_lie_before
        least = self.constant - 1
        sizes = [term for term, n in self.terms if n > 0 and not isinstance(term, Index)]
        for term, n in self.terms:
            if n < 0:
                size = term.size if isinstance(term, Index) else None
                known = [s for s in sizes if size is None or equal(s, size)]
                if n < -1 or not isinstance(term, Index) or not known:
                    return True
                sizes.remove(known[0])
                least += 1
        return least < 0

    @property
    def numbers(self) -> Any:
        """The numbers as a tensor, a size, or a Python number."""
        return _added(self.terms, self.constant) if self.written is None else self.written

    @property
    def from_zero(self) -> Any:
        """The numbers minus 1: the position as data counts it."""
        return _added(self.terms, self.constant - 1)


def _is_data(term: Term) -> bool:
    node = getattr(term, "node", None)
    here = (
        isinstance(term, NamedTensor) and node is None
    )  # a call that failed is run again on its data
    return here or (node is not None and not node.type.host and not node.type.weak)


def comes_from_data(value: Any) -> bool:
    """Say whether a value is a tensor of whole numbers that are made of data, and is no position."""
    return isinstance(value, NamedTensor) and value.kind == "int" and _is_data(value)


def holds_data(value: Any) -> bool:
    """Say whether a value is an index that comes from data."""
    return isinstance(value, Position) and any(_is_data(term) for term, _ in value.terms)


def _is_computed(term: Any) -> bool:
    """Say whether a number of data may come from a subtraction, as k - 1 where m(c) gets it for c."""
    node = getattr(term, "node", None)
    if node is None:
        return True  # for data it is not known
    if node.operation is ADD:
        return any(_is_computed(SymbolicTensor(o)) for o in node.operands)
    value = node.value
    return node.operation in (SUB, NEG) or (isinstance(value, int) and value < 0)


def bound(index: Index) -> Position:
    """Give the value of a bound index: 1, 2, ..."""
    return Position(((index, 1),), 1)


def _added(terms: Any, constant: int) -> Any:
    """Add up terms, those with a negative factor last."""
    total: Any = None
    for term, count in sorted(terms, key=lambda t: t[1] < 0):
        value = term.counter() if isinstance(term, Index) else term
        if abs(count) != 1:
            value = value * abs(count)
        if total is None:
            total = value if count > 0 else -value
        else:
            total = total + value if count > 0 else total - value
    if total is None:
        return constant
    if constant == 0:
        return total
    return total + constant if constant > 0 else total - -constant


def same(a: Term, b: Term) -> bool:
    """Say whether two terms are the same object."""
    node = getattr(a, "node", None)
    return a is b or (node is not None and node is getattr(b, "node", None))


def equal(a: Any, b: Any) -> bool:
    """Say whether two sizes are equal; a symbolic size equals only itself."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return not isinstance(a, int) and not isinstance(b, int) and same(a, b)


def is_whole(value: Any) -> bool:
    """Say whether a value consists of whole numbers."""
    if isinstance(value, Position):
        return True
    if isinstance(value, NamedTensor):
        return value.kind == "int"
    return isinstance(value, int) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Say whether a value is a whole number of Python or a size."""
    if isinstance(value, NamedTensor):
        return value.kind == "int" and hasattr(value, "node") and bool(value.node.type.host)
    return isinstance(value, int) and not isinstance(value, bool)


def position(value: Any) -> Position:
    """Turn whole numbers into a position."""
    if isinstance(value, Position):
        return value
    return Position((), value) if isinstance(value, int) else Position(((value, 1),))


def one_based(tensor: Any) -> Position:
    """Turn indices in data, which count from 0, into a position, which counts from 1."""
    return Position((), tensor + 1) if isinstance(tensor, int) else Position(((tensor, 1),), 1)


def counted_from_zero(number: int) -> Position:
    """Make a position of a number that is data: as an index it counts from 0, like an integer tensor.

    >>> counted_from_zero(2).numbers, counted_from_zero(2).from_zero
    (2, 2)
    """
    return Position((), number + 1, number)


def zero_based(value: Any) -> Any:
    """Turn a position into an index for data, which counts from 0; negative numbers count from the end.

    A tensor of data counts from 0 already; a tensor that is defined by its indices counts from 1, and so
    do ranks and numbers that a formula counts.
    """
    if isinstance(value, Position):
        return value.from_zero
    if isinstance(value, int):
        return value - 1 if value > 0 else value
    node = getattr(value, "node", None)
    if node is None or not (node.type.weak or _is_counted(node)):
        return value
    if node.name == "add" and node.operands[1].value == 1:
        return SymbolicTensor(node.operands[0])
    return value - 1


def _is_counted(node: Node) -> bool:
    """Say whether whole numbers are made of conditions and constants alone, and of no indices in data."""
    counted: dict[Node, bool] = {}
    for part in operands_first([node]):
        type_, operands = part.type, part.operands
        whole = [o for o in operands if o.type.kind != "bool"]
        counted[part] = (
            type_.host
            or type_.weak
            or part.value is not None
            or (type_.kind == "int" and bool(operands) and all(counted[o] for o in whole))
        )
    return counted[node]


def at_place(value: Any) -> Any:
    """Turn a position into an index for data; a position before the first element lies outside."""
    if isinstance(value, Position) and value.may_wrap:
        return from_front(value.from_zero)
    return zero_based(value)


def marked(value: Any) -> Any:
    """Give the index that a one-hot argmax marks, for use as an index, 1[argmax_ax p = i]; else None.

    The one-hot tensor may be renamed, or indexed along other axes.
    """
    node: Any = getattr(value, "node", None)
    around: list[Node] = []
    while node is not None and node.operation.primitive in (RENAME, INDEX, AT):
        around.append(node)
        node = node.operands[0]
    found_by = {ARGMAX: argmax_index, ARGMIN: argmin_index}
    marks = found_by.get(node.operation.primitive) if node is not None else None
    if marks is None or len(node.operation.params[0]) != 1:
        hot = None if node is None else _hot_along(value.node)
        return None if hot is None else one_based(argmax_index[hot](value))
    (axis,) = node.operation.params[0]
    index: Any = marks[axis](SymbolicTensor(node.operands[0]))
    found: Node = index.node
    for outer in reversed(around):
        params, operation = outer.operation.params, outer.operation
        if outer.operation.primitive is RENAME:
            pairs = dict(params[0])
            operation = RENAME(tuple([pair for pair in params[0] if pair[0] != axis]))
            axis = pairs.get(axis, axis)
        elif axis in (params[0] if outer.operation.primitive is INDEX else params):
            return None
        found = apply_node(operation, (found, *outer.operands[1:]))
    return one_based(SymbolicTensor(found))


def _hot_along(node: Node) -> str | None:
    """Give the axis along which members of a series are one-hot, as an argmax makes each of them."""
    operation = node.operation
    primitive, params = operation.primitive, operation.params
    if primitive in (ARGMAX, ARGMIN):
        return params[0][0] if len(params[0]) == 1 else None
    if primitive is SCAN:
        *_, step, place = params
        return _hot_along(step.results[place])
    if primitive in (STACK, CONCAT):
        first, *others = {_hot_along(operand) for operand in node.operands}
        return None if others or first == params[0] else first
    if primitive not in (RENAME, INDEX, AT):
        return None
    axis = _hot_along(node.operands[0])
    if axis is None or primitive is RENAME:
        return axis and dict(params[0]).get(axis, axis)
    return None if axis in (params[0] if primitive is INDEX else params) else axis


def plain(value: Any) -> Any:
    """Turn a value into one that operations take: of a position, its numbers."""
    return value.numbers if type(value) is Position else value  # a symbol is asked for its class


def counted(size: Any) -> Any:
    """Take quotients for whole numbers in a size that a formula gives as a number: N = L / 2 + 1."""
    if isinstance(size, float) and size.is_integer():
        return int(size)
    symbol = isinstance(size, SymbolicTensor) and size.kind == "float" and size.node.type.host
    found = _counted(size.node) if symbol else None
    return size if found is None else found


def _counted(node: Node) -> Any:
    """Compute a size again with whole numbers; None where something else is in it."""
    if node.operation.primitive is NUMBER:
        return int(node.value) if float(node.value).is_integer() else None
    if not node.operands:
        return SymbolicTensor(node, ()) if node.type.kind == "int" else None
    parts = [_counted(operand) for operand in node.operands]
    sign = node.operation.primitive.traits.symbol
    if any(part is None for part in parts) or len(parts) != 2 or sign not in ("/", *OPERATORS):
        return None
    return quotient(*parts) if sign == "/" else OPERATORS[sign](*parts)


def quotient(left: Any, right: Any) -> Any:
    """Divide two sizes, or whole numbers; the quotient must be whole where both are known."""
    asked = all(isinstance(v, int) for v in (left, right)) or tracing.get() is not None
    if asked and (right == 0 or int(left % right)):
        why = f"{left} does not divide by {right} to a whole number"
        raise AxisSizeError(f"{left} / {right}", why, hint="a size is a whole number")
    return left // right


def compared(a: Any, b: Any, compare: Callable[[Any, Any], Any]) -> Any:
    """Compare whole numbers; for two indices, i <= j, compare the counters from 0."""
    if isinstance(a, Position) and isinstance(b, Position) and a.direct and b.direct:
        return compare(a.from_zero, b.from_zero)
    return compare(plain(a), plain(b))


# ------------------------------------------------------------------------------------- hidden axes


def renamed(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Rename hidden axes; in an expression at its leaves, so that the hidden names are gone."""
    value = apply(RENAME(tuple(pairs)), value)
    if not isinstance(value, SymbolicTensor):
        return value
    (node,) = push_renames((value.node,))
    moved = _through_indices(node)
    if moved is not node:
        (node,) = push_renames((moved,))
    given = [axis for _, axis in pairs]
    return SymbolicTensor(node, (*given, *[a for a in node.type.names if a not in given]))


def _through_indices(root: Node) -> Node:
    """Move renamings through indexing: from the result to the tensor and its indices."""

    def moved(node: Node, operands: tuple[Node, ...]) -> Node:
        found = node if operands == node.operands else remade(node, operands)
        return _renamed_index(found) or found

    return _rebuilt(root, moved)


def _rebuilt(root: Node, change: Callable[[Node, tuple[Node, ...]], Node]) -> Node:
    """Rebuild a tree from its leaves; `change` gives a node on changed operands."""
    done: dict[Node, Node] = {}
    for node in operands_first([root]):
        done[node] = change(node, tuple([done[o] for o in node.operands]))
    return done[root]


def _renamed_index(node: Node) -> Node | None:
    """Rewrite (X_{seq(I)})_{i -> seq} as X_{seq(J)}, J = I_{i -> seq}; likewise with X_{seq(1)}."""
    if node.operation.primitive is not RENAME:
        return None
    pairs = dict(node.operation.params[0])
    inner = node.operands[0]
    if inner.operation.primitive not in (INDEX, AT):
        return None
    X, *indices = inner.operands
    used = (
        inner.operation.params[0] if inner.operation.primitive is INDEX else inner.operation.params
    )
    kept = [pairs.get(a, a) for a in X.type.names if a not in used]
    if any(name in used for name in kept):
        return None
    return apply_node(
        inner.operation,
        (_with_names(X, pairs, used), *[_with_names(i, pairs, ()) for i in indices]),
    )


def _with_names(node: Node, pairs: Mapping[str, str], but: Any) -> Node:
    own = tuple([(a, pairs[a]) for a in node.type.names if a in pairs and a not in but])
    return apply_node(RENAME(own), (node,)) if own else node


# ------------------------------------------------------------------------- what is left inside


def settled(value: Any) -> Any:
    """Give the hidden axes inside an expression, which are summed over or renamed, readable names."""
    if not isinstance(value, SymbolicTensor):
        return value
    names = dict.fromkeys([n for part in operands_first([value.node]) for n in part.type.names])
    hidden = [n for n in names if BOUND in n and not value.node.type.has(n)]
    if not hidden:
        return value
    taken = set(names)
    new: dict[str, str] = {}
    for name in hidden:
        letter = unused(shown(name), taken)
        taken.add(letter)
        new[name] = letter
    return SymbolicTensor(_rewritten(value.node, new), value.axes)


def _rewritten(root: Node, new: Mapping[str, str]) -> Node:
    def changed(node: Node, operands: tuple[Node, ...]) -> Node:
        params = _replaced(node.operation.params, new)
        leaf = node.operation.primitive in (ARGUMENT, SIZE)
        same = operands == node.operands and params == node.operation.params
        if same and not (leaf and any(name in new for name in node.type.names)):
            return node
        if leaf or node.name == "call":
            return make_node(node.operation.primitive(*params), operands, _with_new(node.type, new))
        if not operands:
            return _open_counter(node, new)
        return apply_node(node.operation.primitive(*params), operands)

    return _rebuilt(root, changed)


def _with_new(type_: Type, new: Mapping[str, str]) -> Type:
    sizes = [(a, _rewritten(s, new) if isinstance(s, Node) else s) for a, s in type_.axes]
    return type_.with_axes([(new.get(a, a), size) for a, size in sizes])


def _open_counter(node: Node, new: Mapping[str, str]) -> Node:
    """Rename the axis of a counter with an open size, the only other leaf that has a hidden axis."""
    pairs = tuple([(n, new[n]) for n in node.type.names if n in new])
    (found,) = push_renames((apply_node(RENAME(pairs), (node,)),))
    return found


def _replaced(params: Any, new: Mapping[str, str]) -> Any:
    if isinstance(params, tuple):
        return tuple([_replaced(p, new) for p in params])
    if isinstance(params, Step):
        leaves = tuple([_rewritten(leaf, new) for leaf in params.leaves])
        results = tuple([_rewritten(result, new) for result in params.results])
        return replace(params, leaves=leaves, results=results)
    return new.get(params, params) if isinstance(params, str) else params
