"""Gram and covariance matrices, normalised by what was summed over and more."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, chans, height, width, point = axes("emb chans height width point")
emb_ = emb.prime
chans_ = chans.prime


@formula
def style(F: R[chans, height, width]) -> R[chans, chans_]:
    G = F @ (height, width) @ F[chans >> chans_]
    return G / (abs(chans) * abs(height) * abs(width))


@formula
def covariance(X: R[point, emb]) -> R[emb, emb_]:
    D = X - nt.mean[point](X)
    return D @ point @ D[emb >> emb_] / (abs(point) - 1)
