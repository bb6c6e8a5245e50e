"""A comment in the source silences a rule on its own line, or on the line below it."""

import pytest

from namedtensor.latex import read

FORMULA = r"""\begin{align*}
X &\in \mathbb{R}^{\name{emb}} \\
f(X) &= \nsum{\name{seq}} X %s
\end{align*}
"""


def codes(text: str) -> list[str]:
    return [finding.code for finding in read(text).check()]


def test_a_comment_at_the_end_of_the_line_silences_it():
    assert codes(FORMULA % "") == ["axis-missing"]
    assert codes(FORMULA % "% named: ok axis-missing") == []


def test_a_comment_on_the_line_above_silences_it():
    lines = (FORMULA % "").splitlines()
    text = "\n".join([*lines[:2], "% named: ok axis-missing", *lines[2:]])
    assert codes(text) == []


def test_a_comment_of_the_markdown_around_silences_the_formula_below():
    formula = r"$X \in \mathbb{R}^{\text{emb}}$ and $f(X) = \sum_{\text{seq}} X$"
    assert codes(formula) == ["axis-missing"]
    assert codes(f"<!-- named: ok axis-missing -->\n{formula}") == []


@pytest.mark.parametrize(
    "comment", ["% named: ok axis-size", "% ok axis-missing", "% axis-missing"]
)
def test_another_comment_silences_nothing(comment):
    assert codes(FORMULA % comment) == ["axis-missing"]


def test_one_comment_silences_several_rules():
    assert codes(FORMULA % "% named: ok axis-size, axis-missing") == []
