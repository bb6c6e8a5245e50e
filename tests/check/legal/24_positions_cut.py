"""A table of positions cut to the length of the sequence."""

import namedtensor as nt
from namedtensor import R, Z, axes, formula

seq, emb, vocab, pos = axes("seq emb vocab pos")


@formula
def embed(x: Z[seq], *, E: R[vocab, emb], P: R[pos, emb]) -> R[seq, emb]:
    return E[vocab(x)] * nt.sqrt(abs(emb)) + P[pos[: abs(seq)]][pos >> seq]


@formula
def tied(H: R[seq, emb], *, E: R[vocab, emb]) -> R[seq, vocab]:
    return E @ emb @ H / nt.sqrt(abs(emb))
