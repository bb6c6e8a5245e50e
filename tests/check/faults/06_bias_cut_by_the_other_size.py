"""A table of biases cut to the sizes of the wrong axes."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, key, val, row, col = axes("seq key val row col")
seq_ = seq.prime


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], *, T: R[row, col]) -> R[seq_, val]:
    cut = T[row[: abs(seq)], col[: abs(seq_)]][row >> seq_, col >> seq]
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + cut)  # fault
