"""What the formulas of attention_variants.tex give."""

from __future__ import annotations

import numpy as np

from .entry import Entry


def softmax(scores, axis):
    powers = np.exp(scores - scores.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def attention(Q, K, V):
    return softmax(K @ Q / np.sqrt(len(Q)), 0) @ V


def self_attention(X, WQ, WK, WV, WO):
    total = 0
    for q, k, v, o in zip(WQ, WK, WV, WO, strict=True):
        scores = (X @ q) @ (X @ k).T / np.sqrt(q.shape[1])
        scores[np.triu_indices(len(X), 1)] = -np.inf
        total = total + softmax(scores, 1) @ (X @ v) @ o
    return total


def linear_attention(Q, K, V):
    q, k = 1 + np.maximum(Q, 0), 1 + np.maximum(K, 0)
    weights = q @ k.T
    return weights / weights.sum(1, keepdims=True) @ V


def graph_attention(X, A, W, a, b):
    H = X @ W
    rows = []
    for j in range(len(X)):  # node'
        p = A[:, j] * np.exp(np.tanh(H[j] @ a + H @ b))
        rows.append(p @ H / p.sum())
    return np.array(rows)


def grouped(Q, K, V):
    scores = np.einsum("hgqk,hsk->hgqs", Q, K) / np.sqrt(Q.shape[-1])
    return np.einsum("hgqs,hsv->hgqv", softmax(scores, -1), V)


def capped(Q, K, V):
    scores = np.einsum("hgqk,hsk->hgqs", Q, K) / np.sqrt(Q.shape[-1])
    return np.einsum("hgqs,hsv->hgqv", softmax(5 * np.tanh(scores / 5), -1), V)


GROUPED = {
    "Q": "heads[2] group[2] seq'[4] key[3]",
    "K": "heads[2] seq[5] key[3]",
    "V": "heads[2] seq[5] val[2]",
}

ENTRIES = [
    Entry(
        "Attention", attention, "val", {"Q": "key[4]", "K": "seq[5] key[4]", "V": "seq[5] val[3]"}
    ),
    Entry(
        "SelfAtt",
        self_attention,
        "seq layer",
        {"X": "seq[5] layer[6]"},
        {
            "WQ": "heads[2] layer[6] key[3]",
            "WK": "heads[2] layer[6] key[3]",
            "WV": "heads[2] layer[6] val[3]",
            "WO": "heads[2] val[3] layer[6]",
        },
    ),
    Entry(
        "linatt",
        linear_attention,
        "seq' val",
        {"Q": "seq'[4] key[3]", "K": "seq[5] key[3]", "V": "seq[5] val[2]"},
    ),
    Entry(
        "GAT",
        graph_attention,
        "node layer",
        {"X": "node[4] feat[3]", "A": "node[4] node'[4] ~ ones"},
        {"W": "feat[3] layer[2]", "a": "layer[2]", "b": "layer[2]"},
    ),
    Entry("GQA", grouped, "heads group seq' val", GROUPED),
    Entry("capped", capped, "heads group seq' val", GROUPED),
]
