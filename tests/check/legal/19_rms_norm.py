"""RMS norm and normalised keys."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, key = axes("seq emb key")
seq_ = seq.prime


@formula
def rms(X: R[seq, emb], *, gamma: R[emb]) -> R[seq, emb]:
    return X / nt.sqrt(nt.mean[emb](X * X) + 1e-6) * gamma


@formula
def cosine(Q: R[seq_, key], K: R[seq, key]) -> R[seq_, seq]:
    return (Q / nt.norm[key](Q)) @ key @ (K / nt.norm[key](K))
