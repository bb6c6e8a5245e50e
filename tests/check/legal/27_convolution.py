"""A convolution with bias, pooled."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, chans, kernel, window, out = axes("seq chans kernel window out")


@formula
def conv(X: R[chans, seq], *, W: R[out, chans, kernel], b: R[out]) -> R[out, seq]:
    Y = nt.relu(W @ (chans, kernel) @ nt.unroll[seq, kernel](X) + b)
    return nt.max[window](nt.pool[seq, window[2]](Y))
