"""Where things stand in a document: spans of its text, and how they are shown."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from namedtensor.errors import characters

T = TypeVar("T")

#: A line of the source is shown up to this width.
WIDTH = 120


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def unchanging(kind: type[T]) -> type[T]:
    """Make a dataclass that the type checker holds frozen: at run time that takes twice as long to make."""
    return dataclass(slots=True, unsafe_hash="__hash__" not in vars(kind))(kind)


@unchanging
class Span:
    """A stretch of the text, from `start` up to and without `end`.

    >>> Span(2, 5) | Span(7, 9)
    Span(start=2, end=9)
    """

    start: int
    end: int

    def __or__(self, other: Span) -> Span:
        return Span(min(self.start, other.start), max(self.end, other.end))

    def holds(self, other: Span) -> bool:
        """Say whether another stretch lies inside of this one.

        >>> Span(2, 9).holds(Span(2, 5)), Span(2, 5).holds(Span(4, 6))
        (True, False)
        """
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Piece:
    """From `start` on a text is that of another source from its `origin` on."""

    start: int
    source: Source
    origin: int


class Source:
    """A document's text and its name; of a text that is put together, `pieces` say from what.

    >>> source = Source("a\\nbcd", "notes.md")
    >>> source.position(3)
    (2, 2)
    >>> print(source.excerpt(Span(3, 5)))
    2 | bcd
      |  ^^
    """

    __slots__ = ("_starts", "name", "pieces", "text")

    def __init__(self, text: str, name: str = "<text>", pieces: Sequence[Piece] = ()) -> None:
        self.text = text
        self.pieces = tuple(pieces)
        self.name = name
        self._starts = [0, *[found.end() for found in re.finditer("\n", text)]]

    def origin(self, offset: int) -> tuple[Source, int]:
        """Give the source that a place was written in, and the place there."""
        at = bisect.bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        if at < 0:
            return self, offset
        piece = self.pieces[at]
        return piece.source, min(piece.origin + offset - piece.start, len(piece.source.text))

    def position(self, offset: int) -> tuple[int, int]:
        """Give the line and the column of a place where it was written, both counted from 1."""
        if self.pieces:
            source, place = self.origin(offset)
            return source.position(place)
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Give the place of a line and a column, both counted from 1; beyond the end is the end."""
        if line > len(self._starts):
            return len(self.text)
        return min(self._starts[line - 1] + column - 1, len(self.text))

    def offset_of_bytes(self, line: int, column: int) -> int:
        """Give the place of a line, from 1, and of a column as Python counts them: bytes, from 0.

        >>> Source("α = β").offset_of_bytes(1, 5)
        4
        """
        return self.offset(line, characters(self.line(line), column) + 1)

    def line(self, number: int) -> str:
        """Give a line without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")

    def written(self, span: Span) -> str:
        """Give a part of a formula as it is written, on one line.

        >>> Source("X &+\\n  b").written(Span(0, 8))
        'X + b'
        """
        return " ".join(self.text[span.start : span.end].replace("&", " ").split())

    def excerpt(self, span: Span) -> str:
        """Show the line where a span begins, with carets below it."""
        if self.pieces:
            source, start = self.origin(span.start)
            return source.excerpt(Span(start, start + span.end - span.start))
        number, column = self.position(span.start)
        line = self.line(number)
        count = max(1, min(span.end, span.start - column + 1 + len(line)) - span.start)
        cut = max(0, column - 1 - WIDTH // 2)
        shown = line[cut : cut + WIDTH].replace("\t", " ")
        carets = " " * (column - 1 - cut) + "^" * min(count, max(1, WIDTH - (column - 1 - cut)))
        margin = " " * len(str(number))
        return f"{number} | {shown}\n{margin} | {carets}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document as a place of a formula: what `errors.Place` asks for."""

    document: Source
    span: Span

    @property
    def file(self) -> str:
        return self.document.name

    @property
    def line(self) -> int:
        return self.document.position(self.span.start)[0]

    @property
    def text(self) -> str:
        return self.document.text[self.span.start : self.span.end]

    def marked(self) -> list[str]:
        """Give the line without its indentation, and a line of carets below the passage."""
        line, column = self.document.position(self.span.start)
        text = self.document.line(line)
        start = text.lstrip()
        at = column - 1 - (len(text) - len(start))
        count = max(1, min(self.span.end - self.span.start, len(start) - at))
        return [start, " " * at + "^" * count]
