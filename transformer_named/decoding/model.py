"""The interface of a model that can decode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import torch

import namedtensor as nt
from namedtensor import NamedTensor
from namedtensor.shape import shapes

src, beam = nt.axes("src beam")

#: The id that fills up rows of unequal lengths, unless a model has another one or None.
PADDING = 0


class Decodable(Protocol):
    """A torch module that gives the logits of the next token, one token after the other.

    A model that reads a source also has `encode`, Z[batch, src] -> R[batch, src, emb], and `start`, which
    gives the cache before the first token. Its call, Z[batch, src], Z[batch, seq] -> R[batch, seq, vocab],
    gives the logits after each token. A model that continues a text has `begin` instead, which reads all
    tokens of the text but the last. `padding`, if a model has it, is the id of padding, or None where every
    id is a token.
    """

    training: bool

    def step(self, token: NamedTensor, cache: Any) -> tuple[NamedTensor, Any]:
        """Z[batch] -> R[batch, vocab]: the logits after one more token, and the next cache.

        The cache has a method select(ax, chosen), which keeps some of the hypotheses.
        """

    def train(self, mode: bool = True) -> Any:
        """Switch dropout on or off."""


def opening(
    model: Any, source: NamedTensor, begin: int | None, room: int | None
) -> tuple[NamedTensor, Any]:
    """Read the source, or the text to continue; give the first token and the cache.

    Raises: as `first` does.
    """
    how = {} if room is None else {"room": room}
    token = first(model, source, begin)
    if token is None:
        found: tuple[NamedTensor, Any] = model.begin(source, **how)
        return found
    return token, model.start(model.encode(source), source, **how)


def first(model: Any, source: NamedTensor, begin: int | None) -> NamedTensor | None:
    """Give the first token of each output; None if the model continues the source.

    Raises: ValueError where a model that reads a source is not told what its outputs begin with;
    AxisMissingError, IndexRangeError where the source has other axes, or a row of it no id.
    """
    own = [name for name in source.axes if name != "beam"]
    if sorted(own) != ["batch", "src"]:
        left = [name for name in own if name not in ("batch", "src")]
        raise nt.AxisMissingError(
            "decoding",
            "what is read runs over batch and src",
            shapes(source, labels=["source"]),
            hint=f'source["{left[0]} -> src"]'
            if "src" not in own and left
            else 'nt.stack["batch"](source)',
        )
    if source.size(src) == 0:
        raise nt.IndexRangeError(
            "decoding",
            "each row that is read has one id at least",
            shapes(source, labels=["source"]),
            hint="put an id before it, such as the one that texts begin with",
        )
    if not hasattr(model, "encode"):
        return None
    if begin is None:
        raise ValueError(
            f"{type(model).__name__} reads a source, and outputs begin with an id: begin=1"
        )
    padding = fill_of(model, -1)
    if nt.any[...](nt.all[src](source == padding)).item():
        raise nt.IndexRangeError(
            "decoding",
            f"each row that is read has one id at least, and one has only padding, {padding}",
            shapes(source, labels=["source"]),
            hint="leave that row out",
        )
    return source[src(0)] * 0 + begin


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
