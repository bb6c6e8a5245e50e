"""What the formulas of transformer_macros.tex give: the norm stands after each sum."""

from __future__ import annotations

import numpy as np

from .attention_variants import self_attention
from .entry import Entry
from .feedforward import ffn
from .transformer import norm


def feed_forward(x, U1, c1, U2, c2):
    return ffn(x, U1.T, c1, U2.T, c2)


def encoder(I, E, SelfAtt1, LayerNorm1, FFN1, LayerNorm2, SelfAtt2, LayerNorm3, FFN2, LayerNorm4):
    X = I @ E
    for att, first, feed, second in (
        (SelfAtt1, LayerNorm1, FFN1, LayerNorm2),
        (SelfAtt2, LayerNorm3, FFN2, LayerNorm4),
    ):
        T = norm(self_attention(X, *att.values()) + X, **first)
        X = norm(np.array([feed_forward(t, **feed) for t in T]) + T, **second)
    p = np.exp(X @ E.T)
    return p / p.sum(1, keepdims=True)


HEADS = {
    "WQ": "heads[2] layer[4] key[2]",
    "WK": "heads[2] layer[4] key[2]",
    "WV": "heads[2] layer[4] val[2]",
    "WO": "heads[2] val[2] layer[4]",
}
FEED = {"U1": "hidden[5] layer[4]", "c1": "hidden[5]", "U2": "layer[4] hidden[5]", "c2": "layer[4]"}
NORM = {"beta": "layer[4]", "gamma": "layer[4]"}

ENTRIES = [
    Entry("SelfAtt", self_attention, "seq layer", {"X": "seq[5] layer[4]"}, HEADS),
    Entry(
        "LayerNorm",
        lambda x, beta, gamma: norm(x[None], gamma, beta)[0],
        "layer",
        {"x": "layer[4]"},
        NORM,
    ),
    Entry("FFN", feed_forward, "layer", {"x": "layer[4]"}, FEED),
    Entry(
        "O",
        encoder,
        "seq vocab",
        {"I": "seq[5] vocab[6] ~ one-hot vocab", "E": "vocab[6] layer[4]"},
        {
            "SelfAtt__1": HEADS,
            "LayerNorm__1": NORM,
            "FFN__1": FEED,
            "LayerNorm__2": NORM,
            "SelfAtt__2": HEADS,
            "LayerNorm__3": NORM,
            "FFN__2": FEED,
            "LayerNorm__4": NORM,
        },
    ),
]
