"""Gates over experts, and the loss that balances them."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, expert = axes("seq emb hid expert")


@formula
def moe(X: R[seq, emb], *, G: R[emb, expert], W: R[expert, emb, hid]) -> R[seq, hid]:
    return nt.softmax[expert](G @ emb @ X) @ expert @ (W @ emb @ X)


@formula
def balance(X: R[seq, emb], *, G: R[emb, expert]) -> R:
    P = nt.softmax[expert](G @ emb @ X)
    return abs(expert) * nt.sum[expert](nt.mean[seq](P) * nt.mean[seq](P))
