"""What the formulas of mixed.md give."""

from __future__ import annotations

import itertools
import math

import numpy as np

from .entry import Entry


def scores(X, Q):
    found = np.exp(X @ Q)
    return found / found.sum(0)


def edges(A):
    S = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    h, w = A.shape
    return np.array(
        [[(S * A[i : i + 3, j : j + 3]).sum() for j in range(w - 2)] for i in range(h - 2)]
    )


def pairs(z):
    return sum(a * b for a, b in itertools.combinations(z, 2))


X = {"x": "emb[4]"}
Z = {"z": "col[3]"}
SQUARE = {"B": "row[3] col[3] ~ definite"}
SEQUENCES = {"F": "seq[2] emb[3]", "G": "seq[4] emb[3]"}

ENTRIES = [
    Entry("scores", scores, "seq query", {"X": "seq[4] emb[3]", "Q": "emb[3] seq'[2]"}),
    Entry("geo", lambda x: math.exp(np.log(x).mean()), "", {"x": "emb[4] ~ positive"}),
    Entry("root", lambda x: np.cbrt(x * x + 1), "emb", X, gradients=True),
    Entry("outer", np.outer, "row col", {"y": "row[3]", "z": "col[2]"}),
    Entry(
        "cube",
        lambda x, y, z: np.array([[[a * b * c for c in z] for b in y] for a in x]),
        "emb row col",
        {"x": "emb[4]", "y": "row[3]", "z": "col[2]"},
    ),
    Entry(
        "powers",
        lambda y, W1, W2: W1 * W1 + W2 * y * y * y - np.exp2(y),
        "row",
        {"y": "row[3]"},
        {"W1": "row[3]", "W2": "row[3]"},
    ),
    Entry("ident", np.ones_like, "emb", X),
    Entry(
        "bits",
        lambda p: -sum(a * math.log(a, 2) for a in p),
        "",
        {"p": "emb[4] ~ probability emb"},
    ),
    Entry("count", lambda x: sum(1 for a in x if a > 0), "", X),
    Entry("between", lambda x: sum(1 for a in x if -1 < a <= 1) / len(x), "", X),
    Entry("parts", lambda x: x - 1, "emb", X),
    Entry("edges", edges, "height width", {"A": "height[4] width[5]"}),
    Entry("volume", lambda B: math.prod(np.linalg.eigvalsh(B)), "", SQUARE),
    Entry("solved", lambda B, z: np.linalg.solve(B, z), "row", {**SQUARE, **Z}),
    Entry("twice", lambda B: np.linalg.matrix_power(B, 2), "row col'", SQUARE),
    Entry("long", lambda F, G: np.array([*F, *G]), "seq emb", SEQUENCES),
    Entry("wide", lambda F, G: np.array([*F.sum(0), *G.sum(0)]), "emb", SEQUENCES),
    Entry("energy", lambda z, J: -0.5 * z @ J @ z, "", Z, {"J": "col[3] col'[3]"}),
    Entry("best", max, "", Z),
    Entry("pairs", pairs, "", {"z": "col[4]"}),
]
