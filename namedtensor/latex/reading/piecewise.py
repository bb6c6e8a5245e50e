r"""Definitions that are given piece by piece, in displays and in prose: r(x) = x for x > 0, and 0 otherwise.

Where a piece or its condition cannot be read, the definition is a fault: half of it is another function.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.reading.asides import QUIET, Entry
from namedtensor.latex.reading.ranges import places_of, ranges_in
from namedtensor.latex.reading.remarks import GIVES
from namedtensor.latex.reading.spoken import head_of
from namedtensor.latex.reading.statements import Failed, Found, condition_of
from namedtensor.latex.reading.tokens import Fault
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    Call,
    Case,
    Cases,
    Constraint,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
    Space,
    Text,
)
from namedtensor.latex.walk import all_of, letters_of, put

#: What stands around words and mathematics, and says nothing.
TEXT = re.compile(r"\\(?:text|textrm|mathrm|mbox)\s*\{([^{}]*)\}")
MARKS = re.compile(r"\\(?:begin|end)\{[a-z*]+\}|\\(?:quad|qquad|[\[\]();,!: \\])|[$&~{}()]")

#: What stands before a condition, and between the pieces of a definition.
WHEN = re.compile(r"[,;]? ?(?:for|if|when|whenever|wherever)(?: all| any| every| each)?")
WHERE = re.compile(r"[,;]?(?: ?(?:and|or))?")
NEXT = re.compile(r"[,;]? ?(?:and|but|while)?(?: by| to| is| equals| it is)?")
REST = re.compile(
    r"[.,;]? ?(?:and |or )?(?:otherwise|else|elsewhere|in all other cases),?(?: it is| let)?"
)

#: What says behind the last piece that it holds for all else.
OTHERWISE = re.compile(
    r",? ?(?:otherwise|else|elsewhere|in (?:all )?other cases|for (?:all |any |every )?(?:the )?others?)\b"
)

#: What stands behind a value that is all that holds otherwise: "otherwise $0$."
ENDS = re.compile(r"[.,;:]|$|(?:and|where|with)\b")

#: What goes on behind a display in words of its own: "otherwise a new one is drawn".
GOES_ON = re.compile(r",? ?(?:otherwise|else),? (?!and\b|where\b|with\b|let\b|it\b|is\b)\w")

#: What says behind a piece that it holds for some, in words.
IN_WORDS = re.compile(r",? ?(?:if|when|whenever|unless)\b")


#: So many characters are looked at between two places of mathematics.
FAR = 200

#: What gives the words between an entry, by its number, and the next one.
Words = Callable[[int], str]

#: What says whether an entry is of elements that are declared.
OfData = Callable[[Entry], bool]


@dataclass(slots=True)
class Pieces:
    """The rows of a definition, the entries up to `end` that hold them, and whether one is for all else."""

    rows: list[tuple[Expression, Expression | None]]
    end: int
    closed: bool = False

    def add(self, condition: Expression, op: str = "and") -> None:
        value, known = self.rows[-1]
        both = () if known is None else (known,)
        joined = Logic(condition.span, op, (*both, condition)) if both else condition
        self.rows[-1] = value, joined


def with_starts_apart(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Give h_1 = x_1 and h_t = f(h_{t-1}) for an h_t that is given by cases, t = 1 and t > 1."""
    for entry in entries:
        said = entry.statement if isinstance(entry.read, Found) else None
        while isinstance(said, Definition) and (parts := _start_apart(said)) is not None:
            start, said = parts
            yield Entry(replace(entry.found, statement=start), entry.region)
            entry.found.statement = said
        yield entry


