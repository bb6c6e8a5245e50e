"""Functions of undeclared arguments that a where-clause passes to another function."""

import numpy as np
import pytest

from namedtensor import tensor
from namedtensor.latex import read

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 2)), RNG.normal(size=(4, 2))
SQUARES = ((X[:, None] - Y[None]) ** 2).sum(-1)
HEAD = (
    r"Let $X \in \mathbb{R}^{\text{train}:n \times \text{feat}}$ and"
    r" $Y \in \mathbb{R}^{\text{test} \times \text{feat}}$. For two sets of points $A$ and $B$ let"
)
DISTANCE = r"$$d(A, B) = \sum_{\text{feat}} (A - B)^2$$"
ROOT = np.exp(-np.sqrt(SQUARES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$$k(A, B) = e^{-\sqrt{d(A, B)}}$$", ROOT),
        (r"$$k(A, B) = e^{-r}, \qquad r = \sqrt{d(A, B)}$$", ROOT),
        (r"$$k(A, B) = e^{-r}, \qquad r = \sqrt{q}, \qquad q = d(A, B)$$", ROOT),
        (r"$$k(A, B) = e^{-r}$$ where $r = \sqrt{d(B, A)}$.", ROOT),
        (r"$$k(C, D) = e^{-r}, \qquad r = \sqrt{d(C, D)}$$", ROOT),
        (
            r"$$g(A, B) = 4 d(A, B)$$ $$k(A, B) = e^{-r}, \qquad r = \sqrt{g(A, B)}$$",
            np.exp(-2 * np.sqrt(SQUARES)),
        ),
    ],
)
@pytest.mark.parametrize("distance", [DISTANCE, DISTANCE.replace("d(", "d^2(")])
def test_a_where_clause_hands_arguments_on(text: str, expected: np.ndarray, distance: str) -> None:
    text = text if distance == DISTANCE else text.replace("d(", "d^2(")
    document = read(f"{HEAD} {distance} {text} $$K = k(X, Y)$$")
    assert [str(f) for f in document.check()] == []
    x, y = tensor(X, "train", "feat"), tensor(Y, "test", "feat")
    assert np.allclose(document["K"](x, y).numpy("train", "test"), expected)
    assert np.allclose(document["k"](x, y).numpy("train", "test"), expected)


def test_a_where_clause_uses_the_arguments_of_its_function() -> None:
    text = r"""
\section{One}
Let $W \in \mathbb{R}^{\text{feat}:d, \text{feat}':d}$ and $x \in \mathbb{R}^{\text{feat}:d}$.
\[ v(x) = \tanh [W \underset{\text{feat}}{\cdot} x]_{\text{feat}' \to \text{feat}} \]
\section{Two}
With a step size $h$,
\[ \tilde z = z + h \, v(z), \qquad \text{heun}(z, h) = z + \frac{h}{2} (v(z) + v(\tilde z)) \]
"""
    document, W, z = read(text, "paper.tex"), RNG.normal(size=(2, 2)), RNG.normal(size=2)
    assert [f for f in document.check() if f.severity != "note"] == []
    found = document["heun"](tensor(z, "feat"), 0.5, W=tensor(W, "feat", "feat'"))
    first = np.tanh(z @ W)
    second = np.tanh((z + 0.5 * first) @ W)
    assert np.allclose(found.numpy("feat"), z + 0.25 * (first + second))


@pytest.mark.parametrize("heading", ["", "# Pairs\n\n"])
@pytest.mark.parametrize(
    ("written", "axes", "wanted"),
    [
        (r"g(X; W, v) = v \underset{\text{b}}{\cdot} f(X)", "", 78.0),
        (r"g(X; v, W)_{\text{b}:j} = f(2 X)_{\text{b}:j} v_{\text{b}:j}", "b", [36.0, 120.0]),
    ],
)
def test_a_call_passes_what_both_functions_list(heading, written, axes, wanted):
    document = read(
        r"""Let $X \in \mathbb{R}^{\text{a}}$, $W \in \mathbb{R}^{\text{a}, \text{b}}$
and $v \in \mathbb{R}^{\text{b}}$.

$$f(X; W) = W \underset{\text{a}}{\cdot} X$$"""
        + f"\n\n{heading}$${written}$$",
        "notes.md",
    )
    assert not [f for f in document.check() if f.code == "parameters-missing"]
    W = tensor(np.array([[2.0, 4.0], [2.0, 4.0]]), "a b")
    found = document["g"](X=tensor([1.0, 2.0], "a"), W=W, v=tensor([3.0, 5.0], "b"))
    np.testing.assert_allclose(found.numpy(*axes.split()), wanted)
