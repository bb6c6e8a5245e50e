"""A layer whose second norm is over positions."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid = axes("seq emb hid")


@formula
def layer(X: R[seq, emb], *, g1: R[emb], g2: R[emb], W: R[emb, hid], U: R[hid, emb]) -> R[seq, emb]:
    Y = X + U @ hid @ nt.relu(W @ emb @ (nt.standardize[emb](X) * g1))
    return nt.standardize[seq](Y) * g2  # fault
