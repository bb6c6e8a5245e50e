"""Sinkhorn's alternating normalisation, as weights."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, val = axes("seq val")
seq_ = seq.prime


@formula
def sinkhorn(S: R[seq_, seq], V: R[seq, val]) -> R[seq_, val]:
    A = nt.exp(S)
    for _ in range(3):
        A = A / nt.sum[seq](A)
        A = A / nt.sum[seq_](A)
    return V @ seq @ A


@formula
def by_softmax(S: R[seq_, seq], V: R[seq, val]) -> R[seq_, val]:
    A = nt.softmax[seq_](nt.log_softmax[seq](S))
    return V @ seq @ A
