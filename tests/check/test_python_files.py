"""`namedtensor check` on Python: modules, notebooks, blocks of documents; what it prints and its status."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from namedtensor.check.asking import _report
from namedtensor.check.worker import answer
from namedtensor.command import main
from tests.project.interpreter import ROOT
from tests.python_calls import python_calls

HEAD = """\
import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val, emb, hid, layer = axes("seq key val emb hid layer")
seq_ = seq.prime

"""
ATT = """\
@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))

"""
FAULTY = ATT.replace("Q @ key @ K", "Q @ val @ K")
PRINTED = """\
a.py:9:38: error[axis-missing]: dot[val](Q, K): Q has no axis val
9 |     return V @ seq @ nt.softmax[seq](Q @ val @ K / nt.sqrt(abs(key)))
  |                                      ^^^^^^^^^^^
  Q : key seq'
  K : key seq
"""


class InThisProcess:
    """A worker that answers here, which is fast."""

    def __init__(self, python: str = "", limit: float = 0.0) -> None:
        pass

    def check(self, program, text, imports=True, parts=False):
        asked = {"file": program.file, "text": text, "imports": imports, "parts": parts}
        return _report(program, json.loads(json.dumps(answer(asked))))

    def close(self) -> None:
        pass


@pytest.fixture
def check(tmp_path, capsys, monkeypatch):
    """Check files with these texts; give the status and what was written to both streams."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("namedtensor.check.running._roots", [])
    path, modules = list(sys.path), dict(sys.modules)

    def run(files, *options, names=None, process=False):
        if not process:
            monkeypatch.setattr("namedtensor.check.checking.Worker", InThisProcess)
        for name, text in files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        status = main(["check", *(names or files), *options])
        return status, *capsys.readouterr()

    yield run
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": made, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


def block(*blocks: str) -> str:
    return "Some words.\n\n" + "\n".join(f"```python\n{code}```\n" for code in blocks)


@pytest.mark.parametrize("option", [[], ["--no-import"]])
def test_a_fine_file_has_status_0_and_says_how_much_was_checked(check, option):
    found = check({"a.py": HEAD + ATT}, *option)
    assert found == (0, "1 file checked, 1 formula of Python in it: no findings\n", "")


@pytest.mark.parametrize("option", [[], ["--no-import"]])
def test_a_fault_is_shown_where_it_is_written(check, option):
    status, out, err = check({"a.py": HEAD + FAULTY}, *option)
    assert (status, err) == (1, "")
    assert out.startswith(PRINTED)
    assert out.endswith("1 file checked, 1 formula of Python in it: 1 error\n")


def test_a_fault_in_a_notebook_names_its_cell(check):
    status, out, _ = check({"a.ipynb": notebook(HEAD, "%matplotlib inline\n" + FAULTY)})
    assert status == 1
    assert out.startswith("a.ipynb:cell 2:4:38: error[axis-missing]: dot[val](Q, K): Q has no")
    assert "\n4 |     return V @ seq" in out


def test_a_fault_in_a_block_of_markdown_has_its_line_in_the_document(check):
    status, out, _ = check({"a.md": block(HEAD, FAULTY)})
    assert status == 1
    assert out.startswith("a.md:15:38: error[axis-missing]: dot[val](Q, K)")


def test_latex_and_python_of_one_document_are_both_checked(check):
    latex = r"$X \in \mathbb{R}^{\text{emb}}$ and $f(X) = \sum_{\text{seq}} X$" "\n\n"
    status, out, _ = check({"a.md": latex + block(HEAD, FAULTY)})
    assert status == 1
    assert "a.md:1:45: error[axis-missing]: sum acts over seq" in out
    assert "a.md:17:38: error[axis-missing]: dot[val](Q, K)" in out


def test_cells_run_only_as_far_as_formulas_need_them(check, tmp_path):
    train = f"open({str(tmp_path / 'ran')!r}, 'w').write('trained')\n"
    percent = "# %%\n" + HEAD + "# %%\n" + train + "# %%\n" + ATT
    found = check({"a.ipynb": notebook(HEAD, train, ATT), "b.py": percent})
    assert found[0] == 0
    assert "2 files checked, 2 formulas" in found[1]
    assert not (tmp_path / "ran").exists()


