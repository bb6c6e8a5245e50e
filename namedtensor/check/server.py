"""The server of `namedtensor lsp`: when it checks a text, and what it sends to editors unasked.

What editors ask is answered in `answers.py`. Documents are checked at each change, Python after a pause,
by a worker process. What is being typed is read and never imported; files are imported where they are
opened and saved, in a trusted workspace.
"""

from __future__ import annotations

import asyncio
import functools
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

from namedtensor.check.answers import definition, hover, inlays, mends, rename
from namedtensor.check.asking import LIMIT
from namedtensor.check.checking import Checked, Checker
from namedtensor.check.pieces import DOCUMENTS
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
        self.reader = Checker(imports=False, edits=True)
        self.pool = ThreadPoolExecutor(max_workers=2)

    # ------------------------------------------------------------------------------- checking

    def changed(self, uri: str, run: bool = False) -> None:
        """Check a text soon; `run` says that it was opened or saved, and may be imported."""
        known = self.known.setdefault(uri, Known())
        if known.waiting is not None:
            known.waiting.cancel()
        plain = Path(self.file_of(uri)).suffix in DOCUMENTS
        pause = 0.0 if plain or run else self.settings.pause
        loop = asyncio.get_running_loop()
        # rules about the meaning of axes take longer, and run only when nobody types
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
        work = functools.partial(self._checked, self.file_of(uri), text, run, meaning)
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
            found.setdefault(place, []).append(self.diagnostic(place, finding))
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

    def diagnostic(self, uri: str, finding: Finding) -> lsp.Diagnostic:
        """Write a finding as editors show it."""
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
        return {cell.document: f"{self.file_of(uri)}:cell {i}" for i, cell in enumerate(cells, 1)}

    def uri_of(self, uri: str, name: str) -> str:
        """Find the text in which a source stands."""
        return next((cell for cell, own in self.cells(uri).items() if own == name), uri)

    @staticmethod
    def file_of(uri: str) -> str:
        """Give the path of a text."""
        return to_fs_path(uri) or uri

    def home_of(self, uri: str) -> tuple[str, str]:
        """Give the file in which a text is checked, and the name of its source there."""
        for notebook in self.workspace.notebook_documents:
            name = self.cells(notebook).get(uri)
            if name is not None:
                return notebook, name
        return uri, self.file_of(uri)

    def texts(self, uri: str) -> list[tuple[str, str]]:
        """Give the texts that belong together: the cells of a notebook, or the text alone."""
        home, _ = self.home_of(uri)
        uris = list(self.cells(home)) if _is_notebook(home) else [uri]
        return [(other, self.workspace.get_text_document(other).source) for other in uris]

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


def _is_notebook(uri: str) -> bool:
    return Server.file_of(uri).endswith(".ipynb")


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
    def hovered(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
        return hover(ls, params.text_document.uri, params.position)

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def inlaid(ls: Server, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        return inlays(ls, params.text_document.uri) if ls.settings.inlay else []

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def mended(ls: Server, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        return mends(ls, params.text_document.uri, params.range)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(ls: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
        return definition(ls, params.text_document.uri, params.position)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def renamed(ls: Server, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        return rename(ls, params.text_document.uri, params.position, params.new_name)

    return server
