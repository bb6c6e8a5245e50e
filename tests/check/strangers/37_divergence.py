"""KL of two categorical distributions, one of them normalised over the batch."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, code = axes("batch code")


@formula
def kl(post: R[batch, code], prior: R[batch, code]) -> R[()]:
    p = nt.softmax[code](post)
    q = nt.softmax[batch](prior)  # fault
    return nt.mean[batch](nt.sum[code](p * (nt.log(p) - nt.log(q))))
