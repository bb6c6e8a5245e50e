"""What the formulas of transformer.md give: layers in a loop, heads in a loop."""

from __future__ import annotations

import numpy as np

from .attention import attend, causal, many
from .entry import Entry
from .feedforward import ffn


def norm(X, gamma, beta):
    return np.array([(x - x.mean()) / np.sqrt(x.var() + 1e-5) * gamma + beta for x in X])


def layers(I, E, *bundles):
    X = I @ E
    for mha, lnorm, feed in zip(*[iter(bundles)] * 3, strict=True):
        T = norm(many(X, X, *mha.values(), score=causal), **lnorm) + X
        X = norm(np.array([ffn(t, **feed) for t in T]), **lnorm) + T
    return X


def transformer(I, E, *bundles):
    p = np.exp(layers(I, E, *bundles) @ E.T)
    return p / p.sum(1, keepdims=True)


QKV = {"Q": "key[4] seq'[5]", "K": "key[4] seq[5]", "V": "seq[5] val[3]"}
HEADS = {
    "WQ": "head[2] emb[6] key[3]",
    "WK": "head[2] emb[6] key[3]",
    "WV": "head[2] emb[6] val[2]",
    "WO": "head[2] val[2] emb[6]",
}
FEED = {"W1": "emb[6] hid[4]", "b1": "hid[4]", "W2": "hid[4] emb[6]", "b2": "emb[6]"}
NORM = {"gamma": "emb[6]", "beta": "emb[6]"}
WORDS = {"I": "seq[5] vocab[7] ~ one-hot vocab", "E": "vocab[7] emb[6]"}


def bundles(count):
    found = {}
    for l in range(1, count + 1):
        found |= {f"MHA__{l}": HEADS, f"lnorm__{l}": NORM, f"FFN__{l}": FEED}
    return found


ENTRIES = [
    Entry("FFN", ffn, "emb", {"X": "emb[6]"}, FEED),
    Entry("att", lambda Q, K, V: attend(Q, K, V, causal), "seq' val", QKV),
    Entry(
        "MHA", lambda X, *W: many(X, X, *W, score=causal), "seq emb", {"X": "seq[5] emb[6]"}, HEADS
    ),
    Entry(
        "lnorm",
        lambda X, gamma, beta: norm(X[None], gamma, beta)[0],
        "emb",
        {"X": "emb[6]"},
        NORM,
    ),
    Entry("X1", layers, "seq emb", WORDS, bundles(1)),
    Entry("O", transformer, "seq vocab", WORDS, bundles(1), chosen={"L": 1}),
    Entry("O", transformer, "seq vocab", WORDS, bundles(2), chosen={"L": 2}),
    Entry("O", transformer, "seq vocab", WORDS, bundles(3), chosen={"L": 3}, gradients=True),
]
