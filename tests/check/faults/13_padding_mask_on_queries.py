"""A padding mask over the queries has no effect on a softmax over the keys."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], pad: R[seq_]) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(key)) + pad
    return V @ seq @ nt.softmax[seq](S)  # fault
