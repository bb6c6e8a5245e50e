"""Filter response normalisation: the length is over positions, and gain and bias over channels."""

import namedtensor as nt
from namedtensor import R, axes, formula

chan, height, width = axes("chan height width")


@formula
def frn(
    X: R[chan, height, width], *, gamma: R[chan], beta: R[chan], tau: R[chan]
) -> R[chan, height, width]:
    nu = nt.mean[height, width](X * X)
    return nt.maximum(gamma * (X / nt.sqrt(nu + 1e-6)) + beta, tau)
