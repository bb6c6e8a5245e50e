"""Positions: whole numbers that say where something stands on an axis.

The notation counts from 1, and data counts from 0. A position is kept as the sum that it is written
as, seq(i + j - 1), so that going from one to the other costs nothing and leaves no trace:
an index i along an axis is 1 more than the axis's counter, an index I in data 1 more than its number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.axes import BOUND, shown, unused
from namedtensor.formula.rewrite.renames import push_renames
from namedtensor.operations.elementwise import ADD, NEG, SUB
from namedtensor.operations.indexing import AT, INDEX, from_front
from namedtensor.operations.reductions import argmax_index, argmin_index
from namedtensor.operations.renaming import RENAME
from namedtensor.operations.step_trees import Step, remade
from namedtensor.operations.vectors import ARGMAX, ARGMIN
from namedtensor.primitives import Node, Type, table
from namedtensor.primitives.node import ARGUMENT, SIZE, apply_node, make_node, operands_first
from namedtensor.primitives.sizes import as_node
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply

_serial = itertools.count()


class Index:
    """An index that a formula binds: the i of P_{seq(i)} = ..., or of sum_{i=1}^n.

    It runs along a hidden axis of its own. Its range may be `open` until the index is used:
    X_{seq(i)} gives i the range of seq, and `home` remembers the name of the first such axis. The range
    of one that `follows` ends where another index says, l at n - i. `first` and `last` are ends that
    depend on others, from 0.
    """

    __slots__ = ("axis", "first", "follows", "home", "last", "open", "size")

    def __init__(self, letter: str, size: Any = None) -> None:
        self.axis = f"{letter}{BOUND}{next(_serial)}"
        self.size = size
        self.open = size is None
        self.follows = False
        self.first: Position | None = None
        self.last: Position | None = None
        self.home: str | None = None

    def counter(self) -> Any:
        """Give the numbers 0, 1, ... along the index's axis."""
        operation = table()["iota"](self.axis)
        if self.size is None:
            type_ = Type(((self.axis, None),), "int", weak=True)
            return SymbolicTensor(make_node(operation, (), type_))
        size = getattr(self.size, "node", self.size)
        return SymbolicTensor(apply_node(operation, (as_node(size),)))


