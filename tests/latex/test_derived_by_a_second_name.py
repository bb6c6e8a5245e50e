r"""Derivatives by a name whose tensor has a second name: of v = b, by the v and not by the b."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read

b = np.array([1.0, -2.0, 0.5, 3.0])
HEAD = r"""Let $b \in \mathbb{R}^{\text{n}:4}$. For $u \in \mathbb{R}^{\text{n}}$ let
$$ L(u) = \sum_{\text{n}} (u^2 - b)^2 $$
"""


@pytest.mark.parametrize(
    "text",
    [
        r"$$v = b$$ $$g = \nabla_v L(v)$$",
        r"$$h(u) = \nabla_u L(u)$$ $$g = h(b)$$",
        r"$$h(u) = \nabla_u \ell, \quad \text{where } \ell = L(u)$$ $$g = h(b)$$",
        r"$$v^{(0)} = b$$ $$g = \nabla_{v^{(0)}} L(v^{(0)})$$",
        r"$$w = b, \quad v = w, \quad \ell = L(v)$$ $$g = \nabla_v \ell$$",
    ],
)
def test_the_data_in_a_loss_are_held_where_the_parameter_has_their_value(text):
    document = read(HEAD + text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["g"](b=nt.tensor(b, "n"))
    np.testing.assert_allclose(found.numpy("n"), 4 * b * (b**2 - b))


def test_a_derivative_by_what_the_second_name_is_made_of_goes_through_it():
    text = HEAD + r"$$v = b, \quad \ell = L(v)$$ $$g = \nabla_v \ell, \quad f = \nabla_b \ell$$"
    document = read(text)
    given = nt.tensor(b, "n")
    np.testing.assert_allclose(document["g"](b=given).numpy("n"), 4 * b * (b**2 - b))
    np.testing.assert_allclose(document["f"](b=given).numpy("n"), 2 * (b**2 - b) * (2 * b - 1))
