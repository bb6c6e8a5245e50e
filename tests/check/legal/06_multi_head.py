"""Multi-head self-attention in one formula."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, key, val, head = axes("seq emb key val head")
seq_ = seq.prime


@formula
def mha(
    X: R[seq, emb],
    *,
    WQ: R[emb, head, key],
    WK: R[emb, head, key],
    WV: R[emb, head, val],
    WO: R[head, val, emb],
) -> R[seq, emb]:
    Q, K, V = (WQ @ emb @ X)[seq >> seq_], WK @ emb @ X, WV @ emb @ X
    Y = V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))
    return (WO @ (head, val) @ Y)[seq_ >> seq]
