"""What a name under the cursor stands for: where it is declared, and where else it means the same."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from namedtensor.check.pieces import DOCUMENTS, MARKDOWN, UnreadableError, program_in
from namedtensor.latex.source import Source, Span


def _is_latex(file: str) -> bool:
    return Path(file).suffix in DOCUMENTS


# ------------------------------------------------------------------------------------------ LaTeX


@functools.lru_cache(maxsize=8)
def _statements(text: str) -> tuple[Any, ...]:
    """Read a document's statements; an editor asks often of the same text."""
    from namedtensor.latex import read

    return tuple(read(text, "<editor>").reading.statements)


def _parts(text: str) -> Iterator[tuple[Any, Any]]:
    """Give the parts of a document's statements, each with its statement."""
    from namedtensor.latex.walk import walk

    for statement in _statements(text):
        for part in walk(statement):
            if hasattr(part, "span"):
                yield part, statement


def definitions_in(text: str) -> Iterator[tuple[int, Span]]:
    """Give where the name of each definition ends, with its arguments, and where its value stands."""
    from namedtensor.latex.syntax import Definition

    for statement in _statements(text):
        if isinstance(statement, Definition):
            yield statement.target.span.end, statement.body.span


def _innermost(text: str, at: int, kinds: tuple[type, ...]) -> Any:
    """Find the smallest part of these kinds around a place."""
    parts: list[Any] = [part for part, _ in _parts(text) if isinstance(part, kinds)]
    around = [part for part in parts if part.span.start <= at <= part.span.end]
    return min(around, key=lambda p: p.span.end - p.span.start) if around else None


def letter_at(text: str, at: int) -> tuple[Span, str] | None:
    """Give the letter under the cursor with its declaration, as it is written."""
    from namedtensor.latex.syntax import Declaration, Letter

    letter = _innermost(text, at, (Letter,))
    if letter is None:
        return None
    found = None
    for part, statement in _parts(text):
        declares = isinstance(statement, Declaration) and part in statement.names
        before = found is None or statement.span.start <= at
        if declares and before and _first_letter(part) == letter.text:
            found = statement
    if found is None:
        return None
    space = text[found.space.span.start : found.space.span.end]
    return letter.span, f"{letter.text} : {' '.join(space.split())}"


def _first_letter(part: Any) -> str:
    from namedtensor.latex.syntax import Letter
    from namedtensor.latex.walk import walk

    return next((p.text for p in walk(part) if isinstance(p, Letter)), "")


def _latex_declaration(text: str, at: int) -> Span | None:
    from namedtensor.latex.syntax import AxisName, Declaration, Definition, Letter

    part = _innermost(text, at, (Letter, AxisName))
    if isinstance(part, AxisName):
        return next(p.span for p, _ in _parts(text) if isinstance(p, AxisName) and _same(p, part))
    found: dict[type, Span] = {}
    for other, statement in _parts(text) if part is not None else ():
        kind = type(statement)
        declares = kind is Declaration and other in statement.names
        defines = kind is Definition and other is statement.target
        before = kind not in found or statement.span.start <= at
        if (declares or defines) and before and _first_letter(other) == part.text:
            found[kind] = other.span
    return found.get(Declaration) or found.get(Definition)


def _same(a: Any, b: Any) -> bool:
    return bool(a.name.rstrip("'*") == b.name.rstrip("'*"))


# ----------------------------------------------------------------------------------------- Python


def _name_at(file: str, text: str, at: int) -> str | None:
    """Give the name of Python under the cursor; in a string that names axes, the axis."""
    for node, source, shift in _nodes(file, text):
        if isinstance(node, ast.Name | ast.arg):
            span = _span(source, node, shift)
            if span.start <= at <= span.end:
                return node.id if isinstance(node, ast.Name) else node.arg
        elif isinstance(node, ast.Call) and _makes_axes(node):
            for string in _strings_in(node):
                span = _span(source, string, shift)
                for word in re.finditer(r"\w+", source.text[span.start : span.end]):
                    if word.start() <= at - span.start <= word.end():
                        return word.group()
    return None


def binding_at(file: str, text: str, at: int) -> tuple[Span, str, Span | None] | None:
    """Give the name under the cursor that a function binds, with its annotation or its value's place."""
    nodes = list(_nodes(file, text))
    under = None
    for node, source, shift in nodes:
        if isinstance(node, ast.Name | ast.arg) and _holds(_span(source, node, shift), at):
            under = node, source, _span(source, node, shift)
    if under is None:
        return None
    node, source, span = under
    name = node.id if isinstance(node, ast.Name) else node.arg
    around = [
        (function, shift)
        for function, own, shift in nodes
        if isinstance(function, ast.FunctionDef) and own is source
        if function.lineno <= node.lineno <= (function.end_lineno or 0)
    ]
    for function, shift in reversed(around):
        values = [
            _span(source, part.value, shift)
            for part in ast.walk(function)
            if isinstance(part, ast.Assign) and len(part.targets) == 1
            if getattr(part.targets[0], "id", "") == name and part.lineno <= node.lineno
        ]
        before = [value for value in values if value.end <= at or value.start > span.end]
        if before:
            return span, name, max(before, key=lambda value: value.start)
        for part in ast.walk(function.args):
            if isinstance(part, ast.arg) and part.arg == name and part.annotation is not None:
                return span, f"{name} : {ast.unparse(part.annotation)}", None
    return None


