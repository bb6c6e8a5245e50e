"""Give the shapes and sizes of values."""

from __future__ import annotations

from typing import Any

from namedtensor.latex.evaluation.indices import plain
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.syntax import At, Indexed, Number
from namedtensor.primitives import Node, Type
from namedtensor.tensor import NamedTensor, SymbolicTensor


def type_of(value: Value) -> Type | None:
    """Give the shape of a value; None for UNKNOWN and for functions.

    >>> type_of(3)
    Type(axes=(), kind='float', host=True, weak=False, open=False)
    """
    node = node_of(value)
    if node is not None:
        return node.type
    whole = plain(value)
    if isinstance(whole, (bool, int, float, complex)):
        return Type((), host=True)
    if isinstance(whole, NamedTensor):
        return Type(tuple(whole.sizes), whole.kind)
    return None


def node_of(value: Value) -> Node | None:
    """Give the tree of a value, or None."""
    if value is UNKNOWN:
        return None
    whole = plain(value)
    return whole.node if isinstance(whole, SymbolicTensor) else None


def as_size(value: Value) -> Any:
    """Turn a value into a size, an int or a node; None if it is neither."""
    if value is UNKNOWN:
        return None
    whole = plain(value)
    if isinstance(whole, SymbolicTensor):
        return whole.node if whole.node.type.host else None
    return whole if isinstance(whole, int) and not isinstance(whole, bool) else None


def open_size(size: Any) -> Any:
    """Turn a size into a value for the evaluator: a number, a symbolic tensor, or None."""
    return SymbolicTensor(size) if isinstance(size, Node) else size


def is_first(target: Indexed) -> bool:
    """Say whether a definition gives a single element, as the start of a recurrence: H_{seq(0)} = 0."""
    return any(isinstance(i, At) and isinstance(i.at, Number) for i in target.items)
