r"""Elements that are defined in turns, P_{pos(p), emb(2i-1)} = a and P_{pos(p), emb(2i)} = b, as one.

With 2i - 1 and 2i, i counts from 1. With 2i and 2i + 1 it counts from 0, and so do the numbers of the
elements, and the other indices there of which no range says where they begin; a note says so.

So are those of two pieces, one after the other: U_{view(i)} = a_i and U_{view(N + i)} = b_i.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.asides import QUIET, Entry
from namedtensor.latex.reading.ranges import ranges_in
from namedtensor.latex.reading.spoken import key_of
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import (
    At,
    Binary,
    Call,
    Case,
    Cases,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Floor,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
    SizedAxis,
)
from namedtensor.latex.walk import all_of, letters_of, put, texts_of, unused

#: Letters for the number of an element, of which one is taken that the document does not have.
USUAL = "jkmnlpqrst"

#: The place of the index that goes in steps, its letter, the step, and what is added to it.
Turn = tuple[int, Letter, int, int]


def write_turns_in_full(entries: Sequence[Entry]) -> None:
    r"""Write P_{pos(t), emb(2i)} for P_{t, 2i} and P(t, 2i), where P is declared over pos and emb."""
    axes: dict[str, set[tuple[SizedAxis, ...]]] = {}
    for entry in entries:
        said = entry.statement if isinstance(entry.read, Found) else None
        for name in said.names if isinstance(said, Declaration) else ():
            axes.setdefault(key_of(name), set()).add(said.space.axes)  # type: ignore[union-attr]
    for entry in entries if axes else ():
        said = entry.statement if isinstance(entry.read, Found) else None
        relation = entry.relation
        if (
            isinstance(relation, Relation)
            and isinstance(said, Constraint)
            and relation.ops == ("=",)
        ):
            at = said.block, said.section
            first, (_, body) = relation.first, relation.rest[0]
            said = Definition(said.span, first, body, block=at[0], section=at[1])
        if not isinstance(said, Definition) or not _is_plain(said):
            continue
        match said.target:
            case Scripts(base=base, sub=Items(parts=places), sup=None, primes=0):
                pass
            case Call(function=base, arguments=places, parameters=(), axes=()):
                pass
            case _:
                continue
        over = [*axes.get(key_of(base), ())]
        if len(over) == 1 and len(places) == len(over[0]):
            pairs = zip(over[0], places, strict=True)
            items = [At(at.span, replace(a.axis, span=at.span), at) for a, at in pairs]
            full = Indexed(said.target.span, base, tuple(items))
            if _turn(full) is not None:
                entry.found.statement, entry.found.named = replace(said, target=full), True


def put_turns_together(entries: Sequence[Entry], source: Source) -> list[Finding]:
    """Make one definition of those that give the elements in turns; note what counts from 0."""
    found: dict[tuple[Any, ...], list[tuple[Entry, Turn]]] = {}
    for entry in entries:
        target, said = entry.target, entry.statement if isinstance(entry.read, Found) else None
        turn = _turn(target) if isinstance(target, Indexed) and _is_plain(said) else None
        if turn is not None:
            at, letter, step, _ = turn
            others = tuple([item for n, item in enumerate(target.items) if n != at])
            name = entry.region.section, key_of(target.base), target.items[at].axis, others
            found.setdefault((*name, letter, step), []).append((entry, turn))
    notes = [_put_together(group, entries, source) for group in found.values()]
    return [note for note in notes if note is not None]


def put_pieces_together(entries: Sequence[Entry]) -> None:
    """Make one definition of those that give the first elements, up to a number, and those behind them."""
    found: dict[tuple[Any, ...], dict[Letter | None, tuple[Entry, int, Letter]]] = {}
    axes = all_of(SizedAxis, tuple([e.statement for e in entries if isinstance(e.read, Found)]))
    sizes = texts_of(tuple([axis.size for axis in axes]))
    for entry in entries:
        target, said = entry.target, entry.statement if isinstance(entry.read, Found) else None
        if not isinstance(target, Indexed) or not _is_plain(said):
            continue
        for at, item in enumerate(target.items):
            others = tuple([other for n, other in enumerate(target.items) if n != at])
            match item:
                case At(at=Letter() as letter):
                    before = None
                case At(at=Binary(op="+", left=Letter() as one, right=Letter() as other)):
                    before, letter = (one, other) if one.text in sizes else (other, one)
                case _:
                    continue
            if before is None or before.text in sizes:
                name = entry.region.section, key_of(target.base), item.axis, others
                found.setdefault(name, {}).setdefault(before, (entry, at, letter))
    for group in found.values():
        if len(group) == 2 and None in group:
            (end,) = [before for before in group if before is not None]
            (first, at, one), (second, _, other) = group[None], group[end]
            _join(first, second, at, (one, other, end), entries)


def _join(
    first: Entry,
    second: Entry,
    at: int,
    letters: tuple[Letter, Letter, Letter],
    entries: Sequence[Entry],
) -> None:
    """Put a definition by cases in the place of that of the first elements, if none needs another."""
    one, other, end = letters
    said, later = _definition(first), _definition(second)
    target: Any = said.target
    if key_of(target.base) in texts_of((said.body, later.body)):
        return  # a recurrence
    around = [e.statement for e in entries if isinstance(e.read, Found) and not e.found.part_of]
    number = replace(one, text=unused(USUAL, tuple(around), one.text))
    behind = Binary(other.span, "-", number, end)
    body = put(said.body, lambda part: number if part == one else None)
    rest = put(later.body, lambda part: behind if part == other else None)
    within = Relation(one.span, number, (("<=", end),))
    rows = (Case(body.span, body, within), Case(rest.span, rest, None))
    items = tuple([replace(i, at=number) if n == at else i for n, i in enumerate(target.items)])
    first.found.statement = replace(
        said, target=replace(target, items=items), body=Cases(body.span, rows), condition=None
    )
    second.leave_out(QUIET["piece"])


def _is_plain(said: Any) -> bool:
    return isinstance(said, Definition) and said.op == "=" and not said.chain


def _definition(entry: Entry) -> Definition:
    assert isinstance(entry.statement, Definition)
    return entry.statement


def _turn(target: Indexed) -> Turn | None:
    """Read emb(2i), emb(2i + 1) and emb(2i - 1), where all other indices are letters."""
    found: list[Turn] = []
    for at, item in enumerate(target.items):
        place, added = getattr(item, "at", None), 0
        if isinstance(place, Letter):
            continue
        match place:
            case Binary(op="+" | "-" as sign, left=inner, right=Number(value=int(value))):
                place, added = inner, value if sign == "+" else -value
        match place:
            case Binary(op="*", left=Number(value=int(step)), right=Letter() as letter) if step > 1:
                found.append((at, letter, step, added))
            case _:
                return None
    return found[0] if len(found) == 1 else None


def _put_together(
    group: Sequence[tuple[Entry, Turn]], entries: Sequence[Entry], source: Source
) -> Finding | None:
    """Put one definition, by cases, in the place of those that give all elements between them."""
    (first, (at, letter, step, _)), *_ = group
    target, section = first.target, first.region.section
    turns = {added: entry for entry, (_, _, _, added) in group}
    low = min(turns)
    # whether the letter counts from 1 or 0, and whether the numbers of the elements do
    counts = {1 - step: (1, 1), 0: (0, 0), 1: (0, 1), -step: (1, 0)}.get(low)
    if counts is None or {*turns} != {*range(low, low + step)} or len(group) != step:
        return None
    starts = dict(_starts(entries, section))
    if starts.get(letter, counts[0]) != counts[0]:
        return None
    others = [i.at for i in target.items if isinstance(i.at, Letter)]
    from_zero = [] if counts[1] else [name for name in others if not starts.get(name, 0)]
    span, one = letter.span, Number(letter.span, 1)
    around = [e.statement for e in entries if isinstance(e.read, Found) and not e.found.part_of]
    number = replace(letter, text=unused(USUAL, tuple(around), "i"))
    put_for: dict[Any, Expression] = {n: Binary(n.span, "-", n, one) for n in from_zero}
    count = Floor(span, "ceil", Binary(span, "/", number, Number(span, step)))
    put_for[letter] = count if counts[0] else Binary(span, "-", count, one)
    members = {
        (key_of(s.target.base), s.target.sub): s.body
        for s in around
        if isinstance(s, Definition) and isinstance(s.target, Scripts) and _is_plain(s)
    }

    def change(part: Any) -> Any:
        if (
            isinstance(part, At)
            and not counts[1]
            and not put_for.keys().isdisjoint(letters_of(part.at))
        ):
            if part.at in from_zero:
                return part
            return replace(part, at=Binary(part.span, "+", put(part.at, change), one))
        if isinstance(part, Scripts) and part.sub == letter and part.sup is None:
            for (base, index), body in members.items():
                if base == key_of(part.base) and isinstance(index, Letter):
                    return put(put(body, lambda p: letter if p == index else None), change)
        return put_for.get(part) if isinstance(part, Letter) else None

    rows = []
    for added, entry in sorted(turns.items()):
        body = put(_definition(entry).body, change)
        rest = Number(span, (added + 1 - counts[1]) % step)
        left = Binary(span, "mod", number, Number(span, step))
        rows.append(Case(body.span, body, Relation(span, left, (("=", rest),))))
    rows[-1] = replace(rows[-1], condition=None)
    items = tuple([replace(i, at=number) if n == at else i for n, i in enumerate(target.items)])
    said = _definition(first)
    first.found.statement = replace(
        said,
        target=replace(target, items=items),
        body=Cases(said.body.span, tuple(rows)),
        condition=None,
    )
    for entry in turns.values():
        if entry is not first:
            entry.leave_out(QUIET["piece"])
    if counts[1]:
        return None
    text = source.text[first.target.span.start : first.target.span.end]
    names = " and ".join([source.text[n.span.start : n.span.end] for n in (*from_zero, letter)])
    return Finding(
        "note",
        "meaning",
        f"{names} count{'' if from_zero else 's'} from 0 here: {text} gives the first element of "
        f"{target.items[at].axis.name} where {letter.text} is 0",
        source,
        target.span,
        (),
        f"where {letter.text} counts from 1, write "
        + " and ".join([f"{step}{letter.text} - {n}" for n in range(step - 1, 0, -1)])
        + f" and {step}{letter.text}",
    )


def _starts(entries: Sequence[Entry], section: int) -> Iterator[tuple[Any, Any]]:
    """List where indices begin by the ranges that a section states."""
    for entry in entries:
        if entry.region.section == section and isinstance(entry.read, Found):
            for said in all_of(Relation, entry.statement):
                yield from [(r.index, getattr(r.lower, "value", None)) for r in ranges_in(said)]
