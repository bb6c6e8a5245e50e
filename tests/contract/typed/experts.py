"""A mixture of experts, as a user writes it."""

from typing import Any

import numpy as np

import namedtensor as nt
from namedtensor import B, R, axes, formula

batch, seq, emb, hid, expert, best = axes("batch seq emb hid expert best")
n = nt.sizes("n")


@formula
def route(X: R[emb], *, G: R[emb, expert], k: int = 2) -> R[expert]:
    """Weights of the experts: a softmax over the best k."""
    S = G @ emb @ X
    least = nt.min[best](nt.maxk[expert, best[k]](S))
    return nt.softmax[expert](nt.where(S >= least, S, -nt.inf))


@formula
def experts(X: R[emb], g: R[expert], *, W1: R[expert, emb, hid], W2: R[expert, hid, emb]) -> R[emb]:
    """The sum of what each expert gives, by its weight."""
    H = nt.silu(W1 @ emb @ X)
    return nt.dot[expert, hid](g, W2, H)


@formula
def balance(g: R[seq, expert]) -> R:
    """How unevenly the experts are used."""
    share = nt.mean[seq](g)
    return abs(expert) * share @ expert @ share


@formula
def MoE(
    X: R[seq, emb], keep: B[seq], *, router: nt.one[route], experts: nt.one[experts]
) -> tuple[R[seq, emb], R]:
    """A layer of experts, and the cost of its balance."""
    g = nt.where(keep, router(X), 0.0)
    return X + experts(X, g), balance(g)


@formula
def gram(X: R[seq[n], emb], Y: R[seq[n], emb]) -> R:
    """One size name means one size."""
    return nt.sum[seq, emb](X * Y)


def main() -> None:
    params: dict[str, Any] = dict(
        router=dict(G=nt.normal(emb[4], expert[3])),
        experts=dict(
            W1=nt.normal(expert[3], emb[4], hid[8]), W2=nt.normal(expert[3], hid[8], emb[4])
        ),
    )
    X = nt.tensor(np.random.default_rng(0).normal(size=(5, 4)), "seq emb")
    keep = nt.ones(seq[5]) > 0
    Y, cost = MoE(X, keep, **params)
    print(Y.shape, float(cost), gram(X, Y).item())
    slope = nt.grad(gram, by="X")(X, Y)
    print((X - 0.1 * slope).shape, balance.shape("seq[5] expert[3]"))
    again = nt.concat[seq](X, X[seq[0:2]]).at[seq(0)].set(0.0)
    print(nt.stack[batch](again, again).shape, nt.sort[seq](again).size(seq))


if __name__ == "__main__":
    main()
