"""Check documents and Python: print what is wrong, where, and how to mend it."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from namedtensor.check.checking import Checked, Checker
from namedtensor.check.pieces import files_below
from namedtensor.command.files import CommandError, add_preamble, document_in, text_of
from namedtensor.latex.findings import SEVERITIES, Finding

NAME = "check"
HELP = "find the faults of documents and of Python files"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="Markdown, LaTeX, Python, notebooks, or folders of them; - for LaTeX on stdin",
    )
    add_preamble(parser)
    parser.add_argument("--strict", action="store_true", help="warnings are faults too")
    parser.add_argument(
        "--no-import",
        dest="imports",
        action="store_false",
        help="run no code of the files: read what signatures and bodies say, and say what is not known",
    )
    parser.add_argument(
        "--python", default="", metavar="PATH", help="the interpreter that imports Python files"
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=60.0,
        metavar="SECONDS",
        help="how long one file may take to import (60)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print the findings as JSON")
    how.add_argument(
        "--format",
        choices=("text", "github"),
        default="text",
        help="github prints what GitHub shows beside the lines of a change",
    )
    how.add_argument(
        "--fix",
        action="store_true",
        help="print, as a diff, the changes that are certain; no file is changed",
    )


def seconds(word: str) -> float:
    """Read a time: a number above 0, and no more than a year.

    >>> seconds("2.5")
    2.5
    """
    number = float(word)
    if not 0 <= number <= 3e7:
        raise ArgumentTypeError(f"{word} is no time that can be waited")
    return number


def perform(given: Namespace) -> int:
    """Print the findings of each file; status 1 for faults, 2 for a file that cannot be checked."""
    done: list[Checked] = []
    diffs: list[str] = []
    refused = 0
    with Checker(given.imports, given.python, given.timeout) as checker:
        for name in _named(given.files):
            try:
                checked = _checked(checker, name, given.preamble)
            except CommandError as error:
                print(f"namedtensor: {error}", file=sys.stderr)
                refused += 1
                continue
            done.append(checked)
            if checked.refused:
                print(f"namedtensor: {checked.refused}", file=sys.stderr)
                refused += 1
            if given.fix:
                diffs += _diffs(name, checked, given.preamble)
    findings = [finding for checked in done for finding in checked.findings]
    plain = not (given.fix or given.json or given.format == "github")
    if not plain:
        _say_unchecked(done, sys.stderr)
    if given.fix:
        print("".join(diffs), end="")
        if not any(diffs) and refused < len(given.files):
            print("namedtensor: nothing can be mended with certainty", file=sys.stderr)
    elif given.json:
        print(json.dumps([as_data(finding) for finding in findings], indent=2, ensure_ascii=False))
    elif given.format == "github":
        for finding in findings:
            print(as_github(finding))
    else:
        for finding in findings:
            print(finding, end="\n\n")
        _say_unchecked(done, sys.stdout)
        read = [checked for checked in done if not checked.refused]
        if read:
            kinds: Counter[str] = Counter()
            for checked in read:
                kinds += getattr(checked.document, "counts", {})
            formulas = sum(c.formulas for c in done)
            left = [name for c in done for name, _ in c.unchecked]
            named = sum(name.isidentifier() for name in left)
            calls = len(left) - named
            places = sum(len(c.unreached) for c in done)
            print(summary(findings, len(read), formulas, named, kinds, calls, places))
    faults = ("error", "warning") if given.strict else ("error",)
    return 2 if refused else int(any(f.severity in faults for f in findings))


def _checked(checker: Checker, name: str, preamble: list[str]) -> Checked:
    text = text_of(name)
    if name == "-":
        return checker.check("<stdin>", text, lambda: document_in(text, name, preamble))
    return checker.check(name, text, lambda: document_in(text, name, preamble))


def _named(files: list[str]) -> list[str]:
    """List the files that the command names, and the files in the folders that it names.

    Raises: CommandError where a folder holds none.
    """
    found: list[str] = []
    for name in files:
        if name not in ("", "-") and Path(name).is_dir():
            inside = files_below(Path(name))
            if not inside:
                raise CommandError(f"{name}: holds no file that can be checked")
            found += inside
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _say_unchecked(done: list[Checked], to: TextIO) -> None:
    for checked in done:
        for what, why in [*checked.unchecked, *checked.unreached]:
            print(f"{checked.file}: not checked: {what}: {why}", file=to)


def summary(
    findings: list[Finding],
    files: int,
    formulas: int = 0,
    unchecked: int = 0,
    kinds: Mapping[str, int] | None = None,
    calls: int = 0,
    places: int = 0,
) -> str:
    """Count in one line what was read, what was not, and what was found.

    >>> summary([], 2)
    '2 files checked: no findings'
    >>> summary([], 1, 3, 1)
    '1 file checked, 3 formulas of Python in it, 1 formula not checked: no findings'
    >>> summary([], 1, kinds={"read": 7, "aside": 1, "unreadable": 0})
    '1 file checked, 7 statements read, 1 set aside: no findings'
    """
    counts = Counter(finding.severity for finding in findings)
    parts = [_counted(counts[severity], severity) for severity in SEVERITIES if counts[severity]]
    read = f"{_counted(files, 'file')} checked"
    known = kinds or {}
    if any(known.values()):
        read += f", {_counted(known.get('read', 0), 'statement')} read"
    for kind, words in (("aside", "set aside"), ("unreadable", "unreadable")):
        read += f", {known[kind]} {words}" if known.get(kind) else ""
    if formulas:
        read += f", {_counted(formulas, 'formula')} of Python in {'it' if files == 1 else 'them'}"
    if unchecked:
        read += f", {_counted(unchecked, 'formula')} not checked"
    if calls:
        read += f", {_counted(calls, 'call')} not checked"
    if places:
        read += f", {_counted(places, 'place')} not checked"
    return f"{read}: {', '.join(parts) or 'no findings'}"


def as_github(finding: Finding) -> str:
    """Write a finding as a command of GitHub's workflows, which shows it beside its line."""
    level = {"note": "notice"}.get(finding.severity, finding.severity)
    end_line, end_column = finding.source.position(finding.span.end)
    file = finding.file.partition(":cell ")[0]
    place = f"file={file},line={finding.line},endLine={end_line},col={finding.column}"
    _, _, text = str(finding).partition(": ")
    for letter, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(letter, code)
    return f"::{level} {place},endColumn={end_column},title={finding.code}::{text}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def as_data(finding: Finding) -> dict[str, Any]:
    """Give a finding as plain data, for other programs."""
    source, span = finding.source, finding.span
    end_line, end_column = source.position(span.end)
    data: dict[str, Any] = {
        "file": finding.file,
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
    if finding.calls:
        data["calls"] = list(finding.calls)
    if finding.mend is not None:
        mend = finding.mend
        data["mend"] = {"start": mend.span.start, "end": mend.span.end, "text": mend.text}
    return data


def _diffs(name: str, checked: Checked, preamble: list[str]) -> Iterator[str]:
    """Show the certain changes as diffs, one for each file; each cell of a notebook has its own."""
    from namedtensor.latex import read
    from namedtensor.latex.check.mending import diff, mend_all, mended

    document = checked.document
    python = [f for f in checked.findings if document is None or f.source is not document.source]
    texts = {f.source.name: f.source.text for f in python if f.mend is not None}
    after = {n: mended(t, [f for f in python if f.source.name == n]) for n, t in texts.items()}
    if document is not None:
        macros = "\n".join(map(text_of, preamble))
        texts[name] = document.source.text
        if after.get(name, texts[name]) != texts[name]:
            document = read(after[name], name, macros)
        after[name] = mend_all(document, lambda text: read(text, name, macros))
    for source in sorted(texts):
        yield diff(source, texts[source], after[source])