Term = Index | Any


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """A sum of whole numbers: bound indices, integer tensors, sizes, each so many times, and a constant.

    `written` are its numbers computed as the formula says, where that is not the sum itself.
    """

    terms: tuple[tuple[Term, int], ...]
    constant: int = 0
    written: Any = None

    def plus(self, other: Position, times: int = 1) -> Position:
        """Add another position, so many times; a number in data that is added to an index is a distance."""
        mine, its = self._added_to(other), other._added_to(self)
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

    def _added_to(self, other: Position) -> int:
        """Give the constant; that of a number in data counts from 0 as an index alone."""
        data = isinstance(self.written, int) and bool(other.terms)
        return self.written if data else self.constant

    def as_written(self, numbers: Any) -> Position:
        """Keep how the formula computes it."""
        return Position(self.terms, self.constant, numbers)

    @property
    def index(self) -> Index | None:
        """The bound index that this is, but for a constant."""
        if len(self.terms) == 1 and self.terms[0][1] == 1:
            term = self.terms[0][0]
            return term if isinstance(term, Index) else None
        return None

    @property
    def direct(self) -> bool:
        """Say whether this is an index itself, which counts from 1 what data counts from 0."""
        single = len(self.terms) == 1 and self.terms[0][1] == 1
        return single and self.constant == 1 and self.written is None

    @property
    def may_be_below_zero(self) -> bool:
        """Say whether this is -i or i - 2 of an index i; where a size is added, n - i, it is not said."""
        indices = [count for term, count in self.terms if isinstance(term, Index)]
        added = any(n > 0 for term, n in self.terms if not isinstance(term, Index))
        taken = self.constant < 0 or any(n < 0 for _, n in self.terms)
        return bool(indices) and taken and not added

    @property
    def may_lie_before(self) -> bool:
        """Say whether data may put it before the first element: k - 1, or n - k, of a k in data."""
        data = [term for term, _ in self.terms if _is_data(term)]
        taken = self.constant < 1 or any(n < 0 for _, n in self.terms)
        return bool(data) and (taken or any(map(_is_computed, data)))

    @property
    def may_wrap(self) -> bool:
        """Say whether it may lie before the first element, and is not to count from the end there.

        That is t - i of two indices, and not |seq| - i + 1 of an i that runs up to |seq|.
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
        """The numbers less 1, as data counts."""
        return _added(self.terms, self.constant - 1)


def _is_data(term: Term) -> bool:
    node = getattr(term, "node", None)
    here = (
        isinstance(term, NamedTensor) and node is None
    )  # a call that failed is run again on its data
    return here or (node is not None and not node.type.host and not node.type.weak)


def _is_computed(term: Any) -> bool:
    """Say whether something is taken away in a sum: what is handed to m(c) as k - 1."""
    node = getattr(term, "node", None)
    if node is None:
        return True  # nobody knows any more where data comes from
    if node.operation is ADD:
        return any(_is_computed(SymbolicTensor(o)) for o in node.operands)
    value = node.value
    return node.operation in (SUB, NEG) or (isinstance(value, int) and value < 0)


def bound(index: Index) -> Position:
    """Give the value of a bound index: 1, 2, ..."""
    return Position(((index, 1),), 1)


def _added(terms: Any, constant: int) -> Any:
    """Add up terms, those that are taken away last."""
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
    """Say whether two terms are one thing."""
    node = getattr(a, "node", None)
    return a is b or (node is not None and node is getattr(b, "node", None))


def equal(a: Any, b: Any) -> bool:
    """Say whether two sizes are one; what is open is equal to itself alone."""
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    return not isinstance(a, int) and not isinstance(b, int) and same(a, b)


def is_whole(value: Any) -> bool:
    """Say whether a value is made of whole numbers."""
    if isinstance(value, Position):
        return True
    if isinstance(value, NamedTensor):
        return value.kind == "int"
    return isinstance(value, int) and not isinstance(value, bool)


def position(value: Any) -> Position:
    """Give whole numbers as a position."""
    if isinstance(value, Position):
        return value
    return Position((), value) if isinstance(value, int) else Position(((value, 1),))


def one_based(tensor: Any) -> Position:
    """Give indices in data, which count from 0, the meaning that a formula gives them."""
    return Position((), tensor + 1) if isinstance(tensor, int) else Position(((tensor, 1),), 1)


def counted_from_zero(number: int) -> Position:
    """Give a whole number that is data: as an index it counts from 0, as a tensor of indices does.

    >>> counted_from_zero(2).numbers, counted_from_zero(2).from_zero
    (2, 2)
    """
    return Position((), number + 1, number)


def zero_based(value: Any) -> Any:
    """Give positions as indices for data, which count from 0; numbers below 0 count from the end.

    A tensor with data counts from 0 already; one that is defined by its indices is a formula, and
    counts from 1.
    """
    if isinstance(value, Position):
        return value.from_zero
    if isinstance(value, int):
        return value - 1 if value > 0 else value
    node = getattr(value, "node", None)
    if node is None or not node.type.weak:
        return value
    if node.name == "add" and node.operands[1].value == 1:
        return SymbolicTensor(node.operands[0])
    return value - 1


def at_place(value: Any) -> Any:
    """Give an index for data, which counts from 0; one before the first element lies outside."""
    if isinstance(value, Position) and value.may_wrap:
        return from_front(value.from_zero)
    return zero_based(value)


def marked(value: Any) -> Any:
    """Give the index that argmax marks, where it stands for one: 1[argmax_ax p = i]; None for all else.

    The one-hot tensor may be renamed, or be an element of several.
    """
    node: Any = getattr(value, "node", None)
    around: list[Node] = []
    while node is not None and node.operation.primitive in (RENAME, INDEX, AT):
        around.append(node)
        node = node.operands[0]
    found_by = {ARGMAX: argmax_index, ARGMIN: argmin_index}
    marks = found_by.get(node.operation.primitive) if node is not None else None
    if marks is None or len(node.operation.params[0]) != 1:
        return None
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


def plain(value: Any) -> Any:
    """Give a value that the library's operations take."""
    return value.numbers if isinstance(value, Position) else value


def compared(a: Any, b: Any, compare: Callable[[Any, Any], Any]) -> Any:
    """Compare whole numbers; of two indices, i <= j, the counters are compared."""
    if isinstance(a, Position) and isinstance(b, Position) and a.direct and b.direct:
        return compare(a.from_zero, b.from_zero)
    return compare(plain(a), plain(b))


# ------------------------------------------------------------------------------------- hidden axes


def renamed(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Rename hidden axes, in an expression at its leaves, so that no trace of them is left."""
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
    """Rename the axes of what indexes, where what is indexed is renamed."""

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
    """Give (X_{seq(I)})_{i -> seq} as X_{seq(J)}, with J = I_{i -> seq}; X_{seq(1)} likewise."""
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
    """Give hidden axes that are left inside an expression names that a reader knows.

    They are inside: summed over or renamed, and no axes of the expression itself.
    """
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
    """Rename a counter whose size is open; no other leaf has a hidden axis."""
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
