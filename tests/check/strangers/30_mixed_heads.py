"""Heads mixed by weights over positions."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, head, val = axes("seq emb head val")


@formula
def mixed(H: R[seq, emb], *, M: R[emb, head], W: R[head, emb, val]) -> R[seq, val]:
    mix = nt.softmax[seq](M @ emb @ H)  # fault
    return nt.tanh(mix @ head @ (W @ emb @ H))