def test_a_module_runs_as_an_import_and_not_as_a_program(check, tmp_path):
    end = f"\nif __name__ == '__main__':\n    open({str(tmp_path / 'ran')!r}, 'w')\n"
    assert check({"a.py": HEAD + ATT + end})[0] == 0
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "code",
    [
        "open(PATH, 'w')\n",
        "import pathlib\npathlib.Path(PATH).touch()\n",
        "@formula\ndef f(X: R[seq]) -> R[seq]:\n    open(PATH, 'w')\n    return X\n",
        "M = nt.define[seq, seq_](lambda i, j: open(PATH, 'w'))\n",
        "nt.ones('seq[3]').numpy('seq').tofile(PATH)\n",
        "Y = nt.ones('seq[3]').numpy('seq').tofile(PATH)\n",
        "@formula\ndef f(X: R[seq], *, W: R[seq]) -> R[seq]:\n"
        "    (lambda M: M.tofile(PATH))(nt.ones('seq[3]').numpy('seq'))\n    return X\n",
        "@formula\ndef f(X: \"R[().__class__.__mro__[1].__subclasses__() and open(PATH, 'w')]\"):\n"
        "    return X\n",
        "class A:\n    open(PATH, 'w')\n",
        "def run(): open(PATH, 'w')\n\n@run\ndef f(X): return X\n",
        "def run(): open(PATH, 'w')\n\n@formula\ndef f(X: R[seq]):\n    run()\n    return X\n",
        "@formula\ndef f(X: R[seq], n=open(PATH, 'w')):\n    return X\n",
    ],
)
def test_without_imports_nothing_of_the_file_runs(check, tmp_path, code):
    text = HEAD + code.replace("PATH", repr(str(tmp_path / "ran"))) + ATT
    status, out, _ = check({"a.py": text}, "--no-import")
    assert "formula of Python in it" in out, (status, out)
    assert not (tmp_path / "ran").exists()


def test_without_imports_it_says_what_it_cannot_know(check):
    text = HEAD + ATT + "from elsewhere import helper\n\n@formula\ndef f(X: R[seq]) -> R[seq]:\n"
    status, out, _ = check({"a.py": text + "    return helper(X)\n"}, "--no-import")
    assert status == 0
    assert "a.py: not checked: f: helper: elsewhere is not imported\n" in out
    assert "1 formula of Python in it, 1 formula not checked: no findings" in out


def test_without_imports_files_of_the_same_package_are_read(check):
    files = {"p/__init__.py": "", "p/names.py": HEAD, "p/model.py": "from .names import *\n"}
    files["p/model.py"] = (
        "import namedtensor as nt\nfrom namedtensor import R, formula\n"
        "from .names import key, seq, seq_, val\n" + FAULTY
    )
    for option in ([], ["--no-import"]):
        status, out, err = check(files, *option, names=["p/model.py"])
        assert (status, err) == (1, "")
        assert out.startswith("p/model.py:6:38: error[axis-missing]")


def test_a_folder_is_checked_with_what_lies_below_it(check):
    files = {"p/a.py": HEAD + FAULTY, "p/q/b.md": block(HEAD, FAULTY), "p/.hidden/c.py": "("}
    status, out, _ = check(files, names=["p"])
    assert status == 1
    assert out.endswith("2 files checked, 2 formulas of Python in them: 2 errors\n")


def test_files_without_formulas_are_not_run(check, tmp_path):
    found = check({"a.py": f"open({str(tmp_path / 'ran')!r}, 'w')\n"})
    assert found == (0, "1 file checked: no findings\n", "")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a.py": "def f(:\n"}, "a.py:1: invalid syntax"),
        ({"a.ipynb": "{}"}, "a.ipynb: is no notebook"),
        ({"a.toml": "x"}, "a.toml: is neither a document nor Python"),
        (
            {"a.py": HEAD + "import no_such_thing\n"},
            "a.py:7: the import stops: ModuleNotFoundError",
        ),
        ({"a.py": HEAD + "raise SystemExit(0)\n"}, "a.py:7: the import stops: SystemExit"),
        (
            {"a.py": HEAD + "def g(seq):\n    " + ATT.replace("\n", "\n    ") + "return att\n"},
            "a.py: none of its formulas can be checked (att: it is made inside g",
        ),
        ({"a.py": HEAD + "@formula\ndef f(X):\n    return X\n"}, "a.py: none of its formulas"),
    ],
)
def test_a_file_that_cannot_be_checked_is_refused(check, files, why):
    status, out, err = check(files)
    assert status == 2
    assert err.startswith(f"namedtensor: {why}")
    assert "no findings" not in out


