"""Queries of one sequence, keys and values of another one, with padding."""

import namedtensor as nt
from namedtensor import B, R, axes, formula

seq, key, val, mem = axes("seq key val mem")


@formula
def cross(X: R[seq, key], Y: R[mem, key], V: R[mem, val], pad: B[mem]) -> R[seq, val]:
    S = X @ key @ Y / nt.sqrt(abs(key))
    return V @ mem @ nt.softmax[mem](nt.where(pad, S, -nt.inf))
