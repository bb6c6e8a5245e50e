"""One covariance for all components of a mixture: summed over points and components."""

import namedtensor as nt
from namedtensor import R, axes, formula

point, comp, dim = axes("point comp dim")
dim_ = dim.prime


@formula
def tied(X: R[point, dim], *, M: R[comp, dim]) -> R[dim, dim_]:
    A = nt.softmax[comp](X @ dim @ M)
    D = X - M
    return nt.dot[point, comp](A, D, D[dim >> dim_]) / abs(point)
