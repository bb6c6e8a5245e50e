"""What the formulas of wild.tex give."""

from __future__ import annotations

import numpy as np

from .attention_variants import softmax
from .entry import Entry

X = {"X": "seq[3] emb[4]"}
W = {"W": "emb[4] hid[2]"}


def one_hot(X):
    return np.eye(X.shape[1])[X.argmax(1)]


def numbers(X):
    return -0.04 * X + 1.8 / X - np.abs(X) ** 1.5 + 1


ENTRIES = [
    Entry("old", lambda X, W: np.tanh(X @ W), "seq hid", X, W),
    Entry("older", lambda X, W: np.tanh(X @ W) + 2, "seq hid", X, W),
    Entry("colon", lambda X: X + X + 0.5, "seq emb", X),
    Entry("named", lambda X: X / 3, "seq emb", X),
    Entry("stacked", lambda X: np.vdot(X, X), "", X, gradients=True),
    Entry("triangle", lambda X: 1000 * (X - X.mean(1, keepdims=True)), "seq emb", X),
    Entry("shifted", lambda s, c: softmax(s, 0), "seq", {"s": "seq[4]", "c": 1.5}),
    Entry("tight", lambda X: (X + 1) ** 2 / np.sqrt(2), "seq emb", X),
    Entry("loose", lambda X: X, "seq emb", X),
    Entry("positive", lambda X: X * (X > 0), "seq emb", X),
    Entry("both", lambda X: X, "seq emb", X),
    Entry(
        "fonts",
        lambda v, w, T: v @ T @ w,
        "",
        {"v": "emb[3]", "w": "emb[3]"},
        {"T": "emb[3] emb'[3]"},
    ),
    Entry(
        "distance",
        lambda X, X_: np.linalg.norm(X_ - X) / 2,
        "",
        {**X, "X_": "seq[3] emb[4]"},
    ),
    Entry("below", lambda X: softmax(X, 0), "seq emb", X),
    Entry("beside", lambda X: X.sum(1) / 4, "seq", X),
    Entry("limits", lambda X: X.max(1), "seq", X),
    Entry("hot", one_hot, "seq emb", X),
    Entry("rooted", lambda X: np.sqrt((X**2).mean(1)), "seq", X),
    Entry("across", lambda X, W: (X + 1) @ W, "seq hid", {**X, **W}),
    Entry("top", lambda X: X[0], "emb", X),
    Entry("bottom", lambda X: X[-1], "emb", X),
    Entry("numbers", numbers, "seq emb", X),
]
