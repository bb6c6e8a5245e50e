r"""`%%named` renders a cell of LaTeX, says what is wrong with it, and names its formulas."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

import namedtensor as nt
from namedtensor.display.magic import Cell, document_of, magic_for
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula

TOTAL = r"""X \in \mathbb{R}^{\text{seq}, \text{emb}} \\
\text{total}(X) = \sum_{\text{seq}} X
"""
FAULTY = r"""X \in \mathbb{R}^{\text{seq}, \text{emb}} \\
\text{good}(X) = \sum_{\text{seq}} X \\
\text{bad}(X) = \sum_{\text{key}} X
"""


@pytest.fixture
def names():
    return {}


@pytest.fixture
def named(names):
    return magic_for(names)


def test_a_notebook_loads_the_magic_and_calls_the_formula():
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "namedtensor")
    shown = shell.run_cell_magic("named", "", TOTAL)
    assert isinstance(shown, Cell)
    assert isinstance(shell.user_ns["total"], Formula)
    assert shell.user_ns["total"](nt.ones("seq[3] emb[2]")).numpy().tolist() == [3.0, 3.0]


def test_a_cell_shows_its_formulas_and_names_them(named, names):
    shown = named("", TOTAL)
    assert shown._repr_markdown_() == (
        "$$\\begin{aligned}\n"
        "X &\\in \\mathbb{R}^{\\text{seq}, \\text{emb}} \\\\\n"
        "\\text{total}(X) &= \\sum_{\\text{seq}} X\n"
        "\\end{aligned}$$\n"
        "\n"
        "Defined: `total(X: R[seq, emb]) -> R[emb]`"
    )
    assert repr(shown) == "total(X: R[seq, emb]) -> R[emb]"
    assert list(names) == ["total"]


def test_the_style_file_s_macros_are_shown_in_plain_latex(named):
    cell = r"$X \in \mathbb{R}^{\name{seq}}$ and $f(X) = \nfun{\name{seq}}{softmax} X$"
    shown = named("", cell)._repr_markdown_()
    assert r"f(X) &= \underset{\text{seq}}{\text{softmax}} X" in shown


def test_a_cell_may_be_markdown(named, names):
    named("", f"# Words\n\n$$\\begin{{aligned}}\n{TOTAL}\\end{{aligned}}$$\n")
    assert list(names) == ["total"]


def test_findings_stand_below_with_the_line_of_the_cell_and_what_is_right_can_be_called(
    named, names
):
    shown = named("", FAULTY)
    (finding,) = shown.findings
    assert (finding.code, finding.line) == ("axis-missing", 4)  # %%named is line 1
    page = shown._repr_markdown_()
    assert page.count("<pre>") == 1
    assert "cell:4:" in page
    assert str(finding) in repr(shown)
    assert page.count("$$") == 2
    assert list(names) == ["good"]
    assert nt.max["emb"](names["good"](nt.ones("seq[3] emb[2]"))).item() == 3.0


def test_letters_inside_of_a_formula_get_no_names_and_families_do(named, names):
    inside = r"""
X \in \mathbb{R}^{\text{seq}}, \gamma^l \in \mathbb{R}^{\text{seq}} \\
\text{f}(X) = Q \odot Q \\
Q = 2 X \\
\text{scale}^l(X; \gamma^l) = X \odot \gamma^l
"""
    named("", inside)
    assert [name for name in names if name != "text_f"] == ["scale"]
    assert names["scale"][2].name == "scale__2"


def test_findings_are_escaped(named):
    shown = named("", r"f(X) = \sum_{\text{seq}} <b> X")
    assert "<b>" not in shown._repr_markdown_().partition("<pre>")[2]


def test_lengths_of_what_is_written_with_dots_stand_behind_the_magic(named, names):
    cell = r"""
X^0 \in \mathbb{R}^{\text{emb}} \\
X^1 = 2 X^0 \\
\vdots \\
X^L = 2 X^{L-1}
"""
    named("L=3", cell)
    assert list(names) == ["X1", "X__L"]
    assert names["X__L"](nt.ones("emb[2]")).numpy().tolist() == [8.0, 8.0]


@pytest.mark.parametrize("line", ["L", "L=x", "L=2 -q"])
def test_what_is_no_length_is_refused(named, line):
    with pytest.raises(NamedTensorError) as caught:
        named(line, TOTAL)
    word = line.split()[-1]
    assert str(caught.value) == (
        f"%%named {line}: cannot read {word}\n"
        "hint: %%named L=2 chooses the length of what is written with dots"
    )


def test_the_last_of_a_series_is_shown_as_it_is_written(named):
    cell = "X^0 \\in \\mathbb{R}^{\\text{emb}} \\\\ X^1 = 2 X^0 \\\\ \\vdots \\\\ X^L = 2 X^{L-1}"
    assert "$X^L$ is `X__L(X0: R[emb]) -> R[emb]`" in named("L=3", cell)._repr_markdown_()


def test_a_lone_declaration_is_shown(named, names):
    shown = named("", r"X \in \mathbb{R}^{\text{seq}}")
    assert shown._repr_markdown_() == (
        "$$\\begin{gathered}\nX \\in \\mathbb{R}^{\\text{seq}}\n\\end{gathered}$$\n\n"
        "Declared. A formula is defined in the same cell, as f(X) = ..."
    )
    assert repr(shown) == r"declared: X \in \mathbb{R}^{\text{seq}}"
    assert names == {}


def test_a_cell_without_math_is_all_math_and_keeps_its_lines():
    assert document_of("a\nb\n") == "$$\\begin{aligned}\na\nb\n\\end{aligned}$$"
    assert document_of("$a$\n") == "\n$a$\n"