def _start_apart(said: Definition) -> tuple[Definition, Definition] | None:
    """Take one element by itself from the cases of elements that follow from one another."""
    target, body = said.target, said.body
    places = places_of(target, 1)
    if isinstance(target, Scripts) and target.sub is None and isinstance(target.sup, Letter):
        places = (target.sup,)
    if said.op != "=" or said.chain or not isinstance(body, Cases):
        return None
    if isinstance(target, Indexed) and len(places) == 1:
        body = _first_elements_apart(body, places[0])
    for row in body.rows:
        at, rest = row.condition, tuple([r for r in body.rows if r is not row])
        index = at.first if isinstance(at, Relation) and len(at.rest) == 1 else None
        if index not in places or not isinstance(index, Letter) or not isinstance(at, Relation):
            continue
        ((sign, number),) = at.rest
        if sign != "=" or any(place in letters_of(number) for place in places):
            continue
        if _has_member(row.value, target) or not any([_has_member(r.value, target) for r in rest]):
            continue

        def there(part: Any, index: Letter = index, number: Expression = number) -> Any:
            return number if part == index else None

        start = replace(said, target=put(target, there), body=put(row.value, there), condition=None)
        (only, *more) = rest
        left = only.condition
        whole = more or not (left is None or isinstance(left, (Text, Relation)))
        return start, replace(said, body=replace(body, rows=rest) if whole else only.value)
    return None


#: The most elements that are taken apart where a rule begins behind them, i > 2.
FIRST = 8


def _first_elements_apart(body: Cases, index: Expression) -> Cases:
    """Write i = 1 and i = 2 for i <= 2, and for what is otherwise beside i > 2: elements count from 1."""
    ends = [_end_of_first(row.condition, index) for row in body.rows]
    if len(ends) != 2 or not any(ends):
        return body
    first = next((n for n, end in enumerate(ends) if end > 0), None)
    if first is None:
        first = 0 if ends[1] else 1
        if not isinstance(body.rows[first].condition, (Text, type(None))):
            return body
    row, rule = body.rows[first], body.rows[1 - first]
    last = max(map(abs, ends))
    if last > FIRST or (ends[1 - first] and -ends[1 - first] != last):
        return body
    at = row.span
    starts = [
        replace(row, condition=Relation(at, index, (("=", Number(at, n)),)))
        for n in range(1, last + 1)
    ]
    return replace(body, rows=(*starts, rule))


def _end_of_first(condition: Expression | None, index: Expression) -> int:
    """Give 2 for i <= 2 and i < 3, -2 for i > 2 and i >= 3, and 0 for other conditions."""
    if not isinstance(condition, Relation) or len(condition.rest) != 1 or condition.first != index:
        return 0
    ((sign, end),) = condition.rest
    if not isinstance(end, Number) or not isinstance(end.value, int):
        return 0
    return {"<=": end.value, "<": end.value - 1, ">": -end.value, ">=": 1 - end.value}.get(sign, 0)


def _has_member(part: Expression, target: Expression) -> bool:
    """Say whether a part has an element, or a member, of what a definition gives."""
    members: tuple[Indexed | Scripts, ...] = (*all_of(Indexed, part), *all_of(Scripts, part))
    return any(type(m) is type(target) and m.base == getattr(target, "base", None) for m in members)


def joined(entries: Sequence[Entry], text: str, of_data: OfData) -> None:
    """Make one definition, by cases, of the pieces in which one is given.

    `of_data` says whether prose speaks of what is declared: where it cannot be read, that is given.
    """
    at = 0
    words = functools.cache(lambda gap: _words(entries, gap, text))
    while at < len(entries):
        read = entries[at].read
        first = read.statement if isinstance(read, Found) else None
        if not isinstance(read, Found) or not isinstance(first, Definition):
            at += 1
            continue
        after = _join(entries, at, first, words, of_data)
        if after is None and of_data(entries[at]):
            read.part_of = QUIET["data"]
        elif after is None:
            _refuse(entries[at], first, text)
        at = after or at + 1


