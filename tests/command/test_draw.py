"""`namedtensor draw`: formulas of documents as SVG; the README's pictures are what its commands draw."""

import base64
import re
import shlex
import struct
import zlib
from xml.etree import ElementTree

import pytest

from namedtensor.command.program import main
from tests.project.interpreter import ROOT

PICTURES = ROOT / "docs" / "pictures"
COMMANDS = [line for line in (PICTURES / "commands.txt").read_text().splitlines() if line]
FORMULAS = str(PICTURES / "formulas.md")


def words_of(command: str) -> list[str]:
    """Split a command as a shell does, whose primes stand for themselves here."""
    splitter = shlex.shlex(command, posix=True, punctuation_chars=False)
    splitter.quotes = ""
    splitter.whitespace_split = True
    return list(splitter)


def pixels(svg: str) -> str:
    """Put the pixels of each image in place of their compressed form, which depends on a library."""

    def unpacked(match):
        png = base64.b64decode(match[1])
        start = png.index(b"IDAT")
        (length,) = struct.unpack(">I", png[start - 4 : start])
        return zlib.decompress(png[start + 4 : start + 4 + length]).hex()

    return re.sub(r"data:image/png;base64,([\w+/=]+)", unpacked, svg)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.rpartition("/")[2])
def test_a_picture_is_what_its_command_draws(command, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    program, *words = words_of(command)
    assert (program, words[-2]) == ("namedtensor", "--out")
    kept = (ROOT / words[-1]).read_text()
    made = tmp_path / "picture.svg"
    assert main([*words[:-1], str(made)]) == 0
    assert pixels(made.read_text()) == pixels(kept)
    ElementTree.fromstring(kept)


def test_every_picture_has_its_command_and_stands_in_the_readme():
    made = sorted(words_of(command)[-1] for command in COMMANDS)
    assert made == sorted(str(p.relative_to(ROOT)) for p in PICTURES.glob("*.svg"))
    readme = (ROOT / "README.md").read_text()
    assert all(f"({path})" in readme for path in made)


def test_a_picture_goes_to_stdout_where_no_file_is_named(capsys):
    assert main(["draw", FORMULAS, "--name", "att"]) == 0
    out = capsys.readouterr().out
    ElementTree.fromstring(out)
    assert "prefers-color-scheme:dark" in out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ["--label", "seq"],
            2,
            "namedtensor: cannot read --label seq; --label seq=the,cat puts words at seq\n",
        ),
        (
            ["--out", "/nowhere/x.svg"],
            2,
            "namedtensor: cannot write /nowhere/x.svg: No such file or directory\n",
        ),
        (
            ["--label", "seq=the"],
            1,
            "nt.show(X, ...): labels has 1 words for seq, whose size is 2\n",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(words, status, said, capsys):
    given = ["draw", FORMULAS, "--name", "weights", "--as", "numbers", "--size", "seq=2", *words]
    assert main(given) == status
    assert capsys.readouterr().err.startswith(said)
