"""Named tensors and shapes as plain HTML tables: axes and sizes first, then the numbers.

Static: no script, colours taken from the page around it, and at most a few hundred numbers. A page that
is narrow scrolls each table sideways; its row labels stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from namedtensor.axes import shown
from namedtensor.backends.lazy import np
from namedtensor.display import heat
from namedtensor.display.view import (
    UNREADABLE,
    View,
    gap,
    shortened,
    view_of,
    with_gap,
    written,
)
from namedtensor.primitives.node import describe

_MOST = 8  # rows and columns of a table, or one more; of others the middle is left out
_TABLES = 4
_RULE = 160  # letters of an index-defined tensor's rule
_COMPUTED = 1_000_000  # an index-defined tensor of more numbers than this stays an expression

_STYLE = (
    "<style>"
    ".namedtensor{color:currentColor;font-family:monospace}"
    ".namedtensor .shape{font-weight:bold}"
    ".namedtensor .scroll{overflow-x:auto;max-width:100%}"
    ".namedtensor table{display:inline-table;width:auto;margin:.5em 2em .5em 0;"
    "border:0;border-collapse:separate;border-spacing:0;font-family:monospace;font-size:inherit}"
    ".namedtensor caption{text-align:left;caption-side:top;padding:.1em .6em}"
    ".namedtensor tbody tr:nth-child(n){background:none}"
    ".namedtensor td,.namedtensor th{padding:.1em .6em;text-align:right;white-space:nowrap;"
    "font-family:monospace;border:0 solid currentColor}"
    ".namedtensor th{font-weight:normal;opacity:.65}"
    ".namedtensor th.axis{text-align:center;font-style:italic;opacity:1}"
    ".namedtensor th.row{border-right-width:1px;position:sticky;left:0;"
    "backdrop-filter:blur(8px);opacity:1}"
    ".namedtensor th.column{border-bottom-width:1px}"
    ".namedtensor pre{margin:.3em 0;line-height:1.3}.namedtensor math{font-size:1.15em;text-align:left;"
    "font-family:'Latin Modern Math','STIX Two Math','Cambria Math','DejaVu Math TeX Gyre',math,serif}"
    ".namedtensor munder>:last-child{padding-top:.2em}"
    ".namedtensor svg{max-width:none;vertical-align:top;margin:.3em .5em .3em 0}"
    "</style>"
)


def table(X: Any) -> str:
    """Write a tensor: shape and dtype, then the numbers.

    An index-defined tensor shows its rule, and its numbers where all its sizes are known.
    """
    if not hasattr(X, "node"):
        view = view_of(X)
        return page(_shape(view.title), *_numbers(view))
    if X.node.type.host or not X.node.closed:
        return f"<pre>{escape(repr(X))}</pre>"
    rule = f"<div>= {escape(_rule(X.node))}</div>"
    if any(not isinstance(size, int) for _, size in X.node.type.axes):
        return page(_shape(str(X.shape)), rule)
    if X.shape.count > _COMPUTED:
        return page(_shape(str(X.shape)), rule, "<div>too many numbers to compute here</div>")
    view = view_of(X)
    return page(_shape(view.title), rule, *_numbers(view))


def shown_page(view: View) -> str:
    """Write what `nt.show` shows: maps with a scale, or the tables where there is nothing to colour."""
    maps = _maps(view) if view.inner else []
    return page(_shape(view.title), *(maps or _tables(view)))


def _maps(view: View, room: int = heat.MOST_BYTES) -> list[str]:
    figures = heat.figures_of(view.X)
    drawn = None if figures is None else heat.panels_of(view, figures, room)
    if figures is None or drawn is None:
        return []
    panels, left = drawn
    more = [f"<div>and {left:,} more of these maps</div>"] if left else []
    return [
        f'<div class="scroll">{"".join(panel.svg() for panel in panels)}</div>',
        *more,
        f"<div>{heat.scale_panel(figures).svg()}</div><div>{escape(figures.words)}</div>",
    ]


def shape_table(shape: Any) -> str:
    """Write a shape: its axes in a row, their sizes below; a size yet to be met is open."""
    if not len(shape):
        return f"<pre>{escape(repr(shape))}</pre>"
    names = [_cell("th", "axis", shown(axis.name)) for axis in shape]
    sizes = [_cell("td", "", "open" if axis.size is None else str(axis.size)) for axis in shape]
    return page(f"<table>{_line(names)}{_line(sizes)}</table>")


def page(*parts: str) -> str:
    """Put parts into one box with our style."""
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


def _numbers(view: View) -> list[str]:
    """Write the numbers; where a table has no room for all of them, a map of them stands above."""
    large = any(view.sizes[name] > _MOST + 1 for name in view.inner)
    tables = _tables(view)
    room = heat.MOST_BYTES - sum(map(len, tables))
    return [*(_maps(view, room) if large and len(view.inner) > 1 else []), *tables]


def _tables(view: View) -> list[str]:
    """Write the numbers: rows down, columns across, one table for each record of the other axes."""
    if view.empty:
        return [f"<div>no numbers along {escape(view.empty)}</div>"]
    records, left = view.records(_TABLES)
    rows, columns = [
        range(1) if name is None else shortened(view.sizes[name], _MOST)
        for name in (view.rows, view.columns)
    ]
    found = [view.numbers(record, rows, columns) for record in records]
    if any(part is None for part in found):
        return [f"<div>({UNREADABLE})</div>"]
    cells = written(np.stack(found))
    if not view.inner:
        return [f"<div>{cells.item()}</div>"]
    tables = [
        _grid(view, view.where(record), rows, columns, part)
        for record, part in zip(records, cells, strict=True)
    ]
    inside = f'<div class="scroll">{"".join(tables)}</div>'
    return [inside, f"<div>and {left:,} more of these tables</div>"] if left else [inside]


def _grid(view: View, where: str, rows: Sequence[int], columns: Sequence[int], cells: Any) -> str:
    """Write one table: the last axis across, the one before it, if there is one, down the side."""
    caption = f"<caption>{escape(where)}</caption>" if where else ""
    for place, indices in enumerate((rows, columns)):
        at = gap(indices)
        if at is not None:
            cells = np.insert(cells, at, "…", axis=place)
    across = with_gap(view.labels(view.columns or "", columns), columns)
    down = with_gap(view.labels(view.rows, rows), rows) if view.rows else []
    corner = ["<th></th><th></th>"] if down else []
    name = shown(view.columns or "")
    lines = [
        _line([*corner, _cell("th", "axis", name, f' colspan="{len(across)}"')]),
        _line([*corner, *[_cell("th", "column", label) for label in across]]),
    ]
    for i, row in enumerate(cells):
        side = []
        if view.rows is not None:
            if not i:
                side.append(_cell("th", "axis", shown(view.rows), f' rowspan="{len(down)}"'))
            side.append(_cell("th", "row", down[i]))
        lines.append(_line([*side, *(_cell("td", "", cell) for cell in row)]))
    return f"<table>{caption}{''.join(lines)}</table>"


def _line(cells: list[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _cell(tag: str, role: str, content: str, span: str = "") -> str:
    role = f' class="{role}"' if role else ""
    return f"<{tag}{role}{span}>{escape(content)}</{tag}>"
