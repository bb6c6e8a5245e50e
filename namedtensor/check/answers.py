"""Answers to editors: the shape of a part, shapes at assignments, mends, declarations, renamings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from namedtensor.check.formulas import Part
from namedtensor.check.pieces import DOCUMENTS, UnreadableError, program_in
from namedtensor.check.renaming import (
    binding_at,
    declaration_at,
    definitions_in,
    letter_at,
    places_of_axis,
)
from namedtensor.latex.source import Source, Span

if TYPE_CHECKING:
    from namedtensor.check.server import Server


def parts_of(ls: Server, uri: str) -> list[Part]:
    """Give the parts of a text, with shapes, as the text is now."""
    home, name = ls.home_of(uri)
    known = ls.known.get(home)
    text = ls.workspace.get_text_document(uri).source
    parts = known.checked.parts if known is not None and known.checked is not None else []
    return [part for part in parts if part.source.name == name and part.source.text == text]


# ------------------------------------------------------------------------------------------ hover


def hover(ls: Server, uri: str, position: lsp.Position) -> lsp.Hover | None:
    """Show the shape of the part under the cursor, or the declaration of a letter or a name."""
    document = ls.workspace.get_text_document(uri)
    at = ls.offset_of(document, position)
    if Path(ls.home_of(uri)[1]).suffix in DOCUMENTS:
        found = letter_at(document.source, at)
        if found is not None:
            return _hover(ls, uri, Source(document.source), *found)
    parts = parts_of(ls, uri)
    bound = binding_at(ls.home_of(uri)[1], document.source, at)
    if bound is not None:
        span, said, value = bound
        shape = next((part.shape for part in parts if part.span == value), None)
        if value is None or shape is not None:
            text = said if value is None else f"{said} : {shape}"
            return _hover(ls, uri, Source(document.source), span, text)
    around = [part for part in parts if part.span.start <= at <= part.span.end]
    if not around:
        return None
    part = min(around, key=lambda part: part.span.end - part.span.start)
    text = part.source.text[part.span.start : part.span.end]
    return _hover(ls, uri, part.source, part.span, f"{' '.join(text.split())} : {part.shape}")


def _hover(ls: Server, uri: str, source: Source, span: Span, text: str) -> lsp.Hover:
    code = lsp.MarkupContent(lsp.MarkupKind.Markdown, f"```\n{text}\n```")
    return lsp.Hover(code, range=ls.range_of(uri, source, span))


# ----------------------------------------------------------------------------------------- inlays


def inlays(ls: Server, uri: str) -> list[lsp.InlayHint]:
    """Give the shape of each name that is assigned or defined, to stand behind it."""
    shapes = {(part.span.start, part.span.end): part for part in parts_of(ls, uri)}
    hints = []
    for at, span in assigned(ls, uri) if shapes else ():
        part = shapes.get((span.start, span.end))
        if part is not None:
            place = ls.range_of(uri, part.source, Span(at, at)).start
            hints.append(lsp.InlayHint(place, f": {part.shape}", kind=lsp.InlayHintKind.Type))
    return hints


def assigned(ls: Server, uri: str) -> Iterator[tuple[int, Span]]:
    """Give where each name that is assigned or defined ends, and where its value stands."""
    home, name = ls.home_of(uri)
    if Path(name).suffix in DOCUMENTS:
        yield from definitions_in(ls.workspace.get_text_document(uri).source)
    try:
        program = program_in(ls.file_of(home), ls.text_of(home)[0] or "")
    except UnreadableError:
        return
    for piece in program.pieces:
        if piece.source.name == name:
            for (line, end), (first, start, last, stop) in assignments(piece.code):
                shift, source = piece.shift, piece.source
                span = Span(
                    source.offset_of_bytes(first, start + shift),
                    source.offset_of_bytes(last, stop + shift),
                )
                yield source.offset_of_bytes(line, end + shift), span


def assignments(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int, int, int]]]:
    """Give where each name that is assigned ends, and where its value stands; columns count bytes."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(target.elts, value.elts, strict=False))
        for name, part in pairs:
            if isinstance(name, ast.Name):
                end = (name.end_lineno or 0, name.end_col_offset or 0)
                place = (
                    part.lineno,
                    part.col_offset,
                    part.end_lineno or 0,
                    part.end_col_offset or 0,
                )
                yield end, place


# --------------------------------------------------------------------------------- mends and names


def mends(ls: Server, uri: str, range_: lsp.Range) -> list[lsp.CodeAction]:
    """Give the certain mends of the findings on these lines."""
    home, name = ls.home_of(uri)
    known = ls.known.get(home)
    document = ls.workspace.get_text_document(uri)
    actions = []
    for finding in known.checked.findings if known is not None and known.checked else ():
        mend, source = finding.mend, finding.source
        if mend is None or source.name != name or source.text != document.source:
            continue
        place = ls.range_of(uri, source, finding.span)
        if place.start.line <= range_.end.line and range_.start.line <= place.end.line:
            edit = lsp.TextEdit(ls.range_of(uri, source, mend.span), mend.text)
            actions.append(
                lsp.CodeAction(
                    f"write {mend.text}",
                    kind=lsp.CodeActionKind.QuickFix,
                    diagnostics=[ls.diagnostic(uri, finding)],
                    is_preferred=True,
                    edit=lsp.WorkspaceEdit(changes={uri: [edit]}),
                )
            )
    return actions


def definition(ls: Server, uri: str, position: lsp.Position) -> lsp.Location | None:
    """Find the declaration of the name under the cursor."""
    document = ls.workspace.get_text_document(uri)
    home, _ = ls.home_of(uri)
    at = ls.offset_of(document, position)
    for other, text in ls.texts(uri):
        found = declaration_at(ls.file_of(home), document.source, at, text)
        if found is not None:
            return lsp.Location(other, ls.range_of(other, Source(text), found))
    return None


def rename(ls: Server, uri: str, position: lsp.Position, new_name: str) -> lsp.WorkspaceEdit | None:
    """Rename the axis under the cursor in all texts that belong together."""
    document = ls.workspace.get_text_document(uri)
    home, _ = ls.home_of(uri)
    at = ls.offset_of(document, position)
    changes: dict[str, list[lsp.TextEdit]] = {}
    for other, text in ls.texts(uri):
        edits = places_of_axis(ls.file_of(home), document.source, at, text, new_name)
        if edits:
            changes[other] = [
                lsp.TextEdit(ls.range_of(other, Source(text), span), new) for span, new in edits
            ]
    return lsp.WorkspaceEdit(changes=dict(changes)) if changes else None
