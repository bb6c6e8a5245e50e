"""Errors that name their place in a document."""

from __future__ import annotations

import re

from namedtensor.axes import shown_in
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisSizeError,
    IndexRangeError,
    KindError,
    NamedTensorError,
)
from namedtensor.latex.documents.along import ALONG, LAST
from namedtensor.latex.evaluation.hints import in_notation
from namedtensor.latex.evaluation.values import (
    ArgumentsError,
    NoAxisError,
    NotNotationError,
    UndefinedError,
)
from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.programs import LOOP
from namedtensor.latex.source import Passage, Source, Span


class LatexError(NamedTensorError):
    """Say what is wrong at a place of a document: a finding that stops the formula that needs it.

    >>> from namedtensor.latex.source import Source, Span
    >>> source = Source("X + Y", "notes.md")
    >>> print(LatexError(Finding("error", "undeclared", "Y is not declared", source, Span(4, 5))))
    notes.md:1:5: error[undeclared]: Y is not declared
    1 | X + Y
      |     ^
    """

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        place = f"{finding.source.name}:{finding.line}:{finding.column}"
        super().__init__(place, finding.message, finding.shapes, finding.hint)
        self.add_place("", Passage(finding.source, finding.span))

    def __str__(self) -> str:
        return str(self.finding)

    def __reduce__(self) -> tuple[object, ...]:
        return LatexError, (self.finding,)


def shown(text: str) -> str:
    """Write inner names as a document does: h_{seq:t} for h@seq_{t}, x for x%1^{k}, and bound letters."""
    text = re.sub(rf"{LOOP}\d+(?:\^\{{[^{{}}]*\}})?", "", text)
    text = re.sub(rf"{ALONG}([\w'*]+)_\{{", r"_{\1:", text)
    return shown_in(re.sub(rf"(\w+):({LAST}|{LAST + 1})", _end, text))


def _end(found: re.Match[str]) -> str:
    more = "" if int(found[2]) == LAST else "+1"
    return f"{found[1]}:|{found[1]}|{more}"


#: The code of a finding by the class of what an operation has raised; the first that fits.
CODES: tuple[tuple[type[NamedTensorError], str], ...] = (
    (UndefinedError, "undefined"),
    (NoAxisError, "no-axis"),
    (ArgumentsError, "arguments"),
    (NotNotationError, "not-notation"),
    (IndexRangeError, "index-range"),
    (AxisMissingError, "axis-missing"),
    (AxisSizeError, "axis-size"),
    (AxisClashError, "axis-clash"),
    (KindError, "index-type"),
)


def failure(error: NamedTensorError, source: Source, span: Span) -> LatexError:
    """Give an error its place in a document; one that has a place keeps it."""
    if isinstance(error, LatexError):
        return error
    code = next((code for kind, code in CODES if isinstance(error, kind)), "nonsense")
    message = error.why if error.why.startswith(error.call) else f"{error.call}: {error.why}"
    shapes = tuple([(shown(label), shown(shape)) for label, shape in error.operands])
    finding = Finding(
        "error", code, shown(message), source, span, shapes, in_notation(shown(error.hint))
    )
    return LatexError(finding)
