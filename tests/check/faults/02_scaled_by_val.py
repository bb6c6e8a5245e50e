"""Scores scaled by the size of an axis that was not contracted."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(val))  # fault
    return V @ seq @ nt.softmax[seq](S)
