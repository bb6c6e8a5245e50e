"""A map pooled by weights that sum to 1 in each column, and not over the map."""

import namedtensor as nt
from namedtensor import R, axes, formula

height, width, chan = axes("height width chan")


@formula
def pool(F: R[height, width, chan], *, q: R[chan]) -> R[chan]:
    a = nt.softmax[height](q @ chan @ F)  # fault
    return a @ (height, width) @ F
