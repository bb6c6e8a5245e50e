"""Steps and summaries as text, HTML and LaTeX: one line for each row, with what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from namedtensor.axes import shown
from namedtensor.shape import axis_text

WIDTH = 56  # letters of a written expression
_NAMES = 3  # parameters that are named in one row
_HEADS = ("line", "step", "shape", "uses", "flops", "bytes", "kernel", "parameters")
_NUMBERS = {"line", "flops", "bytes", "count", "share"}

_STYLE = (
    "<style>"
    ".namedtensor-steps{color:currentColor;font-family:monospace}"
    ".namedtensor-steps table{border:0;border-collapse:collapse;font-size:inherit;width:auto}"
    ".namedtensor-steps td,.namedtensor-steps th{padding:.1em .8em;text-align:left;"
    "border:0 solid currentColor;white-space:pre}"
    ".namedtensor-steps tr:nth-child(n){background:none}"
    ".namedtensor-steps thead th{border-bottom-width:1px;font-weight:normal;opacity:.65}"
    ".namedtensor-steps .number{text-align:right}"
    ".namedtensor-steps .fault{font-weight:bold;text-decoration:underline wavy}"
    ".namedtensor-steps summary{cursor:pointer}"
    "</style>"
)


def text_of(steps: Any, depth: int | None) -> str:
    """Write the rows as a table of plain text, rows inside of others indented."""
    found = [(d, row) for d, row in steps.every() if depth is None or d <= depth]
    cells = [_cells(row, "  " * d) for d, row in found]
    heads, cells = _without_empty(_heads(steps), cells)
    return "\n".join([title_of(steps), *table_text(heads, cells), *_fault(steps)])


def table_text(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """Write lines of cells below their heads, numbers to the right."""
    if not lines:
        return []
    widths = [max(map(len, column)) for column in zip(heads, *lines, strict=True)]
    return [
        " ".join(
            [
                cell.rjust(width) if head in _NUMBERS else cell.ljust(width)
                for head, cell, width in zip(heads, line, widths, strict=True)
            ]
        ).rstrip()
        for line in (heads, *lines)
    ]


def html_of(steps: Any) -> str:
    """Write the rows as an HTML table; those inside of a row open where its text is pressed."""
    heads = _heads(steps)
    cells = [_cells(row, "") for _, row in steps.every()]
    kept = [i for i, head in enumerate(heads) if any(line[i] for line in cells)]
    error = "".join([f"<pre>{escape(line)}</pre>" for line in _fault(steps)])
    title = f"<div>{escape(title_of(steps))}</div>"
    table = _html_table(steps.rows, heads, kept)
    return f'<div class="namedtensor-steps">{_STYLE}{title}{table}{error}</div>'


def _html_table(rows: Sequence[Any], heads: Sequence[str], kept: Sequence[int]) -> str:
    lines = []
    for row in rows:
        cells = _cells(row, "")
        line = []
        for i in kept:
            cell = escape(cells[i])
            if heads[i] == "step" and row.error is not None and not row.rows:
                cell = f'<span class="fault">{cell}</span>'
            if heads[i] == "step" and row.rows:
                inside = _html_table(row.rows, heads, kept)
                state = " open" if row.error is not None else ""
                cell = f"<details{state}><summary>{cell}</summary>{inside}</details>"
            line.append(html_cell("td", heads[i], cell))
        lines.append(f"<tr>{''.join(line)}</tr>")
    return html_table([heads[i] for i in kept], lines)


def html_page(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Write a table of plain text with its title."""
    rows = [
        f"<tr>{''.join([html_cell('td', h, escape(c)) for h, c in zip(heads, line, strict=True)])}</tr>"
        for line in lines
    ]
    head = f"<div>{escape(title)}</div>"
    return f'<div class="namedtensor-steps">{_STYLE}{head}{html_table(heads, rows)}</div>'


def html_table(heads: Sequence[str], lines: Iterable[str]) -> str:
    """Write a table of lines that are HTML already."""
    head = "".join([html_cell("th", h, escape(h)) for h in heads])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def html_cell(tag: str, head: str, content: str) -> str:
    kind = ' class="number"' if head in _NUMBERS else ""
    return f"<{tag}{kind}>{content}</{tag}>"


def latex_of(steps: Any) -> str:
    """Write the rows as a LaTeX array that KaTeX and amsmath read."""
    heads, cells = _without_empty(
        _heads(steps), [_cells(row, "~~" * depth) for depth, row in steps.every()]
    )
    return latex_array(heads, cells)


def latex_array(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Write lines of cells as an array of typewriter text."""
    columns = "".join(["r" if head in _NUMBERS else "l" for head in heads])
    rows = [" & ".join([rf"\text{{{_tex(c)}}}" for c in heads]) + r" \\ \hline"]
    rows += [
        " & ".join([rf"\texttt{{{_tex(c)}}}" if c else "" for c in line]) + r" \\" for line in lines
    ]
    return "\n".join([rf"\begin{{array}}{{{columns}}}", *rows, r"\end{array}"])


_TEX = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
}


def _tex(text: str) -> str:
    return "".join([_TEX.get(c, c) for c in text])


def title_of(steps: Any) -> str:
    """Name what the steps are of, and what they cost together."""
    count = len(steps.rows)
    costs = [f"{count} step{'' if count == 1 else 's'}"]
    if steps.error is not None:
        costs.append("stopped by an error")
    elif steps.flops is not None:
        costs.append(f"{steps.flops:,} flops")
    return f"{steps.name}: {', '.join(costs)}"


def _heads(steps: Any) -> list[str]:
    return [*_HEADS, *(["range"] if any(row.range for _, row in steps.every()) else [])]


def _cells(row: Any, indent: str) -> list[str]:
    """Write the cells of one row; a range stands last, where its column is shown."""
    text = " ".join(row.text.split())
    text = text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."
    times = f"  x {row.times}" if row.times != 1 else ""
    fault = "  <- here" if row.error is not None and not row.rows else ""
    shape = " x ".join(map(axis_text, row.sizes)) if row.sizes else "()"
    cells = [
        str(row.line) if row.line else "",
        f"{indent}{text}{times}{fault}",
        shape if row.error is None else "",
        " ".join(map(shown, row.uses)),
        _number(row.flops) if row.error is None else "",
        _number(row.bytes) if row.error is None else "",
        row.kernel,
        _names(row.parameters),
    ]
    return [*cells, "" if row.range is None else " .. ".join([f"{end:.4g}" for end in row.range])]


def _names(names: Sequence[str]) -> str:
    if len(names) <= _NAMES:
        return " ".join(names)
    return f"{names[0]} and {len(names) - 1} more"


def _number(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _without_empty(
    heads: Sequence[str], lines: Sequence[Sequence[str]]
) -> tuple[list[str], list[list[str]]]:
    """Leave out the columns in which nothing stands."""
    kept = [i for i, head in enumerate(heads) if any(line[i] for line in lines)]
    return [heads[i] for i in kept], [[line[i] for i in kept] for line in lines]


def _fault(steps: Any) -> list[str]:
    if steps.error is None:
        return []
    return [f"{type(steps.error).__name__}: {steps.error}"]
