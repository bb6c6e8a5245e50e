"""What the formulas of vision.tex give, by loops over windows."""

from __future__ import annotations

import numpy as np

from .convolution import blocks, conv2d
from .entry import Entry


def lenet(X0, F1, a1, F2, a2, W3, b3, W4, b4):
    found = []
    for X in X0:
        for F, a in ((F1, a1), (F2, a2)):
            X = blocks(np.maximum(conv2d(X, F, a), 0), np.max)
        x = np.maximum(W3 @ np.moveaxis(X, 0, -1).ravel() + b3, 0)
        p = np.exp(W4 @ x + b4)
        found.append(p / p.sum())
    return np.array(found)


def squeeze(X, D, U):
    gate = U @ np.maximum(D @ X.mean((1, 2)), 0)
    return X / (1 + np.exp(-gate))[:, None, None]


def patches(X, W):
    found = []
    for i in range(0, X.shape[1], 2):
        for j in range(0, X.shape[2], 2):
            found.append(np.einsum("chw,chwe->e", X[:, i : i + 2, j : j + 2], W))
    return np.array(found)


def stretch(X):
    return np.array([(x - x.min()) / np.ptp(x) for x in X])


IMAGE = {"X": "chans[2] height[4] width[6]"}

ENTRIES = [
    Entry(
        "O",
        lenet,
        "batch class",
        {"X0": "batch[2] chans[1] height[10] width[14]"},
        {
            "F1": "chans'[2] chans[1] kh[3] kw[3]",
            "a1": "chans'[2]",
            "F2": "chans'[3] chans[2] kh[3] kw[3]",
            "a2": "chans'[3]",
            "W3": "hidden[5] layer[6]",
            "b3": "hidden[5]",
            "W4": "class[4] hidden[5]",
            "b4": "class[4]",
        },
    ),
    Entry(
        "SE", squeeze, "chans height width", IMAGE, {"D": "red[3] chans[2]", "U": "chans[2] red[3]"}
    ),
    Entry("patches", patches, "patch emb", IMAGE, {"W": "chans[2] ph[2] pw[2] emb[3]"}),
    Entry("grey", lambda X, w: np.tensordot(w, X, 1), "height width", IMAGE, {"w": "chans[2]"}),
    Entry(
        "brighter",
        lambda X, delta: np.clip(X + delta, 0, 1),
        "chans height width",
        IMAGE,
        {"delta": 0.3},
    ),
    Entry("stretch", stretch, "chans height width", IMAGE),
]
