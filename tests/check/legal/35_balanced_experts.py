"""Experts with a loss that balances their use."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, expert = axes("seq emb hid expert")


@formula
def balance(X: R[seq, emb], *, G: R[emb, expert], W: R[expert, emb, hid]) -> R[hid]:
    gates = nt.softmax[expert](G @ emb @ X)
    used = nt.mean[seq](gates)
    return nt.mean[seq](gates @ expert @ (W @ emb @ X)) + nt.sum[expert](used * used)
