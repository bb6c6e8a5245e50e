"""Which lines of a file's functions ran while its formulas were traced, and which did not.

A formula is traced with some choices of its settings. A line that none of them reaches was not looked at.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

_BRANCHES = (ast.If, ast.For, ast.While, ast.Match, ast.Try, ast.IfExp)
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True)
class Reached:
    """The lines that ran, by the names of the sources.

    Nothing is noted where no function of the file has a branch: there every line runs.
    """

    files: frozenset[str]
    wanted: bool
    lines: set[tuple[str, int]] = field(default_factory=set)

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note the lines that run."""
        if not self.wanted:
            yield
            return

        def enter(frame: FrameType, event: str, given: Any) -> Any:
            if frame.f_code.co_filename not in self.files:
                return None
            frame.f_trace_opcodes = False
            return note

        def note(frame: FrameType, event: str, given: Any) -> Any:
            if event == "line":
                self.lines.add((frame.f_code.co_filename, frame.f_lineno))
            return note

        before = sys.gettrace()
        sys.settrace(enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def missed(self, file: str, function: ast.FunctionDef) -> list[tuple[int, int]]:
        """Give the first and the last lines of what did not run, if the function ran at all."""
        if not self.wanted or not self.entered(file, function):
            return []
        found: list[tuple[int, int]] = []
        for statement in self._unreached(file, function.body):
            first, last = statement.lineno, statement.end_lineno or statement.lineno
            if found and found[-1][1] + 1 >= first:
                found[-1] = (found[-1][0], last)
            else:
                found.append((first, last))
        return found

    def entered(self, file: str, function: ast.FunctionDef) -> bool:
        """Say whether any of a function ran."""
        return any(self._ran(file, statement) for statement in function.body)

    def _ran(self, file: str, statement: ast.stmt) -> bool:
        last = statement.end_lineno or statement.lineno
        return any((file, line) in self.lines for line in range(statement.lineno, last + 1))

    def _unreached(self, file: str, block: list[ast.stmt]) -> Iterator[ast.stmt]:
        """Give the statements that did not run, the outermost ones; to refuse computes nothing."""
        if _refuses(block):
            return
        for statement in block:
            if _does_nothing(statement):
                continue
            if not self._ran(file, statement):
                yield statement
            elif not isinstance(statement, _FUNCTIONS | ast.ClassDef):
                for inner in _blocks(statement):
                    yield from self._unreached(file, inner)


def branches(tree: ast.AST) -> bool:
    """Say whether a function in this tree has a branch, so that some of it may not run."""
    return any(
        isinstance(part, _BRANCHES)
        for node in ast.walk(tree)
        if isinstance(node, _FUNCTIONS)
        for part in ast.walk(node)
    )


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    found = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    found += [case.body for case in getattr(statement, "cases", [])]
    return found + [handler.body for handler in getattr(statement, "handlers", [])]


def _refuses(block: list[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], ast.Raise)


def _does_nothing(statement: ast.stmt) -> bool:
    plain = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return plain or isinstance(statement, ast.Pass | ast.Raise | ast.Global | ast.Nonlocal)
