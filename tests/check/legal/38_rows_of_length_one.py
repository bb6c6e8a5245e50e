"""A graph whose rows have length 1."""

import namedtensor as nt
from namedtensor import R, axes, formula

emb, point, node = axes("emb point node")


@formula
def spread(A: R[node, point], X: R[point, emb], *, g: R[emb]) -> R[node, emb]:
    return (A / nt.norm[point](A)) @ point @ X * g
