"""Slots compete for inputs; each takes a weighted mean."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val, slot = axes("seq key val slot")


@formula
def slots(S: R[slot, key], K: R[seq, key], V: R[seq, val]) -> R[slot, val]:
    A = nt.softmax[slot](S @ key @ K / nt.sqrt(abs(key))) + 1e-8
    return V @ seq @ (A / nt.sum[seq](A))
