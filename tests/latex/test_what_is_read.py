"""What is not read is said: environments, sets, signs of products, files beside, cells, other files."""

import json

import pytest

import namedtensor as nt
import namedtensor.latex
from namedtensor.command import main


def kinds(text, name="<text>.tex"):
    return [s.kind for s in namedtensor.latex.read(text, name).statements]


def loud(text, name="<text>"):
    found = namedtensor.latex.read(text, name).check()
    return [(f.code, f.line) for f in found if f.severity != "note"]


BODY = r"X &\in \mathbb{R}^{\text{seq}, \text{emb}} \\ f(X) &= \sum_{\text{seq}} X"

ENVIRONMENTS = [
    r"\begin{align*} BODY \end{align*}",
    r"\begin{IEEEeqnarray}{rCl} BODY \end{IEEEeqnarray}",
    r"\begin{empheq}[box=\fbox]{align} BODY \end{empheq}",
    r"\begin{empheq}[left=\empheqlbrace]{align*} BODY \end{empheq}",
    r"\newenvironment{eqs}{\begin{align}}{\end{align}} \begin{eqs} BODY \end{eqs}",
    r"\newcommand{\be}{\begin{align}}\newcommand{\ee}{\end{align}} \be BODY \ee",
    r"\def\bea{\begin{eqnarray}}\def\eea{\end{eqnarray}} \bea BODY \eea",
    r"\newcommand\[{} \newcommand{\eq}{\begin{equation*}}\newcommand{\qe}{\end{equation*}} \eq BODY \qe",
    r"\begin{nobodyknows} BODY \end{nobodyknows}",
    r"\begin{nobodyknows}[a]{b} BODY \end{nobodyknows}",
    r"\begin{theorem} \begin{align} BODY \end{align} \end{theorem}",
]


@pytest.mark.parametrize("text", ENVIRONMENTS)
def test_mathematics_in_any_environment_is_read(text):
    assert kinds(text.replace("BODY", BODY)) == ["declaration", "definition"]


@pytest.mark.parametrize("text", ENVIRONMENTS)
def test_a_fault_in_any_environment_is_found(text):
    faulty = text.replace("BODY", BODY).replace(r"\sum_{\text{seq}}", r"\sum_{\text{tok}}")
    assert loud(faulty, "a.tex") == [("axis-missing", 1)]


def test_an_environment_of_text_is_no_formula():
    text = r"\begin{itemize} \item a & b \\ with \text{words} \end{itemize}"
    assert kinds(text) == []
    text = r"\begin{lemma} For $X \in \mathbb{R}^{\text{seq}}$ it holds. \end{lemma}"
    assert kinds(text) == ["declaration"]


PRODUCTS = [
    r"A \cdot_{\text{emb}} B",
    r"A \odot_{\text{emb}} B",
    r"A \mathop{\cdot}\limits_{\text{emb}} B",
    r"A \underset{\text{emb}}{\times} B",
    r"A \cdot_{\operatorname{emb}} B",
    r"A \cdot_{\name{emb}} B",
]
DECLARED = (
    r"$A \in \mathbb{R}^{\text{seq}, \text{emb}}$, $B \in \mathbb{R}^{\text{emb}, \text{hid}}$, "
)


@pytest.mark.parametrize("product", PRODUCTS)
def test_axes_below_the_sign_of_a_product_are_contracted(product):
    document = namedtensor.latex.read(DECLARED + f"$f(A, B) = {product}$")
    assert document["f"].shape("seq[2] emb[3]", "emb[3] hid[4]").names == ("hid", "seq") or set(
        document["f"].shape("seq[2] emb[3]", "emb[3] hid[4]").names
    ) == {"seq", "hid"}


@pytest.mark.parametrize("product", PRODUCTS)
def test_an_absent_axis_below_the_sign_of_a_product_is_found(product):
    assert loud(DECLARED + f"$f(A, B) = {product.replace('emb', 'hid')}$") == [("axis-missing", 1)]


def test_subscripts_of_a_product_that_name_no_axis_stay_what_they_are():
    assert kinds(r"$X \in \mathbb{R}^{\text{a}}$, $f(X) = X \cdot X_1$", "a.md") == [
        "declaration",
        "definition",
    ]


