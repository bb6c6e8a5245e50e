"""What a decoder remembers between two tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.nn.functional import pad

import namedtensor as nt
from namedtensor import Axis, NamedTensor
from namedtensor.errors import first_line
from namedtensor.plans import Layout, layout_of

Pair = tuple[NamedTensor, NamedTensor]

depth = Axis("depth")


@dataclass(frozen=True, slots=True)
class Cache:
    """Keep the keys and values of each layer, so that a token is projected only once.

    `past` holds K and V of the tokens so far, R[head, seq, key] and R[head, seq, val]: one pair for
    all layers, along depth, or a pair for each; `memory` those of the source, over src; `mask`,
    R[src], is 0 on the source's ids and -inf on its padding. `places`, R[seq, emb], has the
    positional encodings of this many places and more; `length` counts the tokens so far; `steps` takes
    all layers for one more. Other axes (batch, beam) pass through. With `room`, K and V are of so many
    places, and new ones are written in place: what is written is in every copy of the cache.
    """

    past: Sequence[Pair]
    memory: Sequence[Pair]
    mask: NamedTensor
    places: NamedTensor
    steps: Any
    length: int
    room: int | None = None

    def select(self, ax: Axis, chosen: NamedTensor) -> Cache:
        """Follow the hypotheses `chosen`, integers along ax; what has no such axis is shared."""
        return replace(
            self,
            past=tuple((nt.index[ax](K, chosen), nt.index[ax](V, chosen)) for K, V in self.past),
        )


def empty(like: NamedTensor, **sizes: int) -> NamedTensor:
    """Give what holds no place yet of these axes, in the dtype of other data."""
    *others, last = sizes
    shape = [*[sizes[name] for name in others], 0, sizes[last]]
    return nt.tensor(like.data.new_empty(shape), *others, "seq", last)


def with_room(
    held: Sequence[Pair], room: int | None, length: int, words: NamedTensor, new: int
) -> Sequence[Pair]:
    """Give room for so many words behind what is held: the chosen room, or else longer copies.

    What is held is repeated over axes that words have and it lacks: one text that is gone on with in several
    ways.

    Raises: IndexRangeError where there is no room for them.
    """
    if room is not None and length + new > room:
        raise nt.IndexRangeError(
            "cache.add(...)",
            f"the cache has room for {max(room, 0)} places, {length} are taken, and {new} come",
            hint=f"make a longer one: room={length + new}",
        )
    if not held or (places_of(held[0][0]) == room and not beyond(words.layout, held[0][0].layout)):
        return held
    size = length + new if room is None else room
    return [(longer(K, size, words), longer(V, size, words)) for K, V in held]


def longer(X: NamedTensor, size: int, words: NamedTensor) -> NamedTensor:
    """Give so many places, a head's side by side, of which the first are those of X."""
    more = beyond(words.layout, X.layout)
    if not more and X.axes[-2] == "seq":
        return NamedTensor(pad(X.data, (0, 0, 0, size - X.data.shape[-2])), X.layout)
    *others, last = [name for name in X.axes if name != "seq"]
    sizes = [*[words.size(name) for name in more], *[X.size(name) for name in others]]
    found = X.data.new_zeros((*sizes, size, X.size(last)))
    if count := X.size("seq"):
        found.narrow(-2, 0, count).copy_(X.torch(*others, "seq", last))
    return nt.tensor(found, *more, *others, "seq", last)


def beyond(words: Layout, held: Layout) -> tuple[str, ...]:
    """Give the axes of words that what is held lacks, but for their places."""
    return tuple([name for name in words.axes if name not in (*held.axes, "seq", "seq'")])


def places_of(X: NamedTensor) -> int:
    """Count the places of what is held."""
    return int(X.data.shape[X.layout.axes.index("seq")])


def first(X: NamedTensor, count: int) -> NamedTensor:
    """Give the first places of what is held: a view, of which nothing is moved."""
    layout, data = X.layout, X.data
    along = layout.axes.index("seq")
    return X if data.shape[along] == count else NamedTensor(data.narrow(along, 0, count), layout)


def at(X: NamedTensor, place: int) -> NamedTensor:
    """Give one place of what is held: a view, of which nothing is moved."""
    axes, layout = X.axes, X.layout
    along = axes.index("seq")
    rest = layout_of((*axes[:along], *axes[along + 1 :]), layout.kind, layout.backend)
    return NamedTensor(X.data.select(along, place), rest)


def arranged(held: Sequence[Pair], own: bool) -> Sequence[Pair]:
    """Give one pair for each layer, where each is to have its own, or else one pair for all, along depth.

    One for all serves where one formula takes all layers; where they run one by one, each part would be
    looked for at each token.
    """
    if not held or own is not for_all(held):
        return held
    if own:
        return list(zip(*[apart(X) for X in held[0]], strict=True))
    K, V = [nt.stack[depth](*each) for each in zip(*held, strict=True)]
    return [(K, V)]


def for_all(held: Sequence[Pair]) -> bool:
    """Say whether one pair holds what all layers have."""
    return bool(held) and depth.name in held[0][0].axes


def of_layer(i: int, held: Sequence[Pair]) -> tuple[NamedTensor, ...]:
    """Give what is held of one layer, where anything is held."""
    if for_all(held):
        return tuple([X[depth(i)] for X in held[0]])
    return held[i] if held else ()


def apart(X: NamedTensor) -> list[NamedTensor]:
    """Give each layer's part of what is held, in its own memory."""
    others = [name for name in X.axes if name != depth.name]
    return [nt.tensor(part.clone(), *others) for part in X.torch(depth, *others)]


def _keep(K: Any, k: Any, V: Any, v: Any) -> tuple[Any, Any]:
    try:
        for whole, new in ((K, k), (V, v)):
            whole[..., -new.shape[-2] :, :] = new
    except RuntimeError as error:
        raise nt.BackendError(
            "keep(K, k, V, v)",
            f"torch does not write into K and V: {first_line(error)}",
            [("K", f"sizes {tuple(K.shape)}"), ("V", f"sizes {tuple(V.shape)}")],
            "give it copies: K * 1, V * 1",
        ) from None
    # autograd needs what was read as it was, and later layers and steps write into the same memory
    recorded = torch.is_grad_enabled() and any([getattr(X, "requires_grad", False) for X in (K, V)])
    return (K.clone(), V.clone()) if recorded else (K, V)


def _kept(K: Any, k: Any, V: Any, v: Any, dK: Any, dk: Any, dV: Any, dv: Any) -> Any:
    seq = nt.Axis("seq")

    def joined(whole: Any, new: Any) -> Any:
        return nt.concat[seq](whole[seq[: -new.size(seq.prime)]], new[seq.prime >> seq])

    return joined(dK, dk), joined(dV, dv)


#: Write new keys and values over the last places of all, in their own memory, and give all.
keep = nt.lift(
    _keep, "seq key, seq' key, seq val, seq' val -> seq key, seq val", over=(), differential=_kept
)
