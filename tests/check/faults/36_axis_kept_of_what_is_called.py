"""A loss that keeps an axis which a formula that it calls uses up and brings back, as it should."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, chan, width = axes("batch chan width")


@formula
def norm(X: R[chan, width], *, gamma: R[chan]) -> R[chan, width]:
    return gamma * X / nt.sqrt(nt.mean[chan, width](X * X) + 1e-5)


@formula
def loss(X: R[batch, chan, width], *, net: norm) -> R:
    return nt.mean[batch](nt.sum[width]((net(X) - X) ** 2))  # fault
