r"""Counted sets, \nabla^2, =:, \{0, \ldots, K-1\}, the gamma function and inverses, as papers write them."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from namedtensor.latex.documents.failures import LatexError

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


S = np.array([[2.0, 1, 0], [1, 3, 1], [0.5, 1, 4]])
z = np.array([1.0, 2, 5])
MATRIX = (
    r"Let $S \in \mathbb{R}^{\text{obs} \times \text{obs}'}$ and $z \in \mathbb{R}^{\text{obs}}$. "
)
MATRICES = {"S": tensor(S, "obs", "obs'"), "z": tensor(z, "obs")}
OBS = ("obs", "obs'")
LOGDET, LOGDET2 = [float(np.log(abs(np.linalg.det(M)))) for M in (S, 2 * S)]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\log \Gamma(z)", [0, 0, np.log(24)]),
        (r"\ln\Gamma(z + 1)", [0, np.log(2), np.log(120)]),
        (r"\Gamma(z)", [1, 1, 24]),
        (r"\Gamma(z - 1.5)", [-3.544907701811032, 1.772453850905516, 3.323350970447843]),
        (r"\log \Gamma(100 z)", [359.1342053695754, 857.9336698258574, 2605.1158503617315]),
    ],
)
def test_the_gamma_function_has_its_letter(body, expected):
    found = read(MATRIX + f"$$P = {body}$$")
    assert said(found) == []
    np.testing.assert_allclose(value(found, "P", **MATRICES).numpy("obs"), expected, atol=1e-12)


def test_a_gamma_of_the_document_is_no_gamma_function():
    found = read(MATRIX + r"$$\Gamma(x) = 2 x, \quad P = \log \Gamma(z) + 0 z$$")
    np.testing.assert_allclose(value(found, "P", **MATRICES).numpy("obs"), np.log(2 * z))
    found = read(MATRIX + r"Let $\Gamma > 0$. $$P = \log \Gamma(z)$$")
    given = {**MATRICES, "Gamma": tensor(3.0)}
    np.testing.assert_allclose(value(found, "P", **given).numpy("obs"), np.log(3 * z))


@pytest.mark.parametrize(
    "spelt",
    [
        r"\operatorname{diag}_{\text{obs}, \text{obs}'}(z)",
        r"\operatorname{diag}(z)_{\text{obs}, \text{obs}'}",
        r"\underset{\text{obs}, \text{obs}'}{\text{diag}} z",
    ],
)
def test_a_vector_stands_on_a_diagonal(spelt):
    found = read(MATRIX + f"$$P = {spelt}$$")
    assert said(found) == []
    np.testing.assert_allclose(value(found, "P", **MATRICES).numpy(*OBS), np.diag(z))


@pytest.mark.parametrize(
    ("body", "part", "hint", "expected"),
    [
        ("S^{-1}", "S^{-1}", "INV S", np.linalg.inv(S)),
        ("(2 S)^{-1}", "(2 S)^{-1}", "INV (2 S)", np.linalg.inv(2 * S)),
        (r"\log |S|", "|S|", "| DET S |", LOGDET),
        (r"\ln |2 S|", "|2 S|", "| DET (2 S) |", LOGDET2),
        (r"|S|^{-1/2}", "|S|", "| DET S |", np.exp(-LOGDET / 2)),
        (r"\frac{1}{\sqrt{|S|}}", "|S|", "| DET S |", np.exp(-LOGDET / 2)),
    ],
)
def test_inverses_and_determinants_of_a_square_matrix_are_noted_with_a_hint_that_works(
    body, part, hint, expected
):
    for word in ("inv", "det"):
        hint = hint.replace(
            word.upper(), rf"\underset{{\text{{obs}}, \text{{obs}}'}}{{\text{{{word}}}}}"
        )
    document = read(MATRIX + f"$$P = {body}$$")
    [finding] = document.check()
    assert finding.severity == "note"
    assert f"write {hint};" in finding.hint
    axes = OBS if np.ndim(expected) else ()
    np.testing.assert_allclose(value(document, "P", **MATRICES).numpy(*axes), expected)
    found = read(MATRIX + f"$$P = {body.replace(part, hint)}$$")
    assert said(found) == []
    np.testing.assert_allclose(value(found, "P", **MATRICES).numpy(*axes), expected)


def test_an_inverse_in_a_batch_is_of_the_axis_that_has_a_copy():
    head = r"Let $S \in \mathbb{R}^{\text{batch} \times \text{obs} \times \text{obs}'}$. "
    given = np.stack([S, 2 * S])
    found = value(read(head + "$$P = S^{-1}$$"), "P", S=tensor(given, "batch", "obs", "obs'"))
    np.testing.assert_allclose(found.numpy("batch", *OBS), np.linalg.inv(given))


@pytest.mark.parametrize(
    ("body", "written"),
    [("S^{-1}", "S"), ("(S + 1)^{-1}", "(S + 1)"), ("(S x)^{-1}", "(S x)")],
)
def test_an_inverse_that_may_be_of_other_axes_says_how_it_is_written(body, written):
    head = r"Let $S \in \mathbb{R}^{\text{a} \times \text{b}}$ and $x \in \mathbb{R}$. "
    given = {"S": tensor(np.eye(2), "a", "b"), "x": tensor(2.0)}
    with pytest.raises(LatexError, match="may be the inverse of a matrix") as error:
        value(read(head + f"$$P = {body} + 0 x$$"), "P", **given)
    assert rf"\text{{inv}}}} {written} for the inverse, or 1 / {written} for" in str(error.value)


def test_hints_declare_numbers_and_indices_as_what_they_are():
    [line] = said(read(MATRIX + r"$$y = \frac{z}{s^2}$$"))
    assert r"s \in \mathbb{R}" in line
    assert "ax" not in line.split("hint")[1]
    text = MATRIX + r"In a state $s$, %s $$q = \sum_{\text{obs}} S_{\text{obs}'(s)}$$"
    [line] = said(read(text % ""))
    assert (hint := r"s \in [|\text{obs}'|]") in line
    assert said(read(text % f"with ${hint}$")) == []
