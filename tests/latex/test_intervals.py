r"""Intervals as the spaces of numbers and tensors: gamma \in (0, 1), p \in [0,1)^{seq}; none hangs."""

import numpy as np
import pytest

import namedtensor as nt

SCALARS = [
    *("(0,1)", "(0, 1)", "[0,1]", "[0,1)", "(0,1]", r"[0, \infty)", r"(0, \infty)", "[-1, 1]"),
    *("(0, 0.5)", "(-1, 2]", r"\mathbb{R}^+", r"\mathbb{R}_{>0}", r"\mathbb{R}_+"),
]


@pytest.mark.parametrize("space", SCALARS)
@pytest.mark.parametrize("sign", ["$", "$$"])
def test_a_number_lies_in_an_interval(space, sign):
    document = nt.latex.read(
        rf"""Rewards $R \in \mathbb{{R}}^{{\text{{state}}}}$, and a discount {sign}\gamma \in {space}{sign}

$$B(V; R, \gamma) = R + \gamma V, \quad V \in \mathbb{{R}}^{{\text{{state}}}}$$

Starting from $V^0 = 0$ we iterate $V^{{k+1}} = B(V^k; R, \gamma)$ and stop with $W = V^3$.
"""
    )
    assert document.check() == []
    R, gamma = nt.tensor([1.0, 2.0], "state"), nt.tensor(np.array(0.5), ())
    found = document["W"](R=R, gamma=gamma)
    np.testing.assert_allclose(found.numpy("state"), [1.75, 3.5])


@pytest.mark.parametrize("space", ["(0,1)", "[0,1)", r"[0, \infty)", r"\{-1, 1\}", "[-2, 2]"])
def test_a_tensor_has_its_numbers_in_an_interval(space):
    document = nt.latex.read(
        rf"$$p \in {space}^{{\text{{seq}}}}$$ $$f(p) = \sum_{{\text{{hid}}}} p$$"
    )
    assert [found.code for found in document.check()] == ["axis-missing"]
