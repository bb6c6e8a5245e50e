"""Cross-entropy with smoothed labels, and a masked mean."""

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, vocab = axes("seq vocab")


@formula
def loss(Z: R[seq, vocab], y: Z[seq], mask: R[seq]) -> R:
    logp = nt.log_softmax[vocab](Z)
    hit = logp @ vocab @ nt.one_hot(y, vocab)
    each = 0.9 * hit + 0.1 * nt.mean[vocab](logp)
    return -nt.sum[seq](each * mask) / nt.sum[seq](mask)
