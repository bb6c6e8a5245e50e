r"""Letters that count what an axis runs over, in words: "$n$ is the number of samples" is |sample|."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read
from tests.latex.calling import same

X = np.arange(12.0).reshape(4, 3)
FORMULAS = [
    (r"Y = \frac{1}{n} \sum_{\text{sample}} X", X.mean(0), ("feat",)),
    (r"Y = \frac{1}{n} \sum_{i=1}^{n} X_{\text{sample}(i)}", X.mean(0), ("feat",)),
]
SAID = [
    "where $n$ is the number of samples.",
    "and $n$ denotes the number of samples.",
    "of $n$ samples.",
    "We have $n$ samples.",
    "Let $n$ be the total number of samples.",
    "The number of samples is $n$.",
]


@pytest.mark.parametrize("words", SAID)
@pytest.mark.parametrize(("formula", "wanted", "axes"), FORMULAS)
def test_a_letter_counts_what_an_axis_is_named_for(words, formula, wanted, axes):
    text = rf"""Data $X \in \mathbb{{R}}^{{\text{{sample}} \times \text{{feat}}}}$. {words}

$$ {formula} $$"""
    document = read(text)
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "meaning")
    assert r"|\text{sample}|" in str(note)
    same(document["Y"](nt.tensor(X, "sample", "feat")), wanted, *axes)


@pytest.mark.parametrize(
    ("axis", "noun"),
    [("class", "classes"), ("doc", "documents"), ("query", "queries"), ("feat", "features")],
)
def test_plurals_and_short_names(axis, noun):
    text = rf"""Let $x \in \mathbb{{R}}^{{\text{{{axis}}}}}$, with $K$ the number of {noun}.

$$ Y = \frac{{1}}{{K}} \sum_{{\text{{{axis}}}}} x $$"""
    same(read(text)["Y"](nt.tensor(np.arange(4.0), axis)), 1.5)


@pytest.mark.parametrize(
    ("words", "formula"),
    [
        ("where $n$ is the number of steps.", r"Y = \frac{1}{n} \sum_{\text{sample}} x"),
        (
            "where $n$ is the number of samples in a batch.",
            r"Y = \frac{1}{n} \sum_{\text{sample}} x",
        ),
        (
            "where $n$ is the number of samples per class.",
            r"Y = \frac{1}{n} \sum_{\text{sample}} x",
        ),
        ("with $n = 8$, the number of samples.", r"Y = \frac{1}{n} \sum_{\text{sample}} x"),
    ],
)
def test_what_counts_something_else_is_a_number_of_its_own(words, formula):
    text = rf"""Let $x \in \mathbb{{R}}^{{\text{{sample}}}}$, {words}

$$ {formula} $$"""
    f = read(text)["Y"]
    given = {"n": 8.0} if "n" in [p.name for p in f.signature.parameters] else {}
    same(f(nt.tensor(np.ones(4), "sample"), **given), 0.5)


def test_two_axes_of_one_beginning_are_not_guessed_between():
    text = r"""Let $A \in \mathbb{R}^{\text{doc} \times \text{docs}}$, and $n$ the number of documents.

$$ Y = \frac{1}{n} \sum_{\text{doc}, \text{docs}} A $$"""
    f = read(text)["Y"]
    same(f(nt.tensor(np.ones((2, 3)), "doc", "docs"), n=2.0), 3.0)


LOAD = np.array([0.5, 1.0, 2.0])
QUEUE = r"Consider a queue with $c$ servers and the loads $r \in \mathbb{{R}}^{{\text{{hour}}}}$. $$y = {}$$"


@pytest.mark.parametrize(
    ("formula", "wanted", "axes"),
    [
        (r"\sum_{k=0}^{c-1} \frac{(c r)^k}{k!}", 1 + 2 * LOAD, ("hour",)),
        (
            r"\frac{r^c / c!}{\sum_{k=0}^{c} r^k / k!}",
            LOAD**2 / (2 + 2 * LOAD + LOAD**2),
            ("hour",),
        ),
        (r"\sum_{i=1}^{c-1} r_{\text{hour}(i)}", LOAD[0], ()),
        (r"\sum_{i=1}^{2c-1} r_{\text{hour}(i)}", LOAD.sum(), ()),
    ],
)
def test_how_many_terms_there_are_may_be_computed_from_what_the_text_counts(formula, wanted, axes):
    document = read(QUEUE.format(formula))
    assert [f for f in document.check() if f.severity != "note" or f.code == "undefined"] == []
    same(document.bind(c=2)["y"](nt.tensor(LOAD, "hour")), wanted, *axes)


@pytest.mark.parametrize(
    ("formula", "wanted", "axes"),
    [
        (r"\frac{r}{c - 1}", LOAD, ("hour",)),
        (r"\sum_{n=c}^{|\text{hour}|} r_{\text{hour}(n)}", LOAD[1:].sum(), ()),
        (r"\sum_{n=c+1}^{|\text{hour}|} r_{\text{hour}(n)} r_{\text{hour}(n-c)}", 1.0, ()),
    ],
)
def test_what_the_text_counts_is_a_number_in_sums_and_indices(formula, wanted, axes):
    document = read(QUEUE.format(formula))
    assert [f.code for f in document.check()] == ["undeclared"]
    same(document["y"](c=2, r=nt.tensor(LOAD, "hour")), wanted, *axes)


def test_an_element_may_lie_a_counted_number_before():
    text = QUEUE.format("2 r").replace(
        "y = 2 r",
        r"d_{\text{hour}(i)} = r_{\text{hour}(i - c)} \text{ if } i > c, \quad 0 \text{ otherwise}",
    )
    same(read(text)["d"](c=2, r=nt.tensor(LOAD, "hour")), [0, 0, 0.5], "hour")


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        (r"y = x^p", LOAD**3.0),
        (r"y = \sum_{k=0}^{3} x^k", 1 + LOAD + LOAD**2 + LOAD**3),
        (r"y = \prod_{k=1}^{2} (1 + x^k)", (1 + LOAD) * (1 + LOAD**2)),
    ],
)
def test_a_tensor_may_have_a_letter_as_its_power(formula, wanted):
    text = rf"Let $x \in \mathbb{{R}}^{{\text{{hour}}}}$ and $p \in \mathbb{{R}}$. $${formula}$$"
    f = read(text)["y"]
    given = {"p": 3.0} if "p" in [p.name for p in f.signature.parameters] else {}
    same(f(x=nt.tensor(LOAD, "hour"), **given), wanted, "hour")


@pytest.mark.parametrize("formula", [r"y = x^i - 1", r"\ell = \sum_i (x^i - y^i)^2", r"y = x^\top"])
def test_a_letter_above_that_is_no_number_is_no_power(formula):
    document = read(rf"Let $x \in \mathbb{{R}}^{{\text{{hour}}}}$. $${formula}$$")
    assert [f.code for f in document.check()] == ["not-notation"]
