"""What decoding asks of a model, and the state that a model decodes in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch

from namedtensor import NamedTensor


class Decodable(Protocol):
    """A torch module that gives the next token's logits, one token after the other."""

    training: bool

    def __call__(self, source: NamedTensor, target: NamedTensor) -> NamedTensor:
        """Z[batch, src], Z[batch, seq] -> R[batch, seq, vocab]: the logits after each token."""

    def encode(self, source: NamedTensor) -> NamedTensor:
        """Z[batch, src] -> R[batch, src, emb]: the source's representation."""

    def start(self, memory: NamedTensor, source: NamedTensor) -> Any:
        """Give the cache before the first token; it has a method select(ax, chosen)."""

    def step(self, token: NamedTensor, cache: Any) -> tuple[NamedTensor, Any]:
        """Z[batch] -> R[batch, vocab]: the logits after one more token, and the next cache."""

    def train(self, mode: bool = True) -> Any:
        """Switch dropout on or off."""


@contextmanager
def evaluating(model: Decodable) -> Iterator[None]:
    """Run without gradients and without dropout; leave the model as it was."""
    training = model.training
    model.train(False)
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)
