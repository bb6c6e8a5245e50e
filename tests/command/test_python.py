"""`namedtensor python` prints the module that a document defines."""

import pytest

from namedtensor.command import main

DOCUMENT = r"""
$$\begin{aligned}
X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\
W &\in \mathbb{R}^{\text{emb}, \text{hid}} \\
\text{project}(X; W) &= W \underset{\text{emb}}{\cdot} X \\
\text{bad}(X) &= \sum_{\text{key}} X \\
\text{worse}(X) &= \text{bad}(X) + X
\end{aligned}$$
"""
SERIES = r"""
$$\begin{aligned}
X^0 &\in \mathbb{R}^{\text{emb}} \\
X^1 &= X^0 + X^0 \\
&\vdots \\
X^L &= X^{L-1} + X^{L-1}
\end{aligned}$$
"""


@pytest.fixture
def said(capsys, tmp_path):
    """Run `namedtensor python` on a document; give its status and what it wrote to both streams."""

    def run(text, *words):
        file = tmp_path / "notes.md"
        file.write_text(text)
        status = main(["python", str(file), *words])
        out, err = capsys.readouterr()
        return status, out, err.replace(str(file), "notes.md")

    return run


def test_a_document_is_printed_as_a_module(said):
    good = "\n".join(line for line in DOCUMENT.splitlines() if "bad" not in line)
    assert said(good) == (
        0,
        '"""Formulas in the named tensor notation."""\n'
        "\n"
        "from namedtensor import R, axes, formula\n"
        "\n"
        'seq, emb, hid = axes("seq emb hid")\n'
        "\n"
        "\n"
        "@formula\n"
        "def project(X: R[seq, emb], *, W: R[emb, hid]) -> R[seq, hid]:\n"
        "    return W @ emb @ X\n",
        "",
    )


def test_what_cannot_be_written_is_left_out_and_said_once_with_its_place(said):
    status, out, err = said(DOCUMENT)
    assert status == 1
    assert "def project(" in out
    assert "def bad(" not in out
    assert "def worse(" not in out
    assert err.count("notes.md:6:") == 1


def test_lengths_are_chosen(said):
    status, out, err = said(SERIES, "--bind", "L=2")
    assert (status, err) == (0, "")
    assert "X0: R[emb]" in out
    status, out, err = said(SERIES)
    assert status == 1
    assert "def X1(" in out
    assert "def XL(" not in out
    assert "needs a number for" in err


def test_a_document_without_formulas_is_an_empty_module(said):
    assert said("words alone\n") == (0, '"""Formulas in the named tensor notation."""\n', "")
