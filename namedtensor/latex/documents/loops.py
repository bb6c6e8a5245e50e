"""Recurrences as loops: A_{seq(t)} = f(A_{seq(t-1)}, X_{seq(t)}) is one nt.scan, which serves every length.

The rule is evaluated once at a symbolic place, where the elements before it are given. The elements of other
tensors at that place are what the loop runs along; other series that the rule needs there are further
carries. Backwards it is the same, with the elements after it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from namedtensor.axes import Axis
from namedtensor.errors import NamedTensorError
from namedtensor.latex.documents.along import FAR, LAST, axis_along, distances
from namedtensor.latex.documents.failures import LatexError, shown
from namedtensor.latex.documents.inputs import Around
from namedtensor.latex.documents.members import (
    BOTH,
    bounds_of,
    fault_of,
    given_of,
    is_one_rule,
    missing,
    reaches,
    shift_of,
    unlike,
    way_of,
)
from namedtensor.latex.documents.scopes import Defined, Meaning
from namedtensor.latex.documents.scripts import Indices, fold, key, numbered, stem
from namedtensor.latex.documents.series import refuse_long
from namedtensor.latex.evaluation.by_elements import known_size, number_of
from namedtensor.latex.evaluation.indices import Position, plain, zero_based
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.syntax import Scripts, Space
from namedtensor.latex.walk import all_of, letters_of
from namedtensor.operations.elementwise import clip
from namedtensor.operations.indexing import INDEX, from_front
from namedtensor.operations.joining import concat, stack
from namedtensor.operations.recurrence import associative_scan, recurs, scan
from namedtensor.operations.step_trees import placed_parts
from namedtensor.primitives import Node, Type, table
from namedtensor.primitives.node import apply_node, argument, operands_first
from namedtensor.primitives.sizes import as_node
from namedtensor.tensor import NamedTensor, SymbolicTensor

#: The distance between the numbers of two symbolic places.
APART = 1000
_serial = itertools.count()


#: A tensor whose elements a loop runs along, and how far they are from the place of its step.
Sequenced = tuple[Node, int]


class Body(Protocol):
    """The interface of the body that is being evaluated."""

    library: Any
    numbers: dict[str, int | None]

    def member(self, defined: Defined, indices: Indices, own: bool) -> Value: ...
    def value_of(self, meaning: Meaning, around: Around) -> Value: ...
    def stack(self, defined: Defined, around: Around) -> Value: ...
    def is_busy_with(self, defined: Defined) -> bool: ...
    def stepping(self, *steps: Step) -> AbstractContextManager[None]: ...
    def declared_space(self, defined: Defined) -> Space | None: ...
    def scope(self, around: Around) -> Any: ...
    def axis_size(self, name: str) -> Value | None: ...
    def last_of_inputs(self, letter: str, first: int) -> int | None: ...
    def no_number(self, letter: str, name: str) -> LatexError: ...


@dataclass(eq=False)
class Step:
    """One step of a loop while its rules are evaluated: `before` holds the carries, by their rules.

    `number` stands for the place, and `at` is its number as data counts.
    """

    loop: Loop
    before: dict[Defined, Value]
    number: int = field(default_factory=lambda: FAR + APART * (1 + next(_serial)))
    at: Any = field(init=False)

    def __post_init__(self) -> None:
        # a step that this one calls for has a place of its own
        place = argument(f"place {self.number}", Type((), "int", weak=False))
        self.at = SymbolicTensor(place)

    def places(self, size: Any) -> dict[Node, int]:
        """Give this place, the one before and the one after, as indices of an axis of some size.

        Where a condition chooses, an index is written so that it lies inside of the axis.
        """
        near: list[tuple[Any, int]] = [(self.at, 0), (self.at - 1, -1), (self.at + 1, 1)]
        every: list[tuple[Any, int]] = [(i, d) for at, d in near for i in (at, from_front(at))]
        if size is not None:  # an axis that only indices give may have none yet
            last = SymbolicTensor(size) - 1 if isinstance(size, Node) else size - 1
            every += [(clip(at, 0, last), d) for at, d in near]
        return {i.node: d for i, d in every}

    def count(self, number: int) -> Position:
        """Give what an index letter stands for here."""
        return Position(((self.at, 1),), self.loop.first + number - self.number)

    def member(self, defined: Defined, indices: Indices, own: bool) -> Value | None:
        """Give a member that stands before this place; None where its rule is to be evaluated here."""
        loop = self.loop
        if len(defined.letters) != 1:
            raise loop.unlike("counts along several letters")
        distance = (indices[defined.letters[0]] or 0) + shift_of(defined) - self.number
        with_it = loop.goes_with(defined, distance)
        if distance == 0 and with_it and (defined in self.before or loop.waits_for(defined)):
            return None
        apart = axis_along(defined.name) is not None and not with_it
        if distance == 0 or (apart and not reaches(loop.names, defined, loop.defined)):
            whole: Any = loop.body.stack(defined, Around(defined.place, loop.body.numbers, own))
            at = self.at + distance if distance else self.at
            return whole[Axis(axis_along(defined.name) or defined.letters[0])(at)]
        if abs(distance) != 1:
            raise loop.unlike(f"looks {abs(distance)} elements away, and a loop looks one")
        if not with_it or loop.way not in (0, distance):
            raise loop.unlike(BOTH)
        loop.way = distance
        if defined not in self.before:
            if loop.rules:
                raise loop.unlike("follows no rule")
            self.before[defined] = loop.start(defined, loop.edge_of(defined))
        return self.before[defined]


@dataclass(eq=False)
class Chosen:
    """The member of a family or a series that the index of a sum or the like chooses."""

    body: Body
    index: Position
    number: int = field(default_factory=lambda: FAR + APART * (1 + next(_serial)))

    def count(self, number: int) -> Position:
        """Give what a letter stands for here."""
        return self.index.plus(Position((), number - self.number))

    def member(self, defined: Defined, indices: Indices, own: bool) -> Value | None:
        """Give the member of a recurrence; None where its rule alone says what it is."""
        names = self.body.library.names
        if len(defined.letters) != 1:
            return None
        if not names.reach_back(defined) and not self.body.is_busy_with(defined):
            return None
        (letter,) = defined.letters
        if shift_of(defined):  # all members, as they are stacked, leave out the first
            why = "is chosen from by an index, and its rule counts from another member than its own"
            code, message, hint = unlike(defined, why)
            raise self.body.library.error(code, message, defined.name, hint)
        lower, _ = bounds_of(names, defined)
        first = 1 if lower is None or axis_along(defined.name) else lower
        whole: Any = self.body.stack(defined, Around(defined.place, self.body.numbers, own))
        at = zero_based(self.count((indices[letter] or 0) - first + 1))
        return whole[Axis(axis_along(defined.name) or letter)(at)]


class Loop:
    """All members of a series along an axis, with the series that they need of each other."""

    def __init__(self, body: Body, defined: Defined, own: bool) -> None:
        self.body = body
        self.names = body.library.names
        self.defined = defined
        self.own = own
        if len(defined.letters) != 1:
            raise self.unlike("counts along several letters")
        (self.letter,) = defined.letters
        self.axis = axis_along(defined.name)
        self.along = self.axis or self.letter
        lower, _ = bounds_of(self.names, defined)
        self.first = 1 if lower is None or self.axis else lower
        self.way = self._held(defined)
        #: the carries, in the order of the text, once they are known
        self.rules: list[Defined] = []

    # ------------------------------------------------------------------------- what goes with it

    def _held(self, defined: Defined) -> int:
        """Say whether a rule that can be followed uses elements before its own, -1, or after it, 1."""
        fault = fault_of(self.names, defined)
        if fault is not None:
            code, message, hint = fault
            raise self.body.library.error(code, message, defined.name, hint)
        return way_of(defined)

    def goes_with(self, defined: Defined, distance: int) -> bool:
        """Say whether a series may be evaluated along with this one, step by step."""
        if axis_along(defined.name) != self.axis or len(defined.letters) != 1:
            return False
        way = self._held(defined)
        if distance == way or self.waits_for(defined):
            self.way = self.way or way
        return way in (0, self.way)

    def waits_for(self, defined: Defined) -> bool:
        """Say whether a series must run in this loop; one that does not need this series runs before it.

        What is made of others at each step, and not of itself, is evaluated where it is needed.
        """
        if defined is self.defined or self.axis is None:
            return True
        body = self.defined.body
        used = [p for p in all_of(Scripts, body) if stem(p) == stem(defined.name)]
        away = any(d for p in used for d, _ in distances(self.defined.name, (self.letter,), p))
        own = reaches(self.names, defined, defined)
        return away or not own or reaches(self.names, defined, self.defined)

    def edge_of(self, defined: Defined) -> int:
        """Give the number of the element with which a series starts."""
        given = given_of(self.names, defined)
        lower, upper = bounds_of(self.names, defined)
        if self.way > 0:
            inside = LAST in given or upper == LAST - 1
            edge = LAST if inside else LAST + 1
            beyond = [n for n in given if n < edge]
        else:
            edge = self.first - 1
            if self.axis and (lower == 2 or (lower is None and 1 in given)):
                edge = 1
            beyond = [n for n in given if n > edge]
        if self.axis and lower not in (None, 1, edge + 1):
            raise self.unlike(f"begins at {lower}")
        if beyond or not is_one_rule(self.names, defined):
            raise self.unlike("has members with definitions of their own")
        return edge

    def start(self, defined: Defined, edge: int) -> Value:
        """Give the element with which a series starts."""
        name = numbered(defined.name, {defined.letters[0]: edge - shift_of(defined)})
        found = self.names.look(name, defined.place, self.body.numbers)
        rule = found is not None and found.defined is not None and bool(found.defined.letters)
        if found is None or (rule and edge != LAST and edge != 1):
            within = self.defined.range
            ends = letters_of(within.upper) if within is not None and self.axis is None else ()
            if ends:  # with a number for it, the members are written out
                raise self.body.no_number(ends[0].text, self.defined.key)
            code, message, hint = missing(name)
            raise self.body.library.error(code, message, self.defined.name, hint)
        value = self.body.value_of(found, Around(defined.place, self.body.numbers, self.own))
        return plain(value)

    def unlike(self, why: str) -> LatexError:
        """Make the error of a series that is no loop."""
        code, message, hint = unlike(self.defined, why)
        found: LatexError = self.body.library.error(code, message, self.defined.name, hint)
        return found

    @property
    def reaches_the_end(self) -> bool:
        """Say whether the range that is stated for the series is the whole axis."""
        upper = bounds_of(self.names, self.defined)[1]
        return upper == LAST or (self.way > 0 and upper == LAST - 1)

    # ------------------------------------------------------------------------- running it

    def run(self) -> NamedTensor:
        """Give all members along the axis.

        Raises: LatexError where its steps make no loop.
        """
        results, step = self._discovered()
        rules = sorted(step.before, key=lambda d: d.place.index)
        if not rules:
            raise self.unlike("follows from no element before it")
        edges = [self.edge_of(d) for d in rules]
        edge = min(edges) if self.way > 0 else max(edges)
        inside = edge == LAST if self.way > 0 else bool(self.axis) and edge == 1
        sequences = self._sequences(results, step)
        if any(distance not in (0, self.way if inside else 0) for _, distance in sequences):
            raise self.unlike("needs what stands before the first element, or after the last one")
        starts = [_of_kind(self.start(d, edge), results[d]) for d in rules]
        if self.defined not in rules:
            # a carry that no later step needs starts with any number
            rules.append(self.defined)
            found = results[self.defined]
            kind = getattr(found, "kind", type(found).__name__)
            zero = {"int": 0, "bool": False}.get(kind, 0.0)
            starts.append(self.start(self.defined, edge) if inside else zero)
        self.rules = rules
        place = rules.index(self.defined)
        if inside:
            found = self._combined(starts[place], sequences) if len(rules) == 1 else None
            if found is not None:
                return found
        scanned = self._scan(starts, sequences, inside)[place]
        if not inside:
            return scanned
        first = stack[Axis(self.along)](starts[place])
        both = (scanned, first) if self.way > 0 else (first, scanned)
        whole: NamedTensor = concat[Axis(self.along)](*both)
        return whole

    def _discovered(self) -> tuple[dict[Defined, Value], Step]:
        """Evaluate the rules at some place, and find out what they need before it."""
        step = Step(self, {})
        results: dict[Defined, Value] = {}
        pending = [self.defined]
        while pending:
            rule = pending.pop()
            if rule not in results:
                results[rule] = self._at(step, rule)
                pending += step.before
        return results, step

    def _at(self, step: Step, rule: Defined) -> Value:
        """Evaluate a rule at a step."""
        with self.body.stepping(step):
            indices = {rule.letters[0]: step.number - shift_of(rule)}
            return plain(self.body.member(rule, indices, self.own))

    def _sequences(self, results: dict[Defined, Value], step: Step) -> list[Sequenced]:
        """List what the steps run along; the numbers of places are the last where they are used."""
        nodes = [r.node for r in results.values() if isinstance(r, SymbolicTensor)]
        picked = {n: of for n in operands_first(nodes) if (of := self._element(n, step))}
        counts: set[Node] = {step.at.node}
        counted = False
        for node in operands_first(nodes, lambda n: () if n in picked else n.operands):
            if node in picked or not any(o in counts for o in node.operands):
                continue
            counted = True
            pointwise = node.operation.primitive.traits.pointwise
            if not (pointwise or recurs(node) or node.name == "call"):
                raise self.unlike("computes an index from the number of its place")
            if all(o in counts or o.value is not None for o in node.operands):
                counts.add(node)
        counted = counted or any(n is step.at.node for n in nodes)
        found = list(dict.fromkeys(picked.values()))
        if counted or not found:
            size = found[0][0].type.size(self.along) if found else self._declared_size()
            known = () if size is None else (as_node(getattr(size, "node", size)),)
            found.append((apply_node(table()["iota"](self.along), known), 0))
        return found

    def _declared_size(self) -> Any:
        scope = self.body.scope(Around(self.defined.place, self.body.numbers, self.own))
        space = self.body.declared_space(self.defined)
        for axis in () if space is None else space.axes:
            if axis.axis.name == self.along and axis.size is not None:
                return scope.extent(axis.size)
        size = known_size(scope, self.along)
        if size is None:
            raise self.unlike(f"runs along nothing that has the axis {self.along}")
        return size

    def _element(self, node: Node, step: Step) -> Sequenced | None:
        """Say of which tensor a part is the element at a step's place, or beside it."""
        if node.operation.primitive is not INDEX or node.operation.params != ((self.along,),):
            return None
        X, place = node.operands
        distance = step.places(X.type.size(self.along)).get(place)
        return None if distance is None else (X, distance)

    def _scan(
        self, starts: Sequence[Value], sequenced: Sequence[Sequenced], inside: bool
    ) -> list[NamedTensor]:
        """Run the loop; where it starts with the first element, it runs along the others."""
        axis, one = Axis(self.along), len(starts) == 1
        sequences: list[Any] = [SymbolicTensor(X) for X, _ in sequenced]
        if inside:
            later, earlier = slice(1, None), slice(None, -1)
            sequences = [
                X[axis[later if (distance == 0) == (self.way < 0) else earlier]]
                for X, (_, distance) in zip(sequences, sequenced, strict=True)
            ]

        def step(*parts: Any) -> Any:
            carry, *elements = parts
            before = dict(zip(self.rules, (carry,) if one else carry, strict=True))
            after = self._step(before, sequenced, [x.node for x in elements])
            return after[0] if one else tuple(after)

        start = starts[0] if one else tuple(starts)
        found = scan[axis](step, start, *sequences, reverse=self.way > 0)
        return [found] if one else list(found)

    def _step(
        self, before: dict[Defined, Value], sequenced: Sequence[Sequenced], elements: Sequence[Node]
    ) -> list[Value]:
        """Evaluate the rules after these carries, with these elements."""
        step = Step(self, before)
        found = [self._at(step, rule) for rule in self.rules]
        nodes = [v.node for v in found if isinstance(v, SymbolicTensor)]
        given = dict(zip(sequenced, elements, strict=True))
        picked = {n: of for n in operands_first(nodes) if (of := self._element(n, step))}
        known = {n: given[of] for n, of in picked.items()}
        if elements:
            known[step.at.node] = elements[-1]
        placed = iter(placed_parts(nodes, known))
        return [SymbolicTensor(next(placed)) if isinstance(v, SymbolicTensor) else v for v in found]

    def _combined(self, start: Value, sequenced: Sequence[Sequenced]) -> NamedTensor | None:
        """Give sums and products of all elements so far in few steps; None for other recurrences."""
        if len(sequenced) != 1 or sequenced[0][1] or not isinstance(start, SymbolicTensor):
            return None
        X, axis = SymbolicTensor(sequenced[0][0]), Axis(self.along)
        last = X.size(axis) - 1 if self.way > 0 else 0
        if start.node is not X[axis(last)].node:  # type: ignore[attr-defined]
            return None
        one = SymbolicTensor(argument("earlier", start.node.type))
        other = SymbolicTensor(argument("later", start.node.type))
        (after,) = self._step({self.defined: one}, sequenced, [other.node])
        node = getattr(after, "node", None)
        folds = {entry.traits.folds for entry in table().values()} - {""}
        if node is None or node.name not in folds or set(node.operands) != {one.node, other.node}:
            return None
        found: NamedTensor = associative_scan[axis](
            lambda a, b: SymbolicTensor(
                placed_parts([node], {one.node: a.node, other.node: b.node})[0]
            ),
            X,
            reverse=self.way > 0,
        )
        return found


