"""A loss that keeps the axis of the examples."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, vocab = axes("batch vocab")


@formula
def loss(Z: R[batch, vocab], Y: R[batch, vocab]):
    return -nt.sum[vocab](Y * nt.log_softmax[vocab](Z))  # fault
