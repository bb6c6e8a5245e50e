"""Barlow twins and VICReg: statistics over the batch, a loss over pairs of features."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, feat = axes("batch feat")
feat_ = feat.prime

eye = nt.define[feat, feat_](lambda i, j: nt.where(i == j, 1.0, 0.0))


@formula
def barlow(A: R[batch, feat], B: R[batch, feat], lam: float = 0.005) -> R[()]:
    a = nt.standardize[batch](A)
    b = nt.standardize[batch](B)
    C = a @ batch @ b[feat >> feat_] / abs(batch)
    on = nt.sum[feat, feat_](eye * (C - 1) ** 2)
    off = nt.sum[feat, feat_]((1 - eye) * C**2)
    return on + lam * off


@formula
def hinge(A: R[batch, feat]) -> R[()]:
    s = nt.sqrt(nt.var[batch](A) + 1e-4)
    return nt.mean[feat](nt.relu(1 - s))
