"""A residual whose branch ends in another axis."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, out = axes("seq emb hid out")


@formula
def block(X: R[seq, emb], *, W: R[emb, hid], U: R[hid, out]):
    return X + U @ hid @ nt.relu(W @ emb @ X)  # fault
