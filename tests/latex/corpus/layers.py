"""What the formulas of layers.tex give."""

from __future__ import annotations

import numpy as np

from .entry import Entry


def sigmoid(z):
    return 0.5 * (1 + np.tanh(0.5 * z))


def three(X0, W1, b1, W2, b2, W3, b3):
    x = sigmoid(W2 @ sigmoid(W1 @ X0 + b1) + b2)
    scores = W3 @ x + b3
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def chain(T0, W1, b1, W2, b2, W3, b3):
    x = T0
    for W, b in ((W1, b1), (W2, b2), (W3, b3)):
        x = np.clip(W @ x + b, 0, None)
    return x


def residual(h, A, B, c):
    return h + np.tanh(h @ A + c) @ B.T


def maxout(x, V):
    return np.array([max(V[k, j] @ x for k in range(V.shape[0])) for j in range(V.shape[1])])


def highway(x, G, H):
    g = sigmoid(G @ x)
    return g * np.tanh(H @ x) + (1 - g) * x


STACK = {
    "W1": "layer'[5] layer[4]",
    "b1": "layer'[5]",
    "W2": "layer'[3] layer[5]",
    "b2": "layer'[3]",
    "W3": "layer'[6] layer[3]",
    "b3": "layer'[6]",
}
TWO = {"A": "layer[4] hidden[3]", "B": "layer[4] hidden[3]", "c": "hidden[3]"}

ENTRIES = [
    Entry(
        "X3",
        three,
        "out",
        {"X0": "input[4]"},
        {
            "W1": "hidden_1[5] input[4]",
            "b1": "hidden_1[5]",
            "W2": "hidden_2[3] hidden_1[5]",
            "b2": "hidden_2[3]",
            "W3": "out[2] hidden_2[3]",
            "b3": "out[2]",
        },
    ),
    Entry(
        "FullConn",
        lambda x, W, b: np.maximum(W @ x + b, 0),
        "layer",
        {"x": "layer[4]"},
        {"W2": "layer'[5] layer[4]", "b2": "layer'[5]"},
        member=2,
    ),
    Entry("T3", chain, "layer", {"T0": "layer[4]"}, STACK),
    Entry("res", residual, "layer", {"h": "layer[4]"}, TWO),
    Entry(
        "twice",
        lambda h, A, B, c: residual(residual(h, A, B, c), A, B, c),
        "layer",
        {"h": "layer[4]"},
        TWO,
        gradients=True,
    ),
    Entry("maxout", maxout, "hidden", {"x": "input[4]"}, {"V": "class[3] hidden[2] input[4]"}),
    Entry(
        "highway",
        highway,
        "layer",
        {"x": "layer[4]"},
        {"G": "layer'[4] layer[4]", "H": "layer'[4] layer[4]"},
    ),
]
