"""Members of series that are sums from their own letter, or up to it, against plain numpy."""

from typing import Any

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read
from tests.latex.calling import called, same

R = np.array([1.0, 2.0, 3.0])
RETURNS = np.array([1 + 0.9 * 2 + 0.81 * 3, 2 + 0.9 * 3, 3])
GIVEN: dict[str, Any] = {"r": tensor(R, "time"), "gamma": 0.9}
HEAD = r"Let $r \in \mathbb{R}^{\text{time}:T}$ be rewards and $\gamma \in [0,1]$ the discount. "
SUM = r"\sum_{k=t}^{T} \gamma^{k-t} r_{\text{time}(k)}"


@pytest.mark.parametrize(
    "text",
    [
        f"$$G_t = {SUM}$$",
        f"For every $t$ the return is $$G_t = {SUM}$$",
        rf"$$G_t = {SUM}, \qquad t = 1, \dots, T$$",
        rf"For $t = 1, \dots, T$ let $$G_t = {SUM}$$",
        rf"The returns are $G_t \in \mathbb{{R}}$, $$G_t = {SUM}$$",
        rf"$$G_{{\text{{time}}(t)}} = {SUM}$$",
    ],
)
def test_a_sum_from_the_letter_of_its_members_counts_along_the_axis(text: str) -> None:
    same(called(HEAD + text, "G", GIVEN), RETURNS, "time")


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (r"\sum_{k=t}^{T}", [6, 5, 3]),
        (r"\sum_{k \ge t}", [6, 5, 3]),
        (r"\sum_{k > t}", [5, 3, 0]),
        (r"\sum_{k=1}^{t}", [1, 3, 6]),
        (r"\sum_{k \ne t}", [5, 4, 3]),
        (r"\frac{1}{t} \sum_{k=1}^{t}", [1, 1.5, 2]),
    ],
)
def test_every_bound_of_a_sum_says_where_its_letter_counts(
    bounds: str, expected: list[float]
) -> None:
    same(
        called(HEAD + f"$$S_t = {bounds} " + r"r_{\text{time}(k)}$$", "S", GIVEN), expected, "time"
    )


def test_a_part_of_the_range_is_stacked_along_the_letter() -> None:
    same(
        called(HEAD + rf"For $t = 1, \dots, T - 1$ let $$G_t = {SUM}$$", "G", GIVEN),
        RETURNS[:2],
        "t",
    )


@pytest.mark.parametrize(
    ("formula", "name", "axes", "expected"),
    [
        (r"J = \sum_{t=1}^T G_t r_{\text{time}(t)}", "J", "", RETURNS @ R),
        ("b = G_1", "b", "", RETURNS[0]),
        ("A = G - r", "A", "time", RETURNS - R),
        (r"c_t = G_t - r_{\text{time}(t)}", "c", "time", RETURNS - R),
    ],
)
def test_such_members_are_used_as_others_are(
    formula: str, name: str, axes: str, expected: Any
) -> None:
    same(called(HEAD + f"$$G_t = {SUM}$$ and $${formula}$$", name, GIVEN), expected, *axes.split())


def test_the_class_of_a_condition_counts_along_no_axis_of_what_is_summed() -> None:
    text = (
        r"Let $z \in [K]^{\text{obs}:n}$ and $y \in \mathbb{R}^{\text{obs}}$. For $k = 1, \dots, K$ let"
        r" $$N_k = \sum_{i : z_{\text{obs}(i)} = k} y_{\text{obs}(i)}$$"
    )
    assert [d.kind for d in read(text).definitions.definitions] == ["value"]


BLOCKS = r"""Let $x \in \mathbb{R}^{\text{a}}$ and $W \in \mathbb{R}^{\text{a}, \text{b}}$.

$$f(x; W) = [W \underset{\text{a}}{\cdot} x]_{\text{b} \rightarrow \text{a}},
\qquad g(x; W) = (2 x, f(x; W))$$

Begin with $r^0 = x$. """
W1, W2 = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[3.0, 0.0], [1.0, -1.0]])
X0 = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("rule", "total", "wanted"),
    [
        (r"r^l = f^l(r^{l-1})", r"\sum_{l=1}^{L} r^l", X0 @ W1 + X0 @ W1 @ W2),
        (
            r"r^l = f^l(r^{l-1})",
            r"\frac{1}{L} \sum_{l=0}^{L} r^l",
            (X0 + X0 @ W1 + X0 @ W1 @ W2) / 2,
        ),
        (r"(u^l, r^l) = g^l(r^{l-1})", r"\sum_{l=1}^{L} u^l", 2 * X0 + 2 * X0 @ W1),
        (
            r"u^l = f^l(r^{l-1}), \quad r^l = r^{l-1} - u^l",
            r"\sum_{l=1}^{L} u^l",
            X0 @ W1 + (X0 - X0 @ W1) @ W2,
        ),
    ],
)
def test_a_sum_over_a_series_takes_the_parameters_of_each_of_its_copies(
    rule: str, total: str, wanted: Any
) -> None:
    text = f"{BLOCKS}For $l = 1, \\ldots, L$, $${rule}$$ and in the end $$y = {total}$$"
    formula = read(text, "notes.md").bind(L=2)["y"]
    names = [p.name for p in formula.signature.parameters if p.name != "x"]
    given = {n: {"W": tensor(W, "a b")} for n, W in zip(names, (W1, W2), strict=True)}
    same(formula(x=tensor(X0, "a"), **given), wanted, "a")
