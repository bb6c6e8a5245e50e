"""Check documents: print what is wrong, where, and how to mend it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from typing import Any

from namedtensor.command.files import CommandError, add_preamble, document_of, text_of
from namedtensor.latex.findings import SEVERITIES, Finding

NAME = "check"
HELP = "find the faults of documents"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="Markdown or LaTeX; - for stdin")
    add_preamble(parser)
    parser.add_argument("--strict", action="store_true", help="warnings are faults too")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print the findings as JSON")
    how.add_argument(
        "--fix",
        action="store_true",
        help="print, as a diff, the changes that are certain; no file is changed",
    )


def perform(given: Namespace) -> int:
    """Print the findings of each file; status 1 where there are faults, 2 where one is unreadable."""
    findings: list[Finding] = []
    diffs: list[str] = []
    unread = 0
    for name in given.files:
        try:
            document = document_of(name, given.preamble)
        except CommandError as error:
            print(f"namedtensor: {error}", file=sys.stderr)
            unread += 1
            continue
        found = document.check()
        findings += found
        if given.fix:
            diffs.append(_diff(name, document, given.preamble))
    if given.fix:
        print("".join(diffs), end="")
        if not any(diffs) and unread < len(given.files):
            print("namedtensor: nothing can be mended with certainty", file=sys.stderr)
    elif given.json:
        print(json.dumps([as_data(finding) for finding in findings], indent=2, ensure_ascii=False))
    else:
        for finding in findings:
            print(finding, end="\n\n")
        if unread < len(given.files):
            print(summary(findings, len(given.files) - unread))
    faults = ("error", "warning") if given.strict else ("error",)
    return 2 if unread else int(any(f.severity in faults for f in findings))


def summary(findings: list[Finding], files: int) -> str:
    """Count findings in one line.

    >>> summary([], 2)
    '2 files checked: no findings'
    """
    counts = Counter(finding.severity for finding in findings)
    parts = [_counted(counts[severity], severity) for severity in SEVERITIES if counts[severity]]
    return f"{_counted(files, 'file')} checked: {', '.join(parts) or 'no findings'}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def as_data(finding: Finding) -> dict[str, Any]:
    """Give a finding as plain data, for other programs."""
    source, span = finding.source, finding.span
    end_line, end_column = source.position(span.end)
    data: dict[str, Any] = {
        "file": source.name,
        "line": finding.line,
        "column": finding.column,
        "end_line": end_line,
        "end_column": end_column,
        "severity": finding.severity,
        "code": finding.code,
        "message": finding.message,
        "text": source.text[span.start : span.end],
        "shapes": dict(finding.shapes),
        "hint": finding.hint,
    }
    if finding.mend is not None:
        mend = finding.mend
        data["mend"] = {"start": mend.span.start, "end": mend.span.end, "text": mend.text}
    return data


def _diff(name: str, document: Any, preamble: list[str]) -> str:
    from namedtensor.latex import read
    from namedtensor.latex.check.mending import diff, mend_all

    macros = "\n".join(map(text_of, preamble))
    text = mend_all(document, lambda text: read(text, name, macros))
    return diff(name, document.source.text, text)
