r"""X - m of a weighted mean m has the axis over which it is; of another sum it is a fault."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

rng = np.random.default_rng(2)
X, R = rng.normal(size=(5, 2)), rng.uniform(size=(5, 3))
HEAD = r"""Let $X \in \mathbb{R}^{\text{obs}:n \times \text{dim}:d}$ and
$R \in \mathbb{R}_{\ge 0}^{\text{obs} \times \text{comp}}$.
"""
MEAN = R.T @ X / R.sum(0)[:, None]
VARIANCE = (R[:, :, None] * (X[:, None] - MEAN) ** 2).sum((0, 2)) / R.sum(0) / 2


@pytest.mark.parametrize(
    "mean",
    [
        r"\frac{1}{N} \, R \underset{\text{obs}}{\odot} X",
        r"\frac{R \underset{\text{obs}}{\odot} X}{N}",
        r"\frac{\sum_{\text{obs}} R X}{\sum_{\text{obs}} R}",
    ],
)
def test_spread_around_weighted_means(mean):
    text = rf"""{HEAD}With $N = \sum_{{\text{{obs}}}} R$,
$$\begin{{aligned}}
\mu^{{\text{{new}}}} &= {mean} \\
(\sigma^{{\text{{new}}}})^2 &= \frac{{1}}{{N d}} \sum_{{\text{{obs}}}} R
\sum_{{\text{{dim}}}} (X - \mu^{{\text{{new}}}})^2
\end{{aligned}}$$ and $s = 2 \sigma^{{\text{{new}}}}$."""
    document = read(text)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["s"](X=tensor(X, "obs", "dim"), R=tensor(R, "obs", "comp"))
    np.testing.assert_allclose(found.numpy("comp"), 2 * np.sqrt(VARIANCE))


def test_a_sum_with_weights_is_no_mean():
    text = HEAD + r"$$D = X - R \underset{\text{obs}}{\odot} X$$"
    assert {f.code for f in read(text).check()} & {"axis-returns", "residual-axis"}


def test_a_bare_square_in_brackets_says_what_its_root_is():
    text = r"""Let $x \in \mathbb{R}^{\text{obs}}$.
$$ (\hat\sigma)^2 = \underset{\text{obs}}{\text{var}}\, x, \quad z = x / \hat \sigma $$"""
    found = read(text)["z"](x=tensor(X[:, 0], "obs"))
    np.testing.assert_allclose(found.numpy("obs"), X[:, 0] / X[:, 0].std())
