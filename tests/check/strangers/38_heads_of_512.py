"""An autoencoder made with sizes that cannot be: heads times key is not emb."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, head, key = axes("seq emb head key")


@formula
def merge(X: R[seq, emb], *, W: R[emb, "emb'"]) -> R[seq, "emb'"]:
    parts = X[emb >> (head[8], key[64])]
    heat = nt.softmax[head](parts)
    return W @ emb @ heat[(head, key) >> emb]


model = merge.module(emb[500], "emb'[512]")  # fault
