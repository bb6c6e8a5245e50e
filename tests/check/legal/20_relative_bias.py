"""Scores without scale, with a bias for each head and distance."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, head = axes("seq key head")
seq_ = seq.prime


@formula
def scores(
    Q: R[head, seq_, key], K: R[head, seq, key], T: R[head, seq_, seq]
) -> R[head, seq_, seq]:
    return nt.softmax[seq](Q @ key @ K + T)
