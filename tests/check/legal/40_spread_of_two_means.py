"""An instance norm whose spread is taken along the rows first, and then along the columns."""

import namedtensor as nt
from namedtensor import R, axes, formula

chans, height, width = axes("chans height width")


@formula
def instance(X: R[chans, height, width], *, g: R[chans], b: R[chans]) -> R[chans, height, width]:
    centred = X - nt.mean[height, width](X)
    spread = nt.mean[height](nt.mean[width](centred * centred))
    return g * centred / nt.sqrt(spread + 1e-5) + b
