"""Forms of textbooks and papers of other fields: each is read as its author means it."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import read
from namedtensor.latex.reading.reader import parse_expression

X = nt.tensor([1.0, 2.0, 4.0], "a")
DECLARED = r"Let $x \in \mathbb{R}^{\text{a}:n}$." + "\n"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (r"\sin x \cos y", r"(\sin x) (\cos y)"),
        (r"\log p \log q", r"(\log p) (\log q)"),
        (r"\sin \theta \sum_{i=1}^{3} i", r"(\sin \theta) (\sum_{i=1}^{3} i)"),
        (r"\log \frac{1}{n} \sum_{i=1}^{n} i", r"\log {\frac{1}{n} \sum_{i=1}^{n} i}"),
        (r"\ln 2 \cosh x", r"\ln {2 \cosh x}"),
    ],
)
def test_a_function_behind_an_argument_does_not_belong_to_it(text, other):
    assert parse_expression(text) == parse_expression(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\rate - 1", [1, 3, 7]),
        (r"\underset{\text{a}}{\max} \rate - \underset{\text{a}}{\min} \rate", 6),
        (r"\sum_{\text{a}} \rate - x", [13, 12, 10]),
        (r"\exp -\rate", np.exp([-2.0, -4, -8])),
        (r"\rate \, x - \rate |x|", [0, 0, 0]),
    ],
)
def test_a_minus_behind_an_operator_that_the_document_defines_is_a_difference(text, expected):
    head = DECLARED + r"$$\DeclareMathOperator{\rate}{rate} \rate = 2 x$$"
    result = read(head + f"$$z = {text}$$")["z"](X)
    np.testing.assert_allclose(result.numpy(*result.axes), expected)


def test_an_average_in_angle_brackets_defines_no_letter():
    document = read(DECLARED + r"$$\langle x \rangle = \underset{\text{a}}{\text{mean}}\; x$$")
    assert not document.check()
    assert "x" not in [name for name, _ in document.attempts()]


def test_a_power_of_what_is_defined_as_a_square_is_one_of_the_square():
    document = read(DECLARED + r"$$r^2 = \sum_{\text{a}} x^2 $$ $$y = r^4 x$$")
    np.testing.assert_allclose(document["y"](x=X).numpy("a"), 21.0**2 * np.array([1.0, 2.0, 4.0]))


def test_pairs_of_rows_are_along_the_first_axis():
    text = r"$$D_{ij} = \| z_i - z_j \|$$ where $z \in \mathbb{R}^{\text{pt}, \text{xy}}$."
    z = np.array([[0.0, 0.0], [3.0, 4.0]])
    found = read(text)["D"](z=nt.tensor(z, "pt xy"))
    np.testing.assert_allclose(found.numpy("pt", "pt'"), [[0.0, 5.0], [5.0, 0.0]])


def test_a_sequence_is_computed_at_differences_of_indices():
    text = DECLARED + (
        r"$$y_{\text{a}(i)} = \sum_{j=1}^{n} h_{i-j} x_{\text{a}(j)}, \qquad "
        r"h_k = \begin{cases} 1 & k = 0 \\ 0 & k \text{ even}, k \neq 0 \\ -1 & k \text{ odd} \end{cases}$$"
    )
    np.testing.assert_allclose(read(text)["y"](x=X).numpy("a"), [-1.0, -3.0, 2.0])


def test_the_permutation_symbol_gives_the_cross_product():
    text = (
        r"Let $u, v \in \mathbb{R}^{\text{xyz}:3}$."
        r"$$w_{\text{xyz}(i)} = \sum_{j=1}^{3} \sum_{k=1}^{3} \epsilon_{ijk} "
        r"u_{\text{xyz}(j)} v_{\text{xyz}(k)}$$"
    )
    u, v = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 2.0])
    found = read(text)["w"](u=nt.tensor(u, "xyz"), v=nt.tensor(v, "xyz"))
    np.testing.assert_allclose(found.numpy("xyz"), np.cross(u, v))


def test_a_rule_is_held_to_the_start_that_prose_gives():
    text = DECLARED + (
        r"Start with $s_0 = x$ and repeat"
        "\n"
        r"$$s_k = \underset{\text{b}}{\text{softmax}}\, s_{k-1}$$"
    )
    assert [f.code for f in read(text).check() if f.severity == "error"] == ["axis-missing"]


@pytest.mark.parametrize(
    "end",
    [r". \qquad \blacksquare", r"\quad\blacksquare", r". \hfill \square", r"\qquad \Box", "."],
)
def test_a_sign_that_ends_a_proof_is_no_part_of_the_formula(end):
    document = read(DECLARED + rf"$$ y = \sum_{{\text{{a}}}} x^2 {end} $$")
    assert not document.check()
    assert float(document["y"](x=X)) == 21.0


@pytest.mark.parametrize(
    "remark",
    [
        r"\qquad (n \times m)",
        r"\quad [n \times 1]",
        r"\qquad (3.2)",
        r"\qquad (\ast)",
        r"\quad (\text{a} \times \text{b})",
        r"\qquad (\text{a}: n)",
        r"\qquad \text{a} \times \text{b}",
        r"\qquad (n > 1)",
        r"\hfill (3.2)",
        r"\hspace{2cm} (3.2)",
        r"\hspace*{\fill} [3.2]",
        r"\hskip 2em (3.2)",
        r"\eqno (3.2)",
        r"\leqno{(3.2)}",
        "",
    ],
)
def test_what_stands_behind_a_wide_gap_is_no_factor(remark):
    document = read(
        DECLARED + r"$W \in \mathbb{R}^{\text{a}:n, \text{b}:m}$ "
        rf"$$ y = x \underset{{\text{{a}}}}{{\cdot}} W {remark} $$"
    )
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    W = nt.tensor([[1.0], [2.0], [4.0]], "a b")
    np.testing.assert_allclose(document["y"](x=X, W=W).numpy("b"), [21.0])


def test_an_equation_goes_on_behind_a_wide_gap_after_an_operator():
    document = read(DECLARED + r"$$ y = x + \qquad (2 x) $$ $$ z = x \quad - x $$")
    np.testing.assert_allclose(document["y"](x=X).numpy("a"), [3.0, 6.0, 12.0])
    np.testing.assert_allclose(document["z"](x=X).numpy("a"), [0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    "space",
    [r"\kern-0.1em", r"\hskip 2pt", r"\hspace{0.3em}", r"\mkern 3mu", r"\hspace{-1em}", r"\,"],
)
def test_a_narrow_space_parts_no_factors(space):
    document = read(DECLARED + rf"$$ y = 2 {space} x $$")
    assert not document.check()
    np.testing.assert_allclose(document["y"](x=X).numpy("a"), [2.0, 4.0, 8.0])


@pytest.mark.parametrize("use", [r"\abs{x - 2}", r"\abs*{x - 2}", r"\abs[\big]{x - 2}"])
@pytest.mark.parametrize("braces", ["{\\abs}", "\\abs"])
def test_a_pair_of_brackets_is_used_with_a_star_or_a_size(use, braces):
    pair = rf"\DeclarePairedDelimiter{braces}{{\lvert}}{{\rvert}}"
    document = read(rf"{pair} {DECLARED} $$ y = {use} * 3 $$")
    assert document.check() == []
    np.testing.assert_allclose(document["y"](x=X).numpy("a"), 3 * np.abs(X.numpy("a") - 2))


@pytest.mark.parametrize(
    ("name", "use"),
    [
        (r"P_{\mathrm{F}}", r"P_{\mathrm{F}}{}_{\text{a}(2)}"),
        (r"\hat{P}", r"\hat{P}{}_{\text{a}(2)}"),
        (r"P_{\top}", r"P_{\top, \text{a}(2)}"),
        (r"P_{\top}", r"P_{\top \, \text{a}(2)}"),
        (r"P_{\max}", r"P_{\max, \text{a}(2)}"),
        (r"P_{\bot}", r"{P_{\bot}}_{\text{a}(2)}"),
    ],
)
def test_indices_stand_behind_what_stands_below_a_name(name, use):
    document = read(rf"{DECLARED} $$ {name} = 3 x $$ $$ y = {use} $$")
    assert document.check() == []
    assert document["y"](x=X).item() == 6
