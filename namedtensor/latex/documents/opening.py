"""Read a text or a file as a document."""

from __future__ import annotations

import bisect
import dataclasses
import gc
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path

from namedtensor.errors import KindError, NamedTensorError, kind_of_thing
from namedtensor.latex.documents.document import Document
from namedtensor.latex.documents.kept import Kept
from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.reader import statements_of
from namedtensor.latex.source import Piece, Source, Span

#: Files of these kinds are read; a name without an ending may be any of them.
KINDS = (
    ".md .markdown .mdx .rmd .qmd .txt .rst .tex .ltx .latex .sty .cls .ipynb .html .htm .org .adoc"
).split()

INPUT = re.compile(
    r"(?P<comment>(?<!\\)%[^\n]*)|\\(?:input|include|subfile)(?![A-Za-z])\s*(?:\{(?P<name>[^{}\n]*)\}|(?P<word>[\w./-]+))"
)

#: The contents of strings of JSON, and what an escape stands for.
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
MEANS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
MARKDOWN = re.compile(r'"cell_type"\s*:\s*"markdown"')
CELL = re.compile(r'"cell_type"\s*:\s*"\w+"')
SOURCE = re.compile(r'"source"\s*:\s*(?=[\["])')

#: Characters from which a document is long enough that the collector of garbage counts.
LONG = 100_000

#: Limits: how deep files are nested, how many there are in all, and the characters of a file.
DEEPEST, MOST, LONGEST = 8, 200, 4_000_000


def refuse_kind(name: str) -> None:
    """Raise for a file that is no text with formulas, by its ending.

    Raises: NamedTensorError with what is read.
    """
    ending = Path(name).suffix.lower()
    if ending and ending[1:].isalpha() and ending not in KINDS and len(ending) <= 6:
        raise NamedTensorError(
            name,
            f"a file {ending} is no document, and is not read",
            hint=f"Markdown, LaTeX and notebooks are: {' '.join(KINDS[:4])} .tex .ipynb",
        )


def gathered(text: str, name: str, folder: Path | None = None) -> tuple[Source, list[Finding]]:
    """Give a text as one source with what it takes in, and notes on what it does not."""
    if name.lower().endswith(".ipynb"):
        return notebook(text, name), []
    if folder is None or not name.lower().endswith((".tex", ".ltx", ".latex")):
        return Source(text, name), []
    gathering = Gathering(folder, name)
    gathering.take(Source(text, name), 0)
    if not gathering.notes and len(gathering.pieces) == 1:
        return Source(text, name), []
    return Source("".join(gathering.texts), name, gathering.pieces), gathering.notes


class Gathering:
    """The pieces of a text and of the files in its folder that it takes in."""

    def __init__(self, folder: Path, name: str) -> None:
        self._name = name
        self.folder = folder.resolve()
        self.texts: list[str] = []
        self.pieces: list[Piece] = []
        self.notes: list[Finding] = []
        self._length = 0
        self._files = 0
        self._open = [self.folder / Path(name).name]

    def take(self, source: Source, depth: int) -> None:
        """Take in a text, and the files that it names where it names them."""
        at = 0
        for found in INPUT.finditer(source.text):
            if found["comment"] is not None:
                continue
            path, why = self._file(found["name"] or found["word"] or "", depth)
            if path is None:
                span = Span(found.start(), found.end())
                message = f"{found.group()} is not read: {why}"
                self.notes.append(Finding("note", "limit-input", message, source, span))
                continue
            self._put(source, at, found.start())
            at = found.end()
            self._open.append(path)
            shown = Path(self._name).parent / path.relative_to(self.folder)
            self.take(Source(path.read_text(encoding="utf-8-sig"), str(shown)), depth + 1)
            self._open.pop()
        self._put(source, at, len(source.text))

    def _put(self, source: Source, start: int, end: int) -> None:
        self.pieces.append(Piece(self._length, source, start))
        self.texts.append(source.text[start:end])
        self._length += end - start

    def _file(self, name: str, depth: int) -> tuple[Path | None, str]:
        """Find a file in the folder, never out of it; or say why it is not read."""
        wanted = self.folder / name.strip()
        if not wanted.suffix:
            wanted = wanted.with_name(wanted.name + ".tex")
        wanted = wanted.resolve()
        if self.folder not in wanted.parents:
            return None, "it lies outside of the document's folder"
        if not wanted.is_file():
            return None, "there is no such file"
        if wanted in self._open or depth >= DEEPEST:
            return None, "it takes itself in"
        self._files += 1
        if self._files > MOST or wanted.stat().st_size > LONGEST:
            return None, "it is too large"
        try:
            wanted.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            return None, "it is no UTF-8 text"
        return wanted, ""


