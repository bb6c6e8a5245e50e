"""torch's recurrent cells on whole sequences, and the same in plain operations where the cells cannot run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F

from namedtensor.backends.torch_attention import transformed

Array = Any


#: A tensor of all gates, or one for each; None where a gate has no bias.
Gates = Array | Sequence[Array | None]


def lstm(
    x: Array,
    start: tuple[Array, Array],
    weights: Gates,
    recurrent: Gates,
    biases: Gates,
    more: Gates,
    reverse: bool = False,
) -> tuple[Array, Array, Array]:
    """Run an LSTM over rows of x: every h, the last h, the last c.

    x: n x rows x i; start: rows x h; the gates i, f, g, o have weights h x i and recurrent ones h x h,
    biases for x, and `more` of them for h.
    """
    W, U, b, b_h = _joined(4, weights, recurrent, biases, more)
    h, c = start
    if _fits(x, W, U, h, c):
        H, h, c = _ran(torch.lstm, x, (h[None], c[None]), [W, U, b, b_h], reverse)
        return H, h[0], c[0]
    states = []
    mapped = F.linear(x, W, b).unbind(0)
    for now in reversed(mapped) if reverse else mapped:
        i, f, g, o = (now + h @ U.T).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        states.append(h)
    return _stacked(states, start[0], reverse), h, c


def gru(
    x: Array,
    start: tuple[Array],
    weights: Gates,
    recurrent: Gates,
    biases: Gates,
    more: Gates,
    reverse: bool = False,
) -> tuple[Array, Array]:
    """Run a GRU over rows of x: every h, the last h. The gates are r, z, n."""
    W, U, b, b_h = _joined(3, weights, recurrent, biases, more)
    (h,) = start
    if _fits(x, W, U, h):
        H, h = _ran(torch.gru, x, h[None], [W, U, b, b_h], reverse)
        return H, h[0]
    states = []
    mapped = F.linear(x, W, b).unbind(0)
    for now in reversed(mapped) if reverse else mapped:
        (r, z, n), (r_h, z_h, n_h) = now.chunk(3, -1), F.linear(h, U, b_h).chunk(3, -1)
        z = torch.sigmoid(z + z_h)
        n = torch.tanh(n + torch.sigmoid(r + r_h) * n_h)
        h = (1 - z) * n + z * h
        states.append(h)
    return _stacked(states, start[0], reverse), h


def _joined(
    count: int, weights: Gates, recurrent: Gates, biases: Gates, more: Gates
) -> tuple[Array, Array, Array | None, Array | None]:
    """Put the gates under each other: weights and biases for x, then for h."""
    W, U = _under(weights, count), _under(recurrent, count)
    b, b_h = [_biases(g, count, U) for g in (biases, more)]
    if b is None and b_h is None and U.device.type != "cuda":  # whose cells always read biases
        return W, U, None, None
    none = U.new_zeros(U.shape[0])
    return W, U, none if b is None else b, none if b_h is None else b_h


def _biases(gates: Gates, count: int, like: Array) -> Array | None:
    """Put biases under each other, 0 for a gate without; None if no gate has one."""
    if isinstance(gates, torch.Tensor):
        return _under(gates, count)
    if all(b is None for b in gates):
        return None
    none = like.new_zeros(like.shape[1])
    return _under([none if b is None else b for b in gates], count)


def _under(gates: Gates, count: int) -> Array:
    """Stack gates along rows; gates that are one tensor are stacked already."""
    if isinstance(gates, torch.Tensor):
        if gates.shape[0] < count:  # torch's cells would read beyond smaller ones
            raise IndexError(f"{gates.shape[0]} gates of {count}")
        every = gates if gates.shape[0] == count else gates[:count]
        return every.flatten(0, 1)
    return torch.cat([g for g in gates if g is not None])


def _ran(cell: Any, x: Array, start: Any, parts: Sequence[Array | None], reverse: bool) -> Any:
    """Run torch's cell over all rows: every h, and the last states; there are two biases or none."""
    flat = _in_one_chunk([part for part in parts if part is not None])
    x, grad = x.flip(0) if reverse else x, torch.is_grad_enabled()
    H, *last = cell(x, start, flat, len(flat) == 4, 1, 0.0, grad, False, False)
    return (H.flip(0) if reverse else H), *last


def _in_one_chunk(parts: list[Array]) -> list[Array]:
    """Put weights and biases side by side on a GPU, whose cells would copy them and warn otherwise."""
    if parts[0].device.type != "cuda":
        return parts
    chunk = torch.cat([part.reshape(-1) for part in parts])
    places = torch.split(chunk, [part.numel() for part in parts])
    return [flat.view(part.shape) for flat, part in zip(places, parts, strict=True)]


def _fits(x: Array, *others: Array) -> bool:
    """Say whether torch's own cell takes these: not in a transform, a compiler, or for no steps."""
    if any(y.dtype != x.dtype for y in others):
        raise TypeError("numbers of several dtypes")  # of which the formula says what comes of them
    plain = not torch.compiler.is_compiling() and not transformed(x, *others)
    # not every CPU has a cell of half the width, which autocast makes of these
    narrow = x.device.type == "cpu" and torch.is_autocast_enabled("cpu")
    return plain and not narrow and x.shape[0] > 0


def _stacked(states: Sequence[Array], like: Array, reverse: bool) -> Array:
    if not states:
        return like[None][:0]
    return torch.stack(tuple(states[::-1] if reverse else states))
