"""The log-probability of an output that is already there."""

from __future__ import annotations

from typing import Any

import namedtensor as nt
from namedtensor import NamedTensor, axes
from transformer_named.decoding.model import fill_of, first

seq, vocab = axes("seq vocab")


def log_probability(
    model: Any,
    source: NamedTensor,
    target: NamedTensor,
    *,
    begin: int | None = None,
    end: int,
) -> NamedTensor:
    """Sum the log-probabilities of an output's tokens and of its end.

        log P(y, end | x) = sum_t log softmax_vocab(Z_t)_{vocab(y_t)}

    Z[batch, src], Z[batch, seq] -> R[batch]. `target` holds neither begin nor end. Shorter rows
    are filled up on the right, with the model's padding or, where it has none, with `end`. A decoder-only
    model continues `source` by `target`. Differentiable; dropout is as the model's mode says.
    """
    fill = fill_of(model, end)
    token, cache = first(model, source, begin), None
    if token is None:
        token, cache = model.begin(source)
    length = nt.count[seq](target != fill)
    expected = nt.concat[seq](target, nt.stack[seq](token * 0 + end))
    places = nt.iota(seq[expected.size(seq)])
    expected = nt.where(places < length, expected, end)
    if cache is None:
        Z = model(source, nt.concat[seq](nt.stack[seq](token), target))
    else:
        rows = []
        for place in range(expected.size(seq)):
            scores, cache = model.step(token, cache)
            rows.append(scores)
            token = expected[seq(place)]
        Z = nt.stack[seq](*rows)
    gained = nt.index[vocab](nt.log_softmax[vocab](Z), expected)
    return nt.sum[seq](nt.where(places <= length, gained, 0.0))
