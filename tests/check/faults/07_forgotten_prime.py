"""Self-attention where nobody renamed the axis of the queries."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, key, val = axes("seq emb key val")


@formula
def self_att(X: R[seq, emb], *, WQ: R[emb, key], WK: R[emb, key], WV: R[emb, val]) -> R[val]:
    Q, K, V = WQ @ emb @ X, WK @ emb @ X, WV @ emb @ X
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))  # fault
