"""Tell named notation from other mathematics, which is set aside and never guessed at.

What has axis names is the notation. So is what stands in one display with it, and what speaks of the
names that it speaks of. All else is set aside, and so is what cannot be read and has no axis names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.reading.hosts import Region
from namedtensor.latex.reading.left_sides import given_names, is_given, is_moment, signed
from namedtensor.latex.reading.looks import DRESSES, FONTS
from namedtensor.latex.reading.ranges import listed
from namedtensor.latex.reading.spoken import (
    CONSTANTS,
    ROUNDS,
    Spoken,
    closed_among,
    head_of,
    is_series,
    key_of,
    names_of,
    nearest_of,
    numbers_in,
    sections_around,
)
from namedtensor.latex.reading.statements import (
    Failed,
    Found,
    is_equation,
    is_name,
    is_range,
    is_target,
)
from namedtensor.latex.reading.tokens import ASIDE, Fault
from namedtensor.latex.reading.words import FUNCTIONS
from namedtensor.latex.syntax import (
    Aside,
    At,
    AxisSize,
    Binary,
    Call,
    Cases,
    Constraint,
    Declaration,
    Definition,
    Derivative,
    Expression,
    Indexed,
    Induction,
    Letter,
    Matrix,
    Number,
    Relation,
    Scripts,
    Signature,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, copied, letters_of, put, texts_of, walk

#: Relations between numbers.
COMPARING = frozenset(("=", "!=", "<", "<=", ">", ">=", "<<", ">>", "approx", "propto"))

#: What has an index of a named axis, also where the whole cannot be read.
ELEMENT = re.compile(r"_\s*\{\s*\\(?:text\w*|math\w+|mbox|name)\s*\{[^{}]*\}'*\s*[(:]")

#: What letters wear that are names of their own: Xbar of \\bar{X}.
ACCENTS = frozenset(DRESSES.values()) - FONTS

#: Why definitions that are understood define nothing: no note says so.
QUIET = {
    "remark": "it is a remark",
    "data": "what it says is given as data",
    "piece": "it is a piece of the definition before it",
    "set": "it says which indices operators reach over",
    "outside": "it says what stands outside of an axis",
    "functions": "it relates functions, and not what they give",
    "joined": "it is a piece of the definition on another line",
}


@dataclass(slots=True)
class Entry:
    """What was read at one place, and whether it is kept."""

    read: Found | Failed
    region: Region
    kept: bool = False

    @property
    def found(self) -> Found:
        """What could be read."""
        assert isinstance(self.read, Found)
        return self.read

    @property
    def statement(self) -> Statement:
        return self.read.statement  # type: ignore[union-attr]

    @property
    def relation(self) -> Any:
        """What is only related; None where anything else was read, or nothing."""
        return getattr(getattr(self.read, "statement", None), "relation", None)

    @property
    def target(self) -> Any:
        """What is defined; None where anything else was read, or nothing."""
        return getattr(getattr(self.read, "statement", None), "target", None)

    @property
    def positional(self) -> bool:
        return isinstance(self.read, Found) and self.read.positional

    def leave_out(self, why: str) -> None:
        """Set aside what was read, and say why."""
        self.found.part_of = why


def sorted_out(
    entries: Sequence[Entry], text: str, parents: Sequence[int] = (0,)
) -> tuple[list[Statement], list[Fault], list[Aside]]:
    """Give the statements, what is no notation among them as asides, the faults, and asides to be told."""
    spoken = _keep(entries, parents)
    blocks = {e.region.block for e in entries if isinstance(e.read, Found) and e.read.named}
    statements: list[Statement] = []
    faults: list[Fault] = []
    told: list[Aside] = []
    for entry in entries:
        read, region = entry.read, entry.region
        if isinstance(read, Failed) and _is_fault(read, region, region.block in blocks):
            faults.append(read.fault)
            continue
        if isinstance(read, Found) and entry.kept:
            statements.append(read.statement)
            continue
        aside = _aside(entry, text, spoken)
        if aside.why not in QUIET.values() and _is_told(entry, aside.text, spoken):
            told.append(aside)
        statements.append(aside)
    return statements, faults, told


def _is_fault(read: Failed, region: Region, among: bool) -> bool:
    """Say whether what cannot be read was meant to be the notation."""
    if read.fault.code == ASIDE:
        return False
    if read.fault.code.startswith("limit-") or (region.display and among):
        return True
    return read.named and (region.display or read.relates)


def _is_told(entry: Entry, text: str, spoken: Spoken) -> bool:
    """Say whether what is set aside states something, and names axes or tensors, or is in a display."""
    read, display = entry.read, entry.region.display
    tensors = bool(spoken.tensors_among(_letters(read), entry.region.section))
    if isinstance(read, Failed):
        named = read.named or ELEMENT.search(text) is not None
        if named or not read.defines:
            return (read.relates and named) or (display and tensors)
        return display or tensors
    tensors = tensors or bool(spoken.elements_in(read.statement))
    if display and (tensors or _accented(entry, text, spoken)):
        return _relates(read.statement)
    return read.named and is_equation(read.statement)


def _relates(statement: Statement) -> bool:
    """Say whether a statement holds its parts to each other, also in rows behind a brace."""
    if not isinstance(statement, Constraint):
        return isinstance(statement, Definition)
    parts: tuple[Expression | None, ...] = (statement.relation,)
    if isinstance(statement.relation, Cases):
        parts = tuple(
            [part for row in statement.relation.rows for part in (row.value, row.condition)]
        )
    return any(isinstance(part, Relation) and part.rest[0][0] != "mid" for part in parts)


def _aside(entry: Entry, text: str, spoken: Spoken) -> Aside:
    """Set aside what was read at a place, or could not be, and say why and what to do about it."""
    read = entry.read
    if isinstance(read, Failed):
        span, why, hint = read.span, f"cannot be read: {read.fault.message}", read.fault.hint
    else:
        span, why, hint = read.statement.span, _why(entry, read, text, spoken), ""
    said, region = text[span.start : span.end], entry.region
    return Aside(span, said, why, hint, block=region.block, section=region.section)


def _why(entry: Entry, read: Found, text: str, spoken: Spoken) -> str:
    """Say why what can be read is set aside."""
    if read.part_of:
        return read.part_of
    if read.generic:
        return "its axes stand for any"
    if read.positional:
        return "its axes have no names"
    tensors = spoken.tensors_among(_letters(read), entry.region.section)
    tensors = tensors or (spoken.elements_in(read.statement) if entry.region.display else [])
    if tensors and _relates(read.statement):
        return f"it uses {' and '.join(tensors)} as other notations do, without names of axes"
    if not read.said:
        return "it states nothing"
    accented = _accented(entry, text, spoken)
    if accented and _relates(read.statement):
        return f"nothing declares or defines {' and '.join(accented)}"
    return "it speaks of nothing that the notation speaks of"


def _letters(read: Found | Failed) -> Collection[str]:
    """List the letters in what was read, or in what could not be."""
    if isinstance(read, Failed):
        return read.letters
    return texts_of(read.statement)


def _accented(entry: Entry, text: str, spoken: Spoken) -> list[str]:
    r"""List the letters that a statement uses that are those of tensors in an accent: \bar X."""
    written: dict[str, str] = {}
    for letter in letters_of(getattr(entry.statement, "body", entry.statement)):
        for dress in ACCENTS:
            bare = letter.text.removesuffix(dress)
            if bare != letter.text and spoken.tensors_among({bare}, entry.region.section):
                written[letter.text] = text[letter.span.start : letter.span.end]
    return [*written.values()]


def _keep(entries: Sequence[Entry], parents: Sequence[int]) -> Spoken:
    """Mark what is kept, the notation and what stands or speaks with it; give what it speaks of."""
    for entry in entries:
        read = entry.read
        if isinstance(read, Found):
            said, region = read.statement, entry.region
            if (said.block, said.section) != (region.block, region.section):
                read.statement = replace(said, block=region.block, section=region.section)
            meant = read.named and not read.generic and not read.part_of
            entry.kept = meant and (read.said or entry.region.display)
    blocks = {entry.region.block for entry in entries if entry.kept and entry.region.display}
    spoken = Spoken(parents)
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
        said = entry.statement
        relation = said.relation if isinstance(said, Constraint) else None
        number = isinstance(relation, Relation) and bool(numbers_in(relation))
        if number or (isinstance(said, Declaration) and not said.space.bound):
            _take(entry, spoken)
    notation = bool(spoken.here)
    plain = {id(e.statement): e for e in waiting if not e.kept and not e.positional}
    displayed = [e.statement for e in plain.values() if e.region.display]
    numbers = frozenset([key_of(name) for entry in entries for name in _spoken_of(entry)])
    spoken.numbers = numbers
    for statement in closed_among(
        [e.statement for e in plain.values()], spoken, numbers, displayed
    ):
        _take(plain[id(statement)], spoken)
    if notation:
        _follow(waiting, spoken)
    _leave_out_plain([e for e in waiting if e.kept], entries)
    blocks = {e.region.block for e in entries if e.kept and isinstance(e.statement, Definition)}
    for entry in waiting:
        if entry.region.block in blocks and isinstance(entry.statement, Induction):
            entry.kept = True
    return spoken


def _leave_out_plain(plain: Sequence[Entry], entries: Sequence[Entry]) -> None:
    """Set aside what names no axes and calls a letter with several arguments that nothing gives, if alone."""
    kept = [e.statement for e in entries if e.kept]
    known = {head_of(name) for said in kept for name in given_names(said)}
    known |= {head_of(said.name) for said in kept if isinstance(said, Signature)}
    known |= {head_of(a) for said in kept for c in all_of(Call, said) for a in c.arguments}
    for entry in plain:
        said = entry.statement
        calls = all_of(Call, getattr(said, "body", ()))
        unknown = [c for c in calls if len(c.arguments) > 1 and not c.axes and c.bracket == "("]
        letters = [t for c in unknown for t in letters_of(c.function)[:1] if t.style == "letter"]
        strange = any(head_of(letter) not in known for letter in letters)
        if not strange or not isinstance(said, Definition) or not isinstance(said.target, Call):
            continue
        used = [head_of(said.target) in texts_of(other) for other in kept if other is not said]
        entry.kept = any(used)


def _spoken_of(entry: Entry) -> tuple[Expression, ...]:
    """Give the names that stand alone in prose, the mass $m$, or with numbers, $2a + 1$ values, $b > 2$."""
    said = entry.statement if isinstance(entry.read, Found) and not entry.region.display else None
    if isinstance(said, Constraint) and isinstance(said.relation, Relation):
        return numbers_in(said.relation)
    names = listed(said.relation) if isinstance(said, Constraint) else ()
    if len(names) == 1 and all(isinstance(p, Binary | Number | Letter) for p in walk(names[0])):
        return letters_of(names)
    return names if all(map(is_name, names)) else ()


def _take(entry: Entry, spoken: Spoken) -> None:
    if not entry.kept:
        entry.kept = True
        spoken.add(entry.statement, entry.region.section)


def _follow(waiting: Sequence[Entry], spoken: Spoken) -> None:
    """Keep what speaks of what is kept, and so on."""
    for _ in range(ROUNDS):
        left = [entry for entry in waiting if not entry.kept]
        for entry in left:
            said, region = entry.statement, entry.region
            shown = region.display and not entry.positional and spoken.sums_elements(said)
            if shown or spoken.knows(said, region.section, entry.positional):
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
    rest = relation.rest if isinstance(relation, Relation) else (("in", None),)
    of_call = isinstance(relation, Relation) and isinstance(
        relation.first, Call
    )  # f(x) is a number
    ops = {op for op, part in rest if not (of_call and op == "in" and isinstance(part, Space))}
    derives = isinstance(relation, Relation) and isinstance(relation.first, Derivative)
    return ops <= COMPARING and (
        derives or not any(letter.text.endswith("cal") for letter in letters_of(relation))
    )


# ------------------------------------------------------------------------------------------- facts


def with_each_of_a_chain(
    statements: Sequence[Statement], parents: Sequence[int] = (0,)
) -> list[Statement]:
    """Let m_0 = v_0 = 0 define v_0 too, and all that a chain names and that nothing else gives."""
    declared: set[str] = set()
    counted: set[str] = set()
    defined: set[tuple[int, Expression]] = set()
    for statement in statements:
        counted |= {t.text for at in all_of(At, statement) for t in letters_of(at.at)}
        if isinstance(statement, Declaration):
            declared |= {key_of(name) for name in (*statement.names, *names_of(statement.space))}
        elif isinstance(statement, Definition):
            defined.add((statement.section, statement.target))
        elif isinstance(statement, Constraint) and is_range(statement.relation):
            counted |= texts_of(statement.relation)

    def is_open(name: Expression, statement: Definition, number: bool) -> bool:
        own = letters_of(statement.target) if isinstance(statement.target, Call) else ()
        if not is_target(name) or isinstance(name, Call) or name in own:
            return False
        if head_of(name) in FUNCTIONS | CONSTANTS | (
            counted if isinstance(name, Letter) else set()
        ):
            return False
        around = sections_around(statement.section, parents)
        known = any((section, name) in defined for section in around)
        return not known and (number or key_of(name) not in declared)

    named = {key_of(getattr(target, "function", target)) for _, target in defined} | declared

    def is_told(part: Expression) -> bool:
        """Say whether a part is E[X], or is made of densities, p(z), and nothing says what these are."""
        call: Any = signed(part)[1]
        moment = isinstance(call, Call) and (is_moment(call) or is_given(call))
        densities = any("(" in one.text and one.text not in named for one in letters_of(part))
        return densities or (moment and key_of(call.function) not in named)

    found: list[Statement] = []
    for statement in statements:
        found.append(statement)
        if not isinstance(statement, Definition) or statement.op != "=":
            continue
        *before, last = (statement.body, *statement.chain)
        body, *chain = said = (*[part for part in before if not is_told(part)], last)
        if len(said) <= len(before):  # what E[X] is, is said behind it
            found[-1] = statement = replace(statement, body=body, chain=tuple(chain))
        number = not any(names_of(said[-1]))
        for place, name in enumerate(said[:-1], 1):
            if is_open(name, statement, number):
                found.append(
                    replace(statement, target=name, body=said[place], chain=said[place + 1 :])
                )
    return found


def with_stated_sizes(
    statements: Sequence[Statement], parents: Sequence[int] = (0,)
) -> list[Statement]:
    """Let |doc| = N define N, where nothing around gives it, beside what it says of the size."""
    given: set[tuple[int, Expression]] = set()
    for statement in statements:
        names: Iterable[Expression] = ()
        if isinstance(statement, Declaration):
            names = (*statement.names, *letters_of(statement.space))
        elif isinstance(statement, Definition):
            names = (statement.target,)
        elif isinstance(statement, Signature):
            names = letters_of(statement)
        given |= {(statement.section, name) for name in names}
    found: list[Statement] = []
    for statement in statements:
        found.append(statement)
        around = sections_around(statement.section, parents)
        for size, name in _stated_sizes(statement):
            if all((section, name) not in given for section in around):
                own = Definition(statement.span, name, size)
                found.append(replace(own, block=statement.block, section=statement.section))
                given.add((statement.section, name))
    return found


def with_parameters_passed(
    statements: Sequence[Statement], parents: Sequence[int] = (0,)
) -> list[Statement]:
    """Let A(X) in f(X; W, V) = ... pass its W to A(X; W): the nearest around, or the only one there is."""
    taken: dict[Expression, dict[int, tuple[Expression, ...]]] = {}
    calls: dict[int, Call] = {}
    for at, statement in enumerate(statements):
        target = getattr(statement, "target", None)
        call = target.base if isinstance(target, Indexed) else target
        if isinstance(call, Call) and call.parameters:
            calls[at] = call
            taken.setdefault(call.function, {})[statement.section] = call.parameters
    found: list[Statement] = []
    for at, statement in enumerate(statements):
        own = calls.get(at)
        if own is not None and isinstance(statement, Definition):
            around = sections_around(statement.section, parents)

            def passed(part: Any, own: Call = own, around: Sequence[int] = around) -> Any:
                if not isinstance(part, Call) or part.parameters or part.function == own.function:
                    return None
                wanted = nearest_of(taken.get(part.function, {}), around)
                if not wanted or not {*wanted} <= {*own.parameters}:
                    return None
                return replace(part, arguments=put(part.arguments, passed), parameters=wanted)

            statement = copied(statement, body=put(statement.body, passed))
        found.append(statement)
    return found


def _stated_sizes(statement: Statement) -> Iterator[tuple[AxisSize, Expression]]:
    """List the names that equations of sizes end with: N of |doc| = N."""
    relation = statement.relation if isinstance(statement, Constraint) else None
    if isinstance(relation, Relation) and isinstance(relation.first, AxisSize):
        for op, side in relation.rest:
            if op == "=" and isinstance(side, (Letter, Scripts)) and is_target(side):
                yield relation.first, side


def with_facts(statements: Sequence[Statement]) -> list[Statement]:
    """Give the statements, with the facts among them as constraints.

    >>> from namedtensor.latex.reading.reader import statements_of
    >>> from namedtensor.latex.source import Source
    >>> [fact] = statements_of(Source(r"$$A_{\\name{height}(1)} = 4$$")).statements
    >>> type(fact).__name__
    'Constraint'
    """
    elements = {
        head_of(s.target)
        for s in statements
        if isinstance(s, Definition) and (_general(s) or is_series(s))
    }
    given: set[tuple[int, str]] = set()
    functions: set[str] = set()
    for statement in statements:
        if isinstance(statement, Declaration):
            given |= {(statement.section, key_of(name)) for name in statement.names}
        elif isinstance(statement, Definition) and isinstance(statement.target, Call):
            if not _of_given(statement, given):
                functions.add(key_of(statement.target.function))
        elif isinstance(statement, Definition):
            given.add((statement.section, key_of(statement.target)))
    return [fact_of(s) if _is_fact(s, elements, given, functions) else s for s in statements]


def _is_fact(
    statement: Statement,
    elements: set[str],
    given: set[tuple[int, str]],
    functions: set[str],
) -> bool:
    if not isinstance(statement, Definition) or statement.op != "=":
        return False
    target = statement.target
    if isinstance(target, Indexed):
        return not _general(statement) and head_of(target) not in elements
    if isinstance(target, Call):
        return key_of(target.function) in functions and _of_given(statement, given)
    return False


def _general(definition: Definition) -> bool:
    """Say whether an element is defined at an index that may be anything."""
    target = definition.target
    if not isinstance(target, Indexed):
        return False
    return any(any(letters_of(item.at)) for item in target.indices)


def _of_given(definition: Definition, given: set[tuple[int, str]]) -> bool:
    """Say whether a function is applied to names that are given, and gives numbers alone."""
    target = definition.target
    if not isinstance(target, Call):
        return False
    arguments = (*target.arguments, *target.parameters)
    if not all((definition.section, key_of(each)) in given for each in arguments):
        return False
    return all(letter.text in FUNCTIONS for letter in letters_of(definition.body))


def fact_of(statement: Statement) -> Statement:
    """Give a definition as an equation, which defines nothing."""
    assert isinstance(statement, Definition)
    said = tuple((statement.op, each) for each in (statement.body, *statement.chain))
    relation = Relation(statement.span, statement.target, said)
    return Constraint(statement.span, relation, block=statement.block, section=statement.section)