def _of_kind(start: Value, later: Value) -> Value:
    """Give the whole numbers and truth values that a series starts with as floats, if it goes on so."""
    kinds = [getattr(value, "kind", None) for value in (start, later)]
    return start * 1.0 if kinds in (["bool", "float"], ["int", "float"]) else start


def _says_why(error: LatexError, along: bool) -> bool:
    """Say whether an error helps: it does not if it is about a symbolic place, or if a number would do."""
    return not re.search(r"\d{10,}", str(error)) and (along or error.finding.code != "refused")


# ------------------------------------------------------------------------------ all members


def all_members(body: Body, defined: Defined, around: Around) -> Value:
    """Give all members: by one loop if one rule gives them, else one by one."""
    try:
        loop = Loop(body, defined, around.own)
        found = loop.run()
    except NamedTensorError as error:
        return _one_by_one(body, defined, around, error)
    size = found.size(Axis(loop.along))
    upper = None if defined.range is None else defined.range.upper
    if upper is not None and not loop.reaches_the_end:
        stated, first = body.scope(around).extent(upper), loop.first
        same = getattr(size, "node", size) == getattr(stated, "node", stated)
        if stated is not None and not (same and first == 1):
            last, count = _stated_end(body, defined, around), number_of(size)
            if last is None or count != last - first + 1:
                return _one_by_one(body, defined, around, None)
    return found


