r"""A letter that stands for all parameters is handed on, and computes nothing: \mathcal{L}(\theta)."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

x, U, V = (np.random.default_rng(2).normal(size=size) for size in [(4, 3), (3, 2), (2,)])
GIVEN = {"x": tensor(x, "batch dim"), "U": tensor(U, "dim hid"), "V": tensor(V, "hid")}
LOSS = ((np.tanh(x @ U) @ V) ** 2).mean()

TEXT = r"""Let $x \in \mathbb{R}^{\text{batch}, \text{dim}}$, $U \in \mathbb{R}^{\text{dim}, \text{hid}}$ and
$V \in \mathbb{R}^{\text{hid}}$. The network is
$$FUNCTION = V \underset{\text{hid}}{\cdot} \tanh(U \underset{\text{dim}}{\cdot} x),$$
SAID. It is trained with $$LOSS = \underset{\text{batch}}{\text{mean}}\, FUNCTION^2.$$
"""


@pytest.mark.parametrize("function", [r"f_\theta(x)", r"f(x; \theta)"])
@pytest.mark.parametrize(
    "loss", [r"\mathcal{L}", r"\mathcal{L}(\theta)", r"\mathcal{L}(x; \theta)"]
)
@pytest.mark.parametrize(
    "said",
    [
        "which is small",
        r"where $\theta = (U, V)$",
        r"with parameters $\theta = \{U, V\}$",
        r"where $\theta \in \mathbb{R}^p$ are all parameters",
    ],
)
def test_a_loss_of_all_parameters_takes_those_that_it_needs(function, loss, said):
    text = TEXT.replace("FUNCTION", function).replace("LOSS", loss).replace("SAID", said)
    document = read(text + rf"$$J = {loss} + 1$$")
    assert not document.check()
    np.testing.assert_allclose(document[r"\mathcal{L}"](**GIVEN).numpy(), LOSS)
    np.testing.assert_allclose(document["J"](**GIVEN).numpy(), LOSS + 1)


@pytest.mark.parametrize(
    "step",
    [
        r"\theta \leftarrow \theta - \eta \nabla_\theta \mathcal{L}(\theta)",
        r"\theta_{k+1} = \theta_k - \eta \nabla \mathcal{L}(\theta_k)",
        r"\theta^\star = \arg\min_\theta \mathcal{L}(\theta)",
        r"\min_\theta \mathcal{L}(\theta) + \lambda \|\theta\|^2",
    ],
)
def test_what_is_about_all_parameters_at_once_is_set_aside(step):
    text = TEXT.replace("FUNCTION", r"f_\theta(x)").replace("LOSS", r"\mathcal{L}(\theta)")
    document = read(text + f"$${step}$$")
    assert not [f for f in document.check() if f.severity != "note"]
    assert step in [aside.text for aside in document.asides]
    np.testing.assert_allclose(document[r"\mathcal{L}"](**GIVEN).numpy(), LOSS)


def test_a_parameter_that_is_computed_with_stays():
    text = (
        r"Let $x \in \mathbb{R}^{\text{dim}}$. $$p(x; \theta) = \exp(\theta \sum_{\text{dim}} x), "
    )
    document = read(text + r"\quad L(\theta) = -\log p(x; \theta)$$")
    assert [p.name for p in document["L"].signature.parameters] == ["theta", "x"]


def test_the_parameters_of_two_networks_stay_apart():
    text = TEXT.replace("FUNCTION", r"f(x; \theta)").replace("LOSS", r"L(\theta)")
    document = read(
        text + r"$$D = \underset{\text{batch}}{\text{mean}}\, (f(x; \theta) - f(x; \theta^{-}))^2$$"
    )
    assert "theta" in str(document["L"])
