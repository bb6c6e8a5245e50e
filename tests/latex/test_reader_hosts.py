"""Mathematics is found in Markdown, LaTeX and plain text, and nothing else is taken for it."""

import pytest

import namedtensor.latex
from namedtensor.latex.reading.reader import statements_of
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import Aside, Definition
from tests.latex.trees import HERE, dot, down, of, op, up

FORMULA = r"Y = A \ndot{seq} B"
READ = Definition(HERE, of("Y"), dot("seq", "A", "B"))


def read(text, name="notes.md"):
    reading = statements_of(Source(text, name))
    assert reading.findings == ()
    return reading


FOUND = {
    "inline in Markdown": ("notes.md", "Let $%s$ be it."),
    "inline with spaces": ("notes.md", "Let $ %s $ be it."),
    "after money": ("notes.md", "It costs $5 and $6; $%s$."),
    "display in Markdown": ("notes.md", "so\n\n$$\n%s\n$$\n"),
    "display in a line": ("notes.md", "so $$%s$$ holds"),
    "in a list": ("notes.md", "- one\n\n    $$%s$$\n"),
    "in a quotation": ("notes.md", "> so\n> $$\n> Y = A\n>  \\ndot{seq} B\n> $$\n"),
    "GitHub's fence": ("notes.md", "```math\n%s\n```\n"),
    "MyST's fence": ("notes.md", "```{math}\n:label: eq\n\n%s\n```\n"),
    "a note of MyST": ("notes.md", "```{note}\nLet $%s$ be it.\n```\nand `$Z$`"),
    "a theorem of MyST": ("notes.md", "```{prf:theorem} Of sums\n:label: t\n$$\n%s\n$$\n```\n"),
    "a formula in a note of MyST": (
        "notes.md",
        "````{admonition} One\n```{math}\n%s\n```\n````\n",
    ),
    "after code in a directive": (
        "notes.md",
        "```{note}\nso\n```\n```{code-block} tex\n$Z = Q \\ndot{q} Q$\n```\n$%s$",
    ),
    "after a cell": ("notes.qmd", "```{r}\n$Z = Q \\ndot{q} Q$\n```\n$%s$"),
    "GitHub's ticks": ("notes.md", "So $`%s`$."),
    "brackets": ("notes.md", r"\(%s\)"),
    "square brackets": ("notes.txt", r"\[%s\]"),
    "a bare environment": ("notes.md", r"\begin{align*}%s\end{align*}"),
    "text in LaTeX": ("paper.tex", r"\begin{document}Let $%s$.\end{document}"),
    "LaTeX without a name": (
        "<text>",
        r"\documentclass{article}\begin{document}$%s$\end{document}",
    ),
    "nothing but the formula": ("<text>", "%s"),
    "a text in a formula with a formula": (
        "notes.md",
        r"Let $%s \text{ for all $A$ and $B$}$ be.",
    ),
    "after an escaped dollar": ("notes.md", r"\$5 and $%s$"),
    "after an unclosed dollar": ("notes.md", "5$ here\n\n$%s$"),
    "after a comment": ("notes.md", "<!-- $Z = Q \\ndot{q} Q$ -->\n$%s$"),
    "after code": ("notes.md", "`$Z = Q \\ndot{q} Q$` ``$Z = ` \\ndot{q} Q$`` $%s$"),
    "after a fence": ("notes.md", "```tex\n$Z = Q \\ndot{q} Q$\n```\n$%s$"),
    "after waves": ("notes.md", "~~~\n$Z = Q \\ndot{q} Q$\n~~~\n$%s$"),
    "after indented code": ("notes.md", "so\n\n    $Z = Q \\ndot{q} Q$\n\n$%s$"),
    "after a script": ("notes.md", "<script>\n$Z = Q \\ndot{q} Q$\n</script>\n$%s$"),
    "after verbatim": ("a.tex", "\\begin{verbatim}$Z = Q \\ndot{q} Q$\\end{verbatim} $%s$"),
    "after verb": ("a.tex", "\\verb|$Z = Q \\ndot{q} Q$| $%s$"),
    "after a false condition": ("a.tex", "\\iffalse $Z = Q \\ndot{q} Q$ \\fi $%s$"),
    "after a TeX comment": ("a.tex", "% $Z = Q \\ndot{q} Q$\n$%s$"),
    "after per cent": ("a.tex", "5\\% of $%s$"),
    "with a comment within": ("a.tex", "$%s % and so on $\n$"),
    "before the end": ("a.tex", "\\begin{document}$%s$\\end{document} $Z = Q \\ndot{q} Q$"),
    "after the preamble": ("a.tex", "$Z = Q \\ndot{q} Q$ \\begin{document}$%s$\\end{document}"),
}


