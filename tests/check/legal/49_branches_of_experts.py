"""Each expert's own residual, mixed afterwards."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid, expert = axes("emb hid expert")


@formula
def mixed(X: R[emb], *, W1: R[expert, emb, hid], W2: R[expert, hid, emb], G: R[emb, expert]):
    Y = X + W2 @ hid @ nt.relu(W1 @ emb @ X)
    return nt.softmax[expert](G @ emb @ X) @ expert @ Y
