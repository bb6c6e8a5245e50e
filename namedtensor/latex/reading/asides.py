"""Tell named notation from other mathematics, which is set aside and never guessed at.

What has axis names is the notation. So is what stands in one display with it, and what speaks of the
names that it speaks of. All else is set aside, and so is what cannot be read and has no axis names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.reading.faults import ASIDE, Fault
from namedtensor.latex.reading.hosts import Region
from namedtensor.latex.reading.spoken import ROUNDS, Spoken, closed_among
from namedtensor.latex.reading.statements import Failed, Found
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    Aside,
    Constraint,
    Declaration,
    Definition,
    Induction,
    Matrix,
    Relation,
    Statement,
)
from namedtensor.latex.walk import letters_of

#: Relations between numbers.
COMPARING = frozenset(("=", "!=", "<", "<=", ">", ">=", "<<", ">>", "approx"))


@dataclass(slots=True)
class Entry:
    """What was read at one place, and whether it is kept."""

    read: Found | Failed
    region: Region
    kept: bool = False

    @property
    def statement(self) -> Statement:
        assert isinstance(self.read, Found)
        return self.read.statement

    @property
    def positional(self) -> bool:
        return isinstance(self.read, Found) and self.read.positional


def sorted_out(entries: Sequence[Entry], text: str) -> tuple[list[Statement], list[Fault]]:
    """Give the statements, what is no notation among them as asides, and the faults."""
    _keep(entries)
    blocks = {e.region.block for e in entries if isinstance(e.read, Found) and e.read.named}
    statements: list[Statement] = []
    faults: list[Fault] = []
    for entry in entries:
        read, region = entry.read, entry.region
        if isinstance(read, Failed):
            if _is_fault(read, region, region.block in blocks):
                faults.append(read.fault)
                continue
            made: Statement = _aside(read.span, text, f"cannot be read: {read.fault.message}")
        elif entry.kept:
            made = read.statement
        else:
            made = _aside(read.statement.span, text, _why(read))
        statements.append(replace(made, block=region.block, section=region.section))
    return statements, faults


def _is_fault(read: Failed, region: Region, among: bool) -> bool:
    """Say whether what cannot be read was meant to be the notation."""
    if read.fault.code == ASIDE:
        return False
    if read.fault.code.startswith("limit-") or (region.display and among):
        return True
    return read.named and (region.display or read.relates)


def _aside(span: Span, text: str, why: str) -> Aside:
    return Aside(span, text[span.start : span.end], why)


def _why(read: Found) -> str:
    if read.part_of:
        return read.part_of
    if read.generic:
        return "its axes stand for any"
    if read.positional:
        return "its axes have no names"
    if not read.said:
        return "it states nothing"
    return "it speaks of nothing that the notation speaks of"


def _keep(entries: Sequence[Entry]) -> None:
    """Mark what is kept: the notation, and what stands or speaks with it."""
    for entry in entries:
        read = entry.read
        if isinstance(read, Found):
            read.statement = replace(
                read.statement, block=entry.region.block, section=entry.region.section
            )
            meant = read.named and not read.generic and not read.part_of
            entry.kept = meant and (read.said or entry.region.display)
    blocks = {entry.region.block for entry in entries if entry.kept and entry.region.display}
    spoken = Spoken()
    for entry in entries:
        if entry.region.block in blocks and _may_follow(entry) and not entry.positional:
            entry.kept = True
        if entry.kept:
            spoken.add(entry.statement, entry.region.section)
        elif entry.positional:
            spoken.set_aside(entry.statement, entry.region.section)
    waiting = [entry for entry in entries if not entry.kept and _may_follow(entry)]
    _follow(waiting, spoken)
    for entry in waiting:
        if isinstance(entry.statement, Declaration) and not entry.statement.space.bound:
            _take(entry, spoken)
    notation = bool(spoken.here)
    plain = {id(e.statement): e for e in waiting if not e.kept and not e.positional}
    for statement in closed_among([e.statement for e in plain.values()], spoken):
        _take(plain[id(statement)], spoken)
    if notation:
        _follow(waiting, spoken)
    blocks = {e.region.block for e in entries if e.kept and isinstance(e.statement, Definition)}
    for entry in waiting:
        if entry.region.block in blocks and isinstance(entry.statement, Induction):
            entry.kept = True


def _take(entry: Entry, spoken: Spoken) -> None:
    if not entry.kept:
        entry.kept = True
        spoken.add(entry.statement, entry.region.section)


def _follow(waiting: Sequence[Entry], spoken: Spoken) -> None:
    """Keep what speaks of what is kept, and so on."""
    for _ in range(ROUNDS):
        left = [entry for entry in waiting if not entry.kept]
        for entry in left:
            if spoken.knows(entry.statement, entry.region.section, entry.positional):
                _take(entry, spoken)
        if not any(entry.kept for entry in left):
            return


def _may_follow(entry: Entry) -> bool:
    """Say whether a statement without axes may be kept for what it stands or speaks with."""
    read = entry.read
    if isinstance(read, Failed) or read.generic or read.part_of:
        return False
    statement = read.statement
    if isinstance(statement, Definition) and isinstance(statement.body, Matrix):
        return True
    if read.positional or not read.said:
        return False
    if not isinstance(statement, Constraint):
        return True
    relation = statement.relation
    ops = {op for op, _ in relation.rest} if isinstance(relation, Relation) else {"in"}
    return ops <= COMPARING and not any(
        letter.text.endswith("cal") for letter in letters_of(relation)
    )
