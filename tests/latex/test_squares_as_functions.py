r"""A variance \sigma^2(x) that a document defines, also by its logarithm, has a root \sigma(x)."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

rng = np.random.default_rng(8)
x, e, S = rng.normal(size=4), rng.normal(size=3), rng.normal(size=(3, 4))
GIVEN = {"x": tensor(x, "pix"), "varepsilon": tensor(e, "lat"), "S": tensor(S, "lat", "pix")}
SPACES = r"""For $x \in \mathbb{R}^{\text{pix}}$, $S \in \mathbb{R}^{\text{lat} \times \text{pix}}$ and
$\varepsilon \in \mathbb{R}^{\text{lat}}$, """
BODY = r"S \underset{\text{pix}}{\cdot} x"
USED = r"""$$z = \sigma(x) \odot \varepsilon, \quad
k = \sum_{\text{lat}} (\log \sigma^2(x) - \sigma^2(x))$$"""


@pytest.mark.parametrize("of", ["", "(x)"])
@pytest.mark.parametrize(
    "said",
    [
        rf"$$\sigma^2(x) = \exp({BODY}).$$",
        rf"$$\log \sigma^2(x) = {BODY}.$$",
        rf"the encoder gives $\log \sigma^2(x) = {BODY}$.",
    ],
)
def test_the_root_of_a_variance_is_no_sigmoid(said, of):
    text = (SPACES + said + " Then " + USED).replace("(x)", of)
    log = S @ x
    same(called(text, "z", GIVEN), np.exp(log / 2) * e, "lat")
    same(called(text, "k", GIVEN), (log - np.exp(log)).sum())


def test_a_sigmoid_beside_a_number_sigma_squared_stays_one():
    text = SPACES + r"$$z = \sigma(x), \quad v = \sigma^2 x$$ with $\sigma^2 = 2$."
    same(called(text, "z", GIVEN), 1 / (1 + np.exp(-x)), "pix")
    same(called(text, "v", GIVEN), 2 * x, "pix")


A = rng.normal(size=(3, 3))


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("A + I", A + np.eye(3)),
        (r"I - \lambda A", np.eye(3) - 0.5 * A),
        (r"A + \lambda^2 I", A + 0.25 * np.eye(3)),
        (
            r"\underset{\text{n}, \text{n}'}{\text{inv}}(\lambda I + A)",
            np.linalg.inv(0.5 * np.eye(3) + A),
        ),
    ],
)
def test_an_identity_beside_a_matrix_needs_no_declaration(formula, wanted):
    space = r"Let $A \in \mathbb{R}^{\text{n} \times \text{n}'}$ and $\lambda = 0.5$. "
    document = read(space + f"$$B = {formula}$$")
    (note,) = document.check()
    assert note.severity == "note"
    assert "I is taken for the identity" in note.message
    same(document["B"](tensor(A, "n", "n'")), wanted, "n", "n'")


def test_an_i_that_is_beside_no_matrix_is_undefined():
    text = r"Let $x \in \mathbb{R}^{\text{pix}}$. $$y = x + I$$"
    assert [f.code for f in read(text).check()] == ["undefined"]


def test_a_letter_with_a_prime_is_defined_by_its_elements():
    text = r"""Let $W \in \mathbb{R}^{\text{n}:k \times \text{n}':k}$ and
$h \in \mathbb{R}^{\text{n}:k \times \text{d}}$.
$$h'_i = \tanh\Bigl( \sum_j W_{ij} h_j \Bigr)$$"""
    h = rng.normal(size=(3, 2))
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["h'"](W=tensor(A, "n", "n'"), h=tensor(h, "n", "d"))
    same(found, np.tanh(A @ h), "n", "d")


def test_beside_a_variance_that_is_a_value_the_letter_with_an_argument_is_the_sigmoid():
    text = r"""Let $h \in \mathbb{R}^{\text{hid}}$ and
$W_\mu, W_\sigma \in \mathbb{R}^{\text{hid} \times \text{lat}}$,
$D \in \mathbb{R}^{\text{lat} \times \text{pix}}$, $\varepsilon \in \mathbb{R}^{\text{lat}}$.
$$\mu = h \underset{\text{hid}}{\odot} W_\mu, \qquad \log \sigma^2 = h \underset{\text{hid}}{\odot} W_\sigma$$
$$z = \mu + \sigma \odot \varepsilon, \qquad y = \sigma(z \underset{\text{lat}}{\odot} D)$$"""
    document = read(text)
    assert [(f.severity, f.code) for f in document.check()] == [("note", "meaning")]
    h, m, v, D = rng.normal(size=2), rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), S
    found = document["y"](
        h=tensor(h, "hid"),
        W_mu=tensor(m, "hid", "lat"),
        W_sigma=tensor(v, "hid", "lat"),
        D=tensor(D, "lat", "pix"),
        varepsilon=tensor(e, "lat"),
    )
    z = h @ m + np.exp(h @ v / 2) * e
    np.testing.assert_allclose(found.numpy("pix"), 1 / (1 + np.exp(-z @ D)))
