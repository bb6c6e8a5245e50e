"""What the formulas of hosts.tex give."""

from __future__ import annotations

import numpy as np

from .entry import Entry

X = {"x": "in[4]"}

ENTRIES = [
    Entry("one", lambda x, W: np.tanh(x @ W), "hid", X, {"W": "in[4] hid[3]"}),
    Entry(
        "two",
        lambda x, W, V: np.tanh(x @ W) @ V,
        "out",
        X,
        {"W": "in[4] hid[3]", "V": "hid[3] out[2]"},
    ),
    Entry("three", lambda x, W: x @ x / 2, "", X, {"W": "in[4] hid[3]"}),
    Entry("four", lambda x, y: (x + y) ** 3, "in", {**X, "y": "in[4]"}),
    Entry(
        "five",
        lambda x: np.exp(x).sum() + x.sum() - np.log(np.exp(2 * x).sum()),
        "",
        X,
        gradients=True,
    ),
    Entry("seven", lambda x: ((x + 1) ** 2).sum() - 1, "", X),
    Entry("eight", lambda x: sum(x) / len(x), "", X),
    Entry("nine", lambda x: np.prod(x) ** (1 / len(x)), "", {"x": "in[4] ~ positive"}),
    Entry("ten", lambda x: np.mean(x**2), "", X),
    Entry("eleven", lambda x: max(abs(x)), "", X),
]