def test_an_import_that_ends_the_process_or_never_ends_is_refused_and_the_next_file_is_checked(
    check,
):
    files = {
        "a.py": HEAD + "import os\nos._exit(0)\n",
        "b.py": HEAD + "while True: pass\n",
        "c.py": "print('[]')\nimport sys\nsys.stdin.read()\n" + HEAD + FAULTY,
    }
    status, out, err = check(files, "--timeout", "15", process=True)
    assert status == 2
    assert err == (
        "namedtensor: a.py: the process that imports it ended\n"
        "namedtensor: b.py: its import takes longer than 15 seconds\n"
    )
    assert out.startswith("c.py:12:38: error[axis-missing]")
    assert out.endswith("1 file checked, 1 formula of Python in it: 1 error\n")


def test_an_interpreter_without_the_package_is_named(check, tmp_path):
    nobody = tmp_path / "python"
    nobody.write_text("#!/bin/sh\nexit 1\n")
    nobody.chmod(0o755)
    status, _, err = check({"a.py": HEAD + ATT}, "--python", str(nobody), process=True)
    assert (status, err) == (
        2,
        f"namedtensor: {nobody}: has no package namedtensor; choose another with --python\n",
    )


def test_calls_between_formulas_are_checked(check):
    wrong = "@formula\ndef self_att(X: R[seq, key], W: R[seq, val]) -> R[seq, val]:\n"
    status, out, _ = check({"a.py": HEAD + ATT + wrong + "    return att(X, X, W)\n"})
    assert status == 1
    assert "a.py:13:12: error[axis-missing]: att(Q, K, V): Q has no axis seq'" in out
    assert "13 |     return att(X, X, W)\n   |            ^^^^^^^^^^^^\n" in out


def test_a_fault_of_a_formula_is_said_once_also_where_others_call_it(check):
    other = "@formula\ndef g(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:\n"
    _, out, _ = check({"a.py": HEAD + FAULTY + other + "    return att(Q, K, V)\n"})
    assert out.endswith("2 formulas of Python in it: 1 error\n")


CHOICES = """\
from typing import Literal
from enum import Enum

class Place(Enum):
    PRE = 1
    POST = 2

@formula
def f(X: R[seq, emb], how: HOW) -> R[seq]:
    if how == WRONG:
        return nt.sum[hid](X)
    return nt.sum[emb](X)
"""


@pytest.mark.parametrize(
    ("how", "wrong"),
    [
        ("Literal['pre', 'post'] = 'pre'", "'post'"),
        ("Literal['pre', 'post']", "'post'"),
        ("str = 'pre'", "'post'"),
        ("str", "'post'"),
        ("bool = False", "True"),
        ("Place = Place.PRE", "Place.POST"),
        ("int = 3", "3"),
    ],
)
def test_each_choice_of_a_setting_is_tried(check, how, wrong):
    text = HEAD + CHOICES.replace("HOW", how).replace("WRONG", wrong)
    status, out, _ = check({"a.py": text})
    assert status == 1
    assert "error[axis-missing]: sum[hid](X): X has no axis hid" in out


def test_bodies_are_traced_in_training_and_outside_of_it(check):
    text = "@formula\ndef f(X: R[seq]) -> R[seq]:\n    if nt.training():\n        return X\n"
    status, out, _ = check({"a.py": HEAD + text + "    return nt.sum[hid](X)\n"})
    assert (status, out.partition(" ")[0]) == (1, "a.py:11:12:")


def test_a_tensor_that_may_be_left_out_is_left_out_too(check):
    text = "@formula\ndef f(X: R[seq], M: R[seq] = None) -> R[seq]:\n    if M is None:\n"
    status, out, _ = check(
        {"a.py": HEAD + text + "        return nt.sum[hid](X)\n    return X + M\n"}
    )
    assert (status, out.partition(" ")[0]) == (1, "a.py:10:16:")


def test_a_body_may_ask_python_for_a_size(check):
    text = "@formula\ndef f(X: R[layer, seq]) -> R[seq]:\n    Y = 0.0\n"
    more = "    for i in range(abs(layer)):\n        Y = Y + X[layer(i)]\n    return Y\n"
    assert check({"a.py": HEAD + text + more})[0] == 0


