r"""Prose names the rows and columns of a matrix: "where $x_i$ is the $i$-th row of $X$"."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

rng = np.random.default_rng(4)
X, W = rng.normal(size=(4, 3)), rng.normal(size=(3, 2))
GIVEN = {"X": tensor(X, "tok", "emb"), "W": tensor(W, "emb", "class"), "h": 0.5}
HEAD = r"""Let $X \in \mathbb{R}^{\text{tok}:n \times \text{emb}}$,
$W \in \mathbb{R}^{\text{emb} \times \text{class}:c}$ and $h \in \mathbb{R}$.
"""
DISTANCE = ((X[:, None] - X) ** 2).sum(-1)
FORMULAS = {
    r"K_{\text{tok}(i), \text{tok}'(j)} = \exp(-\|x_i - x_j\|^2 / h)": np.exp(-DISTANCE / 0.5),
    r"K = \frac{1}{n} \sum_{i=1}^n x_i": X.mean(0),
    r"K_{\text{tok}(i)} = x_i \underset{\text{emb}}{\odot} x_1": X @ X[0],
}


@pytest.mark.parametrize(("formula", "wanted"), FORMULAS.items())
@pytest.mark.parametrize(
    "said",
    [
        "where $x_i$ is the $i$-th row of $X$",
        "and $x_i$ denotes the $i$th row of $X$",
        r"$x_i$ being row $i$; the rows $x_i$ of $X$ are tokens",
        "with $x_j$ for the $j^{th}$ token of $X$",
    ],
)
def test_rows_of_a_matrix(said, formula, wanted):
    document = read(f"{HEAD}$${formula}$$ {said}.")
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["K"](**{p.name: GIVEN[p.name] for p in document["K"].signature.parameters})
    np.testing.assert_allclose(found.numpy(*found.axes), wanted)


def test_columns_of_a_matrix_are_along_its_last_axis():
    text = (
        HEAD
        + r"""The columns $w_j$ of $W$ are classes.
$$s = \sum_{j=1}^{c} j \, w_j$$"""
    )
    document = read(text)
    assert any(r"w_{j} as W_{\text{class}:j}" in f.message for f in document.check())
    np.testing.assert_allclose(document["s"](W=GIVEN["W"]).numpy("emb"), W @ [1.0, 2.0])


def test_a_letter_with_an_index_is_no_row_without_a_word():
    document = read(HEAD + r"$$K_{\text{tok}(i)} = x_i \underset{\text{emb}}{\odot} x_1$$")
    assert {f.code for f in document.check() if f.severity == "error"} == {"undefined"}
