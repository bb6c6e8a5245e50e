"""A view of a tensor: the axes that go down and across, the records shown, and the words at their indices.

Every display reads a tensor through its view. Only the records that are shown are ever copied.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from namedtensor.axes import shown
from namedtensor.backends.lazy import np
from namedtensor.plans import LIBRARY_ERRORS
from namedtensor.shape import Shape

UNREADABLE = "its numbers cannot be read"
_LETTERS = 40  # of a word at an axis
_SAMPLE = 1_000_000  # numbers that statistics read


@dataclass(frozen=True)
class View:
    """One way to look at a tensor: `rows` go down, `columns` across, each record of `outer` has a table.

    `words` are what stands at an axis in place of its indices.
    """

    X: Any
    rows: str | None
    columns: str | None
    outer: tuple[str, ...] = ()
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def sizes(self) -> dict[str, int]:
        return dict(self.X.sizes)

    @property
    def inner(self) -> tuple[str, ...]:
        return tuple([name for name in (self.rows, self.columns) if name is not None])

    @property
    def title(self) -> str:
        """The line above the numbers: seq[2] x emb[2], float64 torch."""
        sizes = self.sizes
        shape = str(Shape.of([(name, sizes[name]) for name in (*self.outer, *self.inner)]))
        kind = kind_in_words(self.X)
        return f"{shape}, {kind}" if sizes else kind

    @property
    def empty(self) -> str:
        """Name the axes of size 0, if there are any."""
        return ", ".join(f"{shown(name)}[0]" for name, size in self.X.sizes if not size)

    def records(self, most: int) -> tuple[list[dict[str, int]], int]:
        """Give the first and last records of the outer axes, and how many are left out."""
        sizes = [self.sizes[name] for name in self.outer]
        count = math.prod(sizes)
        places = ends(count, most)
        found = [dict(zip(self.outer, _unravelled(place, sizes), strict=True)) for place in places]
        return found, count - len(found)

    def where(self, record: Mapping[str, int]) -> str:
        """Write a record of the outer axes: head(0), batch(1)."""
        return ", ".join(f"{shown(name)}({self.label(name, i)})" for name, i in record.items())

    def label(self, axis: str, i: int) -> str:
        """Give what stands at one index of an axis: its word, or the index itself."""
        words = self.words.get(axis)
        if words is None:
            return str(i)
        word = words[i]
        return word if len(word) <= _LETTERS else word[: _LETTERS - 1] + "…"

    def labels(self, axis: str, indices: Sequence[int]) -> list[str]:
        return [self.label(axis, i) for i in indices]

    def numbers(
        self, record: Mapping[str, int], rows: Sequence[int], columns: Sequence[int]
    ) -> Any:
        """Give one record's numbers as a numpy array of rows and columns, or None out of reach."""
        kept: dict[str, Sequence[int]] = {name: [i] for name, i in record.items()}
        kept |= dict(zip(self.inner, (rows, columns)[2 - len(self.inner) :], strict=True))
        data = numbers_at(self.X, [kept[name] for name in self.X.axes])
        if data is None:
            return None
        order = [self.X.axes.index(name) for name in (*record, *self.inner)]
        return data.transpose(order).reshape(
            [len(rows) if self.rows else 1, len(columns) if self.columns else 1]
        )


def view_of(X: Any) -> View:
    """Look at a tensor in its reader's order: that of a formula's result, or in which it was made."""
    order = X.reading_order
    return View(
        X,
        order[-2] if len(order) > 1 else None,
        order[-1] if order else None,
        tuple(order[:-2]),
    )


def _unravelled(place: int, sizes: Sequence[int]) -> list[int]:
    """Give the indices of a record by its number; counts may be larger than any machine's integer."""
    found = []
    for size in reversed(sizes):
        place, i = divmod(place, size)
        found.append(i)
    return found[::-1]


def kind_in_words(X: Any) -> str:
    """Write dtype, library and device: float32 torch cuda:0, requires_grad."""
    library = X.layout.backend.name
    words = [str(X.dtype).removeprefix("torch.")]
    if library != "numpy":
        words += [library] if str(X.device) == "cpu" else [library, str(X.device)]
    return ", ".join([" ".join(words), *(["requires_grad"] if X.requires_grad else [])])


# ------------------------------------------------------------------------------------ reading

#: What libraries raise for numbers that cannot be read: on meta, sparse, under vmap, fake.
OUT_OF_REACH = (*LIBRARY_ERRORS, AssertionError)


def numbers_at(X: Any, keep: Sequence[Sequence[int]]) -> Any:
    """Give some numbers of each stored axis as a numpy array, or None where they are out of reach.

    Only these are copied from a device. Dtypes that numpy lacks come as float32.
    """
    data = X.data
    try:
        if any(len(kept) < size for kept, (_, size) in zip(keep, X.sizes, strict=True)):
            data = data[tuple([kept[0] if len(kept) == 1 else slice(None) for kept in keep])]
            data = data[np.ix_(*[kept for kept in keep if len(kept) > 1])]
            data = data.reshape([len(kept) for kept in keep])
        return _as_numpy(X, data)
    except OUT_OF_REACH:
        return None


