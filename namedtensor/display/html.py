"""Named tensors and shapes as plain HTML tables: axes and sizes first, then the numbers.

Static: no script, colours taken from the page around it, and at most a few hundred numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from namedtensor.axes import shown
from namedtensor.primitives.node import describe
from namedtensor.tensor.text import UNREADABLE, decimals, ends, numbers_at, title

_MOST = 8  # rows and columns of a table; where there are more, the middle is left out
_TABLES = 4
_RULE = 160  # letters of an index-defined tensor's rule
_COMPUTED = 1_000_000  # an index-defined tensor of more numbers than this stays an expression

_STYLE = (
    "<style>"
    ".namedtensor{color:currentColor;font-family:monospace}"
    ".namedtensor .shape{font-weight:bold}"
    ".namedtensor table{display:inline-table;width:auto;margin:.5em 2em .5em 0;"
    "border:0;border-collapse:collapse;font-size:inherit}"
    ".namedtensor caption{text-align:left;caption-side:top;padding:.1em .6em}"
    ".namedtensor tbody tr:nth-child(n){background:none}"
    ".namedtensor td,.namedtensor th{padding:.1em .6em;text-align:right;"
    "border:0 solid currentColor}"
    ".namedtensor th{font-weight:normal;opacity:.65}"
    ".namedtensor th.axis{text-align:center;font-style:italic;opacity:1}"
    ".namedtensor th.row{border-right-width:1px}"
    ".namedtensor th.column{border-bottom-width:1px}"
    "</style>"
)


def table(X: Any) -> str:
    """Write a tensor: shape and dtype, then the numbers.

    An index-defined tensor shows its rule, and its numbers where all its sizes are known.
    """
    if not hasattr(X, "node"):
        return _page(_shape(title(X)), *_tables(X))
    if X.node.type.host or not X.node.closed:
        return f"<pre>{escape(repr(X))}</pre>"
    rule = f"<div>= {escape(_rule(X.node))}</div>"
    if any(not isinstance(size, int) for _, size in X.node.type.axes):
        return _page(_shape(str(X.shape)), rule)
    if X.shape.count > _COMPUTED:
        return _page(_shape(str(X.shape)), rule, "<div>too many numbers to compute here</div>")
    return _page(_shape(title(X)), rule, *_tables(X))


def shape_table(shape: Any) -> str:
    """Write a shape: its axes in a row, their sizes below; a size yet to be met is open."""
    if not len(shape):
        return f"<pre>{escape(repr(shape))}</pre>"
    names = [_cell("th", "axis", shown(axis.name)) for axis in shape]
    sizes = [_cell("td", "", "open" if axis.size is None else str(axis.size)) for axis in shape]
    return _page(f"<table>{_line(names)}{_line(sizes)}</table>")


def _page(*parts: str) -> str:
    return f'<div class="namedtensor">{_STYLE}{"".join(parts)}</div>'


def _shape(head: str) -> str:
    return f'<div class="shape">{escape(head)}</div>'


def _rule(node: Any) -> str:
    """Write an expression as deep as fits."""
    rule, deeper = "", describe(node, 1)
    depth = 1
    while deeper != rule and (not rule or len(deeper) <= _RULE):
        depth += 1
        rule, deeper = deeper, describe(node, depth)
    return rule


def _tables(X: Any) -> list[str]:
    """Write the numbers: the last two stored axes span a table, each record of the others has one."""
    empty = [f"{shown(name)}[{size}]" for name, size in X.sizes if not size]
    if empty:
        return [f"<div>no numbers along {escape(', '.join(empty))}</div>"]
    outer, inner = X.sizes[:-2], X.sizes[-2:]
    kept = [ends(size, _MOST) for _, size in inner]
    sizes = [size for _, size in outer]
    places = ends(math.prod(sizes), _TABLES)
    records = [
        [int(i) for i in np.unravel_index(place, sizes)] if sizes else [] for place in places
    ]
    found = [numbers_at(X, [*([i] for i in record), *kept]) for record in records]
    if found[0] is None:
        return [f"<div>{UNREADABLE}</div>"]
    cells = _written(np.stack([part.reshape([len(k) for k in kept]) for part in found]))
    if not inner:
        return [f"<div>{cells.item()}</div>"]
    tables = []
    for record, part in zip(records, cells, strict=True):
        where = ", ".join(f"{shown(name)}({i})" for (name, _), i in zip(outer, record, strict=True))
        tables.append(_grid(where, [shown(name) for name, _ in inner], kept, part))
    left = math.prod(sizes) - len(tables)
    return [*tables, f"<div>and {left} more of these tables</div>"] if left else tables


def _grid(where: str, names: list[str], kept: list[Sequence[int]], cells: Any) -> str:
    """Write one table: the last axis across, the one before it, if there is one, down the side."""
    caption = f"<caption>{escape(where)}</caption>" if where else ""
    for place, indices in enumerate(kept):
        gap = _gap(indices)
        if gap is not None:
            cells = np.insert(cells, gap, "…", axis=place)
    labels = [_labels(indices) for indices in kept]
    corner = ["<th></th><th></th>"] if len(names) == 2 else []
    heads = [_cell("th", "column", label) for label in labels[-1]]
    lines = [
        _line([*corner, _cell("th", "axis", names[-1], f' colspan="{len(heads)}"')]),
        _line([*corner, *heads]),
    ]
    for i, row in enumerate(np.atleast_2d(cells)):
        side = []
        if len(names) == 2:
            if not i:
                side.append(_cell("th", "axis", names[0], f' rowspan="{len(labels[0])}"'))
            side.append(_cell("th", "row", labels[0][i]))
        lines.append(_line([*side, *(_cell("td", "", cell) for cell in row)]))
    return f"<table>{caption}{''.join(lines)}</table>"


def _labels(indices: Sequence[int]) -> list[str]:
    labels = [str(i) for i in indices]
    gap = _gap(indices)
    return labels if gap is None else [*labels[:gap], "…", *labels[gap:]]


def _gap(indices: Sequence[int]) -> int | None:
    """Say before which of the indices some are left out."""
    jumps = [place for place, (i, j) in enumerate(pairwise(indices), 1) if j != i + 1]
    return jumps[0] if jumps else None


def _line(cells: list[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, role: str, content: str, span: str = "") -> str:
    role = f' class="{role}"' if role else ""
    return f"<{tag}{role}{span}>{escape(content)}</{tag}>"


def _written(numbers: Any) -> Any:
    """Write numbers as numpy does, all with as many decimals, in an array of their shape."""
    line = np.array2string(
        numbers.reshape(-1),
        floatmode="maxprec_equal",
        separator=",",
        max_line_width=10**9,
        threshold=10**9,
        **decimals(numbers),
    )
    words = [word.strip().removesuffix(".") for word in line[1:-1].split(",")]
    return np.array(words, dtype=object).reshape(numbers.shape)