def test_an_index_defined_tensor_is_checked(check):
    text = "M = nt.define[seq_, seq](lambda i, j: nt.sum[hid](i + j))\n"
    status, out, _ = check({"a.py": HEAD + text + ATT})
    assert status == 1
    assert out.startswith("a.py:7:39: error[axis-missing]: sum[hid](")
    assert "1 formula of Python in it: 1 error" in out


MODULE = """\
@formula
def FFN(X: R[emb], *, W: R[emb, hid]) -> R[hid, key]:
    return (W @ emb @ X)[hid >> (hid, key[4])]

"""


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("FFN.module(emb[3], val[8], hid[8])", "axis-name"),
        ("FFN.module(emb[3])", "axis-size"),
        ("FFN.module('emb[3]', hid[2 * SIZE + 1])", "axis-size"),
        ("FFN.module(emb[3], hid[SIZE - 5])", "axis-size"),
    ],
)
def test_modules_of_constant_sizes_are_checked_where_they_are_made(check, call, code):
    pytest.importorskip("torch")
    body = f"SIZE = 4\n\ndef build(n):\n    fine = FFN.module(emb[3], hid[n])\n    return {call}\n"
    status, out, err = check({"a.py": HEAD + MODULE + body})
    assert (status, err) == (1, "")
    assert out.startswith(f"a.py:15:12: error[{code}]: ")
    unknown = (
        "a.py: not checked: FFN.module(emb[3], hid[n]): line 14: n is known only when build runs"
    )
    counts = "1 file checked, 1 formula of Python in it, 1 call not checked: 1 error"
    assert out.endswith(f"\n{unknown}\n{counts}\n")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("FFN.module(*sizes)", "*sizes is no constant"),
        ("FFN.module(emb[3], **more)", "more is not known"),
        ("FFN.module(emb[len('abc')], hid[2])", "len('abc') is no constant"),
        ("FFN.module(emb[3], hid[other.size])", "other is not known"),
        ("FFN.module(emb[3], hid[7 % 4])", "Mod of 7 and 4 is no size"),
        ("Stops.module(emb[3], hid[2])", "ValueError: on weekdays only"),
    ],
)
def test_a_module_whose_sizes_are_not_known_is_named_with_the_reason(check, call, why):
    pytest.importorskip("torch")
    stops = MODULE.replace("FFN", "Stops").replace(
        "    return",
        "    if int(abs(emb)) == 3:\n        raise ValueError('on weekdays only')\n    return",
    )
    text = f"{HEAD}{MODULE}{stops}def build():\n    return {call}\n"
    _, out, _ = check({"a.py": text}, "--no-import")
    assert "a.py: not checked: " in out
    assert why in out


CLOSURE = """\
def make(heads=8, over=seq):
    size = WIDTH // heads

    @formula
    def f(X: R[seq, emb], *, W: R[emb, key[size]]):
        return nt.mean[over](W @ emb @ X)

    return f

"""


@pytest.mark.parametrize("option", [[], ["--no-import"]])
@pytest.mark.parametrize(
    ("code", "codes"),
    [
        (CLOSURE, []),
        (CLOSURE.replace("over=seq", "over=hid"), ["axis-missing"]),
        (
            CLOSURE.replace("heads=8, over=seq", "over, heads=8")
            + "def g():\n    return make(hid)\n",
            ["axis-missing"],
        ),
        (
            CLOSURE.replace("heads=8, over=seq", "over, heads=8")
            + "def g():\n    return make(over=seq)\n",
            [],
        ),
        (CLOSURE + "def g():\n    return make(8), make(over=hid)\n", ["axis-missing"]),
        (
            "def outer(over=hid):\n    " + CLOSURE.replace("\n", "\n    ").replace("=seq", "=over"),
            ["axis-missing"],
        ),
        (CLOSURE.replace("R[seq, emb]", "R[seq, seq]"), ["axis-name"]),
        (
            "class Model:\n    " + CLOSURE.replace("\n", "\n    ").replace("=seq", "=hid"),
            ["axis-missing"],
        ),
    ],
)
def test_formulas_made_inside_functions_are_checked_where_their_names_are_known(
    check, option, code, codes
):
    text = HEAD + "WIDTH = 64\n" + code.rstrip(" ")
    _, out, err = check(
        {
            "a.py": text,
        },
        "--json",
        *option,
    )
    assert [f["code"] for f in json.loads(out)] == codes
    assert err == ""


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (CLOSURE.replace("heads=8, over=seq", "over, heads=8"), "nothing says what its over is"),
        (
            CLOSURE.replace("size = WIDTH // heads", "size = len(open('a.py').read())"),
            "line 12 is not run",
        ),
        (CLOSURE + "def g(n):\n    return make(n)\n", "n is known only when g runs"),
        (CLOSURE.replace("size = WIDTH // heads", "size = WIDTH // 0"), "ZeroDivisionError: "),
    ],
)
def test_formulas_made_inside_functions_are_named_where_they_cannot_be_known(check, code, why):
    _, out, _ = check({"a.py": HEAD + "WIDTH = 64\n" + ATT.strip() + "\n" + code})
    assert "a.py: not checked: f: it is made inside make, and " + why in out


