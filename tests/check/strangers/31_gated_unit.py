"""Gated unit where the gate is summed with the values' own axis after the output projection."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid = axes("seq emb hid")


@formula
def swiglu(X: R[seq, emb], *, Wg: R[emb, hid], Wv: R[emb, hid], Wo: R[hid, emb]) -> R[seq, emb]:
    gate = Wg @ emb @ X
    value = Wv @ emb @ X
    h = nt.sigmoid(gate) * gate * value
    return Wo @ emb @ h  # fault: contracts emb, should be hid
