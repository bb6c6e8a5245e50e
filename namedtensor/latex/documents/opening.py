"""Read a text or a file as a document."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from namedtensor.latex.documents.document import Document
from namedtensor.latex.documents.gathered import gathered, refuse_kind
from namedtensor.latex.reading.reader import statements_of
from namedtensor.latex.source import Source


def read(text: str, name: str = "<text>", preamble: str = "") -> Document:
    """Read Markdown or LaTeX; `preamble` is LaTeX whose macros count in it, such as a style file.

    >>> document = read(r"$X \\in \\mathbb{R}^{\\text{emb}}$ and $f(X) = \\exp X$", "notes.md")
    >>> document.names
    ('f',)
    """
    style = [Source(preamble, f"preamble of {name}")] if preamble else []
    return _document(text, name, style)


def read_beside(text: str, name: str, preamble: str = "") -> Document:
    """Read the text of a file, and what it takes in of the files in its folder."""
    style = [Source(preamble, f"preamble of {name}")] if preamble else []
    refuse_kind(name)
    return _document(text, name, style, Path(name).parent)


def read_file(path: str | PathLike[str], preamble: Iterable[str | PathLike[str]] = ()) -> Document:
    """Read a file, and what it takes in of its folder; the macros of the preamble files count in it.

    Raises: OSError where a file cannot be opened, UnicodeDecodeError where it is not UTF-8,
    NamedTensorError where it is no document.
    """
    refuse_kind(str(path))
    styles = [preamble] if isinstance(preamble, (str, PathLike)) else list(preamble)
    text = Path(path).read_text(encoding="utf-8-sig")
    found = [Source(Path(p).read_text(encoding="utf-8-sig"), str(p)) for p in styles]
    return _document(text, str(path), found, Path(path).parent)


def _document(text: str, name: str, style: list[Source], folder: Path | None = None) -> Document:
    source, notes = gathered(text, name, folder)
    reading = statements_of(source, style)
    if notes:
        reading = dataclasses.replace(reading, findings=(*reading.findings, *notes))
    return Document(reading)
