"""The bias of a convolution has the axis of the window."""

import namedtensor as nt
from namedtensor import R, axes, formula

seq, chans, kernel, out = axes("seq chans kernel out")


@formula
def conv(X: R[chans, seq], *, W: R[out, chans, kernel], b: R[kernel]):
    return W @ (chans, kernel) @ nt.unroll[seq, kernel](X) + b  # fault
