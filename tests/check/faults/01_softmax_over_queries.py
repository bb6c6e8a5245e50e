"""Attention whose weights are normalised over the queries."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    A = nt.softmax[seq_](Q @ key @ K / nt.sqrt(abs(key)))  # fault
    return V @ seq @ A
