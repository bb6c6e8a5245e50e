"""Probabilities that go through a softmax again."""

import namedtensor as nt
from namedtensor import R, axes, formula

vocab = axes("vocab")


@formula
def loss(Z: R[vocab], Y: R[vocab]) -> R:
    P = nt.softmax[vocab](Z)
    return -nt.sum[vocab](Y * nt.log_softmax[vocab](P))  # fault
