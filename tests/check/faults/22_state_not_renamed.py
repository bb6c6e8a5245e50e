"""A recurrent cell whose new state keeps two axes."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid = axes("emb hid")
hid_ = hid.prime


@formula
def cell(x: R[emb], h: R[hid], *, W: R[emb, hid], U: R[hid, hid_], b: R[hid]) -> R[hid]:
    return nt.tanh(W @ emb @ x + U @ hid @ h + b)  # fault
