"""Additive scores: pairs of queries and keys."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


@formula
def additive(Q: R[seq_, key], K: R[seq, key], V: R[seq, val], *, v: R[key]) -> R[seq_, val]:
    return V @ seq @ nt.softmax[seq](v @ key @ nt.tanh(Q + K))
