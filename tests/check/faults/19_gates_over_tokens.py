"""Gates of experts that are normalised over the tokens."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, expert = axes("seq emb hid expert")


@formula
def moe(X: R[seq, emb], *, G: R[emb, expert], W: R[expert, emb, hid]) -> R[seq, hid]:
    gates = nt.softmax[seq](G @ emb @ X)  # fault
    return gates @ expert @ (W @ emb @ X)
