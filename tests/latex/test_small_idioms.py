"""Small idioms of mathematics: powers below 0 of whole numbers, and norms that name no axes."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.errors import KindError
from namedtensor.latex import read
from tests.latex.calling import called, same

X = np.array([1.0, 2.0, 3.0, 4.0])
HALVES = 2.0 ** -np.arange(1, 5)


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        (r"y(X) = \sum_{i=1}^{n} 2^{-i} X_{\text{k}(i)}", HALVES @ X),
        (r"y(X) = \sum_{i=1}^{n} 2^{1-i} X_{\text{k}(i)}", 2 * HALVES @ X),
        (r"y(X) = \sum_{i=1}^{n} 2^{i-2} X_{\text{k}(i)}", (2.0 ** np.arange(-1, 3)) @ X),
        (r"y(X) = \sum_{i=1}^{n} i^{-2} X_{\text{k}(i)}", (1 / np.arange(1.0, 5) ** 2) @ X),
        (r"y(X) = \sum_{i=1}^{n} 2^{i} X_{\text{k}(i)}", (2.0 ** np.arange(1, 5)) @ X),
    ],
)
def test_a_whole_number_to_a_negative_index_is_the_real_power(formula: str, wanted: float) -> None:
    text = rf"$$X \in \mathbb{{R}}^{{\text{{k}}:n}} \\ {formula}$$"
    same(called(text, "y", {"X": nt.tensor(X, "k")}), wanted)


def test_whole_numbers_to_powers_of_whole_numbers_are_the_real_powers() -> None:
    text = r"$$A, B \in \mathbb{Z}^{\text{k}} \\ f(A, B) = A^B$$"
    A, B = np.array([1, 2, 3, 4]), np.array([-1, -2, 0, 1])
    found = called(text, "f", {"A": nt.tensor(A, "k"), "B": nt.tensor(B, "k")})
    same(found, A.astype(float) ** B, "k")


@pytest.mark.parametrize(
    ("write", "hint"),
    [
        (lambda X, Y: X**Y, '`X.to("float64") ** Y`'),
        (lambda X, Y: X**-1, '`X.to("float64") ** -1`'),
        (lambda X, Y: 2**Y, "`2.0 ** Y`"),
    ],
)
def test_a_negative_power_of_whole_numbers_is_refused_in_python(write, hint) -> None:
    X, Y = nt.tensor([1, 2], "k"), nt.tensor([-1, 1], "k")
    with pytest.raises(KindError, match="to a power below 0 is no whole number") as found:
        write(X, Y)
    assert hint in str(found.value)


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        (r"f(x, y) = \|x\| + y_{\text{k}(1)}", 30.0**0.5 + 1),
        (r"f(x, y) = \|x - y\|^2", 14.0),
        (r"f(x, y) = \frac{\|x\|}{\|y\|}", (30.0 / 12) ** 0.5),
    ],
)
def test_a_norm_of_one_axis_is_over_it_and_a_note_says_so(formula: str, wanted: float) -> None:
    document = read(rf"$$x, y \in \mathbb{{R}}^{{\text{{k}}}} \\ {formula}$$")
    assert {(f.severity, f.code) for f in document.check()} == {("note", "no-axis")}
    assert all("it is over k" in f.message for f in document.check())
    y = np.array([1.0, 3.0, 1.0, 1.0])
    found = document["f"](nt.tensor(X, "k"), nt.tensor(y, "k"))
    same(found, wanted)


def test_a_norm_of_two_axes_is_refused() -> None:
    document = read(r"$$x \in \mathbb{R}^{\text{k}, \text{m}} \\ f(x) = \|x\|$$")
    assert [(f.severity, f.code) for f in document.check()] == [("error", "no-axis")]
