"""Channels gated by a softmax over the channels."""

import namedtensor as nt
from namedtensor import R, axes, formula

chans, height, width = axes("chans height width")
chans_ = chans.prime


@formula
def gate(X: R[chans, height, width], *, W: R[chans, chans_]) -> R[chans, height, width]:
    g = nt.softmax[chans_](W @ chans @ nt.mean[height, width](X))
    return X * g[chans_ >> chans]
