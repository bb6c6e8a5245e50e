"""The bias of a projection is declared over an axis with a slip of the pen."""

import namedtensor as nt
from namedtensor import R, axes, formula

tok, width, class_, clas = axes("tok width class clas")


@formula
def classify(X: R[tok, width], *, W: R[width, class_], b: R[clas]) -> R:
    pooled = nt.mean[tok](X)
    return nt.log_softmax[class_](W @ width @ pooled + b)  # fault
