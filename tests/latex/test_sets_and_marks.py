r"""Counted sets, \nabla^2, =:, \{0, \ldots, K-1\}, the gamma function and inverses, as papers write them."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

rng = np.random.default_rng(5)
f = rng.normal(size=5)
x = rng.normal(size=5)
Q = rng.normal(size=(4, 3))
POINTS = r"Let $F, X \in \mathbb{R}^{\text{pt}:n}$. "
GIVEN = {"F": tensor(f, "pt"), "X": tensor(x, "pt")}


def value(found, name, **given):
    formula = found[name]
    return formula(**{p.name: given[p.name] for p in formula.signature.parameters})


def said(found):
    return [str(finding) for finding in found.check()]


@pytest.mark.parametrize(
    "count",
    [
        r"\left|\{ i : F_{\text{pt}(i)} \le 0 \}\right|",
        r"| \{ i \mid F_{\text{pt}(i)} \le 0 \} |",
        r"\lvert \{ i | F_{\text{pt}(i)} \le 0 \} \rvert",
        r"\#\{ i : F_{\text{pt}(i)} \le 0 \}",
        r"\# \left\{ i : F_{\text{pt}(i)} \le 0 \right\}",
        r"\left|\left\{ i \in [n] : F_{\text{pt}(i)} \le 0 \right\}\right|",
    ],
)
def test_the_elements_of_a_set_are_counted(count):
    found = read(POINTS + rf"$$c = {count}, \quad g = \frac{{1}}{{n}} {count} + 1$$")
    assert said(found) == []
    assert value(found, "c", **GIVEN).numpy() == (f <= 0).sum()
    assert np.isclose(value(found, "g", **GIVEN).numpy(), (f <= 0).mean() + 1)


def test_several_conditions_all_hold():
    found = read(POINTS + r"$$c = |\{ i : F_{\text{pt}(i)} > 0, X_{\text{pt}(i)} > 0 \}|$$")
    assert value(found, "c", **GIVEN).numpy() == ((f > 0) & (x > 0)).sum()


def test_what_is_counted_needs_an_index_and_a_condition():
    found = read(POINTS + r"$$c = \# F + \sum_{\text{pt}} X$$")
    assert any("an index and a condition" in line for line in said(found))


@pytest.mark.parametrize("sign", [r"\eqqcolon", r"=:", r"\eqcolon"])
def test_the_right_side_may_be_defined(sign):
    found = read(POINTS + rf"$$\sum_{{\text{{pt}}}} F \odot X {sign} Z$$ $$y = 2 Z$$")
    assert said(found) == []
    assert np.isclose(value(found, "y", **GIVEN).numpy(), 2 * f @ x)


def test_a_chain_may_end_in_what_is_defined():
    found = read(POINTS + r"$$y = \sum_{\text{pt}} F =: Z$$")
    assert np.isclose(value(found, "y", **GIVEN).numpy(), f.sum())
    assert np.isclose(value(found, "Z", **GIVEN).numpy(), f.sum())


BETA = r"Let $\beta \in \mathbb{R}^{\text{feat}}$ and $J(\beta) = \sum_{\text{feat}} \beta^3$. "


def test_the_second_derivative_is_defined_by_its_sign():
    found = read(
        BETA + r"$$\nabla^2 J(\beta) = 6 \beta \odot \beta_{\text{feat} \to \text{feat}'}$$"
    )
    assert said(found) == []
    b = tensor(np.array([1.0, 2.0]), "feat")
    result = found[r"\nabla^2 J"](b).numpy("feat", "feat'")
    np.testing.assert_allclose(result, 6 * np.outer([1, 2], [1, 2]))


def test_the_second_derivative_by_a_letter_is_computed():
    found = read(BETA + r"$$H = \nabla_\beta^2 J(\beta) + 0 \sum_{\text{feat}} \beta$$")
    b = tensor(np.array([1.0, 2.0]), "feat")
    result = found["H"](b)
    assert sorted(np.abs(result.numpy(*result.axes)).ravel()) == [0, 0, 6, 12]


ACTIONS = r"Let $Q \in \mathbb{R}^{\text{ep} \times \text{act}:K}$ and $a \in %s^{\text{ep}}$. "
FROM_ZERO = [r"\{0, \ldots, K-1\}", r"\{0, 1, \dots, K - 1\}", r"\{0, 1, 2\}", r"\{0, \dots, 2\}"]
FROM_ONE = [r"\{1, \ldots, K\}", r"\{1, 2, \ldots, K\}", r"[K]"]


@pytest.mark.parametrize("space", FROM_ZERO + FROM_ONE)
def test_indices_count_from_zero_or_one(space):
    found = read(ACTIONS % space + r"$$q = Q_{\text{act}(a)}, \quad b = 2 a$$")
    assert said(found) == []
    a = np.array([2, 0, 1, 1])
    given = {"Q": tensor(Q, "ep", "act"), "a": tensor(a, "ep")}
    np.testing.assert_allclose(value(found, "q", **given).numpy("ep"), Q[np.arange(4), a])
    doubled = 2 * a if space in FROM_ZERO else 2 * (a + 1)
    np.testing.assert_allclose(value(found, "b", **given).numpy("ep"), doubled)


@pytest.mark.parametrize("space", FROM_ZERO)
def test_one_more_than_what_counts_from_zero_is_the_next_element(space):
    [line] = said(read(ACTIONS % space + r"$$q = Q_{\text{act}(a+1)}$$"))
    assert "counts from 0" in line


def test_a_range_from_zero_that_is_too_long_is_found():
    [line] = said(read(ACTIONS % r"\{0, \ldots, K\}" + r"$$q = Q_{\text{act}(a)}$$"))
    assert "which has size K" in line
    assert r"\{0, \ldots, K - 1\}" in line
