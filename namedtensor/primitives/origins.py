"""Where the parts of a tree were written: a table beside it, from nodes to places in a source.

Nodes are interned, so that one node may be written at several places. A trace of a Python body notes
the place of the user's expression for each node that it makes; a reader of LaTeX adds spans.
"""

from __future__ import annotations

import itertools
import linecache
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

from namedtensor.errors import Place, characters, is_library, stretch
from namedtensor.primitives.node import Node, noting, only_in

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Origin:
    """A stretch of a source: lines count from 1, columns from 0, and the last column is outside.

    The columns are None where Python keeps lines alone (python -X no_debug_ranges).
    """

    file: str
    line: int
    column: int | None
    end_line: int
    end_column: int | None

    @property
    def source(self) -> str:
        """The first line of the stretch as it stands in the file, or nothing where nobody has it."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    @property
    def text(self) -> str:
        """What is written there: the sub-expression, or the line where columns are not known."""
        last = range(self.line, self.end_line + 1)
        lines = [linecache.getline(self.file, n).rstrip("\n") for n in last]
        if self.column is None or self.end_column is None:
            return lines[0].strip()
        lines[-1] = lines[-1][: self.end_column]
        lines[0] = lines[0][self.column :]
        return "\n".join(lines)

    def marked(self) -> list[str]:
        """Give the line without its indentation, and a line of carets below the sub-expression."""
        line = self.source
        start = line.strip()
        if not start or self.column is None:
            return [start] if start else []
        end = self.end_column if self.line == self.end_line else len(line)
        before = self.column - (len(line) - len(line.lstrip()))
        return [start, " " * before + "^" * max(1, (end or 0) - self.column)]


class Origins:
    """The table of one trace, read by node; a node made by rewriting has the origins of what it replaced."""

    def __init__(self) -> None:
        self._log: list[tuple[Node, CodeType | Place | None, int] | str | bool] = []
        self._read = 0
        self._moved: list[tuple[Node, Node, bool]] = []
        self._written: dict[tuple[Node, Place], None] = {}
        self._found: dict[Node, dict[Place, None]] = {}

    def note(self, node: Node) -> None:
        """Note the user's expression that is being run as an origin of a node."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if not (_KNOWN.get(frame.f_globals.get("__name__", "")) or _is_library(frame)):
                self._log.append((node, frame.f_code, frame.f_lasti))
                return
            if id(frame.f_code) in _BORDERS:
                return
            frame = frame.f_back

    def add(self, node: Node, origin: Place) -> None:
        """Say where a node was written."""
        self._log.append((node, origin, 0))

    def gave(self, nodes: Iterable[Node]) -> None:
        """Note the results of a body, even if no line of the user's code called it."""
        before = len(self._log)
        for node in nodes:
            self.note(node)
            if len(self._log) == before:
                self._log.append((node, None, 0))
        self._log.append(True)

    def enter(self, name: str) -> None:
        """Say that what follows is written in the body of another formula, or in a step."""
        self._log.append(name)

    def leave(self) -> None:
        """Say that this body ends."""
        self._log.append(False)

    def log(self) -> Iterator[tuple[Node, Place | None] | str | bool]:
        """Give all that was noted in order: nodes, names of bodies that begin, False where one ends.

        True follows a node that a body returned; it has no place if no line of the user's code called the
        body.
        """
        places: dict[tuple[CodeType, int], Origin] = {}
        for entry in self._log:
            if isinstance(entry, (str, bool)):
                yield entry
                continue
            node, code, at = entry
            if not isinstance(code, CodeType):
                yield node, code
                continue
            if (code, at) not in places:
                places[code, at] = origin_of(code, at)
            yield node, places[code, at]

    def move(self, before: Node, after: Node, whole: bool = False) -> None:
        """Say that one node takes the place of another, or with `whole` of what was matched below it."""
        self._moved.append((before, after, whole))

    def follow(self, before: Node, after: Node) -> None:
        """Say that a tree takes the place of another, part by part while their operations are the same."""
        waiting, seen = [(before, after)], {(before, after)}
        while waiting:
            old, new = waiting.pop()
            if old is new:
                continue
            self.move(old, new)
            if old.operation.primitive is new.operation.primitive:
                pairs = [p for p in zip(old.operands, new.operands, strict=False) if p not in seen]
                seen |= {*pairs}
                waiting += pairs

    def __getitem__(self, node: Node) -> tuple[Place, ...]:
        """Give the places where a node was written, in the order in which they were run."""
        self._settle()
        return tuple(self._found.get(node, ()))

    def __iter__(self) -> Iterator[tuple[Node, Place]]:
        """Give each written sub-expression with its node: as the body ran, operands first."""
        self._settle()
        return iter(self._written)

    def replaced(self, before: Node, after: Node) -> tuple[Place, ...]:
        """Give the places of nodes that are in one tree and no longer in the tree that replaced it."""
        gone = reversed(only_in(before, after))
        return tuple(dict.fromkeys([origin for node in gone for origin in self[node]]))

    def _settle(self) -> None:
        """Process the log, and give rewritten nodes the origins of those that they replaced.

        Both wait until someone asks, so that tracing stays fast.
        """
        for entry in itertools.islice(self._log, self._read, None):
            if isinstance(entry, tuple):
                node, code, at = entry
                if code is None:
                    continue
                origin = origin_of(code, at) if isinstance(code, CodeType) else code
                self._written[node, origin] = None
                self._found.setdefault(node, {})[origin] = None
        self._read = len(self._log)
        moved, self._moved = self._moved, []
        for before, after, whole in moved:
            origins = self.replaced(before, after) if whole else ()
            for node in only_in(after, before) if whole else [after]:
                if node is after or node not in self._found:
                    self._found.setdefault(node, {}).update(dict.fromkeys(origins or self[before]))


