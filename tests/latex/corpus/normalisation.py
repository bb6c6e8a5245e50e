"""What the formulas of normalisation.md give."""

from __future__ import annotations

import numpy as np

from .entry import Entry

EPSILON = 1e-5


def standardize(X, *places):
    mean = X.mean(places, keepdims=True)
    spread = ((X - mean) ** 2).mean(places, keepdims=True)
    return (X - mean) / np.sqrt(spread + EPSILON)


def layer_norm(X, gamma, beta):
    return standardize(X, 0) * gamma + beta


def rms(X, g):
    return X / np.sqrt(np.mean(X**2) + EPSILON) * g


def groups(X):
    first, second = np.split(X, 2)
    return np.concatenate([standardize(first, 0, 1), standardize(second, 0, 1)])


def sharp(z, tau):
    powers = np.exp(z / tau)
    return powers / powers.sum()


BATCH = {"X": "batch[3] chans[2] layer[4]"}
CHANNELS = {"gamma": "chans[2]", "beta": "chans[2]"}

ENTRIES = [
    Entry(
        "BatchNorm",
        lambda X, gamma, beta: standardize(X, 0, 2) * gamma[:, None] + beta[:, None],
        "batch chans layer",
        BATCH,
        CHANNELS,
    ),
    Entry(
        "InstanceNorm",
        lambda X, gamma, beta: standardize(X, 2) * gamma[:, None] + beta[:, None],
        "batch chans layer",
        BATCH,
        CHANNELS,
    ),
    Entry(
        "LayerNorm",
        lambda X, gamma, beta: standardize(X, 1, 2) * gamma + beta,
        "batch chans layer",
        BATCH,
        {"gamma": "chans[2] layer[4]", "beta": "chans[2] layer[4]"},
        gradients=True,
    ),
    Entry("lnorm", layer_norm, "emb", {"X": "emb[5]"}, {"gamma": "emb[5]", "beta": "emb[5]"}),
    Entry("RMSNorm", rms, "emb", {"X": "emb[5]"}, {"g": "emb[5]"}, gradients=True),
    Entry("unit", lambda X: X / np.sqrt(X @ X), "emb", {"X": "emb[5]"}),
    Entry("GroupNorm", groups, "chans layer", {"X": "chans[6] layer[3]"}),
    Entry(
        "weightnorm",
        lambda V, g: np.stack([g[j] * v / np.linalg.norm(v) for j, v in enumerate(V.T)], 1),
        "in out",
        {"V": "in[3] out[4]", "g": "out[4]"},
    ),
    Entry("sharp", sharp, "class", {"z": "class[4]"}, {"tau": 0.5}),
]
