"""A linear-chain CRF forward pass, soft alignment both ways, and a Gumbel trick."""

import namedtensor as nt
from namedtensor import R, axes, formula

time, tag = axes("time tag")
old = tag.prime


@formula
def partition(score: R[time, tag], *, trans: R[old, tag], start: R[tag]) -> R[()]:
    def step(alpha, s):
        return s + nt.logsumexp[old](trans + alpha[tag >> old])

    alphas = nt.scan[time](step, start, score)
    return nt.logsumexp[tag](alphas[time(-1)])


src, tgt, emb = axes("src tgt emb")


@formula
def align(A: R[src, emb], B: R[tgt, emb]) -> R[src, tgt]:
    S = A @ emb @ B
    return nt.softmax[tgt](S) * nt.softmax[src](S)
