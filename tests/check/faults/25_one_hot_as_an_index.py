"""A one-hot tensor used as an index."""

from namedtensor import R, axes, formula

seq, emb, vocab = axes("seq emb vocab")


@formula
def embed(X: R[seq, vocab], *, E: R[vocab, emb]) -> R[seq, emb]:
    return E[vocab(X)]  # fault
