"""A factory that makes formulas, and a loop over them."""

import namedtensor as nt
from namedtensor import R, axes, formula

time, chan, tap = axes("time chan tap")


def make(width: int, act=nt.relu):
    @formula
    def conv(X: R[time, chan], *, W: R[chan, tap, "chan'"], b: R["chan'"]) -> R[time, chan]:
        U = nt.unroll[time, tap[width]](X, padding=width // 2)
        return act(W @ (chan, tap) @ U + b)["chan' -> chan"]

    return conv


narrow, wide = make(3), make(7, nt.tanh)


@formula
def tower(X: R[time, chan], *, a: nt.one[narrow], c: nt.one[wide]) -> R[chan]:
    for f in (a, c):
        X = X + f(X)
    return nt.max[time](X)
