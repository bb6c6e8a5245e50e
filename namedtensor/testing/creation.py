"""Tensors from nothing but a shape."""

from __future__ import annotations

from collections.abc import Callable

from namedtensor.testing.records import Number, RecordTensor, Sizes, index_of, tabulate


def full(shape: Sizes, value: Number) -> RecordTensor:
    """One number at every record."""
    return tabulate(shape, lambda r: value)


def iota(axis: str, size: int) -> RecordTensor:
    """The index itself: iota_{ax(i)} = i."""
    return tabulate({axis: size}, lambda r: index_of(r, axis))


def define(shape: Sizes, number: Callable[..., Number]) -> RecordTensor:
    """A number for each record, told from its indices in the order of the shape's axes."""
    return tabulate(shape, lambda r: number(*[index_of(r, axis) for axis in shape]))


CREATION: dict[str, Callable[..., RecordTensor]] = {
    "zeros": lambda shape: full(shape, 0.0),
    "ones": lambda shape: full(shape, 1.0),
    "full": full,
    "iota": iota,
    "define": define,
}
