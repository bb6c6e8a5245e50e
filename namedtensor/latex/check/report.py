"""Gather findings: each fault once, the worst first, and none that the author has silenced."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from namedtensor.latex.check.words import written
from namedtensor.latex.findings import Finding, Mend
from namedtensor.latex.source import Source, Span


class Report:
    """The findings of a document so far.

    `silenced(code, line)` says whether the author has silenced a rule on a line.
    """

    def __init__(self, source: Source, silenced: Callable[[str, int], bool]) -> None:
        self.source = source
        self.silenced = silenced
        self._found: dict[tuple[str, int, int], Finding] = {}
        self._order: list[tuple[str, int, int]] = []

    def add(
        self,
        severity: str,
        code: str,
        span: Span,
        message: str,
        shapes: Iterable[tuple[str, str]] = (),
        hint: str = "",
        mend: Mend | None = None,
    ) -> None:
        """Add a finding; the first that a rule has about a place is kept."""
        finding = Finding(
            severity, code, message, self.source, span, tuple(dict(shapes).items()), hint, mend
        )
        self.keep([finding])

    def keep(self, findings: Iterable[Finding]) -> None:
        """Add findings made elsewhere."""
        for f in findings:
            place = f.code, f.span.start, f.span.end
            if place not in self._found:
                self._found[place] = f
                self._order.append(place)

    def mark(self) -> int:
        """Give a mark, so that what is found from here on can be taken back."""
        return len(self._order)

    def take_back(self, mark: int, span: Span) -> bool:
        """Forget what was found since a mark inside a span; say whether there was anything."""
        inside = [p for p in self._order[mark:] if span.start <= p[1] and p[2] <= span.end]
        for place in inside:
            self._found.pop(place, None)
        self._order[mark:] = [p for p in self._order[mark:] if p not in inside]
        return bool(inside)

    def has(self, code: str, span: Span) -> bool:
        """Say whether a rule has spoken of a place inside a span."""
        return any(
            c == code and span.start <= start and end <= span.end for c, start, end in self._found
        )

    def any_in(self, span: Span) -> bool:
        """Say whether any rule has spoken of a place inside a span."""
        return any(span.start <= start and end <= span.end for _, start, end in self._found)

    def text(self, span: Span) -> str:
        """Give a part of a formula as it is written, on one line."""
        return written(self.source, span)

    @property
    def findings(self) -> list[Finding]:
        """The findings that are not silenced, ranked."""
        heard = [f for f in self._found.values() if not self.silenced(f.code, f.line)]
        return sorted(heard, key=lambda finding: (finding.rank, finding.code))
