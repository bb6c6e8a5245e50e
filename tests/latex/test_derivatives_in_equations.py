r"""Equations of derivatives, \partial L / \partial W = ..., define what other formulas then take for it."""

import numpy as np
import pytest

from namedtensor import normal
from namedtensor.latex import read
from tests.latex.calling import same

HEAD = r"""Let $X \in \mathbb{R}^{\text{row}, \text{in}}$, $Y \in \mathbb{R}^{\text{row}, \text{out}}$ and
$W \in \mathbb{R}^{\text{in}, \text{out}}$.
$$ Z = W \underset{\text{in}}{\cdot} X $$
"""
LOSS = r"$$ L = \frac{1}{2} \sum_{\text{row}, \text{out}} (Z - Y)^2 $$"
BACK = r"""
$$ \frac{\partial L}{\partial Z} = Z - Y, \qquad
\frac{\partial L}{\partial W} = \frac{\partial L}{\partial Z} \underset{\text{row}}{\cdot} X $$
"""
STEP = r"and a step with a rate $\eta$ is $$V = W - \eta \frac{\partial L}{\partial W}$$"
X, Y, W = normal("row[3] in[2]"), normal("row[3] out[4]"), normal("in[2] out[4]")
x, y, w = X.numpy("row", "in"), Y.numpy("row", "out"), W.numpy("in", "out")


@pytest.mark.parametrize("loss", [LOSS, ""])
def test_a_derivative_is_what_its_equation_says(loss):
    document = read(HEAD + loss + BACK + STEP)
    assert [f for f in document.check() if f.severity != "note"] == []
    gradient = x.T @ (x @ w - y)
    for name in ("dL_dW", r"\frac{\partial L}{\partial W}"):
        same(document[name](X=X, Y=Y, W=W), gradient, "in", "out")
    same(document["V"](X=X, Y=Y, W=W, eta=0.1), w - 0.1 * gradient, "in", "out")


@pytest.mark.parametrize(
    "wrong",
    [
        BACK.replace("= Z - Y", r"= \sum_{\text{row}} (Z - Y)"),
        BACK.replace(r"{\text{row}}{\cdot}", r"{\text{out}}{\cdot}"),
        BACK.replace(r"\underset{\text{row}}{\cdot} X", "X"),
    ],
)
def test_an_equation_of_a_derivative_is_held_to_the_axes_of_both(wrong):
    assert any(f.severity == "error" for f in read(HEAD + LOSS + wrong).check())


def test_a_derivative_that_is_to_be_zero_and_one_with_stars_are_computed():
    zero = r"$$ \frac{\partial L}{\partial W} = 0 $$"
    renaming = r"\text{in}* \to \text{in}, \text{out}* \to \text{out}"
    star = rf"$$ G = \left[ \frac{{\partial L}}{{\partial W}} \right]_{{{renaming}}} $$"
    for text in (HEAD + LOSS + zero + star, HEAD + LOSS + BACK + star):
        document = read(text)
        assert "dL_dW" not in document or text.endswith(BACK + star)
        same(document["G"](X=X, Y=Y, W=W), x.T @ (x @ w - y), "in", "out")


def test_an_equation_of_other_letters_defines_nothing():
    document = read(
        HEAD + r"$$ \frac{\partial E}{\partial W} = 2 \underset{\text{in}}{\cdot} Q X $$"
    )
    assert "dE_dW" not in document
    assert np.all([f.severity == "note" for f in document.check()])


@pytest.mark.parametrize(
    ("written", "sign"),
    [
        (r"$$ V = W - \eta \frac{\partial L}{\partial W} $$", -1),
        (r"$$ G(W) = - \frac{\partial L}{\partial W} $$ $$ V = W + \eta G(W) $$", -1),
        (r"$$ V = W + \eta \frac{dL}{dW} $$", 1),
        (r"Repeat $1$ times $$ W \leftarrow W - \eta \frac{\partial L}{\partial W} $$", -1),
    ],
)
def test_the_derivative_of_a_number_has_the_axes_of_what_it_is_by(written, sign):
    document = read(rf"{HEAD}{LOSS} With a rate $\eta$, {written}")
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    found = document["V" if "V" in written else "W"](X=X, Y=Y, W=W, eta=0.1)
    same(found, w + sign * 0.1 * x.T @ (x @ w - y), "in", "out")


def test_an_equation_of_a_derivative_may_apply_the_letter_sigma():
    logistic = r"$$ L = - \sum_{\text{row}, \text{out}} \log \sigma(Z - Y) $$"
    back = r"$$ \frac{\partial L}{\partial Z} = - \sigma(Y - Z) $$"
    document = read(HEAD + logistic + back)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    same(document["dL_dZ"](X=X, Y=Y, W=W), -1 / (1 + np.exp(x @ w - y)), "row", "out")
