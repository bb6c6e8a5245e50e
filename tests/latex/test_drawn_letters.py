r"""What is drawn and declared nowhere has the axes of what it stands beside; no small number is drawn."""

from itertools import pairwise

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.python_calls import python_calls

MU, SIGMA, EPS = np.array([1.0, -2.0]), np.array([0.5, 3.0]), np.array([0.3, -0.7])


def told(document):
    return [(f.severity, f.code) for f in document.check()]


@pytest.mark.parametrize("name", [r"\epsilon", r"\varepsilon", "e", r"\xi", r"\epsilon_\theta"])
@pytest.mark.parametrize("law", [r"\mathcal{N}(0, I)", r"\mathcal N(\mathbf{0}, \mathbf{I})"])
def test_noise_has_the_axes_of_what_it_stands_beside(name, law):
    text = rf"""Let $\mu, s \in \mathbb{{R}}^{{\text{{lat}}}}$. Draw ${name} \sim {law}$ and set
$$ z = \mu + s \odot {name}. $$"""
    document = read(text)
    assert told(document) == [("note", "undeclared")]
    (own,) = {p.name for p in document["z"].signature.parameters} - {"mu", "s"}
    found = document["z"](mu=tensor(MU, "lat"), s=tensor(SIGMA, "lat"), **{own: tensor(EPS, "lat")})
    np.testing.assert_allclose(found.numpy("lat"), MU + SIGMA * EPS)


def test_noise_of_a_batch_has_all_axes_of_the_sum():
    text = r"""Let $m \in \mathbb{R}^{\text{batch} \times \text{lat}}$ and $s \in \mathbb{R}^{\text{lat}}$.
$$ z = m + s \odot \epsilon, \qquad \epsilon \sim \mathcal{N}(0, I) $$"""
    assert "epsilon: R[lat, batch]" in str(read(text)["z"].signature)


def test_a_latent_that_is_contracted_has_the_axes_of_the_contraction():
    text = r"""Let $W \in \mathbb{R}^{\text{lat} \times \text{pix}}$, $z \sim \mathcal{N}(0, I)$ and
$\epsilon \sim \mathcal{N}(0, \sigma^2 I)$.
$$ x = W \underset{\text{lat}}{\odot} z + \epsilon $$"""
    document, W = read(text), np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 4.0]])
    given = {
        "W": tensor(W, "lat", "pix"),
        "z": tensor(EPS, "lat"),
        "epsilon": tensor(np.ones(3), "pix"),
    }
    np.testing.assert_allclose(document["x"](**given).numpy("pix"), EPS @ W + 1)


def test_what_is_drawn_is_no_small_number():
    text = r"""$$ x = f(z) + \epsilon, \qquad \epsilon \sim \mathcal{N}(0, I) $$
Let $z \in \mathbb{R}^{\text{lat}}$ and $f(z) = 2 z$."""
    assert "epsilon: R" in str(read(text)["x"].signature)


def test_what_is_declared_keeps_its_axes():
    text = r"""Let $\mu \in \mathbb{R}^{\text{lat}}$ and
$\epsilon \in \mathbb{R}^{\text{draw} \times \text{lat}}$,
$\epsilon \sim \mathcal{N}(0, I)$: $$ z = \mu + \epsilon $$"""
    document = read(text)
    assert told(document) == []
    assert "epsilon: R[draw, lat]" in str(document["z"].signature)


@pytest.mark.parametrize("order", [1, -1])
def test_a_formula_without_the_letter_gives_it_no_axes(order):
    formulas = [r"$$ z = \mu + \epsilon $$", r"$$ y = a + b $$"][::order]
    text = r"""Let $\mu \in \mathbb{R}^{\text{lat}}$, $a, b \in \mathbb{R}^{\text{pix}}$ and
$\epsilon \sim \mathcal{N}(0, I)$. """ + "\n".join(formulas)
    assert "epsilon: R[lat])" in str(read(text)["z"].signature)


def test_what_is_made_in_many_steps_is_looked_at_once():
    """Each letter is made of the one before it, many times over: work that multiplies would never end."""
    sums = [f"{b} = {a} + 2 {a} + 3 {a} + 4 {a}" for a, b in pairwise("abcdfghjk")]
    steps = "\n".join([f"$$ {one} $$" for one in sums])
    text = rf"""Let $a \in \mathbb{{R}}^{{\text{{lat}}}}$, $\epsilon \sim \mathcal{{N}}(0, I)$.
{steps} $$ z = k + \epsilon $$"""
    few = python_calls(lambda: read(text.replace("k + ", "b + ")))
    assert python_calls(lambda: read(text)) < 2 * few


DATA = r"""Let $X \in \mathbb{R}^{\text{obs}:n \times \text{feat}}$ be given,
$b \in \mathbb{R}^{\text{feat}}$, and observe $y \in \mathbb{R}^{\text{obs}:n}$. """
LEAST = r" $$ r = \sum_{\text{obs}} (y - X \underset{\text{feat}}{\cdot} b)^2 $$"


@pytest.mark.parametrize(
    "model",
    [
        r"$$ y = X \dotp b + \varepsilon, \qquad \varepsilon \sim \mathcal{N}(0, s^2 I) $$",
        r"$$ y = X \dotp b + e $$ with $e \sim \mathcal{N}(0, \Psi)$.",
        r"$$ y_i = X_{\text{obs}(i)} \dotp b + u_i, \qquad u_i \sim \mathcal{N}(0, 1) $$",
        r"$$ y_{\text{obs}(i)} = X_{\text{obs}(i)} \dotp b - v_i $$ where $v_i \sim t_3$.",
        r"$$ y = X \dotp b + \varepsilon $$ where $\varepsilon$ is white noise.",
        r"$$ y = X \dotp b + u $$ with independent errors $u$.",
        r"$$ y = X \dotp b + e, \qquad \mathbb{E}[e] = 0 . $$",
    ],
)
def test_declared_data_stay_given_where_a_model_says_how_they_came_about(model):
    document = read(DATA + model.replace(r"\dotp", r"\underset{\text{feat}}{\cdot}") + LEAST)
    assert [f for f in document.check() if f.severity != "note"] == []
    assert {p.name for p in document["r"].signature.parameters} == {"X", "b", "y"}


def test_what_only_a_formula_gives_is_defined_by_what_is_drawn():
    text = DATA.replace("observe", "let").replace("$y", "$z") + r"$$ y = z + \epsilon $$"
    text += r" where $\epsilon \sim \mathcal{N}(0, I)$."
    assert "epsilon: R[obs]" in str(read(text)["y"].signature)


def test_noise_that_a_function_takes_makes_what_is_declared():
    text = r"""Let $x, z \in \mathbb{R}^{\text{pix}}$ and draw $\epsilon \sim \mathcal{N}(0, I)$.
$$z = x + \epsilon \qquad L(x, \epsilon) = \sum_{\text{pix}} (z^2 - x)^2$$"""
    assert [p.name for p in read(text)["L"].signature.parameters] == ["x", "epsilon"]
