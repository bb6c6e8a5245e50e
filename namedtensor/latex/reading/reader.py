"""Read a document: its statements in order, and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from namedtensor.compilers import keep
from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.asides import (
    Entry,
    sorted_out,
    with_each_of_a_chain,
    with_facts,
    with_parameters_passed,
    with_stated_sizes,
)
from namedtensor.latex.reading.before_first import put_before_first
from namedtensor.latex.reading.behind import with_declarations_behind
from namedtensor.latex.reading.chosen_members import put_chosen_members
from namedtensor.latex.reading.clean import clean
from namedtensor.latex.reading.drawn import with_drawn
from namedtensor.latex.reading.every_second import (
    put_pieces_together,
    put_turns_together,
    write_turns_in_full,
)
from namedtensor.latex.reading.grammar.parser import Parser
from namedtensor.latex.reading.hosts import Host, Region, take_macros
from namedtensor.latex.reading.left_sides import (
    LeftSides,
    with_derivatives,
    with_functions_derived,
)
from namedtensor.latex.reading.letters import settled
from namedtensor.latex.reading.macros import SHARE, Macros
from namedtensor.latex.reading.members_listed import with_listed_members
from namedtensor.latex.reading.own_letters import (
    put_abbreviations,
    put_indices_apart,
    with_shapes_below,
)
from namedtensor.latex.reading.parameters_listed import with_listed_parameters
from namedtensor.latex.reading.piecewise import with_starts_apart
from namedtensor.latex.reading.programs import with_loops_run
from namedtensor.latex.reading.quantities import with_ends, with_quantities
from namedtensor.latex.reading.ranges_before import with_ranges_behind
from namedtensor.latex.reading.reworded import reworded, with_identities
from namedtensor.latex.reading.rows import LAYOUTS, environment, lines_of
from namedtensor.latex.reading.shorthand import Short, short_elements
from namedtensor.latex.reading.statements import Failed, Found, failed, found_in, looks_named
from namedtensor.latex.reading.tokens import Fault, Token, tokens_of
from namedtensor.latex.reading.words import RELATIONS
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import Aside, Expression, Statement
from namedtensor.latex.walk import copied, moved

SILENCE = re.compile(
    r"(?:%|<!--)[ \t]*named:[ \t]*ok[ \t]+([a-z][\w-]*(?:[ \t]*,?[ \t]*[a-z][\w-]*)*)"
)

#: What to do about what is set aside.
INSTEAD = "write it in the notation, or declare what it defines and pass its value"

#: A document may have so many characters.
SIZE = 20_000_000

#: What tells that a text has marks: its code and headings are no formulas.
MARKUP = re.compile(r"`|^[ ]{0,3}(?:#{1,6}[ \t]|~~~)", re.MULTILINE)

#: What tells that a document without marks is a formula: a style file's macro, or axes below.
NOTATION = re.compile(r"\\(?:underset|ndot|nfun|nsum|nbin|name|mathbb|ndef)\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a document.

    `silenced` holds a line and a code for each finding that a comment silences; `parents` says by
    number in which other section each section stands, `left_sides` what is a name though it is no letter,
    `shorthand` which elements each formula writes short.
    """

    source: Source
    statements: tuple[Statement, ...]
    findings: tuple[Finding, ...]
    silenced: frozenset[tuple[int, str]]
    macros: Macros
    sections: tuple[str, ...] = ()
    parents: tuple[int, ...] = (0,)
    left_sides: LeftSides | None = None
    shorthand: tuple[tuple[Short, ...], ...] = ()


def parse_expression(text: str, macros: Macros | None = None) -> Expression:
    """Read one expression.

    Raises:
        Fault: the text is not an expression.

    >>> parse_expression(r"X + 1").op
    '+'
    """
    tokens = clean((macros or Macros()).expand(tokens_of(text)))
    if not tokens:
        raise Fault("syntax-end", "there is no formula here", Span(0, len(text)))
    return Parser(tokens).whole()


#: So many places of mathematics are known again; the oldest half goes first.
MOST = 4_000


