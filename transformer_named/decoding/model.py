"""What decoding asks of a model, and the state that a model decodes in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch

import namedtensor as nt
from namedtensor import NamedTensor

src, beam = nt.axes("src beam")

#: The id that fills up rows of unequal lengths, where a model does not say another or None.
PADDING = 0


class Decodable(Protocol):
    """A torch module that gives the next token's logits, one token after the other.

    A model that reads a source has `encode` and `start`. One that goes on with a text has `begin`,
    which reads all of it but its last token. `padding`, if it has one, is its id for padding, or None.
    """

    training: bool

    def step(self, token: NamedTensor, cache: Any) -> tuple[NamedTensor, Any]:
        """Z[batch] -> R[batch, vocab]: the logits after one more token, and the next cache.

        The cache has a method select(ax, chosen).
        """

    def train(self, mode: bool = True) -> Any:
        """Switch dropout on or off."""


class Reading(Decodable, Protocol):
    """A model that reads a source and gives an output."""

    def __call__(self, source: NamedTensor, target: NamedTensor) -> NamedTensor:
        """Z[batch, src], Z[batch, seq] -> R[batch, seq, vocab]: the logits after each token."""

    def encode(self, source: NamedTensor) -> NamedTensor:
        """Z[batch, src] -> R[batch, src, emb]: the source's representation."""

    def start(self, memory: NamedTensor, source: NamedTensor) -> Any:
        """Give the cache before the first token."""


def opening(
    model: Any, source: NamedTensor, begin: int | None, room: int | None
) -> tuple[NamedTensor, Any]:
    """Read the source, or the text that is gone on with; give the token that comes first, and the cache.

    Raises: ValueError where a model that reads a source is not told what its outputs begin with.
    """
    how = {} if room is None else {"room": room}
    if not hasattr(model, "encode"):
        found: tuple[NamedTensor, Any] = model.begin(source, **how)
        return found
    if begin is None:
        raise ValueError(
            f"{type(model).__name__} reads a source, and outputs begin with an id: begin=1"
        )
    cache = model.start(model.encode(source), source, **how)
    return source[src(0)] * 0 + begin, cache


def fill_of(model: Any, end: int) -> int:
    """Give the id that follows an output's end: padding, or the end again."""
    padding: int | None = getattr(model, "padding", PADDING)
    return end if padding is None else padding


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
