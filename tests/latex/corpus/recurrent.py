"""What the formulas of recurrent.tex give, step by step."""

from __future__ import annotations

import numpy as np

from .entry import Entry


def sigmoid(z):
    return 0.5 * (1 + np.tanh(0.5 * z))


def elman(x, h0, W, U, b):
    h, states = h0, []
    for step in x:
        h = np.tanh(U @ h + step @ W + b)
        states.append(h)
    return np.stack(states)


def elman_by_index(X, W, U):
    h, states = np.zeros(W.shape[1]), []
    for step in X:
        h = np.tanh(U @ h + step @ W)
        states.append(h)
    return np.stack(states)


def gru(x, h, Wz, Wr, Wc, Uz, Ur, Uc):
    z, r = sigmoid(Wz @ x + Uz @ h), sigmoid(Wr @ x + Ur @ h)
    return h + z * (np.tanh(Wc @ x + Uc @ (r * h)) - h)


GATES_W = {f"W{k}": "hid[3] emb[4]" for k in "fiog"}
GATES_U = {f"U__{k}": "hid[3] hid'[3]" for k in "fiog"}


KEPT = {name: space for name, space in {**GATES_W, **GATES_U}.items() if not name.endswith("o")}


def memory(x, h, c, Wf, Wi, Wg, Uf, Ui, Ug):
    return sigmoid(Wf @ x + Uf @ h) * c + sigmoid(Wi @ x + Ui @ h) * np.tanh(Wg @ x + Ug @ h)


def lstm_parts(x, h, c, *weights):
    W = dict(zip("fiog", weights[:4], strict=True))
    U = dict(zip("fiog", weights[4:], strict=True))
    gate = {k: W[k] @ x + U[k] @ h for k in "fiog"}
    kept = sigmoid(gate["f"]) * c + sigmoid(gate["i"]) * np.tanh(gate["g"])
    return kept, sigmoid(gate["o"]) * np.tanh(kept)


def linear_attention(K, Q, V):
    n = len(K)
    return np.array([sum((Q[t] @ K[s]) * V[s] for s in range(t + 1)) for t in range(n)])


CELL = {"x": "emb[4]", "h": "hid[3]", "c": "hid[3]"}

ENTRIES = [
    Entry(
        "h",
        elman,
        "t hid",
        {"x": "t[5] emb[4]", "h0": "hid[3]"},
        {"W": "emb[4] hid[3]", "U": "hid[3] hid'[3]", "b": "hid[3]"},
    ),
    Entry(
        "H",
        elman_by_index,
        "seq hid",
        {"X": "seq[5] emb[4]"},
        {"W": "emb[4] hid[3]", "U": "hid[3] hid'[3]"},
        gradients=True,
    ),
    Entry(
        "GRU",
        gru,
        "hid",
        {"x": "emb[4]", "h": "hid[3]"},
        {
            **{f"W{k}": "hid[3] emb[4]" for k in "zrc"},
            **{f"U__{k}": "hid[3] hid'[3]" for k in "zrc"},
        },
        gradients=True,
    ),
    Entry("memory", memory, "hid", CELL, KEPT),
    Entry("LSTM", lambda *given: lstm_parts(*given)[1], "hid", CELL, {**GATES_W, **GATES_U}),
    Entry(
        "Y",
        linear_attention,
        "seq val",
        {"K": "seq[5] key[3]", "Q": "seq[5] key[3]", "V": "seq[5] val[2]"},
    ),
]
