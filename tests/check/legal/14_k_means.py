"""Distances of points to centres, both ways."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, point, cluster = axes("emb point cluster")


@formula
def distances(X: R[point, emb], *, C: R[cluster, emb]):
    return nt.norm[emb](X - C)
