"""Distance bias with the distance the wrong way round: far keys from the future get in."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val, head = axes("seq key val head")
q = seq.prime

causal = nt.define[q, seq](lambda i, j: nt.where(j >= i, 0.0, -nt.inf))


@formula
def attend(
    Q: R[head, q, key], K: R[head, seq, key], V: R[head, seq, val], *, slope: R[head]
) -> R[head, q, val]:
    bias = slope * (nt.iota(seq) - nt.iota(q))
    scores = Q @ key @ K * abs(key) ** -0.5 + bias + causal  # fault
    return nt.softmax[seq](scores) @ seq @ V