class Regions:
    """What was read at places of mathematics: an edit leaves most of them as they were."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[int, int, list[Found | Failed]]] = {}

    def read(self, source: Source, region: Region, macros: Macros) -> list[Found | Failed]:
        """Read one place, or give what was read where its text and the macros were the same."""
        start, end = region.span.start, region.span.end
        text, digest = source.text[max(0, start - 1) : end], macros.digest
        left = macros.left
        if left < 2 * SHARE or end - start > SHARE // 10 or _quotation(source.text, start):
            return read_region(source, region, macros)
        known = self._known.get((text, digest))
        if known is None:
            found = read_region(source, region, macros)
            if macros.digest == digest:
                keep(self._known, (text, digest), (start, left - macros.left, found), MOST)
            return [_placed(one, region) for one in found]
        before, spent, found = known
        if before != start:
            found = [_moved(one, start - before) for one in found]
            self._known[text, digest] = start, spent, found
        macros.left -= spent
        return [_placed(one, region) for one in found]


def _placed(one: Found | Failed, region: Region) -> Found | Failed:
    """Give what was read, for who will change it, with the block and the section of its region."""
    if not isinstance(one, Found):
        return one
    statement = copied(one.statement, block=region.block, section=region.section)
    return copied(one, statement=statement)


def _moved(one: Found | Failed, by: int) -> Found | Failed:
    """Give what was read as it is where its text begins later."""
    if isinstance(one, Found):
        return copied(one, statement=moved(one.statement, by))
    span, fault = one.span, one.fault
    told = Span(fault.span.start + by, fault.span.end + by)
    again = Fault(fault.code, fault.message, told, fault.hint)
    return replace(one, fault=again, span=Span(span.start + by, span.end + by))


def statements_of(
    source: Source, preamble: Sequence[Source] = (), known: Regions | None = None
) -> Reading:
    """Read all statements of a document; the preamble's files give it their macros.

    >>> reading = statements_of(Source("Let $X \\\\in \\\\mathbb{R}^{\\\\text{seq}:n}$."))
    >>> [type(statement).__name__ for statement in reading.statements]
    ['Declaration']
    """
    macros = Macros()
    if len(source.text) > SIZE:
        return _too_large(source, macros)
    for style in preamble:
        take_macros(style.text, macros)
    host = Host(source, macros)
    regions = list(_regions(host, source, Regions() if known is None else known))
    entries = [Entry(read, region) for region, found in regions for read in found]
    text = host.plain
    entries = list(with_listed_members(entries, text))
    entries = list(with_shapes_below([*with_identities(entries, text)]))
    entries = list(with_starts_apart(entries))
    entries = with_loops_run(entries, text)
    left_sides = reworded(entries, text, host.parents)
    write_turns_in_full(entries)
    shorthand = short_elements(entries, text, host.parents)
    turns = put_turns_together(entries, source)
    put_pieces_together(entries)
    entries = with_ranges_behind(entries, text)
    put_chosen_members([e for e in entries if isinstance(e.read, Found)])
    put_abbreviations([e for e in entries if isinstance(e.read, Found)])
    put_indices_apart([e for e in entries if isinstance(e.read, Found)])
    put_before_first([e for e in entries if isinstance(e.read, Found)], text, host.parents)
    statements, faults, told = sorted_out(entries, text, host.parents)
    statements = with_declarations_behind(statements, entries, text)
    statements = with_each_of_a_chain(settled(statements, text), host.parents)
    statements = with_listed_parameters(statements)
    statements = with_parameters_passed(with_stated_sizes(statements, host.parents), host.parents)
    statements, notes = with_quantities(statements, source, text, host.parents)
    statements, ends = with_ends(statements, source)
    statements, drawn = with_drawn(statements, source, host.parents)
    shown = {
        e.read.statement.span for e in entries if e.region.display and isinstance(e.read, Found)
    }
    statements = with_derivatives(statements, shown, host.parents)
    statements = with_functions_derived(statements, host.parents)
    faults = sorted([*_once(faults), *host.faults], key=lambda fault: fault.span.start)
    return Reading(
        source,
        tuple(with_facts(statements)),
        (
            *[Finding("error", f.code, f.message, source, f.span, (), f.hint) for f in faults],
            *[_set_aside(aside, source) for aside in told],
            *notes,
            *ends,
            *drawn,
            *turns,
        ),
        silenced(source),
        macros,
        tuple(title for _, title in host.sections),
        host.parents,
        left_sides,
        shorthand,
    )


def _set_aside(aside: Aside, source: Source) -> Finding:
    """Note that something is set aside."""
    why, hint = f"set aside: {aside.why}", aside.hint or INSTEAD
    return Finding("note", "not-notation", why, source, aside.span, (), hint)


def _once(faults: Sequence[Fault]) -> list[Fault]:
    """Give the faults; of one macro that expands without end, the first alone."""
    said: set[str] = set()
    kept: list[Fault] = []
    for fault in faults:
        if fault.code != "limit-expansion" or fault.message not in said:
            kept.append(fault)
            said.add(fault.message)
    return kept


def _regions(
    host: Host, source: Source, known: Regions
) -> list[tuple[Region, list[Found | Failed]]]:
    """Read each region as it is met, for macros are defined on the way."""
    found = [(region, known.read(source, region, host.macros)) for region in host.regions()]
    bare = not (found or host.tex or MARKUP.search(source.text))
    if bare and NOTATION.search(source.text):
        region = Region(Span(0, len(source.text)), True, 1, 0)
        found = [(region, read_region(source, region, host.macros))]
    return found


def _too_large(source: Source, macros: Macros) -> Reading:
    message = f"the document has {len(source.text):,} characters, and {SIZE:,} can be read"
    finding = Finding(
        "error", "limit-size", message, source, Span(0, 0), (), "part it into several files"
    )
    return Reading(source, (), (finding,), frozenset(), macros)


def read_region(source: Source, region: Region, macros: Macros) -> list[Found | Failed]:
    """Read one place of mathematics."""
    tokens = _unquoted(source.text, region.span)
    try:
        lines = lines_of(clean(macros.expand(tokens)))
    except Fault as fault:
        if fault.code.startswith("limit-expansion"):
            return [Failed(fault, region.span, True, True)]
        return _row_by_row(tokens, macros)
    return [found for line in lines for found in found_in(line)]


def _unquoted(text: str, span: Span) -> list[Token]:
    """Cut mathematics into tokens, without the marks of a Markdown quotation before its lines."""
    tokens = tokens_of(text, span.start, span.end)
    if not _quotation(text, span.start):
        return tokens
    return [t for t in tokens if t.text != ">" or not _begins_line(text, t.span.start)]


def _quotation(text: str, at: int) -> bool:
    """Say whether a place stands in a line that begins with a quotation's mark."""
    return text.startswith(">", text.rfind("\n", 0, at) + 1)


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" >")


