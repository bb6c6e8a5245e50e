r"""Sums whose end another index says: \sum_{l=0}^{T-t} x_{step(t+l)}, \sum_{l=0}^{t-1} x_{step(t-l)}."""

import re

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import LatexError, read

x = np.array([0.3, -1.2, 0.7, 2.0, -0.4])
g, T = 0.7, 5
HEAD = r"Let $x \in \mathbb{R}^{\text{step}:T}$ and $g > 0$. "
ALL = r", \quad t = 1, \ldots, T"

#: Formulas for each t, and what numpy gives, counted from 0.
SUMS = {
    r"\sum_{l=0}^{T-t} g^l X(t+l)": lambda t: sum(g**k * x[t + k] for k in range(T - t)),
    r"\sum_{l=1}^{T-t} g^l X(t+l)": lambda t: sum(g**k * x[t + k] for k in range(1, T - t)),
    r"\sum_{l=1}^{T-t+1} g^l X(t+l-1)": lambda t: sum(
        g ** (k + 1) * x[t + k] for k in range(T - t)
    ),
    r"\sum_{l=0}^{T-t} X(t+l)": lambda t: x[t:].sum(),
    r"\sum_{l=0}^{t-1} g^l X(t-l)": lambda t: sum(g**k * x[t - k] for k in range(t + 1)),
    r"\sum_{l=1}^{t} g^{t-l} X(l)": lambda t: sum(g ** (t - k) * x[k] for k in range(t + 1)),
    r"\sum_{s=t+1}^{T} X(s) X(s-t)": lambda t: sum(x[s] * x[s - t - 1] for s in range(t + 1, T)),
}


@pytest.mark.parametrize("body", SUMS)
@pytest.mark.parametrize(("left", "range_"), [(r"A_{\text{step}(t)}", ""), ("A_t", ALL)])
def test_a_sum_ends_where_another_index_says(body, left, range_):
    formula = re.sub(r"X\(([^)]*)\)", r"x_{\\text{step}(\1)}", body)
    document = read(HEAD + f"$${left} = {formula}{range_}$$")
    assert [f.severity for f in document.check() if f.severity != "note"] == []
    given = {"x": tensor(x, "step"), "g": g}
    found = document["A"](**{p.name: given[p.name] for p in document["A"].signature.parameters})
    (axis,) = found.axes
    np.testing.assert_allclose(found.numpy(axis), [SUMS[body](t) for t in range(T)])


BEYOND = [
    r"\prod_{i=1}^{k+1} x_{\text{k}(i)}",
    r"\sum_{i \le k+1} x_{\text{k}(i)}",
    r"\sum_{i=1}^{k} x_{\text{k}(i+1)}",
    r"\sum_{j=1}^{k} \sum_{i=1}^{j+1} x_{\text{k}(i)}",
]


@pytest.mark.parametrize("body", BEYOND)
def test_an_end_beyond_the_axis_is_an_error_of_the_check_and_of_the_run(body):
    document = read(r"$x \in \mathbb{R}^{\text{k}:K}$. $$E_{\text{k}(k)} = " + body + "$$")
    assert "index-range" in [f.code for f in document.check()]
    with pytest.raises(LatexError, match="index-range"):
        document["E"](x=tensor([1.0, 2.0, 3.0], "k"))


def test_an_end_that_a_range_keeps_inside_is_none():
    text = (
        r"$x \in \mathbb{R}^{\text{k}:K}$. "
        r"$$E_{\text{k}(k)} = \sum_{i=1}^{k+1} x_{\text{k}(i)}, \quad k = 1, \ldots, K - 1$$"
    )
    found = read(text)
    assert found["E"](x=tensor([1.0, 2.0, 3.0], "k")).numpy("k").tolist() == [3.0, 6.0]


def test_a_sum_up_to_an_index_of_a_sum_up_to_an_index_runs():
    text = (
        r"$x \in \mathbb{R}^{\text{k}:K}$. "
        r"$$E_{\text{k}(k)} = \sum_{j=1}^{k} \sum_{i=1}^{j} x_{\text{k}(i)}$$"
    )
    found = read(text)["E"](x=tensor([1.0, 2.0, 3.0], "k"))
    assert found.numpy("k").tolist() == [1.0, 4.0, 10.0]
