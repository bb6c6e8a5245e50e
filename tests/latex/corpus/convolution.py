"""What the formulas of convolution.tex give, by loops over windows."""

from __future__ import annotations

import numpy as np

from .entry import Entry


def conv1d(X, W, b):
    n, k = X.shape[1], W.shape[2]
    windows = [(W * X[None, :, i : i + k]).sum((1, 2)) + b for i in range(n - k + 1)]
    return np.stack(windows, 1)


def depthwise(X, w):
    return np.stack([np.convolve(x, f[::-1], "valid") for x, f in zip(X, w, strict=True)])


def conv2d(X, W, b):
    _, h, w = X.shape
    out, _, kh, kw = W.shape
    Y = np.zeros((out, h - kh + 1, w - kw + 1))
    for i in range(h - kh + 1):
        for j in range(w - kw + 1):
            Y[:, i, j] = (W * X[:, i : i + kh, j : j + kw]).sum((1, 2, 3)) + b
    return Y


def blocks(X, reduce):
    _, h, w = X.shape
    return np.array(
        [
            [[reduce(x[i : i + 2, j : j + 2]) for j in range(0, w, 2)] for i in range(0, h, 2)]
            for x in X
        ]
    )


LINE = {"W": "out[4] chans[3] kernel[2]", "b": "out[4]"}
PLANE = {"W": "out[2] chans[3] kh[2] kw[3]", "b": "out[2]"}
IMAGE = {"X": "chans[3] height[4] width[6]"}

ENTRIES = [
    Entry("Conv1d", conv1d, "out seq", {"X": "chans[3] seq[7]"}, LINE, gradients=True),
    Entry("ConvByIndex", conv1d, "out seq", {"X": "chans[3] seq[7]"}, LINE),
    Entry(
        "Depthwise", depthwise, "chans seq", {"X": "chans[3] seq[7]"}, {"w": "chans[3] kernel[3]"}
    ),
    Entry("Conv2d", conv2d, "out height width", IMAGE, PLANE, gradients=True),
    Entry("Conv2dByIndex", conv2d, "out height width", IMAGE, PLANE),
    Entry("MaxPool1d", lambda X: np.maximum(X[::2], X[1::2]), "seq", {"X": "seq[8]"}),
    Entry("AvgPool2d", lambda X: blocks(X, np.mean), "chans height width", IMAGE),
    Entry("MaxPool2d", lambda X: blocks(X, np.max), "chans height width", IMAGE),
]
