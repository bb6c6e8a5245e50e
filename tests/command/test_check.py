"""The command `namedtensor check`: what it prints, and its exit status."""

import io
import json
import subprocess

import pytest

from namedtensor.command import main
from namedtensor.latex.documents.document import Document

FINE = r"$X \in \mathbb{R}^{\text{emb}}$ and $f(X) = \underset{\text{emb}}{\text{softmax}}(X)$" "\n"
FAULT = r"$X \in \mathbb{R}^{\text{emb}}$ and $f(X) = \sum_{\text{seq}} X$" "\n"
WARNING = (
    r"$X \in \mathbb{R}^{\text{emb}:n}$, $Y \in \mathbb{R}^{\text{emb}:m}$ and $f(X, Y) = X + Y$"
    "\n"
)
SLIP = (
    r"$X \in \mathbb{R}^{\text{emb}}$, $Y \in \mathbb{R}^{\text{emb}}$ and "
    r"$f(X, Y) = X \underset{\text{mbe}}{\cdot} Y$"
    "\n"
)
PRINTED = r"""FILE:1:45: error[axis-missing]: sum acts over seq, and X has no axis seq
1 | $X \in \mathbb{R}^{\text{emb}}$ and $f(X) = \sum_{\text{seq}} X$
  |                                             ^^^^^^^^^^^^^^^^^^^
  X : emb
hint: write an axis that it has: \text{emb}

1 file checked, 2 statements read: 1 error
"""


@pytest.fixture
def check(tmp_path, capsys):
    """Check texts as files a.md, b.md, ...; give the status and what was written to both streams."""

    def run(*texts, options=()):
        files = []
        for letter, text in zip("abcd", texts, strict=False):
            files.append(str(tmp_path / f"{letter}.md"))
            (tmp_path / f"{letter}.md").write_text(text)
        status = main(["check", *files, *options])
        out, err = capsys.readouterr()
        return status, out.replace(str(tmp_path) + "/", ""), err

    return run


def test_a_fine_document_has_status_0(check):
    assert check(FINE) == (0, "1 file checked, 2 statements read: no findings\n", "")


def test_a_faulty_document_has_status_1_and_its_findings_printed(check):
    assert check(FAULT) == (1, PRINTED.replace("FILE", "a.md"), "")


def test_warnings_are_faults_only_where_that_is_asked_for(check):
    status, out, _ = check(WARNING)
    assert (status, out.splitlines()[-1]) == (0, "1 file checked, 3 statements read: 1 warning")
    assert check(WARNING, options=["--strict"])[0] == 1
    assert check(FINE, options=["--strict"])[0] == 0


def test_several_files_are_checked_one_after_another(check):
    status, out, _ = check(FINE, FAULT, WARNING)
    assert status == 1
    assert [line.split(":")[0] for line in out.splitlines() if "[axis" in line] == ["b.md", "c.md"]
    assert out.splitlines()[-1] == "3 files checked, 7 statements read: 1 error, 1 warning"


def test_files_share_the_macros_of_a_preamble(check, tmp_path):
    style = tmp_path / "style.tex"
    style.write_text(r"\newcommand{\emb}{\text{emb}}" "\n")
    text = FAULT.replace(r"\text{emb}", r"\emb")
    status, out, _ = check(text, text, options=["--preamble", str(style)])
    assert status == 1
    assert out.splitlines()[-1] == "2 files checked, 4 statements read: 2 errors"


def test_standard_input_is_a_file_called_so(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(FAULT.encode())))
    assert main(["check", "-"]) == 1
    assert capsys.readouterr().out == PRINTED.replace("FILE", "<stdin>")


def test_json_has_all_that_is_printed(check):
    status, out, _ = check(FAULT, options=["--json"])
    (finding,) = json.loads(out)
    assert status == 1
    assert finding == {
        "file": "a.md",
        "line": 1,
        "column": 45,
        "end_line": 1,
        "end_column": 64,
        "severity": "error",
        "code": "axis-missing",
        "message": "sum acts over seq, and X has no axis seq",
        "text": r"\sum_{\text{seq}} X",
        "shapes": {"X": "emb"},
        "hint": r"write an axis that it has: \text{emb}",
    }
    assert check(FINE, options=["--json"]) == (0, "[]\n", "")


def test_json_says_how_to_mend(check):
    (finding,) = json.loads(check(SLIP, options=["--json"])[1])
    start = SLIP.index(r"\text{mbe}")
    assert finding["mend"] == {"start": start, "end": start + 10, "text": r"\text{emb}"}


def test_fix_prints_a_diff_and_changes_no_file(check, tmp_path):
    status, out, _ = check(SLIP, FINE, options=["--fix"])
    assert status == 1
    assert out == (
        f"--- a.md\n+++ a.md (mended)\n@@ -1 +1 @@\n-{SLIP}+{SLIP.replace('mbe', 'emb')}"
    )
    assert (tmp_path / "a.md").read_text() == SLIP


def test_the_diff_can_be_applied(check, tmp_path):
    out = check(SLIP, options=["--fix"])[1]
    (tmp_path / "mend.diff").write_text(out)
    subprocess.run(["git", "apply", "-p0", "mend.diff"], cwd=tmp_path, check=True)
    assert (tmp_path / "a.md").read_text() == SLIP.replace("mbe", "emb")


def test_fix_says_where_nothing_is_certain(check):
    assert check(FAULT, options=["--fix"]) == (
        1,
        "",
        "namedtensor: nothing can be mended with certainty\n",
    )


def test_a_file_that_cannot_be_read_does_not_keep_the_others_from_being_checked(check, tmp_path):
    nowhere = str(tmp_path / "nowhere.md")
    status, out, err = check(FAULT, options=[nowhere])
    assert status == 2
    assert out == PRINTED.replace("FILE", "a.md")
    assert err == f"namedtensor: {nowhere}: No such file or directory\n"


def test_a_fault_of_the_checker_is_said_and_the_other_files_are_checked(check, monkeypatch):
    told = Document.check

    def fails(document):
        if "b.md" in document.source.name:
            raise RecursionError("too deep")
        return told(document)

    monkeypatch.setattr(Document, "check", fails)
    status, out, err = check(FINE, FINE, FAULT)
    assert status == 2
    assert "b.md: is not checked, by a fault of namedtensor's own, which is worth a report: " in err
    assert "RecursionError: too deep" in err
    assert "c.md:1:45: error[axis-missing]" in out
