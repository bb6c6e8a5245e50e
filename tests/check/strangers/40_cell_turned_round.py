"""A recurrent cell, called with input and state exchanged."""

import namedtensor as nt
from namedtensor import R, axes, formula

time, obs, hid = axes("time obs hid")


@formula
def cell(h: R[hid], x: R[obs], *, U: R[hid, "hid'"], W: R[obs, "hid'"], b: R["hid'"]) -> R[hid]:
    return nt.tanh(U @ hid @ h + W @ obs @ x + b)["hid' -> hid"]


@formula
def run(X: R[time, obs], h0: R[hid], *, step: cell) -> R[hid, time]:
    return nt.scan[time](lambda h, x: step(x, h), h0, X)  # fault
