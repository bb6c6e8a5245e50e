"""What cannot be read is said once, at its place, and what follows is read all the same."""

import pytest

from namedtensor.latex.reading import reader
from namedtensor.latex.reading.grammar import cursor
from namedtensor.latex.reading.reader import parse_expression, statements_of
from namedtensor.latex.reading.tokens import Fault
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import Definition

FAULTS = {
    r"Y = (A \ndot{seq} B": """\
notes.md:1:3: error[syntax-unbalanced]: this ( is never closed
1 | Y = (A \\ndot{seq} B
  |     ^
hint: put a ) where it ends""",
    r"Y = \left[ A \ndot{seq} B \right)": """\
notes.md:1:3: error[syntax-unbalanced]: this [ is closed by a )
1 | Y = \\left[ A \\ndot{seq} B \\right)
  |     ^^^^^^
hint: close it with ]""",
    r"Y = A \ndot{seq} B)": """\
notes.md:1:3: error[syntax-unbalanced]: this ) closes nothing
1 | Y = A \\ndot{seq} B)
  |                   ^
hint: take it away, or open it before""",
    r"Y = \frac{A \ndot{seq} B}{2": """\
notes.md:1:3: error[syntax-unbalanced]: this { is never closed
1 | Y = \\frac{A \\ndot{seq} B}{2
  |                          ^
hint: put a } where it ends""",
    r"Y = A \ndot{seq} B}": """\
notes.md:1:3: error[syntax-unbalanced]: this } closes nothing
1 | Y = A \\ndot{seq} B}
  |                   ^
hint: take it away, or put a { where it begins""",
    r"Y = |A \ndot{seq} B": """\
notes.md:1:3: error[syntax-unbalanced]: this | is never closed
1 | Y = |A \\ndot{seq} B
  |     ^
hint: put the same bar at its end""",
    r"Y = A \ndot{seq} \begin{cases} 1 & x": """\
notes.md:1:3: error[syntax-unbalanced]: this \\begin{cases} has no end
1 | Y = A \\ndot{seq} \\begin{cases} 1 & x
  |                  ^^^^^^^^^^^^^
hint: put \\end{cases} where it ends""",
    r"Y = A \ndot{seq} 1 \end{cases}": """\
notes.md:1:3: error[syntax-unbalanced]: this \\end{cases} ends nothing
1 | Y = A \\ndot{seq} 1 \\end{cases}
  |                    ^^^^^^^^^^^
hint: take it away, or put \\begin{cases} where it begins""",
    r"Y = A \ndot{seq}": """\
notes.md:1:3: error[syntax-end]: the formula ends where something should follow
1 | Y = A \\ndot{seq}
  |                ^""",
    r"Y = A \ndot{seq} \foo": """\
notes.md:1:3: error[syntax-command]: \\foo is not known here
1 | Y = A \\ndot{seq} \\foo
  |                  ^^^^
hint: define it with \\newcommand{\\foo}{...}, or give the file that defines it as preamble""",
    r"Y = A \ndot{seq} / B": """\
notes.md:1:3: error[syntax-unexpected]: / is not expected here
1 | Y = A \\ndot{seq} / B
  |                  ^""",
    r"Y = \frac{A \ndot{seq} B}": """\
notes.md:1:3: error[syntax-argument]: } lacks what should follow it
1 | Y = \\frac{A \\ndot{seq} B}
  |                         ^""",
    r"Y = A \ndot{seq} \nfun{seq}{} X": """\
notes.md:1:3: error[syntax-argument]: the function of this \\nfun has no name
1 | Y = A \\ndot{seq} \\nfun{seq}{} X
  |                  ^^^^^""",
    r"Y = A \ndot{seq} \text": """\
notes.md:1:3: error[syntax-argument]: \\text has no argument
1 | Y = A \\ndot{seq} \\text
  |                  ^^^^^""",
    r"Y = A \ndot{1} B": """\
notes.md:1:3: error[syntax-axis]: 1 stands where an axis should
1 | Y = A \\ndot{1} B
  |             ^""",
    r"Y = M_{\text{seq}':i, \text{key}}": """\
notes.md:1:3: error[syntax-index]: key has no index here
1 | Y = M_{\\text{seq}':i, \\text{key}}
  |                       ^^^^^^^^^^
hint: write \\text{key}:i, or \\name{key}(i)""",
    r"Y = X_{\name{a} \rightarrow}": """\
notes.md:1:3: error[syntax-rename]: no axis stands after the arrow
1 | Y = X_{\\name{a} \\rightarrow}
  |        ^^^^^^^^
hint: write the axis as it was, an arrow, and the axis as it shall be""",
    r"Y = X_{\rightarrow \name{a}}": """\
notes.md:1:3: error[syntax-rename]: no axis stands before \\rightarrow
1 | Y = X_{\\rightarrow \\name{a}}
  |        ^^^^^^^^^^^
hint: write the axis as it was, an arrow, and the axis as it shall be""",
    r"f : \mathbb{R}^{\name{a}} \to X": """\
notes.md:1:3: error[syntax-space]: a space should stand here
1 | f : \\mathbb{R}^{\\name{a}} \\to X
  |                               ^
hint: write \\mathbb{R}^{...}""",
    r"f : \mathbb{R}^{\name{a}} \to \mathbb{R} \times \mathbb{R}^{\name{b}}": """\
notes.md:1:3: error[syntax-signature]: a signature has one space after its arrow
1 | f : \\mathbb{R}^{\\name{a}} \\to \\mathbb{R} \\times \\mathbb{R}^{\\name{b}}
  |                                                 ^^^^^^^^^^^^^^^^^^^^^""",
    r"X \in \mathbb{R}^{\text{a}[2, 3]}": """\
notes.md:1:3: error[syntax-argument]: one thing should stand in these [ ], and 2 do
1 | X \\in \\mathbb{R}^{\\text{a}[2, 3]}
  |                           ^""",
    r"Y = \begin{tabular} A \ndot{seq} B \end{tabular}": """\
notes.md:1:3: error[syntax-environment]: \\begin{tabular} cannot stand in a formula
1 | Y = \\begin{tabular} A \\ndot{seq} B \\end{tabular}
  |     ^^^^^^^^^^^^^^^""",
    r"\newcommand{\by}[2]{#1 \ndot{seq} #2} Y = \by{A}": """\
notes.md:1:3: error[syntax-argument]: \\by takes 2 arguments, and what follows it ends before
1 | \\newcommand{\\by}[2]{#1 \\ndot{seq} #2} Y = \\by{A}
  |                                           ^^^""",
    r"Y = A \ndot{seq} B \newcommand{\by}": """\
notes.md:1:3: error[syntax-macro]: this definition is not complete
1 | Y = A \\ndot{seq} B \\newcommand{\\by}
  |                    ^^^^^^^^^^^""",
}


