"""The server of `namedtensor lsp`: findings, shapes, mends, declarations and renamings for editors.

Documents are checked at each change, Python after a pause, by a worker process. What is being typed is
read and never imported; files are imported where they are opened and saved, in a trusted workspace.
"""

from __future__ import annotations

import ast
import asyncio
import functools
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from namedtensor.check.asking import LIMIT
from namedtensor.check.checking import Checked, Checker
from namedtensor.check.pieces import DOCUMENTS, Program, UnreadableError, program_in
from namedtensor.check.renaming import declaration_at, letter_at, places_of_axis
from namedtensor.latex.findings import Finding
from namedtensor.latex.source import Source, Span

_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Information,
}


@dataclass(slots=True)
class Settings:
    """What an editor chooses: whether files may be imported, whether shapes stand in the lines, the pause."""

    trusted: bool = False
    inlay: bool = True
    python: str = ""
    pause: float = 0.4

    def take(self, given: Any) -> None:
        """Take what is given as data, and leave the rest as it is."""
        given = given.get("namedtensor", given) if isinstance(given, dict) else {}
        for name, kind in (("trusted", bool), ("inlay", bool), ("python", str), ("pause", float)):
            value = given.get(name)
            if isinstance(value, int) and kind is float and not isinstance(value, bool):
                value = float(value)
            if isinstance(value, kind):
                setattr(self, name, value)


@dataclass(slots=True)
class Known:
    """What was found in one text: its findings, and the shapes of its parts."""

    version: int | None = None
    checked: Checked | None = None
    waiting: asyncio.TimerHandle | None = None
    shown: set[str] = field(default_factory=set)


class Server(LanguageServer):
    """One editor's server."""

    def __init__(self) -> None:
        super().__init__(
            "namedtensor",
            "1",
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            notebook_document_sync=lsp.NotebookDocumentSyncOptions(
                notebook_selector=[
                    lsp.NotebookDocumentFilterWithNotebook(
                        notebook="jupyter-notebook",
                        cells=[lsp.NotebookCellLanguage(language="python")],
                    )
                ],
                save=True,
            ),
        )
        self.settings = Settings()
        self.known: dict[str, Known] = {}
        self.reader = Checker(imports=False)
        self.pool = ThreadPoolExecutor(max_workers=2)

    # ------------------------------------------------------------------------------- checking

    def changed(self, uri: str, run: bool = False) -> None:
        """Check a text soon; `run` says that it was opened or saved, and may be imported."""
        known = self.known.setdefault(uri, Known())
        if known.waiting is not None:
            known.waiting.cancel()
        plain = Path(_file(uri)).suffix in DOCUMENTS
        pause = 0.0 if plain or run else self.settings.pause
        loop = asyncio.get_running_loop()
        # what the axes of a document mean is asked where nobody types: it takes longer
        meaning = run or not plain
        trusted = run and self.settings.trusted
        known.waiting = loop.call_later(
            pause, lambda: asyncio.ensure_future(self._check(uri, trusted, meaning))
        )

    async def _check(self, uri: str, run: bool, meaning: bool) -> None:
        text, version = self.text_of(uri)
        if text is None:
            return
        loop = asyncio.get_running_loop()
        work = functools.partial(self._checked, _file(uri), text, run, meaning)
        checked = await loop.run_in_executor(self.pool, work)
        if self.text_of(uri)[1] != version:
            return  # it has changed meanwhile, and is checked again
        known = self.known.setdefault(uri, Known())
        known.version, known.checked = version, checked
        self._publish(uri, known, text, version)
        if not meaning:
            known.waiting = loop.call_later(
                self.settings.pause, lambda: asyncio.ensure_future(self._check(uri, run, True))
            )
        if self.settings.inlay and checked.parts:
            refresh = getattr(self.client_capabilities.workspace, "inlay_hint", None)
            if refresh is not None and refresh.refresh_support:
                self.workspace_inlay_hint_refresh(None)

    def _checked(self, file: str, text: str, run: bool, meaning: bool) -> Checked:
        """Check a text in another thread; each import has a process of its own, which is new."""
        try:
            if not run:
                return self.reader.check(file, text, parts=True, meaning=meaning)
            with Checker(True, self.settings.python, LIMIT) as checker:
                return checker.check(file, text, parts=True)
        except Exception as error:  # the server outlives what it cannot read
            return Checked(file, refused=f"{file}: {type(error).__name__}: {error}")

    def _publish(self, uri: str, known: Known, text: str, version: int | None) -> None:
        checked = known.checked
        assert checked is not None
        found: dict[str, list[lsp.Diagnostic]] = {uri: []} if not _is_notebook(uri) else {}
        for finding in checked.findings:
            place = self.uri_of(uri, finding.source.name)
            found.setdefault(place, []).append(self._diagnostic(place, finding))
        if checked.refused:
            place = uri if not _is_notebook(uri) else next(iter(self.cells(uri)), uri)
            found.setdefault(place, []).append(_refusal(checked.refused))
        for place in known.shown - set(found):
            found[place] = []
        known.shown = {place for place in found if found[place]}
        for place, diagnostics in found.items():
            self.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(
                    place, diagnostics, version=version if place == uri else None
                )
            )

    def _diagnostic(self, uri: str, finding: Finding) -> lsp.Diagnostic:
        lines = [finding.message, *[f"  {name} : {shape}" for name, shape in finding.shapes]]
        lines += [*finding.calls, *([f"hint: {finding.hint}"] if finding.hint else [])]
        return lsp.Diagnostic(
            self.range_of(uri, finding.source, finding.span),
            "\n".join(lines),
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            source="namedtensor",
        )

    # --------------------------------------------------------------------- texts and positions

    def text_of(self, uri: str) -> tuple[str | None, int | None]:
        """Give a text and its version; a notebook's is that of its file."""
        if _is_notebook(uri):
            notebook = self.workspace.get_notebook_document(notebook_uri=uri)
            if notebook is None:
                return None, None
            cells = []
            for cell in notebook.cells:
                code = cell.kind == lsp.NotebookCellKind.Code
                source = self.workspace.get_text_document(cell.document).source if code else ""
                cells.append({"cell_type": "code" if code else "markdown", "source": source})
            return json.dumps({"cells": cells}), hash(json.dumps(cells))
        documents = self.workspace.text_documents
        return (documents[uri].source, documents[uri].version) if uri in documents else (None, None)

    def cells(self, uri: str) -> dict[str, str]:
        """Give the cells of a notebook, each with the name that it has in findings."""
        notebook = self.workspace.get_notebook_document(notebook_uri=uri)
        cells = notebook.cells if notebook is not None else []
        return {cell.document: f"{_file(uri)}:cell {i}" for i, cell in enumerate(cells, 1)}

    def uri_of(self, uri: str, name: str) -> str:
        """Find the text in which a source stands."""
        return next((cell for cell, own in self.cells(uri).items() if own == name), uri)

    def home_of(self, uri: str) -> tuple[str, str]:
        """Give the file in which a text is checked, and the name of its source there."""
        for notebook in self.workspace.notebook_documents:
            name = self.cells(notebook).get(uri)
            if name is not None:
                return notebook, name
        return uri, _file(uri)

    def range_of(self, uri: str, source: Source, span: Span) -> lsp.Range:
        """Give a span as the editor counts."""
        (line, column), (end, last) = source.position(span.start), source.position(span.end)
        plain = lsp.Range(lsp.Position(line - 1, column - 1), lsp.Position(end - 1, last - 1))
        lines = [text + "\n" for text in source.text.split("\n")]
        return self.workspace.position_codec.range_to_client_units(lines, plain)

    def offset_of(self, document: TextDocument, position: lsp.Position) -> int:
        """Give a position of the editor as a place in the text."""
        lines = [text + "\n" for text in document.source.split("\n")]
        plain = self.workspace.position_codec.position_from_client_units(lines, position)
        return Source(document.source).offset(plain.line + 1, plain.character + 1)


