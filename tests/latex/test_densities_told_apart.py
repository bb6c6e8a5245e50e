r"""Functions of one head that their arguments tell apart: p(x \mid z), p(z) and p(x)."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from namedtensor.latex.documents.failures import LatexError
from tests.latex.calling import called, same

x = np.array([0.5, -1.0, 2.0])
z = np.array([0.3, 0.7])
W = np.array([[1.0, 0.2, -0.4], [0.5, 0.1, 0.3]])
GIVEN = {"x": tensor(x, "dim"), "z": tensor(z, "lat"), "W": tensor(W, "lat", "dim")}
LIKELY = -0.5 * ((x - z @ W) ** 2).sum()
PRIOR = -0.5 * (z**2).sum()
GUESS = -((z - W @ x) ** 2).sum()
DECLARED = {
    "plain": r"$x \in \mathbb{R}^{\text{dim}}$, $z \in \mathbb{R}^{\text{lat}}$, "
    r"$W \in \mathbb{R}^{\text{lat}, \text{dim}}$. ",
    "style": r"$x \in \mathbb{R}^{\name{dim}}$, $z \in \mathbb{R}^{\name{lat}}$, "
    r"$W \in \mathbb{R}^{\name{lat} \times \name{dim}}$. ",
}
BODIES = {
    "plain": (
        r"-\frac12 \sum_{\text{dim}} (x - W \underset{\text{lat}}{\cdot} z)^2",
        r"-\frac12 \sum_{\text{lat}} z^2",
        r"-\sum_{\text{lat}} (z - W \underset{\text{dim}}{\cdot} x)^2",
    ),
    "style": (
        r"-\frac12 \nsum{\name{dim}} (x - W \ndot{\name{lat}} z)^2",
        r"-\frac12 \nsum{\name{lat}} z^2",
        r"-\nsum{\name{lat}} (z - W \ndot{\name{dim}} x)^2",
    ),
}


@pytest.mark.parametrize("dialect", ["plain", "style"])
@pytest.mark.parametrize(
    ("p", "q"), [("p", "q"), (r"p_\theta", r"q_\phi"), (r"p_{\theta}", "q_\\phi")]
)
@pytest.mark.parametrize("mark", [r"\log ", ""])
def test_each_use_calls_the_one_with_its_letters_and_its_bar(dialect, p, q, mark):
    likely, prior, guess = BODIES[dialect]
    terms = rf"{mark}{p}(x \mid z)", rf"{mark}{p}(z)", rf"{mark}{q}(z \mid x)"
    text = DECLARED[dialect] + (
        f"$${terms[0]} = {likely}$$ $${terms[1]} = {prior}$$ $${terms[2]} = {guess}$$ "
        f"$$L(x, z) = {terms[0]} + 2 {terms[1]} - 3 {terms[2]}$$"
    )
    same(called(text, "L", GIVEN), LIKELY + 2 * PRIOR - 3 * GUESS)
    same(called(text, terms[1], GIVEN), PRIOR)
    same(called(text, terms[0], GIVEN), LIKELY)


def test_the_logarithm_of_one_is_that_of_its_value():
    likely, prior, _ = BODIES["plain"]
    text = DECLARED["plain"] + (
        rf"$$p(x \mid z) = \exp({likely})$$ $$p(z) = \exp({prior})$$ "
        r"$$L(x, z) = \log p(x \mid z) + \log p(z)$$"
    )
    same(called(text, "L", GIVEN), LIKELY + PRIOR)


def test_two_of_one_argument_are_told_apart_by_its_letter():
    text = DECLARED["plain"] + (
        r"$$p(z) = 2 \sum_{\text{lat}} z$$ $$p(x) = 3 \sum_{\text{dim}} x$$ $$L(x, z) = p(x) p(z)$$"
    )
    same(called(text, "L", GIVEN), 6 * z.sum() * x.sum())


def test_a_joint_density_is_none_of_what_is_given():
    likely, prior, _ = BODIES["plain"]
    text = DECLARED["plain"] + (
        rf"$$p(x, z) = p(x \mid z) p(z)$$ $$p(x \mid z) = \exp({likely})$$ $$p(z) = \exp({prior})$$ "
        r"$$p(x) = 3 + \sum_{\text{dim}} x$$ $$p(z \mid x) = \frac{p(x, z)}{p(x)}$$"
    )
    same(called(text, r"p(z \mid x)", GIVEN), np.exp(LIKELY + PRIOR) / (3 + x.sum()))
    same(called(text, r"p(x, z)", GIVEN), np.exp(LIKELY + PRIOR))
    assert len(set(read(text).names)) == 5


def test_members_of_a_letter_are_of_the_function_of_the_letter():
    likely, prior, _ = BODIES["plain"]
    text = DECLARED["plain"] + (
        rf"$$\log p(x \mid z) = {likely}$$ $$\log p(z) = {prior}$$ "
        r"$z_1, z_2 \in \mathbb{R}^{\text{lat}}$. "
        r"$$L(x, z_1, z_2) = \log p(x \mid z_1) + \log p(z_2)$$"
    )
    given = {**GIVEN, "z_1": tensor(z, "lat"), "z_2": tensor(2 * z, "lat")}
    same(called(text, "L", given), LIKELY + 4 * PRIOR)


@pytest.mark.parametrize("use", [r"\log p(z \mid x)", r"\log p(x)", r"\log p(x, z)"])
def test_a_use_that_none_has_the_letters_of_is_refused(use):
    likely, prior, _ = BODIES["plain"]
    text = DECLARED["plain"] + (
        rf"$$\log p(x \mid z) = {likely}$$ $$\log p(z) = {prior}$$ $$L(x, z) = {use}$$"
    )
    found = read(text)
    [finding] = found.check()
    assert finding.message == (
        rf"{use} is not defined: the document has \log p(x \mid z) and \log p(z)"
    )
    assert finding.hint == f"write one of these, or define it: {use} = ..."
    with pytest.raises(LatexError, match="not defined"):
        found["L"](**{p.name: GIVEN[p.name] for p in found["L"].signature.parameters})


def test_what_is_given_the_other_way_round_is_not_called():
    found = read(
        r"$x, z, y \in \mathbb{R}^{\text{dim}}$. "
        r"$$\log p(x \mid z) = -\sum_{\text{dim}} (x - 2 z)^2$$ $$L(x, z) = \log p(z \mid x)$$ "
        r"$$M(x, y) = \log p(x \mid y)$$"
    )
    [finding] = found.check()
    assert finding.message.startswith(r"\log p(z \mid x) is not defined: the document has")
    y = np.array([1.0, 0, 2])
    result = found["M"](x=tensor(x, "dim"), y=tensor(y, "dim"))
    same(result, -((x - 2 * y) ** 2).sum())


def test_functions_in_two_sections_may_have_other_arguments():
    text = (
        "$y \\in \\mathbb{R}^{\\text{dim}}$\n\n# A\n\n"
        r"$$p(x) = \sum_{\text{dim}} x$$ $$u = p(y)$$"
        "\n\n# B\n\n"
        r"$$p(v) = 2 \sum_{\text{dim}} v$$ $$w = p(y)$$"
        "\n"
    )
    same(called(text, "u", {"y": tensor(x, "dim")}), x.sum())
    same(called(text, "w", {"y": tensor(x, "dim")}), 2 * x.sum())


def test_a_density_that_two_sections_define_alike_is_known_in_both():
    prior = BODIES["plain"][1]
    section = rf"$$\log p(z) = {prior}$$ $$\log p(x) = 3 \sum_{{\text{{dim}}}} x$$ "
    text = (
        DECLARED["plain"]
        + f"\n\n# A\n\n{section}$$u = \\log p(z)$$\n\n# B\n\n{section}$$w = \\log p(z)$$\n"
    )
    same(called(text, "u", GIVEN), PRIOR)
    same(called(text, "w", GIVEN), PRIOR)


def test_an_identity_of_densities_that_nothing_defines_is_no_definition():
    prior = BODIES["plain"][1]
    text = DECLARED["plain"] + (
        rf"$$\log p(z) = {prior}$$ By Bayes, $p(z \mid x) = p(x \mid z) p(z) / p(x)$. "
        r"$$u = 2 \log p(z)$$"
    )
    same(called(text, "u", GIVEN), 2 * PRIOR)


@pytest.mark.parametrize("name", [r"\log p", r"\log q_\phi", "p"])
def test_a_density_of_what_other_formulas_say_is_a_function(name):
    text = rf"""Let $x, z, m \in \mathbb{{R}}^{{\text{{dim}}}}$.
$$ {name}(z) = -\sum_{{\text{{dim}}}} z^2 $$
# Shifted
$$ \mathcal{{L}}(x, m) = {name}(z) + 1, \qquad z = x + m $$"""
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document[r"\mathcal{L}"](x=tensor(x, "dim"), m=tensor([1.0, 1.0, 1.0], "dim"))
    np.testing.assert_allclose(found.numpy(), 1 - ((x + 1) ** 2).sum())


def test_a_logarithm_of_what_its_parts_are_made_of_is_a_function():
    text = r"""Let $X \in \mathbb{R}^{\text{ex}, \text{dim}}$ and $y \in \mathbb{R}^{\text{ex}}$.
$$ \log L(w) = \sum_{\text{ex}} (y \eta - e^{\eta}), \qquad \eta = X \underset{\text{dim}}{\odot} w $$"""
    X, y, eta = W, np.array([1.0, 2.0]), W @ x
    found = read(text)[r"\log L"](w=tensor(x, "dim"), X=tensor(X, "ex", "dim"), y=tensor(y, "ex"))
    np.testing.assert_allclose(found.numpy(), (y * eta - np.exp(eta)).sum())
