"""A classifier of features that were averaged away."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, cls = axes("seq emb cls")


@formula
def classify(X: R[seq, emb], *, W: R[emb, cls]) -> R[cls]:
    return W @ emb @ nt.mean[emb](X)  # fault
