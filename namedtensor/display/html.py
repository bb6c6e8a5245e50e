"""A named tensor as a plain HTML table: axes and sizes first, then the numbers."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from namedtensor.axes import shown
from namedtensor.tensor.text import numbers_of, text

_MOST = 8  # rows, columns and tables shown before the rest is left out

_STYLE = (
    "<style scoped>.nt{font-family:monospace;color:currentColor}"
    ".nt table{border-collapse:collapse;margin:.3em 0}"
    ".nt td,.nt th{padding:.1em .5em;text-align:right;border:1px solid currentColor}"
    ".nt .axis{font-style:italic}</style>"
)


def table(X: Any) -> str:
    """Write a tensor as HTML: its last two stored axes span a table, the others one table each."""
    head = (
        f"<div><b>{escape(str(X.shape))}</b> {escape(str(X.dtype))}</div>"
        if _has_numbers(X)
        else ""
    )
    if not _has_numbers(X):
        return f'<div class="nt">{_STYLE}<pre>{escape(repr(X))}</pre></div>'
    data = np.asarray(numbers_of(X))
    sizes = dict(X.sizes)
    if data.size == 0 or not X.axes:
        return f'<div class="nt">{_STYLE}{head}<pre>{escape(text(X))}</pre></div>'
    outer, inner = X.axes[:-2], X.axes[-2:]
    tables = []
    records = list(np.ndindex(*[sizes[a] for a in outer]))
    for record in records[:_MOST]:
        name = ", ".join(f"{shown(a)}({i})" for a, i in zip(outer, record, strict=True))
        caption = f"<caption>{escape(name)}</caption>" if name else ""
        tables.append(f"<table>{caption}{_rows(data[record], inner)}</table>")
    left = len(records) - len(tables)
    more = f"<div>and {left} more</div>" if left else ""
    return f'<div class="nt">{_STYLE}{head}{"".join(tables)}{more}</div>'


def _has_numbers(X: Any) -> bool:
    node = getattr(X, "node", None)
    return node is None or (node.closed and all(isinstance(s, int) for _, s in node.type.axes))


def _rows(data: Any, axes: tuple[str, ...]) -> str:
    columns = list(range(data.shape[-1]))
    shown_columns = columns[:_MOST]
    row_axis = shown(axes[0]) if len(axes) == 2 else ""
    corner = (
        f"{escape(row_axis)} \\ {escape(shown(axes[-1]))}" if row_axis else escape(shown(axes[-1]))
    )
    dots = "<th>…</th>" if len(columns) > _MOST else ""
    head = "".join(f"<th>{i}</th>" for i in shown_columns)
    lines = [f'<tr><th class="axis">{corner}</th>{head}{dots}</tr>']
    rows = data if len(axes) == 2 else data[None]
    for i, row in enumerate(rows[:_MOST]):
        cells = "".join(f"<td>{escape(_number(row[j]))}</td>" for j in shown_columns)
        label = str(i) if row_axis else ""
        lines.append(f"<tr><th>{label}</th>{cells}{'<td>…</td>' if dots else ''}</tr>")
    if len(rows) > _MOST:
        lines.append(f'<tr><th>…</th><td colspan="{len(shown_columns) + bool(dots)}">…</td></tr>')
    return "".join(lines)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)
