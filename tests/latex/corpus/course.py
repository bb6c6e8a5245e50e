"""What the formulas of course.tex give."""

from __future__ import annotations

import math

import numpy as np

from .attention import attend
from .entry import Entry


def single(X, WQ, WK, WV, WO):
    return attend((X @ WQ).T, (X @ WK).T, X @ WV) @ WO


def several(X, *weights):
    return sum(single(X, *head) for head in zip(*weights, strict=True))


def states(x, h0, A, B, c):
    found = [h0]
    for step in x:
        found.append(np.tanh(A.T @ found[-1] + B.T @ step + c))
    return found


HEAD = {
    "WQ": "emb[4] key[3]",
    "WK": "emb[4] key[3]",
    "WV": "emb[4] val[2]",
    "WO": "val[2] emb[4]",
}
TIME = {"x": "t[5] emb[3]", "h0": "state[2]"}
CELL = {"A": "state[2] state'[2]", "B": "emb[3] state'[2]", "c": "state'[2]"}
A = {"A": "row[3] col[3]"}
TWO = {**A, "B": "row[3] col[3]"}

ENTRIES = [
    Entry("Single", single, "seq emb", {"X": "seq[5] emb[4]"}, HEAD, gradients=True),
    Entry(
        "Several",
        several,
        "seq emb",
        {"X": "seq[5] emb[4]"},
        {name: f"head[2] {space}" for name, space in HEAD.items()},
    ),
    Entry("h^4", lambda *given: states(*given)[4], "state", TIME, CELL),
    Entry(
        "answer",
        lambda x, h0, A, B, c, w: w @ states(x, h0, A, B, c)[-1],
        "",
        TIME,
        {**CELL, "w": "state[2]"},
    ),
    Entry("scaled", lambda A, k: A * k, "row col", {**A, "k": 2.5}),
    Entry("upper", np.maximum, "row col", TWO),
    Entry("clamp", lambda A: np.clip(A, -1, 1), "row col", A),
    Entry(
        "area",
        lambda A: A[0] @ np.cross(A[1], A[2]),
        "",
        A,
    ),
    Entry("inner", lambda A, B: np.trace(A.T @ B), "", TWO),
    Entry("mix", lambda A, B, k: A + k * (B - A), "row col", {**TWO, "k": 0.25}),
    Entry("lse", lambda A: [math.log(np.exp(a).sum()) for a in A.T], "col", A),
    Entry("signed", np.sign, "row col", A),
]
