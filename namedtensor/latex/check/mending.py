"""Mend what is certain, and show it as a diff."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff

from namedtensor.latex.findings import Finding, Mend
from namedtensor.latex.source import Source


def mended(source: Source, findings: Sequence[Finding]) -> str:
    """Give a document's text with every certain mend made.

    Of mends that overlap, the first is made; the others are left for the next check.
    """
    text, end = [], 0
    for mend in _in_order(findings):
        if mend.span.start >= end:
            text += [source.text[end : mend.span.start], mend.text]
            end = mend.span.end
    return "".join([*text, source.text[end:]])


def diff(source: Source, findings: Sequence[Finding]) -> str:
    """Show the mends as a unified diff; nothing where there are none."""
    before = source.text.splitlines(keepends=True)
    after = mended(source, findings).splitlines(keepends=True)
    lines = unified_diff(before, after, source.name, f"{source.name} (mended)")
    return "".join([_ended(line) for line in lines])


def _in_order(findings: Sequence[Finding]) -> list[Mend]:
    mends = {(m.span.start, m.span.end): m for f in findings if (m := f.mend) is not None}
    return [mends[place] for place in sorted(mends)]


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
