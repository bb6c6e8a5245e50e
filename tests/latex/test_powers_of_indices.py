"""Powers whose exponent is an index that goes below 0 are those of reals; others stay as they are."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

k = axes("k")
X = np.array([1.0, 2.0, 3.0, 4.0])
PLACES = np.arange(1.0, 5.0)

SHAPES = [
    r"X \in \mathbb{R}^{\text{k}:n}",
    r"\ndef{\kay}{k} X \in \mathbb{R}^{\kay[n]}",
]
EXPONENTS = [
    ("-i", -PLACES),
    ("1-i", 1 - PLACES),
    ("i-2", PLACES - 2),
    ("-2 i", -2 * PLACES),
    ("i-n", PLACES - 4),
    ("i-1", PLACES - 1),
    ("i", PLACES),
    ("n-i", 4 - PLACES),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("exponent", "powers"), EXPONENTS)
def test_a_sum_over_an_index_in_an_exponent(shape: str, exponent: str, powers: np.ndarray) -> None:
    text = rf"$${shape} \\ y(X) = \sum_{{i=1}}^{{n}} 2^{{{exponent}}} X_{{\text{{k}}(i)}}$$"
    same(called(text, "y", {"X": nt.tensor(X, "k")}), 2.0**powers @ X)


@pytest.mark.parametrize(("exponent", "powers"), EXPONENTS)
def test_elements_with_an_index_in_an_exponent(exponent: str, powers: np.ndarray) -> None:
    text = rf"$${SHAPES[0]} \\ y(X)_{{\text{{k}}(i)}} = 3^{{{exponent}}} X_{{\text{{k}}(i)}}$$"
    same(called(text, "y", {"X": nt.tensor(X, "k")}), 3.0**powers * X, "k")


def test_a_power_of_the_distance_of_two_indices() -> None:
    text = (
        r"$$A \in \mathbb{R}^{\text{k}:n, \text{k}':n} \\ "
        r"f(A)_{\text{k}(i), \text{k}'(j)} = 2^{j-i} A_{\text{k}(i), \text{k}'(j)}$$"
    )
    A = np.arange(16.0).reshape(4, 4)
    wanted = 2.0 ** (PLACES[None] - PLACES[:, None]) * A
    same(called(text, "f", {"A": nt.tensor(A, "k k'")}), wanted, "k", "k'")


def test_powers_of_an_index_that_stay_above_0_pick_elements() -> None:
    text = (
        r"$$X \in \mathbb{R}^{\text{k}}, Y \in \mathbb{R}^{\text{m}:n} \\ "
        r"y(X, Y)_{\text{m}(i)} = X_{\text{k}(2^{i-1})} Y_{\text{m}(i)}$$"
    )
    given = {"X": nt.tensor(X, "k"), "Y": nt.tensor(np.ones(3), "m")}
    same(called(text, "y", given), X[[0, 1, 3]], "m")


@pytest.mark.parametrize("formula", [r"A^B", r"2^B", r"A^{-2}"])
def test_tensors_of_whole_numbers_to_powers_below_0_are_refused_in_words(formula: str) -> None:
    document = read(rf"$$A, B \in \mathbb{{Z}}^{{\text{{k}}}} \\ f(A, B) = {formula} + 0 A B$$")
    A, B = nt.tensor([1, 2], "k"), nt.tensor([-1, 1], "k")
    with pytest.raises(LatexError, match="a whole number to a power below 0 is no whole number"):
        document["f"](A, B)


@formula
def inverse(A: R[k]) -> R[k]:
    """The inverse of each number, which data says to be whole or not."""
    return A**-1


def test_what_is_printed_of_a_power_of_a_tensor_reads_as_the_same_tree() -> None:
    document = read(inverse.latex("underset"))
    A = nt.tensor([2, 4], "k")
    assert "1.0" not in document.python()
    with pytest.raises(nt.NamedTensorError, match="a whole number to a power below 0"):
        document["inverse"](A)
    same(document["inverse"](nt.tensor([2.0, 4.0], "k")), [0.5, 0.25], "k")
