r"""Intervals as the spaces of numbers and tensors: gamma \in (0, 1), p \in [0,1)^{seq}; none hangs."""

import numpy as np
import pytest

import namedtensor as nt

SCALARS = [
    *("(0,1)", "(0, 1)", "[0,1]", "[0,1)", "(0,1]", r"[0, \infty)", r"(0, \infty)", "[-1, 1]"),
    *("(0, 0.5)", "(-1, 2]", r"\mathbb{R}^+", r"\mathbb{R}_{>0}", r"\mathbb{R}_+"),
]


@pytest.mark.parametrize("space", SCALARS)
@pytest.mark.parametrize("sign", ["$", "$$"])
def test_a_number_lies_in_an_interval(space, sign):
    document = nt.latex.read(
        rf"""Rewards $R \in \mathbb{{R}}^{{\text{{state}}}}$, and a discount {sign}\gamma \in {space}{sign}

$$B(V; R, \gamma) = R + \gamma V, \quad V \in \mathbb{{R}}^{{\text{{state}}}}$$

Starting from $V^0 = 0$ we iterate $V^{{k+1}} = B(V^k; R, \gamma)$ and stop with $W = V^3$.
"""
    )
    assert document.check() == []
    R, gamma = nt.tensor([1.0, 2.0], "state"), nt.tensor(np.array(0.5), ())
    found = document["W"](R=R, gamma=gamma)
    np.testing.assert_allclose(found.numpy("state"), [1.75, 3.5])


@pytest.mark.parametrize("space", ["(0,1)", "[0,1)", r"[0, \infty)", r"\{-1, 1\}", "[-2, 2]"])
def test_a_tensor_has_its_numbers_in_an_interval(space):
    document = nt.latex.read(
        rf"$$p \in {space}^{{\text{{seq}}}}$$ $$f(p) = \sum_{{\text{{hid}}}} p$$"
    )
    assert [found.code for found in document.check()] == ["axis-missing"]


@pytest.mark.parametrize("space", ["[1, L]", r"[0, 2 \pi]", r"(0, \pi/2]", "[-a, a]", "[0, T)"])
def test_the_ends_of_an_interval_may_be_letters(space):
    document = nt.latex.read(
        r"Let $X \in \mathbb{R}^{\text{seq}:n}$. $$Y = \exp(-0.3 (l - 1)) X$$ "
        rf"where $l \in {space}$ is chosen."
    )
    assert document.check() == []
    found = document["Y"](X=nt.tensor([1.0, 2.0], "seq"), l=3.0)
    np.testing.assert_allclose(found.numpy("seq"), np.exp(-0.6) * np.array([1.0, 2.0]))


def test_an_interval_of_letters_says_how_far_an_index_runs():
    document = nt.latex.read(
        r"Let $X \in \mathbb{R}^{\text{seq}:n}$. "
        r"$$Y_{\text{seq}(i)} = i X_{\text{seq}(i)}, \quad i \in [1, n]$$"
    )
    assert document.check() == []
    found = document["Y"](X=nt.tensor([1.0, 2.0], "seq"))
    np.testing.assert_allclose(found.numpy("seq"), [1.0, 4.0])


def test_brackets_of_one_letter_are_no_interval():
    document = nt.latex.read(
        r"$I \in [n]^{\text{seq}}$, $x \in \mathbb{R}^{\text{a}:n}$ $$Y = x_{\text{a}(I)}$$"
    )
    assert document.check() == []


def test_a_space_over_a_part_of_an_axis_leaves_open_how_large_it_is():
    document = nt.latex.read(
        r"""\[ \text{Att} \colon \mathbb{R}^{\mathsf{key}} \times
        \mathbb{R}^{\mathsf{seq}(t-b:t) \times \mathsf{key}} \rightarrow \mathbb{R} \]
        \[ \text{Att}(Q_t, K_t) = \sum_{\mathsf{seq}} \exp(Q_t \odot_{\mathsf{key}} K_t) \]
        """
    )
    assert not document.check()
    assert str(document["Att"]) == "Att(Q_t: R[key], K_t: R[seq, key]) -> R"


def test_a_part_of_an_axis_is_no_renaming():
    document = nt.latex.read(
        r"Let $X \in \mathbb{R}^{\mathsf{seq}[4]}$ and $$Y = X_{\mathsf{seq}(1:2) \to \mathsf{sub}}.$$"
    )
    assert [finding.code for finding in document.check()] == ["not-notation"]
    assert "Y" not in document.names


@pytest.mark.parametrize("space", [r"(0,1)", r"[0,1]", r"\{0,1\}"])
def test_a_space_in_the_cell_of_a_table_declares_the_name_in_its_row(space):
    table = rf"""| symbol | space |
|---|---|
| $u$ | ${space}^{{\text{{batch}} \times \text{{class}}}}$ |

$$g = \sum_{{\text{{class}}}} u$$"""
    assert str(nt.latex.read(table, "notes.md")["g"]) == "g(u: R[batch, class]) -> R[batch]"
