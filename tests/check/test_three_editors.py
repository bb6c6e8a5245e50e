"""The server as Emacs, Neovim and VS Code speak to it: each counts the columns of a line in its own way."""

import asyncio
import sys

import pytest
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, client_capabilities

from tests.check.test_editor import PAGE
from tests.check.test_python_files import FAULTY, HEAD
from tests.shares import first

#: What each editor counts.
UNITS = {
    "emacs": len,
    "neovim": lambda text: len(text.encode()),
    "visual_studio_code": lambda text: len(text.encode("utf-16-le")) // 2,
}
TEXT = HEAD + "# 😀 字 𝔸\n" + FAULTY.replace("    return", "    '😀字'; return")
SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "namedtensor", "lsp"])


def speak(editor, conversation):
    """Start a server, let a client with the capabilities of an editor speak to it, and shut it down."""

    async def run():
        client = await SERVER.start()
        client.protocol.fm.feature("workspace/inlayHint/refresh")(lambda *_: None)
        asked = lsp.InitializeParams(
            capabilities=client_capabilities(editor),
            root_uri=None,
            initialization_options={"pause": 0.05},
        )
        await client.initialize_session(asked)
        await conversation(client)
        await client.shutdown_session()

    asyncio.run(run())


async def said(client, uri):
    await client.wait_for_notification("textDocument/publishDiagnostics")
    return client.diagnostics[uri]


def opened(client, uri, language, text):
    document = lsp.TextDocumentItem(uri, language, 1, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))


@pytest.mark.parametrize("editor", UNITS)
def test_a_fault_is_shown_mended_and_gone(editor, tmp_path):
    count, uri = UNITS[editor], (tmp_path / "a.py").as_uri()

    async def conversation(client):
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
        changed = lsp.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text)
        later = lsp.VersionedTextDocumentIdentifier(uri=uri, version=2)
        client.text_document_did_change(lsp.DidChangeTextDocumentParams(later, [changed]))
        assert not await said(client, uri)

    speak(editor, conversation)


@pytest.mark.parametrize("editor", first(1, UNITS))
def test_hovering_over_a_part_of_a_formula_shows_its_shape(editor, tmp_path):
    uri = (tmp_path / "a.md").as_uri()

    async def conversation(client):
        opened(client, uri, "markdown", PAGE)
        await said(client, uri)
        place = lsp.Position(8, PAGE.splitlines()[8].index(r"\underset{\text{emb}}"))
        asked = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), place)
        found = await client.text_document_hover_async(asked)
        assert "hid seq" in found.contents.value

    speak(editor, conversation)
