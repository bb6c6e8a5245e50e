"""Names that look alike are one name, as Python reads them, and what cannot be a name is refused."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import Axis, R, formula

MICRO, MU = "\u00b5", "\u03bc"
ALIKE = [
    (MICRO, MU),
    ("\ufb01t", "fit"),  # a ligature
    ("e\u0301t\u00e9", "\u00e9t\u00e9"),  # an accent of its own
    ("\uff53eq", "seq"),  # a full-width letter
    ("\u017ftart", "start"),  # a long s
]
NAMES_OF_NOTHING = [
    "x\u00b2",
    "a\u00bd",
    "\u2460",
    "a-b",
    "3d",
    "a b'c",
    "\u2019",
    "x\u00b7",
    "x\u2027y",
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_python_reads_as_one_are_one_axis(one, other):
    assert Axis(one) == Axis(other)
    assert Axis(one + "'").name == Axis(other + "'").name
    assert nt.axes(f"{one}[3]") == nt.axes(f"{other}[3]")
    assert nt.tensor([1.0, 2.0], one).size(other) == 2


def test_two_sizes_in_a_formula_are_never_one():
    """Before, the axes of micro sign and mu shared a variable: |m| / |u| was 1 for 6 and 3."""
    m, u = Axis("mu1"), Axis(MU)

    @formula
    def ratio(X: R[m, u]) -> R[m, u]:
        return X * abs(m) / abs(u)

    assert ratio(nt.tensor(np.ones((6, 3)), m, MICRO)).numpy(m, u).max() == 2.0


@pytest.mark.parametrize("name", NAMES_OF_NOTHING)
def test_what_python_takes_for_no_name_is_refused(name):
    with pytest.raises(nt.AxisNameError) as caught:
        Axis(name)
    assert str(caught.value) == (
        f"Axis({name!r}): an axis name is a word that Python takes for a name, then primes, then stars\n"
        'hint: `nt.Axis("seq")`, `nt.Axis("seq\'")` or `nt.axes("seq emb")`'
    )
    with pytest.raises(nt.AxisNameError):
        nt.tensor([1.0], name)
    with pytest.raises(nt.AxisNameError):
        nt.sizes(name)


def test_names_of_sizes_that_look_alike_are_one_name():
    assert nt.sizes(MICRO) == nt.sizes(MU)


@pytest.mark.parametrize(
    "name",
    [
        "if",
        "None",
        "X",
        "sum",
        "numpy",
        "\u03bc",
        "\u5217",
        "_",
        "self",
        "\u0939\u093f\u0928\u094d\u0926\u0940",
    ],
)
def test_words_of_python_and_of_all_scripts_are_names(name):
    ax = Axis(name)

    @formula
    def scaled(X: R[ax]) -> R[ax]:
        return X * abs(ax) - nt.sum[ax](X)

    assert scaled(nt.tensor([1.0, 2.0, 3.0], ax)).numpy(ax).tolist() == [-3.0, 0.0, 3.0]
