"""A boolean mask that lets queries see the future alone."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(key))
    seen = nt.iota(seq) >= nt.iota(seq_)
    return V @ seq @ nt.softmax[seq](nt.where(seen, S, -nt.inf))  # fault
