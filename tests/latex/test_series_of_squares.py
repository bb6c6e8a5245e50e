r"""Series of squares, \sigma_t^2 = \omega + \alpha \varepsilon_{t-1}^2 + \beta \sigma_{t-1}^2, and roots."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

e = np.array([0.5, -1.0, 2.0, 3.0])
OMEGA, ALPHA, BETA = 0.1, 0.2, 0.7
GIVEN = {"varepsilon": tensor(e, "time"), "omega": OMEGA, "alpha": ALPHA, "beta": BETA, "s": 0.4}
DECLARED = (
    r"$\varepsilon \in \mathbb{R}^{\text{time}}$. $\omega, \alpha, \beta, s \in \mathbb{R}$. "
)


def variance(first=OMEGA):
    found = [first]
    for t in range(1, 4):
        found.append(OMEGA + ALPHA * e[t - 1] ** 2 + BETA * found[-1])
    return np.array(found)


def rule(here, last, noise=r"\varepsilon_{\text{time}(t-1)}^2"):
    return rf"{here} = \omega + \alpha {noise} + \beta {last}"


WAYS = [
    (r"\sigma_t^2", r"\sigma_{t-1}^2", r"\sigma_1^2", r"\sigma_t"),
    (r"\sigma^2_t", r"\sigma^2_{t-1}", r"\sigma^2_1", r"\sigma_t"),
    (
        r"\sigma_{\text{time}(t)}^2",
        r"\sigma_{\text{time}(t-1)}^2",
        r"\sigma_{\text{time}(1)}^2",
        r"\sigma_{\text{time}(t)}",
    ),
    (
        r"\sigma_{\name{time}(t)}^2",
        r"\sigma_{\name{time}(t-1)}^2",
        r"\sigma_{\name{time}(1)}^2",
        r"\sigma_{\name{time}(t)}",
    ),
]


@pytest.mark.parametrize(("here", "last", "first", "root"), WAYS)
@pytest.mark.parametrize("between", ["$$ $$", r", \quad ", r" \\ "])
def test_the_series_is_that_of_the_square(here, last, first, root, between):
    text = DECLARED + rf"$${rule(here, last)}{between}{first} = s$$"
    same(called(text, "sigmasq", GIVEN), variance(0.4), "time")


@pytest.mark.parametrize(("here", "last", "first", "root"), WAYS)
def test_its_letter_without_the_square_is_the_root(here, last, first, root):
    text = DECLARED + (
        rf"$${rule(here, last)}, \quad {first} = \omega$$ "
        rf"$$r_{{\text{{time}}(t)}} = \frac{{\varepsilon_{{\text{{time}}(t)}}}}{{{root}}}$$ "
        rf"$$v_{{\text{{time}}(t)}} = 2 {here}$$"
    )
    same(called(text, "r", GIVEN), e / np.sqrt(variance()), "time")
    same(called(text, "v", GIVEN), 2 * variance(), "time")


def test_it_may_start_before_the_first():
    here, last, _, _ = WAYS[2]
    noise = r"\varepsilon_{\text{time}(t)}^2"
    text = DECLARED + rf"$${rule(here, last, noise)}, \quad \sigma_{{\text{{time}}(0)}}^2 = s$$"
    wanted, before = [], 0.4
    for number in e:
        before = OMEGA + ALPHA * number**2 + BETA * before
        wanted.append(before)
    same(called(text, "sigmasq", GIVEN), wanted, "time")


def test_a_square_of_a_declared_letter_stays_a_square():
    text = (
        r"$\sigma \in \mathbb{R}^{\text{time}}$. "
        r"$$v_{\text{time}(t)} = \sigma_{\text{time}(t)}^2 + 1$$"
    )
    same(called(text, "v", {"sigma": tensor(e, "time")}), e**2 + 1, "time")


def test_a_square_that_is_no_series_of_its_own_is_left():
    text = r"$x \in \mathbb{R}^{\text{time}}$. $$\sigma^2 = \sum_{\text{time}} x^2$$ $$u = 2 \sigma^2$$"
    same(called(text, "u", {"x": tensor(e, "time")}), 2 * (e**2).sum())


def test_what_another_statement_says_of_the_letter_stays():
    here, last, first, _ = WAYS[2]
    text = DECLARED + rf"$${rule(here, last)}, \quad {first} = s$$ $$\sigma = 3$$"
    assert "sigmasq" not in read(text).names
