"""A letter that is the size of an axis and that of a series: N_k beside N, against plain numpy."""

from typing import Any

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

RNG = np.random.default_rng(0)
R, X = RNG.random((5, 3)), RNG.normal(size=(5, 2))
GIVEN = {"r": tensor(R, "obs", "comp"), "X": tensor(X, "obs", "dim"), "x": tensor(X[:, 0], "time")}
HEAD = (
    r"Let $r \in [0,1]^{\text{obs}:N \times \text{comp}:K}$"
    r" and $X \in \mathbb{R}^{\text{obs} \times \text{dim}}$."
)
COUNTS = r"$N_k = \sum_{\text{obs}} r_{\text{comp}(k)}$"
TIMES = r"Let $x \in \mathbb{R}^{\text{time}:T}$."


@pytest.mark.parametrize(
    ("formula", "name", "axes", "expected"),
    [
        (r"\hat\pi_{\text{comp}(k)} = \frac{N_k}{N}", "pihat", "comp", R.mean(0)),
        (r"p_k = N_k / N", "p", "comp", R.mean(0)),
        (r"p_k = N_k / N^2", "p", "comp", R.sum(0) / 25),
        (
            r"m_{\text{comp}(k)} = \frac{1}{N_k} \sum_{n=1}^N"
            r" r_{\text{obs}(n), \text{comp}(k)} X_{\text{obs}(n)}",
            "m",
            "comp dim",
            R.T @ X / R.sum(0)[:, None],
        ),
        (r"s = \sum_{n=1}^N X_{\text{obs}(n)}", "s", "dim", X.sum(0)),
        (r"s = \frac{1}{N} \sum_{k=1}^K N_k", "s", "", R.sum() / 5),
        (r"s = X_{\text{obs}(N)}", "s", "dim", X[-1]),
    ],
)
@pytest.mark.parametrize("between", ["", "\n\n# M-step\n\n"])
def test_a_size_keeps_its_letter_beside_a_series_of_the_same(
    formula: str, name: str, axes: str, expected: Any, between: str
) -> None:
    same(
        called(f"{HEAD} With {COUNTS} we have{between}\n\n$${formula}$$", name, GIVEN),
        expected,
        *axes.split(),
    )


def test_a_formula_of_the_size_alone_takes_nothing_of_the_series() -> None:
    text = (
        f"{HEAD} With {COUNTS} we have\n\n" + r"$$s = \frac{1}{N} \sum_{n=1}^N X_{\text{obs}(n)}$$"
    )
    assert [p.name for p in read(text)["s"].signature.parameters] == ["X"]


def test_the_series_itself_is_asked_for_by_its_letter() -> None:
    same(called(f"{HEAD}\n\n$${COUNTS[1:-1]}$$", "N", GIVEN), R.sum(0), "comp")


def test_a_recurrence_may_have_the_letter_of_its_axis() -> None:
    rules = r"T_1 = x_{\text{time}(1)}, \qquad T_t = T_{t-1} + x_{\text{time}(t)}"
    text = f"{TIMES}\n\n$${rules}, " + r"\qquad a_t = \frac{T_t}{T}$$"
    same(called(text, "a", GIVEN), np.cumsum(X[:, 0]) / 5, "time")


def test_elements_that_are_written_out_leave_the_size_alone_too() -> None:
    rule = r"N_{\text{comp}(k)} = \sum_{\text{obs}} r_{\text{comp}(k)}"
    same(
        called(f"{HEAD}\n\n$${rule}, " + r"w = \frac{N_{\text{comp}(1)}}{N}$$", "w", GIVEN),
        R[:, 0].mean(),
    )


@pytest.mark.parametrize("said", [r"n = |\text{seq}|", r"|\text{seq}| = n"])
def test_a_series_runs_up_to_what_is_said_to_be_the_size_of_its_axis(said):
    document = read(
        rf"""Let $K \in \mathbb{{R}}^{{\text{{seq}}, \text{{key}}}}$ with ${said}$.
Initially $S_0 = 0$; for $t = 1, \dots, n$
$$S_t = S_{{t-1}} + K_{{\text{{seq}}(t)}}, \qquad c_{{\text{{seq}}(t)}} = S_t + 1$$"""
    )
    K = np.arange(6.0).reshape(3, 2)
    found = document["c"](tensor(K, "seq", "key")).numpy("seq key")
    np.testing.assert_allclose(found, K.cumsum(0) + 1)