@pytest.mark.parametrize("where", FOUND)
def test_the_formula_is_found_and_nothing_else(where):
    name, around = FOUND[where]
    statements = read(around.replace("%s", FORMULA), name).statements
    assert [s for s in statements if not isinstance(s, Aside)] == [READ]


def test_per_cent_is_no_comment_in_markdown_outside_formulas():
    assert read(f"50 % of ${FORMULA}$").statements == (READ,)


SECTIONS = {
    "# One\n\n$a$\n\n## Two *words* #\n": ("One", "Two *words*"),
    "One\n===\n\ntext\n\nTwo\n---\n": ("One", "Two"),
    "---\ntitle: A page\ndate: 2024-03-05\n---\ntext\n\n## One\n\ntext": ("One",),
    "Named Tensors: Transformer\n\nFFN\n\n$a$\n\nA sentence.\n\nMasked Attention\n\n$$b$$": (
        "Named Tensors: Transformer",
        "FFN",
        "Masked Attention",
    ),
    "**Layer Norm**\n\n$a$": ("Layer Norm",),
    "# One\n\nNot A Heading\n\n```\n# a comment\n```\n": ("One",),
    r"\documentclass{a}\begin{document}\section{One}\subsection*{Two} $a$": ("One", "Two"),
}


@pytest.mark.parametrize("text", SECTIONS)
def test_sections_are_found(text):
    assert read(text, "<text>").sections == SECTIONS[text]


def test_statements_count_the_sections_before_them():
    text = f"${FORMULA}$\n\n# One\n\n${FORMULA}$\n\n## Two\n\n${FORMULA}$"
    assert [s.section for s in read(text).statements] == [0, 1, 2]


def test_the_silence_of_a_comment_holds_for_its_line_and_the_next():
    text = "$$x\n% named: ok axis-missing\ny$$\n<!-- named: ok nan, constraint -->"
    assert read(text).silenced == {
        (2, "axis-missing"),
        (3, "axis-missing"),
        (4, "nan"),
        (5, "nan"),
        (4, "constraint"),
        (5, "constraint"),
    }


# ---------------------------------------------------------------------------------- macros


MACROS = {
    r"\newcommand{\ax}{\name{seq}}": r"Y = A \ndot{\ax} B",
    r"\newcommand\ax{\name{seq}}": r"Y = A \ndot\ax B",
    r"\newcommand*{\by}[1]{\ndot{#1}}": r"Y = A \by{seq} B",
    r"\renewcommand{\by}[2]{#1 \ndot{seq} #2}": r"Y = \by AB",
    r"\newcommand{\by}[2][seq]{#2 \ndot{#1}}": r"Y = \by A B",
    r"\newcommand{\by}[2][emb]{#2 \ndot{#1}}": r"Y = \by[seq]{A} B",
    r"\providecommand{\by}{\ndot{seq}}\providecommand{\by}{\ndot{emb}}": r"Y = A \by B",
    r"\def\by{\ndot{seq}}": r"Y = A \by B",
    r"\def\by#1#2{#1 \ndot{seq} #2}": r"Y = \by{A}{B}",
    r"\let\by=\ndot": r"Y = A \by{seq} B",
    r"\let\by\ndot": r"Y = A \by{seq} B",
    r"\ndef{\seq}{seq}": r"Y = A \ndot{\seq} B",
    r"\newcommand{\one}{\two}\newcommand{\two}{A \ndot{seq} B}": r"Y = \one",
    r"\newcommand{\ndot}[1]{\cdot}": r"Y = A \ndot{seq} B",
    r"\NewDocumentCommand{\by}{m}{\ndot{#1}}": r"Y = A \by{seq} B",
    r"\usepackage{namedtensor}": r"Y = A \ndot{seq} B",
    r"\newenvironment{mine}[1]{\begin{a}}{\end{a}}": r"Y = A \ndot{seq} B",
    "\\newcommand{\\by}[1]{% a comment }\n  \\ndot{#1}}": r"Y = A \by{seq} B",
}


@pytest.mark.parametrize("given", MACROS)
def test_macros_of_a_preamble_are_put_in_place(given):
    preamble = [Source(given, "mine.sty")]
    reading = statements_of(Source(f"${MACROS[given]}$", "notes.md"), preamble)
    assert (reading.findings, reading.statements) == ((), (READ,))


