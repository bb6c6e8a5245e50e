"""Make the changes that are certain, and show them as a diff."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import unified_diff
from io import StringIO
from typing import TYPE_CHECKING

from namedtensor.latex.findings import Finding, Mend

if TYPE_CHECKING:
    from namedtensor.latex.documents.document import Document

#: The most rounds: one change may lead to another, as a declaration and then the indices of its tensor.
ROUNDS = 8


def mended(text: str, findings: Sequence[Finding]) -> str:
    """Make the certain changes of some findings in a text.

    Of changes that overlap, only the first is made; the others are left for the next round.
    """
    parts, end = [], 0
    for mend in _in_order(findings):
        if mend.span.start >= end:
            parts += [text[end : mend.span.start], mend.text]
            end = mend.span.end
    return "".join([*parts, text[end:]])


def mend_all(document: Document, read: Callable[[str], Document]) -> str:
    """Make all certain changes in a document's text; `read` reads the changed text again."""
    text = document.source.text
    for _ in range(ROUNDS):
        after = mended(text, document.check())
        if after == text:
            break
        text = after
        document = read(text)
    return text


def diff(name: str, before: str, after: str) -> str:
    """Show the changes as a unified diff; "" if there are none.

    >>> print(diff("a.md", "one\\ntwo\\n", "one\\nthree\\n"))
    --- a.md
    +++ a.md (mended)
    @@ -1,2 +1,2 @@
     one
    -two
    +three
    <BLANKLINE>
    """
    lines = unified_diff(_lines(before), _lines(after), name, f"{name} (mended)")
    return "".join([_ended(line) for line in lines])


def _in_order(findings: Sequence[Finding]) -> list[Mend]:
    mends = {(m.span.start, m.span.end): m for f in findings if (m := f.mend) is not None}
    return [mends[place] for place in sorted(mends)]


def _lines(text: str) -> list[str]:
    """Split a text only at \\n, as programs that apply patches do."""
    return StringIO(text, newline="\n").readlines()


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