def notebook(text: str, name: str) -> Source:
    """Give the Markdown cells of a notebook as one text; its pieces know their places in the file."""
    whole = Source(text, name)
    texts: list[str] = []
    pieces: list[Piece] = []
    length = 0
    for start, end in _sources(text):
        for string in STRING.finditer(text, start, end):
            for at, part in _decoded(text, *string.span(1)):
                pieces.append(Piece(length, whole, at))
                texts.append(part)
                length += len(part)
        texts.append("\n\n")
        length += 2
    return Source("".join(texts), name, pieces or [Piece(0, whole, 0)])


def _sources(text: str) -> Iterator[tuple[int, int]]:
    """Give where the sources of Markdown cells stand in a notebook's JSON."""
    cells = [m.start() for m in CELL.finditer(text)]
    for found in MARKDOWN.finditer(text):
        after = bisect.bisect_right(cells, found.start())
        end = cells[after] if after < len(cells) else len(text)
        source = SOURCE.search(text, found.end(), end)
        if source is None:
            continue
        start = source.end()
        if text[start] == '"':
            string = STRING.match(text, start)
            yield start, string.end() if string else start
            continue
        at = start + 1
        while (string := STRING.search(text, at, end)) and "]" not in text[at : string.start()]:
            at = string.end()
        yield start, at


def _decoded(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Give the parts of a JSON string between its escapes, and what each escape stands for."""
    at = start
    for escape in ESCAPE.finditer(text, start, end):
        if at < escape.start():
            yield at, text[at : escape.start()]
        sign = escape[1]
        yield escape.start(), chr(int(sign[1:], 16)) if sign[0] == "u" else MEANS.get(sign, sign)
        at = escape.end()
    if at < end:
        yield at, text[at:end]


def read(
    text: str, name: str = "<text>", preamble: str = "", before: Document | None = None
) -> Document:
    """Read Markdown or LaTeX; `preamble` is LaTeX whose macros count in it, such as a style file.

    `before` is the document of the text before an edit: what the edit does not touch is known from it.

    >>> document = read(r"$X \\in \\mathbb{R}^{\\text{emb}}$ and $f(X) = \\exp X$", "notes.md")
    >>> document.names
    ('f',)
    """
    for word, given in (("text", text), ("name", name), ("preamble", preamble)):
        if not isinstance(given, str):
            raise KindError(
                f"read({word}=...)",
                f"{word} is a text, and {kind_of_thing(given)} is given",
                hint='nt.latex.read("$f(x) = x + 1$"), or nt.latex.read_file("notes.md")',
            )
    style = [Source(preamble, f"preamble of {name}")] if preamble else []
    return _document(text, name, style, before=before)


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


def _document(
    text: str,
    name: str,
    style: list[Source],
    folder: Path | None = None,
    before: Document | None = None,
) -> Document:
    source, notes = gathered(text, name, folder)
    kept = Kept() if before is None else before.kept
    with _uncollected(len(text) > LONG):
        reading = statements_of(source, style, kept.regions)
        if notes:
            reading = dataclasses.replace(reading, findings=(*reading.findings, *notes))
        return Document(reading, kept=kept)


@contextmanager
def _uncollected(long: bool) -> Iterator[None]:
    """Hold off the collector of garbage, which would walk many times through trees that all stay."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            # what was read is old at once, and is not walked through now; to count what the caller has
            # frozen is a walk too, through all of it
            if long and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
