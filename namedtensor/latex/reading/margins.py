r"""Margins: X_{i \cdot} = \sum_j X_{ij} says what a letter of its own is, and so do X_{\cdot j} and X_{++}.

Marks stand for the indices that are summed or averaged over. The letter is X with the places of its marks:
Xall2 of X_{i \cdot}, whose only index is i.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.spoken import head_of
from namedtensor.latex.syntax import Definition, Expression, Items, Letter, Scripts, Text, Unary
from namedtensor.latex.walk import put

#: Marks and single letters, as they stand below a letter.
PLACE = re.compile(r"(\\cdot|\\bullet|[+*])|([a-z])|,")


def put_margins(entries: Sequence[Entry]) -> None:
    """Give the margins that are defined letters of their own."""
    targets = [e.statement.target for e in entries if isinstance(e.statement, Definition)]
    known = {(head_of(t), margin.base) for t in targets if (margin := _margin(t)) is not None}

    def change(part: Any) -> Expression | None:
        margin = _margin(part)
        if margin is None or (head_of(part), margin.base) not in known:
            return None
        return margin.base if margin.sub is None and margin.sup is None else margin

    for entry in entries if known else ():
        entry.found.statement = put(entry.statement, change)


def _margin(part: Any) -> Scripts | None:
    """Give a margin as a letter of its own with its indices; None for what is none."""
    if not isinstance(part, Scripts) or not isinstance(part.base, Letter):
        return None
    said = part.sub.text if isinstance(part.sub, Text) else ""
    if isinstance(part.sub, Unary) and isinstance(part.sub.operand, Letter):
        said = part.sub.op + part.sub.operand.text
    found = [m for m in PLACE.finditer(said) if m[0] != ","]
    marks = [str(at) for at, m in enumerate(found, 1) if m[1]]
    letters = [Letter(part.sub.span, m[2]) for m in found if m[2]]  # type: ignore[union-attr]
    if not marks or len(found) < 2 or PLACE.sub("", said):
        return None
    base = replace(part.base, text=f"{part.base.text}all{''.join(marks)}", style="word")
    sub: Expression | None = Items(part.span, tuple(letters), "") if letters else None
    return replace(part, base=base, sub=letters[0] if len(letters) == 1 else sub)
