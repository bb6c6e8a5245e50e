"""Norm whose variance forgets one of the axes that the mean has."""

import namedtensor as nt
from namedtensor import R, axes, formula

chan, height, width = axes("chan height width")


@formula
def instance(X: R[chan, height, width], *, g: R[chan], b: R[chan]) -> R[chan, height, width]:
    mu = nt.mean[height, width](X)
    centred = X - mu
    spread = nt.mean[height](centred * centred)  # fault
    return g * centred / nt.sqrt(spread + 1e-5) + b
