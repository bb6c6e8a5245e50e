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
