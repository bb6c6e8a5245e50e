"""The encoder-decoder in axis names, behind the positional door.

batch   words that are trained together
src     the letters of a spelling
seq     the phonemes of a pronunciation
vocab   what each phoneme may be
"""

from torch import Tensor

import namedtensor as nt
from namedtensor import NamedTensor, axes
from transformer_named.decoding import beam_search, greedy
from transformer_named.encoder_decoder import EncoderDecoder, Sizes
from transformer_named.g2p.settings import Settings
from transformer_named.g2p.symbols import BEGIN, END, PAD, PHONEME_SIZE, SPELLING_SIZE

batch, src, seq, vocab = axes("batch src seq vocab")

MORE_PHONEMES = 12
"""A word of n letters gets at most n + 12 phonemes: `w` alone has six."""


def cross_entropy(Z: NamedTensor, y: NamedTensor, smoothing: float) -> NamedTensor:
    """Average the cross entropy of the logits over the phonemes that are not padding.

        L = mean of -(1 - s) log softmax_vocab(Z)_{vocab(y)} - s mean_vocab(log softmax_vocab(Z))

    Source: 000, CrossEntropy, with s = 0. Departs: label smoothing s, as the published model has.
    """
    logP = nt.log_softmax[vocab](Z)
    loss = -logP[vocab(y)]
    if smoothing:
        loss = (1 - smoothing) * loss - smoothing * nt.mean[vocab](logP)
    real = nt.cast(y != PAD, loss.dtype)
    mean: NamedTensor = nt.sum[batch, seq](loss * real) / nt.sum[batch, seq](real)
    return mean


class NamedSpeller:
    """An EncoderDecoder that takes and gives positional integers."""

    def __init__(self, settings: Settings) -> None:
        sizes = Sizes(
            source=SPELLING_SIZE,
            target=PHONEME_SIZE,
            emb=settings.emb,
            hid=settings.hid,
            head=settings.head,
            key=settings.key,
            val=settings.val,
            layers=settings.layers,
            dropout=settings.dropout,
        )
        self.module = EncoderDecoder(sizes, placement=settings.placement, tied=settings.tied)
        self.module.to(settings.device)

    def loss(self, source: Tensor, target: Tensor, smoothing: float) -> Tensor:
        """Average the cross entropy of each phoneme after the first, and of END, in nats."""
        Z = self.module(nt.tensor(source, batch, src), nt.tensor(target[:, :-1], batch, seq))
        y = nt.tensor(target[:, 1:], batch, seq)
        loss: Tensor = cross_entropy(Z, y, smoothing).torch()
        return loss

    def pronounce(self, source: Tensor, beams: int) -> list[list[int]]:
        """Predict the ids of the phonemes of each spelling; one beam is greedy."""
        X = nt.tensor(source, batch, src)
        longest = source.shape[1] + MORE_PHONEMES
        if beams == 1:
            return greedy(self.module, X, begin=BEGIN, end=END, max_length=longest)
        return beam_search(self.module, X, begin=BEGIN, end=END, max_length=longest, beams=beams)

    def attention(self, source: Tensor, target: Tensor) -> Tensor:
        """Weigh the letters for each phoneme: batch x heads x phonemes x letters."""
        A = self.module.attention(nt.tensor(source, batch, src), nt.tensor(target, batch, seq))
        weights: Tensor = A.torch("batch", "head", "seq", "src")
        return weights
