"""A model small enough to enumerate: the logits depend on everything said so far, by a hash."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import torch

import namedtensor as nt
from namedtensor import Axis, NamedTensor, axes

batch, src, seq, vocab, code = axes("batch src seq vocab code")
CODES = 97
VOCAB, BEGIN, END = 5, 1, 2


@dataclass(frozen=True)
class Said:
    """Remember the hash of the source and of the tokens so far."""

    code: NamedTensor

    def select(self, ax: Axis, chosen: NamedTensor) -> Said:
        return Said(nt.index[ax](self.code, chosen))


class Hashing(torch.nn.Module):
    """Give logits by table[hash(source, tokens so far)]."""

    def __init__(self, seed: int = 0, spread: float = 1.5) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.table = spread * torch.randn(CODES, VOCAB, dtype=torch.float64, generator=generator)

    def encode(self, source: NamedTensor) -> NamedTensor:
        weights = nt.iota(src) + 1
        return nt.cast(nt.sum[src](source * weights), torch.float64)

    def start(self, memory: NamedTensor, source: NamedTensor) -> Said:
        return Said(nt.cast(memory, torch.int64))

    def step(self, token: NamedTensor, cache: Said) -> tuple[NamedTensor, Said]:
        now = (cache.code * 7 + token + 1) % CODES
        return nt.index[code](nt.tensor(self.table, code, vocab), now), Said(now)

    def forward(self, source: NamedTensor, target: NamedTensor) -> NamedTensor:
        cache = self.start(self.encode(source), source)
        logits = []
        for place in range(target.size(seq)):
            now, cache = self.step(target[seq(place)], cache)
            logits.append(now)
        return nt.stack[seq](*logits)

    def gained(self, source: list[int], said: list[int]) -> np.ndarray:
        """Compute log P(id | source, said) for every id, with numpy alone."""
        now = sum(id * (place + 1) for place, id in enumerate(source))
        for id in [BEGIN, *said]:
            now = (now * 7 + id + 1) % CODES
        row = self.table[now].numpy()
        return row - np.log(np.exp(row).sum())

    def log_probability(self, source: list[int], said: list[int]) -> float:
        """Compute log P(said | source); an output that is over says its end too."""
        return sum(self.gained(source, said[:place])[id] for place, id in enumerate(said))


def outputs(max_length: int) -> list[list[int]]:
    """List every output of at most max_length ids: neither padding nor end."""
    ids = [id for id in range(1, VOCAB) if id != END]
    return [list(y) for length in range(max_length + 1) for y in product(ids, repeat=length)]
