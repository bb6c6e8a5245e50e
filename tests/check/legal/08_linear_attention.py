"""Queries normalised over features, keys over positions (efficient attention)."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


@formula
def efficient(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    context = nt.softmax[seq](K) @ seq @ V
    return nt.softmax[key](Q) @ key @ context
