"""Weight normalisation."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid = axes("emb hid")


@formula
def weight_norm(X: R[emb], *, V: R[emb, hid], g: R[hid]) -> R[hid]:
    W = g * (V / nt.norm[emb](V))
    return W @ emb @ X
