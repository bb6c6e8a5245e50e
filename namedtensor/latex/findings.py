"""Findings: what a reader or a checker has to say about a place of a document."""

from __future__ import annotations

from dataclasses import dataclass

from namedtensor.latex.source import Source, Span

#: From worst to mildest.
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Mend:
    """A certain way to mend a fault: put `text` in place of a span."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault: where it is, the rule's short code, what is wrong, and how to mend it.

    `calls` say, a line for each, through which other places it came about.

    >>> source = Source("X + Y", "notes.md")
    >>> print(Finding("error", "axis-missing", "Y has no axis key", source, Span(4, 5)))
    notes.md:1:5: error[axis-missing]: Y has no axis key
    1 | X + Y
      |     ^
    """

    severity: str
    code: str
    message: str
    source: Source
    span: Span
    shapes: tuple[tuple[str, str], ...] = ()
    hint: str = ""
    mend: Mend | None = None
    calls: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return self.source.origin(self.span.start)[0].name

    @property
    def line(self) -> int:
        return self.source.position(self.span.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.span.start)[1]

    @property
    def rank(self) -> tuple[int, int]:
        """Sort by this: the worst first, then in the order of the text."""
        return SEVERITIES.index(self.severity), self.span.start

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}"
        lines = [f"{place}: {self.severity}[{self.code}]: {self.message}"]
        lines.append(self.source.excerpt(self.span))
        width = max((len(label) for label, _ in self.shapes), default=0)
        lines += [f"  {label:<{width}} : {shape}" for label, shape in self.shapes]
        lines += [f"  {call}" for call in self.calls]
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)
