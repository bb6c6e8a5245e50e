"""The command `namedtensor`: its words, its status, and what it says to a mistake."""

import io
import subprocess
import sys

import pytest

import namedtensor as nt
import namedtensor.command.program as program
from namedtensor.command import main
from tests.project.interpreter import ROOT


def said(capsys, *words):
    """Run a command; give its status, and what it wrote to both streams."""
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def test_help_names_every_job(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    shown = capsys.readouterr().out
    for line in (
        "check     find the faults of documents",
        "run       evaluate a formula of a document",
        "python    print a document as a Python module",
        "latex     print a Python module's formulas as LaTeX",
    ):
        assert line in shown


@pytest.mark.parametrize("words", [[], ["draw"], ["run", "a.md"], ["check"], ["latex"]])
def test_a_command_that_cannot_be_understood_has_status_2(words, capsys):
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert "usage: namedtensor" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["check"], ["run", "--name", "f"], ["python"], ["latex"]])
def test_a_file_that_cannot_be_read_has_status_2(words, capsys, tmp_path):
    job, *rest = words
    nowhere = str(tmp_path / "nowhere.md")
    assert said(capsys, job, nowhere, *rest) == (
        2,
        "",
        f"namedtensor: {nowhere}: No such file or directory\n",
    )
    why = "holds no file that can be checked" if job == "check" else "Is a directory"
    assert said(capsys, job, str(tmp_path), *rest)[::2] == (2, f"namedtensor: {tmp_path}: {why}\n")
    file = tmp_path / "other.md"
    file.write_bytes(b"one\ntwo \xff\n")
    assert said(capsys, job, str(file), *rest) == (
        2,
        "",
        f"namedtensor: {file}: line 2 is not UTF-8 text\n",
    )


def test_a_preamble_that_cannot_be_read_has_status_2(capsys, tmp_path):
    file = tmp_path / "a.md"
    file.write_text("words")
    status, out, err = said(capsys, "check", str(file), "--preamble", "/nowhere.sty")
    assert (status, out) == (2, "")
    assert err == "namedtensor: /nowhere.sty: No such file or directory\n"


def test_python_runs_the_command_by_its_module():
    done = subprocess.run(
        [sys.executable, "-m", "namedtensor", "check", "/nowhere.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "namedtensor: /nowhere.md: No such file or directory\n"


def raising(error, monkeypatch):
    def perform(given):
        raise error

    monkeypatch.setattr(program.python, "perform", perform)


def test_control_c_has_status_130(capsys, monkeypatch):
    raising(KeyboardInterrupt(), monkeypatch)
    assert said(capsys, "python", "-") == (130, "", "namedtensor: interrupted\n")


def test_output_that_nobody_reads_any_more_ends_quietly(tmp_path):
    file = tmp_path / "many.py"
    body = "def f{0}(X: R['seq']) -> R['seq']:\n    return X + {0}\n"
    formulas = "\n".join("@formula\n" + body.format(i) for i in range(200))
    file.write_text(f"from namedtensor import R, formula\n\n{formulas}")
    done = subprocess.run(
        f"{sys.executable} -m namedtensor latex {file} | head -n 1",
        shell=True,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""


# ---------------------------------------------------------------------------------------- latex


SOURCE = """
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")


@formula
def second(X: R[emb]) -> R[emb]:
    return X * 2


@formula
def first(X: R[emb]) -> R[emb]:
    return second(X) + 1


again = first
"""


def test_latex_prints_the_formulas_of_a_module_in_their_order(capsys, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(SOURCE)
    status, out, err = said(capsys, "latex", str(file))
    assert (status, err) == (0, "")
    assert out.index(r"\text{second}(X) &=") < out.index(r"\text{first}(X) &=")
    assert r"\text{emb}" in out
    assert out.count("$$") == 4
    assert r"\name{emb}" in said(capsys, "latex", str(file), "--dialect", "macros")[1]
    assert r"\ndef{\emb}{emb}" in said(capsys, "latex", str(file), "--dialect", "ndef")[1]


def test_formulas_of_other_modules_come_before_those_that_call_them(capsys, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        "from namedtensor import R, formula\n"
        "from transformer_named.named_tensors import FFN, emb, lnorm\n\n\n"
        "@formula\n"
        "def block(X: R[emb], *, ffn: FFN, norm: lnorm) -> R[emb]:\n"
        "    return norm(ffn(X)) + X\n"
    )
    status, out, err = said(capsys, "latex", str(file))
    assert (status, err) == (0, "")
    names = ["FFN", "lnorm", "block"]
    assert sorted(names, key=lambda name: out.index(f"\\text{{{name}}}(X; ")) == names
    document = tmp_path / "document.md"
    document.write_text(out)
    assert said(capsys, "check", str(document))[0] == 0


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\n", "no @formula is defined in it"),
        ("from transformer_named.named_tensors import att\n", "no @formula is defined in it"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("def f(:\n", "SyntaxError: invalid syntax (module.py, line 1)"),
        (
            "import nothing_of_this_name\n",
            "ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
    ],
)
def test_a_module_without_formulas_or_that_does_not_run_has_status_2(
    source, words, capsys, tmp_path
):
    file = tmp_path / "module.py"
    file.write_text(source)
    assert said(capsys, "latex", str(file)) == (2, "", f"namedtensor: {file}: {words}\n")


def test_a_module_is_a_file_that_ends_in_py(capsys, tmp_path):
    file = tmp_path / "module.txt"
    file.write_text(SOURCE)
    assert said(capsys, "latex", str(file))[2] == (
        f"namedtensor: {file}: not a Python file; its name ends in .py\n"
    )


def test_standard_input_is_a_document(capsys, monkeypatch):
    text = r"$X \in \mathbb{R}^{\text{seq}}$, $f(X) = \sum_{\text{seq}} X$"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    status, out, err = said(capsys, "python", "-")
    assert (status, err) == (0, "")
    assert "def f(X: R[seq]) -> R" in out


@pytest.mark.parametrize("word", ["-1", "nan", "inf"])
def test_a_time_that_cannot_be_waited_has_status_2(word, capsys):
    with pytest.raises(SystemExit) as left:
        main(["check", f"--timeout={word}", "a.py"])
    assert left.value.code == 2
    assert f"argument --timeout: {word} is no time that can be waited" in capsys.readouterr().err


def test_a_file_that_ends_the_program_has_status_2(tmp_path, capsys):
    file = tmp_path / "ends.py"
    file.write_text("raise SystemExit(3)")
    assert said(capsys, "latex", str(file)) == (
        2,
        "",
        f"namedtensor: {file}: it ends the program when it is run\n",
    )


def test_the_version_is_told(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    assert (left.value.code, capsys.readouterr().out) == (0, f"namedtensor {nt.__version__}\n")


def test_a_name_of_nothing_is_no_folder(capsys):
    assert said(capsys, "check", "") == (2, "", "namedtensor: : No such file or directory\n")
