r"""Names and products that could be meant in two ways: s (1 + x)^2, p for a size and a tensor, e and \pi."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

NUMBERS = {
    "x": np.array([1.0, 2.0]),
    "y": np.array([3.0, 5.0]),
    "t": np.array([0.5, 0.25]),
    "e": np.array([0.3, 0.7]),
    "s": 1.3,
    "b": 3.0,
}


def run(text: str, name: str) -> np.ndarray:
    formula = read(text)[name]
    given = {p.name: NUMBERS[p.name] for p in formula.signature.parameters}
    given = {n: tensor(v, "a") if isinstance(v, np.ndarray) else v for n, v in given.items()}
    found = formula(**given)
    return found.numpy(*found.axes)


def said(text: str) -> list[tuple[str, str]]:
    return [(f.severity, f.code) for f in read(text).check()]


FACTORS = {
    "s": "s",
    "t": "t",
    "2 s": "2 * s",
    "s t": "s * t",
    "s^2": "s**2",
    r"\frac{s}{2}": "s / 2",
    "(1+s)": "(1 + s)",
    "s(1+t)": "s * (1 + t)",
    "-s": "-s",
    r"t_{\text{a}(1)}": "t[0]",
    r"s \,": "s",
}
BRACKETS = {
    "(1+x)^2": "(1 + x)**2",
    r"\left(1+x\right)^2": "(1 + x)**2",
    "(1+x)^{-1}": "(1 + x)**-1",
    "(x-y)": "(x - y)",
    "(1+x)^2 (1+y)^3": "(1 + x)**2 * (1 + y)**3",
    "(1+x)(1+y)^2": "(1 + x) * (1 + y)**2",
    "(1+x)^2/(1+y)": "(1 + x)**2 / (1 + y)",
    "(1+x)^s": "(1 + x)**s",
    r"(x+y)_{\text{a}(1)}": "(x + y)[0]",
    r"(x+y)_{\text{a}(2)}^2": "(x + y)[1]**2",
    r"(1+x)^2_{\text{a}(1)}": "(1 + x[0])**2",
}


@pytest.mark.parametrize("brackets", BRACKETS)
@pytest.mark.parametrize("factor", FACTORS)
def test_what_stands_behind_brackets_is_theirs_alone(factor, brackets):
    """s (1 + x)^2 was the square of the product, without a word."""
    head = r"Let $x, y, t \in \mathbb{R}^{\text{a}}$ and $s \in \mathbb{R}$. "
    text = head + f"$$k(x, y, s, t) = {factor} {brackets}$$"
    assert said(text) == []
    expected = eval(f"({FACTORS[factor]}) * ({BRACKETS[brackets]})", {}, NUMBERS)
    assert np.allclose(run(text, "k"), expected)


def test_functions_keep_their_powers():
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. $$f(x) = 1 + x, \qquad k = f(x)^2 + \sin(x)^2$$"
    assert np.allclose(run(text, "k"), (1 + NUMBERS["x"]) ** 2 + np.sin(NUMBERS["x"]) ** 2)


SOFTMAX = r"\underset{\text{a}}{\mathrm{softmax}}\, "
SOFT = np.exp(NUMBERS["x"]) / np.exp(NUMBERS["x"]).sum()
X, Y, E = NUMBERS["x"], NUMBERS["y"], NUMBERS["e"]
T = np.exp(-np.tanh(X))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (rf"$$\mathbf{{e}} = {SOFTMAX} x$$ $$z = \sum_{{\text{{a}}}} \mathbf{{e}} \odot x$$", "z", SOFT @ X),
        (rf"$$e = {SOFTMAX} x$$ $$z = \sum_{{\text{{a}}}} e \odot x$$", "z", SOFT @ X),
        (r"The error is $e = y - x$. Then $$z = \sum_{\text{a}} e^2$$", "z", ((Y - X) ** 2).sum()),
        (rf"$$\pi = {SOFTMAX} x$$ $$z = \sum_{{\text{{a}}}} \pi \log \pi$$", "z", SOFT @ np.log(SOFT)),
        (r"$$z = \frac{e^{x}}{\sum_{\text{a}} e^{x}}$$", "z", SOFT),
        (r"$$z = \sum_{\text{a}} 2 \pi x$$", "z", 2 * np.pi * X.sum()),
        (r"$$u_t = x_{\text{a}(t)} - x_{\text{a}(1)}, \qquad z_t = u_t^2 + 1$$", "z", (X - X[0]) ** 2 + 1),
    ],
)  # fmt: skip
def test_constants_are_letters_where_a_section_defines_them(text, name, expected):
    text = r"Let $x, y \in \mathbb{R}^{\text{a}}$. " + text
    assert said(text) == []
    assert np.allclose(run(text, name), expected)


def test_a_constant_of_another_section_is_the_constant():
    text = (
        "# One\nLet $x \\in \\mathbb{R}^{\\text{a}}$. $$e = 2 x$$\n"
        "# Two\nLet $x \\in \\mathbb{R}^{\\text{a}}$. $$z = \\sum_{\\text{a}} e^{x}$$"
    )
    assert np.allclose(run(text, "z"), np.exp(X).sum())


def test_an_e_of_another_section_is_no_number_where_nothing_is_raised():
    text = (
        "# One\nLet $x, y \\in \\mathbb{R}^{\\text{a}}$. $$\\mathbf{e} = y - x$$\n"
        "# Two\nThe loss is $$z = \\sum_{\\text{a}} \\mathbf{e}_{\\text{a}(1)} \\mathbf{e}$$"
    )
    assert said(text) == []
    assert np.allclose(run(text, "z"), (Y - X)[0] * (Y - X).sum())


def test_exponentials_beside_an_e_are_noted():
    text = r"Let $x, e \in \mathbb{R}^{\text{a}}$. $$z = \sum_{\text{a}} e \odot e^{-x} + e^2$$"
    assert said(text) == [("note", "meaning")] * 2  # and that the sum ends before e^2
    assert np.allclose(run(text, "z"), (E * np.exp(-X)).sum() + E**2)
    weights = r"Let $x, \pi \in \mathbb{R}^{\text{a}}$. $$z = \sum_{\text{a}} \pi \log (2 \pi x)$$"
    assert said(weights) == [("note", "meaning")]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (r"$$n = \sum_{\text{a}} x, \qquad q = \frac{x}{n}$$", "q", X / X.sum()),
        (r"$$n = \tanh(x)$$ The weights are $$w = n \odot (1 - n)$$", "w", np.tanh(X) * (1 - np.tanh(X))),
        (r"$$u = \tanh(x), \qquad n = 1 - e^{-u}, \qquad w = n \odot (1 - n)$$", "w", T * (1 - T)),
        (r"$$n = \sqrt{\sum_{\text{a}} x^2}$$ $$u = x / n$$", "u", X / np.sqrt((X**2).sum())),
    ],
)  # fmt: skip
def test_a_size_that_is_defined_again_is_what_is_defined(text, name, expected):
    text = r"Let $x \in \mathbb{R}^{\text{a}:n}$. " + text
    assert said(text) == [("warning", "meaning")]
    assert np.allclose(run(text, name), expected)


def test_sizes_stay_sizes():
    text = (
        "# One\nLet $x \\in \\mathbb{R}^{\\text{a}:d}$. $$m = \\frac{1}{d} \\sum_{\\text{a}} x$$\n"
        "# Two\nLet $y \\in \\mathbb{R}^{\\text{b}}$. $$d = \\sum_{\\text{b}} y$$"
    )
    assert [p.name for p in read(text)["m"].signature.parameters] == ["x"]
    named = (
        r"Let $x \in \mathbb{R}^{\text{a}:k}$. $$k(x) = \sum_{\text{a}} x, \qquad u = k(x) / k$$"
    )
    assert said(named) == []
    assert np.allclose(run(named, "u"), X.sum() / 2)


def test_a_tensor_before_one_name_in_brackets_is_a_product_and_warned_of():
    text = r"Let $x, y \in \mathbb{R}^{\text{a}}$. $$t = \tanh(x)$$ Then $$g(y) = y - t(y)$$"
    assert said(text) == [("warning", "meaning")]
    (finding,) = read(text).check()
    assert "t is no function: t(y) is the product of t and y" in finding.message


def test_a_number_of_its_section_comes_before_what_another_section_defines():
    text = (
        "# One\nLet $x \\in \\mathbb{R}^{\\text{a}}$ and let $b > 1$. $$k = x / (b - 1)$$\n"
        "# Two\nLet $b = -4.7$, $y \\in \\mathbb{R}^{\\text{a}}$ we have $$z = b y + \\sum_{\\text{a}} y.$$"
    )
    assert said(text) == []
    assert np.allclose(run(text, "k"), X / 2)
    assert np.allclose(run(text, "z"), -4.7 * Y + Y.sum())
    open_ = text.replace("let $b > 1$", "let b be so")
    assert said(open_) == [("note", "undeclared")]


def test_an_argument_has_the_axes_that_the_functions_take_which_it_is_given_to():
    text = (
        r"Let $x, s \in \mathbb{R}^{\text{a}}$. $$t(x) = \tanh(x \odot s), \qquad g(y) = y - t(y)$$"
    )
    assert said(text) == []


PRIOR = r"Let $x \in \mathbb{R}^{\text{a}}$." "\n\n## One\n\n" rf"The prior is $\pi = {SOFTMAX} x$."


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (r"\sum_{\text{a}} x \log \pi", X @ np.log(SOFT)),
        (r"\sum_{\text{a}} \log (2 \pi x)", np.log(2 * np.pi * X).sum()),
        (r"\sum_{\text{a}} \sqrt{\pi x}", np.sqrt(np.pi * X).sum()),
        (r"\sum_{\text{a}} \frac{\pi}{x}", (np.pi / X).sum()),
    ],
)
def test_a_pi_of_another_section_is_taken_where_nothing_shows_the_number(body, expected):
    """log π of the class priors was log 3.14, without a word."""
    text = PRIOR + f"\n\n## Two\n\n$$z = {body}$$"
    assert np.allclose(run(text, "z"), expected)
    (noted,) = [f.message for f in read(text).check() if "3.14159" in f.message] or [""]
    assert noted.startswith(r"\pi is the \pi of line 5") == (r"\log \pi" in body)


def test_a_power_of_e_is_multiplied_with_the_brackets_behind_it():
    head = r"Let $x, y \in \mathbb{R}^{\text{a}}$. "
    text = head + r"$$z = \sum_{\text{a}} e^{-x} (1 + y) + 2 e^{x_{\text{a}(1)}} (3)$$"
    assert [f for f in said(text) if f[0] != "note"] == []
    assert np.allclose(run(text, "z"), (np.exp(-X) * (1 + Y)).sum() + 6 * np.exp(X[0]))


def test_a_letter_of_one_section_is_no_index_of_another():
    text = (
        "Let $x \\in \\mathbb{R}^{\\text{a}:n}$.\n\n# One\n\n$$t = \\sum_{\\text{a}} x$$\n\n# Two\n\n"
        "It ends at $z_n = x_{\\text{a}(n)}$ and "
        "$$z_t = x_{\\text{a}(t)} + z_{t+1}, \\quad t = 1, \\ldots, n-1$$"
    )
    assert np.allclose(run(text, "z"), np.cumsum(X[::-1])[::-1])


def test_a_number_that_a_body_gives_beside_what_has_axes_brings_it_none():
    text = (
        r"Let $B \in \mathbb{R}^{\text{a}, \text{b}}$ and $x \in \mathbb{R}^{\text{b}}$. "
        r"$$f(s) = e^{-s} B \underset{\text{b}}{\cdot} x$$"
    )
    assert repr(read(text)["f"]) == "f(s: R; B: R[a, b], x: R[b]) -> R[a]"


def test_a_series_is_asked_for_by_its_letter():
    text = r"Let $x \in \mathbb{R}^{\text{a}:n}$. $$\omega_k = \sum_{i=1}^k x_{\text{a}(i)}$$"
    assert np.allclose(run(text, r"\omega"), np.cumsum(X))


def test_ones_stand_beside_indicators():
    head = r"Let $x \in \mathbb{R}^{\text{a}}$. "
    text = head + r"$$z = \mathbf{1}_{\text{a}} + x$$ $$u = \sum_{\text{a}} \mathbb{1}[x > 1]$$"
    assert np.allclose(run(text, "z"), 1 + X)
    assert np.allclose(run(text, "u"), (X > 1).sum())


def test_a_tensor_counts_no_members():
    text = (
        r"Let $c, E \in \mathbb{R}^{\text{a}}$. Euler's method is $c^{i+1} = c^i + 2 c^i$. "
        r"$$v(c) = \sum_{\text{a}} c^{E}$$"
    )
    found = read(text)["v"](tensor(X, "a"), E=tensor(Y, "a"))
    assert np.allclose(found.numpy(), (X**Y).sum())


def test_members_may_be_squared_in_a_sum():
    text = (
        r"Let $x \in \mathbb{R}^{\text{a}:n}$. "
        r"$$g_k = \sum_{s=1}^{n} x_{\text{a}(s)}^k, \quad k = 0, \ldots, K$$ "
        r"and $r_k = g_k / g_0$. $$Q = \sum_{k=1}^K r_k^2$$"
    )
    found = read(text).bind(K=3)["Q"](tensor(X, "a"))
    assert np.allclose(found.numpy(), sum(((X**k).sum() / 2) ** 2 for k in (1, 2, 3)))


def test_what_prose_defines_behind_a_recurrence_is_no_piece_of_it():
    text = (
        r"Let $x \in \mathbb{R}^{\text{a}:n}$. "
        r"$$y_{\text{a}(1)} = x_{\text{a}(1)} \\ y_{\text{a}(t)} = 2 y_{\text{a}(t-1)} + x_{\text{a}(t)}, "
        r"\quad t = 2, \ldots, n,$$ and $\log Z = \log y_{\text{a}(n)}$."
    )
    assert np.allclose(run(text, r"\log Z"), np.log(2 * X[0] + X[1]))


@pytest.mark.parametrize("body", ["x^2 (x > 0)", r"\log x \ (x \ge 1)", r"2 + t x (0 < x < 2)"])
def test_a_condition_in_brackets_at_the_end_may_be_a_factor_or_what_a_formula_is_for(body):
    text = rf"Let $x, t \in \mathbb{{R}}^{{\text{{a}}}}$. $$f(x) = {body}$$"
    (found,) = read(text).check()
    assert found.severity == "note"
    assert "is a product" in found.message
    start, condition = body[:-1].rsplit("(", 1)
    assert f"write [{condition}] to say so" in found.hint
    for clear in (f"[{condition}]", rf"\text{{for }} {condition}"):
        assert read(text.replace(body, start + clear)).check() == []


def test_a_condition_is_a_factor_in_the_midst_of_a_formula():
    text = r"Let $x \in \mathbb{R}^{\text{a}}$. $$f(x) = (x > 1) x + \mathbf{1}(x > 2)$$"
    assert said(text) == []
    np.testing.assert_allclose(run(text, "f"), [0, 2])


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"y = \log(1 + e^h)", lambda e, h: np.log1p(np.exp(h))),
        (r"y = f(h), \quad f(x) = \frac{e^x - e^{-x}}{e^x + e^{-x}}", lambda e, h: np.tanh(h)),
        (r"y = e^2 h", lambda e, h: e**2 * h),
        (r"y = e \odot e^{2h}", lambda e, h: e * np.exp(2 * h)),
    ],
)
def test_a_power_of_e_is_exp_beside_a_tensor_e(formula, expected):
    document = read(rf"Let $e, h \in \mathbb{{R}}^{{\text{{cell}}}}$. $${formula}$$")
    e, h = np.array([1.0, 2.0]), np.array([0.5, 3.0])
    given = {"e": tensor(e, "cell"), "h": tensor(h, "cell")}
    taken = [p.name for p in document["y"].signature.parameters]
    found = document["y"](**{name: given[name] for name in taken})
    np.testing.assert_allclose(found.numpy("cell"), expected(e, h))


def test_a_choice_that_asks_each_element_of_two_arguments_is_noted():
    text = r"""For $x, z \in \mathbb{R}^{\text{emb}:4}$ let
\[ k(x, z) = \begin{cases} 2 & x \ne z \\ 1 & x = z \end{cases} \]
"""
    (note,) = read(text).check()
    assert (note.severity, note.line) == ("note", 2)
    assert note.message == r"x \ne z is asked of each element along emb"
    whole = text.replace(r"2 & x \ne z \\ 1 & x = z", r"1 & \sum_{\text{emb}} [x \ne z] = 0 \\ 2 &")
    assert read(whole).check() == []
    given = [tensor(v, "emb") for v in ([1.0, 2, 3, 4], [1.0, 2, 3, 5])]
    assert read(whole)["k"](*given).item() == 2
    assert read(whole)["k"](given[0], given[0]).item() == 1
