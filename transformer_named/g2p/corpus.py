"""The dictionary and its parts together, as every command needs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transformer_named.g2p.dictionary import Dictionary, cmudict_file, read_dictionary
from transformer_named.g2p.examples import Examples, encode, fingerprint
from transformer_named.g2p.split import Split, split_words


@dataclass(frozen=True)
class Corpus:
    """Words, their pronunciations and their parts; test_words are None for the split by hash."""

    dictionary: Dictionary
    split: Split
    test_words: tuple[str, ...] | None

    def examples(self) -> Examples:
        """Number the training part."""
        return encode(self.split.train, self.dictionary)

    @property
    def fingerprint(self) -> str:
        """Tell the training part apart from any other."""
        return fingerprint(self.split.train, self.dictionary)


def load_corpus(file: Path | None, test_words: Sequence[str] | None) -> Corpus:
    """Read CMUdict, or another file of its form, and divide it.

    Raises: G2PError when it is missing or unfit, or a test word is not in it.
    """
    dictionary = read_dictionary(file or cmudict_file())
    words = None if test_words is None else tuple(test_words)
    return Corpus(dictionary, split_words(dictionary, words), words)
