"""Neovim itself, without a screen, with the settings of docs/editors.md as they stand there."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.check.test_editor import LATEX, PAGE
from tests.check.test_python_files import ATT, FAULTY, HEAD
from tests.project.interpreter import ROOT

HERE = Path(__file__).parent
NVIM = shutil.which("nvim")
GUIDE = (ROOT / "docs" / "editors.md").read_text()
SETTINGS = "\n".join(re.findall(r"^```lua\n(.*?)^```$", GUIDE, re.M | re.S))

pytestmark = pytest.mark.skipif(NVIM is None, reason="Neovim is not installed")


@pytest.fixture
def neovim(tmp_path):
    """Open a file with this text, do these steps, and give the answers."""

    def run(name: str, text: str, *steps: dict):
        file = tmp_path / name
        file.write_text(text)
        (tmp_path / "init.lua").write_text(SETTINGS)
        opened = [{"kind": "open", "file": str(file)}, *steps]
        places = [str(Path(sys.executable).parent), os.environ["PATH"]]
        found = subprocess.run(
            [NVIM, "--headless", "-u", tmp_path / "init.lua", "-S", HERE / "asked.lua"],
            env={
                **os.environ,
                "PATH": os.pathsep.join(places),
                "PYTHONPATH": str(ROOT),
                "XDG_STATE_HOME": str(tmp_path / "state"),
                "STEPS": json.dumps(opened),
                "ANSWERS": str(tmp_path / "answers"),
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert found.returncode == 0, found.stdout + found.stderr
        return json.loads((tmp_path / "answers").read_text())

    return run


def cursor(text: str, line: int, part: str) -> dict:
    column = len(text.splitlines()[line].partition(part)[0].encode())
    return {"kind": "cursor", "line": line, "column": column}


HOVER = {"kind": "ask", "method": "textDocument/hover"}


def test_findings_and_shapes_show_in_python(neovim):
    text = (
        HEAD + "# 😀 字\n" + FAULTY.replace("    return", "    S = '字', Q @ key @ K\n    return")
    )
    told, hover, place = neovim(
        "a.py",
        text,
        {"kind": "diagnostics", "count": 1},
        cursor(text, 9, "@ key"),
        HOVER,
        cursor(text, 10, "val"),
        {"kind": "go"},
    )
    (found,) = told
    assert (found["code"], found["source"], found["lnum"]) == ("axis-missing", "namedtensor", 10)
    line = text.splitlines()[10].encode()
    assert line[found["col"] : found["end_col"]] == b"Q @ val @ K"
    assert found["message"].endswith("hint: both have key: `Q @ key @ K`")
    assert hover["contents"]["value"] == "```\nQ @ key @ K : seq' seq\n```"
    assert place == [4, 10]


def test_a_fault_goes_as_soon_as_it_is_mended_and_an_axis_is_renamed(neovim):
    text = HEAD + FAULTY
    mended = (HEAD + ATT).splitlines()
    _, none, lines = neovim(
        "a.py",
        text,
        {"kind": "diagnostics", "count": 1},
        {"kind": "put", "line": 8, "text": mended[8]},
        {"kind": "diagnostics", "count": 0},
        cursor(text, 3, "key"),
        {"kind": "rename", "name": "wide"},
    )
    assert none == []
    assert lines == [line.replace("key", "wide") for line in mended]


def test_shapes_show_in_latex(neovim):
    inlays, hover, place = neovim(
        "a.md",
        PAGE,
        {"kind": "inlays", "count": 3},
        cursor(PAGE, 8, r"\underset{\text{emb}}"),
        HOVER,
        cursor(PAGE, 12, "f(X"),
        {"kind": "go"},
    )
    assert [label for _, _, label in inlays] == [": emb seq"] * 3
    shape = r"W \underset{\text{emb}}{\cdot} X : hid seq"
    assert hover["contents"]["value"] == f"```\n{shape}\n```"
    assert place == [9, 0]


def test_a_certain_mend_of_latex_is_applied(neovim):
    told, lines, none = neovim(
        "a.md",
        LATEX,
        {"kind": "diagnostics", "count": 1},
        cursor(LATEX, 0, "under"),
        {"kind": "mend"},
        {"kind": "diagnostics", "count": 0},
    )
    assert told[0]["code"]
    assert lines[0] != LATEX
    assert none == []
