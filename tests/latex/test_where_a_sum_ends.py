r"""`\sum_{ax} u + v` is the sum of u, and v: where v has the axis too, a note says so."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

HEAD = r"""Let $u, v \in \mathbb{R}^{\text{point}}$, $W \in \mathbb{R}^{\text{point} \times \text{emb}}$,
$b \in \mathbb{R}^{\text{emb}}$ and $n = |\text{point}|$.
"""


def notes(formula):
    found = read(f"{HEAD}\n\n$$ {formula} $$").check()
    assert all(one.severity == "note" for one in found), found
    return [(one.code, one.message, one.hint) for one in found]


@pytest.mark.parametrize(
    ("formula", "summed"),
    [
        (r"J = \sum_{\text{point}} u^2 + v^2", "u^2 + v^2"),
        (r"J = \frac{1}{n} \sum_{\text{point}} u^2 - v^2", "u^2 - v^2"),
        (
            r"J = -\sum_{\text{point}} u \log v + (1 - u) \log (1 - v)",
            r"u \log v + (1 - u) \log (1 - v)",
        ),
        (r"J = 1 - \sum_{\text{point}} \exp(u) + \exp(v)", r"\exp(u) + \exp(v)"),
        (r"J = \sum_{\text{point}} u^2 + v", "u^2 + v"),
        (r"J = \sum_{\text{point}, \text{emb}} W^2 + u^2", "W^2 + u^2"),
    ],
)
def test_a_term_that_has_the_axis_still_is_noted(formula, summed):
    ((code, message, hint),) = notes(formula)
    assert code == "meaning"
    assert "which has point too" in message
    assert rf"\left( {summed} \right)" in hint


@pytest.mark.parametrize(
    "formula",
    [
        r"J = \sum_{\text{point}} \left( u^2 + v^2 \right)",
        r"J = \left( \sum_{\text{point}} u^2 \right) + v^2",
        r"J = v^2 + \sum_{\text{point}} u^2",
        r"J = \sum_{\text{point}} u W + b",
        r"J = \sum_{\text{point}} u^2 + \sum_{\text{point}} v^2",
        r"J = \sum_{\text{point}} u - u",
        r"J = \underset{\text{point}}{\text{mean}} u - v",
        r"J = \max_{\text{point}} u - v",
        r"J = \sum_{\text{point}} u^2 + n",
    ],
)
def test_nothing_is_said_where_there_is_one_reading(formula):
    assert notes(formula) == []


@pytest.mark.parametrize("function", [r"\text{mean}", r"\max"])
@pytest.mark.parametrize("sign", [r"\odot", r"\underset{\text{emb}}{\cdot}"])
def test_a_mean_that_ends_before_a_factor_with_its_axis_is_noted(function, sign):
    ((code, message, hint),) = notes(rf"J = \underset{{\text{{point}}}}{{{function}}} W {sign} W")
    assert (code, "which has point too" in message) == ("meaning", True)
    assert rf"\left( W {sign} W \right)" in hint


@pytest.mark.parametrize(
    "formula",
    [
        r"J = \underset{\text{point}}{\text{mean}} \left( W \odot W \right)",
        r"J = \underset{\text{point}}{\text{mean}} (W) \odot W",
        r"J = \underset{\text{point}}{\text{softmax}} W \odot W",
        r"J = \underset{\text{point}}{\text{mean}} W \odot b",
    ],
)
def test_a_mean_that_ends_where_it_must_is_not(formula):
    assert notes(formula) == []


a, b = np.array([0.2, 0.7, 0.5]), np.array([0.5, 0.2, 0.1])


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        (r"\sum_{k=1}^K a_k + b_k", (a + b).sum()),
        (r"\sum_{k=1}^K \tfrac12 a_k b_k + \tfrac12 b_k - c", (a * b + b).sum() / 2 - 2),
        (r"c - \sum_{k=1}^K a_k - b_k", 2 - (a - b).sum()),
        (
            r"-\frac{1}{K} \sum_{k=1}^K a_k \log b_k + (1 - a_k) \log(1 - b_k)",
            -(a * np.log(b) + (1 - a) * np.log(1 - b)).mean(),
        ),
        (r"\sum_{k=1}^K a_{\text{task}(k)} + c b_{\text{task}(k)}", (a + 2 * b).sum()),
        (r"\left(\sum_{k=1}^K a_k\right) + \sum_{k=1}^K b_k", (a + b).sum()),
        (r"\frac{c}{\sum_k a_k} + \sum_k b_k", 2 / a.sum() + b.sum()),
        (r"\sum_k a_k + c", a.sum() + 2),
    ],
)
def test_a_sum_reaches_over_a_term_that_has_its_index(formula, wanted):
    head = r"Let $a, b \in \mathbb{R}^{\text{task}:K}$ and $c \in \mathbb{R}$. "
    document = read(f"{head}$$L = {formula}$$")
    assert [one for one in document.check() if one.severity != "note"] == []
    given = {"a": tensor(a, "task"), "b": tensor(b, "task"), "c": 2.0}
    found = document["L"](**{p.name: given[p.name] for p in document["L"].signature.parameters})
    np.testing.assert_allclose(found.numpy(), wanted)


def test_an_index_that_the_definition_has_stays_outside():
    text = r"Let $a \in \mathbb{R}^{\text{task}:K}$. "
    text += r"$$h_{\text{task}(k)} = \sum_{j=1}^K a_j + a_k$$"
    np.testing.assert_allclose(read(text)["h"](a=tensor(a, "task")).numpy(), a.sum() + a)
