"""What the formulas of optimisation.md give."""

from __future__ import annotations

import math

import numpy as np

from .entry import Entry


def adam(theta, m, v, beta_1, beta_2, t):
    m, v = m / (1 - beta_1**t), v / (1 - beta_2**t)
    return theta - 0.1 * m / (np.sqrt(v) + 1e-8)


def clipped(g, c):
    length = math.hypot(*g)
    return g if length <= c else g / length * c


def huber(y, z):
    losses = [d * d / 2 if d <= 1 else d - 0.5 for d in np.abs(y - z)]
    return sum(losses) / len(losses)


def elastic(theta, lambda_, alpha):
    return lambda_ * (alpha * np.abs(theta).sum() + (1 - alpha) / 2 * theta @ theta)


def contrast(A, B, tau):
    S = A @ B.T / tau
    rows = sum(S[i, i] - math.log(np.exp(S[i]).sum()) for i in range(len(S)))
    columns = sum(S[i, i] - math.log(np.exp(S[:, i]).sum()) for i in range(len(S)))
    return -(rows + columns) / (2 * len(S))


def returns(r, gamma):
    found = [0.0]
    for reward in r[::-1]:
        found.append(reward + gamma * found[-1])
    return np.array(found[:0:-1])


WEIGHTS = {"theta": "weight[4]", "m": "weight[4]", "v": "weight[4] ~ positive"}
TARGETS = {"y": "batch[5]", "z": "batch[5]"}

ENTRIES = [
    Entry(
        "theta",
        lambda theta, g: theta - 0.1 * g,
        "weight",
        {"theta": "weight[4]", "g": "weight[4]"},
    ),
    Entry(
        "first",
        lambda m, g, beta: g + beta * (m - g),
        "weight",
        {"m": "weight[4]", "g": "weight[4]"},
        {"beta_1": 0.9},
    ),
    Entry(
        "second",
        lambda v, g, beta: beta * v + g * g - beta * g * g,
        "weight",
        {"v": "weight[4]", "g": "weight[4]"},
        {"beta_2": 0.99},
    ),
    Entry("adam", adam, "weight", WEIGHTS, {"beta_1": 0.9, "beta_2": 0.99, "t": 3}),
    Entry("clipped", clipped, "weight", {"g": "weight[4]"}, {"c": 1.0}),
    Entry(
        "rate",
        lambda t, w: 512**-0.5 * min(1 / math.sqrt(t), t / math.sqrt(w) ** 3),
        "",
        {"t": 3},
        {"w": 10},
    ),
    Entry("mse", lambda y, z: np.mean((y - z) ** 2), "", TARGETS, gradients=True),
    Entry("hinge", lambda y, z: sum(max(0, 1 - a) for a in y * z) / 5, "", TARGETS),
    Entry("huber", huber, "", TARGETS, gradients=True),
    Entry("elastic", elastic, "", {"theta": "weight[4]"}, {"lambda_": 0.1, "alpha": 0.3}),
    Entry("clip", contrast, "", {"A": "batch[4] emb[3]", "B": "batch[4] emb[3]"}, {"tau": 0.7}),
    Entry("returns", returns, "time", {"r": "time[5]"}, {"gamma": 0.9}),
]
