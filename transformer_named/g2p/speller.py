"""The interface of a model for training, evaluation and pictures: positional integers in, numbers out."""

from typing import Protocol

from torch import Tensor, nn


class Speller(Protocol):
    """A model behind a positional door: ids of letters (batch x letters) and of phonemes."""

    @property
    def module(self) -> nn.Module:
        """The weights."""

    def loss(self, source: Tensor, target: Tensor, smoothing: float) -> Tensor:
        """Average the cross entropy of each phoneme after the first, and of END, in nats."""

    def pronounce(self, source: Tensor, beams: int) -> list[list[int]]:
        """Predict the ids of the phonemes of each spelling; one beam is greedy."""

    def attention(self, source: Tensor, target: Tensor) -> Tensor:
        """Weigh the letters for each phoneme: batch x heads x phonemes x letters."""
