"""Draw a formula of a document as SVG: its diagram, its steps, or the numbers that it gives."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from html import escape
from pathlib import Path
from typing import Any

from namedtensor.command import run
from namedtensor.command.files import CommandError
from namedtensor.command.inputs import read_sizes
from namedtensor.display.diagram import diagram
from namedtensor.display.show import show
from namedtensor.display.view import wide
from namedtensor.formula import Formula
from namedtensor.formula.steps import steps

NAME = "draw"
HELP = "draw a formula of a document"
_LETTER, _LINE = 7.3, 17

#: Colours of the text, light and dark: a picture in a file has no page around it to take them from.
_STYLE = (
    "<style>:root{color:#1f2328}@media(prefers-color-scheme:dark){:root{color:#e6edf3}}</style>"
)


def add_arguments(parser: ArgumentParser) -> None:
    run.add_arguments(parser)
    parser.add_argument(
        "--as",
        dest="kind",
        choices=("diagram", "steps", "numbers"),
        default="diagram",
        help="the formula's axes as lines, its steps with their costs, or what it gives as a heat map",
    )
    for side in ("rows", "columns", "by"):
        parser.add_argument(f"--{side}", metavar="AXIS", help=f"the axis of the {side} of numbers")
    parser.add_argument(
        "--label",
        nargs="+",
        action="extend",
        default=[],
        metavar="AXIS=WORD,WORD",
        help="words at an axis of numbers, as seq=the,cat",
    )
    parser.add_argument("--out", metavar="FILE.svg", help="where to write it (stdout)")


def perform(given: Namespace) -> int:
    """Draw, and write the picture."""
    head, sign, rest = picture(given, run.chosen(given)).partition(">")
    svg = f"{head}{sign}{_STYLE}{rest}"
    if given.out is None:
        sys.stdout.write(svg + "\n")
        return 0
    try:
        Path(given.out).write_text(svg + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {given.out}: {error.strerror}") from None
    return 0


def picture(given: Namespace, formula: Formula) -> str:
    """Draw one formula."""
    if given.kind == "numbers":
        _, result = run.evaluated(given, formula)
        first = result[0] if isinstance(result, tuple) else result
        sides: dict[str, Any] = {s: getattr(given, s) for s in ("rows", "columns", "by")}
        chosen = {side: axis for side, axis in sides.items() if axis is not None}
        return show(first, labels=_labels(given.label), **chosen).svg()
    shapes = _shapes(formula, read_sizes(given.size))
    if given.kind == "diagram":
        return diagram(formula, **shapes).svg()
    return _text_picture(steps(formula, **shapes).text())


def _shapes(formula: Formula, sizes: dict[str, int]) -> dict[str, str]:
    """Write the declared axes of each argument, with the sizes that the user gave."""
    return {
        p.name: " ".join(
            f"{a.name}[{sizes[a.name]}]" if a.name in sizes else a.name for a in p.space.axes
        )
        for p in formula.signature.parameters
        if p.space is not None and any(a.name in sizes for a in p.space.axes)
    }


def _labels(words: list[str]) -> dict[str, list[str]]:
    found = {}
    for word in words:
        axis, sign, listed = word.partition("=")
        if not sign or not axis or not listed:
            raise CommandError(f"cannot read --label {word}; --label seq=the,cat puts words at seq")
        found[axis] = listed.split(",")
    return found


def _text_picture(text: str) -> str:
    """Draw lines of text, the first of them bold."""
    lines = text.split("\n")
    width = max(wide(line) for line in lines) * _LETTER + 16
    weights = [' font-weight="bold"', *[""] * (len(lines) - 1)]
    drawn = "".join(
        f'<text x="8" y="{_LINE * (i + 1)}" xml:space="preserve"{weight}>{escape(line)}</text>'
        for i, (line, weight) in enumerate(zip(lines, weights, strict=True))
    )
    height = _LINE * len(lines) + 10
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" fill="currentColor" font-family="monospace" '
        f'font-size="12">{drawn}</svg>'
    )