def _one_by_one(
    body: Body, defined: Defined, around: Around, error: NamedTensorError | None
) -> Value:
    """Give members that make no loop, where their number is known; else raise what is wrong."""
    along, names = axis_along(defined.name), body.library.names
    hopeless = fault_of(names, defined) is not None or (along is not None and way_of(defined) > 0)
    if hopeless and error is not None:
        raise error
    letter = defined.letters[0]
    lower = fold(defined.range.lower, body.numbers) if defined.range else None
    first = 1 if lower is None else lower
    last = _stated_end(body, defined, around)
    if along is not None:
        # from the first that is given, to the last of the axis, by the numbers of the elements
        shift = shift_of(defined)
        begin = 1 if lower is None else lower + shift
        first = min([n for n in given_of(names, defined) if n > 0] + [begin]) - shift
        size = number_of(body.axis_size(along))
        last = size - shift if last is None and size is not None else last
    elif last is None:
        last = body.last_of_inputs(letter, first)
    if last is None:
        if isinstance(error, LatexError) and _says_why(error, along is not None):
            raise error
        upper = key(defined.range.upper) if defined.range and defined.range.upper else None
        upper = upper or (names.size_letter(along) if along else None)
        raise body.no_number(upper or letter, defined.key)
    if last < first and error is not None:
        raise error  # there is no first element to begin with
    refuse_long(defined.key, last - first + 1)
    members = [_numbered(body, defined, n, around) for n in range(first, last + 1)]
    return stack[along or letter](*members)


def _stated_end(body: Body, defined: Defined, around: Around) -> int | None:
    """Give the number of the last member, where the document states it and it is known here."""
    upper = None if defined.range is None else defined.range.upper
    found = None if upper is None else fold(upper, body.numbers)
    end = None if upper is None or found is not None else body.scope(around).extent(upper)
    return found if end is None or end is UNKNOWN else number_of(end)


def _numbered(body: Body, defined: Defined, number: int, around: Around) -> Value:
    """Give the member of a series that has a number."""
    name = numbered(defined.name, {defined.letters[0]: number})
    found = body.library.names.look(name, defined.place, body.numbers)
    if found is None:
        text = shown(f"{key(name)} is neither declared nor defined")
        raise body.library.error("undefined", text, defined.name)
    return body.value_of(found, around)