def test_a_wrong_signature_is_a_finding(check):
    text = "@formula\ndef f(X: R[seq, seq]) -> R[seq]:\n    return X\n\n"
    status, out, _ = check({"a.py": HEAD + text + FAULTY})
    assert status == 1
    assert "a.py:8:10: error[axis-name]: R[seq, seq]: seq is named twice" in out
    assert "dot[val](Q, K): Q has no axis val" in out


def test_a_comment_silences_a_rule_by_its_code(check):
    line = "Q @ val @ K / nt.sqrt(abs(key)))"
    for code, status in (("axis-missing", 0), ("axis-size", 1), ("", 1)):
        text = HEAD + FAULTY.replace(line, f"{line}  # axes: ok {code}")
        assert check({"a.py": text})[0] == status


def test_columns_count_characters_and_not_bytes(check):
    text = FAULTY.replace("def att(Q", "def att(Ω").replace("(Q @", "(Ω @")
    _, out, _ = check({"a.py": HEAD + text})
    assert "  |                                      ^^^^^^^^^^^\n" in out


def test_json_has_all_that_is_printed(check):
    status, out, _ = check({"a.ipynb": notebook(HEAD, FAULTY)}, "--json")
    (found,) = json.loads(out)
    assert status == 1
    assert found["file"] == "a.ipynb:cell 2"
    assert (found["line"], found["column"], found["end_column"]) == (3, 38, 49)
    assert (found["code"], found["text"]) == ("axis-missing", "Q @ val @ K")
    assert found["shapes"] == {"Q": "key seq'", "K": "key seq"}


def test_what_was_not_checked_is_said_beside_json_too(check):
    text = HEAD + ATT + "@formula\ndef f(X):\n    return X\n"
    for options in (["--json"], ["--format", "github"]):
        status, _, err = check({"a.py": text}, *options)
        assert (status, err) == (
            0,
            "a.py: not checked: f: X has no declared axes, and no default\n",
        )


def test_a_formula_of_another_folder_s_file_of_that_name_is_not_taken_for_this_file_s(
    check, tmp_path, monkeypatch
):
    old = []  # a formula of the old file lives on
    monkeypatch.setattr("builtins.old", old, raising=False)
    assert check({"a.py": HEAD + FAULTY + "old.append(att)\n"})[0] == 1
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    for _ in range(2):  # imported, and then known
        assert check({"a.py": HEAD + ATT})[:2] == (
            0,
            "1 file checked, 1 formula of Python in it: no findings\n",
        )


def test_what_is_certain_is_shown_as_a_diff_of_each_text(check):
    latex = (
        r"$X \in \mathbb{R}^{\text{emb}}$, $Y \in \mathbb{R}^{\text{emb}}$ and "
        r"$f(X, Y) = X \underset{\text{mbe}}{\cdot} Y$" + "\n"
    )
    files = {
        "a.py": HEAD + FAULTY,
        "b.md": block(HEAD, FAULTY) + latex,
        "c.ipynb": notebook(HEAD, FAULTY),
    }
    status, out, _ = check(files, "--fix")
    assert status == 1
    shown = [line for line in out.splitlines() if line.startswith(("---", "- ", "+ "))]
    wrong, right = [text.splitlines()[2] for text in (FAULTY, ATT)]
    for name in ("a.py", "b.md", "c.ipynb:cell 2"):
        place = shown.index(f"--- {name}")
        assert shown[place + 1 : place + 3] == [f"-{wrong}", f"+{right}"]
    assert out.count("mbe") == 1


def test_github_shows_findings_beside_their_lines(check):
    _, out, _ = check({"a.py": HEAD + FAULTY}, "--format", "github")
    place = "::error file=a.py,line=9,endLine=9,col=38,endColumn=49,title=axis-missing::"
    assert out.startswith(place + "error[axis-missing]: dot[val](Q, K): Q has no axis val%0A9 |")
    assert out.count("\n") == 1


