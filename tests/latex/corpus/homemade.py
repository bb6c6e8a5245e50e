"""What the formulas of homemade.tex give."""

from __future__ import annotations

import numpy as np

from .attention import attend, causal
from .convolution import conv1d
from .entry import Entry
from .geometry import k_means
from .language import bag
from .layers import sigmoid
from .probability import bayes, normal


def perceptron(X, V, W, b, c):
    return np.array([sigmoid(V @ sigmoid(W @ x + b) + c) for x in X])


def pool(X):
    return np.array(
        [
            [X[i : i + 2, j : j + 3].max() for j in range(0, X.shape[1], 3)]
            for i in range(0, X.shape[0], 2)
        ]
    )


ENTRIES = [
    Entry(
        "attention",
        lambda Q, K, V: attend(Q, K, V.T, causal),
        "time' val",
        {"Q": "key[3] time'[5]", "K": "key[3] time[5]", "V": "val[2] time[5]"},
    ),
    Entry(
        "MLP",
        perceptron,
        "batch output",
        {"X": "batch[2] in[3]"},
        {
            "V": "output[2] hidden[4]",
            "W": "hidden[4] in[3]",
            "b": "hidden[4]",
            "c": "output[2]",
        },
    ),
    Entry(
        "cbow",
        lambda X, E, W: bag(X, E, W.T),
        "class",
        {"X": "time[5] vocab[4] ~ one-hot vocab"},
        {"E": "vocab[4] hidden[3]", "W": "class[2] hidden[3]"},
    ),
    Entry("maxpool", pool, "height width", {"X": "height[4] width[6]"}),
    Entry(
        "conv",
        lambda X, W: conv1d(X, W, np.zeros(len(W))),
        "out_channel time",
        {"X": "channel[2] time[6]", "W": "out_channel[3] channel[2] kernel[3]"},
    ),
    Entry(
        "N",
        normal,
        "",
        {"x": "d[3]"},
        {"mu": "d[3]", "Sigma": "d1[3] d2[3] ~ definite"},
        gradients=True,
    ),
    Entry(
        "AB",
        lambda BA, A: bayes(BA.T, A).T,
        "A B",
        {"BA": "A[3] B[4] ~ probability B", "A": "A[3] ~ probability A"},
    ),
    Entry(
        "means",
        k_means,
        "cluster dim",
        {"P": "point[7] dim[3] ~ two centres", "C": "cluster[2] dim[3] ~ two centres"},
    ),
]
