"""Learned positions that are summed where they should be picked."""

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, emb, vocab, place = axes("seq emb vocab place")


@formula
def embed(I: Z[seq], *, E: R[vocab, emb], P: R[place, emb]) -> R[seq, emb]:
    tokens = E[vocab(I)]
    return nt.sum[place](tokens + P)  # fault: positions summed, not picked
