"""Weights normalised over the heads."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, key, val, head = axes("seq emb key val head")
seq_ = seq.prime


@formula
def mha(
    Q: R[head, key, seq_], K: R[head, key, seq], V: R[head, seq, val], *, WO: R[head, val, emb]
) -> R[seq_, emb]:
    A = nt.softmax[head](Q @ key @ K / nt.sqrt(abs(key)))  # fault
    return WO @ (head, val) @ (V @ seq @ A)
