"""The server as Emacs, Neovim and VS Code speak to it: each counts the columns of a line in its own way."""

import sys

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.check.test_editor import PAGE
from tests.check.test_python_files import FAULTY, HEAD

#: What each editor counts.
UNITS = {
    "emacs": len,
    "neovim": lambda text: len(text.encode()),
    "visual_studio_code": lambda text: len(text.encode("utf-16-le")) // 2,
}
TEXT = HEAD + "# 😀 字 𝔸\n" + FAULTY.replace("    return", "    '😀字'; return")
SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "namedtensor", "lsp"])


@pytest_lsp.fixture(params=UNITS, config=SERVER)
async def client(request, lsp_client: LanguageClient):
    lsp_client.protocol.fm.feature("workspace/inlayHint/refresh")(lambda *_: None)
    await lsp_client.initialize_session(
        lsp.InitializeParams(
            capabilities=client_capabilities(request.param),
            root_uri=None,
            initialization_options={"pause": 0.05},
        )
    )
    yield lsp_client
    await lsp_client.shutdown_session()


async def said(client, uri):
    await client.wait_for_notification("textDocument/publishDiagnostics")
    return client.diagnostics[uri]


def opened(client, uri, language, text):
    document = lsp.TextDocumentItem(uri, language, 1, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))


@pytest.mark.asyncio
async def test_a_fault_is_shown_mended_and_gone(client, tmp_path, request):
    count = UNITS[request.node.callspec.params["client"]]
    uri = (tmp_path / "a.py").as_uri()
    opened(client, uri, "python", TEXT)
    (found,) = await said(client, uri)
    line = TEXT.splitlines()[found.range.start.line]
    start, end = line.index("Q @ val"), line.index("@ K") + len("@ K")
    assert found.range.start.character == count(line[:start])
    assert found.range.end.character == count(line[:end])

    here = lsp.TextDocumentIdentifier(uri)
    asked = lsp.CodeActionParams(here, found.range, lsp.CodeActionContext([found]))
    mend, *_ = await client.text_document_code_action_async(asked)
    (edit,) = mend.edit.changes[uri]
    assert edit.new_text == "key"
    assert edit.range.start.character == count(line[: line.index("val")])
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(uri=uri, version=2),
            [lsp.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)],
        )
    )
    assert not await said(client, uri)


@pytest.mark.asyncio
async def test_hovering_over_a_part_of_a_formula_shows_its_shape(client, tmp_path):
    uri = (tmp_path / "a.md").as_uri()
    opened(client, uri, "markdown", PAGE)
    await said(client, uri)
    place = lsp.Position(8, PAGE.splitlines()[8].index(r"\underset{\text{emb}}"))
    found = await client.text_document_hover_async(
        lsp.HoverParams(lsp.TextDocumentIdentifier(uri), place)
    )
    assert "hid seq" in found.contents.value