def _refusal(text: str) -> lsp.Diagnostic:
    place = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    return lsp.Diagnostic(
        place, text, severity=lsp.DiagnosticSeverity.Error, code="unreadable", source="namedtensor"
    )


def _file(uri: str) -> str:
    return to_fs_path(uri) or uri


def _is_notebook(uri: str) -> bool:
    return _file(uri).endswith(".ipynb")


def program_of(file: str, text: str) -> Program | None:
    """Give the Python of a text that is being typed, if it can be read."""
    try:
        return program_in(file, text)
    except UnreadableError:
        return None


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


def _characters(source: Source, line: int, column: int) -> int:
    """Give a place in characters, where Python counts bytes of a line."""
    before = source.line(line).encode()[:column].decode(errors="replace")
    return source.offset(line, len(before) + 1)


def make_server() -> Server:
    """Make a server that knows all its jobs."""
    server = Server()

    @server.feature(lsp.INITIALIZED)
    def initialized(ls: Server, params: lsp.InitializedParams) -> None:
        pass

    @server.feature(lsp.INITIALIZE)
    def initialize(ls: Server, params: lsp.InitializeParams) -> None:
        ls.settings.take(params.initialization_options)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: Server, params: lsp.DidChangeConfigurationParams) -> None:
        ls.settings.take(params.settings)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.changed(ls.home_of(params.text_document.uri)[0], run=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def typed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
        ls.changed(ls.home_of(params.text_document.uri)[0])

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(ls: Server, params: lsp.DidSaveTextDocumentParams) -> None:
        ls.changed(ls.home_of(params.text_document.uri)[0], run=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        if ls.known.pop(uri, None) is not None:
            ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    async def opened_notebook(ls: Server, params: lsp.DidOpenNotebookDocumentParams) -> None:
        ls.changed(params.notebook_document.uri, run=True)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    async def typed_notebook(ls: Server, params: lsp.DidChangeNotebookDocumentParams) -> None:
        ls.changed(params.notebook_document.uri)

    @server.feature(lsp.NOTEBOOK_DOCUMENT_DID_SAVE)
    async def saved_notebook(ls: Server, params: lsp.DidSaveNotebookDocumentParams) -> None:
        ls.changed(params.notebook_document.uri, run=True)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
        uri = params.text_document.uri
        home, name = ls.home_of(uri)
        document = ls.workspace.get_text_document(uri)
        at = ls.offset_of(document, params.position)
        known = ls.known.get(home)
        if Path(name).suffix in DOCUMENTS:
            found = letter_at(document.source, at)
            if found is not None:
                return _hover(ls, uri, Source(document.source), *found)
        if known is None or known.checked is None:
            return None
        around = [
            part
            for part in known.checked.parts
            if part.source.name == name
            and part.span.start <= at <= part.span.end
            and part.source.text == document.source
        ]
        if not around:
            return None
        part = min(around, key=lambda part: part.span.end - part.span.start)
        text = part.source.text[part.span.start : part.span.end]
        return _hover(ls, uri, part.source, part.span, f"{' '.join(text.split())} : {part.shape}")

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def inlay(ls: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        uri = params.text_document.uri
        home, name = ls.home_of(uri)
        known = ls.known.get(home)
        if not ls.settings.inlay or known is None or known.checked is None:
            return []
        document = ls.workspace.get_text_document(uri)
        program = program_of(_file(home), ls.text_of(home)[0] or "")
        shapes = {
            (part.span.start, part.span.end): part.shape
            for part in known.checked.parts
            if part.source.name == name and part.source.text == document.source
        }
        hints = []
        for piece in program.pieces if program is not None else ():
            if piece.source.name != name:
                continue
            for (line, end), (first, start, last, stop) in assignments(piece.code):
                shift = piece.shift
                span = (
                    _characters(piece.source, first, start + shift),
                    _characters(piece.source, last, stop + shift),
                )
                if span in shapes:
                    at = _characters(piece.source, line, end + shift)
                    place = ls.range_of(uri, piece.source, Span(at, at)).start
                    hints.append(
                        lsp.InlayHint(place, f": {shapes[span]}", kind=lsp.InlayHintKind.Type)
                    )
        return hints

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def mends(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        uri = params.text_document.uri
        home, name = ls.home_of(uri)
        known = ls.known.get(home)
        document = ls.workspace.get_text_document(uri)
        actions = []
        for finding in known.checked.findings if known is not None and known.checked else ():
            mend, source = finding.mend, finding.source
            if mend is None or source.name != name or source.text != document.source:
                continue
            place = ls.range_of(uri, source, finding.span)
            if (
                place.start.line <= params.range.end.line
                and params.range.start.line <= place.end.line
            ):
                edit = lsp.TextEdit(ls.range_of(uri, source, mend.span), mend.text)
                actions.append(
                    lsp.CodeAction(
                        f"write {mend.text}",
                        kind=lsp.CodeActionKind.QuickFix,
                        diagnostics=[ls._diagnostic(uri, finding)],
                        is_preferred=True,
                        edit=lsp.WorkspaceEdit(changes={uri: [edit]}),
                    )
                )
        return actions

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
        uri = params.text_document.uri
        document = ls.workspace.get_text_document(uri)
        home, _ = ls.home_of(uri)
        at = ls.offset_of(document, params.position)
        for other, text in _texts(ls, uri, home):
            found = declaration_at(_file(home), document.source, at, text)
            if found is not None:
                return lsp.Location(other, ls.range_of(other, Source(text), found))
        return None

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def rename(ls: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        uri = params.text_document.uri
        document = ls.workspace.get_text_document(uri)
        home, _ = ls.home_of(uri)
        at = ls.offset_of(document, params.position)
        changes: dict[str, list[lsp.TextEdit]] = {}
        for other, text in _texts(ls, uri, home):
            edits = places_of_axis(_file(home), document.source, at, text, params.new_name)
            if edits:
                changes[other] = [
                    lsp.TextEdit(ls.range_of(other, Source(text), span), new) for span, new in edits
                ]
        return lsp.WorkspaceEdit(changes=dict(changes)) if changes else None

    return server


def _texts(ls: Server, uri: str, home: str) -> list[tuple[str, str]]:
    """Give the texts that belong together: the cells of a notebook, or the text alone."""
    uris = list(ls.cells(home)) if _is_notebook(home) else [uri]
    return [(other, ls.workspace.get_text_document(other).source) for other in uris]


def _hover(ls: Server, uri: str, source: Source, span: Span, text: str) -> lsp.Hover:
    code = lsp.MarkupContent(lsp.MarkupKind.Markdown, f"```\n{text}\n```")
    return lsp.Hover(code, range=ls.range_of(uri, source, span))
