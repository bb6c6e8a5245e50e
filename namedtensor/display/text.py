"""A named tensor as text: its axes and sizes before its numbers, and names at its rows and columns."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

from namedtensor.axes import shown
from namedtensor.backends.lazy import np
from namedtensor.display.view import (
    UNREADABLE,
    View,
    ends,
    gap,
    kind_in_words,
    shortened,
    view_of,
    wide,
    with_gap,
    written,
)

_ROWS = 20  # of one table; several share twice as many
_TABLES = 4
_PLAIN = ("float64", "int64", "bool", "complex128")  # what a number of Python is
_BETWEEN = "  "


def text(X: Any) -> str:
    """Write a tensor: its shape and dtype, then its numbers, shortened where there is no room.

    >>> import namedtensor as nt
    >>> nt.tensor([[1, 2], [3, 4]], "seq emb")
    NamedTensor(seq[2] x emb[2], int64)
          emb
            0  1
    seq 0   1  2
        1   3  4
    """
    return text_of(view_of(X))


def text_of(view: View, tables: int = _TABLES) -> str:
    """Write a view of a tensor for a terminal of this width."""
    if not view.sizes:
        return f"NamedTensor({_single(view)})"
    lines = [f"NamedTensor({view.title})"]
    if view.empty:
        return "\n".join([*lines, f"no numbers along {view.empty}"])
    records, left = view.records(tables)
    most = max(4, 2 * _ROWS // len(records)) if len(records) > 1 else _ROWS
    rows = shortened(view.sizes[view.rows], most) if view.rows else range(1)
    width = shutil.get_terminal_size((80, 24)).columns
    columns = ends(view.sizes[view.columns or ""], max(2, width // (1 + len(_BETWEEN))))
    found = [view.numbers(record, rows, columns) for record in records]
    if any(part is None for part in found):
        return "\n".join([*lines, f"({UNREADABLE})"])
    cells = written(np.stack(found))
    for record, part in zip(records, cells, strict=True):
        lines += [view.where(record)] if record else []
        lines += _grid(view, rows, columns, part, width)
    return "\n".join([*lines, f"and {left:,} more of these tables"] if left else lines)


def _single(view: View) -> str:
    """Write the one number of a tensor without axes, and its dtype unless Python's numbers are so."""
    kind = kind_in_words(view.X)
    data = view.numbers({}, range(1), range(1))
    if data is None:
        return f"{kind}: {UNREADABLE}"
    number = data.reshape(())[()]
    words = repr(number.item()) if kind in _PLAIN else str(number)
    return words if kind in _PLAIN else f"{words}, {kind}"


def _grid(
    view: View, rows: Sequence[int], columns: Sequence[int], cells: Any, width: int
) -> list[str]:
    """Write one table, with as many of its first and last columns as the terminal has room for."""
    name = view.columns or ""
    side = _side(view, rows)
    lines = [view.labels(name, columns), *cells.tolist()]
    at = gap(rows)
    if at is not None:
        lines.insert(1 + at, ["⋮"] * len(columns))
    widths = [max(map(wide, column)) for column in zip(*lines, strict=True)]
    indent = max(map(wide, side))
    kept = _fitting(widths, width - indent, len(columns) == view.sizes[name])
    found = [
        _BETWEEN.join(
            with_gap([_right(line[i], widths[i]) for i in kept], [columns[i] for i in kept])
        )
        for line in lines
    ]
    if view.rows is not None:
        side = [" " * indent, *side]
        found = [shown(name), *found]
        side = [" " * indent, *side]
    return [
        (left + " " * (indent - wide(left)) + _BETWEEN + right).rstrip()
        for left, right in zip(side, found, strict=True)
    ]


def _side(view: View, rows: Sequence[int]) -> list[str]:
    """Write what stands to the left of the numbers: the rows' axis, and each row's index."""
    if view.rows is None:
        return [shown(view.columns or ""), ""]
    labels = view.labels(view.rows, rows)
    at = gap(rows)
    if at is not None:
        labels.insert(at, "⋮")
    across = max(map(wide, labels))
    name = shown(view.rows)
    names = [name, *[" " * wide(name)] * (len(labels) - 1)]
    return [f"{n} {_right(label, across)}" for n, label in zip(names, labels, strict=True)]


def _fitting(widths: Sequence[int], room: int, whole: bool) -> Sequence[int]:
    """Choose all columns, or the first and last ones for which there is room; never fewer than two."""
    takes = [width + len(_BETWEEN) for width in widths]
    if whole and sum(takes) <= room:
        return range(len(widths))
    room -= 1 + len(_BETWEEN)
    most = len(widths) if not whole else len(widths) - 1
    for count in range(most, 2, -1):
        kept = ends(len(widths), count)
        if sum(takes[i] for i in kept) <= room:
            return kept
    return ends(len(widths), 2)


def _right(text: str, width: int) -> str:
    return " " * (width - wide(text)) + text
