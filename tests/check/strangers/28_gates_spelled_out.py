"""Gates over tokens, multiplied and summed."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, expert = axes("seq emb hid expert")


@formula
def moe(
    X: R[seq, emb], *, G: R[emb, expert], W: R[expert, emb, hid], V: R[expert, hid, emb]
) -> R[seq, emb]:
    gates = nt.softmax[seq](X @ emb @ G)  # fault
    each = V @ hid @ nt.relu(W @ emb @ X)
    return nt.sum[expert](gates * each)
