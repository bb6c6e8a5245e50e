"""Pronounce words in batches, and score them."""

import time
from collections.abc import Iterator, Sequence

import torch

from transformer_named.g2p.dictionary import Dictionary, Pronunciation
from transformer_named.g2p.examples import pad
from transformer_named.g2p.metrics import Score, score
from transformer_named.g2p.speller import Speller
from transformer_named.g2p.split import word_hash
from transformer_named.g2p.symbols import phonemes_of, spelling_ids

BATCH = 512


def pronounce(
    speller: Speller, words: Sequence[str], *, device: str, beams: int = 1
) -> dict[str, Pronunciation]:
    """Predict the pronunciation of each word, words of similar sizes together.

    Raises: G2PError for a word that holds other characters than a-z and '.
    """
    spellings = {word: spelling_ids(word) for word in words}
    by_size = sorted(spellings, key=len)
    predicted: dict[str, Pronunciation] = {}
    speller.module.eval()
    with torch.no_grad():
        for start in range(0, len(by_size), BATCH):
            batch = by_size[start : start + BATCH]
            source = pad([spellings[word] for word in batch]).long().to(device)
            for word, ids in zip(batch, speller.pronounce(source, beams), strict=True):
                predicted[word] = phonemes_of(ids)
    return {word: predicted[word] for word in words}


def evaluate(
    speller: Speller,
    words: Sequence[str],
    dictionary: Dictionary,
    *,
    device: str,
    beams: int = 1,
) -> tuple[Score, dict[str, Pronunciation]]:
    """Score the predictions of words against the dictionary, and give them back."""
    predicted = pronounce(speller, words, device=device, beams=beams)
    return score((predicted[word], dictionary[word]) for word in words), predicted


def sample(words: Sequence[str], count: int) -> list[str]:
    """Choose words by their hash: the same ones in every run, and fewer are a part of more."""
    return sorted(words, key=word_hash)[:count]


def chunks(words: Sequence[str], size: int, seconds: float) -> Iterator[Sequence[str]]:
    """Hand out words chunk by chunk for as long as another is likely to fit into the time."""
    start = time.monotonic()
    for done, first in enumerate(range(0, len(words), size), start=1):
        yield words[first : first + size]
        used = time.monotonic() - start
        if used + used / done > seconds:
            return
