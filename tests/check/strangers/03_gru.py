"""A gated recurrent unit over a sequence."""

import namedtensor as nt
from namedtensor import R, axes, formula

time, inp, state = axes("time inp state")


@formula
def cell(
    h: R[state],
    x: R[inp],
    *,
    Wz: R[inp, state],
    Uz: R[state, state.prime],
    Wh: R[inp, state],
    Uh: R[state, state.prime],
) -> R[state]:
    z = nt.sigmoid(Wz @ inp @ x + (Uz @ state @ h)[state.prime >> state])
    new = nt.tanh(Wh @ inp @ x + Uh @ state @ (z * h))  # fault
    return z * h + (1 - z) * new


@formula
def rnn(x: R[time, inp], h0: R[state], *, c: cell) -> R[time, state]:
    return nt.scan[time](c, h0, x)
