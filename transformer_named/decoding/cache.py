"""What a decoder remembers between two tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

import namedtensor as nt
from namedtensor import Axis, NamedTensor

Pair = tuple[NamedTensor, NamedTensor]


@dataclass(frozen=True, slots=True)
class Cache:
    """Keep the keys and values of each layer, so that a token is projected only once.

    `past` holds K and V of the tokens so far, R[head, seq, key] and R[head, seq, val], layer by
    layer; `memory` those of the source, over src; `mask`, R[src], is 0 on the source's ids and -inf
    on its padding. `places`, R[seq, emb], has the positional encodings of this many places and more;
    `length` counts the tokens so far. Other axes (batch, beam) pass through.
    """

    past: tuple[Pair, ...]
    memory: tuple[Pair, ...]
    mask: NamedTensor
    places: NamedTensor
    length: int

    def select(self, ax: Axis, chosen: NamedTensor) -> Cache:
        """Follow the hypotheses `chosen`, integers along ax; what has no such axis is shared."""
        return replace(
            self,
            past=tuple((nt.index[ax](K, chosen), nt.index[ax](V, chosen)) for K, V in self.past),
        )
