"""A classifier, and where it is made."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid, label = axes("emb hid label")


@formula
def net(x: R[emb], *, W: R[emb, hid[128]], V: R[hid, label]) -> R[label]:
    return V @ hid @ nt.relu(W @ emb @ x)


model = net.module(emb[32], hid[256], label[10])  # fault
