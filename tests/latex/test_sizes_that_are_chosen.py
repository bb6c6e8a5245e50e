"""The size of an axis that a formula only names, |height|, is chosen by `bind`."""

import re

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.errors import NamedTensorError
from namedtensor.latex import read

rng = np.random.default_rng(1)
W, h = rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
log_det = np.linalg.slogdet(W)[1]
TEXT = r"""For $h \in \mathbb{R}^{\text{height} \times \text{chan}}$ and
$W \in \mathbb{R}^{\text{chan} \times \text{chan}'}$,
$$g(h) = (h \underset{\text{chan}}{\cdot} W)_{\text{chan}' \rightarrow \text{chan}}$$ has
$$J = |\text{height}| \cdot \log \left| \underset{\text{chan}, \text{chan}'}{\det} W \right|.$$"""
GIVEN = {"W": tensor(W, "chan", "chan'")}


def test_the_size_is_chosen():
    found = read(TEXT).bind(height=2)["J"](**GIVEN)
    np.testing.assert_allclose(found.numpy(), 2 * log_det)


def test_the_error_says_how():
    with pytest.raises(NamedTensorError) as error:
        read(TEXT)["J"](**GIVEN)
    assert "J takes nothing that has the axis height" in str(error.value)
    hint = re.search(r"document\.bind\((.*)=64\)\[\"J\"\]", str(error.value))
    assert hint is not None
    assert str(read(TEXT).bind(**{hint[1]: 64})["J"].shape("chan[3] chan'[3]")) == "()"


def test_a_chosen_size_holds_where_tensors_have_the_axis():
    document = read(TEXT).bind(height=2)
    assert str(document["g"]) == "g(h: R[height[2], chan]; W: R[chan, chan']) -> R[height, chan]"
    with pytest.raises(NamedTensorError, match="height"):
        document["g"](tensor(np.ones((5, 3)), "height", "chan"), **GIVEN)


def test_a_formula_that_takes_the_axis_needs_no_choice():
    text = TEXT.replace("$$J =", "$$J(h) =")
    found = read(text)["J"](tensor(h, "height", "chan"), **GIVEN)
    np.testing.assert_allclose(found.numpy(), 2 * log_det)


def test_how_many_terms_a_sum_has_is_chosen_where_nothing_else_gives_it():
    text = (
        r"Cut $c \in \mathbb{R}^{\text{ex}}$ into $M$ bins."
        r"$$E = \sum_{m=1}^{M} \left| \sum_{i : m - 1 < M c_{\text{ex}(i)} \le m} c_{\text{ex}(i)} \right|$$"
    )
    document, c = read(text), np.array([0.1, -0.2, 0.7, 0.9])
    assert [f for f in document.check() if f.severity != "note"] == []
    np.testing.assert_allclose(document.bind(M=2)["E"](c=tensor(c, "ex")).numpy(), 1.7)
    with pytest.raises(NamedTensorError, match=r"document\.bind\(M=2\)"):
        document["E"](c=tensor(c, "ex"))


HEADS = r"""# Slopes
$$m_{\text{head}(h)} = 2^{-8 h / H}, \qquad h = 1, \ldots, H$$
of a bias $B \in \mathbb{R}^{\text{head}:H, \text{seq}}$.
# Groups
Let $H = G \cdot R$, and $Q \in \mathbb{R}^{\text{group}:G, \text{rep}:R}$.
$$Y = Q + m_{\text{head} \rightarrow (\text{group}, \text{rep})}$$
"""
slopes = 2.0 ** (-8 * np.arange(1, 7) / 6)


def test_a_size_that_is_made_of_others_is_computed_or_chosen():
    Q = rng.normal(size=(2, 3))
    found = read(HEADS)["Y"](Q=tensor(Q, "group", "rep"))
    np.testing.assert_allclose(found.numpy("group", "rep"), Q + slopes.reshape(2, 3))
    for chosen in ({"H": 6}, {"G": 2, "R": 3}):
        np.testing.assert_allclose(read(HEADS).bind(**chosen)["m"]().numpy("head"), slopes)


def test_a_size_that_an_equation_states_is_chosen_by_its_letter():
    text = r"""Let $U \in \mathbb{R}^{\text{head}}$.
$$V = \underset{\text{rep}}{\text{mean}}\, U_{\text{head} \rightarrow (\text{group}, \text{rep})}, \quad
|\text{rep}| = R$$"""
    U = rng.normal(size=6)
    found = read(text).bind(R=3)["V"](U=tensor(U, "head"))
    np.testing.assert_allclose(found.numpy("group"), U.reshape(2, 3).mean(1))


def test_a_function_takes_a_size_of_the_tensors_of_its_caller():
    text = r"""Let $Q \in \mathbb{R}^{\text{seq}:n, \text{key}:d}$.
$$s(x) = x / \sqrt{d}$$
$$Y = s(\textstyle\sum_{\text{key}} Q)$$"""
    Q = rng.normal(size=(3, 4))
    found = read(text)["Y"](Q=tensor(Q, "seq", "key"))
    np.testing.assert_allclose(found.numpy("seq"), Q.sum(1) / 2)
    with pytest.raises(NamedTensorError, match="d is the size of an axis that nothing here has"):
        read(text)["s"](x=tensor(Q, "seq", "key"))


@pytest.mark.parametrize("said", ["With $N$ steps", r"Let $N \in \mathbb{N}$. With $N$ steps"])
def test_a_length_that_is_chosen_is_no_argument(said):
    text = rf"""Let $h_0 \in \mathbb{{R}}^{{\text{{unit}}}}$. {said} of the length $\eta = 1/N$,
$$h_{{n+1}} = h_n + \eta h_n, \qquad n = 0, \ldots, N - 1$$"""
    h = rng.normal(size=3)
    found = read(text).bind(N=4)["h_N"](h_0=tensor(h, "unit"))
    np.testing.assert_allclose(found.numpy("unit"), h * 1.25**4)


def test_a_whole_number_that_the_text_takes_can_be_chosen():
    text = r"""Let $x \in \mathbb{R}^{\text{time}:N}$. With frames of $W$ samples, every $H$ samples,
$$F_{\text{frame}(t), \text{tap}(j)} = x_{\text{time}((t-1) H + j)},
\qquad t = 1, \dots, T, \quad j = 1, \dots, W$$
and $T = \lfloor (N - W) / H \rfloor + 1$. We take $W = 400$ and $H = 160$."""
    x = tensor(np.arange(8.0), "time")
    found = read(text).bind(W=4, H=2)["F"](x=x).numpy("frame tap")
    np.testing.assert_allclose(found, [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 6, 7]])
    assert read(text)["F"].shape("time[720]") == tensor(np.ones((3, 400)), "frame", "tap").shape


def test_a_chosen_size_is_no_number_of_a_weight_that_a_capital_names():
    document = read(
        r"""Let $W^Q, W^K \in \mathbb{R}^{\text{key}}$ and $c \in \mathbb{R}^{\text{byte}}$.
$$ A_{\text{byte}(i), \text{patch}(k)} = k \, c_{\text{byte}(i)}, \quad k = 1, \ldots, K $$
$$ y = A \odot (W^Q \underset{\text{key}}{\cdot} W^K) $$"""
    )
    given = {"WQ": tensor([1.0, 2], "key"), "WK": tensor([3.0, 4], "key")}
    found = document.bind(K=3)["y"](c=tensor([1.0, 10], "byte"), **given)
    np.testing.assert_allclose(found.numpy("byte", "patch"), 11 * np.outer([1, 10], [1, 2, 3]))