def _join(
    entries: Sequence[Entry], at: int, first: Definition, words: Words, of_data: OfData
) -> int | None:
    """Join the pieces that begin at a place; give the place behind them, None where one is unreadable."""
    many = isinstance(first.target, (Indexed, Call)) or bool(places_of(first.target))
    inside = many and not any(all_of(Cases, first.body))
    if first.op != "=" or not inside:
        return at + 1
    found = _pieces(entries, at, first, words, of_data)
    rows, last = found.rows, found.rows[-1]
    complete = found.closed or last[1] is not None
    if len(rows) > 1 and complete and all(condition is not None for _, condition in rows[:-1]):
        if found.closed:
            rows[-1] = last[0], None
        cases = tuple([Case(value.span, value, condition) for value, condition in rows])
        whole = replace(first, body=Cases(first.body.span, cases), condition=None)
        _put(entries[at : found.end], whole)
        return found.end
    if _is_half(entries, at, first, words, of_data):
        return None
    if not isinstance(first.target, Call) and not _only_ranges(last[1], first.condition):
        _put(entries[at : found.end], replace(first, condition=last[1]))
        return found.end
    return at + 1


def _only_ranges(condition: Expression | None, own: Expression | None) -> bool:
    """Say whether nothing follows a definition but ranges of indices, which say how long axes are."""
    if condition is own or (isinstance(condition, Relation) and any(ranges_in(condition))):
        return True
    parts = condition.parts if isinstance(condition, Logic) and condition.op == "and" else ()
    return bool(parts) and all(_only_ranges(part, own) for part in parts)


def _put(entries: Sequence[Entry], statement: Definition) -> None:
    """Put a definition in the place of its first piece, and set the other pieces aside."""
    first, *others = entries
    first.found.statement = statement
    first.found.named = first.found.named or any(all_of(At, statement))
    for entry in others:
        entry.leave_out(QUIET["piece"])


def _refuse(entry: Entry, first: Definition, text: str) -> None:
    said = text[first.target.span.start : first.target.span.end]
    fault = Fault(
        "syntax-case",
        f"this is one of the cases of {said}, and not all of them can be read",
        first.span,
        rf"write {said} = \begin{{cases}} a & \text{{if }} x > 0 \\ b & \text{{otherwise}} \end{{cases}}",
    )
    entry.read = Failed(fault, first.span, True, True)


# ------------------------------------------------------------------------------------------ pieces


def _pieces(
    entries: Sequence[Entry], at: int, first: Definition, words: Words, of_data: OfData
) -> Pieces:
    """Read on behind a definition, as long as there are conditions and other values of its target."""
    found = Pieces([(first.body, first.condition)], at + 1)
    found.closed = first.condition is None and bool(OTHERWISE.match(words(at)))
    while not found.closed and found.end < len(entries):
        entry, said = entries[found.end], words(found.end - 1)
        if not isinstance(entry.read, Found) or entry.read.part_of:
            break
        condition = _condition(entry, first)
        rest = REST.fullmatch(said) is not None
        value = _value(entry, first, words(found.end), rest)
        if value is not None and (rest or NEXT.fullmatch(said)):
            found.rows.append((value, getattr(entry.statement, "condition", None)))
            found.closed = rest
        elif condition is not None and _belongs(entries, found, first, condition, words, of_data):
            found.add(condition, "or" if said.endswith("or") else "and")
        else:
            break
        if found.rows[-1][1] is None:  # behind a condition, what is otherwise follows
            found.closed = found.closed or bool(OTHERWISE.match(words(found.end)))
        found.end += 1
    return found


