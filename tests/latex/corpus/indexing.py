"""What the formulas of indexing.md give; positions count from 1 in the document, from 0 here."""

from __future__ import annotations

import numpy as np

from .entry import Entry


def differences(X):
    return np.diff(X, axis=0)


def toeplitz(c):
    return np.array([[c[abs(i - j)] for j in range(len(c))] for i in range(len(c))])


def parabola():
    V = np.empty((3, 4))
    for i in (1, 2, 3):
        for j in (1, 2, 3, 4):
            if i == 2 and j > 1:
                V[i - 1, j - 1] = i * i
            elif i != 2 or j == 3:
                V[i - 1, j - 1] = -j
            else:
                V[i - 1, j - 1] = 0.5
    return V


def parities():
    return np.array(
        [[(i + j) % 2 + j // 2 + (1 if i <= 3 else 2) for j in range(1, 5)] for i in range(1, 5)]
    )


SQUARE = {"A": "row[3] col[3]"}
VECTORS = {"x": "emb[4]", "y": "emb[4]"}

ENTRIES = [
    Entry("row", lambda A: A[0], "width", {"A": "height[3] width[3]"}),
    Entry("entry", lambda A: A[1, 2], "", {"A": "height[3] width[3]"}),
    Entry("pick", lambda E, i: E[i], "emb", {"E": "vocab[5] emb[4]", "i": 2}),
    Entry("hot", lambda E, i: E[i], "emb", {"E": "vocab[5] emb[4]", "i": 2}),
    Entry(
        "chosen",
        lambda S, Y: np.array([row[y] for row, y in zip(S, Y, strict=True)]),
        "seq",
        {"S": "seq[4] vocab[5]", "Y": "seq[4] ~ whole 5"},
    ),
    Entry("tr", np.trace, "", SQUARE),
    Entry("flip", lambda A: A.T, "row col", SQUARE),
    Entry("sym", lambda A: (A + A.T) / 2, "row col", SQUARE),
    Entry(
        "after",
        lambda X, Y: np.vstack([X, Y]),
        "seq emb",
        {"X": "seq[3] emb[4]", "Y": "seq[2] emb[4]"},
    ),
    Entry("pair", lambda x, y: np.array([x, y]), "part emb", VECTORS),
    Entry("both", lambda f, b: np.hstack([f, b]), "emb", {"f": "emb[3]", "b": "emb[3]"}),
    Entry(
        "flat",
        lambda G: np.array([pixel for line in G for pixel in line]),
        "layer chans",
        {"G": "height[2] width[3] chans[4]"},
    ),
    Entry("heads", lambda x: np.array([x[:3], x[3:]]), "head key", {"x": "emb[6]"}),
    Entry("whole", lambda Z: np.hstack(list(Z)), "emb", {"Z": "head[2] key[3]"}),
    Entry("D", differences, "seq emb", {"X": "seq[5] emb[4]"}),
    Entry("T", toeplitz, "row col", {"c": "tap[4]"}),
    Entry("V", parabola, "row col"),
    Entry("K", parities, "row col"),
]
