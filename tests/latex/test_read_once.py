"""Read once, asked by everybody: how often a body is interpreted, counted and never timed."""

from collections import Counter
from functools import partial

import pytest

from namedtensor.latex import read, read_file
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.syntax import Definition
from tests.python_calls import python_calls

from .corpus.subjects import DOCUMENTS

NOTES = r"""
$$\begin{aligned}
Q &\in \mathbb{R}^{\text{seq}', \text{key}} \\
K &\in \mathbb{R}^{\text{seq}, \text{key}} \\
V &\in \mathbb{R}^{\text{seq}, \text{val}} \\
\text{att}(Q, K, V) &= V \underset{\text{seq}}{\cdot} A \\
A &= \underset{\text{seq}}{\text{softmax}}
  \left( \frac{Q \underset{\text{key}}{\cdot} K}{\sqrt{|\text{key}|}} \right)
\end{aligned}$$
"""


@pytest.fixture
def interpreted(monkeypatch):
    """Count by identity how often each part of a formula is interpreted."""
    found: Counter[int] = Counter()
    value = Evaluator.value

    def counting(self, expression):
        found[id(expression)] += 1
        return value(self, expression)

    monkeypatch.setattr(Evaluator, "value", counting)
    return found


def bodies(document) -> list[Definition]:
    return [s for s in document.reading.statements if isinstance(s, Definition)]


def test_a_document_is_checked_by_interpreting_each_body_once(interpreted):
    document = read(NOTES)
    assert document.check() == []
    assert [interpreted[id(s.body)] for s in bodies(document)] == [1, 1]


def test_asking_for_a_formula_interprets_nothing_and_asking_for_its_type_does_once(interpreted):
    document = read(NOTES)
    att = document["att"]
    assert interpreted == {}
    said = "att(Q: R[seq', key], K: R[seq, key], V: R[seq, val]) -> R[seq', val]"
    assert repr(att) == said
    assert repr(att) == said
    assert [interpreted[id(s.body)] for s in bodies(document)] == [1, 1]


def test_a_formula_that_may_be_nan_is_tried_on_the_tree_that_was_found(interpreted):
    document = read(r"$X \in \mathbb{R}^{\text{seq}}$, $f(X) = \frac{X - X}{X - X}$")
    assert [f.code for f in document.check()] == ["nan"]
    assert [interpreted[id(s.body)] for s in bodies(document)] == [1]


def test_what_is_declared_and_defined_is_bounded_by_its_definition(interpreted):
    text = r"$x \in \mathbb{R}^{\text{seq}}$, $y \in \mathbb{R}^{\text{seq}}$"
    document = read(text + "\n\n" + r"$$\begin{aligned} y &= \exp x \\ z &= \log y \end{aligned}$$")
    assert document.check() == []
    assert [interpreted[id(s.body)] for s in bodies(document)] == [1, 1]


def test_what_calls_a_formula_that_was_tried_is_bounded_by_the_numbers_it_gave(interpreted):
    text = r"$X \in \mathbb{R}^{\text{seq}}$" + "\n\n"
    text += r"$$\begin{aligned} f(X) &= \sqrt{X - X} \\ g(X) &= \exp f(X) \end{aligned}$$"
    document = read(text)
    assert document.check() == []
    assert [interpreted[id(s.body)] for s in bodies(document)] == [1, 1]


def test_nineteen_of_twenty_bodies_of_the_corpus_are_interpreted_once(interpreted):
    counts: list[int] = []
    for path in DOCUMENTS:
        document = read_file(path)
        interpreted.clear()
        document.check()
        counts += [interpreted[id(s.body)] for s in bodies(document)]
    assert sum(counts) <= 1.07 * len(counts)
    assert counts.count(1) + counts.count(0) >= 0.95 * len(counts)


def test_a_formula_is_asked_for_in_few_steps():
    read(NOTES)["att"]
    document = read(NOTES)
    calls = python_calls(partial(document.__getitem__, "att"))
    assert 100 < calls <= 1_000


def test_what_several_functions_use_is_interpreted_once_where_it_has_none_of_their_arguments(
    interpreted,
):
    text = r"""Let $B \in \mathbb{R}^{\text{seq}}$.
$$\begin{aligned} f(x) &= A + x, \quad x \in \mathbb{R}^{\text{seq}} \\
g(y) &= A y, \quad y \in \mathbb{R}^{\text{seq}} \\
A &= \exp B \end{aligned}$$"""
    document = read(text)
    assert document.check() == []
    assert [interpreted[id(s.body)] for s in bodies(document)] == [1, 1, 1]


def test_a_series_that_begins_with_a_number_is_interpreted_once_where_its_rule_keeps_its_shape(
    interpreted,
):
    document = read(r"$$a^0 = 0, \quad a^1 = 1, \quad a^n = a^{n-1} + a^{n-2}$$")
    assert document.check() == []
    assert [interpreted[id(s.body)] for s in bodies(document)] == [1, 1, 1]
