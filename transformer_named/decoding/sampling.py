"""One token at a time for each source: the likeliest, or one drawn by chance."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile

import torch

import namedtensor as nt
from namedtensor import NamedTensor, axes
from transformer_named.decoding.model import Decodable, evaluating, fill_of, opening

batch, seq, vocab, rank = axes("batch seq vocab rank")


def greedy(
    model: Decodable,
    source: NamedTensor,
    *,
    begin: int | None = None,
    end: int,
    max_length: int = 50,
    room: int | None = None,
) -> list[list[int]]:
    """Take the likeliest token at each place.

    y_t = argmax_vocab P(y_t | x, y_1 ... y_{t-1}), until end or max_length ids. `source` is the text that a
    model translates, and `begin` the id before each output; a decoder continues `source`, without `begin`.
    With `room`, the cache has that many places from the start, and does not grow.
    """
    return _generate(model, source, chooser(), begin, end, max_length, room)


def sample(
    model: Decodable,
    source: NamedTensor,
    *,
    begin: int | None = None,
    end: int,
    max_length: int = 50,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
    room: int | None = None,
) -> list[list[int]]:
    """Draw each token from the model's probabilities.

        y_t ~ softmax_vocab(Z_t / temperature)    (document 000, Prediction)

    With `top_k`, only the k largest logits take part; with `top_p`, only the likeliest tokens that
    together have this probability or more. Temperature 0 is the limit: greedy.
    """
    choose = chooser(temperature, top_k, top_p, generator)
    return _generate(model, source, choose, begin, end, max_length, room)


def chooser(
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Callable[[NamedTensor], NamedTensor]:
    """Give a function that chooses a token by its logits: the likeliest at temperature 0, else at random.

    Raises: ValueError where a number is out of range.
    """
    fine = temperature >= 0 and (top_k is None or top_k >= 1) and (top_p is None or 0 < top_p <= 1)
    if not fine:
        raise ValueError(
            f"sample(temperature={temperature}, top_k={top_k}, top_p={top_p}): temperature is 0 or "
            "more, top_k is 1 or more, top_p is above 0 and at most 1"
        )
    if temperature == 0:
        return nt.argmax_index[vocab]

    def choose(logits: NamedTensor) -> NamedTensor:
        size = logits.size(vocab)
        if top_k is None and top_p is None:
            P = nt.softmax[vocab](logits / temperature)
            return nt.categorical[vocab](P, generator=generator)
        kept = size if top_k is None else min(top_k, size)
        largest = nt.maxk[vocab, rank[kept]](logits)
        ids = nt.argmaxk_index[vocab, rank[kept]](logits)
        P = nt.softmax[rank](largest / temperature)
        if top_p is not None:
            # a token is kept if the likelier ones together have less than p; the first always is
            P = nt.where(nt.cumsum[rank](P) - P < top_p, P, 0.0)
            P = P / nt.sum[rank](P)
        return nt.index[rank](ids, nt.categorical[rank](P, generator=generator))

    return choose


def _generate(
    model: Decodable,
    source: NamedTensor,
    choose: Callable[[NamedTensor], NamedTensor],
    begin: int | None,
    end: int,
    max_length: int,
    room: int | None,
) -> list[list[int]]:
    """Extend every source's output by `choose(logits)` until all have ended."""
    fill = fill_of(model, end)
    at_least_no_ids(max_length)
    with evaluating(model):
        token, cache = opening(model, source, begin, room)
        running = token == token
        found = []
        for _ in range(max_length):
            logits, cache = model.step(token, cache)
            if fill != end:
                logits = nt.where(nt.iota(vocab) == fill, -nt.inf, logits)
            token = nt.where(running, choose(logits), fill)
            running = running & (token != end)
            found.append(token)
            if not nt.any[...](running).item():
                break
        return id_lists(nt.stack[seq](*found), end, fill) if found else [[]] * source.size(batch)


def at_least_no_ids(max_length: int) -> None:
    """Refuse a length below 0."""
    if max_length < 0:
        raise ValueError(f"decoding(max_length={max_length}): max_length is 0 or more")


def id_lists(tokens: NamedTensor, end: int, fill: int) -> list[list[int]]:
    """Z[batch, seq] -> a list of ids for each row, up to its end."""
    rows = tokens.torch(batch, seq).tolist()
    return [list(takewhile(lambda token: token not in (end, fill), row)) for row in rows]
