"""Phoneme and word error rates, against the nearest of several pronunciations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transformer_named.g2p.dictionary import Pronunciation


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Count the insertions, deletions and substitutions that turn a into b.

    >>> edit_distance("K AE T".split(), "K AA T S".split())
    2
    """
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def nearest(
    predicted: Pronunciation, references: Sequence[Pronunciation]
) -> tuple[int, Pronunciation]:
    """Find the reference with the fewest errors, the first of several, and count them.

    >>> nearest(("DH", "IY"), [("DH", "AH"), ("DH", "IY")])
    (0, ('DH', 'IY'))
    """
    distances = [edit_distance(predicted, reference) for reference in references]
    best = min(range(len(references)), key=distances.__getitem__)
    return distances[best], references[best]


@dataclass(frozen=True)
class Score:
    """Errors counted over words."""

    words: int
    wrong_words: int
    phonemes: int
    wrong_phonemes: int

    @property
    def per(self) -> float:
        """Phoneme error rate: edits divided by the phonemes of the nearest references."""
        return self.wrong_phonemes / self.phonemes

    @property
    def wer(self) -> float:
        """Word error rate: words that match none of their references, divided by all words."""
        return self.wrong_words / self.words

    def __str__(self) -> str:
        """Print both rates.

        >>> print(Score(words=200, wrong_words=50, phonemes=1000, wrong_phonemes=66))
        PER 6.60 %, WER 25.00 % on 200 words
        """
        return f"PER {100 * self.per:.2f} %, WER {100 * self.wer:.2f} % on {self.words:,} words"


def score(pairs: Iterable[tuple[Pronunciation, Sequence[Pronunciation]]]) -> Score:
    """Sum the errors of predictions, each beside its references."""
    words = wrong_words = phonemes = wrong_phonemes = 0
    for predicted, references in pairs:
        errors, reference = nearest(predicted, references)
        words += 1
        wrong_words += errors > 0
        phonemes += len(reference)
        wrong_phonemes += errors
    return Score(words, wrong_words, phonemes, wrong_phonemes)
