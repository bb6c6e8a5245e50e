"""Batch norm and instance norm of images."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, chans, height, width = axes("batch chans height width")


@formula
def batch_norm(X: R[batch, chans, height, width], *, gamma: R[chans], beta: R[chans]):
    return nt.standardize[batch, height, width](X) * gamma + beta


@formula
def instance_norm(X: R[chans, height, width], *, gamma: R[chans]) -> R[chans, height, width]:
    return nt.standardize[height, width](X) * gamma
