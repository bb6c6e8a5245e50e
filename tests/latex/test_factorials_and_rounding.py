r"""`n!`, `\binom{n}{k}` and `\lfloor x \rceil` are read as numbers."""

from math import comb, factorial, gamma

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

from .calling import called, same

X = np.array([-2.5, -0.5, 0.5, 1.5, 2.4, 2.6])
COUNTS = np.array([0, 1, 2, 5])
PLAIN = r"Let $X \in \mathbb{R}^{\text{pos}}$ and $c \in \mathbb{N}^{\text{obs}}$. "
STYLE = (
    r"\ndef{\pos}{pos}\ndef{\obs}{obs}Let $X \in \mathbb{R}^{\pos}$ and $c \in \mathbb{N}^{\obs}$. "
)


def notes(text: str) -> list[tuple[str, str, str]]:
    return [(f.severity, f.code, f.message) for f in read(text).check()]


# -------------------------------------------------------------------------------- rounding


@pytest.mark.parametrize("declared", [PLAIN, STYLE])
@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (r"\lfloor X \rceil", np.round(X)),
        (r"\left\lfloor X \right\rceil", np.round(X)),
        (r"\lceil X \rfloor", np.round(X)),
        (r"\lfloor 3 X \rceil", np.round(3 * X)),
        (r"2 \lfloor X \rceil^2", 2 * np.round(X) ** 2),
        (r"\lfloor X / \lfloor 2.5 \rfloor \rceil", np.round(X / 2)),
        (r"X - \lfloor X \rceil + \lceil X \rceil", X - np.round(X) + np.ceil(X)),
    ],
)
def test_a_floor_that_ends_as_a_ceiling_rounds(declared, body, wanted):
    document = read(rf"{declared}$$Q(X) = {body}$$")
    same(document["Q"](tensor(X, "pos")), wanted, "pos")
    (note,) = document.check()
    assert (note.severity, note.code) == ("note", "meaning")
    assert "halves to even" in note.message
    assert "\\lfloor X + \\frac{1}{2} \\rfloor" in note.hint


@pytest.mark.parametrize(
    "body", [r"\lfloor X \rceil", r"\lfloor X + \frac{1}{2} \rfloor", r"\text{round}(X)"]
)
def test_the_hint_of_rounding_works(body):
    found = read(rf"{PLAIN}$$Q(X) = {body}$$")["Q"](tensor(X + 0.2, "pos"))
    same(found, np.round(X + 0.2), "pos")


@pytest.mark.parametrize("body", [r"\lfloor X ]", r"( X \rceil", r"\lceil X ) ", r"\lfloor X"])
def test_other_brackets_that_do_not_match_are_not_read(body):
    (note,) = read(rf"{PLAIN}$$Q(X) = {body}$$").check()
    assert "set aside: cannot be read" in note.message


# ------------------------------------------------------------------------------- factorials


@pytest.mark.parametrize("declared", [PLAIN, STYLE])
@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("n! X", 24 * X),
        ("n!X", 24 * X),
        ("X / n!", X / 24),
        (r"\frac{X}{(n + 1)!}", X / 120),
        ("2n! X", 48 * X),
        ("n!^2 X", 576 * X),
        ("(n - 1)! n! X", 144 * X),
        ("3! X + 0!", 6 * X + 1),
        (r"\binom{n}{2} X", 6 * X),
        (r"\dbinom{n + 1}{2}^2 X", 100 * X),
        (r"\binom{n}{7} X", 0 * X),
    ],
)
def test_factorials_and_binomials_of_numbers(declared, body, wanted):
    text = rf"{declared}Let $n \in \mathbb{{N}}$. $$g(X, n) = {body}$$"
    same(called(text, "g", {"X": tensor(X, "pos"), "n": 4}), wanted, "pos")


def test_factorials_of_an_index():
    text = r"""Let $Y \in \mathbb{R}^{\text{term}:n}$.
    $$ c_{\text{term}(i)} = \frac{Y_{\text{term}(i)}}{i!} $$"""
    found = called(text, "c", {"Y": tensor(np.ones(5), "term")})
    same(found, [1 / factorial(i) for i in range(1, 6)], "term")


def test_binomials_of_an_index():
    text = r"""Let $Y \in \mathbb{R}^{\text{term}:n}$.
    $$ b_{\text{term}(i)} = \binom{5}{i} Y_{\text{term}(i)} $$"""
    found = called(text, "b", {"Y": tensor(np.ones(5), "term")})
    same(found, [comb(5, i) for i in range(1, 6)], "term")


@pytest.mark.parametrize("declared", [PLAIN, STYLE])
def test_the_density_of_counts(declared):
    text = rf"{declared}$$p(c; \lambda) = \frac{{\lambda^{{c}} \exp(-\lambda)}}{{c!}}$$ with $\lambda > 0$."
    found = read(text)["p"](tensor(COUNTS, "obs"), lambda_=1.5)
    same(found, [1.5**k * np.exp(-1.5) / factorial(k) for k in COUNTS], "obs")


@pytest.mark.parametrize(
    ("n", "k", "wanted"), [(0.5, 2.0, -1 / 8), (3.5, 1.0, 3.5), (2.0, 3.0, 0.0)]
)
def test_binomials_of_reals_have_their_sign(n, k, wanted):
    text = r"Let $n, k \in \mathbb{R}^{\text{one}}$. $$b(n, k) = \binom{n}{k}$$"
    found = read(text)["b"](tensor([n], "one"), tensor([k], "one"))
    same(found, [wanted], "one")


def test_the_factorial_of_reals_is_the_gamma_function_of_one_more():
    found = read(rf"{PLAIN}$$g(X) = X!$$")["g"](tensor(X, "pos"))
    same(found, [gamma(x + 1) for x in X], "pos")


def test_a_word_of_the_document_is_no_factorial():
    """What the document defines is not what the sign means."""
    text = rf"{PLAIN}$$\text{{factorial}}(X) = 2 X \\ g(X) = X! + \text{{factorial}}(X)$$"
    found = read(text)["g"](tensor(X, "pos"))
    same(found, [gamma(x + 1) + 2 * x for x in X], "pos")


@pytest.mark.parametrize(
    ("body", "hint"), [("n!! X", "n!"), ("n!X!!", "n!"), ("X + (n != 2)", r"\neq")]
)
def test_signs_that_mean_other_things_are_refused_in_words(body, hint):
    (note,) = read(rf"{PLAIN}Let $n \in \mathbb{{N}}$. $$g(X, n) = {body}$$").check()
    assert note.message.startswith("set aside: cannot be read: ")
    assert hint in note.hint


def test_what_is_read_is_printed_and_written_as_python():
    text = (
        rf"{PLAIN}Let $n \in \mathbb{{N}}$. $$g(X, n) = \lfloor X \rceil + \binom{{n}}{{2}} + n!$$"
    )
    document = read(text)
    for dialect in ("underset", "macros", "ndef"):
        again = read(document.latex(dialect))
        same(again["g"](tensor(X, "pos"), 4), np.round(X) + 6 + 24, "pos")
    space: dict[str, object] = {}
    exec(document.python(), space)
    same(space["g"](tensor(X, "pos"), 4), np.round(X) + 6 + 24, "pos")
