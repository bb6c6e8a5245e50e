"""Global response normalisation of an image."""

import namedtensor as nt
from namedtensor import R, axes, formula

chan, height, width = axes("chan height width")


@formula
def grn(X: R[chan, height, width], *, gamma: R[chan], beta: R[chan]) -> R[chan, height, width]:
    G = nt.norm[height, width](X)
    return gamma * (X * (G / nt.mean[chan](G))) + beta + X
