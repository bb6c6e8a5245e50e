"""Grouped queries."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, group, member, key = axes("seq emb group member key")
seq_ = seq.prime


@formula
def gqa(
    X: R[seq, emb],
    *,
    WQ: R[emb, group, member, key],
    WK: R[emb, group, key],
    WV: R[emb, group, key],
    WO: R[group, member, key, emb],
) -> R[seq, emb]:
    Q = (WQ @ emb @ X)[seq >> seq_]
    K, V = WK @ emb @ X, WV @ emb @ X
    A = nt.softmax[seq](Q @ (group, key) @ K / nt.sqrt(abs(key)))  # fault
    Y = WO @ (group, member, key) @ (A @ seq @ V)
    return Y[seq_ >> seq]
