"""Beam search: follow several hypotheses at once and keep the most probable output."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import namedtensor as nt
from namedtensor import NamedTensor, axes
from transformer_named.decoding.model import Decodable, evaluating, fill_of, opening
from transformer_named.decoding.sampling import at_least_no_ids, id_lists

batch, seq, vocab, beam, candidate = axes("batch seq vocab beam candidate")


def penalty(length: Any, alpha: float) -> Any:
    """Give ((5 + |y|) / (5 + 1))^alpha. Source: Wu et al. 2016, equation 14."""
    return ((length + 5.0) / 6.0) ** alpha


@dataclass(frozen=True, slots=True)
class Beam:
    """Hold the hypotheses of every source.

    tokens   Z[batch, beam, seq]   ids so far, begin first, padded after their end
    total    R[batch, beam]        log P(y | x) so far
    length   R[batch, beam]        ids so far, begin not counted, end counted
    running  B[batch, beam]        not ended yet
    """

    tokens: NamedTensor
    total: NamedTensor
    length: NamedTensor
    running: NamedTensor

    @staticmethod
    def of(token: NamedTensor, dtype: Any) -> Beam:
        """Begin with one hypothesis for each source: Z[batch, beam], what comes first."""
        zero = nt.cast(token * 0, dtype)
        return Beam(tokens=nt.stack[seq](token), total=zero, length=zero, running=token == token)

    def extended(
        self, gained: NamedTensor, allowed: NamedTensor, end: int, fill: int, beams: int
    ) -> tuple[Beam, NamedTensor]:
        """Keep the `beams` best continuations, and those that have ended; give their parents too.

        gained: R[batch, beam, vocab], allowed: B[vocab] -> a beam, and Z[batch, beam].
        """
        ids = nt.iota(vocab[gained.size(vocab)])
        allowed = nt.where(self.running, allowed, ids == fill)
        total = nt.where(allowed, self.total + nt.where(self.running, gained, 0.0), -nt.inf)
        order = nt.where(self.running | (ids != fill), total, nt.inf)
        total, order = (Z[(beam, vocab) >> candidate] for Z in (total, order))
        width = min(beams, order.size(candidate))
        best = nt.argmaxk_index[candidate, beam[width]](order)
        parent, token = best // gained.size(vocab), best % gained.size(vocab)
        before = nt.index[beam](self.running, parent)
        return Beam(
            tokens=nt.concat[seq](nt.index[beam](self.tokens, parent), nt.stack[seq](token)),
            total=nt.index[candidate](total, best),
            length=nt.index[beam](self.length, parent) + nt.where(before, 1, 0),
            running=before & (token != end),
        ), parent

    def scores(self, alpha: float) -> NamedTensor:
        """Score what has ended, log P(y | x) / penalty(|y|); -inf for the others."""
        return nt.where(self.running, -nt.inf, self.total / penalty(self.length, alpha))

    def settled(self, alpha: float, most: int) -> bool:
        """Tell whether no running hypothesis can overtake: log P only falls, |y| <= most."""
        bound = nt.where(self.running, self.total / penalty(most, alpha), -nt.inf)
        hopeful = nt.max[beam](bound) > nt.max[beam](self.scores(alpha))
        return not nt.any[...](hopeful).item()


@overload
def beam_search(
    model: Decodable,
    source: NamedTensor,
    *,
    begin: int | None = ...,
    end: int,
    max_length: int = ...,
    beams: int = ...,
    length_penalty: float = ...,
    room: int | None = ...,
    scores: Literal[False] = ...,
) -> list[list[int]]: ...


@overload
def beam_search(
    model: Decodable,
    source: NamedTensor,
    *,
    begin: int | None = ...,
    end: int,
    max_length: int = ...,
    beams: int = ...,
    length_penalty: float = ...,
    room: int | None = ...,
    scores: Literal[True],
) -> tuple[list[list[int]], list[float]]: ...


def beam_search(
    model: Decodable,
    source: NamedTensor,
    *,
    begin: int | None = None,
    end: int,
    max_length: int = 50,
    beams: int = 4,
    length_penalty: float = 0.6,
    room: int | None = None,
    scores: bool = False,
) -> list[list[int]] | tuple[list[list[int]], list[float]]:
    """Find the output with the best score, log P(y | x) / ((5 + |y|) / 6)^length_penalty.

    Source: Wu et al. 2016, section 7, without the coverage penalty. |y| counts the end, which is
    forced after `max_length` ids; an `end` that is no id never comes. A hypothesis that ends keeps its
    place in the beam. One beam gives what greedy gives; as many beams as there are outputs find the best.
    """
    if beams < 1 or length_penalty < 0:
        raise ValueError(
            f"beam_search(beams={beams}, length_penalty={length_penalty}): "
            "beams is 1 or more, length_penalty is 0 or more"
        )
    at_least_no_ids(max_length)
    fill = fill_of(model, end)
    # a model that continues a text has its keys and values, for each hypothesis
    source = source if hasattr(model, "encode") else nt.stack[beam](source)
    with evaluating(model):
        token, cache = opening(model, source, begin, room)
        token = token if "beam" in token.axes else nt.stack[beam](token)
        found = None
        for place in range(max_length + 1):
            logits, cache = model.step(token if found is None else found.tokens[seq(-1)], cache)
            found = found or Beam.of(token, logits.dtype)
            ids = nt.iota(vocab[logits.size(vocab)])
            if place == max_length and not 0 <= end < logits.size(vocab):
                found = replace(found, running=found.running & (found.running != found.running))
                break
            allowed = ids == end if place == max_length else (ids != fill) | (ids == end)
            gained = nt.log_softmax[vocab](logits)
            found, parent = found.extended(gained, allowed, end, fill, beams)
            if found.settled(length_penalty, max_length + 1):
                break
            cache = cache.select(beam, parent)
    assert found is not None
    score = found.scores(length_penalty)
    first = nt.argmax_index[beam](score)
    outputs = id_lists(nt.index[beam](found.tokens, first)[seq[1:]], end, fill)
    return (outputs, nt.max[beam](score).torch(batch).tolist()) if scores else outputs
