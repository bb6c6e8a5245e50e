"""Members that are listed by the first and the last, x_1, ..., x_n, and members that are indices."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

rng = np.random.default_rng(0)
x = rng.normal(size=(4, 3))
E, O = rng.normal(size=(5, 3)), rng.normal(size=(3, 5))
w = np.array([0, 3, 1, 2])
TABLES = r"""$E \in \mathbb{R}^{\text{vocab} \times \text{in}}$,
$O \in \mathbb{R}^{\text{in} \times \text{vocab}}$. """


def run(text, name, **given):
    document = read(text)
    assert [str(f) for f in document.check() if f.severity != "note"] == []
    found = document[name](**given)
    return found.numpy(*found.axes)


@pytest.mark.parametrize(
    "said",
    [
        r"Let $x_1, \dots, x_n \in \mathbb{R}^{\text{in}}$ be the inputs.",
        r"Let $x_1, x_2, \ldots, x_n \in \mathbb{R}^{\text{in}}$ be the inputs.",
        r"We are given vectors $x_1, \dots, x_n$, where each $x_i \in \mathbb{R}^{\text{in}}$.",
        r"A set $\{x_1, \dots, x_n\}$ of points $x_i \in \mathbb{R}^{\text{in}}$ is given.",
        r"Given is the sequence $(x_1, \ldots, x_n)$ with $x_i \in \mathbb{R}^{\text{in}}$.",
        r"Given data $\{x_i\}_{i=1}^n$ with $x_i \in \mathbb{R}^{\text{in}}$, we take the mean.",
        r"Let $x_i \in \mathbb{R}^{\text{in}}$. There are $n$ of them, $x_1, \ldots, x_n$.",
    ],
)
def test_a_list_of_members_is_all_of_them(said):
    text = said + r" $$m = \frac{1}{n} \sum_{i=1}^n x_i$$"
    np.testing.assert_allclose(run(text, "m", x=tensor(x, "i", "in")), x.mean(0))


@pytest.mark.parametrize(
    "pairs",
    [
        r"$\{(x_i, y_i)\}_{i=1}^n$",
        r"$\mathcal{D} = \{(x_i, y_i)\}_{i=1}^n$",
        r"$(x_1, y_1), \dots, (x_n, y_n)$",
    ],
)
def test_pairs_are_members_of_two_letters(pairs):
    text = rf"""Given a training set {pairs} with
    $x_i \in \mathbb{{R}}^{{\text{{in}}}}$ and $y_i \in \mathbb{{R}}$, let
    $$m = \frac{{1}}{{n}} \sum_{{i=1}}^n y_i x_i$$"""
    y = rng.normal(size=4)
    found = run(text, "m", x=tensor(x, "i", "in"), y=tensor(y, "i"))
    np.testing.assert_allclose(found, y @ x / 4)


def test_members_above_a_letter_are_listed_too():
    text = r"Let $x^1, \dots, x^n \in \mathbb{R}^{\text{in}}$. $$m = \frac{1}{n} \sum_{k=1}^n x^k$$"
    np.testing.assert_allclose(run(text, "m", x=tensor(x, "k", "in")), x.mean(0))


def test_a_list_up_to_a_number_names_its_members():
    text = r"Let $x_1, \dots, x_3 \in \mathbb{R}^{\text{in}}$. $$m = x_1 + x_3$$"
    given = {"x_1": tensor(x[0], "in"), "x_3": tensor(x[2], "in")}
    np.testing.assert_allclose(run(text, "m", **given), x[0] + x[2])


@pytest.mark.parametrize(
    "words",
    [
        r"Words $w_t \in [\text{vocab}]$ for $t = 1, \dots, n$.",
        r"A text is $w_1, \dots, w_n$ with $w_t \in [\text{vocab}]$.",
        r"A text is $w_1, w_2, \ldots, w_n \in [\text{vocab}]$.",
    ],
)
@pytest.mark.parametrize(
    ("summed", "wanted"),
    [
        (r"\sum_{t=1}^{n} p_{t, \text{vocab}(w_t)}", [(t, t) for t in range(4)]),
        (r"\sum_{t=1}^{n-1} (p_t)_{\text{vocab}(w_{t+1})}", [(t, t + 1) for t in range(3)]),
        (r"\sum_{t=2}^{n} p_{t, \text{vocab}(w_{t-1})}", [(t, t - 1) for t in range(1, 4)]),
    ],
)
def test_members_that_are_indices_choose_where_they_stand(words, summed, wanted):
    text = (
        TABLES
        + words
        + r"$$x_t = E_{\text{vocab}(w_t)}, \quad p_t = O \underset{\text{in}}{\cdot} x_t$$"
    )
    p = E[w] @ O
    given = {"E": tensor(E, "vocab", "in"), "O": tensor(O, "in", "vocab"), "w": tensor(w, "t")}
    found = run(text + f"$$L = {summed}$$", "L", **given)
    np.testing.assert_allclose(found, sum(p[t, w[s]] for t, s in wanted))


def test_members_that_are_indices_are_read_in_a_recurrence():
    text = (
        TABLES
        + r"""Words $w_1, \dots, w_n \in [\text{vocab}]$. With $h_0 = 0$,
    $$h_t = \tanh(h_{t-1} + E_{\text{vocab}(w_t)}), \quad y = h_n$$"""
    )
    h = np.zeros(3)
    for word in w:
        h = np.tanh(h + E[word])
    found = run(text, "y", E=tensor(E, "vocab", "in"), w=tensor(w, "t"))
    np.testing.assert_allclose(found, h)


@pytest.mark.parametrize("scales", [r"\sigma_k > 0", r"\sigma_k \in \mathbb{R}", r"\sigma_k \ge 1"])
def test_members_that_are_only_said_to_be_positive_are_all_of_them(scales):
    text = rf"""Components $k = 1, \dots, K$ have means $\mu_k \in \mathbb{{R}}^{{\text{{in}}}}$
    and scales ${scales}$.
    For $y \in \mathbb{{R}}^{{\text{{in}}}}$,
    $$p(y) = \sum_{{k=1}}^K \frac{{1}}{{\sigma_k}} \sum_{{\text{{in}}}} (y - \mu_k)^2$$"""
    y, sigma = rng.normal(size=3), np.array([1.0, 2.0, 3.0, 4.0])
    given = {"y": tensor(y, "in"), "mu": tensor(x, "k", "in"), "sigma": tensor(sigma, "k")}
    np.testing.assert_allclose(run(text, "p", **given), (((y - x) ** 2).sum(1) / sigma).sum())


@pytest.mark.parametrize(("several", "one"), [("Tasks", "Task"), ("The classes", "the class")])
def test_what_prose_counts_has_the_letter_that_prose_gives_one_of_it(several, one):
    text = rf"""{several} $1, \dots, T$ share $h \in \mathbb{{R}}^{{\text{{in}}}}$, and {one} $t$ has a head
    $v_t \in \mathbb{{R}}^{{\text{{in}}}}$. $$L = \sum_{{t=1}}^T v_t \underset{{\text{{in}}}}{{\cdot}} h$$"""
    found = run(text, "L", h=tensor(E[0], "in"), v=tensor(x, "t", "in"))
    np.testing.assert_allclose(found, (x @ E[0]).sum())


POINTS = r"Points $x_1, \dots, x_n \in \mathbb{R}^{\text{in}}$ are given. "


@pytest.mark.parametrize(
    "said",
    [
        r"$$G_{ij} = x_i \underset{\text{in}}{\cdot} x_j$$",
        r"$$G_{ij} = \sum_{\text{in}} x_i x_j$$",
        r"The matrix is $G_{ij} = x_i \underset{\text{in}}{\cdot} x_j$.",
    ],
)
def test_two_members_are_along_an_axis_and_its_copy(said):
    document = read(POINTS + said)
    assert not document.check()
    found = document["G"](tensor(x, "i", "in")).numpy("i", "i'")
    np.testing.assert_allclose(found, x @ x.T)


def test_a_function_of_the_letter_of_members_takes_a_point_beside_them():
    point = r"For $x \in \mathbb{R}^{\text{in}}$ let "
    text = POINTS + point + r"$$f(x) = \frac{1}{n} \sum_{i=1}^n \exp(-\|x - x_i\|^2)$$"
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["f"](tensor(E[0], "in"), x_=tensor(x, "i", "in")).numpy()
    np.testing.assert_allclose(found, np.exp(-((E[0] - x) ** 2).sum(1)).mean())
