r"""Displays of tensors that name no axes: their sides are held to each other, or a note says why not."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

DECLARED = r"""$$X, X' \in \mathbb{R}^{\text{a}} \qquad Y \in \mathbb{R}^{\text{b}} \qquad
W \in \mathbb{R}^{\text{a}, \text{b}} \qquad \eta \in \mathbb{R}$$

"""
STYLED = r"""\ndef{\a}{a}\ndef{\b}{b}
$$X, X' \in \mathbb{R}^{\a} \qquad Y \in \mathbb{R}^{\b} \qquad W \in \mathbb{R}^{\a \times \b} \qquad
\eta \in \mathbb{R}$$

"""
DIALECTS = pytest.mark.parametrize("declared", [DECLARED, STYLED], ids=["plain", "styled"])


def found(display: str, declared: str = DECLARED) -> list[tuple[str, str]]:
    """Give the severity and the code of all that is found in a display behind declarations."""
    document = read(f"{declared}$$ {display} $$")
    return [(finding.severity, finding.code) for finding in document.check()]


#: A fault, and what it would be without.
HELD = [
    (r"2X = Y", r"2X = X'"),
    (r"-X = Y", r"-X = X'"),
    (r"X + X' = Y", r"X + X' = X"),
    (r"\frac{X}{2} = Y", r"\frac{X}{2} = X'"),
    (r"\eta X = Y", r"\eta X = X'"),
    (r"\exp X = Y", r"\exp X = X'"),
    (r"\sqrt{X} = Y", r"\sqrt{X} = X'"),
    (r"X \odot X' = Y", r"X \odot X' = 2X"),
    (r"X = X' = Y", r"X = X' = 2X'"),
    (r"X \approx Y", r"X \approx X'"),
    (r"2X \approx Y", r"2X \approx X'"),
    (r"X \propto Y", r"X \propto 2X'"),
    (r"\frac{dY}{d\eta} = X", r"\frac{dX}{d\eta} = X"),
    (r"\frac{\mathrm{d}Y}{\mathrm{d}\eta} = X", r"\frac{\mathrm{d}X}{\mathrm{d}\eta} = X"),
    (r"\frac{d}{d\eta} Y = X", r"\frac{d}{d\eta} X = X"),
    (r"\frac{dY}{dX} = X", r"\frac{dY}{dX} = W"),
    (r"\partial Y = X", r"\partial X = X'"),
    (r"X, X' = 2Y", r"X, X' = 2X"),
    (r"X! = Y", r"X! = X'"),
    (
        r"Z_{\text{a}(i)} = X_{\text{a}(i)} = Y",
        r"Z_{\text{a}(i)} = X_{\text{a}(i)} = X'_{\text{a}(i)}",
    ),
]


@DIALECTS
@pytest.mark.parametrize("display", [fault for fault, _ in HELD])
def test_sides_of_other_axes_are_a_fault(display, declared):
    assert found(display, declared) == [("error", "declared-shape")]


@DIALECTS
@pytest.mark.parametrize("display", [right for _, right in HELD])
def test_sides_of_the_same_axes_are_none(display, declared):
    assert found(display, declared) == []


RIGHT = [
    r"2X = X'",
    r"X + Y = W",
    r"2X = 0",
    r"2X = \eta",
    r"0 \le X \le 1",
    r"\eta X \le X'",
    r"W \ge X",
    r"|X - X'| \leq \eta",
    r"X + X' \in \mathbb{R}^{\text{a}}",
    r"X = X' = 2",
    r"\sum_{\text{a}} X = \sum_{\text{b}} Y = 1",
    r"\partial (X \odot X') = \partial X \odot X' + X \odot \partial X'",
]


@pytest.mark.parametrize("display", RIGHT)
def test_what_fits_is_passed(display):
    assert found(display) == []


@pytest.mark.parametrize("display", [r"X \le Y", r"X + 1 > Y", r"X \gg Y", r"X \neq Y"])
def test_a_comparison_of_each_with_each_is_said(display):
    assert found(display) == [("note", "meaning")]


def test_the_note_says_which_axes_are_compared():
    (note,) = read(DECLARED + r"$$ X \le Y $$").check()
    assert note.message == "each a of X is compared with each b of Y"


def test_an_expression_is_held_to_the_space_that_it_is_said_to_be_in():
    (error,) = read(DECLARED + r"$$ X + Y \in \mathbb{R}^{\text{a}} $$").check()
    assert error.severity == "error"
    assert error.message == r"this is said to be in \mathbb{R}^{\text{a}}, and has b too"
    assert error.hint == "name the axes that it has"


SAID = [
    r"\frac{dY}{dt} = X",
    r"\frac{d}{dt} Y = X",
    r"\frac{\partial Y}{\partial t} = X",
    r"\frac{d^2 Y}{dt^2} = X",
    r"\begin{pmatrix} X \\ X' \end{pmatrix} = Y",
    r"\begin{pmatrix} u \\ v \end{pmatrix} = W",
    r"\begin{cases} X = Y \\ Y = X \end{cases}",
    r"X Y = W",
    r"X \otimes Y = W",
    r"X \cdot Y = 0",
    r"X^\top Y = 0",
    r"\langle X, Y \rangle = 0",
    r"\int X \, dt = Y",
    r"p \propto \exp(Y)",
    r"X \sim \mathcal{N}(Y, 1)",
    r"X \to Y",
    r"X \mapsto 2X + Y",
    r"X \iff Y",
    r"X \Rightarrow Y",
    r"X \perp Y",
    r"X \simeq Y",
    r"X \cong Y",
    r"X \subset Y",
    r"X \asymp Y",
    r"X \succeq Y",
    r"X \mathrel{+}= Y",
    r"X \mathrel{\hat=} Y",
    r"X \mathrel{\hat{=}} Y",
    r"\forall x : X = Y",
    r"Z = \bar X + 1",
    r"Z = \hat{X} \tilde{Y}",
    r"E[X] = Y",
    r"X(0) = Y",
    r"X[0] = Y",
    r"\nabla \eta = Y",
    r"\underset{X}{\text{minimize}} \; \sum_{\text{a}} X",
    r"\lim_{n \to \infty} \sum_{\text{a}} X = 0",
    r"\frac{dY}{dt} = W \underset{\text{a}}{\cdot} X",
    r"2 \hat{X} = Y",
]


@pytest.mark.parametrize("display", SAID)
def test_what_is_not_held_is_said(display):
    (kind,) = found(display)
    assert kind in (("note", "not-notation"), ("note", "undefined"))


def test_an_accent_over_a_declared_letter_is_another_letter_and_named():
    (note,) = read(DECLARED + r"$$ Z = \bar X + 1 $$").check()
    assert note.message == r"set aside: nothing declares or defines \bar X"


@pytest.mark.parametrize(
    "display", [r"E = mc^2", r"Z = Q + 1", r"z \sim \mathcal{N}(0, 1)", r"X + X'"]
)
def test_what_states_nothing_of_tensors_is_passed(display):
    assert found(display) == []


def test_prose_of_the_kind_is_passed():
    text = DECLARED + r"Note that $X \sim \mathcal{N}(Y, 1)$, $X \to Y$ and $p \propto \exp(Y)$."
    assert read(text).check() == []


def test_a_size_is_no_unknown_name():
    text = r"$x \in \mathbb{R}^{\text{time}:T}$ $$ x_{\text{time}(T)} = 2 T \sum_{\text{time}} x $$"
    assert read(text).check() == []


# ------------------------------------------------------------------------------- f : x \mapsto

MAPPED = [
    (r"f : x \mapsto 2x", "x"),
    (r"f \colon X \mapsto 2X", "X"),
    (r"f : \mathbb{R}^{\text{a}} \to \mathbb{R}^{\text{a}}, \quad X \mapsto 2X", "X"),
    (r"f \colon \mathbb{R}^{\text{a}} \rightarrow \mathbb{R}^{\text{a}}, X \mapsto 2 X", "X"),
]
TWO = np.array([1.0, -3.0])


@pytest.mark.parametrize(("display", "name"), MAPPED)
def test_an_arrow_with_a_bar_defines(display, name):
    text = DECLARED + f"$$ {display} $$ $$ Z = f(X) + 1 $$"
    given = {"X": nt.tensor(TWO, "a"), "x": nt.tensor(TWO, "a")}
    same(called(text, "f", given), 2 * TWO, "a")
    same(called(text, "Z", given), 2 * TWO + 1, "a")


def test_an_arrow_takes_several_names_in_brackets():
    text = DECLARED + r"$$ f : (X, Y) \mapsto X \sum_{\text{b}} Y $$"
    given = {"X": nt.tensor(TWO, "a"), "Y": nt.tensor(TWO, "b")}
    same(called(text, "f", given), -2 * TWO, "a")


@pytest.mark.parametrize(
    "display",
    [
        r"f : X \mapsto \sum_{\text{b}} X",
        r"f : \mathbb{R}^{\text{a}} \to \mathbb{R}, \quad X \mapsto \sum_{\text{b}} X",
    ],
)
def test_a_fault_behind_an_arrow_is_found(display):
    assert found(display) == [("error", "axis-missing")]


def test_an_arrow_is_held_to_the_signature_before_it():
    display = r"f : \mathbb{R}^{\text{a}} \to \mathbb{R}^{\text{b}}, \quad X \mapsto 2X"
    assert found(display) == [("error", "result-shape")]


# ------------------------------------------------------------------------------------- dY/dX

LOSS = DECLARED + r"$$ L = \sum_{\text{a}} X^2 $$ $$ G = %s $$"


@pytest.mark.parametrize(
    "derivative", [r"\frac{dL}{dX}", r"\frac{\mathrm{d}L}{\mathrm{d}X}", r"\frac{d}{dX} L"]
)
def test_a_derivative_in_d_is_computed_where_a_formula_makes_the_one_of_the_other(derivative):
    same(called(LOSS % derivative, "G", {"X": nt.tensor(TWO, "a")}), 2 * TWO, "a")


def test_a_derivative_of_data_by_data_is_not_zero_but_refused():
    text = DECLARED + r"$$ G = \frac{dX}{d\eta} $$"
    document = read(text)
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "not-notation")
    formula = document["G"]
    given = {"X": nt.tensor(TWO, "a"), "eta": nt.tensor(2.0)}
    with pytest.raises(LatexError, match="no formula makes X of it"):
        formula(**{p.name: given[p.name] for p in formula.signature.parameters})


def test_quotients_of_a_letter_d_are_quotients():
    text = r"""$X \in \mathbb{R}^{\text{a}:d}$, $d_1 \in \mathbb{R}$
    $$ Y = \frac{d X}{2} \qquad Z = \frac{d}{d_1} X $$"""
    given = {"X": nt.tensor(TWO, "a"), "d_1": nt.tensor(4.0)}
    same(called(text, "Y", given), TWO, "a")
    same(called(text, "Z", given), TWO / 2, "a")


# ------------------------------------------------------------------------------------- \dot Y


@pytest.mark.parametrize("display", [r"\dot Y = X", r"\dot{Y} = 2X + 1", r"\ddot{Y} = X"])
def test_a_dotted_letter_of_other_axes_is_said(display):
    (note,) = read(DECLARED + f"$$ {display} $$").check()
    assert (note.severity, note.code) == ("note", "meaning")
    assert "is a letter of its own: against Y it has a too and lacks b" in note.message


@pytest.mark.parametrize(
    "display",
    [r"\dot X = X'", r"\hat Y = X", r"\dot Z = X", r"\dot X = 0", r"\dot X = \sum_{\text{a}} X"],
)
def test_other_letters_in_accents_are_what_they_are_set_to(display):
    assert found(display) == []


def test_an_initial_value_is_no_product_with_zero():
    text = r"$h \in \mathbb{R}^{\text{time}, \text{hid}}$, $v \in \mathbb{R}^{\text{hid}}$ $$ h(0) = v $$"
    (note,) = read(text).check()
    assert note.severity == "note"


@pytest.mark.parametrize("start", [r"X_{\text{a}(0)} = 0", r"X_{\name{a}(0)} = \eta"])
def test_what_stands_before_the_first_element_is_no_fault(start):
    assert found(start) == []


def test_an_operand_that_code_may_introduce_is_passed():
    assert found(r"W \underset{\text{a}}{\cdot} u = \sum_{\text{a}} W \odot u") == []


OUTLINE = (
    r"Let $t, F \in \mathbb{R}^{\text{seq}}$. "
    r"$$h = \text{Window} \odot (\text{Net} \circ \text{Encoding})$$ "
)


def test_an_outline_in_words_says_nothing_of_what_a_formula_defines():
    document = read(OUTLINE + r"$$h_{\text{seq}(i)} = e^{-i} F_{\text{seq}(i)}$$ $$y = 2 h$$")
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    found = document["y"](F=nt.tensor(np.ones(3), "seq"))
    np.testing.assert_allclose(found.numpy("seq"), 2 * np.exp(-np.arange(1.0, 4)))


def test_words_that_nothing_gives_are_reported_where_nothing_else_defines_the_letter():
    codes = [f.code for f in read(OUTLINE + "$$y = t + h$$").check() if f.severity == "error"]
    assert "undefined" in codes


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"e^{-|x|}", lambda x: np.exp(-np.abs(x))),
        (r"\ln(1 + e^x)", lambda x: np.log1p(np.exp(x))),
        (r"\frac{e^x}{1 + e^{x}}", lambda x: 1 / (1 + np.exp(-x))),
    ],
)
def test_a_formula_may_have_its_tensors_in_exponents_of_e_alone(formula, expected):
    text = rf"Let $x \in \mathbb{{R}}^{{\text{{seq}}}}$. $$y = {formula}$$"
    x = np.array([1.5, -2.0, 0.5])
    same(called(text, "y", {"x": nt.tensor(x, "seq")}), expected(x), "seq")
