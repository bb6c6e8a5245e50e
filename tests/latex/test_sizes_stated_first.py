r"""Sizes stated axis first: `$|\text{doc}| = N$` says what N is, as `$N = |\text{doc}|$` does."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

C = np.arange(12.0).reshape(3, 4)
GIVEN = {"C": nt.tensor(C, "doc", "term")}
DECLARED = r"$C \in \mathbb{R}^{\text{doc} \times \text{term}}$"

HEADS = [
    rf"Let {DECLARED} with $|\text{{doc}}| = N$.",
    rf"Let $|\text{{doc}}| = N$ and {DECLARED}.",
    rf"Let {DECLARED}, $|\text{{doc}}| = N$ and $|\text{{term}}| = K$.",
    rf"Counts {DECLARED} of $|\text{{doc}}| = N$ documents.",
    rf"Let {DECLARED}." + "\n\n$$ |\\text{doc}| = N $$",
]
FORMULAS = [
    (r"Y = \frac{1}{N} \sum_{\text{doc}} C", C.mean(0), ("term",)),
    (r"Y = \frac{1}{N} \sum_{i=1}^{N} C_{\text{doc}(i)}", C.mean(0), ("term",)),
    (r"Y = C_{\text{doc}(N)} / N", C[-1] / 3, ("term",)),
    (r"Y_{\text{doc}(i)} = \sum_{\text{term}} C_{\text{doc}(N + 1 - i)}", C[::-1].sum(1), ("doc",)),
]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("formula", "wanted", "axes"), FORMULAS)
def test_a_size_stated_axis_first_names_a_number(head, formula, wanted, axes):
    same(called(f"{head}\n\n$$ {formula} $$", "Y", GIVEN), wanted, *axes)


@pytest.mark.parametrize("head", HEADS)
def test_in_a_section_below(head):
    text = f"# All\n\n{head}\n\n## Part\n\n$$ Y = \\sum_{{\\text{{doc}}, \\text{{term}}}} C / N $$"
    same(called(text, "Y", GIVEN), C.sum() / 3)


def test_two_axes_of_one_size():
    text = r"""Let $A \in \mathbb{R}^{\text{a} \times \text{b}}$ with $|\text{a}| = |\text{b}| = n$.

$$ Y = \frac{1}{n^2} \sum_{\text{a}, \text{b}} A $$"""
    given = {"A": nt.tensor(C[:, :3], "a", "b")}
    same(called(text, "Y", given), C[:, :3].mean())


def test_a_letter_that_is_given_stays_what_it_is():
    text = rf"""Let {DECLARED} and $n = 7$.

$$ |\text{{doc}}| = n $$
$$ Y = n \sum_{{\text{{doc}}, \text{{term}}}} C $$"""
    document = read(text)
    assert document["n"]().item() == 7
    assert [line.span.start for line in document.check() if line.severity == "error"] == []


def test_a_size_of_the_space_stays_one():
    text = r"""Let $C \in \mathbb{R}^{\text{doc}:N \times \text{term}}$, $|\text{doc}| = N$.

$$ Y = \sum_{\text{doc}} C / N $$"""
    same(called(text, "Y", GIVEN), C.mean(0), "term")


def test_an_expression_names_nothing():
    text = rf"""Let {DECLARED}, $|\text{{doc}}| = 2 N - 1$.

$$ Y = C / N $$"""
    with pytest.raises(LatexError, match="N is not defined"):
        read(text)["Y"](**GIVEN)
