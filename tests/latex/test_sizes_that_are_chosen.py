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
