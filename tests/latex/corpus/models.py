"""What the formulas of models.tex give."""

from __future__ import annotations

import math

import numpy as np

from .attention_variants import softmax
from .entry import Entry


def divergence(x, Am, cm, Av, cv, B):
    h = np.tanh(B @ x)
    m, v = Am @ h + cm, Av @ h + cv
    return sum((math.exp(b) + a * a - 1 - b) / 2 for a, b in zip(m, v, strict=True))


def state_space(u, a, b, c):
    s, outputs = np.zeros_like(a), []
    for step in u:
        s = np.exp(-(a**2)) * s + b * step[:, None]
        outputs.append((c * s).sum(1))
    return np.array(outputs)


def context(H, g, U, V, w):
    scores = np.array([w @ np.tanh(U @ h + V @ g) for h in H])
    return softmax(scores, 0) @ H


def factorised(R, O, P, Q):
    seen = sum(O[u, i] * (R[u, i] - P[u] @ Q[i]) ** 2 for u in range(len(P)) for i in range(len(Q)))
    return seen + 0.1 * (np.vdot(P, P) + np.vdot(Q, Q))


def standardize(X):
    return (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5)


def gelu(z):
    return z * 0.5 * (1 + np.vectorize(math.erf)(z / math.sqrt(2)))


def mixer(X, W1, W2, V1, V2):
    U = X + W2 @ gelu(W1.T @ standardize(X))
    return U + gelu(standardize(U) @ V1) @ V2.T


LATENT = {
    "A__m": "latent[2] hid[3]",
    "c__m": "latent[2]",
    "A__v": "latent[2] hid[3]",
    "c__v": "latent[2]",
    "B": "hid[3] pixel[4]",
}
SAMPLES = {"S": "batch[5] emb[3]"}

ENTRIES = [
    Entry("div", divergence, "", {"x": "pixel[4]"}, LATENT, gradients=True),
    Entry(
        "y",
        state_space,
        "seq chan",
        {
            "u": "seq[4] chan[2]",
            "a": "chan[2] state[3]",
            "b": "chan[2] state[3]",
            "c": "chan[2] state[3]",
        },
        gradients=True,
    ),
    Entry(
        "context",
        context,
        "hid",
        {"H": "src[4] hid[3]", "g": "hid[3]"},
        {"U": "hid'[2] hid[3]", "V": "hid'[2] hid[3]", "w": "hid'[2]"},
        gradients=True,
    ),
    Entry(
        "L",
        factorised,
        "",
        {"R": "user[3] item[4]", "O": "user[3] item[4] ~ bits"},
        {"P": "user[3] factor[2]", "Q": "item[4] factor[2]"},
        gradients=True,
    ),
    Entry(
        "x_1",
        lambda x, noise, alpha: math.sqrt(alpha) * x + math.sqrt(1 - alpha) * noise,
        "pixel",
        {"x_0": "pixel[4]", "epsilon": "pixel[4]", "alphabar": 0.7},
    ),
    Entry(
        "Y",
        mixer,
        "seq emb",
        {"X": "seq[4] emb[3]"},
        {
            "W1": "seq[4] hid[2]",
            "W2": "seq[4] hid[2]",
            "V1": "emb[3] hid[2]",
            "V2": "emb[3] hid[2]",
        },
    ),
    Entry("Sigmahat", lambda S: np.cov(S.T), "emb emb'", SAMPLES),
    Entry("rho", lambda S: np.corrcoef(S.T), "emb emb'", SAMPLES),
]
