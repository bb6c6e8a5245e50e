"""Find the mathematics in a document: Markdown, LaTeX or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from namedtensor.latex.faults import Fault
from namedtensor.latex.lexer import tokens_of
from namedtensor.latex.macros import DEFINING, Macros, RanOut, Tape
from namedtensor.latex.source import Source, Span

DISPLAYS = "equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math|dmath"
SKIPPED = "verbatim|Verbatim|lstlisting|minted|comment|tikzpicture|filecontents|thebibliography"

MARK = re.compile(
    rf"""(?P<comment>%[^\n]*)
    |(?P<html><!--)
    |(?P<fence>^[ ]{{0,3}}(?:```|~~~)[^\n]*)
    |(?P<code>`+)
    |(?P<heading>^[ ]{{0,3}}\#{{1,6}}[ \t]+[^\n]*|^(?=[A-Z])[^\n$\\]{{1,80}}\n(?:===+|---+)[ \t]*$)
    |(?P<section>\\(?:chapter|section|subsection|subsubsection|paragraph)\*?(?=[\[{{]))
    |(?P<skip>\\begin\{{(?P<skipped>{SKIPPED})\*?\}})
    |(?P<iffalse>\\iffalse(?![A-Za-z]))
    |(?P<verb>\\verb\*?(?P<delimiter>[^A-Za-z\s*]))
    |(?P<define>\\(?:{"|".join(sorted((d[1:] for d in DEFINING), key=len, reverse=True))})\*?(?![A-Za-z]))
    |(?P<begin>\\begin\{{(?P<display>{DISPLAYS})(?P<star>\*?)\}})
    |(?P<open>\\[\[(])
    |(?P<escape>\\.)
    |(?P<dollars>\$\$?)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
BLANK = re.compile(r"\n[ \t]*\n")
TITLE = re.compile(
    r"(?:(?<=\n\n)|\A\n*)(?P<title>[A-Z][^\n$\\.!?;,`]{0,58}[^\n$\\.,!?;:`\s]|[A-Z])[ \t]*(?=\n[ \t]*(?:\n|\Z))"
)


@dataclass(frozen=True, slots=True)
class Region:
    """A place of mathematics: its text's span, how it is set, and where it stands."""

    span: Span
    display: bool
    block: int
    section: int


class Host:
    """Walk through a document: its regions of mathematics, and the macros between them."""

    def __init__(self, source: Source, macros: Macros) -> None:
        self.source = source
        self.text = source.text
        self.macros = macros
        self.faults: list[Fault] = []
        self.tex = is_tex(source)
        self.section = 0
        self.block = 0
        self.sections: list[tuple[int, str]] = []
        self._none: set[str] = set()

    def regions(self) -> Iterator[Region]:
        """Give the regions in order; macros defined between them are taken in on the way."""
        at = self._body()
        titles = self._titles()
        while True:
            found = MARK.search(self.text, at)
            if found is None:
                break
            while titles and titles[0][0] < found.start():
                self._head(*titles.pop(0))
            kind = found.lastgroup or ""
            kind = next(k for k in KINDS if found.group(k) is not None)
            region = None
            if kind in ("begin", "open", "dollars"):
                region, at = self._mathematics(found, kind)
            else:
                at = self._passed(found, kind)
            if region is not None:
                self.block += 1
                yield Region(region[0], region[1], self.block, self.section)

    def _body(self) -> int:
        """Give where the document begins, and take in the macros of its preamble."""
        begin = self.text.find("\\begin{document}") if self.tex else -1
        if begin < 0:
            return 0
        take_macros(self.text[:begin], self.macros)
        return begin

    def _titles(self) -> list[tuple[int, str]]:
        """Give the headings of plain text, where no other headings are."""
        if self.tex or any(
            m.group("heading") for m in MARK.finditer(self.text) if m.group("heading")
        ):
            return []
        return [(m.start("title"), m.group("title")) for m in TITLE.finditer(self.text)]

    def _head(self, at: int, title: str) -> None:
        self.section += 1
        self.sections.append((at, title))

    def _passed(self, found: re.Match[str], kind: str) -> int:
        """Pass what is not mathematics."""
        text, end = self.text, found.end()
        if kind == "comment":
            return end if self.tex else found.start() + 1
        if kind == "html":
            return self._after("-->", end)
        if kind == "fence":
            if self.tex:
                return found.start() + 1
            fence = found.group().strip()[:3]
            return self._after("\n" + fence, end)
        if kind == "code":
            if self.tex:
                return end
            close = text.find(found.group(), end)
            blank = BLANK.search(text, end)
            if close < 0 or (blank is not None and blank.start() < close):
                return end
            return close + len(found.group())
        if kind == "heading":
            if not self.tex:
                self._head(found.start(), found.group().strip("# \n"))
            return end if not self.tex else found.start() + 1
        if kind == "section":
            title = text[end : text.find("}", end)] if text.find("}", end) >= 0 else ""
            self._head(found.start(), title.lstrip("[{")[:80])
            return end
        if kind == "skip":
            return self._after("\\end{" + found.group("skipped"), end)
        if kind == "iffalse":
            return self._after("\\fi", end)
        if kind == "verb":
            return self._after(found.group("delimiter"), end)
        if kind == "define":
            return define_at(text, found.start(), self.macros) or end
        return end

    def _after(self, mark: str, at: int) -> int:
        """Give the place after a mark, or the end of the text."""
        place = self.text.find(mark, at)
        return len(self.text) if place < 0 else place + len(mark)

    def _mathematics(self, found: re.Match[str], kind: str) -> tuple[tuple[Span, bool] | None, int]:
        if kind == "dollars":
            if found.group() == "$":
                return self._inline(found.start())
            closing, start, display = "$$", found.end(), True
        elif kind == "open":
            closing = "\\]" if found.group() == "\\[" else "\\)"
            start, display = found.end(), closing == "\\]"
        else:
            closing = f"\\end{{{found.group('display')}{found.group('star')}}}"
            start, display = found.start(), True
        end = -1 if closing in self._none else self.text.find(closing, found.end())
        if end < 0:
            self._none.add(closing)
            self.faults.append(
                Fault(
                    "syntax-unbalanced",
                    f"this {found.group()} is never closed",
                    Span(found.start(), found.end()),
                    f"put {closing} where the formula ends",
                )
            )
            blank = BLANK.search(self.text, found.end())
            return None, blank.start() if blank else len(self.text)
        after = end + len(closing)
        return (Span(start, after if kind == "begin" else end), display), after

    def _inline(self, at: int) -> tuple[tuple[Span, bool] | None, int]:
        """Read $...$ within its paragraph; other dollars are money."""
        text = self.text
        close = at
        while True:
            close = text.find("$", close + 1)
            if close < 0:
                return None, at + 1
            if text[close - 1] != "\\":
                break
        inside = text[at + 1 : close]
        if not inside or BLANK.search(inside):
            return None, at + 1
        if not self.tex:
            tight = (
                not inside[0].isspace()
                and not inside[-1].isspace()
                and not text[close + 1 : close + 2].isdigit()
            )
            wide = inside[0].isspace() and inside[-1].isspace() and inside.strip()
            if not (tight or wide):
                return None, at + 1
        return (Span(at + 1, close), False), close + 1


KINDS = tuple(
    "comment html fence code heading section skip iffalse verb define begin open escape dollars".split()
)


def is_tex(source: Source) -> bool:
    """Say whether a document is LaTeX, by its name or its text."""
    if source.name.lower().endswith((".tex", ".sty", ".ltx", ".cls")):
        return True
    if source.name.lower().endswith((".md", ".markdown", ".txt", ".ipynb")):
        return False
    return "\\documentclass" in source.text or "\\begin{document}" in source.text


def take_macros(text: str, macros: Macros) -> None:
    """Take in the definitions of a style file or a preamble."""
    at = 0
    while True:
        found = MARK.search(text, at)
        if found is None:
            return
        at = found.end()
        if found.group("define") is not None:
            at = define_at(text, found.start(), macros) or found.end()
        elif found.group("iffalse") is not None:
            place = text.find("\\fi", at)
            at = len(text) if place < 0 else place + 3


def define_at(text: str, at: int, macros: Macros) -> int | None:
    """Take in the definition that begins here; give where it ends, or None if it is not complete."""
    size = 1000
    while True:
        tokens = tokens_of(text, at, min(len(text), at + size))
        tape = Tape(tokens)
        first = tape.take()
        try:
            macros.define(tape, first)
        except RanOut:
            if at + size >= len(text):
                return None
            size *= 8
            continue
        following = tape.peek()
        return following.span.start if following is not None else min(len(text), at + size)