_BORDERS: set[int] = set()


def border(function: F) -> F:
    """Mark a function that runs a body: the search for the user's expression stops at its frame."""
    _BORDERS.add(id(function.__code__))
    return function


@contextmanager
def noted_in(table: Origins) -> Iterator[None]:
    """Note in a table, inside the with block, where new nodes are written."""
    token = noting.set(table)
    try:
        yield
    finally:
        noting.reset(token)


@contextmanager
def noted_inside(name: str) -> Iterator[None]:
    """Note that the with block runs the body of another formula, or a step."""
    table: Origins | None = noting.get()
    if table is None:
        yield
        return
    table.enter(name)
    try:
        yield
    finally:
        table.leave()


def made_again(
    trees: Sequence[Node], make: Callable[[Sequence[Node]], Sequence[Node]]
) -> Sequence[Node]:
    """Make trees with the same operations again; the new nodes get the origins of the old ones."""
    table: Origins | None = noting.get()
    if table is None:
        return make(trees)
    token = noting.set(None)
    try:
        found = make(trees)
    finally:
        noting.reset(token)
    for before, after in zip(trees, found, strict=True):
        table.follow(before, after)
    return found


def _is_library(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    found = _KNOWN.get(name)
    if found is None:
        found = _KNOWN[name] = is_library(name)
    return found


_KNOWN: dict[str, bool] = {}


def origin_of(code: CodeType, at: int) -> Origin:
    """Find where the instruction of a function stands in its source."""
    line, end_line, column, end_column = stretch(code, at)
    line = line or code.co_firstlineno
    end_line = end_line or line
    if column is None or end_column is None:
        return Origin(code.co_filename, line, None, end_line, None)
    return Origin(
        code.co_filename,
        line,
        characters(linecache.getline(code.co_filename, line), column),
        end_line,
        characters(linecache.getline(code.co_filename, end_line), end_column),
    )


def place_of(trace: TracebackType | None) -> Origin | None:
    """Find the user's expression that failed in the body which the traceback's first frame runs."""
    return own_place(trace.tb_next if trace is not None else None)


def own_place(trace: TracebackType | None) -> Origin | None:
    """Find the user's expression that failed, in the body that begins with the traceback's first frame."""
    found: Origin | None = None
    while trace is not None:
        if id(trace.tb_frame.f_code) in _BORDERS:
            break
        if not _is_library(trace.tb_frame):
            found = origin_of(trace.tb_frame.f_code, trace.tb_lasti)
        trace = trace.tb_next
    return found
