r"""\epsilon is a small number where nothing declares it, and its square is the square of it."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

e = np.array([0.5, -1.0, 2.0, 3.0])


@pytest.mark.parametrize("letter", [r"\varepsilon", r"\epsilon"])
@pytest.mark.parametrize(
    "formula",
    [
        r"\sum_{\text{time}} EPS^2",
        r"\nsum{\name{time}} EPS^2",
        r"\sum_t EPS_{\text{time}(t)}^2",
        r"\sum_{\text{time}} (EPS)^2",
    ],
)
def test_the_square_of_declared_noise_is_the_square_of_its_numbers(letter, formula):
    text = (
        rf"${letter} \in \mathbb{{R}}^{{\text{{time}}}}$. $$s = {formula.replace('EPS', letter)}$$"
    )
    same(called(text, "s", {letter.strip("\\"): tensor(e, "time")}), (e**2).sum())


def test_the_square_of_the_small_number_is_that_of_the_number_which_is_chosen():
    text = r"$x \in \mathbb{R}^{\text{time}}$. $$s = \sum_{\text{time}} \sqrt{x^2 + \epsilon^2} + \epsilon$$"
    formula = read(text).bind(epsilon=0.5)["s"]
    same(formula(tensor(e, "time")), np.sqrt(e**2 + 0.25).sum() + 0.5)


def test_a_recurrence_takes_the_squares_of_declared_noise():
    text = (
        r"$\varepsilon \in \mathbb{R}^{\text{time}}$. $\omega, \alpha, \beta \in \mathbb{R}$. "
        r"$$h_t = \omega + \alpha \varepsilon_{\text{time}(t-1)}^2 + \beta h_{t-1}, \quad h_1 = \omega$$"
    )
    given = {"varepsilon": tensor(e, "time"), "omega": 0.1, "alpha": 0.2, "beta": 0.7}
    wanted = [0.1]
    for t in range(1, 4):
        wanted.append(0.1 + 0.2 * e[t - 1] ** 2 + 0.7 * wanted[-1])
    same(called(text, "h", given), wanted, "time")
