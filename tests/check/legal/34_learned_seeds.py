"""Pooling by attention with learned seeds."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, slot = axes("seq emb hid slot")


@formula
def pool(X: R[seq, emb], *, S: R[slot, emb], W: R[slot, emb, hid]) -> R[slot, hid]:
    A = nt.softmax[seq](S @ emb @ X)
    return W @ emb @ (A @ seq @ X)
