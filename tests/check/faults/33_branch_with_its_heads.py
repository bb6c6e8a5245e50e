"""Attention whose heads are never summed over, added to its input."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, head, val = axes("seq emb head val")


@formula
def layer(X: R[seq, emb], *, V: R[head, emb, val], O: R[head, val, emb]):
    return X + O @ val @ nt.tanh(V @ emb @ X)  # fault
