r"""Definitions behind an estimate or a bound, J \approx g = ..., and what begins to derive a bound."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import same

X = np.arange(6.0).reshape(2, 3)
GIVEN = r"Let $X \in \mathbb{R}^{\text{ep}, \text{time}}$. "
MEAN = r"\underset{\text{ep}}{\text{mean}} X"


@pytest.mark.parametrize(
    ("left", "name"),
    [
        (r"\nabla J(\theta) \approx \hat{g}", r"\hat{g}"),
        (r"J \approx g", "g"),
        (r"\mathbb{E}[X] \approx g(X)", "g"),
        (r"\log p(x) \ge L", "L"),
        (r"w \propto g", "g"),
    ],
)
@pytest.mark.parametrize("sign", ["=", ":="])
def test_what_stands_behind_an_estimate_or_a_bound_is_defined(left, name, sign):
    document = read(rf"{GIVEN}$${left} {sign} {MEAN}$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    same(document[name](tensor(X, "ep time")), X.mean(0), "time")


def test_what_is_defined_behind_an_estimate_is_held_to_its_declaration():
    text = rf"{GIVEN}$$J \approx g = {MEAN}, \qquad g \in \mathbb{{R}}^{{\text{{ep}}}}$$"
    assert [f.code for f in read(text).check()] == ["declared-shape"]


def test_what_begins_the_derivation_of_a_bound_defines_nothing_again():
    text = rf"""# Model
{GIVEN}
$$\ell = \log \sum_{{\text{{ep}}, \text{{time}}}} \exp X$$
# Bound
For any $Q \in [0, 1]^{{\text{{ep}}, \text{{time}}}}$,
$$\ell = \log \sum_{{\text{{ep}}, \text{{time}}}} Q \frac{{\exp X}}{{Q}}
\ge \sum_{{\text{{ep}}, \text{{time}}}} Q (X - \log Q) =: L(Q)$$
# Criterion
$$c = -2 \ell$$"""
    document = read(text)
    assert document.check() == []
    same(document["c"](tensor(X, "ep time")), -2 * np.log(np.exp(X).sum()))
    Q = np.full_like(X, 1 / 6)
    found = document["L"](tensor(Q, "ep time"), X=tensor(X, "ep time"))
    same(found, (Q * (X - np.log(Q))).sum())


def test_a_bound_of_what_nothing_else_defines_defines_it():
    all_ = r"\sum_{\text{ep}, \text{time}}"
    text = rf"{GIVEN}$$\ell = {all_} X^2 \ge {all_} X$$"
    same(read(text)[r"\ell"](tensor(X, "ep time")), (X**2).sum())
