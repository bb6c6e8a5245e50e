"""Indices that a formula computes count from 1; those beyond their axis are named as it counts."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor.latex import LatexError, read
from tests.latex.calling import called, same

HEAD = r"Let $b \in \mathbb{R}^{\text{bucket}:B}$ and $X \in \mathbb{R}^{\text{seq}:n \times \text{emb}}$. "
B = np.random.default_rng(0).normal(size=7)
GIVEN = {"b": nt.tensor(B, "bucket"), "X": nt.tensor(np.zeros((4, 2)), "seq", "emb")}
i = np.arange(1, 5)
apart = i[:, None] - i


@pytest.mark.parametrize(
    ("index", "wanted"),
    [
        ("|i - j| + 1", abs(apart) + 1),
        (r"\min(|i - j|, 2) + 1", np.minimum(abs(apart), 2) + 1),
        (r"\max(i - j, 1)", np.maximum(apart, 1)),
        ("i - j + n", apart + 4),
        ("i + j - 1", i[:, None] + i - 1),
        ("n + 1 - i", 5 + 0 * apart - i[:, None]),
        (r"\lceil i / j \rceil", -(-i[:, None] // i)),
        (r"i \bmod 3 + 1", i[:, None] % 3 + 1 + 0 * i),
    ],
)
def test_indices_that_are_computed_count_from_1(index, wanted):
    text = rf"$$A_{{\text{{seq}}(i), \text{{seq}}'(j)}} = b_{{\text{{bucket}}({index})}}$$"
    found = read(HEAD + text).bind(n=4)["A"](b=GIVEN["b"])
    same(found, B[wanted - 1], "seq", "seq'")


@pytest.mark.parametrize(
    ("index", "first"),
    [
        ("i^2", 16),
        ("2 i", 8),
        (r"\min(i, j) + 6", 10),
    ],
)
@pytest.mark.parametrize("torch", [False, True])
def test_indices_outside_of_their_axis_are_refused_as_the_formula_counts(index, first, torch):
    text = rf"$$A_{{\text{{seq}}(i), \text{{seq}}'(j)}} = b_{{\text{{bucket}}({index})}}$$"
    f = read(HEAD + text).bind(n=4)["A"]
    given = GIVEN["b"]
    if torch:
        given = nt.tensor(pytest.importorskip("torch").tensor(B), "bucket")
    with pytest.raises(LatexError) as error:
        f(b=given)
    assert f"index {first} lies outside axis bucket, which is 7 in b" in str(error.value)
    assert "indices count from 1" in str(error.value)


@pytest.mark.parametrize("index", ["n + 1 - i", "n - i + 1", r"|\text{seq}| + 1 - i"])
def test_a_reversal_is_computed_as_it_stands(index):
    text = HEAD + rf"$$Y_{{\text{{seq}}(i)}} = X_{{\text{{seq}}({index})}}$$"
    X = np.random.default_rng(1).normal(size=(4, 2))
    given = {"X": nt.tensor(X, "seq", "emb")}
    same(called(text, "Y", given), X[::-1], "seq", "emb")


def test_where_a_condition_chooses_others_are_not_looked_at():
    text = (
        HEAD
        + r"$$A_{\text{seq}(i), \text{seq}'(j)} = \begin{cases} b_{\text{bucket}(i - j)} & i > j \\"
        r" 0 & \text{otherwise} \end{cases}$$"
    )
    found = read(text).bind(n=4)["A"](b=GIVEN["b"])
    same(found, np.where(apart > 0, B[np.maximum(apart, 1) - 1], 0), "seq", "seq'")
