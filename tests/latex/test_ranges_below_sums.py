r"""Ranges below sums and products, and the indices inside that leave their axis."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.errors import NamedTensorError
from namedtensor.latex import read

x = np.array([0.3, -1.2, 0.7, 2.0, -0.4])
T = len(x)
HEAD = r"Let $x \in \mathbb{R}^{\text{step}:T}$. "
WINDOW = r"We use a window of $c = 3$. "
PAIRS = [(i, j) for j in range(T) for i in range(j)]

NUMBERS = {
    r"\sum_{t<T} (x_{t+1} - x_t)^2": (np.diff(x) ** 2).sum(),
    r"\sum_{t \le T-1} (x_{\text{step}(t+1)} - x_{\text{step}(t)})^2": (np.diff(x) ** 2).sum(),
    r"\sum_{t>1} (x_t - x_{t-1})^2": (np.diff(x) ** 2).sum(),
    r"\sum_{t \ge 2} x_{\text{step}(t)} x_{\text{step}(t-1)}": (x[1:] * x[:-1]).sum(),
    r"\sum_{1 \le i < j \le T} x_i x_j": sum(x[i] * x[j] for i, j in PAIRS),
    r"\sum_{1 \le j < i \le T} x_i x_j^2": sum(x[j] * x[i] ** 2 for i, j in PAIRS),
    r"\sum_{T \ge j > i \ge 1} x_i x_j": sum(x[i] * x[j] for i, j in PAIRS),
    r"\sum_{1 \le i < j < k \le T} x_i x_j x_k": sum(
        x[i] * x[j] * x[k] for i, j in PAIRS for k in range(j + 1, T)
    ),
    r"\sum_{i \le 3} x_i": x[:3].sum(),
    r"\prod_{i < 4} (1 - x_i)": np.prod(1 - x[:3]),
    r"\max_{2 \le i \le 4} x_i": x[1:4].max(),
    WINDOW + r"\sum_{k=1}^{c} x_k": x[:3].sum(),
    WINDOW + r"\sum_{k=0}^{c-1} x_{k+1}": x[:3].sum(),
    WINDOW + r"\sum_{k=0}^{c-1} x_{\text{step}(T-k)}": x[2:].sum(),
    WINDOW + r"\prod_{k<c} x_k": x[:2].prod(),
}


@pytest.mark.parametrize("body", NUMBERS)
def test_a_number_is_made_of_what_the_range_names(body):
    *before, body_ = body.rpartition(WINDOW)
    document = read(HEAD + "".join(before) + f"$$E = {body_}$$")
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    found = document["E"](x=tensor(x, "step"))
    np.testing.assert_allclose(found.numpy(""), NUMBERS[body])


ROWS = {
    r"L_k = \prod_{i=1}^{k-1} (1 - x_i)": [np.prod(1 - x[:k]) for k in range(T)],
    r"L_k = x_k \prod_{i<k} (1 - x_i)": [x[k] * np.prod(1 - x[:k]) for k in range(T)],
    r"L_t = \sum_{l=0}^{\min(2, T-t)} x_{t+l}, \quad t = 1, \ldots, T": [
        x[t : t + 3].sum() for t in range(T)
    ],
    r"L_{\text{step}(t)} = \sum_{l=0}^{\min\{T-t, 1\}} x_{\text{step}(t+l)}": [
        x[t : t + 2].sum() for t in range(T)
    ],
    r"L_{\text{step}(t)} = \sum_{s=\max(1,t-1)}^{\min(T,t+1)} x_{\text{step}(s)}": [
        x[max(t - 1, 0) : t + 2].sum() for t in range(T)
    ],
    WINDOW + r"L_{\text{step}(t)} = \sum_{k=0}^{\min(c, t) - 1} x_{\text{step}(t-k)}": [
        x[max(t - 2, 0) : t + 1].sum() for t in range(T)
    ],
}


@pytest.mark.parametrize("formula", ROWS)
def test_a_row_is_made_of_what_the_range_names(formula):
    *before, formula_ = formula.rpartition(WINDOW)
    document = read(HEAD + "".join(before) + f"$${formula_}$$")
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    found = document["L"](x=tensor(x, "step"))
    np.testing.assert_allclose(found.numpy("step"), ROWS[formula])


FAULTS = [
    r"E = \sum_{t \le T} (x_{t+1} - x_t)^2",
    r"E = \sum_{t<T} (x_{t+2} - x_t)^2",
    r"E = \sum_{t \ge 1} (x_t - x_{t-1})^2",
    r"E = \sum_{1 \le i < j \le T} x_i x_{j+1}",
    r"E = \sum_{1 \le i < j \le T} x_{i-1} x_j",
    r"E_k = \prod_{i=1}^{k+1} (1 - x_i)",
    r"E_{\text{step}(k)} = \prod_{i=1}^{k-1} (1 - x_{\text{step}(i-1)})",
    r"E_t = \sum_{l=0}^{\min(2, T-t)} x_{t+l+1}, \quad t = 1, \ldots, T",
    r"E_t = \sum_{l=0}^{T-t+1} x_{t+l}, \quad t = 1, \ldots, T",
    r"E_t = \sum_{s=1}^{t} x_{t-s}, \quad t = 1, \ldots, T",
    r"E_{\text{step}(t)} = \begin{cases} x_{\text{step}(t+2)} & t < T \\ 0 & t = T \end{cases}",
]


@pytest.mark.parametrize("formula", FAULTS)
def test_an_index_that_leaves_its_axis_is_found(formula):
    found = [f.code for f in read(HEAD + f"$${formula}$$").check() if f.severity != "note"]
    assert found == ["index-range"]


def test_a_range_longer_than_its_axis_is_found():
    text = HEAD.replace(":T", ":2") + r"$$E = \sum_{i \le 3} x_i$$"
    assert [f.code for f in read(text).check() if f.severity != "note"] == ["index-range"]


#: Indices made of two letters, or of a letter and a size, some of whose elements there are not.
COMPUTED = [
    r"y_{\text{step}(t),\text{step}'(s)} = x_{\text{step}(t-s+1)}",
    r"y_{\text{step}(t),\text{step}'(s)} = x_{\text{step}(t+s)}",
    r"y_{\text{step}(t),\text{step}'(s)} = x_{\text{step}(t+s-1)}",
    r"y_{\text{step}(t)} = x_{\text{step}(|\text{step}|-t)}",
    r"y_{\text{step}(t)} = x_{\text{step}(T-t)}",
    r"y_{\text{step}(t)} = x_{\text{step}(2t)}",
    r"y_{\text{step}(t)} = \sum_{s=1}^{T} x_{\text{step}(t-s+1)}",
    r"y_{\text{step}(t)} = \sum_{l=0}^{\min(2, T-t)} x_{\text{step}(t+l+1)}",
]


@pytest.mark.parametrize("formula", COMPUTED)
def test_what_a_run_refuses_the_check_has_found(formula):
    document = read(HEAD + f"$${formula}$$")
    assert [f.code for f in document.check() if f.severity != "note"] == ["index-range"]
    with pytest.raises(NamedTensorError, match="lies outside axis step"):
        document["y"](x=tensor(x, "step"))


@pytest.mark.parametrize("index", [r"|\text{step}|-t+1", "T-t+1"])
def test_a_reversal_is_right(index):
    document = read(HEAD + rf"$$y_{{\text{{step}}(t)}} = x_{{\text{{step}}({index})}}$$")
    assert document.check() == []
    np.testing.assert_allclose(document["y"](x=tensor(x, "step")).numpy("step"), x[::-1])


@pytest.mark.parametrize(
    "body", [r"\sum_{i < j} \|x_i - x_j\|^2", r"\frac13 \sum_{i=1}^3 \|x_i\|^2"]
)
def test_what_has_a_norm_is_no_element(body):
    (note,) = read(HEAD + f"$$E = {body}$$").check()
    assert (note.severity, note.code) == ("note", "not-notation")


@pytest.mark.parametrize("letter", ["j", "k"])
def test_an_index_below_an_operator_is_no_series_of_another_section(letter):
    text = rf"""Let $G \in \mathbb{{R}}^{{\text{{a}}, \text{{b}}}}$ and $x \in \mathbb{{R}}^{{\text{{a}}}}$.
# A
The largest is $m = \max_{{i \neq {letter}}} |G_{{\text{{a}}(i), \text{{b}}({letter})}}|$.
# B
$${letter}_t = \arg\max_i | 2^t x_{{\text{{a}}(i)}} |, \quad r_0 = 0,
\quad r_t = r_{{t-1}} + x_{{\text{{a}}({letter}_t)}}$$
"""
    document, G = read(text), np.random.default_rng(0).normal(size=(3, 3))
    expected = abs(G - np.diag(np.diag(G))).max()
    assert np.allclose(document["m"](G=tensor(G, "a", "b")).numpy(), expected)
