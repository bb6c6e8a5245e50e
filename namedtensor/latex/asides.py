"""Tell named notation from other mathematics, which is set aside and never guessed at.

What has axis names is the notation. So is what stands in one display with it, and what speaks of the
names that it speaks of. All else is set aside, and so is what cannot be read and has no axis names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from namedtensor.latex.branches import letters_of, parts_of
from namedtensor.latex.faults import ASIDE, Fault
from namedtensor.latex.hosts import Region
from namedtensor.latex.source import Span
from namedtensor.latex.statements import Failed, Found, is_name
from namedtensor.latex.syntax import (
    Aside,
    Big,
    Call,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Induction,
    Letter,
    Matrix,
    Relation,
    Scripts,
    Signature,
    Statement,
)
from namedtensor.latex.words import FUNCTIONS

#: Names that a formula may use without anybody giving them.
CONSTANTS = frozenset(("pi", "e", "infty", "epsilon", "varepsilon"))

#: Relations between numbers.
COMPARING = frozenset(("=", "!=", "<", "<=", ">", ">=", "<<", ">>", "approx"))


@dataclass(slots=True)
class Entry:
    """What was read at one place, and whether it is kept."""

    read: Found | Failed
    region: Region
    kept: bool = False


def sorted_out(entries: Sequence[Entry], text: str) -> tuple[list[Statement], list[Fault]]:
    """Give the statements, what is no notation among them as asides, and the faults."""
    _keep(entries)
    blocks = {entry.region.block for entry in entries if entry.kept}
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
            entry.kept = read.named and not read.generic and (read.said or entry.region.display)
    blocks = {entry.region.block for entry in entries if entry.kept and entry.region.display}
    open_: list[Entry] = []
    spoken = Spoken()
    for entry in entries:
        read = entry.read
        if isinstance(read, Found) and not entry.kept and _may_follow(read):
            entry.kept = entry.region.block in blocks and not read.positional
            if not entry.kept and not isinstance(read.statement, Induction):
                open_.append(entry)
        if entry.kept and isinstance(read, Found):
            spoken.add(read.statement, entry.region.section)
    _follow(open_, spoken)
    for entry in open_:
        if isinstance(entry.read, Found) and isinstance(entry.read.statement, Declaration):
            entry.kept = entry.kept or not entry.read.statement.space.base.startswith("[n")
            spoken.declare(entry.read.statement)
    for entry in _self_contained([entry for entry in open_ if not entry.kept], spoken):
        entry.kept = True


def _may_follow(read: Found) -> bool:
    """Say whether a statement without axes may be kept for what it stands or speaks with."""
    statement = read.statement
    if isinstance(statement, Definition) and isinstance(statement.body, Matrix):
        return True
    if read.positional or read.generic or not read.said:
        return False
    if not isinstance(statement, Constraint):
        return True
    relation = statement.relation
    ops = {op for op, _ in relation.rest} if isinstance(relation, Relation) else {"in"}
    return ops <= COMPARING and not any(
        letter.text.endswith("cal") for letter in letters_of(relation)
    )


def _follow(open_: Sequence[Entry], spoken: Spoken) -> None:
    """Keep what speaks of what is kept, and so on."""
    found = True
    while found:
        found = False
        for entry in open_:
            if not entry.kept and isinstance(entry.read, Found) and spoken.knows(entry):
                entry.kept = found = True
                spoken.add(entry.read.statement, entry.region.section)


def _self_contained(entries: Sequence[Entry], spoken: Spoken) -> list[Entry]:
    """Give the definitions of functions that use nothing but their arguments and one another."""
    found = [(entry, entry.read.statement) for entry in entries if isinstance(entry.read, Found)]
    whole = [
        (e, s) for e, s in found if isinstance(s, Definition) and not isinstance(s.target, Indexed)
    ]
    while True:
        known = {head_of(_named(s)) for _, s in whole} | spoken.anywhere | spoken.declared
        kept = [(e, s) for e, s in whole if _free(s) <= known]
        if len(kept) == len(whole):
            break
        whole = kept
    used = {name for _, s in whole if isinstance(s.target, Call) for name in _free(s)}
    heads = [head_of(s.target) for _, s in whole if isinstance(s.target, Scripts)]
    used |= {head for head in heads if heads.count(head) > 1}
    return [e for e, s in whole if isinstance(s.target, Call) or head_of(s.target) in used]


def _may_stand(entry: Entry) -> bool:
    return isinstance(entry.read, Found) and not entry.read.positional


def _named(definition: Definition) -> Expression:
    target = definition.target
    return target.function if isinstance(target, Call) else target


def _free(definition: Definition) -> set[str]:
    """Name what a definition takes from elsewhere."""
    own = {letter.text for letter in letters_of(definition.target)}
    own |= {
        letter.text for big in parts_of(definition.body, Big) for letter in letters_of(big.lower)
    }
    return {
        letter.text
        for letter in letters_of((definition.body, *definition.chain))
        if letter.text not in own
        and letter.text not in CONSTANTS
        and letter.text not in FUNCTIONS
        and not (letter.style == "letter" and all(part in own for part in letter.text))
    }


class Spoken:
    """The names that the notation speaks of, and the functions that it defines."""

    def __init__(self) -> None:
        self.here: set[tuple[int, str]] = set()
        self.anywhere: set[str] = set()
        self.declared: set[str] = set()
        self.shaped: set[tuple[int, str]] = set()

    def declare(self, statement: Declaration) -> None:
        self.declared |= {head_of(name) for name in statement.names}

    def add(self, statement: Statement, section: int) -> None:
        for letter in letters_of(statement):
            self.here.add((section, letter.text))
        if isinstance(statement, Declaration):
            self.shaped |= {(section, key_of(name)) for name in statement.names}
        for name in _subjects(statement):
            if isinstance(name, Call):
                name = name.function
            key = key_of(name)
            if len(key) > 1:
                self.anywhere.add(key)

    def knows(self, entry: Entry) -> bool:
        """Say whether an entry speaks of what the notation speaks of."""
        assert isinstance(entry.read, Found)
        section = entry.region.section
        for name in _subjects(entry.read.statement):
            if isinstance(name, Call):
                name = name.function
            key = key_of(name)
            if entry.read.positional:
                return (section, key) in self.shaped
            if (section, head_of(name)) in self.here or key in self.anywhere:
                return True
        statement = entry.read.statement
        if not isinstance(statement, Definition) or entry.read.positional:
            return False
        return any(letter.text in self.anywhere for letter in letters_of(statement))


def _subjects(statement: Statement) -> Iterator[Expression]:
    """Give what a statement speaks of first."""
    if isinstance(statement, Declaration):
        yield from statement.names
    elif isinstance(statement, Signature):
        yield statement.name
    elif isinstance(statement, Definition):
        yield statement.target
    elif isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
        first = statement.relation.first
        yield from (first,) if is_name(first) else ()


def head_of(name: Expression) -> str:
    """Give the letter of a name without its scripts."""
    while isinstance(name, Scripts | Indexed):
        name = name.base
    return name.text if isinstance(name, Letter) else ""


def key_of(name: Expression) -> str:
    """Give a name with its scripts as one text: d_k.

    >>> from namedtensor.latex.reader import parse_expression
    >>> key_of(parse_expression("d_k")), key_of(parse_expression("W^1"))
    ('d_k', 'W^1')
    """
    parts = [head_of(name)]
    while isinstance(name, Scripts | Indexed):
        if isinstance(name, Scripts):
            parts += [f"_{_said(name.sub)}"] if name.sub is not None else []
            parts += [f"^{_said(name.sup)}"] if name.sup is not None else []
        name = name.base
    return "".join(parts)


def _said(script: Expression | None) -> str:
    return str(getattr(script, "text", getattr(script, "value", "?")))
