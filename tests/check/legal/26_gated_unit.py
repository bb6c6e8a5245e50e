"""A GRU cell and a gated linear unit."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid = axes("emb hid")
hid_ = hid.prime


@formula
def gru(x: R[emb], h: R[hid], *, W: R[emb, hid], U: R[hid, hid_], b: R[hid]) -> R[hid]:
    z = nt.sigmoid(W @ emb @ x + (U @ hid @ h)[hid_ >> hid] + b)
    return z * h + (1 - z) * nt.tanh(W @ emb @ x)


@formula
def swiglu(X: R[emb], *, W: R[emb, hid], V: R[emb, hid], U: R[hid, emb]) -> R[emb]:
    G = W @ emb @ X
    return U @ hid @ (G * nt.sigmoid(G) * (V @ emb @ X))
