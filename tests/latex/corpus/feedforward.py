"""What the formulas of feedforward.md give, by einsum and loops over positions."""

from __future__ import annotations

import math

import numpy as np

from .entry import Entry


def linear(X, W, b):
    return np.array([sum(W[i, o] * X[i] for i in range(len(X))) + b[o] for o in range(len(b))])


def logistic(x, w, c):
    return 1 / (1 + math.exp(-(sum(x * w) + c)))


def classify(x, W):
    scores = np.exp([math.fsum(x * W[:, k]) for k in range(W.shape[1])])
    return scores / scores.sum()


def ffn(X, W1, b1, W2, b2):
    hidden = np.einsum("eh,e->h", W1, X) + b1
    hidden[hidden < 0] = 0
    return np.einsum("he,h->e", W2, hidden) + b2


def glu(X, U, V, u, v):
    gate = np.einsum("eh,e->h", V, X) + v
    return (np.einsum("eh,e->h", U, X) + u) * (0.5 + 0.5 * np.tanh(gate / 2))


def swiglu(X, U, V, W):
    z = X @ U
    return ((z * (0.5 + 0.5 * np.tanh(z / 2))) * (X @ V)) @ W


def gelu(z):
    inner = np.array([math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)) for x in z])
    return 0.5 * z * (1 + inner)


ENTRIES = [
    Entry("linear", linear, "out", {"X": "in[4]"}, {"W": "in[4] out[3]", "b": "out[3]"}),
    Entry("p", logistic, "", {"x": "feature[5]"}, {"w": "feature[5]", "c": 0.25}, gradients=True),
    Entry("sigma", lambda z: 1 / (1 + np.exp(-z)), "ax", {"z": "ax[5]"}),
    Entry("classify", classify, "class", {"x": "feature[5]"}, {"W": "feature[5] class[3]"}),
    Entry(
        "FFN",
        ffn,
        "emb",
        {"X": "emb[4]"},
        {"W1": "emb[4] hid[16]", "b1": "hid[16]", "W2": "hid[16] emb[4]", "b2": "emb[4]"},
        gradients=True,
    ),
    Entry(
        "GLU",
        glu,
        "hid",
        {"X": "emb[4]"},
        {"U": "emb[4] hid[3]", "V": "emb[4] hid[3]", "u": "hid[3]", "v": "hid[3]"},
    ),
    Entry(
        "SwiGLU",
        swiglu,
        "emb",
        {"X": "emb[4]"},
        {"U": "emb[4] hid[3]", "V": "emb[4] hid[3]", "W": "hid[3] emb[4]"},
    ),
    Entry("gelu", gelu, "hid", {"z": "hid[6]"}),
    Entry("mish", lambda z: z * np.tanh(np.log1p(np.exp(z))), "hid", {"z": "hid[6]"}),
    Entry("leaky", lambda z: np.maximum(z, 0.01 * z), "hid", {"z": "hid[6]"}),
]
