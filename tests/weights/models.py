"""Small modules to be filled."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb, hid, head, key, kv, chans, kernel = axes("seq emb hid head key kv chans kernel")
seq_ = seq.prime


@formula
def project(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


@formula
def attend(
    X: R[seq, emb], *, WQ: R[head, emb, key], WK: R[head, emb, key], WV: R[head, emb, key]
) -> R[head, seq_, key]:
    Q = WQ @ emb @ X[seq >> seq_]
    return (WV @ emb @ X) @ seq @ nt.softmax[seq](Q @ key @ (WK @ emb @ X))


@formula
def grouped(X: R[emb], *, WQ: R[head, key, emb], WK: R[kv, key, emb]) -> R[head, kv]:
    return (WQ @ emb @ X) @ key @ (WK @ emb @ X)


@formula
def two(X: R[emb], *, a: project, b: project) -> R[hid]:
    return a(X) + b(X)
