"""Ranges of indices as they are written: l = 1, ..., L; i, j in [n]; t in {1, ..., T}; 1 <= i <= n; t > 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisSize,
    Big,
    Binary,
    Call,
    Dots,
    Expression,
    Indexed,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
    Space,
)
from namedtensor.latex.walk import all_of, letters_of, parted, put, walk

_TURNED = {">=": "<=", ">": "<", "<=": ">=", "<": ">"}
_NAMES = (Letter, Scripts)


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """The numbers that an index runs through; an open end is None."""

    index: Any
    lower: Expression | None
    upper: Expression | None


def listed(part: Expression) -> tuple[Expression, ...]:
    """Give what is listed without brackets, and anything else alone."""
    return part.parts if isinstance(part, Items) and not part.bracket else (part,)


def ends_of(numbers: Expression) -> tuple[Expression, Expression | None] | None:
    """Give the first and the last of 1, ..., n, of {1, ..., n} and of [n]; None for anything else."""
    if isinstance(numbers, Space) and numbers.base == "[n]" and numbers.bound is not None:
        return None if numbers.axes else (Number(numbers.span, 1), numbers.bound)
    if not isinstance(numbers, Items) or not numbers.parts:
        return None
    first, last = numbers.parts[0], numbers.parts[-1]
    if any(isinstance(p, Dots) for p in numbers.parts[1:]):
        if _goes_down(first, last):
            return last, first
        return first, None if isinstance(last, Dots) else last
    alone = numbers.bracket == "[" and first is last
    return (Number(numbers.span, 1), first) if alone else None


def _goes_down(first: Expression, last: Expression) -> bool:
    """Say whether numbers are listed downwards: n - 1, ..., 0."""
    if not isinstance(last, Number):
        return False
    start = first.left if isinstance(first, Binary) and first.op in ("+", "-") else first
    if isinstance(first, Number):
        return first.value > last.value
    return isinstance(start, (Letter, Scripts, AxisSize))


def members_of(numbers: Expression) -> tuple[Expression, ...] | None:
    """Give what {0, 1} lists, or one number alone; None for anything else."""
    span = numbers.span
    if isinstance(numbers, Space) and numbers.base == "{0,1}" and not numbers.axes:
        return Number(span, 0), Number(span, 1)
    if isinstance(numbers, Items) and numbers.bracket == "{" and ends_of(numbers) is None:
        return numbers.parts
    return (numbers,) if isinstance(numbers, Number) else None


def ranges_in(relation: Relation) -> Iterator[Between]:
    """List the ranges that a relation gives to indices.

    >>> from namedtensor.latex.reading.reader import parse_expression
    >>> [r.index.text for r in ranges_in(parse_expression("1 \\\\le i < j \\\\le n"))]
    ['i', 'j']
    """
    members = [("", relation.first), *relation.rest]
    for (_, left), (op, right) in itertools.pairwise(members):
        dotted = isinstance(right, Items) and right.bracket != "["
        ends = ends_of(right) if op == "in" or (op == "=" and dotted) else None
        for index in listed(left) if ends is not None else ():
            if ends is not None and isinstance(index, Letter):
                yield Between(index, *ends)
    yield from _compared(relation)


def _compared(relation: Relation) -> Iterator[Between]:
    """Read 1 <= t <= T, t >= 1, 0 < t; a letter at the end of a chain is no least number."""
    members = _members(relation)
    for letter in dict.fromkeys([m for m in itertools.chain(*members) if isinstance(m, Letter)]):
        inside = any(letter in member for member in members[1:-1])
        beside = members[1 if letter in members[0] else -2]
        if inside or not any(isinstance(other, Letter) for other in beside):
            yield from [r for r in between(relation, (letter,)) if r.lower is not None]


def _members(relation: Relation) -> list[tuple[Expression, ...]]:
    return [listed(part) for part in (relation.first, *[right for _, right in relation.rest])]


def between(relation: Relation, indices: Collection[Expression]) -> Iterator[Between]:
    """Give the ends that a chain of comparisons gives to indices: the nearest that are none of them.

    In 1 <= i < j <= n both i and j run from 1 to n.
    """
    members, ops = _members(relation), [*relation.ops]
    ends: dict[Expression, dict[str, Expression]] = {}
    for at, way in itertools.product(range(len(members)), (1, -1)):
        sign, to = "", at
        while 0 <= to + way < len(members) and (to == at or {*members[to]} <= {*indices}):
            op = ops[to] if way > 0 else _TURNED.get(ops[to - 1], "")
            if op not in _TURNED or (sign and op[0] != sign[0]):
                break
            sign, to = (op if to == at else op[0] + "="), to + way
        own = [index for index in members[at] if index in indices]
        if own and to != at and len(members[to]) == 1 and members[to][0] not in indices:
            for index in own:
                ends.setdefault(index, {})[sign[0]] = _stepped(members[to][0], sign)
        for index in own:
            ends.setdefault(index, {})
    for index, pair in ends.items():
        yield Between(index, pair.get(">"), pair.get("<"))


def _stepped(end: Expression, sign: str) -> Expression:
    """Give the last number before an end, or the first behind it, where it does not count itself."""
    ways = {"<": "-", ">": "+"}
    return Binary(end.span, ways[sign], end, Number(end.span, 1)) if sign in ways else end


def pieces_below(part: Big) -> tuple[Any, ...]:
    """List what stands below an operator."""
    lower = part.lower
    joined = isinstance(lower, Logic) and lower.op == "and"
    pieces: tuple[Any, ...] = lower.parts if joined else listed(lower)  # type: ignore[union-attr, arg-type]
    pairs = [p.parts if isinstance(p, Items) and p.bracket == "(" else (p,) for p in pieces]
    return tuple(_with_one_range([piece for pair in pairs for piece in pair]))


def _with_one_range(pieces: Sequence[Any]) -> Iterator[Any]:
    r"""Give letters that are listed the range behind them: 1 \le a, b \le 2, and a, b \in \{1, 2\}."""
    waiting: list[Any] = []  # letters, the first perhaps behind a number: 1 <= a
    for piece in pieces:
        match piece:
            case Letter():
                waiting.append(piece)
                continue
            case Relation(first=Letter(), rest=((op, _), *_)):
                low = waiting[0] if waiting and isinstance(waiting[0], Relation) else None
                own = {*waiting, piece.first}.intersection(letters_of(piece.rest))
                if low is None and piece.ops == ("in",) and not own:
                    yield from [replace(piece, first=name) for name in waiting]
                    waiting = []
                elif low is not None and low.ops[0][0] == op[0]:
                    for name in (low.rest[0][1], *waiting[1:], piece.first):
                        yield replace(low, rest=((low.ops[0], name), *piece.rest))
                    waiting = []
                    continue
            case Relation(first=Number(), rest=((op, Letter()),)) if op in _TURNED:
                yield from waiting
                waiting = [piece]
                continue
        yield from (*waiting, piece)
        waiting = []
    yield from waiting


def bound_by(
    part: Big, piece: Expression, is_open: Callable[[Expression], bool]
) -> tuple[list[Between], bool]:
    """Give the indices that a piece below an operator binds, and whether it says more of them.

    `is_open` says whether a letter of a chain stands for nothing yet: the first such one is bound, and so
    is each further one that lies between others, or chooses elements of what is summed: i < j runs over both.
    """
    if not isinstance(piece, Relation):
        return ([Between(piece, None, part.upper)] if isinstance(piece, _NAMES) else []), False
    op, right = piece.rest[0]
    names = [name for name in listed(piece.first) if isinstance(name, _NAMES)]
    if len(piece.rest) == 1 and op in ("=", "in") and names:
        ends = ends_of(right)
        if ends is None and op == "in":
            return [], True
        return [Between(name, *(ends or (right, part.upper))) for name in names], False
    members = [m for member in _members(piece) for m in member]
    before = itertools.takewhile(lambda other: other is not piece, pieces_below(part))
    given = [n for p in before for n in listed(getattr(p, "first", p)) if isinstance(n, _NAMES)]
    if any(name in walk(member) for member in members for name in given if name != member):
        return [], True  # j : |x_j| < r
    every = [m for m in members if isinstance(m, _NAMES)]
    fresh = [name for name in dict.fromkeys(every) if is_open(name)]
    within = members[1:-1]  # the j of 1 <= i < j <= n
    bound = [*fresh[:1], *[n for n in fresh[1:] if n in within or chooses(n, part.body)]]
    found = list(between(piece, bound))
    sides = [end for one in found for end in (one.lower, one.upper) if end is not None]
    return found, len(bound) != 1 or found[0].upper is None or len(sides) < len(piece.rest)


def all_bound(part: Big) -> list[Between]:
    """List the indices that stand below an operator, each letter taken for one that it may bind."""
    found: list[Between] = []
    for piece in pieces_below(part):
        bound = bound_by(part, piece, lambda _: True)[0]
        names = listed(piece.first) if isinstance(piece, Relation) and not bound else ()
        found += bound or [Between(name, None, None) for name in names if isinstance(name, _NAMES)]
    return found


def chooses(name: Expression, body: Expression) -> bool:
    """Say whether a name chooses elements of what is summed."""
    below = [s.sub for s in all_of(Scripts, body) if s.sub is not None]
    below += [place for sub in below for place in indices_of(sub) or ()]
    return any(name in walk(place) for place in (*[a.at for a in all_of(At, body)], *below))


def set_of(index: Expression, condition: Expression, span: Span) -> Items:
    """Write the set of the indices for which a condition holds."""
    return Items(span, (Relation(span, index, (("mid", condition),)),), "{")


def is_set(part: Any) -> bool:
    """Say whether a part is the set of the indices for which a condition holds."""
    alone = isinstance(part, Items) and part.bracket == "{" and len(part.parts) == 1
    relation = part.parts[0] if alone else None
    return isinstance(relation, Relation) and relation.ops == ("mid",)


def number_of(index: Expression, condition: Expression, span: Span) -> Big:
    """Count the indices for which a condition holds: the sum of 1 there."""
    one = Call(span, Letter(span, "1bold"), (), (condition,))
    return Big(span, "sum", (), index, None, one)


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """List the conditions that a condition joins by and."""
    joined = isinstance(condition, Logic) and condition.op == "and"
    parts = condition.parts if isinstance(condition, Logic) and joined else (condition,)
    return tuple([c for p in parts for c in conjuncts(p)]) if joined else parts


def places_of(target: Expression, least: int = 2) -> tuple[Expression, ...]:
    """Give the indices of an element, A_{row(i), col(j)} or A_{ij}, where they are letters; else none."""
    found: tuple[Expression, ...] = ()
    if isinstance(target, Indexed):
        found = tuple([item.at for item in target.indices])
    elif isinstance(target, Scripts) and target.sup is None and not target.primes:
        found = indices_of(target.sub) or ()
    plain = all(isinstance(at, Letter) and at.style == "letter" for at in found)
    return found if plain and len(found) >= least else ()


def indices_of(
    sub: Expression | None, most: int = 9, known: Collection[str] = ()
) -> tuple[Expression, ...] | None:
    """Part the indices of A_{ij}, A_{i,j} and A_{i j}; None where there are more than axes.

    Beside a comma, and of one index, 2k is twice k.
    """
    found: list[Expression] = []
    parts = () if sub is None else listed(sub)
    for part in parts:
        pieces: tuple[Expression, ...] = (part,)
        if isinstance(part, Binary) and part.op == "*" and part.how == "juxtaposed":
            alone = len(parts) > 1 or most == 1
            twice = alone and isinstance(part.left, Number)
            pieces = (part,) if twice else (part.left, part.right)
        elif isinstance(part, Letter) and part.style == "letter" and part.text not in known:
            pieces = _letters_in(part)
        found += pieces
    return tuple(found) if len(found) <= most else None


def _letters_in(part: Letter) -> tuple[Letter, ...]:
    r"""Part ij, and not \mu."""
    return parted(part) or (part,)


def renamed(part: Any, names: Mapping[Expression, Expression]) -> Any:
    """Put other expressions for indices, also for those that are written together, i and j of ij."""

    def change(one: Any) -> Any:
        if isinstance(one, (Letter, Scripts)) and one in names:
            return names[one]
        pieces = _letters_in(one) if isinstance(one, Letter) and one.style == "letter" else ()
        if len(pieces) > 1 and any(piece in names for piece in pieces):
            return Items(one.span, tuple([names.get(piece, piece) for piece in pieces]), "")
        return None

    return put(part, change)
