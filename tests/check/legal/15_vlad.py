"""Residuals to centres, weighted and summed (NetVLAD)."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, cluster = axes("seq emb cluster")


@formula
def vlad(X: R[seq, emb], *, W: R[emb, cluster], C: R[cluster, emb]) -> R[cluster, emb]:
    A = nt.softmax[cluster](W @ emb @ X)
    return A @ seq @ (X - C)
