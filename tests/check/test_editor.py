"""`namedtensor lsp`, as editors speak to it: findings, shapes, mends, declarations, renamings."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from namedtensor.check.checking import Checker
from tests.check.editor import Editor
from tests.check.test_python_files import ATT, FAULTY, HEAD, block, notebook
from tests.latex.fixtures import fixtures

pytest.importorskip("pygls")

HERE = Path(__file__).parent
LATEX = (
    r"$X \in \mathbb{R}^{\text{emb}}$, $Y \in \mathbb{R}^{\text{emb}}$ and "
    r"$f(X, Y) = X \underset{\text{mbe}}{\cdot} Y$" + "\n"
)
FILES = {
    "a.py": HEAD + FAULTY,
    "b.md": LATEX + "\n" + block(HEAD, FAULTY),
    "c.py": HEAD + "# 😀 字 𝔸\n" + FAULTY.replace("    return", "    '😀字'; return"),
    "d.tex": LATEX,
    "e.py": "def f(:\n",
    "f.py": "# %%\n" + HEAD + FAULTY,
    **{
        f"{folder}/{path.name}": path.read_text()
        for folder in ("faults", "strangers", "legal")
        for path in sorted((HERE / folder).glob("*.py"))
    },
    **{
        f"documents/{number}{Path(name).suffix if '.txt' not in name else '.md'}": text
        for number, (name, text) in enumerate(fixtures())
    },
}


@pytest.fixture(scope="module")
def editor():
    made = Editor(pause=0.05)
    yield made
    assert made.end() == 0


@pytest.fixture(scope="module")
def checker():
    with Checker(imports=False) as made:
        yield made


def uri_of(path: Path) -> str:
    return path.as_uri()


def whole(uri):
    ends = {"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}}
    return {"textDocument": {"uri": uri}, "range": ends}


@pytest.mark.parametrize("name", FILES)
def test_findings_are_those_of_the_command_line(editor, checker, tmp_path, name):
    path = tmp_path / Path(name).name
    path.write_text(FILES[name])
    editor.open(uri_of(path), FILES[name])
    shown = editor.published(uri_of(path))
    checked = checker.check(str(path), FILES[name])
    assert len(shown) == len(checked.findings) + bool(checked.refused)
    for finding, diagnostic in zip(checked.findings, shown, strict=False):
        start = diagnostic["range"]["start"]
        before = finding.source.line(finding.line)[: finding.column - 1]
        assert start["line"] == finding.line - 1
        assert start["character"] == len(before.encode("utf-16-le")) // 2
        assert diagnostic["code"] == finding.code
        assert diagnostic["message"].startswith(finding.message)
        assert finding.hint in diagnostic["message"]


def test_a_text_is_checked_again_when_it_changes(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    editor.open(uri, HEAD + FAULTY)
    assert editor.published(uri)
    line = 8
    start = (HEAD + FAULTY).splitlines()[line].index("val @ K")
    ends = [{"line": line, "character": start + shift} for shift in (0, 3)]
    editor.change(uri, 2, {"range": {"start": ends[0], "end": ends[1]}, "text": "key"})
    assert editor.published(uri, 2) == []


def test_of_many_quick_edits_the_last_is_shown(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    editor.open(uri, HEAD + ATT)
    for version in range(2, 22):
        text = HEAD + (FAULTY if version % 2 else ATT) + f"# {version}\n"
        editor.change(uri, version, {"text": text})
    assert editor.published(uri, 21)[0]["code"] == "axis-missing"


def test_hovering_shows_the_shape_of_the_part_under_the_cursor(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    text = HEAD + "# 😀\n" + ATT.replace("    return", "    '😀'; return")
    editor.open(uri, text)
    assert editor.published(uri) == []
    line = text.splitlines()[9]
    for part, shape in (
        ("@ key @ K", "Q @ key @ K : seq' seq"),
        ("nt.softmax", "nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key))) : seq' seq"),
        ("@ seq", "V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key))) : val seq'"),
    ):
        column = len(line[: line.index(part)].encode("utf-16-le")) // 2
        found = editor.ask("textDocument/hover", **editor.at(uri, 9, column))
        assert found["contents"]["value"] == f"```\n{shape}\n```"


def test_hovering_over_a_name_shows_its_declaration_or_the_shape_of_its_value(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    body = "    S = Q @ key @ K\n    '😀'; S = S / 2\n    return V @ seq @ nt.softmax[seq](S)\n"
    text = HEAD + ATT[: ATT.index("    return")] + body
    editor.open(uri, text)
    assert editor.published(uri) == []
    lines = text.splitlines()
    for line, part, shape in (
        (8, "Q", "Q : R[key, seq_]"),
        (8, "K", "K : R[key, seq]"),
        (10, "V", "V : R[seq, val]"),
        (9, "S / 2", "S : seq' seq"),
        (10, "S)", "S : seq' seq"),
        (10, "seq]", "nt.softmax[seq](S) : seq' seq"),
    ):
        column = len(lines[line][: lines[line].index(part)].encode("utf-16-le")) // 2
        found = editor.ask("textDocument/hover", **editor.at(uri, line, column))
        assert found["contents"]["value"] == f"```\n{shape}\n```"


def test_hovering_shows_shapes_also_before_a_fault(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    text = HEAD + FAULTY.replace("    return", "    S = Q @ key @ K\n    return")
    editor.open(uri, text)
    assert editor.published(uri)
    found = editor.ask("textDocument/hover", **editor.at(uri, 8, 12))
    assert found["contents"]["value"] == "```\nQ @ key @ K : seq' seq\n```"


def test_shapes_stand_at_assignments(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    text = HEAD + ATT.replace(
        "    return", "    S, T = Q @ key @ K, '字'\n    Z = S / 2\n    return"
    )
    editor.open(uri, text)
    assert editor.published(uri) == []
    hints = editor.ask("textDocument/inlayHint", **whole(uri))
    places = [(h["position"]["line"], h["position"]["character"], h["label"]) for h in hints]
    assert places == [(8, 5, ": seq' seq"), (9, 5, ": seq' seq")]


def test_a_certain_mend_is_a_quick_fix(editor, tmp_path):
    uri = uri_of(tmp_path / "a.md")
    editor.open(uri, LATEX, "markdown")
    (found,) = editor.published(uri)
    (action,) = editor.ask(
        "textDocument/codeAction",
        textDocument={"uri": uri},
        range=found["range"],
        context={"diagnostics": [found]},
    )
    (edit,) = action["edit"]["changes"][uri]
    start, end = edit["range"]["start"]["character"], edit["range"]["end"]["character"]
    editor.change(uri, 2, {"text": LATEX[:start] + edit["newText"] + LATEX[end:]})
    assert editor.published(uri, 2) == []


def actions(editor, uri, found):
    """Ask what may be done about a finding, as editors do."""
    return editor.ask(
        "textDocument/codeAction",
        textDocument={"uri": uri},
        range=found["range"],
        context={"diagnostics": [found]},
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", HEAD + FAULTY),
        ("b.py", HEAD + "# 😀 字 𝔸\n" + FAULTY.replace("    return", "    '😀字'; return")),
        ("c.py", "# %%\n" + HEAD + FAULTY),
        ("d.md", "# 😀\n\n" + block(HEAD, FAULTY)),
    ],
)
def test_a_certain_mend_of_python_is_a_quick_fix(editor, tmp_path, name, text):
    uri = uri_of(tmp_path / name)
    editor.open(uri, text)
    (found,) = editor.published(uri)
    (action,) = actions(editor, uri, found)
    assert (action["title"], action["kind"]) == ("write key", "quickfix")
    (edit,) = action["edit"]["changes"][uri]
    changed = in_utf_16(text, edit)
    assert changed == text.replace("@ val @", "@ key @")
    editor.change(uri, 2, {"range": edit["range"], "text": edit["newText"]})
    assert editor.published(uri, 2) == []


def in_utf_16(text, edit):
    """Make an edit whose columns count as editors count."""
    start, end = edit["range"]["start"], edit["range"]["end"]
    assert start["line"] == end["line"]
    lines = text.split("\n")
    line = lines[start["line"]].encode("utf-16-le")
    new = edit["newText"].encode("utf-16-le")
    line = line[: 2 * start["character"]] + new + line[2 * end["character"] :]
    lines[start["line"]] = line.decode("utf-16-le")
    return "\n".join(lines)


#: What each editor can count in, the first first; VS Code says nothing, and counts in UTF-16.
CLIENTS = {
    "VS Code": ([], "utf-16-le", 2),
    "Neovim": (["utf-8", "utf-16", "utf-32"], "utf-8", 1),
    "Emacs": (["utf-32", "utf-8", "utf-16"], "utf-32-le", 4),
}


@pytest.mark.parametrize(("encodings", "unit", "size"), CLIENTS.values(), ids=CLIENTS)
def test_positions_count_as_the_editor_counts(tmp_path, encodings, unit, size):
    client = Editor(encodings=encodings, pause=0.05)
    uri = uri_of(tmp_path / "a.py")
    text = HEAD + "# 😀 字 𝔸\n" + FAULTY.replace("    return", "    '😀字'; return")
    client.open(uri, text)
    (found,) = client.published(uri)
    (action,) = actions(client, uri, found)
    (edit,) = action["edit"]["changes"][uri]
    line = text.split("\n")[found["range"]["start"]["line"]]
    for place, word in ((found["range"], "Q @ val @ K"), (edit["range"], "val")):
        start = len(line[: line.index(word)].encode(unit)) // size
        ends = [place["start"]["character"], place["end"]["character"]]
        assert ends == [start, start + len(word)]
    at = edit["range"]["start"]
    shown = client.ask("textDocument/hover", **client.at(uri, at["line"], at["character"]))
    assert shown is None or "Q" in shown["contents"]["value"]
    client.change(uri, 2, {"range": edit["range"], "text": edit["newText"]})
    assert client.published(uri, 2) == []
    assert client.end() == 0


def children_of(process):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            text = stat.read_text()
            if int(text.rpartition(")")[2].split()[1]) == process:
                found.append(int(stat.parent.name))
    return found


def is_running(process):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_server_that_is_killed_leaves_no_process_and_the_next_one_knows_all(tmp_path):
    uri = uri_of(tmp_path / "a.py")
    first = Editor(pause=0.05)
    first.open(uri, HEAD + FAULTY)
    (found,) = first.published(uri)
    workers = children_of(first.process.pid)
    assert workers
    first.change(uri, 2, {"text": HEAD + FAULTY + "#\n"})
    first.close()
    second = Editor(pause=0.05)
    second.open(uri, HEAD + FAULTY)
    assert second.published(uri) == [found]
    assert second.end() == 0
    ended = time.monotonic() + 60
    while any(map(is_running, workers)) and time.monotonic() < ended:
        time.sleep(0.05)
    assert not any(map(is_running, workers))


def test_a_worker_that_is_killed_is_started_again(tmp_path):
    uri = uri_of(tmp_path / "a.py")
    client = Editor(pause=0.05)
    client.open(uri, HEAD + ATT)
    assert client.published(uri) == []
    for worker in children_of(client.process.pid):
        os.kill(worker, signal.SIGKILL)
    client.change(uri, 2, {"text": HEAD + FAULTY})
    client.published(uri, 2)
    client.change(uri, 3, {"text": HEAD + FAULTY + "#\n"})
    assert client.published(uri, 3)[0]["code"] == "axis-missing"
    assert client.end() == 0


@pytest.mark.parametrize("name", ["20_pooled_over_features", "01_softmax_over_queries"])
def test_what_is_not_certain_is_no_quick_fix(editor, tmp_path, name):
    text = (HERE / "faults" / f"{name}.py").read_text()
    uri = uri_of(tmp_path / "a.py")
    editor.open(uri, text)
    (found,) = editor.published(uri)
    assert "hint: " in found["message"]
    assert actions(editor, uri, found) == []


def test_a_letter_shows_its_declaration_and_leads_to_it(editor, tmp_path):
    uri = uri_of(tmp_path / "a.md")
    editor.open(uri, LATEX, "markdown")
    editor.published(uri)
    at = editor.at(uri, 0, LATEX.index(r"= X \under") + 2)
    assert (
        r"X : \mathbb{R}^{\text{emb}}"
        in editor.ask("textDocument/hover", **at)["contents"]["value"]
    )
    found = editor.ask("textDocument/definition", **at)
    assert found["range"]["start"] == {"line": 0, "character": 1}


PAGE = r"""# 😀 FFN

