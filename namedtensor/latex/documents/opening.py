"""Read a text or a file as a document."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from namedtensor.latex.documents.document import Document
from namedtensor.latex.reading.reader import statements_of
from namedtensor.latex.source import Source


def read(text: str, name: str = "<text>", preamble: str = "") -> Document:
    """Read Markdown or LaTeX; `preamble` is LaTeX whose macros count in it, such as a style file.

    >>> document = read(r"$X \\in \\mathbb{R}^{\\text{emb}}$ and $f(X) = \\exp X$", "notes.md")
    >>> document.names
    ('f',)
    """
    style = [Source(preamble, f"preamble of {name}")] if preamble else []
    return Document(statements_of(Source(text, name), style))


def read_file(path: str | PathLike[str], preamble: Iterable[str | PathLike[str]] = ()) -> Document:
    """Read a file; the macros of the preamble files count in it.

    Raises: OSError where a file cannot be opened, UnicodeDecodeError where it is not UTF-8.
    """
    styles = [preamble] if isinstance(preamble, (str, PathLike)) else list(preamble)
    text = Path(path).read_text(encoding="utf-8-sig")
    found = [Source(Path(p).read_text(encoding="utf-8-sig"), str(p)) for p in styles]
    return Document(statements_of(Source(text, str(path)), found))
