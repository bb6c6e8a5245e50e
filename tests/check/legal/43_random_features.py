"""Random-feature attention: softmax of queries over features and of keys over positions."""

import namedtensor as nt
from namedtensor import R, axes, formula

n, d, r, v = axes("n d r v")
m = n.prime


@formula
def efficient(Q: R[m, d], K: R[n, d], V: R[n, v]) -> R[m, v]:
    context = nt.softmax[n](K) @ n @ V
    return nt.softmax[d](Q) @ d @ context


@formula
def features(X: R[n, d], W: R[r, d]) -> R[n, r]:
    h = W @ d @ X / abs(d) ** 0.25
    return nt.exp(h - nt.sum[d](X * X) / (2 * nt.sqrt(abs(d)))) / nt.sqrt(abs(r))


@formula
def performer(Q: R[m, d], K: R[n, d], V: R[n, v], W: R[r, d]) -> R[m, v]:
    q, k = features(Q[m >> n], W)[n >> m], features(K, W)
    kv = k @ n @ V
    z = q @ r @ nt.sum[n](k)
    return q @ r @ kv / z
