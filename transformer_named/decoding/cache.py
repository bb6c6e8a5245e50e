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
    """Keep the keys and values of each layer, so that each token is projected only once.

    past     K in R[head, seq, key] and V in R[head, seq, val] of the tokens so far: one pair for all layers,
             along depth, or one pair for each layer
    memory   the same for the source, over src
    mask     R[src], 0 on the ids of the source and -inf on its padding
    places   R[seq, emb], the positional encodings of the first places
    steps    the module that takes one more token through all layers
    length   the number of tokens so far
    room     the number of places that K and V have, if it is chosen

    Other axes (batch, beam) pass through. Without `room`, each token makes longer copies of K and V. With it,
    new keys and values are written into K and V, which copies of the cache share.
    """

    past: Sequence[Pair]
    memory: Sequence[Pair]
    mask: NamedTensor
    places: NamedTensor
    steps: Any
    length: int
    room: int | None = None

    def select(self, ax: Axis, chosen: NamedTensor) -> Cache:
        """Keep the hypotheses `chosen`, integers along ax. The source is the same for all of them."""
        return replace(
            self,
            past=tuple((nt.index[ax](K, chosen), nt.index[ax](V, chosen)) for K, V in self.past),
        )


def empty(like: NamedTensor, **sizes: int) -> NamedTensor:
    """Make keys or values of no places yet, in the dtype and on the device of another tensor."""
    *others, last = sizes
    shape = [*[sizes[name] for name in others], 0, sizes[last]]
    return nt.tensor(like.data.new_empty(shape), *others, "seq", last)


def with_room(
    held: Sequence[Pair], room: int | None, length: int, words: NamedTensor, new: int
) -> Sequence[Pair]:
    """Make room for `new` places behind the first `length`: the chosen room, or else longer copies.

    Where words have axes that K and V lack, K and V are repeated along them: one text is continued in several
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
    """Copy X into `size` places, and add the axes that words have. The places of a head lie side by side."""
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
    """List the axes of words that keys and values lack, apart from places."""
    return tuple([name for name in words.axes if name not in (*held.axes, "seq", "seq'")])


def places_of(X: NamedTensor) -> int:
    """Count the places of keys, values or encodings."""
    return int(X.data.shape[X.layout.axes.index("seq")])


def first(X: NamedTensor, count: int) -> NamedTensor:
    """Give the first places, as a view."""
    layout, data = X.layout, X.data
    along = layout.axes.index("seq")
    return X if data.shape[along] == count else NamedTensor(data.narrow(along, 0, count), layout)


def at(X: NamedTensor, place: int) -> NamedTensor:
    """Give one place, as a view."""
    axes, layout = X.axes, X.layout
    along = axes.index("seq")
    rest = layout_of((*axes[:along], *axes[along + 1 :]), layout.kind, layout.backend)
    return NamedTensor(X.data.select(along, place), rest)


def arranged(held: Sequence[Pair], own: bool) -> Sequence[Pair]:
    """Hold one pair for each layer (`own`), or one pair for all layers, along depth.

    One pair is for a formula that takes all layers. Layers that run one by one have their own pairs, because
    indexing along depth would cost time in each layer.
    """
    if not held or own is not for_all(held):
        return held
    if own:
        return list(zip(*[apart(X) for X in held[0]], strict=True))
    K, V = [nt.stack[depth](*each) for each in zip(*held, strict=True)]
    return [(K, V)]


def for_all(held: Sequence[Pair]) -> bool:
    """Say whether one pair holds all layers, along depth."""
    return bool(held) and depth.name in held[0][0].axes


def of_layer(i: int, held: Sequence[Pair]) -> tuple[NamedTensor, ...]:
    """Give the keys and values of one layer, or nothing where nothing is held."""
    if for_all(held):
        return tuple([X[depth(i)] for X in held[0]])
    return held[i] if held else ()


def apart(X: NamedTensor) -> list[NamedTensor]:
    """Copy each layer's part into memory of its own."""
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
    # later layers and steps write into the same memory, and autograd needs the values of now
    recorded = torch.is_grad_enabled() and any([getattr(X, "requires_grad", False) for X in (K, V)])
    return (K.clone(), V.clone()) if recorded else (K, V)


def _kept(K: Any, k: Any, V: Any, v: Any, dK: Any, dk: Any, dV: Any, dv: Any) -> Any:
    seq = nt.Axis("seq")

    def joined(whole: Any, new: Any) -> Any:
        return nt.concat[seq](whole[seq[: -new.size(seq.prime)]], new[seq.prime >> seq])

    return joined(dK, dk), joined(dV, dv)


#: Write new keys and values into the last places of K and V, in place, and give K and V.
keep = nt.lift(
    _keep, "seq key, seq' key, seq val, seq' val -> seq key, seq val", over=(), differential=_kept
)