$$
X \in \mathbb{R}^{\text{seq}, \text{emb}} \quad W \in \mathbb{R}^{\text{emb}, \text{hid}} \quad
V \in \mathbb{R}^{\text{hid}, \text{emb}}
$$

$$
f(X; W, V) = V \underset{\text{hid}}{\cdot} \text{ReLU}(W \underset{\text{emb}}{\cdot} X)
$$

$$
Y = f(X; W, V) + X \quad Z = \underset{\text{seq}}{\text{softmax}} Y
$$
"""


def settled(editor, uri, text):
    """Open a document, and wait until both its findings and the shapes of its parts are known."""
    editor.open(uri, text, "markdown")
    editor.published(uri)


def test_hovering_shows_shapes_of_parts_of_latex(editor, tmp_path):
    uri = uri_of(tmp_path / "a.md")
    settled(editor, uri, PAGE)
    lines = PAGE.splitlines()
    for line, part, shape in (
        (8, r"\underset{\text{emb}}", r"W \underset{\text{emb}}{\cdot} X : hid seq"),
        (8, r"\text{ReLU}", r"\text{ReLU}(W \underset{\text{emb}}{\cdot} X) : hid seq"),
        (12, "f(", "f(X; W, V) : emb seq"),
        (12, "+", "f(X; W, V) + X : emb seq"),
        (12, r"\text{softmax}", r"\underset{\text{seq}}{\text{softmax}} Y : emb seq"),
        (12, "X;", r"X : \mathbb{R}^{\text{seq}, \text{emb}}"),
    ):
        found = editor.ask("textDocument/hover", **editor.at(uri, line, lines[line].index(part)))
        assert found["contents"]["value"] == f"```\n{shape}\n```"


def test_shapes_stand_behind_what_latex_defines(editor, tmp_path):
    uri = uri_of(tmp_path / "a.md")
    settled(editor, uri, PAGE)
    hints = editor.ask("textDocument/inlayHint", **whole(uri))
    places = [(h["position"]["line"], h["position"]["character"], h["label"]) for h in hints]
    last = PAGE.splitlines()[12]
    assert places == [
        (8, 10, ": emb seq"),
        (12, 1, ": emb seq"),
        (12, last.index("Z") + 1, ": emb seq"),
    ]


def test_parts_of_latex_before_a_fault_have_shapes(editor, tmp_path):
    uri = uri_of(tmp_path / "a.md")
    text = PAGE.replace(r"V \underset{\text{hid}}", r"V \underset{\text{seq}}")
    editor.open(uri, text, "markdown")
    assert [found["code"] for found in editor.published(uri)] == ["axis-missing"]
    column = text.splitlines()[8].index(r"\text{ReLU}")
    found = editor.ask("textDocument/hover", **editor.at(uri, 8, column))
    assert found["contents"]["value"].endswith(": hid seq\n```")


def test_names_that_latex_defines_lead_to_their_definitions(editor, tmp_path):
    uri = uri_of(tmp_path / "a.md")
    settled(editor, uri, PAGE)
    last = PAGE.splitlines()[12]
    for name, place in (
        ("f(X", (8, 0)),
        ("Y", (12, 0)),
        ("W", (3, PAGE.splitlines()[3].index("W"))),
    ):
        column = last.rindex(name)
        found = editor.ask("textDocument/definition", **editor.at(uri, 12, column))
        start = found["range"]["start"]
        assert (start["line"], start["character"]) == place


def test_a_name_of_python_leads_to_its_declaration(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    editor.open(uri, HEAD + ATT)
    editor.published(uri)
    column = (HEAD + ATT).splitlines()[8].index("key")
    found = editor.ask("textDocument/definition", **editor.at(uri, 8, column))
    assert found["range"]["start"] == {"line": 3, "character": 5}


def edited(text, edits):
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda e: [*e["range"]["start"].values()], reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        line = lines[start["line"]]
        lines[start["line"]] = (
            line[: start["character"]] + edit["newText"] + line[end["character"] :]
        )
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("name", "text", "word"), [("a.py", HEAD + ATT, "key"), ("a.md", LATEX, "emb")]
)
def test_an_axis_is_renamed_everywhere(editor, tmp_path, name, text, word):
    uri = uri_of(tmp_path / name)
    editor.open(uri, text)
    editor.published(uri)
    line = text[: text.index(word)].count("\n")
    column = text.splitlines()[line].index(word) + 1
    found = editor.ask("textDocument/rename", newName="wide", **editor.at(uri, line, column))
    assert edited(text, found["changes"][uri]) == text.replace(word, "wide")


def test_an_axis_is_renamed_from_within_the_string_that_makes_it(editor, tmp_path):
    uri = uri_of(tmp_path / "a.py")
    text = HEAD + ATT
    editor.open(uri, text)
    editor.published(uri)
    column = text.splitlines()[3].index('"seq key') + 6
    found = editor.ask("textDocument/rename", newName="wide", **editor.at(uri, 3, column))
    assert edited(text, found["changes"][uri]) == text.replace("key", "wide")


def test_cells_of_a_notebook_are_checked_together(editor, checker, tmp_path):
    uri = uri_of(tmp_path / "a.ipynb")
    cells = [f"vscode-notebook-cell:{i}" for i in range(2)]
    editor.tell(
        "notebookDocument/didOpen",
        notebookDocument={
            "uri": uri,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "cells": [{"kind": 2, "document": cell} for cell in cells],
        },
        cellTextDocuments=[
            {"uri": cell, "languageId": "python", "version": 1, "text": text}
            for cell, text in zip(cells, (HEAD, FAULTY), strict=True)
        ],
    )
    (found,) = editor.published(cells[1])
    assert found["range"]["start"] == {"line": 2, "character": 37}
    column = FAULTY.splitlines()[2].index("val")
    place = editor.ask("textDocument/definition", **editor.at(cells[1], 2, column))
    assert (place["uri"], place["range"]["start"]) == (cells[0], {"line": 3, "character": 10})
    (same,) = checker.check("a.ipynb", notebook(HEAD, FAULTY)).findings
    assert found["message"].startswith(same.message)
    (action,) = actions(editor, cells[1], found)
    (edit,) = action["edit"]["changes"][cells[1]]
    assert in_utf_16(FAULTY, edit) == ATT


def test_files_run_in_a_trusted_workspace_alone_and_never_while_they_are_typed(tmp_path):
    ran = tmp_path / "ran"
    text = HEAD + f"open({str(ran)!r}, 'a').write('x')\n" + ATT
    path = tmp_path / "a.py"
    path.write_text(text)
    careful = Editor(pause=0.05)
    careful.open(uri_of(path), text)
    careful.published(uri_of(path))
    careful.tell("textDocument/didSave", textDocument={"uri": uri_of(path)})
    careful.published(uri_of(path))
    assert not ran.exists()
    assert careful.end() == 0
    trusting = Editor("--trust", pause=0.05)
    trusting.open(uri_of(path), text)
    trusting.published(uri_of(path))
    assert ran.read_text() == "x"
    for version in range(2, 5):
        trusting.change(uri_of(path), version, {"text": text + "\n" * version})
    trusting.published(uri_of(path), 4)
    assert ran.read_text() == "x"
    assert trusting.end() == 0


def test_help_needs_no_extra_and_serving_says_which():
    code = (
        "import sys; sys.modules['pygls'] = sys.modules['lsprotocol'] = None\n"
        "from namedtensor.command import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    for words, status, text in (
        (["--help"], 0, "standard input and output"),
        ([], 2, "pip install 'namedtensor-notation[editor]'"),
    ):
        ran = subprocess.run(
            [sys.executable, "-c", code, "lsp", *words], capture_output=True, text=True, check=False
        )
        assert ran.returncode == status
        assert text in ran.stdout + ran.stderr