def text_of(written):
    """Show the one finding of a formula that stands on a line of its own between dollars."""
    (finding,) = statements_of(Source(f"$$\n{written}\n$$", "notes.md")).findings
    return str(finding).replace("notes.md:2:", "notes.md:1:").replace("\n2 | ", "\n1 | ")


@pytest.mark.parametrize("written", FAULTS)
def test_a_fault_is_said_at_its_place(written):
    expected = FAULTS[written].splitlines()
    found = text_of(written).splitlines()
    assert found[0].split(": ", 1)[1] == expected[0].split(": ", 1)[1]
    assert found[1:] == expected[1:]
    column = expected[2].index("^") - len("1 | ") + 1
    assert found[0].startswith(f"notes.md:1:{column}:")


@pytest.mark.parametrize("written", [w for w in FAULTS if not w.endswith(r"{\by}")])
def test_what_stands_beside_a_fault_is_read(written):
    """One statement is lost: the rows above and below it, and the blocks after it, are there."""
    good = "{} &= A \\ndot{{seq}} B"
    rows = [good.format("P"), written, good.format("Q")]
    text = "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$\n\n$$"
    reading = statements_of(Source(text + good.format("R") + "$$", "notes.md"))
    names = [s.target.text for s in reading.statements if isinstance(s, Definition)]
    assert [name for name in names if name in "PQR"] == ["P", "Q", "R"]
    assert len(reading.findings) == 1


