"""A weighted mean of positions."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid = axes("seq emb hid")


@formula
def pool(X: R[seq, emb], *, w: R[hid], W: R[emb, hid]) -> R[emb]:
    return X @ seq @ nt.softmax[seq](w @ hid @ nt.tanh(W @ emb @ X))
