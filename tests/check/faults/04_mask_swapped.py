"""A causal mask whose query and key axes are swapped."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")
seq_ = seq.prime


M = nt.define[seq, seq_](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val]) -> R[seq_, val]:
    S = Q @ key @ K / nt.sqrt(abs(key))
    return V @ seq @ nt.softmax[seq](S + M)  # fault
