"""Attention that averages the keys."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, key]:  # fault
    return K @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))
