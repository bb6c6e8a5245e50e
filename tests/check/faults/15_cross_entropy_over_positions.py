"""A cross-entropy of probabilities over positions, not words."""

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, vocab = axes("seq vocab")


@formula
def loss(Z: R[seq, vocab], y: Z[seq]) -> R:
    logp = nt.log_softmax[seq](Z)  # fault
    return -nt.mean[seq](logp @ vocab @ nt.one_hot(y, vocab))