@pytest.mark.parametrize(
    "space", [r"\{-1,1\}", r"\{-1, 0, 1\}", r"(0,1)", r"[-1,1]", r"(0,\infty)", r"\{\pm 1\}"]
)
def test_sets_of_numbers_are_bases(space):
    text = rf"$X \in {space}^{{\text{{seq}}, \text{{emb}}}}$, $f(X) = \sum_{{\text{{tok}}}} X$"
    assert loud(text) == [("axis-missing", 1)]
    document = namedtensor.latex.read(text.replace("tok", "seq"))
    assert str(document["f"].shape("seq[2] emb[3]")) == "emb[3]"


def test_a_pair_in_brackets_is_no_set():
    assert kinds(r"$X \in \mathbb{R}^{\text{a}}$ and $(0, 1)$", "a.md") == ["declaration", "aside"]


# ------------------------------------------------------------------------------- files beside


def test_input_and_include_are_followed_inside_the_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "macros.tex").write_text(r"\newcommand{\emb}{\text{emb}}" "\n")
    (tmp_path / "parts" / "a.tex").write_text("words\n\n" + r"$X \in \mathbb{R}^{\emb}$" "\n")
    main_file = tmp_path / "main.tex"
    main_file.write_text(
        "\\input{macros}\n\\include{parts/a}\n% \\input{gone}\n"
        "\\[ f(X) = \\sum_{\\text{tok}} X \\]\n"
    )
    document = namedtensor.latex.read_file(main_file)
    (finding,) = document.check()
    assert (finding.code, finding.line, finding.file) == ("axis-missing", 4, str(main_file))
    (tmp_path / "parts" / "a.tex").write_text("\n\n" r"$X \in \mathbb{R}^{\emb, \emb}$" "\n")
    found = [f for f in namedtensor.latex.read_file(main_file).check() if f.code == "repeated"]
    assert [(f.line, f.file) for f in found] == [(3, str(tmp_path / "parts" / "a.tex"))]
    assert str(found[0]).splitlines()[1] == r"3 | $X \in \mathbb{R}^{\emb, \emb}$"


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "gone", "main", "link"])
def test_what_is_not_followed_is_said(tmp_path, name):
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "outside.tex").write_text(r"$X \in \mathbb{R}^{\text{secret}}$")
    (folder / "link.tex").symlink_to(tmp_path / "outside.tex")
    (folder / "main.tex").write_text(f"\\input{{{name}}}\n$X \\in \\mathbb{{R}}^{{\\text{{a}}}}$")
    document = namedtensor.latex.read_file(folder / "main.tex")
    assert [(f.severity, f.code, f.line) for f in document.check()] == [("note", "limit-input", 1)]
    assert [s.kind for s in document.statements] == ["declaration"]


def test_a_text_without_a_file_follows_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.tex").write_text(r"$X \in \mathbb{R}^{\text{a}}$")
    assert kinds(r"\input{a}") == []


# -------------------------------------------------------------------------------------- cells


def notebook(*cells):
    return json.dumps(
        {"cells": [{"cell_type": k, "source": text.splitlines(True)} for k, text in cells]},
        indent=1,
    )


def test_the_markdown_cells_of_a_notebook_are_read(tmp_path):
    file = tmp_path / "a.ipynb"
    math = "Let\n$X \\in \\mathbb{R}^{\\text{emb}}$ and\n\n$$f(X) = \\sum_{\\text{tok}} X$$\n"
    file.write_text(notebook(("code", "x = '$X$'"), ("markdown", math)))
    document = namedtensor.latex.read_file(file)
    assert document.names == ("f",)
    (finding,) = document.check()
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "tok" in text)
    assert (finding.code, finding.line) == ("axis-missing", line)


def test_a_cell_may_be_one_string(tmp_path):
    file = tmp_path / "a.ipynb"
    cell = {"source": "$X \\in \\mathbb{R}^{\\text{emb}}$", "cell_type": "markdown"}
    file.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": cell["source"]}]}))
    assert [s.kind for s in namedtensor.latex.read_file(file).statements] == ["declaration"]