def _belongs(
    entries: Sequence[Entry],
    found: Pieces,
    first: Definition,
    condition: Expression,
    words: Words,
    of_data: OfData,
) -> bool:
    """Say whether a condition is one of the piece before it."""
    said = words(found.end - 1)
    own = [t for t in letters_of(first.target) if t.text != head_of(first.target)]
    own += letters_of(places_of(first.target))
    about = set(letters_of(condition)) & set(own)
    if GIVES.match(words(found.end)):
        return False  # "For W_{ij} = 1/n this is the mean" remarks
    if not about or WHEN.fullmatch(said):
        return bool(about)
    if not WHERE.fullmatch(said):
        return False
    entry, before = entries[found.end], entries[found.end - 1]
    beside = (
        entry.region.display and entry.region.block == before.region.block and "and" not in said
    )
    whole = found.rows[-1][1]
    known = whole is not None and bool(said.strip(",;"))
    if known and getattr(whole, "op", "or") == "or" and isinstance(whole, Logic) and "and" in said:
        return False  # the last of both alone may be meant
    beside = beside and not isinstance(first.target, Call)
    given = entry.target in own or of_data(entry)
    return (known and given) or ((known or beside) and isinstance(entry.statement, Constraint))


def _condition(entry: Entry, first: Definition) -> Expression | None:
    """Give what a statement says as a condition."""
    condition = condition_of(entry.statement)
    own = isinstance(entry.statement, Definition) and entry.statement.target == first.target
    said = condition.first if isinstance(condition, Relation) else None
    diagonal = isinstance(said, Indexed) and head_of(said) == head_of(first.target)
    own = own or (diagonal and len({*places_of(said)}) < len(places_of(said)))  # type: ignore[arg-type]
    return None if own else condition


def _value(entry: Entry, first: Definition, behind: str, rest: bool) -> Expression | None:
    """Give another value for what is defined: that of its target, or one that stands for itself."""
    statement = entry.statement
    if isinstance(statement, Definition):
        return statement.body if statement.target == first.target else None
    if not isinstance(statement, Constraint) or condition_of(statement) is not None:
        return None
    plain = not isinstance(statement.relation, (Space, Items))
    when = OTHERWISE.match(behind) or WHEN.match(behind) or (rest and ENDS.match(behind))
    return statement.relation if plain and when else None


def _is_half(
    entries: Sequence[Entry], at: int, first: Definition, words: Words, of_data: OfData
) -> bool:
    """Say whether words around a definition tell that it is one of several pieces."""
    said = words(at)
    if OTHERWISE.match(said):
        return not (entries[at].region.display and first.condition is None and GOES_ON.match(said))
    if IN_WORDS.match(said) and first.condition is None and _unread(entries, at, first):
        return True
    for place in range(at + 1, len(entries)):
        said = words(place - 1)
        if ". " in said + " " and not REST.fullmatch(said):
            return False
        read = entries[place].read
        if not isinstance(read, Found):
            return False
        rest = REST.fullmatch(said) is not None
        value = _value(entries[place], first, words(place), rest)
        if value is not None and (rest or OTHERWISE.match(words(place))):
            return True
        given = entries[place].target in letters_of(places_of(first.target))
        given = given or of_data(entries[place])
        if isinstance(read.statement, Definition) and value is None and not given:
            return False
    return False


def _unread(entries: Sequence[Entry], at: int, first: Definition) -> bool:
    """Say whether no condition follows in the display of an element that has one in words."""
    if not isinstance(first.target, Indexed) or not entries[at].region.display:
        return False
    following = entries[at + 1] if at + 1 < len(entries) else None
    beside = following is not None and following.region.block == entries[at].region.block
    return not (beside and following is not None and isinstance(following.read, Found)) or (
        following is not None and _condition(following, first) is None
    )


def _words(entries: Sequence[Entry], at: int, text: str) -> str:
    """Give what stands between an entry and the next one, without what is no word."""
    end = _span(entries[at]).end
    stop = _span(entries[at + 1]).start if at + 1 < len(entries) else len(text)
    said = MARKS.sub(" ", TEXT.sub(r" \1 ", text[end : min(stop, end + FAR)]))
    return " ".join(said.lower().split())


def _span(entry: Entry) -> Span:
    return entry.read.statement.span if isinstance(entry.read, Found) else entry.read.span