def _row_by_row(tokens: Sequence[Token], macros: Macros) -> list[Found | Failed]:
    """Read rows each for itself where braces do not pair, so that only one of them is lost."""
    found: list[Found | Failed] = []
    for row in _raw_rows(tokens):
        try:
            lines = lines_of(clean(macros.expand(row)))
        except Fault as fault:
            relates = any(token.text in RELATIONS for token in row)
            found.append(failed(fault, row, _looks_named(row), relates))
            continue
        found += [read for line in lines for read in found_in(line)]
    return found


def _looks_named(row: Sequence[Token]) -> bool:
    notation = ("\\name", "\\underset", "\\ndef")
    return looks_named(row) or any(token.text in notation for token in row)


def _raw_rows(tokens: Sequence[Token]) -> list[list[Token]]:
    """Part tokens at \\\\ whatever the braces say, leaving out the environments of the layout."""
    plain = [t for t in tokens if not ({environment(t), environment(t, "\\end")} & LAYOUTS)]
    texts = [token.text for token in plain]
    paired = sum(t.startswith("\\begin{") for t in texts) == sum(
        t.startswith("\\end{") for t in texts
    )
    rows: list[list[Token]] = [[]]
    depth = 0
    for token in plain:
        if paired:
            depth += token.text.startswith("\\begin{") - token.text.startswith("\\end{")
        if token.text == "\\\\" and depth <= 0:
            rows.append([])
        else:
            rows[-1].append(token)
    return [row for row in rows if row]


def silenced(source: Source) -> frozenset[tuple[int, str]]:
    """Give the lines and codes that comments silence: `% named: ok CODE`, for its line and the next.

    >>> sorted(silenced(Source("x\\n% named: ok nan, constraint\\ny")))
    [(2, 'constraint'), (2, 'nan'), (3, 'constraint'), (3, 'nan')]
    """
    found: set[tuple[int, str]] = set()
    for match in SILENCE.finditer(source.text):
        line, _ = source.position(match.start())
        for code in re.split(r"[ \t,]+", match.group(1)):
            found |= {(line, code), (line + 1, code)}
    return frozenset(found)