def test_a_name_on_an_unreadable_line_of_a_notebook_is_not_called_undefined():
    code = [("code", "x = 1\n" * 40)]
    unread = "$$Q = X \\underset{\\text{seq}}{\\cdot} / 2$$\n\n$$Z = \\sum_{\\text{seq}} Q R$$"
    document = namedtensor.latex.read(notebook(*code, ("markdown", unread)), "a.ipynb")
    said = [f.message for f in document.check() if f.severity == "error"]
    assert said[1:] == ["R is neither declared nor defined"]


@pytest.mark.parametrize("name", ["a.Rmd", "a.qmd", "a.md"])
def test_code_cells_and_fences_belong_to_the_fence(name):
    text = (
        "---\ntitle: $x\n---\n\n```{r, echo=FALSE}\ny <- x$\\text{a}$b\n```\n\n"
        "$$X \\in \\mathbb{R}^{\\text{emb}}$$ {#eq-x}\n\n~~~\n$$\\sum_{\\text{no}}$$\n~~~\n"
    )
    document = namedtensor.latex.read(text, name)
    assert [s.kind for s in document.statements] == ["declaration"]
    assert document.check() == []


def test_fenced_mathematics_is_mathematics():
    text = "```math\nX \\in \\mathbb{R}^{\\text{emb}}\n```\n"
    assert kinds(text, "a.md") == ["declaration"]


def test_a_readme_without_marks_is_no_formula():
    text = "# Title\n\n```python\nprint(r'\\underset{\\text{a}}{x}')\n```\n"
    assert loud(text, "README.md") == []
    assert kinds(text, "README.md") == []


# -------------------------------------------------------------------------------- other files


@pytest.mark.parametrize("name", ["a.pdf", "a.png", "a.toml", "a.docx", "a.c"])
def test_a_file_of_another_kind_is_refused(tmp_path, name, capsys):
    file = tmp_path / name
    file.write_text("nothing")
    assert main(["check", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "is neither a document nor Python" in err
    with pytest.raises(nt.NamedTensorError):
        namedtensor.latex.read_file(file)


def test_the_summary_counts_what_was_read_and_what_was_not(tmp_path, capsys):
    file = tmp_path / "a.md"
    file.write_text(
        "$X \\in \\mathbb{R}^{\\text{a}}$, $E = mc^2$, $$f(X) = \\sum_{\\text{a}} (X $$\n"
    )
    assert main(["check", str(file)]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "1 file checked, 1 statement read, 1 set aside, 1 unreadable: 1 error"


# ------------------------------------------------------------------------------------ rows


def test_a_text_between_rows_ends_the_row_before():
    text = (
        r"\begin{align*} X &\in \mathbb{R}^{\text{seq}:n} \intertext{and so} "
        r"Y &\in \mathbb{R}^{\text{seq}:n} \end{align*}"
    )
    assert kinds(text) == ["declaration", "declaration"]


@pytest.mark.parametrize(
    "behind", [r", \quad i = 1, \dots, n", r" && i = 1, \ldots, n", r" \quad (i = 1, \dots, n)", ""]
)
def test_a_range_behind_elements_is_no_condition(behind):
    text = (
        r"\begin{align*} R &\in \mathbb{R}^{\text{seq}:n} \\ R_{\text{seq}:i} &= \frac{i}{n}"
        + behind
        + r" \\ X &\in \mathbb{R}^{\text{seq}:n} \\ f(X) &= R \odot X \end{align*}"
    )
    document = namedtensor.latex.read(text, "a.tex")
    assert document.check() == []
    assert document["f"](nt.tensor([2.0, 2.0], "seq")).numpy("seq").tolist() == [1.0, 2.0]


def test_two_indices_share_a_range():
    text = (
        r"$$\begin{aligned} B &\in \mathbb{R}^{\text{row}:n, \text{col}:n} \\"
        r" B_{\text{row}:i, \text{col}:i'} &= \begin{cases} 1 & i = i' \\ 0 & \text{otherwise}"
        r" \end{cases} && i, i' = 1, \dots, n \\ X &\in \mathbb{R}^{\text{col}:n} \\"
        r" f(X) &= B \underset{\text{col}}{\cdot} X \end{aligned}$$"
    )
    document = namedtensor.latex.read(text)
    assert document.check() == []
    assert document["f"](nt.tensor([2.0, 3.0], "col")).numpy("row").tolist() == [2.0, 3.0]
