r"""d_{\text{row}, \text{col}} = ... says what axes d has."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import same

z, E = np.arange(6.0).reshape(3, 2), np.arange(8.0).reshape(4, 2) ** 1.3
GIVEN = {"z": tensor(z, "pos", "dim"), "E": tensor(E, "code", "dim")}
HEAD = r"""Let $z \in \mathbb{R}^{\text{pos}:N, \text{dim}:D}$ and
$E \in \mathbb{R}^{\text{code}:K, \text{dim}:D}$.
$$d_{\text{pos}, \text{code}} = \sum_{\text{dim}} (z - E)^2$$
"""
d = ((z[:, None] - E) ** 2).sum(2)


def faults(text):
    return [f for f in read(text).check() if f.severity != "note"]


@pytest.mark.parametrize(
    ("formula", "wanted", "axes"),
    [
        (r"Y = 2 d", 2 * d, "pos code"),
        (r"Y = \underset{\text{code}}{\text{softmax}}\, (-d)", None, "pos code"),
        (r"Y = \sum_{\text{pos}} d_{\text{pos}, \text{code}} + 0 d", d.sum(0) + 0 * d, "pos code"),
        (r"Y_{\text{pos}(n)} = \sum_{k=1}^K d_{\text{pos}(n), \text{code}(k)}", d.sum(1), "pos"),
    ],
)
def test_what_is_defined_with_its_axes_is_known_by_its_letter(formula, wanted, axes):
    if wanted is None:
        wanted = np.exp(-d) / np.exp(-d).sum(1, keepdims=True)
    text = f"{HEAD}$${formula}$$"
    assert faults(text) == []
    same(read(text)["Y"](**GIVEN), wanted, *axes.split())
    same(read(text)["d"](**GIVEN), d, "pos", "code")


@pytest.mark.parametrize(
    "wrong",
    [
        HEAD.replace(r"\sum_{\text{dim}}", r"\sum_{\text{code}}"),
        HEAD.replace(r"\text{pos}, \text{code}}", r"\text{pos}, \text{dim}}"),
        HEAD + r"$$Y = \underset{\text{dim}}{\text{softmax}}\, d$$",
    ],
)
def test_the_axes_below_are_held_to_what_defines_it(wrong):
    assert faults(wrong + "$$Z = 2 d$$")


@pytest.mark.parametrize(
    "other",
    [
        r"$$d_{\text{code}, \text{dim}} = 2 E$$",  # two tensors of one letter
        r"$$d = \sum_{\text{pos}, \text{dim}} z$$",  # a letter of its own
    ],
)
def test_a_letter_with_other_meanings_keeps_its_marks(other):
    document = read(f"{HEAD}{other}")
    same(document[r"d_{\text{pos}, \text{code}}"](**GIVEN), d, "pos", "code")


def test_a_name_that_lists_what_it_is_between_keeps_its_marks():
    text = HEAD.replace(r"\sum_{\text{dim}}", r"\sum_{\text{pos}, \text{code}, \text{dim}}")
    document = read(text + r"$$\mathcal{M} = 2 d_{\text{pos}, \text{code}}$$")
    assert [f for f in document.check() if f.severity != "note"] == []
    same(document[r"\mathcal{M}"](**GIVEN), np.asarray(2 * d.sum()))
