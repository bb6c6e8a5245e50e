"""An RMS norm over the batch."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, batch = axes("seq emb batch")


@formula
def rms(X: R[batch, seq, emb], *, gain: R[seq, emb]) -> R[batch, seq, emb]:
    square = nt.mean[batch](X * X)
    return X / nt.sqrt(square + 1e-6) * gain  # fault
