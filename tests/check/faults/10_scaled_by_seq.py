"""Scores scaled by the length of the sequence."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key = axes("seq key")
seq_ = seq.prime


@formula
def weights(Q: R[key, seq_], K: R[key, seq]) -> R[seq_, seq]:
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(seq)))  # fault
