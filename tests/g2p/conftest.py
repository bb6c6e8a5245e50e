"""A language of syllables that a tiny model learns in seconds, and runs over it."""

import itertools
from pathlib import Path

import pytest

from transformer_named.__main__ import main
from transformer_named.g2p.corpus import Corpus, load_corpus
from transformer_named.g2p.settings import Settings

TINY = {"emb": 16, "hid": 32, "head": 2, "key": 8, "val": 8, "layers": 1, "batch": 16}
TINY_OPTIONS = [text for name, size in TINY.items() for text in (f"--{name}", str(size))]

ONSETS = {"b": "B", "d": "D", "k": "K", "m": "M", "s": "S", "sh": "SH"}
RHYMES = {"a": "AA1", "ee": "IY1", "oo": "UW0", "an": "AE1 N"}


@pytest.fixture
def dictionary_file(tmp_path: Path) -> Path:
    """576 words of two syllables, one with a second pronunciation."""
    syllables = [(o + r, f"{ONSETS[o]} {RHYMES[r]}") for o, r in itertools.product(ONSETS, RHYMES)]
    lines = [f"{a}{b} {x} {y}" for (a, x), (b, y) in itertools.product(syllables, repeat=2)]
    path = tmp_path / "syllables.dict"
    path.write_text("\n".join([*lines, "baba(2) B AH0 B AA1 # second"]) + "\n")
    return path


@pytest.fixture
def corpus(dictionary_file: Path) -> Corpus:
    return load_corpus(dictionary_file, None)


@pytest.fixture
def tiny() -> Settings:
    return Settings().with_given({**TINY, "steps": 6, "dropout": 0.1, "threads": 1})


@pytest.fixture
def command(capsys):
    """Run the command line; give status, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(["g2p", *map(str, arguments)])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


@pytest.fixture
def refused(command):
    """Run a command that must end in one line on stderr and status 1; give that line."""

    def run(*arguments: object) -> str:
        status, out, error = command(*arguments)
        assert (status, out) == (1, "")
        assert error.startswith("transformer-named: ")
        assert error.count("\n") == 1
        return error.removeprefix("transformer-named: ").rstrip("\n")

    return run


@pytest.fixture
def trained(tmp_path: Path, dictionary_file: Path, command) -> Path:
    """The folder of a finished run of two steps."""
    folder = tmp_path / "trained"
    options = ["--dictionary", dictionary_file, "--out", folder, "--steps", 2, *TINY_OPTIONS]
    assert command("train", *options)[0] == 0
    return folder