@pytest.mark.parametrize("opening", ["$$", r"\[", r"\(", r"\begin{align*}"])
def test_mathematics_without_an_end_is_found(opening):
    closing = {"$$": "$$", r"\[": r"\]", r"\(": r"\)"}.get(opening, r"\end{align*}")
    text = f"so {opening} Y = X\n\n$Y = A \\ndot{{seq}} B$"
    reading = statements_of(Source(text, "notes.md"))
    assert str(reading.findings[0]).splitlines() == [
        f"notes.md:1:4: error[syntax-unbalanced]: this {opening} is never closed",
        f"1 | so {opening} Y = X",
        "  |    " + "^" * len(opening),
        f"hint: put {closing} where the formula ends",
    ]
    assert [type(s) for s in reading.statements] == [Definition]


def test_findings_come_in_the_order_of_the_text():
    text = "$$Y = (A \\ndot{a} B$$ $$Y = [A \\ndot{a} B$$ $$ Y"
    starts = [finding.span.start for finding in statements_of(Source(text, "a.md")).findings]
    assert starts == sorted(starts)
    assert len(starts) == 3


def test_an_empty_formula_is_refused():
    with pytest.raises(Fault) as caught:
        parse_expression(r"\, ")
    assert caught.value.message == "there is no formula here"


# ---------------------------------------------------------------------------------- limits


def only(text, name="notes.md"):
    (finding,) = statements_of(Source(text, name)).findings
    return finding.code, finding.message


DEEP = {
    "brackets": ("(" * 80, ")" * 80),
    "fractions": (r"\frac{" * 80, "}{2}" * 80),
    "scripts": ("x^{" * 80, "}" * 80),
    "braces": ("{" * 80, "}" * 80),
    "functions": (r"\exp " * 80, ""),
    "minuses": ("-" * 80, ""),
    "sums": (r"\sum_i " * 80, ""),
}


@pytest.mark.parametrize("kind", DEEP)
def test_nesting_is_bounded(kind):
    before, after = DEEP[kind]
    text = rf"$$Y = A \ndot{{a}} {before}x{after}$$"
    assert only(text) == ("limit-nesting", f"this stands more than {cursor.NESTING} deep")


def test_nesting_below_the_bound_is_read():
    text = rf"$$Y = A \ndot{{a}} {'(' * 25}x{')' * 25}$$"
    assert statements_of(Source(text, "notes.md")).findings == ()


@pytest.mark.parametrize("opening", ["{", r"\hat{", r"\begin{cases}", r"\text{"])
def test_braces_and_environments_are_bounded_before_anything_is_read(opening):
    closing = r"\end{cases}" if "begin" in opening else "}"
    text = rf"$$Y = A \ndot{{a}} {opening * 2000}x{closing * 2000}$$"
    assert only(text)[0] == "limit-nesting"


def test_the_depth_of_a_tree_is_bounded():
    text = r"$$Y = A \ndot{a} B" + " + x" * 400 + "$$"
    assert only(text) == ("limit-nesting", "this formula's tree is more than 250 deep")
    assert statements_of(Source(text.replace(" + x" * 200, "", 1), "notes.md")).findings == ()


def test_the_length_of_a_formula_is_bounded():
    text = r"$$Y = A \ndot{a} B" + "+x" * 11_000 + "$$"
    assert only(text) == (
        "limit-size",
        "this formula has 22,008 parts, and 20,000 can be read",
    )


@pytest.mark.parametrize(
    "loop", [r"\def\a{\a}$\a$", r"\def\a#1{\a{#1#1}}$\a{x}$", r"\def\a{\b\b}\def\b{\a\a}$\a$"]
)
def test_the_expansion_of_macros_is_bounded(loop):
    code, message = only(loop)
    assert code == "limit-expansion"
    assert message.endswith(r" expands without end, or to more than can be read")


def test_a_macro_without_end_is_said_once():
    assert only(r"\def\a{\a}" + r"$\a$ " * 300)[0] == "limit-expansion"


def test_macros_that_double_are_bounded():
    doubling = "".join(
        rf"\def\{a}{{\{b}\{b}}}"
        for a, b in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)
    )
    assert only(doubling + r"\def\q{x}$\a$")[0] == "limit-expansion"


def test_the_size_of_a_document_is_bounded(monkeypatch):
    monkeypatch.setattr(reader, "SIZE", 100)
    finding = statements_of(Source("x" * 101, "notes.md")).findings[0]
    assert str(finding).splitlines()[0] == (
        "notes.md:1:1: error[limit-size]: the document has 101 characters, and 100 can be read"
    )
    assert finding.hint == "part it into several files"
