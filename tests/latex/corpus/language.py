"""What the formulas of language.md give."""

from __future__ import annotations

import math

import numpy as np

from .entry import Entry


def softmax(z):
    powers = np.exp(z - z.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def bag(X, E, W):
    words = X.argmax(1)
    return softmax(E[words].mean(0) @ W)


def encoding(n, d):
    P = np.zeros((n, d))
    for p in range(n):
        for i in range(d):
            angle = p / 10000 ** ((i - i % 2) / d)
            P[p, i] = math.cos(angle) if i % 2 else math.sin(angle)
    return P


def place(X, E):
    d = E.shape[1]
    return E[X.argmax(1)] * math.sqrt(d) + encoding(len(X), d)


def turn(Q):
    n, pairs, _ = Q.shape
    numbers = Q[..., 0] + 1j * Q[..., 1]
    for p in range(n):
        for j in range(pairs):
            numbers[p, j] *= np.exp(1j * p * 100 ** (-2 * j / (2 * pairs)))
    return np.stack([numbers.real, numbers.imag], -1)


def nll(Z, Y):
    return -np.log(softmax(Z)[np.arange(len(Z)), Y.argmax(1)])


def smooth(Z, Y, alpha):
    v = Z.shape[1]
    others = -np.log(softmax(Z)).sum(1) / v
    return (1 - alpha) * nll(Z, Y) + alpha * others


def skip_gram(a, b, N):
    score = np.log(1 + math.exp(-(a @ b)))
    return score + sum(math.log(1 + math.exp(n @ a)) for n in N)


TEXT = {"X": "seq[6] vocab[5] ~ one-hot vocab"}
SCORES = {"Z": "seq[4] vocab[5]", "Y": "seq[4] vocab[5] ~ one-hot vocab"}

ENTRIES = [
    Entry("bow", bag, "class", TEXT, {"E": "vocab[5] emb[4]", "W": "emb[4] class[3]"}),
    Entry("tf", lambda X: X.sum(0) / len(X), "vocab", TEXT),
    Entry(
        "tfidf",
        lambda X, c, N: X.mean(0) * (math.log(N) - np.log(c)),
        "vocab",
        {**TEXT, "c": "vocab[5] ~ counts"},
        {"N": 7.0},
    ),
    Entry(
        "embed",
        lambda I, E: E[I],
        "seq emb",
        {"I": "seq[6] ~ whole 5"},
        {"E": "vocab[5] emb[4]"},
    ),
    Entry(
        "lookup",
        lambda I, E: np.array([E[i] for i in I]),
        "seq emb",
        {"I": "seq[6] ~ whole 5"},
        {"E": "vocab[5] emb[4]"},
    ),
    Entry("place", place, "seq emb", TEXT, {"E": "vocab[5] emb[4]"}),
    Entry("turn", turn, "seq pair part", {"Q": "seq[5] pair[3] part[2]"}),
    Entry("nll", nll, "seq", SCORES, gradients=True),
    Entry("loss", lambda Z, Y: nll(Z, Y).mean(), "", SCORES),
    Entry("perplexity", lambda Z, Y: np.prod(np.exp(nll(Z, Y) / len(Z))), "", SCORES),
    Entry("smooth", smooth, "seq", SCORES, {"alpha": 0.1}),
    Entry(
        "tied",
        lambda h, E: softmax(h @ E.T),
        "seq vocab",
        {"h": "seq[3] emb[4]"},
        {"E": "vocab[5] emb[4]"},
    ),
    Entry(
        "sgns",
        skip_gram,
        "",
        {"a": "emb[4]", "b": "emb[4]", "N": "neg[3] emb[4]"},
        gradients=True,
    ),
]
