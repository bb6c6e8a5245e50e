"""A formula as a card: its equation, what it takes, its Python and its LaTeX; a module with its sizes."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from html import escape
from typing import Any

from namedtensor.axes import shown
from namedtensor.display.colours import colour_of
from namedtensor.display.html import page
from namedtensor.display.mathml import mathml
from namedtensor.errors import NamedTensorError
from namedtensor.latex.printing.printer import latex_of

_LINES = 60  # of a source


def formula_card(formula: Any) -> str:
    """Write a formula: the equation first, the rest folded."""
    parts = [f'<div class="shape">{escape(repr(formula))}</div>']
    latex = ""
    with suppress(NamedTensorError):
        latex = latex_of(formula.written(), "underset")
        parts.append(f'<div class="scroll">{mathml(latex)}</div>')
    parts.append(f'<div class="scroll">{_declared(formula)}</div>')
    with suppress(OSError, TypeError):
        parts.append(
            _folded("Python", _short(textwrap.dedent(inspect.getsource(formula.function))))
        )
    if latex:
        parts.append(_folded("LaTeX", latex))
    return page(*parts)


def module_card(name: str, found: Sequence[tuple[str, Any]]) -> str:
    """Write a module: its parameters, each with the path of its owner, their axes, counts and shares.

    A parameter that is tied to an earlier one counts there, as in a summary.
    """
    total = sum(held.count for _, held in found if not held.tied)
    lines = [_line("th", "parameter", "axes", "numbers", "share")]
    for path, held in found:
        full = f"{path}.{held.name}".lstrip(".")
        axes = " ".join(_axis(a, size) for a, size in zip(held.axes, held.sizes, strict=False))
        count = f"tied to {held.tied}" if held.tied else f"{held.count:,}"
        share = "" if held.tied else f"{held.count / max(total, 1):.1%}"
        lines.append(
            f'<tr><th class="row">{escape(full)}</th><td>{axes or held.shape}</td>'
            f"<td>{escape(count)}</td><td>{share}</td></tr>"
        )
    lines.append(_line("td", "in all", "", f"{total:,}", ""))
    return page(
        f'<div class="shape">{escape(name)}: {total:,} parameters</div>',
        f'<div class="scroll"><table>{"".join(lines)}</table></div>',
    )


def _axis(axis: str, size: Any = None) -> str:
    told = "" if size is None else f"[{size}]"
    return f'<span style="color:{colour_of(axis)}">{escape(shown(axis))}</span>{told}'


def _declared(formula: Any) -> str:
    """Tell of every argument what is declared: a tensor's axes, a bundle's formula, a setting's value."""
    lines = []
    for parameter in formula.signature.parameters:
        if parameter.space is not None:
            told = " ".join(_axis(a.name, a.size) for a in parameter.space.axes) or "a number"
        elif parameter.bundle is not None:
            told = escape(f"the parameters of {parameter.bundle.name}")
        else:
            told = escape(f"a setting: {parameter.default!r}")
        role = "parameter" if parameter.after else "argument"
        lines.append(
            f'<tr><th class="row">{escape(parameter.name)}</th><td>{told}</td><td>{role}</td></tr>'
        )
    return f"<table>{''.join(lines)}</table>" if lines else ""


def _folded(title: str, text: str) -> str:
    return f'<details><summary>{title}</summary><pre class="scroll">{escape(text)}</pre></details>'


def _short(source: str) -> str:
    lines = source.rstrip().split("\n")
    return "\n".join(lines if len(lines) <= _LINES else [*lines[:_LINES], "..."])


def _line(tag: str, *cells: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
