"""One token at a time for each source: the likeliest, or one drawn by chance."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

import torch

import namedtensor as nt
from namedtensor import NamedTensor, axes
from transformer_named.decoding.model import Decodable, evaluating
from transformer_named.decoding.scoring import PADDING

batch, src, seq, vocab, rank = axes("batch src seq vocab rank")


def greedy(
    model: Decodable, source: NamedTensor, *, begin: int, end: int, max_length: int = 50
) -> list[list[int]]:
    """Take the likeliest token at each place.

    y_t = argmax_vocab P(y_t | x, y_1 ... y_{t-1}), until end or max_length ids.
    """
    return _generate(model, source, nt.argmax_index[vocab], begin, end, max_length)


def sample(
    model: Decodable,
    source: NamedTensor,
    *,
    begin: int,
    end: int,
    max_length: int = 50,
    temperature: float = 1.0,
    top_k: int | None = None,
    generator: torch.Generator | None = None,
) -> list[list[int]]:
    """Draw each token from the model's probabilities.

        y_t ~ softmax_vocab(Z_t / temperature)    (document 000, Prediction)

    With `top_k`, only the k largest logits take part. Temperature 0 is the limit: greedy.
    """
    if temperature < 0 or (top_k is not None and top_k < 1):
        raise ValueError(
            f"sample(temperature={temperature}, top_k={top_k}): "
            "temperature is 0 or more, top_k is 1 or more"
        )
    if temperature == 0:
        return greedy(model, source, begin=begin, end=end, max_length=max_length)

    def choose(logits: NamedTensor) -> NamedTensor:
        if top_k is None or top_k >= logits.size(vocab):
            return nt.categorical[vocab](
                nt.softmax[vocab](logits / temperature), generator=generator
            )
        largest = nt.maxk[vocab, rank[top_k]](logits)
        ids = nt.argmaxk_index[vocab, rank[top_k]](logits)
        P = nt.softmax[rank](largest / temperature)
        return nt.index[rank](ids, nt.categorical[rank](P, generator=generator))

    return _generate(model, source, choose, begin, end, max_length)


def _generate(
    model: Decodable,
    source: NamedTensor,
    choose: Callable[[NamedTensor], NamedTensor],
    begin: int,
    end: int,
    max_length: int,
) -> list[list[int]]:
    """Extend every source's output by `choose(logits)` until all have ended."""
    with evaluating(model):
        cache = model.start(model.encode(source), source)
        token = source[src(0)] * 0 + begin
        running = token == begin
        chosen = []
        for _ in range(max_length):
            logits, cache = model.step(token, cache)
            logits = nt.where(nt.iota(vocab) == PADDING, -nt.inf, logits)
            token = nt.where(running, choose(logits), PADDING)
            running = running & (token != end)
            chosen.append(token)
            if not nt.any[...](running).item():
                break
        return id_lists(nt.stack[seq](*chosen), end) if chosen else [[]] * source.size(batch)


def id_lists(tokens: NamedTensor, end: int) -> list[list[int]]:
    """Z[batch, seq] -> a list of ids for each row, up to its end."""
    rows = tokens.torch(batch, seq).tolist()
    return [list(takewhile(lambda token: token not in (end, PADDING), row)) for row in rows]
