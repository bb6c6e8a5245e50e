"""What the formulas of attention.md give: one query, one head after the other."""

from __future__ import annotations

import numpy as np

from .entry import Entry


def attend(Q, K, V, score=lambda i, j: 0.0):
    """Q, K and V are key x seq', key x seq, seq x val."""
    rows = []
    for i in range(Q.shape[1]):
        scores = [Q[:, i] @ K[:, j] / np.sqrt(len(Q)) + score(i, j) for j in range(K.shape[1])]
        p = np.exp(scores)
        rows.append(p @ V / p.sum())
    return np.array(rows)


def causal(i, j):
    return 0.0 if j <= i else -np.inf


def window(i, j):
    return 0.0 if 0 <= i - j <= 2 else -np.inf


def many(X, Y, WQ, WK, WV, WO, score=lambda i, j: 0.0):
    total = 0
    for q, k, v, o in zip(WQ, WK, WV, WO, strict=True):
        total = total + attend((X @ q).T, (Y @ k).T, Y @ v, score) @ o
    return total


QKV = {"Q": "key[4] seq'[5]", "K": "key[4] seq[6]", "V": "seq[6] val[3]"}
HEADS = {
    "WQ": "head[2] emb[6] key[3]",
    "WK": "head[2] emb[6] key[3]",
    "WV": "head[2] emb[6] val[3]",
    "WO": "head[2] val[3] emb[6]",
}

ENTRIES = [
    Entry("att", attend, "seq' val", QKV, gradients=True),
    Entry(
        "masked",
        lambda Q, K, V, M: attend(Q, K, V, lambda i, j: M[j, i]),
        "seq' val",
        {**QKV, "M": "seq[6] seq'[5]"},
    ),
    Entry("causal", lambda Q, K, V: attend(Q, K, V, causal), "seq' val", QKV),
    Entry("window", lambda Q, K, V: attend(Q, K, V, window), "seq' val", QKV),
    Entry(
        "padded",
        lambda Q, K, V, P: attend(Q, K, V, lambda i, j: 0.0 if P[j] else -np.inf),
        "seq' val",
        {**QKV, "P": "seq[6] ~ first 4"},
    ),
    Entry("sloped", lambda Q, K, V: attend(Q, K, V, lambda i, j: -abs(i - j) / 8), "seq' val", QKV),
    Entry(
        "MHA",
        lambda X, *W: many(X, X, *W, score=causal),
        "seq emb",
        {"X": "seq[5] emb[6]"},
        HEADS,
        gradients=True,
    ),
    Entry("cross", many, "seq' emb", {"X": "seq'[4] emb[6]", "Y": "seq[5] emb[6]"}, HEADS),
]
