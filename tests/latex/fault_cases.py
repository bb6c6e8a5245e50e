"""Read faults.txt: faulty documents, and the findings that each must give."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import namedtensor.latex

FILE = Path(__file__).with_name("faults.txt")


@dataclass(frozen=True)
class Case:
    """A faulty document: its findings are (severity, code, line, text that the caret marks)."""

    title: str
    text: str
    wanted: tuple[tuple[str, str, int, str], ...]


def cases(file: Path = FILE) -> list[Case]:
    """Read all cases of a file."""
    _, *parts = ("\n" + file.read_text()).split("\n=== ")
    return [_case(part) for part in parts]


def _case(part: str) -> Case:
    title, _, body = part.partition("\n")
    text, *lines = body.split("\n--> ")
    wanted = []
    for line in lines:
        severity, code, number, marked = line.strip().split(" ", 3)
        wanted.append((severity, code, int(number), marked))
    return Case(title, text, tuple(wanted))


def found_in(text: str) -> list[tuple[str, str, int, str]]:
    """Check a document and give its findings in the form of the file."""
    document = namedtensor.latex.read(text)
    return [
        (f.severity, f.code, f.line, " ".join(text[f.span.start : f.span.end].split()))
        for f in document.check()
    ]
