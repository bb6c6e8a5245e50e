"""Attention whose last contraction leaves the heads, behind scores that keep them rightly."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, head, key, val = axes("seq emb head key val")
seq_ = seq.prime


@formula
def attention(
    Q: R[head, seq_, key], K: R[head, seq, key], V: R[head, seq, val], *, O: R[head, val, emb]
) -> R[seq_, emb]:
    A = nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))
    Y = A @ seq @ V
    return O @ val @ Y  # fault
