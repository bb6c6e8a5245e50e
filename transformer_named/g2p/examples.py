"""Spellings and pronunciations as integer arrays, and the order in which training sees them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_named.g2p.dictionary import Dictionary
from transformer_named.g2p.symbols import phoneme_ids, spelling_ids

POOL = 32
"""Batches that are sorted by size together: more of them waste less padding and mix words less."""


@dataclass(frozen=True)
class Examples:
    """One row for each pronunciation of each word, padded with 0 to the longest.

    The counts stay on the CPU, so that cutting a batch asks nothing of the device.
    """

    spellings: Tensor
    pronunciations: Tensor
    letters: Tensor
    phonemes: Tensor
    fingerprint: str

    def __len__(self) -> int:
        return len(self.spellings)

    def to(self, device: str) -> "Examples":
        """Move the rows to a device."""
        return Examples(
            self.spellings.to(device),
            self.pronunciations.to(device),
            self.letters,
            self.phonemes,
            self.fingerprint,
        )

    def batch(self, rows: Tensor, multiple: int = 1) -> tuple[Tensor, Tensor]:
        """Take rows, cut behind the longest; columns round up to a multiple, as far as they go."""
        width = _round_up(int(self.letters[rows].max()), multiple)
        height = _round_up(int(self.phonemes[rows].max()), multiple)
        rows = rows.to(self.spellings.device, non_blocking=True)
        return self.spellings[rows, :width].long(), self.pronunciations[rows, :height].long()


def encode(words: Sequence[str], dictionary: Dictionary) -> Examples:
    """Number the letters and phonemes of the words, with one row for each pronunciation."""
    spellings, pronunciations = [], []
    for word in words:
        for pronunciation in dictionary[word]:
            spellings.append(spelling_ids(word))
            pronunciations.append(phoneme_ids(pronunciation))
    return Examples(
        pad(spellings),
        pad(pronunciations),
        torch.tensor([len(ids) for ids in spellings]),
        torch.tensor([len(ids) for ids in pronunciations]),
        fingerprint(words, dictionary),
    )


def fingerprint(words: Sequence[str], dictionary: Dictionary) -> str:
    """Tell these words with these pronunciations apart from any others."""
    digest = hashlib.sha256()
    for word in words:
        digest.update(f"{word} {dictionary[word]}\n".encode())
    return digest.hexdigest()[:16]


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Stack rows of ids, filled up with 0 to the longest.

    >>> pad([[1, 2], [3]]).tolist()
    [[1, 2], [3, 0]]
    """
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], dtype=torch.uint8)


def _round_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple


class Order:
    """The rows of each step: a function of the seed and the step, so that a run can be resumed.

    Each epoch is shuffled; within a pool of batches rows are sorted by size, so that a batch holds
    words of similar sizes; the batches are shuffled again.
    """

    def __init__(self, examples: Examples, batch: int, seed: int) -> None:
        self._sizes = examples.letters * 256 + examples.phonemes
        self._batch = batch
        self._seed = seed
        self._epoch: tuple[int, list[Tensor]] = (-1, [])

    @property
    def steps_per_epoch(self) -> int:
        """Count the batches that hold every row once."""
        return -(-len(self._sizes) // self._batch)

    def rows(self, step: int) -> Tensor:
        """List the rows of a step, counted from 0."""
        epoch, position = divmod(step, self.steps_per_epoch)
        if self._epoch[0] != epoch:
            self._epoch = (epoch, self._shuffle(epoch))
        return self._epoch[1][position]

    def _shuffle(self, epoch: int) -> list[Tensor]:
        generator = torch.Generator().manual_seed(mix(self._seed, "epoch", epoch))
        rows = torch.randperm(len(self._sizes), generator=generator)
        batches: list[Tensor] = []
        for pool in torch.split(rows, self._batch * POOL):
            by_size = pool[torch.argsort(self._sizes[pool], stable=True)]
            batches += torch.split(by_size, self._batch)
        return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]


def mix(seed: int, purpose: str, count: int) -> int:
    """Derive an independent seed of 63 bits for the count-th use of a run's seed for a purpose."""
    digest = hashlib.sha256(f"{seed} {purpose} {count}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
