"""The log-probability of an output that is already there."""

from __future__ import annotations

import namedtensor as nt
from namedtensor import NamedTensor, axes
from transformer_named.decoding.model import PADDING, Reading

src, seq, vocab = axes("src seq vocab")


def log_probability(
    model: Reading, source: NamedTensor, target: NamedTensor, *, begin: int, end: int
) -> NamedTensor:
    """Sum the log-probabilities of an output's tokens and of its end.

        log P(y, end | x) = sum_t log softmax_vocab(Z_t)_{vocab(y_t)}

    Z[batch, src], Z[batch, seq] -> R[batch]. `target` holds no begin and no end and is padded
    on the right with 0. Differentiable; dropout is as the model's mode says.
    """
    before = source[src(0)] * 0
    given = nt.concat[seq](nt.stack[seq](before + begin), target)
    padded = nt.concat[seq](target, nt.stack[seq](before))
    length = nt.count[seq](target != PADDING)
    expected = nt.where(nt.iota(seq[padded.size(seq)]) == length, end, padded)
    gained = nt.index[vocab](nt.log_softmax[vocab](model(source, given)), expected)
    return nt.sum[seq](nt.where(expected == PADDING, 0.0, gained))
