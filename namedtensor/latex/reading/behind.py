r"""Declarations in the words behind a display, which are its own: "$$f = W x$$ where $W \in ...$".

Where a section declares a letter over other axes as well, behind another display or before it, the formulas
of a display take what stands behind it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.spoken import key_of
from namedtensor.latex.syntax import Declaration, Statement
from namedtensor.latex.walk import texts_of

#: What stands between a display and what its words declare.
BEHIND = re.compile(
    r"(?:[\s$.,;]|\\\]|\\end\{[a-z*]+\}|\\label\{[^}]*\})*(?:where|with|in which|here|for)\b(?:(?!\.\s).)*$",
    re.DOTALL | re.IGNORECASE,
)


def with_declarations_behind(
    statements: Sequence[Statement], entries: Sequence[Entry], text: str
) -> list[Statement]:
    """Give declarations behind displays the block of these, where a section has others of the letter."""
    declared: dict[tuple[int, str], set[tuple[str, ...]]] = {}
    for said in [s for s in statements if isinstance(s, Declaration)]:
        for name in said.names:
            declared.setdefault((said.section, key_of(name)), set()).add(said.space.names)
    several = {key for key, spaces in declared.items() if len(spaces) > 1}
    if not several:
        return [*statements]
    regions = sorted({e.region for e in entries if e.region.display}, key=lambda r: r.span.end)
    ends = [region.span.end for region in regions]
    blocks = {region.block for region in regions}
    used: dict[int, set[str]] = {}
    for each in statements:
        used.setdefault(each.block, set()).update(texts_of(each))

    def block_of(said: Declaration) -> int:
        """Give the block of the display to whose words a declaration belongs, or its own."""
        own = {key_of(name) for name in said.names}
        at = bisect_right(ends, said.span.start) - 1
        if at < 0 or said.block in blocks or not any((said.section, n) in several for n in own):
            return said.block
        above = regions[at]
        behind = BEHIND.match(text[above.span.end : said.span.start])
        return above.block if behind and own & used.get(above.block, set()) else said.block

    return [replace(s, block=block_of(s)) if isinstance(s, Declaration) else s for s in statements]
