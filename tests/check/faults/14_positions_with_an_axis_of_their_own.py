"""A table of positions that never meets the sequence."""

from namedtensor import R, axes, formula

seq, emb, vocab, pos = axes("seq emb vocab pos")


@formula
def embed(X: R[seq, vocab], *, E: R[vocab, emb], P: R[pos, emb]):
    return E @ vocab @ X + P  # fault
