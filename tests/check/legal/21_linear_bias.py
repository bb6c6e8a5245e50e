"""ALiBi and a sliding window."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val, head = axes("seq key val head")
seq_ = seq.prime


near = nt.define[seq_, seq](lambda i, j: nt.where((j <= i) & (i - j < 8), 0.0, -nt.inf))


@formula
def alibi(Q: R[head, seq_, key], K: R[head, seq, key], V: R[head, seq, val], *, slope: R[head]):
    distance = nt.iota(seq) - nt.iota(seq_)
    S = Q @ key @ K / nt.sqrt(abs(key)) + slope * distance + near
    return V @ seq @ nt.softmax[seq](S)
