r"""Ranges before their display: "For $i = 1, \ldots, n - 1$," and then A_{seq(i)} = X_{seq(i+1)}.

Such a range is one of the definitions that follow, and not of the display before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.ranges import conjuncts
from namedtensor.latex.reading.statements import Found, is_range
from namedtensor.latex.syntax import Definition, Expression, Indexed, Logic, Relation, Scripts
from namedtensor.latex.walk import letters_of

#: What may stand between a range and the display that is meant: signs, or words of the same sentence.
OPENS = r"[\s$,:]|\\[\[)]|\\begin\{[a-z*]+\}"
AT_ONCE = re.compile(rf"(?:{OPENS})*")
SOON = re.compile(rf"(?:(?!\n\s*\n)(?:{OPENS}|[^.;$\\]))*(?:{OPENS})*")

#: What stands before a range that begins a sentence, and before one that ends the sentence of a display.
BEGINS = re.compile(
    r"(?:\bFor|(?:[.:;]\s+|\n\s*\n\s*|\$\$\s*(?=[A-Z])|\\\]\s*(?=[A-Z])|\}\s*(?=[A-Z]))(?:\w+,?\s+)?for)"
    r"\s+(?:(?:all|each|every)\s+)?[$\\(]*$"
)
ENDS = re.compile(r"(?:[\s$.,;]|\\\]|\\end\{[a-z*]+\})*(?:for|with|where)?[\s$\\(]*")

#: Where a sentence ends that began before a range.
ENDED = re.compile(r"[.:;]\s|\n\s*\n|\\(?:sub)*section|\\paragraph")

#: What stands between two ranges.
AND = re.compile(r"[\s$\\()]*(?:,|and|,\s*and)[\s$\\()]*")


def with_ranges_behind(entries: Sequence[Entry], text: str) -> list[Entry]:
    """Give definitions the ranges that stand before their display, and put these behind it."""
    found = list(entries)
    for at, entry in enumerate(entries):
        first = _first_range(entries, at, text) if entry.region.display else at
        ranges = entries[first:at]
        block = [e for e in entries[at:] if e.region.block == entry.region.block] if ranges else []
        given = [_give(one, said) for one in block for said in ranges]
        if any(given):
            found[first : at + len(block)] = [*block, *ranges]
    return found


def _first_range(entries: Sequence[Entry], at: int, text: str) -> int:
    """Find the first of the ranges in prose that are of a display behind them, or else its place."""
    first = at
    while first and _is_range_in_prose(entries[first - 1]):
        gap = text[entries[first - 1].region.span.end : entries[first].region.span.start]
        if not (AND if first < at else SOON).fullmatch(gap):
            break
        first -= 1
    if first == at:
        return at
    start, last = entries[first].region.span.start, entries[at - 1].region.span.end
    above = entries[first - 1].region if first else None
    ends = above is not None and above.display and ENDS.fullmatch(text[above.span.end : start])
    at_once = AT_ONCE.fullmatch(text[last : entries[at].region.span.start])
    begins = BEGINS.search(text[max(0, start - 60) : start])
    before = next((e.region.span.end for e in entries[:first][::-1] if e.region.display), 0)
    begins = begins or ENDED.search(text[before:start])  # one sentence with the display below
    return first if begins or (at_once and not ends) else at


def _is_range_in_prose(entry: Entry) -> bool:
    return entry.relation is not None and not entry.region.display and is_range(entry.relation)


def _give(entry: Entry, said: Entry) -> bool:
    """Give a definition by elements, or of members, the range of one of its indices, where it states none."""
    statement = entry.statement if isinstance(entry.read, Found) else None
    relation = said.relation
    if not isinstance(statement, Definition):
        return False
    target, own = statement.target, list[Expression]()
    if isinstance(target, Indexed):
        own += [item.at for item in target.indices]
        target = target.base
    if isinstance(target, Scripts):
        own += letters_of((target.sub, target.sup))
    known = () if statement.condition is None else tuple(conjuncts(statement.condition))
    if not isinstance(relation, Relation) or relation.first not in own:
        return False
    if relation.first in letters_of(known):
        return False
    both = Logic(relation.span, "and", (*known, relation)) if known else relation
    entry.found.statement = replace(statement, condition=both)
    return True