@pytest.mark.parametrize("given", MACROS)
def test_macros_of_a_document_are_put_in_place(given):
    text = "\\documentclass{article}" + given + f"\\begin{{document}}${MACROS[given]}$"
    assert read(text, "paper.tex").statements == (READ,)


@pytest.mark.parametrize("given", [g for g in MACROS if "usepackage" not in g])
def test_macros_in_the_mathematics_are_put_in_place(given):
    assert read(f"$${given}$$\n\n$${MACROS[given]}$$").statements == (READ,)


def test_an_operator_is_declared():
    text = r"\DeclareMathOperator*{\smax}{softmax} $Y = \smax_{\name{seq}} X$"
    assert read(text).statements == read(r"$Y = \nfun{seq}{softmax} X$").statements


def test_a_paired_delimiter_is_declared():
    text = r"\DeclarePairedDelimiter{\abs}{\lvert}{\rvert} $Y = \abs{A} \ndot{seq} B$"
    assert read(text).statements == read(r"$Y = |A| \ndot{seq} B$").statements


def test_what_a_macro_gives_has_the_span_of_its_use():
    text = r"\newcommand{\half}[1]{\frac{#1}{2}} $Y = \half{X} \ndot{seq} B$"
    (statement,) = read(text).statements
    half = statement.body.left
    assert text[half.span.start : half.span.end] == r"\half{X}"
    assert text[half.left.span.start : half.left.span.end] == "X"
    assert text[half.right.span.start : half.right.span.end] == r"\half{X}"
    assert half == op("/", "X", 2)


def test_a_default_argument_has_the_span_of_the_use():
    preamble = [Source(r"\newcommand{\by}[1][seq]{\ndot{#1}}" + " " * 500)]
    source = Source(r"$Y = A \by B$")
    (statement,) = statements_of(source, preamble).statements
    (axis,) = statement.body.axes
    assert source.text[axis.span.start : axis.span.end] == r"\by"


def test_macros_are_kept_by_their_names():
    assert read(r"$$\newcommand{\x}{y}\def\z{\x}$$").macros.table.keys() == {"\\x", "\\z"}


def test_a_macro_with_a_pattern_is_left_alone():
    reading = read(r"\def\by#1.#2{x} $" + FORMULA + "$")
    assert reading.macros.table == {}
    assert reading.statements == (READ,)


def test_a_macro_may_stand_in_a_script():
    assert read(r"\newcommand{\dk}{d_k}$X^{\dk} = A \ndot{seq} B$").statements == (
        Definition(HERE, up("X", down("d", "k")), dot("seq", "A", "B")),
    )


def test_an_indented_display_goes_on_with_the_paragraph_above_it_however_its_lines_are_indented():
    text = "\\[ f(X) = \n    X + 1 \\]\n    \\[ g(X) = f(X) \\]\n\n    $$h(X) = 2$$\n"
    found = statements_of(Source(text)).statements
    assert len(found) == 2  # the last stands in a block of code


PROSE = [
    "* Returns: {string\\[]} and {Object\\[]}\n",
    "> \\[!NOTE]\n> Mind this.\n",
    "- \\[ ] to do\n- \\[x] done\n",
    "The password is a$$b.\n",
    "* \\[[`37ab`](https://example.org)] - **doc**: add\n",
]


@pytest.mark.parametrize("prose", PROSE)
def test_brackets_behind_a_backslash_are_prose_where_they_hold_no_mathematics(prose):
    found = statements_of(Source(prose, "notes.md"))
    assert not found.statements
    assert not found.findings
    found = statements_of(Source(f"{prose}\n\\[\n{FORMULA}\n\\]\n", "notes.md"))
    assert found.statements == (READ,)
    assert not found.findings


@pytest.mark.parametrize("mark", ["\\[", "$$"])
def test_a_display_without_an_end_is_found_where_it_holds_mathematics(mark):
    found = statements_of(Source(f"{mark} {FORMULA}\n\nMore of $X$.\n", "notes.md"))
    assert [finding.code for finding in found.findings] == ["syntax-unbalanced"]


@pytest.mark.parametrize(
    "rows",
    [
        r"y = 3 \Bigl( & x + x \\ & + x \Bigr)",
        r"y &= 3 \left( \right. & x + x \\ & & \left. + x \right)",
        r"y = 3 \bigl[ & x + x \\ & \quad + x \bigr]",
    ],
)
def test_a_tab_in_brackets_that_go_on_in_the_next_row_only_aligns(rows):
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. \begin{align*}" + rows + r"\end{align*}"
    document = namedtensor.latex.read(text)
    assert document.check() == []
    assert str(document["y"]) == "y(x: R[a]) -> R[a]"
