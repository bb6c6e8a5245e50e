"""A decoder-only model of document 001, small enough to be run through every part of torch."""

import torch

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from transformer_named.named_tensors import P, emb, head, hid, key, layer, seq, val, vocab

batch = axes("batch")

#: small, and no two alike
SIZES = (emb[8], hid[16], head[2], key[4], val[3])
WORDS = (emb[8], vocab[11])


@formula
def embedding(x: Z[seq], *, E: R[vocab, emb]) -> R[seq, emb]:
    return E[vocab(x)] * nt.sqrt(abs(emb)) + P(seq, emb)


@formula
def scores(X: R[emb], *, W: R[vocab, emb]) -> R[vocab]:
    return W @ emb @ X


@formula
def surprise(Z: R[vocab], y: Z) -> R:
    return -nt.log(nt.softmax[vocab](Z)) @ vocab @ nt.one_hot(y, vocab)


class Model(torch.nn.Module):
    """Score the next word: embedding, layers, output."""

    def __init__(self, layers=2, **where):
        super().__init__()
        self.embedding = embedding.module(*WORDS, **where)
        self.layers = torch.nn.ModuleList([layer.module(*SIZES, **where) for _ in range(layers)])
        self.scores = scores.module(*WORDS, **where)

    def forward(self, x):
        X = self.embedding(x)
        for step in self.layers:
            X = step(X)
        return self.scores(X)


class Positional(torch.nn.Module):
    """The same model for those who bring and take positional tensors."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(nt.tensor(x, batch, seq)).torch(batch, seq, vocab)


def loss(model, x):
    """Average how surprising each word is, as a positional number."""
    return nt.mean[...](surprise(model(x), x)).torch()


def words(sentences=2, length=5):
    return nt.tensor(torch.randint(0, 11, (sentences, length)), batch, seq)


def gradients(model, x):
    """Give the gradient of each parameter by name."""
    parameters = dict(model.named_parameters())
    found = torch.autograd.grad(loss(model, x), list(parameters.values()))
    return dict(zip(parameters, found, strict=True))
