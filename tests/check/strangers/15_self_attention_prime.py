"""Self-attention, and the rename that one forgets."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, key = axes("seq emb key")
seq_ = seq.prime


@formula
def attention(X: R[seq, emb], *, WQ: R[emb, key], WK: R[emb, key], WV: R[emb, key]) -> R[seq, key]:
    Q, K, V = WQ @ emb @ X, WK @ emb @ X, WV @ emb @ X
    scores = Q @ key @ K / nt.sqrt(abs(key))  # fault
    return nt.softmax[seq](scores) @ seq @ V
