"""A sum divided by the size of another axis."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")


@formula
def pool(X: R[seq, emb]) -> R[emb]:
    return nt.sum[seq](X) / abs(emb)  # fault
