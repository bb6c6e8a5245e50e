"""What a decoder remembers between two tokens."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import namedtensor as nt
from namedtensor import Axis, NamedTensor
from namedtensor.plans import Layout

Pair = tuple[NamedTensor, NamedTensor]


@dataclass(frozen=True, slots=True)
class Cache:
    """Keep the keys and values of each layer, so that a token is projected only once.

    `past` holds K and V of the tokens so far, R[head, seq, key] and R[head, seq, val], layer by
    layer; `memory` those of the source, over src; `mask`, R[src], is 0 on the source's ids and -inf
    on its padding. `places`, R[seq, emb], has the positional encodings of this many places and more;
    `length` counts the tokens so far. Other axes (batch, beam) pass through. With `room`, K and V are
    of so many places, and new ones are written in place: what is written is in every copy of the cache.
    """

    past: tuple[Pair, ...]
    memory: tuple[Pair, ...]
    mask: NamedTensor
    places: NamedTensor
    length: int
    room: int | None = None

    def select(self, ax: Axis, chosen: NamedTensor) -> Cache:
        """Follow the hypotheses `chosen`, integers along ax; what has no such axis is shared."""
        return replace(
            self,
            past=tuple((nt.index[ax](K, chosen), nt.index[ax](V, chosen)) for K, V in self.past),
        )


def with_room(X: NamedTensor, room: int) -> NamedTensor:
    """Give zeros for so many places of what X has one or some of, a head's side by side."""
    *others, last = [name for name in X.axes if name != "seq"]
    sizes = [X.size(name) for name in others]
    zeros = X.data.new_zeros((*sizes, max(room, 0), X.size(last)))
    return nt.tensor(zeros, *others, "seq", last)


def spread(whole: NamedTensor, X: NamedTensor) -> NamedTensor:
    """Repeat what is kept over axes that only X has: one text that is gone on with in several ways."""
    more = beyond(X.layout, whole.layout)
    return whole + _zeros(X, more) if more else whole


def _zeros(X: NamedTensor, names: tuple[str, ...]) -> NamedTensor:
    """Give zeros over some axes of X."""
    return nt.tensor(X.data.new_zeros([X.size(name) for name in names]), *names)


@functools.cache
def beyond(own: Layout, other: Layout) -> tuple[str, ...]:
    """Give the axes of a layout that are none of the other's."""
    return tuple([name for name in own.axes if name not in other.axes])


@functools.cache
def placed(own: Layout, wanted: Layout) -> tuple[int, tuple[int, ...]] | None:
    """Say where seq stands in a wanted layout, and where its axes stand now; None where some do not."""
    if beyond(wanted, own):
        return None
    return wanted.axes.index("seq"), tuple(map(own.axes.index, wanted.axes))


def written(whole: NamedTensor, X: NamedTensor, length: int) -> NamedTensor:
    """Write X behind the first places of a whole, and give all of these: a view, of which nothing is moved.

    Raises: IndexRangeError where there is no room for it.
    """
    held, layout = whole.data, whole.layout
    known = placed(X.layout, layout)
    if known is None:
        return written(whole, X + _zeros(whole, beyond(layout, X.layout)), length)
    at, places = known
    data = X.data.permute(places)
    room, new = held.size(at), data.size(at)
    if length + new > room:
        raise nt.IndexRangeError(
            "cache.add(...)",
            f"the cache has room for {room} places, {length} are taken, and {new} come",
            hint=f"make a longer one: room={length + new}",
        )
    found = held.narrow(at, 0, length + new)
    free = found.narrow(at, length, new)
    if free.shape != data.shape:
        nt.concat["seq"](whole, X)  # which refuses it, in its words
    free.copy_(data)
    return NamedTensor(found, layout)
