"""What the formulas of families.md give."""

from __future__ import annotations

import math

import numpy as np

from .entry import Entry


def residual(x0, *weights):
    x = x0
    for W in weights:
        x = np.tanh(W @ x) + x
    return x


def fibonacci(n):
    return 0 if n == 0 else round(((1 + math.sqrt(5)) / 2) ** n / math.sqrt(5))


def newton(s, steps):
    r = 1.0
    for _ in range(steps):
        r = (r + s / r) / 2
    return r


def power(A, v, steps):
    for _ in range(steps):
        v = A @ v
    return v / np.linalg.norm(v)


ENTRIES = [
    Entry(
        "f",
        lambda x, W: np.tanh(W @ x),
        "in",
        {"x": "in[3]"},
        {"W2": "out[3] in[3]"},
        member=2,
    ),
    Entry(
        "xL",
        residual,
        "in",
        {"x0": "in[3]"},
        {f"W{l}": "out[3] in[3]" for l in (1, 2, 3)},
        chosen={"L": 3},
    ),
    Entry("phi", lambda s: 3 * s * s - 1, "", {"s": 0.7}, member=3),
    Entry("psi", lambda s: s**4 / 4, "", {"s": 0.7}, member=4),
    Entry("poly", lambda s: s + s**2 / 2 + s**3 / 3 + s**4 / 4, "", {"s": 0.7}),
    Entry("inner", lambda u, v: u @ v, "", {"u": "in[4]", "v": "in[4]"}),
    Entry("cumulated", np.cumsum, "in", {"u": "in[4]"}),
    Entry("a^{10}", lambda: fibonacci(10), ""),
    Entry("r^5", lambda s: newton(s, 5), "", {"s": 2.0}),
    Entry(
        "v^6",
        lambda v0, A: power(A, v0, 6),
        "in",
        {"v0": "in[3]"},
        {"A": "in[3] in'[3]"},
    ),
]