def test_each_of_200_formulas_is_checked_in_the_same_work(check):
    counts = []
    for count in (20, 200):
        text = HEAD + "".join(ATT.replace("att", f"att{i}") for i in range(count))
        said = []
        files = {f"of_{count}.py": text}
        run = partial(lambda files, said: said.append(check(files)[1]), files, said)
        counts.append(python_calls(run, of_c=True))
        assert f"{count} formulas of Python in it: no findings" in said[0]
    assert counts[1] < 11 * counts[0]
    assert counts[1] < 200 * 20_000


def test_pytest_has_an_item_for_each_file_with_formulas(tmp_path):
    (tmp_path / "a.py").write_text(HEAD + FAULTY)
    (tmp_path / "b.py").write_text("x = 1\n")
    (tmp_path / "c.md").write_text(block(HEAD, ATT))
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "namedtensor.check.pytest_plugin", "--axes"),
            *("-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(tmp_path)),
            *("a.py", "b.py", "c.md"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed" in ran.stdout, ran.stdout
    assert "9:38: error[axis-missing]: dot[val](Q, K): Q has no axis val" in ran.stdout


#: The faults that notebooks show on purpose, in their sources and on their pages.
TAUGHT = {
    (f"notebooks/{name}{end}", fault)
    for name, faults in {
        "named_tensors_transformer": (
            "published_FFN(X, W1, b1, W2, b2)",
            "published_embed(X, E)",
            "forgetful(X, WQ, WK)",
        ),
        "find_the_axis_error": (  # the fourth of its five formulas is what names cannot find
            "FFN(X, W1, b1, W2, b2)",
            "dot[key](W, X)",
            "the weights sum to 1 over seq', and are contracted over seq; seq' is never summed over",
            "scores_of(X, WQ, WK)",
        ),
    }.items()
    for fault in faults
    for end in (".py", ".ipynb")
}


def test_the_repository_has_no_findings_but_the_faults_that_it_teaches(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = ["transformer_named", "notebooks", "namedtensor/formula/rewrite", "CONTRIBUTING.md"]
    assert main(["check", *names, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    python = [f for f in found if f["file"].endswith(".py") or ":cell " in f["file"]]
    taught = [(f["file"].partition(":")[0], f["message"].partition(":")[0]) for f in python]
    assert sorted(taught) == sorted(TAUGHT)
    # its Markdown cells show the formulas as they were published, with their faults
    published = {f["file"] for f in found if f not in python}
    assert published == {"notebooks/named_tensors_transformer.ipynb"}


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (
            '@nt.checked("seq emb -> seq")\ndef total(x):\n    return x.sum(1)\n',
            "total: it is positional code, which is held to its pattern where it is called",
        ),
        (
            "def total(X: R[seq, key]) -> R[seq]:\n    return nt.sum[key](X)\n",
            "total: it is no formula, and none that was traced calls it",
        ),
        (
            "class Model:\n    def total(self, X: nt.R[seq, key]):\n        return nt.sum[key](X)\n",
            "total: it is no formula, and none that was traced calls it",
        ),
        # called by a formula
        (
            "def total(X: R[seq, key]) -> R[seq]:\n    return nt.sum[key](X)\n\n"
            "@formula\ndef f(X: R[seq, key]) -> R[seq]:\n    return total(X)\n",
            "",
        ),
        ("def total(X):\n    return nt.sum[key](X)\n", ""),
    ],
)
@pytest.mark.parametrize("how", [[], ["--no-import"]])
def test_functions_that_are_not_looked_at_are_named(check, code, why, how):
    status, out, err = check({"a.py": HEAD + "import namedtensor as nt\n" + code}, *how)
    assert (status, err) == (0, "")
    said = [line for line in out.splitlines() if line.startswith("a.py: not checked: ")]
    assert said == ([f"a.py: not checked: {why}"] if why else [])
    assert ("1 place not checked" in out) == bool(why)


def test_a_function_that_is_made_a_formula_is_looked_at(check):
    code = (
        "def total(X: R[seq, key]) -> R[seq]:\n    return nt.sum[key](X)\n\nf = nt.formula(total)\n"
    )
    status, out, err = check({"a.py": HEAD + "import namedtensor as nt\n" + code})
    assert (status, out, err) == (
        0,
        "1 file checked, 1 formula of Python in it: no findings\n",
        "",
    )
