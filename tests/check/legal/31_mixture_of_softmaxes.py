"""Words by several softmaxes, weighted by another one."""

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, emb, vocab, cluster = axes("seq emb vocab cluster")
seq_ = seq.prime


@formula
def mixture(H: R[emb], *, W: R[cluster, emb, vocab], G: R[emb, cluster]) -> R[vocab]:
    weights = nt.softmax[cluster](G @ emb @ H)
    return weights @ cluster @ nt.softmax[vocab](W @ emb @ H)


@formula
def copying(A: R[seq_, seq], y: Z[seq], *, n: int = 5) -> R[seq_, vocab]:
    return nt.softmax[seq](A) @ seq @ nt.one_hot(y, vocab[n])
