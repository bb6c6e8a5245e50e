"""Vectors of length 1, over the wrong axis."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")


@formula
def unit(X: R[seq, emb], *, g: R[emb]) -> R[seq, emb]:
    return g * (X / nt.norm[seq](X))  # fault
