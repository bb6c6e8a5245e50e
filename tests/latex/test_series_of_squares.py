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


X = np.random.default_rng(0).normal(size=(4, 3))
ROWS = r"""Let $X \in \mathbb{R}^{\text{row}:n, \text{col}:m}$ with
means $f = \underset{\text{row}}{\text{mean}}\, X$.
"""
COVARIANCE = np.cov(X.T, bias=True)


def of_rows(text, name):
    document = read(ROWS + text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    return document[name](tensor(X, "row", "col"))


@pytest.mark.parametrize("square", ["s_j^2", "s^2_j", r"s_{\text{col}(j)}^2"])
@pytest.mark.parametrize(
    ("use", "power"),
    [(r"s_{}", 1), ("s_{}^2", 2), (r"s_{}^3", 3), ("s_{}^{{-2}}", -2), ("s_{}^{{-1}}", -1)],
)
def test_squares_of_elements_are_letters_of_their_own_with_roots(square, use, power):
    use = use.format(r"{\text{col}(j)}" if "text" in square else "j")
    text = (
        rf"$${square} = \frac{{1}}{{n}} \sum_{{i=1}}^n (X_{{ij}} - f_j)^2, \quad j = 1, \ldots, m$$"
    )
    text += rf"$$y_j = 2 {use}, \quad j = 1, \ldots, m$$"
    same(of_rows(text, "y"), 2 * X.std(0) ** power, "col")


def test_a_square_of_elements_may_be_made_of_squares_of_elements():
    text = r"""For columns $i$ and $j$
$$r^2_{ij} = \frac{D_{ij}^2}{D_{ii} D_{jj} + f_i^2 f_j^2},
\qquad D_{ij} = \frac{1}{n} \sum_{\text{row}} X_{\text{col}(i)} X_{\text{col}(j)} - f_i f_j$$"""
    v, f = np.diag(COVARIANCE), X.mean(0)
    wanted = COVARIANCE**2 / (np.outer(v, v) + np.outer(f, f) ** 2)
    same(of_rows(text, "r^2_{ij}"), wanted, "col", "col'")
    wrong = text.replace(
        r"\sum_{\text{row}} X_{\text{col}(i)}", r"\sum_{\text{row}} X_{\text{row}(i)}"
    )
    assert "error" in {f.severity for f in read(ROWS + wrong).check()}


def test_a_square_with_a_name_below_is_no_element():
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. $$\sigma_u^2 = \frac{1}{2} \sum_{\text{a}} x^2$$"
    assert "sigmasq" not in read(text).names


@pytest.mark.parametrize("letter", [r"\sigma", r"\hat{\sigma}", "s"])
@pytest.mark.parametrize("power", [-1, -2, -4])
def test_one_over_a_square_that_the_document_defines_is_of_its_letter(letter, power):
    text = rf"Let $x \in \mathbb{{R}}^{{\text{{a}}, \text{{b}}}}$. $${letter}^2 = \sum_{{\text{{a}}}} x^2$$ "
    x = np.array([[1.0, 2.0, 4.0], [0.5, 1.0, 3.0]])
    found = called(text + rf"$$w = 3 \, {letter}^{{{power}}}$$", "w", {"x": tensor(x, "a", "b")})
    same(found, 3 * (x**2).sum(0) ** (power / 2), "b")
