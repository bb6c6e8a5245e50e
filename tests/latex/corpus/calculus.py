"""What the formulas of calculus.tex give, by finite differences or in closed form."""

from __future__ import annotations

import numpy as np

from .entry import Entry

STEP = 1e-6


def jacobian(f, x):
    """Central differences: the axes of f, then those of x."""
    columns = []
    for place in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[place] = STEP
        columns.append((f(x + change) - f(x - change)) / (2 * STEP))
    return np.moveaxis(np.array(columns), 0, -1).reshape(*np.shape(f(x)), *x.shape)


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


def softmax_jacobian(X):
    p = softmax(X)
    return np.diag(p) - np.outer(p, p)


def loss(h, V, t):
    return -np.log(softmax(V @ h)[t.argmax()])


LOSS = {"t": "class[3] ~ one-hot class", "h": "hid[4]", "V": "class[3] hid[4]"}

ENTRIES = [
    Entry("y", lambda x, W: W @ x, "out", {"x": "in[3]", "W": "out[2] in[3]"}),
    Entry("J", lambda x, W: W, "out in*", {"x": "in[3]", "W": "out[2] in[3]"}, torch_only=True),
    Entry("K", lambda W: W, "out in*", {"W": "out[2] in[3]"}),
    Entry("S", lambda X: jacobian(softmax, X), "ax ax*", {"X": "ax[4]"}, torch_only=True),
    Entry("T", softmax_jacobian, "ax ax*", {"X": "ax[4]"}),
    Entry("L", lambda t, h, V: loss(h, V, t), "", LOSS, gradients=True),
    Entry(
        "G",
        lambda t, h, V: jacobian(lambda W: loss(h, W, t), V),
        "class* hid*",
        LOSS,
        torch_only=True,
    ),
    Entry(
        "g",
        lambda t, h, V: jacobian(lambda x: loss(x, V, t), h),
        "hid",
        LOSS,
        torch_only=True,
    ),
    Entry("B", lambda t, h, V: np.outer(softmax(V @ h) - t, h), "class* hid*", LOSS),
    Entry("Q", lambda z: z, "ax*", {"z": "ax[4]"}, torch_only=True),
]
