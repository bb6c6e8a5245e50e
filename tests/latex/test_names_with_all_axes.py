r"""Letters with the names of all their axes below, d_{\text{pos}, \text{code}} = ..., and then d."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(2)
Z, E = rng.normal(size=(4, 3)), rng.normal(size=(5, 3))
GIVEN = {"z": tensor(Z, "pos", "dim"), "E": tensor(E, "code", "dim")}
HEAD = r"Let $z \in \mathbb{R}^{\text{pos}, \text{dim}}$ and $E \in \mathbb{R}^{\text{code}, \text{dim}}$. "
FAR = ((Z[:, None] - E) ** 2).sum(2)


@pytest.mark.parametrize("name", [r"d_{\text{pos}, \text{code}}", r"d_{\text{code, pos}}", "d"])
@pytest.mark.parametrize("use", ["d", r"d - d_{\text{pos}, \text{code}} + d"])
def test_a_letter_defined_with_its_axes_below_is_the_letter(name, use):
    text = HEAD + rf"$${name} = \sum_{{\text{{dim}}}} (z - E)^2$$ $$y = 2 d, \qquad u = {use}$$"
    if name != "d" or use == "d":
        same(called(text, "u", GIVEN), FAR, "pos", "code")
    wrong = text.replace(r"\sum_{\text{dim}}", r"\sum_{\text{code}}")
    assert ("error" in {f.severity for f in read(wrong).check()}) == (name != "d" or use != "d")


@pytest.mark.parametrize("below", [r"\text{pos}, \text{dim}", r"\text{dim}, \text{pos}"])
def test_a_declared_tensor_may_have_all_its_axes_below(below):
    text = HEAD + rf"$$y = \sum_{{\text{{dim}}}} z_{{{below}}}^2$$"
    same(called(text, "y", GIVEN), (Z**2).sum(1), "pos")
    assert read(HEAD + r"$$y = \sum_{\text{dim}} z_{\text{pos}, \text{code}}$$").check() != []


@pytest.mark.parametrize("name", [r"W_{\text{pos}}", r"W_{\text{pos}, \text{key}}"])
def test_other_words_below_make_another_name(name):
    text = (
        HEAD + rf"Let $W \in \mathbb{{R}}^{{\text{{code}}}}$. $${name} = 2 z$$ $$y = W + {name}$$"
    )
    assert read(text).check() == []
    assert len(read(text).names) == 2
