"""A bias whose axis is misspelt, which lifts into the result."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid = axes("emb hid")


hidd = axes("hidd")


@formula
def dense(X: R[emb], *, W: R[emb, hid], b: R[hidd]):
    return nt.relu(W @ emb @ X + b)  # fault
