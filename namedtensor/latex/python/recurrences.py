"""Write recurrences along an axis: nt.scan[t](step, h0, x), nt.fold and nt.associative_scan."""

from __future__ import annotations

from collections.abc import Iterable

from namedtensor.formula.written import CALL
from namedtensor.latex.python.code import call, index
from namedtensor.latex.python.spelling import Spelling, form
from namedtensor.operations.recurrence import Unfolded, unfolded
from namedtensor.plans.code import Code, Items, Lambda, Word, printed
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, operands_first

STATE = "before"


def written_of(node: Node) -> tuple[Node, ...]:
    """Give the parts that a part is written from: its operands, with the starts of a scan as written."""
    if node.name != "scan":
        return node.operands
    *_, step, _ = node.operation.params
    return (*unfolded(node).starts, *node.operands[step.carries :])


@form("scan")
def loop(spelling: Spelling, node: Node) -> Code:
    """Write nt.scan[t](step, h0, x), with [1] or the like to choose among several results."""
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
    """Write nt.associative_scan[t](combine, x), with [1] or the like to choose among several results."""
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
    """Write a step, or the rule of `emit`, as a function of the carry and the elements.

    With `later`, for an associative scan, the elements are one argument, of the same form as the carry.
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
