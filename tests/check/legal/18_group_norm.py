"""Group norm by splitting the channels."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, chans, group, part = axes("seq chans group part")


@formula
def group_norm(X: R[chans, seq], *, gamma: R[chans]) -> R[chans, seq]:
    Y = nt.standardize[part, seq](X[chans >> (group[4], part)])
    return Y[(group, part) >> chans] * gamma
