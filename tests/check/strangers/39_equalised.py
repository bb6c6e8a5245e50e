"""Linear layer with a fan-in scale of the output axis."""

import namedtensor as nt
from namedtensor import R, axes, formula

pix, inp, out = axes("pix inp out")


@formula
def equalised(X: R[pix, inp], *, W: R[inp, out], b: R[out]) -> R[pix, out]:
    return W @ inp @ X / nt.sqrt(abs(out)) + b  # fault
