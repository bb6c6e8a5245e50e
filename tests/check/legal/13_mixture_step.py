"""The M step of a mixture: means by responsibilities."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, point, cluster = axes("emb point cluster")


@formula
def means(X: R[point, emb], L: R[point, cluster]) -> R[cluster, emb]:
    r = nt.softmax[cluster](L)
    return (r @ point @ X) / nt.sum[point](r)
