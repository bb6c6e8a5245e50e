"""What runs is tried on small numbers: only what is nan for all of them is reported."""

import pytest

from namedtensor.latex import read
from namedtensor.latex.check import numbers

HEAD = r"""\begin{align*}
X &\in \mathbb{R}^{\name{seq}} & I &\in [5]^{\name{seq}} & E &\in \mathbb{R}^{\name{vocab}[5]} \\
f(%s) &= %s
\end{align*}
"""


def codes(body: str, taken: str = "X") -> list[str]:
    return [finding.code for finding in read(HEAD % (taken, body)).check()]


@pytest.mark.parametrize(
    "body",
    [
        r"\sqrt{X}",
        r"\log X",
        r"\log(-X)",
        r"\sqrt{X - 1}",
        r"\frac{X}{X - 1}",
        r"\frac{1}{\nsum{\name{seq}} X}",
        r"\nfun{\name{seq}}{softmax} (X - 10^9)",
        r"X \log X",
    ],
)
def test_what_has_a_value_for_some_numbers_is_fine(body: str):
    assert codes(body) == []


@pytest.mark.parametrize(
    "body",
    [
        r"\frac{X - X}{X - X}",
        r"\log(-X \odot X - 1)",
        r"\infty \odot (X - X)",
        r"\nfun{\name{seq}}{softmax}(X - \infty)",
    ],
)
def test_what_never_has_a_value_is_reported(body: str):
    assert codes(body) == ["nan"]


def test_an_index_is_drawn_within_its_range():
    assert codes(r"E_{\name{vocab}(I)}", "I; E") == []


def test_a_definition_with_another_fault_is_not_run(monkeypatch):
    run = []
    monkeypatch.setattr(numbers, "tried", lambda document, defined: run.append(defined.key))
    assert codes(r"\nsum{\name{word}} \frac{X - X}{X - X}") == ["axis-missing"]
    assert run == []


def test_nothing_more_is_run_when_enough_was_computed(monkeypatch):
    monkeypatch.setattr(numbers, "NUMBERS", 0)
    assert codes(r"\frac{X - X}{X - X}") == []


def test_large_tensors_are_not_tried():
    text = r"""\begin{align*}
X &\in \mathbb{R}^{\name{row}[20000]} \\
f(X) &= \frac{X - X}{X - X}
\end{align*}"""
    assert [finding.code for finding in read(text).check()] == []
    assert [f.code for f in read(text.replace("20000", "20")).check()] == ["nan"]


def test_numbers_that_overflow_say_nothing_of_their_own(recwarn):
    assert codes(r"\exp(\exp(\exp(X \odot 10^9)))") == []
    assert list(recwarn) == []
