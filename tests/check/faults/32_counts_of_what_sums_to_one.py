"""Responsibilities over points, whose sum over the points is 1 whatever they are."""

import namedtensor as nt
from namedtensor import R, axes, formula

point, comp, dim = axes("point comp dim")


@formula
def means(X: R[point, dim], M: R[comp, dim]) -> R[comp, dim]:
    A = nt.softmax[point](X @ dim @ M)  # fault
    return A @ point @ X / nt.sum[point](A)
