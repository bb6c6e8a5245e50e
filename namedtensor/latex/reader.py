"""Read a document: its statements in order, and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.clean import clean
from namedtensor.latex.faults import Fault
from namedtensor.latex.findings import Finding
from namedtensor.latex.hosts import Host, Region, take_macros
from namedtensor.latex.lexer import tokens_of
from namedtensor.latex.macros import Macros
from namedtensor.latex.parser import Parser
from namedtensor.latex.rows import lines_of
from namedtensor.latex.source import Source
from namedtensor.latex.statements import Found, found_in
from namedtensor.latex.syntax import Expression, Statement

SILENCE = re.compile(r"(?:%|<!--)\s*named:\s*ok\s+([a-z][\w-]*(?:[ \t,]+[a-z][\w-]*)*)")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from a document."""

    source: Source
    statements: tuple[Statement, ...]
    findings: tuple[Finding, ...]
    silenced: frozenset[tuple[int, str]]
    macros: Macros


def parse_expression(text: str, macros: Macros | None = None) -> Expression:
    """Read one expression.

    Raises:
        Fault: the text is not an expression.

    >>> parse_expression(r"X + 1").op
    '+'
    """
    tokens = clean((macros or Macros()).expand(tokens_of(text)))
    return Parser(tokens).whole()


def statements_of(source: Source, preamble: Sequence[Source] = ()) -> Reading:
    """Read all statements of a document."""
    macros = Macros()
    for style in preamble:
        take_macros(style.text, macros)
    host = Host(source, macros)
    statements: list[Statement] = []
    faults: list[Fault] = []
    for region in host.regions():
        for found in _region(source, region, macros):
            if isinstance(found, Fault):
                faults.append(found)
            else:
                statements.append(_placed(source, found, region))
    faults += host.faults
    findings = [Finding("error", f.code, f.message, source, f.span, (), f.hint) for f in faults]
    findings.sort(key=lambda finding: finding.span.start)
    return Reading(source, tuple(statements), tuple(findings), silenced(source), macros)


def _placed(source: Source, found: Found, region: Region) -> Statement:
    statement = found.statement
    return replace(statement, block=region.block, section=region.section)


def _region(source: Source, region: Region, macros: Macros) -> list[Found | Fault]:
    tokens = tokens_of(source.text, region.span.start, region.span.end)
    try:
        lines = lines_of(clean(macros.expand(tokens)))
    except Fault as fault:
        return [fault]
    return [found for line in lines for found in found_in(line)]


def silenced(source: Source) -> frozenset[tuple[int, str]]:
    """Give the line and the code of each finding that a comment silences: on its line and the next."""
    found: set[tuple[int, str]] = set()
    for match in SILENCE.finditer(source.text):
        line, _ = source.position(match.start())
        for code in re.split(r"[ \t,]+", match.group(1)):
            found |= {(line, code), (line + 1, code)}
    return frozenset(found)
