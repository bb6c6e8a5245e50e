"""A cache that grows along the features."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val = axes("seq key val")


@formula
def step(q: R[key], k: R[key, seq], K: R[key, seq], V: R[seq, val]) -> R[val]:
    every = nt.concat[key](K, k)
    return V @ seq @ nt.softmax[seq](q @ key @ every)  # fault
