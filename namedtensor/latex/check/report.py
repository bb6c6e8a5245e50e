"""Gather findings: each fault once, the worst first, in the words and the dialect of the document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partialmethod
from typing import Any

from namedtensor.axes import shown_in
from namedtensor.latex.findings import Finding, Mend
from namedtensor.latex.source import Source, Span
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import SIZE, describe

#: The width up to which a part of a formula is quoted; the middle of a longer one is left out.
WIDTH = 60


def written(source: Source, span: Span, width: int = WIDTH) -> str:
    """Give a part of a formula as it is written, shortened in the middle."""
    text = source.written(span)
    if len(text) <= width:
        return text
    half = (width - 3) // 2
    return f"{text[:half].rstrip()}...{text[-half:].lstrip()}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Write a list in words.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    found = list(words)
    if len(found) < 2:
        return "".join(found)
    return f"{', '.join(found[:-1])} {last} {found[-1]}"


def size_text(size: Any) -> str:
    """Write a size: 512, d_model, n - |kernel| + 1."""
    if not isinstance(size, Node):
        return str(size)
    return describe(size, 9)


def is_own_size(axis: str, size: Any) -> bool:
    """Say whether a size is only the symbol |ax| or |ax'|, as of an axis whose size is not stated."""
    return size is None or unstated(size) == axis.rstrip("'")


def is_taken(finding: Finding) -> bool:
    """Say whether a finding only notes what something was taken for: a number, a size, an element."""
    noted = finding.severity == "note" and finding.code == "undeclared"
    return noted or finding.code == "meaning"


def unstated(size: Any) -> str | None:
    """Give the axis ax, without primes, if a size is only the symbol |ax|; None for a stated size."""
    if not isinstance(size, Node) or size.operation.primitive is not SIZE:
        return None
    text: str = size.operation.params[-1]
    return text.strip("|").rstrip("'") if text.startswith("|") else None


def shape_text(type_: Type) -> str:
    """Write a shape: emb[d_model] seq'; a number has none.

    >>> shape_text(Type((("emb", 512), ("seq", None))))
    'emb[512] seq'
    """
    axes = [
        name if is_own_size(name, size) else f"{name}[{size_text(size)}]"
        for name, size in type_.axes
    ]
    return " ".join(axes) or "no axes"


class Report:
    """The findings of a document so far.

    `silenced(code, line)` says whether the author has silenced a rule on a line.
    """

    def __init__(self, source: Source, silenced: Callable[[str, int], bool]) -> None:
        self.source = source
        self.silenced = silenced
        self._found: dict[tuple[str, int, int], Finding] = {}
        self._order: list[tuple[str, int, int]] = []
        #: the places of letters that another section declares, and the line of each declaration
        self.borrowed: dict[Span, int] = {}

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
        """Add a finding, unless the same rule has one at this place already."""
        listed = tuple([(label, shown_in(shape)) for label, shape in dict(shapes).items()])
        said, hint, calls = shown_in(message), shown_in(hint), self._from_far(span)
        self.keep([Finding(severity, code, said, self.source, span, listed, hint, mend, calls)])

    error = partialmethod(add, "error")
    warning = partialmethod(add, "warning")
    note = partialmethod(add, "note")

    def _from_far(self, span: Span) -> tuple[str, ...]:
        """Say for each letter inside a span that another section declares where it is declared."""
        places = sorted(
            (at.start, at, line) for at, line in self.borrowed.items() if span | at == span
        )
        words = dict.fromkeys(f"{self.text(at)} on line {line}" for _, at, line in places)
        return (f"declared in another section: {', '.join(words)}",) if words else ()

    def keep(self, findings: Iterable[Finding]) -> None:
        """Add findings made elsewhere."""
        for f in findings:
            place = f.code, f.span.start, f.span.end
            if place not in self._found:
                self._found[place] = f
                self._order.append(place)

    def mark(self) -> int:
        """Give a mark, to which `take_back` can return."""
        return len(self._order)

    def take_back(self, mark: int, span: Span) -> list[Finding]:
        """Remove the findings since a mark inside a span, and return them."""
        inside = [p for p in self._order[mark:] if span.start <= p[1] and p[2] <= span.end]
        self._order[mark:] = [p for p in self._order[mark:] if p not in inside]
        return [self._found.pop(place) for place in inside if place in self._found]

    def unread_lines(self) -> list[str]:
        """List the lines of the source on which something could not be read."""
        text = self.source.text
        starts = [f.span.start for f in self._found.values() if f.code.startswith("syntax")]
        return [text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0] for at in starts]

    def has(self, code: str, span: Span) -> bool:
        """Say whether a rule has a finding inside a span."""
        return any(
            c == code and span.start <= start and end <= span.end for c, start, end in self._found
        )

    def any_in(self, span: Span) -> bool:
        """Say whether a rule has a finding in a span; notes of what a name was taken for do not count."""
        return any(
            not is_taken(finding) and span.start <= start and end <= span.end
            for (_, start, end), finding in self._found.items()
        )

    def text(self, span: Span) -> str:
        """Give a part of a formula as it is written, on one line."""
        return written(self.source, span)

    @property
    def findings(self) -> list[Finding]:
        """The findings that are not silenced, ranked."""
        heard = [f for f in self._found.values() if not self.silenced(f.code, f.line)]
        return sorted(heard, key=lambda finding: (finding.rank, finding.code))
