r"""The derivative of a function L(w) is written without its arguments: \partial L / \partial w, \nabla L."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

X, Y, W = (
    np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]]),
    np.array([1.0, -1.0, 2.0]),
    np.array([0.3, -0.2]),
)
GIVEN = {"X": tensor(X, "obs", "feat"), "y": tensor(Y, "obs"), "w": tensor(W, "feat")}
GRADIENT = X.T @ (X @ W - Y) / 3
HEAD = r"""Given $X \in \mathbb{R}^{\text{obs}:n \times \text{feat}}$ and $y \in \mathbb{R}^{\text{obs}}$,
$$ L(w) = \frac{1}{2n} \sum_{\text{obs}} (X \underset{\text{feat}}{\odot} w - y)^2,
\quad w \in \mathbb{R}^{\text{feat}}. $$
"""


@pytest.mark.parametrize(
    "written",
    [
        r"\frac{\partial L}{\partial w}",
        r"\frac{\partial L(w)}{\partial w}",
        r"\nabla_w L",
        r"\nabla_w L(w)",
        r"\nabla L(w)",
    ],
)
def test_the_derivative_of_a_function_is_at_its_argument(written):
    document = read(HEAD + rf"$$g = 2 {written}$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["g"](**GIVEN)
    np.testing.assert_allclose(found.numpy(*found.axes), 2 * GRADIENT)


def test_a_function_of_the_section_counts():
    text = (
        HEAD.replace("L(w)", "J(w)")
        + "# Second\n"
        + HEAD.replace(r"\frac{1}{2n} \sum", r"\sum").replace("L(w)", "J(w)")
        + r"$$g = 2 \nabla_w J$$"
    )
    found = read(text)["g"](**GIVEN)
    np.testing.assert_allclose(found.numpy("feat"), 12 * GRADIENT)


def test_a_function_elsewhere_needs_its_arguments():
    found = read(HEAD + r"$$g = 2 L$$").check()
    assert [f.code for f in found if f.severity == "error"] == ["arguments"]


@pytest.mark.parametrize("letter", [r"\phi", "u"])
def test_a_letter_below_a_function_that_is_its_argument_names_the_function(letter):
    text = r"""Let $a \in \mathbb{R}^{\text{hid}}$ and $x, t \in \mathbb{R}$.
$$ \begin{aligned} U(x, t) &= \sum_{\text{hid}} \sin(a x + t) \\
U_t(x, t) &= \sum_{\text{hid}} \cos(a x + t) \\
U_x(x, t) &= \sum_{\text{hid}} a \cos(a x + t) \\ r(x, t) &= U_t(x, t) - 2 U_x(x, t) \end{aligned} $$"""
    document = read(text.replace("U", letter))
    assert document.check() == []
    a = np.array([1.0, -2.0, 0.5])
    found = document["r"](x=0.3, t=0.7, a=tensor(a, "hid"))
    np.testing.assert_allclose(found.numpy(), ((1 - 2 * a) * np.cos(0.3 * a + 0.7)).sum())
