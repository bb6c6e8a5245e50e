"""Recurrences along an axis: h^t = f(h^{t-1}, x^t) is nt.scan[t](f, h^0, x).

A body that asks for the length of an axis is run for two lengths. Where its steps are the same ones, and
nothing else tells the lengths apart, it is written with a scan, for every length.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from namedtensor.axes import Axis
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.written import CALL, Written
from namedtensor.latex.python.code import call, index
from namedtensor.latex.python.spelling import Spelling, form
from namedtensor.operations.recurrence import Unfolded, unfolded
from namedtensor.plans.code import Code, Items, Lambda, Word, printed
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, operands_first

LENGTHS = (3, 4)
STATE = "before"


@dataclass(slots=True)
class Unrolled(Written):
    """A formula as it is written for one length of an axis along which it runs."""

    along: str = ""


def unrolled(formula: Formula) -> Iterator[tuple[Unrolled, Unrolled]]:
    """Write a formula for two lengths of each axis of its arguments."""
    spaces = [p.space for p in formula.signature.parameters if p.space is not None]
    for axis in dict.fromkeys([a.name for s in spaces for a in s.axes if a.size is None]):
        try:
            first, second = [_written(formula, axis, length) for length in LENGTHS]
        except NamedTensorError:
            continue
        yield first, second


def _written(formula: Formula, axis: str, length: int) -> Unrolled:
    """Write a formula whose arguments have this length along an axis."""
    parameters = []
    for p in formula.signature.parameters:
        space = p.space
        if space is not None:
            axes = tuple([Axis(a.name, length) if a.name == axis else a for a in space.axes])
            space = type(space)(space.letter, space.kinds, axes, space.size_names)
        parameters.append(replace(p, space=space))
    fixed = replace(formula.signature, parameters=tuple(parameters), gives=None)
    found = Formula(formula.function, fixed).written()
    return Unrolled(
        formula.name, formula.signature, found.results, found.locals, found.called, axis
    )


def scans_of(written: Written) -> set[Node]:
    """Find the parts that hold all the steps along the axis of an unrolled formula."""
    if not isinstance(written, Unrolled):
        return set()
    return {
        n
        for n in operands_first(written.results)
        if n.name == "stack" and n.operation.params == (written.along,) and len(n.operands) > 2
    }


def scan(spelling: Spelling, node: Node) -> Code | None:
    """Write all the steps of a recurrence as nt.scan[t](step, h0, x); None where they differ."""
    (axis,) = node.operation.params
    first, second, *_ = node.operands
    sequences = list(dict.fromkeys([n.operands[0] for n in _selected(second, axis, 1)]))
    if not sequences or STATE in spelling.names.own:
        return None
    words = [_word(spelling, place) for place in range(len(sequences))]
    steps = [
        _step(spelling, m, before, axis, place + 1, words, sequences)
        for place, (before, m) in enumerate(zip(node.operands, node.operands[1:], strict=False))
    ]
    if len(set(steps)) != 1:
        return None
    for start in operands_first([first]):
        alike = start.type.host or set(start.type.names) == set(first.type.names)
        known = alike and start is not first
        if known and _step(spelling, first, start, axis, 0, words, sequences) == steps[0]:
            rule = Lambda((STATE, *words), Word(steps[0]))
            given = [spelling.code(n) for n in (start, *sequences)]
            return call(f"{spelling.nt('scan')}[{spelling.axis(axis)}]", rule, *given)
    return None


def written_of(node: Node) -> tuple[Node, ...]:
    """Give the parts that a part is written with: of a loop what it starts with, and what it uses."""
    if node.name != "scan":
        return node.operands
    *_, step, _ = node.operation.params
    return (*unfolded(node).starts, *node.operands[step.carries :])


@form("scan")
def loop(spelling: Spelling, node: Node) -> Code:
    """Write nt.scan[t](step, h0, x), with the result that is meant of several."""
    axis, reverse, listed, step, place = node.operation.params
    parts = unfolded(node)
    emits = len(listed) > step.carries
    word = "scan" if emits or any(listed) else "fold"
    one = step.carries == 1
    start = spelling.code(parts.starts[0]) if one else _several(spelling, parts.starts)
    given = [start, *[spelling.code(X) for X in parts.sequences]]
    named: dict[str, Code] = {}
    rule = _rule(spelling, parts, parts.before, parts.results[: step.carries], one)
    if emits:
        emitted = parts.results[step.carries :]
        named["emit"] = _rule(spelling, parts, parts.after, emitted, len(emitted) == 1)
    if reverse:
        named["reverse"] = Word("True")
    written = call(f"{spelling.nt(word)}[{spelling.axis(axis)}]", rule, *given, **named)
    if emits:
        written = index(written, Word(str(int(place >= step.carries))))
        place, one = (
            (place, one)
            if place < step.carries
            else (place - step.carries, len(listed) == step.carries + 1)
        )
    return written if one else index(written, Word(str(place)))


@form("associative_scan")
def combined(spelling: Spelling, node: Node) -> Code:
    """Write nt.associative_scan[t](combine, x), with the result that is meant of several."""
    axis, _, reverse, step, place = node.operation.params
    parts, one = unfolded(node), step.carries == 1
    rule = _rule(spelling, parts, parts.before, parts.results, one, later=True)
    given = spelling.code(parts.sequences[0]) if one else _several(spelling, parts.sequences)
    more = {"reverse": Word("True")} if reverse else {}
    head = f"{spelling.nt('associative_scan')}[{spelling.axis(axis)}]"
    written = call(head, rule, given, **more)
    return written if one else index(written, Word(str(place)))


def _rule(
    spelling: Spelling,
    parts: Unfolded,
    carries: tuple[Node, ...],
    results: tuple[Node, ...],
    one: bool,
    later: bool = False,
) -> Code:
    """Write a step, or what is emitted after it, as a function of the carry and the elements.

    With `later` the elements have the form of the carry, as those that are combined.
    """
    kept = dict(spelling.indices)
    groups = [carries, parts.elements] if later else [carries, *[(x,) for x in parts.elements]]
    leaves = {leaf for group in groups for leaf in group}
    used = {spelling.names.package}
    for n in operands_first(results, lambda n: () if n in spelling.bound else n.operands):
        used |= {spelling.axis(a) for a in n.type.names}
        if n in spelling.bound:
            used.add(spelling.bound[n])
        elif n.operation.primitive in (ARGUMENT, CALL) and n not in leaves:
            used.add(str(n.operation.params[0]).partition(".")[0])
    words: list[str] = []
    for place, group in enumerate(groups):
        stem = str(group[0].operation.params[1]) if group else STATE
        stem = stem if len(group) == 1 else stem.removesuffix("1")
        other = f"now{place}" if place else STATE
        taken = {*used, *words}
        words.append(next(w for w in (stem, other, f"{other}_") if w not in taken))
        alone = len(group) == 1
        spelling.indices |= {
            leaf: words[-1] if alone else f"{words[-1]}[{i}]" for i, leaf in enumerate(group)
        }
    try:
        body = spelling.code(results[0]) if one else _several(spelling, results)
        return Lambda(tuple(words), Word(printed(body)))
    finally:
        spelling.indices.clear()
        spelling.indices.update(kept)


def _several(spelling: Spelling, nodes: Iterable[Node]) -> Code:
    codes = tuple([spelling.code(node) for node in nodes])
    return Items(codes)


def _word(spelling: Spelling, place: int) -> str:
    word = f"now{place + 1}"
    while word in spelling.names.own:
        word += "_"
    return word


def _step(
    spelling: Spelling,
    member: Node,
    before: Node,
    axis: str,
    place: int,
    words: list[str],
    sequences: list[Node],
) -> str:
    """Write one member by the one before it and what the sequences hold at its place."""
    kept = dict(spelling.indices)
    spelling.indices[before] = STATE
    for part in _selected(member, axis, place):
        if part.operands[0] in sequences:
            spelling.indices[part] = words[sequences.index(part.operands[0])]
    try:
        return printed(spelling.code(member))
    finally:
        spelling.indices.clear()
        spelling.indices.update(kept)


def _selected(member: Node, axis: str, place: int) -> Iterator[Node]:
    """Find where a member takes what stands at its place of a sequence."""
    for part in operands_first([member]):
        here = part.name == "at" and part.operation.params == (axis,)
        if here and part.operands[1].value == place:
            yield part