def _holds(span: Span, at: int) -> bool:
    return span.start <= at < span.end


def _strings_in(call: ast.Call) -> list[ast.Constant]:
    inside = [part for argument in call.args for part in ast.walk(argument)]
    return [n for n in inside if isinstance(n, ast.Constant)]


def _nodes(file: str, text: str) -> Iterator[tuple[ast.AST, Source, int]]:
    name = "cell.py" if file.endswith(".ipynb") else file
    try:
        program = program_in(name, text)
    except UnreadableError:
        return
    for piece in program.pieces:
        for node in ast.walk(ast.parse(piece.code)):
            yield node, piece.source, piece.shift


def _span(source: Source, node: Any, shift: int) -> Span:
    """Give the span of a node; the ast counts bytes."""
    ends = []
    name = getattr(node, "arg", None)
    end_line, end_column = node.end_lineno, node.end_col_offset
    if isinstance(name, str):  # without its annotation
        end_line, end_column = node.lineno, node.col_offset + len(name.encode())
    for line, column in ((node.lineno, node.col_offset), (end_line, end_column)):
        ends.append(source.offset_of_bytes(line, column + shift))
    return Span(*ends)


def _python_declaration(file: str, name: str, text: str) -> Span | None:
    for node, source, shift in _nodes(file, text):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
            return _span(source, node, shift)
        if isinstance(node, ast.arg) and node.arg == name:
            return _span(source, node, shift)
        if isinstance(node, ast.FunctionDef) and node.name == name:
            start = _span(source, node, shift).start + len("def ")
            return Span(start, start + len(name))
    return None


def _axis_edits(file: str, name: str, text: str, new: str) -> Iterator[tuple[Span, str]]:
    """Rename an axis: its name in Python, and in the strings that make or name axes."""
    word = re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)")
    for node, source, shift in _nodes(file, text):
        if isinstance(node, ast.Name) and node.id == name:
            yield _span(source, node, shift), new
        elif isinstance(node, ast.Call) and _makes_axes(node):
            for string in _strings_in(node):
                span = _span(source, string, shift)
                for match in word.finditer(source.text, span.start, span.end):
                    yield Span(match.start(), match.end()), new


def _makes_axes(node: ast.expr) -> bool:
    made = node.func if isinstance(node, ast.Call) else None
    return getattr(made, "attr", getattr(made, "id", "")) == "axes"


def _axes_made(file: str, text: str) -> set[str]:
    """Give the names that a text binds to axes."""
    found: set[str] = set()
    for node, _, _ in _nodes(file, text):
        if isinstance(node, ast.Assign) and _makes_axes(node.value):
            found |= {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return found


# ------------------------------------------------------------------------------------------- both


def declaration_at(file: str, text: str, at: int, within: str) -> Span | None:
    """Find, within a text, the declaration of the name that stands under the cursor of another one."""
    if not file.endswith(".ipynb") and _is_latex(file):
        found = _latex_declaration(text, at)
        if found is not None or Path(file).suffix not in MARKDOWN:
            return found
    name = _name_at(file, text, at)
    return None if name is None else _python_declaration(file, name, within)


def places_of_axis(file: str, text: str, at: int, within: str, new: str) -> list[tuple[Span, str]]:
    """Give what to write where, to rename the axis under the cursor."""
    if not new.isidentifier():
        return []
    if not file.endswith(".ipynb") and _is_latex(file):
        from namedtensor.latex.syntax import AxisName

        part = _innermost(text, at, (AxisName,))
        if part is not None:
            stem = part.name.rstrip("'*")
            word = re.compile(rf"(?<!\w){re.escape(stem)}(?!\w)")
            found = []
            for other, _ in _parts(within):
                if isinstance(other, AxisName) and _same(other, part):
                    match = word.search(within, other.span.start, other.span.end)
                    if match is not None:
                        found.append((Span(match.start(), match.end()), new))
            return list(dict.fromkeys(found))
    name = _name_at(file, text, at)
    if name is None or (name not in _axes_made(file, text) | _axes_made(file, within)):
        return []
    return list(dict.fromkeys(_axis_edits(file, name, within, new)))
