"""Layer norm, spelled out, with other gains."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")


@formula
def norm(X: R[seq, emb], *, gamma: R[emb], beta: R[emb]) -> R[seq, emb]:
    D = X - nt.mean[emb](X)
    return D / nt.sqrt(nt.mean[emb](D * D) + 1e-5) * gamma + beta


@formula
def short(X: R[emb], *, gamma: R[emb], beta: R[emb]) -> R[emb]:
    return nt.standardize[emb](X) * gamma + beta
