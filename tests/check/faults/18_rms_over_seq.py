"""An RMS norm whose mean is over positions."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")


@formula
def rms(X: R[seq, emb], *, gamma: R[emb]) -> R[seq, emb]:
    return X / nt.sqrt(nt.mean[seq](X * X) + 1e-6) * gamma  # fault
