"""Divide the words into three parts: training, validation and test.

A word's part hangs on the word alone, so that it stays when the dictionary grows, and no word is in
two parts, whatever its pronunciations.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from transformer_named.g2p.dictionary import Dictionary
from transformer_named.g2p.errors import G2PError

PARTS = 40
TEST_PARTS = 2
VALIDATION_PARTS = 1


@dataclass(frozen=True)
class Split:
    """The words of the three parts, each in alphabetical order."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]


def split_words(dictionary: Dictionary, test_words: Sequence[str] | None = None) -> Split:
    """Take 2 in 40 words for the test, or those given; of the others, 1 in 40 for validation.

    Raises: G2PError when test words are not in the dictionary, or no training word is left.
    """
    part = {word: word_hash(word) % PARTS for word in dictionary}
    if test_words is None:
        test = {word for word in dictionary if part[word] < TEST_PARTS}
    else:
        test = set(test_words)
        unknown = sorted(test - dictionary.keys())
        if unknown:
            shown = ", ".join(repr(word) for word in unknown[:3])
            rest = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
            raise G2PError(f"test words that the dictionary lacks: {shown}{rest}")
    held_out = range(TEST_PARTS, TEST_PARTS + VALIDATION_PARTS)
    validation = {word for word in dictionary if part[word] in held_out} - test
    train = dictionary.keys() - test - validation
    if not train:
        raise G2PError("no words are left to train on; give a larger dictionary")
    return Split(tuple(sorted(train)), tuple(sorted(validation)), tuple(sorted(test)))


def word_hash(word: str) -> int:
    """Hash a word, the same on every machine and in every run."""
    return int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
