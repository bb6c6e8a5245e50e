"""Find the mathematics in a document: Markdown, LaTeX or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from namedtensor.latex.reading.macros import DEFINING, Macros, RanOut, Tape
from namedtensor.latex.reading.tokens import Fault, tokens_of
from namedtensor.latex.source import Source, Span

DISPLAYS = "equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math|dmath"
SKIPPED = "verbatim|Verbatim|lstlisting|minted|comment|tikzpicture|filecontents|thebibliography"
DEFINERS = "|".join(sorted((name[1:] for name in DEFINING), key=len, reverse=True))

MARK = re.compile(
    rf"""(?P<comment>%[^\n]*)
    |(?P<html><!--)
    |(?P<element><(?P<tag>script|style|pre|svg)\b[^>\n]*>)
    |(?P<fence>^[ ]{{0,3}}(?P<ticks>```+|~~~+)[^\n]*)
    |(?P<code>`+)
    |(?P<section>\\(?P<level>part|chapter|section|subsection|subsubsection|paragraph)\*?(?=[\[{{]))
    |(?P<skip>\\begin\{{(?P<skipped>{SKIPPED})\*?\}})
    |(?P<iffalse>\\iffalse(?![A-Za-z]))
    |(?P<verb>\\verb\*?(?P<delimiter>[^A-Za-z\s*]))
    |(?P<define>\\(?:{DEFINERS})\*?(?![A-Za-z]))
    |(?P<begin>\\begin\{{(?P<display>{DISPLAYS})(?P<star>\*?)\}})
    |(?P<over>\\end\{{document\}})
    |(?P<open>\\[\[(])
    |(?P<escape>\\.)
    |(?P<dollars>\$\$?)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
FENCED = re.compile(r"^[ ]{0,3}(```|~~~).*?^[ ]{0,3}\1", re.MULTILINE | re.DOTALL)
#: What stands before the text of a page of Markdown: its title and its date, between dashes.
FRONT = re.compile(r"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$", re.MULTILINE | re.DOTALL)
#: A fence with a directive of MyST, whose content is text, as that of {note} and {prf:theorem}, or is not.
DIRECTIVE = re.compile(r"\{(?P<name>[\w:-]+)\}")
WORDED = frozenset(
    (
        "admonition note tip hint important warning caution attention danger error seealso dropdown margin"
        " sidebar aside topic exercise solution proof abstract card tab-set tab-item grid grid-item epigraph"
        " pull-quote figure table list-table"
    ).split()
)
#: Settings below the name of a directive.
SETTINGS = re.compile(r"(?:\n[ ]*:[\w-]+:[^\n]*)*")
#: How deep a heading of LaTeX is.
LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
HEADING = re.compile(r"^[ ]{0,3}#{1,6}[ \t]+[^\n]*", re.MULTILINE)
LISTED = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
DOLLAR = re.compile(r"\\.|[{}$]", re.DOTALL)
BLANK = re.compile(r"\n[ \t]*\n")
UNDERLINED = re.compile(
    r"^(?P<title>[^\s#$\\>|*-][^\n$\\]{0,80})\n(?:=+|-{3,})[ \t]*$", re.MULTILINE
)
ALONE = re.compile(
    r"^(?P<title>\*{0,2}[A-Z](?:[^\n$\\.!?;,`|]{0,58}[^\n$\\.,!?;:`|\s])?)[ \t]*$", re.MULTILINE
)

#: Environments of text, whose mathematics has marks of its own.
PROSE = frozenset(
    (
        "document itemize enumerate description center figure table tabular tabularx abstract theorem"
        " lemma proof proposition corollary definition example remark quote quotation minipage frame"
        " block tcolorbox mdframed columns column titlepage flushleft flushright wrapfigure algorithm"
        " algorithmic longtable"
    ).split()
)

#: What only the notation has.
NOTATION = re.compile(r"\\(?:underset|ndot|nfun|nsum|nbin|ncat|mathbb|name)\b")
MARKED = re.compile(rf"(?<!\\)\$|\\\[|\\\(|\\begin\{{(?:{DISPLAYS})\*?\}}")
ENVIRONMENT = re.compile(r"\\begin\{(\w+)(\*?)\}")
OPTIONS = re.compile(r"(?:\s*(?:\[[^\]\n]*\]|\{[^{}\n]*\}))*")
COMMAND = re.compile(r"\\[A-Za-z]+")
#: What shows that a text is mathematics: in Markdown a bracket behind a backslash is one of prose otherwise.
TEX = re.compile(r"\\[A-Za-z]{2}|[_^]\{")

#: Commands and environments that a document makes of a display's: \be for \begin{equation}.
SHORT = re.compile(
    rf"""\\(?:(?:re|provide)?newcommand\*?|g?def)\s*\{{?(?P<name>\\[A-Za-z]+)\}}?\s*
    \{{\s*(?P<body>\\(?:begin|end)\{{(?:{DISPLAYS})\*?\}}|\\[\[\]])[^{{}}\n]*\}}""",
    re.VERBOSE,
)
OWN = re.compile(
    rf"\\(?:re)?newenvironment\*?\{{(\w+\*?)\}}(?:\[\d\])?\s*\{{[^\n]*?\\begin\{{(?:{DISPLAYS})\*?\}}"
)

#: An environment that nobody knows ends within so many characters.
FAR = 20_000

#: After so many definitions that do not end, no more of them are tried.
BROKEN = 50


#: Prose inside a display, which is no part of its formula, and the mathematics in it.
IN_WORDS = re.compile(
    r"\\(?:footnote|intertext|shortintertext)\s*\{([^{}$]*(?:\$[^$]+\$[^{}$]*)+)\}"
)
INLINE = re.compile(r"\$([^$]+)\$")


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
        self.text = source.text
        self.macros = macros
        self.faults: list[Fault] = []
        self.tex = is_tex(source)
        self.sections: list[tuple[int, str]] = []
        self._levels: list[int] = []
        self._block = 0
        self._absent: set[str] = set()
        self._marks: list[tuple[int, str]] = []
        #: where directives end whose content is text
        self._ends: set[int] = set()
        self._titles = [] if self.tex else _titles(self.text)
        self._own = set(OWN.findall(self.text)) | {"IEEEeqnarray", "empheq", "IEEEeqnarray*"}
        self._short = {m["name"]: m["body"] for m in SHORT.finditer(self.text)}

    def regions(self) -> Iterator[Region]:
        """Give the regions in order; macros defined between them are taken in on the way."""
        at = self._body()
        while (found := MARK.search(self.text, at)) is not None:
            self._head_before(found.start())
            kind = found.lastgroup or ""
            if kind == "over" and self.tex:
                break
            if kind == "fence" and found.group().strip("`~ \t{}") == "math" and not self.tex:
                kind = "dollars"
            if kind not in ("begin", "open", "dollars"):
                span = self._of_own_making(found.start()) if kind == "escape" else None
                if span is not None:
                    at = span.end
                    self._block += 1
                    yield Region(span, True, self._block, len(self.sections))
                    continue
                at = self._passed(found, kind)
                continue
            if not self.tex and _is_code(self.text, found.start()):
                at = found.end()
                continue
            region, at = self._mathematics(found, kind)
            if region is not None:
                self._block += 1
                yield Region(*region, self._block, len(self.sections))
                yield from self._in_words(region[0])
        self._head_before(len(self.text))

    def _in_words(self, display: Span) -> Iterator[Region]:
        """Give the mathematics in the prose between the rows of a display, and in its footnotes."""
        for words in IN_WORDS.finditer(self.text, display.start, display.end):
            for found in INLINE.finditer(self.text, *words.span(1)):
                self._block += 1
                yield Region(Span(*found.span(1)), False, self._block, len(self.sections))

    def _body(self) -> int:
        """Give where the document begins, and take in the macros of its preamble."""
        begin = self.text.find("\\begin{document}") if self.tex else -1
        if begin < 0:
            return 0
        take_macros(self.text[:begin], self.macros)
        return begin

    def _head_before(self, place: int) -> None:
        """Begin the sections whose titles stand before a place."""
        while self._titles and self._titles[-1][0] < place:
            self._begin_section(*self._titles.pop())

    def _begin_section(self, place: int, title: str, level: int) -> None:
        self.sections.append((place, title))
        self._levels.append(level)

    @property
    def parents(self) -> tuple[int, ...]:
        """The section around each section, by number; section 0 is what stands before all headings."""
        found = [0]
        around: list[tuple[int, int]] = []
        for number, level in enumerate(self._levels, 1):
            while around and around[-1][1] >= level:
                around.pop()
            found.append(around[-1][0] if around else 0)
            around.append((number, level))
        return tuple(found)

    # --------------------------------------------------------------- what is not mathematics

    def _passed(self, found: re.Match[str], kind: str) -> int:
        """Pass what is not mathematics, and give where to go on."""
        text, end = self.text, found.end()
        if kind == "comment":
            return end if self.tex else found.start() + 1
        if kind == "section":
            close = text.find("}", end, end + 200)
            title = text[end + 1 : close] if close > 0 else ""
            self._begin_section(found.start(), title, LEVELS.index(found.group("level")))
            return end
        if kind == "define":
            return define_at(text, found.start(), self.macros) or end
        if kind == "skip":
            return self._after("\\end{" + found.group("skipped"), end)
        if kind == "iffalse":
            return self._after("\\fi", end)
        if kind == "verb":
            return self._after(found.group("delimiter"), end)
        if self.tex or kind in ("escape", "over"):
            return end if kind in ("escape", "over") else found.start() + 1
        if kind == "html":
            return self._after("-->", end)
        if kind == "element":
            return self._after(f"</{found.group('tag')}", end)
        if kind == "fence":
            return self._after_fence(found)
        return self._after_code(found.group(), end)

    def _after_fence(self, found: re.Match[str]) -> int:
        """Give the place after a block of code, or where the text of a directive begins."""
        ticks, end = found.group("ticks"), found.end()
        if found.start() in self._ends:
            return end
        directive = DIRECTIVE.match(self.text, found.end("ticks"))
        name = "" if directive is None else directive.group("name")
        if directive is None or not (name in WORDED or name.startswith("prf:")):
            return self._after("\n" + ticks[:3], end)
        last = re.compile(rf"^[ ]{{0,3}}{ticks}+[ \t]*$", re.MULTILINE).search(self.text, end)
        self._ends |= set() if last is None else {last.start()}
        return directive.end()

    def _after(self, mark: str, at: int) -> int:
        """Give the place after a mark, or the end of the text."""
        place = self.text.find(mark, at)
        return len(self.text) if place < 0 else place + len(mark)

    def _after_code(self, ticks: str, end: int) -> int:
        """Give the place after a span of code, which ends with as many ticks in its paragraph."""
        close = self.text.find(ticks, end, end + 5000)
        if close < 0 or BLANK.search(self.text, end, close):
            return end
        return close + len(ticks)

    # --------------------------------------------------------------------------- mathematics

    def _of_own_making(self, at: int) -> Span | None:
        """Find mathematics between commands of the document, or in an environment that holds some."""
        begin = ENVIRONMENT.match(self.text, at)
        if begin is not None:
            return self._unknown(begin)
        command = COMMAND.match(self.text, at)
        body = self._short.get(command.group(), "") if command is not None else ""
        if command is None or not (body.startswith("\\begin") or body == "\\["):
            return None
        closing = "\\]" if body == "\\[" else body.replace("begin", "end", 1)
        ends = [name for name, what in self._short.items() if what == closing] or [closing]
        mark = re.compile("|".join(rf"{re.escape(e)}(?![A-Za-z])" for e in ends))
        end = mark.search(self.text, at, at + FAR)
        return None if end is None else Span(command.end(), end.start())

    def _unknown(self, begin: re.Match[str]) -> Span | None:
        """Give what stands in an environment that nobody knows, if it is mathematics."""
        name = begin.group(1) + begin.group(2)
        if name in PROSE or begin.group(1) in PROSE:
            return None
        end = self.text.find(f"\\end{{{name}}}", begin.end(), begin.end() + FAR)
        if end < 0:
            return None
        options = OPTIONS.match(self.text, begin.end(), end)
        start = options.end() if options is not None else begin.end()
        inside = self.text[start:end]
        known = name in self._own
        if not known and (MARKED.search(inside) or not NOTATION.search(inside)):
            return None
        return Span(start, end)

    def _mathematics(self, found: re.Match[str], kind: str) -> tuple[tuple[Span, bool] | None, int]:
        """Find the end of the mathematics that begins here: its span and setting, where to go on."""
        mark, start, display = found.group(), found.end(), True
        if mark == "$":
            return self._inline(found.start())
        if kind == "dollars":
            closing = "$$" if mark == "$$" else "\n" + found.group("ticks")
            settings = SETTINGS.match(self.text, start) if mark != "$$" else None
            start = start if settings is None else settings.end()
        elif kind == "open":
            closing, display = ("\\]", True) if mark == "\\[" else ("\\)", False)
        else:
            closing = f"\\end{{{found.group('display')}{found.group('star')}}}"
            start = found.start()
        end = -1 if closing in self._absent else self.text.find(closing, found.end())
        if end < 0:
            self._absent.add(closing)
            return None, self._unclosed(found, closing)
        if kind == "open" and not self.tex and self._is_prose(found.end(), end, mark):
            return None, found.end()
        after = end + len(closing)
        if mark == "\\(":
            self._marks += [(found.start(), " $"), (end, "$ ")]
        elif closing[0] == "\n":
            dollars = "$$".rjust(len(mark)), "$$".ljust(len(closing) - 1)
            self._marks += [(found.start(), dollars[0]), (end + 1, dollars[1])]
        return (Span(start, after if kind == "begin" else end), display), after

    @property
    def plain(self) -> str:
        r"""The text, once all regions are found, with dollars in place of \\(..\\), $`..`$ and fences."""
        parts, at = list[str](), 0
        for start, dollars in self._marks:
            parts += [self.text[at:start], dollars]
            at = start + len(dollars)
        return "".join([*parts, self.text[at:]])

    def _is_prose(self, start: int, end: int, mark: str) -> bool:
        r"""Say whether a bracket that is closed here begins no mathematics: {string\[]} is prose."""
        apart = BLANK.search(self.text, start, end) is not None
        return mark in self.text[start:end] or (apart and not TEX.search(self.text, start, end))

    def _unclosed(self, found: re.Match[str], closing: str) -> int:
        """Report mathematics without an end; give where the next paragraph begins."""
        blank = BLANK.search(self.text, found.end())
        last = blank.start() if blank else len(self.text)
        shown = TEX.search(self.text, found.end(), last) or "=" in self.text[found.end() : last]
        around = self.text[max(0, found.start() - 1) : found.end() + 1]
        in_word = around[:1].isalnum() and around[-1:].isalnum()  # a$$b
        if not self.tex and not shown and (closing in ("\\]", "\\)") or in_word):
            return found.end()
        self.faults.append(
            Fault(
                "syntax-unbalanced",
                f"this {found.group()} is never closed",
                Span(found.start(), found.end()),
                f"put {closing} where the formula ends",
            )
        )
        return last

    def _inline(self, at: int) -> tuple[tuple[Span, bool] | None, int]:
        """Read $...$ within its paragraph; other dollars are money."""
        text = self.text
        if text.startswith("$`", at):
            close = text.find("`$", at + 2, at + 5000)
            if close < 0:
                return None, at + 1
            self._marks += [(at, " $"), (close, "$ ")]
            return (Span(at + 2, close), False), close + 2
        close = _closing_dollar(text, at + 1)
        inside = text[at + 1 : close] if close > 0 else ""
        if not inside.strip() or BLANK.search(inside):
            return None, at + 1
        tight = not inside[0].isspace() and not inside[-1].isspace()
        wide = inside[0].isspace() and inside[-1].isspace()
        money = tight and text[close + 1 : close + 2].isdigit()
        if not self.tex and (money or not (tight or wide)):
            return None, at + 1
        return (Span(at + 1, close), False), close + 1


def _closing_dollar(text: str, at: int) -> int:
    """Find the dollar that ends inline mathematics; those in the braces of a text do not."""
    first = -1
    depth = 0
    for found in DOLLAR.finditer(text, at, at + 5000):
        sign = found.group()
        if sign == "$":
            if depth <= 0:
                return found.start()
            first = found.start() if first < 0 else first
        elif len(sign) == 1:
            depth += 1 if sign == "{" else -1
    return first


def is_tex(source: Source) -> bool:
    """Say whether a document is LaTeX, by its name or its text."""
    name = source.name.lower()
    if name.endswith((".tex", ".sty", ".ltx", ".cls")):
        return True
    if name.endswith((".md", ".markdown", ".txt", ".rst", ".rmd", ".qmd", ".ipynb", ".mdx")):
        return False
    return "\\documentclass" in source.text or "\\begin{document}" in source.text


def _is_code(text: str, at: int) -> bool:
    """Say whether a place stands in a block that Markdown takes for code, by its indentation."""
    begin = text.rfind("\n", 0, at) + 1
    if not text.startswith(("    ", "\t"), begin):
        return False
    for line in reversed(text[max(0, begin - 4000) : begin].splitlines()):
        if line.strip() and not line.startswith(("    ", "\t")):
            return (
                LISTED.match(line) is None
                and not line.startswith(" ")
                and not spoken_to(text, begin)
            )
    return True


def spoken_to(text: str, begin: int) -> bool:
    """Say whether a line's paragraph has text before it: what is indented then goes on with it."""
    while begin > 0:
        above = text.rfind("\n", 0, begin - 1) + 1
        line = text[above:begin]
        if not line.strip():
            return False
        if not line.startswith(("    ", "\t")):
            return True
        begin = above
    return False


def _titles(text: str) -> list[tuple[int, str, int]]:
    """Give the headings of Markdown with their levels, or those of plain text. Last first."""
    for unread in (FRONT, FENCED):
        text = unread.sub(lambda found: " " * len(found.group()), text)
    marked = [
        (m.start(), m.group().strip("# \t"), len(m.group().split()[0]))
        for m in HEADING.finditer(text)
    ]
    marked += [
        (m.start(), m.group("title"), 1 + m.group().endswith("-"))
        for m in UNDERLINED.finditer(text)
    ]
    if not marked:
        alone = (m for m in ALONE.finditer(text) if _stands_alone(text, m))
        marked = [(m.start(), m.group("title").strip("*"), 1) for m in alone]
    return sorted(marked, reverse=True)


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Say whether a line has empty lines, or an end of the text, before and after it."""
    before = text.rfind("\n", 0, max(0, found.start() - 1)) + 1
    after = text.find("\n", found.end() + 1)
    above = text[before : max(0, found.start() - 1)]
    below = text[found.end() : after if after >= 0 else len(text)]
    return not above.strip() and not below.strip() and len(found.group().split()) <= 8


def take_macros(text: str, macros: Macros) -> None:
    """Take in the definitions of a style file or a preamble."""
    at = 0
    while (found := MARK.search(text, at)) is not None:
        at = found.end()
        if found.group("define") is not None:
            at = define_at(text, found.start(), macros) or at
        elif found.group("iffalse") is not None:
            place = text.find("\\fi", at)
            at = len(text) if place < 0 else place + 3
        elif found.group("open") or found.group("dollars"):
            at = found.start() + 1


def define_at(text: str, at: int, macros: Macros) -> int | None:
    """Take in the definition that begins here; give where it ends, or None if it is not complete."""
    if macros.broken > BROKEN:
        return None
    for end in (text.find("\n", at) % (len(text) + 1), at + 500, at + 20_000):
        end = min(len(text), end)
        tape = Tape(tokens_of(text, at, end))
        first = tape.take()
        try:
            macros.define(tape, first)
        except RanOut:
            continue
        following = tape.peek()
        return following.span.start if following is not None else end
    macros.broken += 1
    return None
