"""Attention made for a number of heads."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, head, key = axes("seq emb head key")
seq_ = seq.prime


def make(heads=8):
    size = 64

    @formula
    def attention(
        X: R[seq, emb],
        *,
        WQ: R[emb, head[heads], key[size]],
        WK: R[emb, head[heads], key[size]],
    ) -> R[seq_, seq, head]:
        Q = WQ @ emb @ X[seq >> seq_]
        K = WK @ emb @ X
        return nt.softmax[seq](Q @ emb @ K / size**0.5)  # fault

    return attention


small = make(4)
