r"""Margins, X_{i \cdot} = \sum_j X_{ij}; definitions on and off the diagonal; zeros outside of one axis."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

A = np.random.default_rng(3).normal(size=(3, 4))
HEAD = r"Let $X \in \mathbb{R}^{\text{row}:n, \text{col}:m}$. "
OUTER = np.outer(A.sum(1), A.sum(0)) / A.sum()


def right(text, name, given):
    """Check a correct document, and run one of its formulas."""
    document = read(text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    formula = document[name]
    return formula(**{p.name: given[p.name] for p in formula.signature.parameters})


@pytest.mark.parametrize("mark", [r"\cdot", r"\bullet", "+", "*"])
def test_a_margin_is_a_letter_of_its_own(mark):
    text = (
        HEAD + rf"$$X_{{i {mark}}} = \sum_j X_{{ij}}, \quad X_{{{mark} j}} = \sum_i X_{{ij}}, "
        rf"\quad X_{{{mark}{mark}}} = \sum_{{i,j}} X_{{ij}}$$ "
        rf"$$E_{{ij}} = \frac{{X_{{i {mark}}} X_{{{mark} j}}}}{{X_{{{mark}{mark}}}}}$$"
    )
    found = right(text, "E", {"X": tensor(A, "row col")})
    np.testing.assert_allclose(found.numpy("row col"), OUTER)


def test_a_margin_may_be_a_mean():
    text = (
        HEAD + r"$$\bar X_{i \cdot} = \frac{1}{m} \sum_{j=1}^m X_{ij}$$ "
        r"$$D_{ij} = X_{ij} - \bar X_{i \cdot}$$"
    )
    found = right(text, "D", {"X": tensor(A, "row col")})
    np.testing.assert_allclose(found.numpy("row col"), A - A.mean(1, keepdims=True))


@pytest.mark.parametrize("mark", [r"\cdot", r"\bullet", "+", "*"])
def test_a_margin_may_name_the_axes_of_its_indices(mark):
    text = (
        HEAD + rf"$$X_{{\text{{row}}(i), {mark}}} = \sum_j X_{{\text{{row}}(i), \text{{col}}(j)}}, "
        rf"\quad X_{{{mark}, \text{{col}}:j}} = \sum_i X_{{\text{{row}}(i), \text{{col}}(j)}}$$ "
        rf"$$E_{{ij}} = X_{{\text{{row}}(i), {mark}}} X_{{{mark} j}}$$"
    )
    document = read(text)
    assert {"Xall2", "Xall1"} <= {*document}
    found = right(text, "E", {"X": tensor(A, "row col")})
    np.testing.assert_allclose(found.numpy("row col"), np.outer(A.sum(1), A.sum(0)))


@pytest.mark.parametrize("row", [r"X_{i,:}", r"X_{i :}", r"X_{\text{row}(i), :}"])
def test_a_colon_stands_for_all_along_an_axis(row):
    text = HEAD + rf"$$y_i = \sum_{{\text{{col}}}} {row}, \quad i = 1, \ldots, n$$"
    found = right(text, "y", {"X": tensor(A, "row col")})
    np.testing.assert_allclose(found.numpy("row"), A.sum(1))
    wrong = text.replace(r"\sum_{\text{col}}", r"\sum_{\text{row}}")
    assert "error" in {f.severity for f in read(wrong).check()}


def test_a_column_is_along_the_first_axis():
    found = right(HEAD + r"$$z = \sum_{\text{row}} X_{:,2}$$", "z", {"X": tensor(A, "row col")})
    np.testing.assert_allclose(found.numpy(), A[:, 1].sum())


def test_a_margin_that_nothing_defines_is_no_element():
    (found,) = read(HEAD + r"$$y = \sum_{\text{row}} X_{i \cdot}$$").check()
    assert found.message == r"X_{i \cdot} is neither declared nor defined"
    assert r"say what it is: X_{i \cdot} = ..." in found.hint


def test_the_wrong_axis_in_a_margin_is_found():
    text = HEAD + r"$$X_{i \cdot} = \sum_{\text{tok}} X$$ $$D_{ij} = X_{ij} - X_{i \cdot}$$"
    assert "error" in {f.severity for f in read(text).check()}


# ------------------------------------------------------------------------------ on the diagonal

d = np.random.default_rng(4).normal(size=(4, 4))
PAIR = r"Let $d \in \mathbb{R}^{\text{w}:n, \text{w}':n}$. "
OFF, ON = r"P_{\text{w}(i),\text{w}'(j)}", r"P_{\text{w}(i),\text{w}'(i)}"
OF = r"d_{\text{w}(i),\text{w}'(j)}"


def with_diagonal(values):
    found = d.copy()
    np.fill_diagonal(found, values)
    return found


ZERO = with_diagonal(0)
PIECES = {
    rf"$${OFF} = {OF} \text{{ for }} i \neq j, \quad {ON} = 1$$": with_diagonal(1),
    rf"$${OFF} = {OF} \quad (i \neq j), \qquad {ON} = 1$$": with_diagonal(1),
    rf"$${ON} = 1, \quad {OFF} = {OF} \text{{ for }} i \neq j$$": with_diagonal(1),
    r"$$P_{ij} = d_{ij} \text{ for } i \neq j, \quad P_{ii} = 1$$": with_diagonal(1),
    r"$$P_{ij} = d_{ij}, \quad i \neq j \\ P_{ii} = -\sum_{j \neq i} d_{ij}$$": with_diagonal(
        -ZERO.sum(1)
    ),
    r"$$P_{kl} = d_{kl} \quad (k \neq l), \qquad P_{kk} = -\sum_{l \neq k} P_{kl}$$": with_diagonal(
        -ZERO.sum(1)
    ),
    r"For $i \neq j$ let $$P_{ij} = d_{ij}$$ and $P_{ii} = 0$.": ZERO,
    rf"$${OFF} = \begin{{cases}} {OF} & i \neq j \\"
    r"-\sum_{k \neq i} P_{\text{w}(i),\text{w}'(k)} & i = j \end{cases}$$": with_diagonal(
        -ZERO.sum(1)
    ),
    r"$$P_{ij} = \begin{cases} 1 - \sum_{i: i \neq j} P_{ij} & i = j \\ d_{ij} & \text{otherwise}"
    r" \end{cases}$$": with_diagonal(1 - ZERO.sum(0)),
    r"$$P_{ij} = \begin{cases} d_{ij} & i < j \\ 0 & i > j \\ \prod_{k > i} P_{ik} & i = j \end{cases}$$": (
        np.triu(with_diagonal([*np.prod(np.where(np.triu(np.ones((4, 4)), 1), d, 1), 1)]))
    ),
}

#: What stands on a diagonal and is made of itself.
CIRCULAR = [
    r"$$P_{ij} = d_{ij} \text{ for } i \neq j, \quad P_{ii} = -\sum_j P_{ij}$$",
    r"$$P_{ij} = \begin{cases} d_{ij} & i \neq j \\ -\sum_k P_{ik} & i = j \end{cases}$$",
    r"$$P_{ij} = \begin{cases} d_{ij} & i \neq j \\ -\sum_{k \neq i} P_{kk} & i = j \end{cases}$$",
]


@pytest.mark.parametrize("text", CIRCULAR)
def test_a_diagonal_that_is_made_of_itself_is_reported(text):
    assert "undefined" in {f.code for f in read(PAIR + text).check()}


def test_an_element_of_an_axis_and_its_copy_has_its_indices_in_their_order():
    text = PAIR + rf"$${OFF} = d_{{ij}} - d_{{ji}} + \sum_{{k=1}}^n d_{{jk}}$$"
    found = right(text, "P", {"d": tensor(d, "w w'")})
    np.testing.assert_allclose(found.numpy("w w'"), d - d.T + d.sum(1))


def test_a_formula_that_is_nan_for_one_size_alone_is_not_reported():
    text = PAIR + r"$$s(d) = \frac{1}{n - 2} \sum_{\text{w}} (d - d)$$"
    assert [f for f in read(text).check() if f.severity != "note"] == []
    nothing = text.replace("n - 2", "n - n")
    assert [f.code for f in read(nothing).check() if f.severity != "note"] == ["nan"]


@pytest.mark.parametrize("text", PIECES)
def test_a_definition_on_and_off_the_diagonal_is_one(text):
    found = right(PAIR + text, "P", {"d": tensor(d, "w w'")})
    np.testing.assert_allclose(found.numpy("w w'"), PIECES[text])


def test_a_fault_on_the_diagonal_is_found():
    text = PAIR + rf"$${OFF} = {OF} \text{{ for }} i \neq j, \quad {ON} = \sum_{{\text{{u}}}} d$$"
    assert [f.code for f in read(text).check() if f.severity == "error"] == ["axis-missing"]


# ------------------------------------------------------------------------------ outside of one axis


def padded(i, j):
    rows, columns = A.shape
    return A[i, j] if 0 <= i < rows and 0 <= j < columns else 0


UP = r"X_{\text{row}(i-1),\text{col}(j)}"
RIGHT = r"X_{\text{row}(i),\text{col}(j+1)}"
Y = r"y_{\text{row}(i),\text{col}(j)}"
ZEROTH = r"X_{\text{row}(0),\text{col}(j)}"
ANY = r"X_{\text{row}(i),\text{col}(j)}"
OUTSIDE = {
    rf"$${Y} = {UP} + {ANY}$$ where ${ANY} = 0$ for $i < 1$.": (
        lambda i, j: padded(i - 1, j) + A[i, j]
    ),
    rf"$${Y} = {UP} + {ANY}$$ where ${ZEROTH} = 0$.": (lambda i, j: padded(i - 1, j) + A[i, j]),
    r"$$y_{ij} = X_{i-1,j} + X_{ij}$$ with $X_{0j} = 0$.": (
        lambda i, j: padded(i - 1, j) + A[i, j]
    ),
    rf"$${Y} = {UP} + {RIGHT}$$ where ${ANY} = 0$ for $i < 1$ or $j > m$.": (
        lambda i, j: padded(i - 1, j) + padded(i, j + 1)
    ),
}


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_zero_outside_of_one_axis_is(text):
    found = right(HEAD + text, "y", {"X": tensor(A, "row col")})
    wanted = [[OUTSIDE[text](i, j) for j in range(4)] for i in range(3)]
    np.testing.assert_allclose(found.numpy("row col"), wanted)


def test_what_is_outside_of_the_other_axis_is_found():
    text = rf"$$y_{{\text{{row}}(i),\text{{col}}(j)}} = {RIGHT}$$ where ${ANY} = 0$ for $i < 1$."
    text = text.replace("col}(j)} =", "col}(j)} = " + ANY + " +", 1)
    assert "index-range" in {f.code for f in read(HEAD + text).check()}
