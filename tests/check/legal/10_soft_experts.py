"""Soft mixture of experts: dispatch over tokens, combine over slots."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, slot = axes("seq emb hid slot")


@formula
def soft(X: R[seq, emb], *, P: R[emb, slot], W: R[slot, emb, hid]) -> R[seq, hid]:
    L = P @ emb @ X
    inputs = nt.softmax[seq](L) @ seq @ X
    return nt.softmax[slot](L) @ slot @ (W @ emb @ inputs)
