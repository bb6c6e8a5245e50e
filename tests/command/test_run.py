"""`namedtensor run` evaluates a formula of a document and shows its inputs and its result."""

import sys

import numpy as np
import pytest

from namedtensor.command import main
from namedtensor.command.files import CommandError
from namedtensor.command.run import member
from namedtensor.latex import read

NOTES = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\
W &\in \mathbb{R}^{\text{emb}, \text{hid}} \\
\text{project}(X; W) &= W \underset{\text{emb}}{\cdot} X \\
\text{bad}(X) &= \sum_{\text{key}} X \\
P_{\text{seq}:i, \text{emb}:j} &= i + 2 j
\end{aligned}$$
"""


@pytest.fixture
def notes(tmp_path):
    file = tmp_path / "notes.md"
    file.write_text(NOTES)
    return str(file)


@pytest.fixture
def said(capsys, notes):
    """Run `namedtensor run` on the notes; give its status and what it wrote to both streams."""

    def run(*words):
        status = main(["run", notes, *words])
        out, err = capsys.readouterr()
        return status, out.replace(notes, "notes.md"), err.replace(notes, "notes.md")

    return run


def test_inputs_and_the_result_are_shown_with_their_shapes(said):
    assert said("--name", "project", "--size", "seq=1", "emb=2", "hid=3", "--seed", "1") == (
        0,
        "X : seq[1] x emb[2], float64\n"
        "       emb\n"
        "            0       1\n"
        "seq 0  0.3456  0.8216\n"
        "\n"
        "W : emb[2] x hid[3], float64\n"
        "       hid\n"
        "            0        1       2\n"
        "emb 0  0.3304  -1.3032  0.9054\n"
        "    1  0.4464  -0.5370  0.5811\n"
        "\n"
        "project(X; W) : seq[1] x hid[3], float64\n"
        "       hid\n"
        "            0        1       2\n"
        "seq 0  0.4809  -0.8915  0.7903\n",
        "",
    )


def test_the_same_seed_shows_the_same_numbers(said):
    assert said("--name", "project") == said("--name", "project")
    assert said("--name", "project") != said("--name", "project", "--seed", "5")


def test_given_inputs_are_used(said, tmp_path):
    file = tmp_path / "in.npz"
    np.savez(file, X=np.ones((2, 3)), W=np.full((3, 1), 2.0))
    status, out, err = said("--name", "project", "--set", str(file))
    assert (status, err) == (0, "")
    assert out.endswith(
        "project(X; W) : seq[2] x hid[1], float64\n       hid\n       0\nseq 0  6\n    1  6\n"
    )


def test_torch_computes_where_it_is_asked_for(said):
    _, out, _ = said("--name", "project", "--backend", "torch", "--size", "seq=1 emb=2 hid=3")
    assert "project(X; W) : seq[1] x hid[3], float64 torch\n" in out


def test_a_tensor_that_is_defined_by_its_elements_takes_sizes(said):
    status, out, err = said("--name", "P", "--size", "seq=2", "emb=3")
    assert (status, err) == (0, "")
    assert (
        out
        == "P() : seq[2] x emb[3], int64\n       emb\n       0  1  2\nseq 0  3  5  7\n    1  4  6  8\n"
    )


def test_a_name_that_the_document_does_not_define_has_status_2(said):
    assert said("--name", "projekt") == (
        2,
        "",
        "namedtensor: --name projekt: the document defines no projekt; did you mean project?\n",
    )
    assert said("--name", "zzz") == (
        2,
        "",
        "namedtensor: --name zzz: the document defines no zzz; there are: project, bad, P\n",
    )


def test_an_axis_that_the_formula_lacks_has_status_2(said):
    assert said("--name", "project", "--size", "key=3") == (
        2,
        "",
        "namedtensor: --size key=3: no input has an axis key; there are: seq, emb, hid\n",
    )


def test_a_faulty_formula_has_status_1_and_its_place(said):
    status, out, err = said("--name", "bad")
    assert (status, out) == (1, "")
    assert err.startswith("notes.md:6:")
    assert "^^^" in err


def test_sizes_that_do_not_meet_have_status_1(said, tmp_path):
    file = tmp_path / "in.npz"
    np.savez(file, X=np.ones((2, 3)), W=np.ones((4, 1)))
    status, out, err = said("--name", "project", "--set", str(file))
    assert (status, out) == (1, "")
    assert err == (
        "project(X, W): axis emb is 3 in X and 4 in W\n"
        "  X : seq[2] emb[3]   declared R[seq, emb]\n"
        "  W : emb[4] hid[1]   declared R[emb, hid]\n"
        "hint: one name has one size in a formula: select as many of both, W[emb[:3]]\n"
    )


def test_a_size_that_a_given_input_has_otherwise_has_status_2(said, tmp_path):
    file = tmp_path / "in.npz"
    np.savez(file, X=np.ones((2, 3)))
    assert said("--name", "project", "--set", str(file), "--size", "emb=7") == (
        2,
        "",
        "namedtensor: --size emb=7: emb is 3 in X, as given\n",
    )


def test_torch_that_is_not_installed_has_status_2(said, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert said("--name", "project", "--backend", "torch") == (
        2,
        "",
        "namedtensor: --backend torch: torch is not installed: "
        "pip install 'namedtensor-notation[torch]'\n",
    )


def test_a_seed_is_a_number(capsys, notes):
    with pytest.raises(SystemExit) as left:
        main(["run", notes, "--name", "project", "--seed", "x"])
    assert left.value.code == 2
    assert "argument --seed: x is no whole number of at most 18 digits" in capsys.readouterr().err


FAMILY = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{emb}} & \gamma^l &\in \mathbb{R}^{\text{emb}} \\
\text{scale}^l(X; \gamma^l) &= X \odot \gamma^l \\
\text{twice}(X) &= 2 X
\end{aligned}$$
"""


def test_a_member_of_a_family_is_asked_for_by_its_index():
    document = read(FAMILY)
    assert repr(member(document, "scale[1]")) == ("scale__1(X: R[emb]; gamma1: R[emb]) -> R[emb]")
    with pytest.raises(CommandError) as caught:
        member(document, "scale")
    assert str(caught.value) == "--name scale: scale is a family; choose one of it: scale[1]"
    with pytest.raises(CommandError) as caught:
        member(document, "twice[1]")
    assert str(caught.value) == "--name twice[1]: twice is a formula, and not a family of them"


def test_numbers_of_the_document_are_chosen(capsys, tmp_path):
    file = tmp_path / "series.md"
    file.write_text(
        r"$$\begin{aligned} X^0 &\in \mathbb{R}^{\text{emb}} \\ X^1 &= X^0 + X^0 \\ &\vdots \\ "
        r"X^L &= X^{L-1} + X^{L-1} \end{aligned}$$"
    )
    np.savez(tmp_path / "in.npz", X0=np.ones(2))
    words = ["run", str(file), "--name", "X^L", "--set", str(tmp_path / "in.npz")]
    assert main([*words, "--bind", "L=3"]) == 0
    assert capsys.readouterr().out.endswith(" : emb[2], float64\nemb  0  1\n     8  8\n")
    assert main(words) == 1
    assert "needs a number for" in capsys.readouterr().err
    assert main([*words, "--bind", "K=3"]) == 1
    assert "has no size or number K" in capsys.readouterr().err
