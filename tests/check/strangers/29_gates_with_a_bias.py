"""Gates over the batch, spelled out."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid, expert, batch = axes("emb hid expert batch")


@formula
def moe(
    X: R[batch, emb], *, G: R[emb, expert], c: R[expert], W: R[expert, emb, hid]
) -> R[batch, hid]:
    logits = G @ emb @ X + c
    gates = nt.exp(logits) / nt.sum[batch](nt.exp(logits))  # fault
    return (W @ emb @ X) @ expert @ gates