def _as_numpy(X: Any, data: Any) -> Any:
    if str(data.dtype).startswith(("torch.bfloat16", "torch.float8")):
        data = data.float()
    return X.layout.backend.function("numpy_of")(data)


def sampled(X: Any) -> tuple[Any, bool]:
    """Give all numbers of a tensor, or evenly many of each axis where it has too many; and which."""
    sizes = [size for _, size in X.sizes]
    steps = [1] * len(sizes)
    while math.prod(-(-n // s) for n, s in zip(sizes, steps, strict=True)) > _SAMPLE:
        place = max(range(len(sizes)), key=lambda i: -(-sizes[i] // steps[i]))
        steps[place] *= 2
    try:
        data = X.data
        if max(steps, default=1) > 1:
            data = data[tuple([slice(None, None, step) for step in steps])]
        return _as_numpy(X, data), max(steps, default=1) == 1
    except OUT_OF_REACH:
        return None, True


def ends(size: int, most: int) -> Sequence[int]:
    """Give the indices of an axis to show: all of them, or the first and last of too many.

    >>> ends(3, 4), ends(100, 4)
    (range(0, 3), [0, 1, 98, 99])
    """
    first = (most + 1) // 2
    return range(size) if size <= most else [*range(first), *range(size - most + first, size)]


def shortened(size: int, most: int) -> Sequence[int]:
    """Give the indices to show where dots that stand for one index would save no room.

    >>> shortened(5, 4), shortened(6, 4)
    (range(0, 5), [0, 1, 4, 5])
    """
    return ends(size, most) if size > most + 1 else range(size)


def spread(size: int, most: int) -> Sequence[int]:
    """Give at most so many indices of an axis, evenly spread over it.

    >>> spread(3, 4), spread(100, 4)
    (range(0, 3), [0, 25, 50, 75])
    """
    return range(size) if size <= most else [i * size // most for i in range(most)]


def gap(indices: Sequence[int]) -> int | None:
    """Say before which of the indices some are left out."""
    jumps = [place for place, (i, j) in enumerate(pairwise(indices), 1) if j != i + 1]
    return jumps[0] if jumps else None


def with_gap(parts: list[str], indices: Sequence[int]) -> list[str]:
    """Put an ellipsis where indices are left out."""
    at = gap(indices)
    return parts if at is None else [*parts[:at], "…", *parts[at:]]


# ------------------------------------------------------------------------------------ writing


def written(numbers: Any) -> Any:
    """Write numbers with as many decimals each, in an array of their shape.

    Only a number too small for these decimals, or very large, gets an exponent.

    >>> import numpy as np
    >>> written(np.array([0.5, 1.25, 1e-9])).tolist()
    ['0.50', '1.25', '1e-09']
    """
    flat = numbers.reshape(-1)
    if flat.dtype.kind == "c":
        real, imag = _floats(flat.real), _floats(flat.imag)
        words = [
            f"{re}{'' if im[0] in '-n' and im != 'nan' else '+'}{im}j"
            for re, im in zip(real, imag, strict=True)
        ]
    elif flat.dtype.kind == "f":
        words = _floats(flat)
    else:
        words = [str(number) for number in flat.tolist()]
    found = np.empty(len(words), dtype=object)
    found[:] = words
    return found.reshape(numbers.shape)


def _floats(numbers: Any) -> list[str]:
    numbers = numbers.astype(np.float64)
    size = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    largest = float(size.max()) if size.size else 1.0
    most = _decimals(largest)
    low = 10.0**-most if most else 1.0 if largest >= 1e4 else math.inf
    plain = [x for x in numbers.tolist() if _is_plain(x, low)]
    decimals = next(d for d in range(most + 1) if all(round(x, d) == round(x, most) for x in plain))
    return [f"{x:.{decimals}f}" if _is_plain(x, low) else _exponent(x) for x in numbers.tolist()]


def _decimals(largest: float) -> int:
    """Choose how many decimals numbers up to this size need at most; 0 where all are tiny."""
    if largest >= 1e4:
        return 1
    if largest >= 1e-1:
        return 4
    return 5 if largest >= 1e-2 else 6 if largest >= 1e-3 else 0


def _is_plain(x: float, low: float) -> bool:
    return math.isfinite(x) and (x == 0 or low <= abs(x) < 1e7)


def _exponent(x: float) -> str:
    if not math.isfinite(x):
        return str(x)
    mantissa, _, power = f"{x:.3e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{power}"


def wide(text: str) -> int:
    """Count the columns of a terminal that a text takes."""
    marks = [unicodedata.combining(letter) != 0 for letter in text]
    double = [unicodedata.east_asian_width(letter) in "WF" for letter in text]
    return len(text) - sum(marks) + sum(double)


def chunks(parts: Sequence[Any], most: int) -> Iterator[Sequence[Any]]:
    """Give parts in groups of at most so many."""
    for first in range(0, len(parts), most):
        yield parts[first : first + most]
