"""Bodies: evaluate a definition with what its formula was given, and all that it reaches.

A body has one value for each of its inputs. Definitions that its letters stand for are evaluated when
they are reached, once; a series is evaluated member by member. The sizes that the document's letters
name are those of the inputs' axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import namedtensor.operations.constants as constants
from namedtensor.axes import Axis
from namedtensor.formula.written import name_part
from namedtensor.latex.documents.along import FAR, LAST, axis_along, bare
from namedtensor.latex.documents.apart import StandIns
from namedtensor.latex.documents.applied import Applied, BodyScope
from namedtensor.latex.documents.failures import LatexError
from namedtensor.latex.documents.inputs import Around, Input, Linked
from namedtensor.latex.documents.loops import APART, Chosen, Step, all_members
from namedtensor.latex.documents.members import members_needed, way_of
from namedtensor.latex.documents.scopes import Defined, Meaning
from namedtensor.latex.documents.scripts import Indices, fold, key, numbered, stem
from namedtensor.latex.evaluation.by_elements import known_size, number_of, sized_here
from namedtensor.latex.evaluation.evaluate import Evaluator, right_side
from namedtensor.latex.evaluation.evaluator import is_function
from namedtensor.latex.evaluation.indices import (
    Position,
    counted,
    counted_from_zero,
    marked,
    one_based,
    plain,
    zero_based,
)
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.printing.names import identifier
from namedtensor.latex.reading.spoken import names_of
from namedtensor.latex.syntax import (
    Expression,
    Indexed,
    Scripts,
    Space,
)
from namedtensor.latex.walk import all_of, letters_of
from namedtensor.tensor import NamedTensor, SymbolicTensor

if TYPE_CHECKING:
    from namedtensor.latex.documents.formulas import Library

#: The formulas that are being evaluated, the outermost first.
_running: ContextVar[tuple[Linked, ...]] = ContextVar("running", default=())

#: Members of a series are evaluated one after the other where there are more than so many.
DEEP = 4


class Body:
    """Evaluate a linked definition on values of its inputs; `numbers` are those chosen or counted."""

    def __init__(self, library: Library, linked: Linked, values: Mapping[str, Value]) -> None:
        self.library = library
        self.linked = linked
        self.values = values
        self.numbers: dict[str, int | None] = {**library.linker.bound, **linked.indices}
        self._known: dict[Any, Value] = {}
        self._busy: list[Any] = []
        self.steps: list[Step | Chosen] = []
        #: what stands for a tensor that another name has too, and that something is derived by
        self.stand_ins = StandIns()
        #: the body whose sizes count where this one has none of the name
        self.caller: Body | None = None

    def run(self) -> Value:
        """Give the value of the definition.

        Raises: LatexError where something fails, or where the definition needs itself.
        """
        running = _running.get()
        if self.linked in running:
            raise self.library.circular(self.linked.defined)
        token = _running.set((*running, self.linked))
        try:
            return self._run()
        finally:
            _running.reset(token)

    def _run(self) -> Value:
        self._count_members()
        defined = self.linked.defined
        if defined.letters and any(t not in self.linked.indices for t in defined.letters):
            return self.stack(defined, Around(defined.place, self.numbers))
        self._busy.append((defined, True, ()))
        value = self.evaluate(defined, Around(defined.place, self.numbers))
        for part in value if isinstance(value, tuple) else (value,):
            if is_function(part):
                raise self.library.error(
                    "arguments",
                    f"{defined.key} gives a function, which stands there without arguments",
                    defined.body,
                    hint="apply it: \\text{softmax}(X)",
                )
        value = self.stand_ins.filled(value)
        result = self.linked.result
        if result is not None and result.base == "[n]":
            return zero_based(value)
        return tuple(map(plain, value)) if isinstance(value, tuple) else plain(value)

    def scope(self, around: Around) -> BodyScope:
        """Give the scope of a place in the body."""
        return BodyScope(self, around)

    def input(self, found: Input, meaning: Meaning | None = None) -> Value:
        """Give the value of an input, or the member that a name means, as the formula counts it."""
        value = self.values[found.key]
        value = value if meaning is None else self._select(found, value, meaning)
        if found.key in self.library.names.derived:
            value = self._told_apart(found.key, value)
        if found.space is not None and found.space.base == "[n]" and value is not UNKNOWN:
            return one_based(value)
        whole = isinstance(value, int) and not isinstance(value, bool)
        if whole and found.space is not None and found.space.base == "Z" and value >= 0:
            return counted_from_zero(value)
        return value

    # ------------------------------------------------------------------------------- definitions

    def evaluate(self, defined: Defined, around: Around) -> Value:
        """Evaluate a definition's body at its place."""
        statement, scope = defined.statement, self.scope(around)
        space, elements = self.declared_space(defined), isinstance(statement.target, Indexed)
        sizes = self._sizes_of_elements(space, scope) if elements else {}
        before = None
        if defined.updates:
            before = self.reach_before(defined, around)
            scope.before = None if elements else (defined.key, before)
        values = tuple(
            [
                right_side(Evaluator(scope), statement, part, sizes, before)
                for part in ((statement.body,) if elements else defined.results)
            ]
        )
        scope.guessing = not elements  # their sizes may come from what they meet
        values = tuple([sized_here(scope, value, weak=elements) for value in values])
        if space is not None and space.base == "[n]" and (index := marked(values[0])) is not None:
            return index
        return values if len(values) > 1 else values[0]

    def reach_before(self, defined: Defined, around: Around) -> Value:
        """Give what a name stood for before its update."""
        meaning = self.library.names.before(defined)
        names = {key(name) for name in names_of(defined.body)}
        if meaning is None and defined.kind != "elements" and defined.key not in names:
            return None  # x <- x^{(5)}, which is a member of a series
        if meaning is None:
            raise self.library.error(
                "undefined",
                f"{defined.key} is updated, and has no value before",
                defined.name,
                hint=f"declare it, or define it first: {defined.key} = ...",
            )
        return self.value_of(meaning, around)

    def _sizes_of_elements(self, space: Space | None, scope: BodyScope) -> dict[str, Any]:
        """Give the declared sizes of an element-defined tensor, those that are known here."""
        sizes = {}
        for axis in space.axes if space is not None else ():
            size = None if axis.size is None else scope.extent(axis.size)
            if size is not None and size is not UNKNOWN:
                sizes[axis.axis.name] = size
        return sizes

    def declared_space(self, defined: Defined) -> Space | None:
        """Give the space that a defined name is declared in."""
        if defined is self.linked.defined and self.linked.result is not None:
            return self.linked.result
        along = axis_along(defined.name)
        name = defined.name if along is None else bare(defined.name)
        return self.library.names.space_of(name, defined)

    def value_of(self, meaning: Meaning, around: Around) -> Value | None:
        """Give what a name stands for; None where it is nothing that this formula takes."""
        if meaning.kind == "input":
            return self.of_input(meaning)
        if meaning.kind == "function":
            return Applied(self.library, meaning)
        if meaning.kind == "size":
            return self.size_named(meaning.key)
        defined = meaning.defined
        assert defined is not None
        apart = meaning.key in self.library.names.ends_apart
        if meaning.key in self.library.linker.bound and not apart:
            return self.library.linker.bound[meaning.key]
        own = around.own and meaning.kind != "value"
        if meaning.kind == "stack":
            return self.stack(defined, Around(defined.place, self.numbers, own))
        indices = meaning.indices
        if meaning.kind == "where" and not defined.letters:
            indices = {t: v for t, v in around.indices.items() if self.numbers.get(t) != v}
        return self.member(defined, indices, own)

    def of_input(self, meaning: Meaning, as_data: bool = False) -> Value | None:
        """Give the input that a name means, or the member of one; as data is counted, for another formula."""
        found = self.linked.input_of(meaning)
        if found is None:
            return None
        if as_data and all(v is None for v in meaning.indices.values()):
            return self.values[found.key]
        if as_data:
            return self._select(found, self.values[found.key], meaning)
        return self.input(found, meaning)

    def _select(self, found: Input, value: Value, meaning: Meaning) -> Value:
        """Select the members that a name means from a tensor that holds them all."""
        if not found.along or not isinstance(value, NamedTensor):
            return value
        assert found.declared is not None
        for letter in found.along:
            number = meaning.indices.get(letter)
            if number is None:
                raise self.no_number(letter, meaning.key)
            ranges = self.library.names.range_of(letter, found.declared.statement)
            lower = fold(ranges.lower, self.numbers) if ranges is not None else 1
            step, lower = self.step_at(number), 1 if lower is None else lower
            at = number - lower if step is None else zero_based(step.count(number - lower + 1))
            value = value[Axis(letter)(at)]
        return value

    # ------------------------------------------------------------------------------- series

    def member(self, defined: Defined, indices: Indices, own: bool) -> Value:
        """Give a definition's value, or that of one member of a series."""
        numbers = {**self.numbers, **indices}
        for letter in defined.letters:
            if numbers.get(letter) is None:
                upper = defined.range.upper if defined.range is not None else None
                length = None if upper is None else key(upper)
                raise self.no_number(self._open_step(defined) or length or letter, defined.key)
        place = _place(defined, own, indices)
        if place in self._known:
            return self._known[place]
        steps = [step for n in indices.values() if (step := self.step_at(n)) is not None]
        if steps and defined.letters:
            given = steps[0].member(defined, indices, own)
            if given is not None:
                return given
        along = axis_along(defined.name)
        number = indices[defined.letters[0]] or 1 if along and defined.letters else 0
        if not steps and along is not None and (way_of(defined) > 0 or number == LAST):
            whole: Any = self.stack(defined, Around(defined.place, self.numbers, own))
            return whole[Axis(along)(whole.size(Axis(along)) - 1 if number == LAST else number - 1)]
        if not steps:
            self._reach_up_to(defined, indices, own)
        if place in self._known:
            return self._known[place]
        if place in self._busy:
            raise self.library.circular(defined)
        around = Around(defined.place, numbers, own)
        self._busy.append(place)
        try:
            value = self._filled(defined, self.evaluate(defined, around))
        finally:
            self._busy.pop()
        name = identifier(numbered(defined.name, indices))
        if name is not None and not isinstance(value, tuple) and not steps:
            name_part(name, value)
        if not self.steps and key(bare(defined.name)) in self.library.names.derived:
            value = self._told_apart(place, value)
        self._known[place] = value
        return value

    def _open_step(self, defined: Defined) -> str | None:
        """Give the letter that says how far a series looks back, M of h_{t-M}, where it has no number."""
        own = [p for p in all_of(Scripts, defined.body) if stem(p) == stem(defined.name)]
        used = [one.text for part in own for one in letters_of((part.sub, part.sup))]
        known = {*defined.letters, *self.numbers}
        return next((text for text in used if text not in known), None)

    def _told_apart(self, name: Any, value: Value) -> Value:
        """Give what something is derived by: a symbol where another name has the same tensor."""
        node = getattr(value, "node", None)
        others = [v for k, v in (*self.values.items(), *self._known.items()) if k != name]
        same = any(getattr(other, "node", other) is node for other in others)
        return self.stand_ins.of(name, value) if node is not None and same else value

    def _filled(self, defined: Defined, value: Value) -> Value:
        """Give a number the axes that its series is declared with: h_{seq(0)} = 0."""
        host = isinstance(value, SymbolicTensor) and value.node.type.host and not value.axes
        if not (isinstance(value, (int, float)) or host) or isinstance(value, bool):
            return value
        names, own = self.library.names, bare(defined.name)
        space = self.declared_space(defined) or names.space_of(own, defined)
        if space is not None:
            base, axes = space.base, [*space.names]
        else:
            base, axes = "R", names.axes_of_series(defined)
        if not axes:
            return value
        # y_0 lacks the axis of y along which y_{time(t)} is an element, as it does itself
        along = {axis_along(d.name) for d in names.definitions if bare(d.name) == own}
        scope = self.scope(Around(defined.place, self.numbers, own=False))
        for name in axes:
            size = None if name in along else self.axis_size(name)
            if size is None and name not in along and space is not None:
                size = known_size(scope, name)
            if size is not None:
                value = float(value) if base == "R" and isinstance(value, int) else value
                value = constants.along(value, Axis(name)[size])
        return value

    def _reach_up_to(self, defined: Defined, indices: Indices, own: bool) -> None:
        """Evaluate the members before one that is far up, the first one first."""
        if len(defined.letters) != 1:
            return
        (letter,) = defined.letters
        last = indices[letter]
        if last is None or last >= FAR:
            return
        numbers = members_needed(self.library.names, defined, last, self.numbers)
        if (
            len(numbers) <= DEEP
            or _place(defined, own, {**indices, letter: numbers[-1]}) in self._known
        ):
            return
        for number in numbers:
            name = numbered(defined.name, {letter: number})
            if self.library.names.is_rule(name, defined):
                self.member(defined, {**indices, letter: number}, own)

    def stack(self, defined: Defined, around: Around) -> Value:
        """Give all members of a series along an axis: that of its elements, or its index letter's."""
        place = (defined, around.own, "all")
        if place in self._known:
            return self._known[place]
        if place in self._busy:
            raise self.library.circular(defined)
        self._busy.append(place)
        try:
            value = self._known[place] = all_members(self, defined, around)
        finally:
            self._busy.pop()
        return value

    def is_busy_with(self, defined: Defined) -> bool:
        """Say whether a definition is being evaluated, which then needs itself."""
        return any(place[0] is defined for place in self._busy)

    @contextmanager
    def stepping(self, *steps: Step | Chosen) -> Iterator[None]:
        """Evaluate at steps of loops, and for members that indices choose."""
        before, self.steps = self.steps, [*self.steps, *steps]
        try:
            yield
        finally:
            self.steps = before

    def step_at(self, number: int | None) -> Step | Chosen | None:
        """Give the step of a loop that a number stands for."""
        if number is None or not FAR < number < LAST - FAR:
            return None
        return next((s for s in self.steps[::-1] if abs(number - s.number) < APART // 2), None)

    def no_size(self, where: Expression, text: str) -> LatexError:
        """Make the error of a size's letter that no argument has."""
        name = identifier(where) or text
        return self.library.error(
            "unbound",
            f"{text} is the size of an axis that nothing here has",
            where,
            hint=f'choose it: document.bind({name}=64)["{self.linked.key}"]',
        )

    def no_number(self, letter: str, name: str) -> LatexError:
        return self.library.unbound(self.linked, letter, name)

    def counted(self, number: int, scope: BodyScope) -> Value:
        """Give what an index letter stands for: a number, the place of a step, or the end of an axis."""
        step = self.step_at(number)
        if step is not None:
            return step.count(number)
        if number < FAR:
            return number
        defined = self.library.names.defined_at(scope.place)
        along = None if defined is None else axis_along(defined.name)
        size = scope.size(along or "")
        return Position(((size, 1),), number - LAST) if isinstance(size, NamedTensor) else size

    # ------------------------------------------------------------------------------- sizes

    def _count_members(self) -> None:
        """Take the number T of t = 1, ..., T from what has an axis t."""
        for found in self.linked.inputs:
            for letter in found.along:
                size = self._size_along(found, letter)
                if found.declared is None or size is None:
                    continue
                ranges = self.library.names.range_of(letter, found.declared.statement)
                if ranges is None:
                    continue
                upper = key(ranges.upper) if ranges.upper is not None else None
                lower = fold(ranges.lower, self.numbers)
                if upper is not None and upper not in self.numbers:
                    self.numbers[upper] = size + (1 if lower is None else lower) - 1

    def _size_along(self, found: Input, letter: str) -> int | None:
        value = self.values[found.key]
        if not isinstance(value, NamedTensor):
            return None
        return number_of(value.size(letter))

    def size_named(self, text: str) -> Value | None:
        """Give what a size's letter stands for: the size of an axis that is declared with it."""
        found = self.size_of_input(text)
        if found is None:
            found = self.numbers.get(text)
        if found is None:
            found = self._size_by_axis(text)
        if found is None:
            found = self._computed_size(text)
        return self.caller.size_named(text) if found is None and self.caller else found

    def _computed_size(self, text: str) -> Value | None:
        """Compute a size by what the document says it is: H = G R of head[H]."""
        rules = [d for d in self.library.names.defined.get(text, ()) if d.kind == "value"]
        if len(rules) != 1 or rules[0].letters or any(rules[0] is place[0] for place in self._busy):
            return None
        try:
            return counted(self.member(rules[0], {}, own=False))
        except LatexError:
            return None

    def size_of_input(self, text: str) -> Value | None:
        """Give the size of an input's axis that is declared with this letter."""
        return self._size_in(self.linked.inputs, self.values, text)

    def _size_in(self, inputs: list[Input], values: Any, text: str) -> Value | None:
        """Find the axis that has this size, or else one of which the size is computed from it."""
        for itself in (True, False):
            for given in inputs:
                value = values.get(given.key)
                if given.role == "bundle" and given.linked is not None:
                    found = self.library.sizes_in(given.linked, value, text, self._size_in)
                else:
                    found = _size_of(given.space, value, text, itself)
                if found is not None:
                    return found
        return None

    def _size_by_axis(self, text: str) -> Value | None:
        """Take the size of an axis of the same name that is declared with this size elsewhere."""
        for declared, axis in self.library.names.sizes_named(text):
            for given in self.linked.inputs:
                value = self.values.get(given.key)
                plainly = given.space is not None and any(
                    a.axis.name == axis.axis.name and a.size is None for a in given.space.axes
                )
                if plainly and isinstance(value, NamedTensor) and declared is not given.declared:
                    return value.size(axis.axis.name)
        for name, size, _ in self.library.names.stated_sizes:  # |cut| = C - 1
            length = self.axis_size(name)
            solved = None if length is None else _solved(size, length, text)
            if solved is not None:
                return solved
        return None

    def axis_size(self, name: str) -> Value | None:
        """Give the size that an input has for an axis."""
        for found in self.linked.inputs:
            value = self.values.get(found.key)
            named = [] if found.space is None else [*found.space.names]
            if name in named and isinstance(value, NamedTensor):
                return value.size(name)
        return None

    def last_of_inputs(self, letter: str, first: int) -> int | None:
        for found in self.linked.inputs:
            if letter in found.along:
                size = self._size_along(found, letter)
                if size is not None:
                    return size + first - 1
        return None


def _place(defined: Defined, own: bool, indices: Indices) -> Any:
    """Give what a member of a series is known by."""
    return defined, own, tuple(sorted(indices.items(), key=str))


def _size_of(space: Space | None, value: Value, text: str, itself: bool) -> Value | None:
    """Find a size among the declared sizes of one input."""
    if space is None or not isinstance(value, NamedTensor):
        return None
    for axis in space.axes:
        computed = itself and axis.size is not None and key(axis.size) != text
        if axis.size is not None and axis.axis.name in value.axes and not computed:
            found = _solved(axis.size, value.size(axis.axis.name), text)
            if found is not None:
                return found
    return None


def _solved(size: Expression, length: Any, text: str) -> Value | None:
    """Solve a declared size for its letter: d of hid:4d is |hid|/4."""
    if key(size) == text:
        return length
    start, step = fold(size, {text: 0}), fold(size, {text: 1})
    if start is None or step is None or start == step:
        return None
    return (length - start) // (step - start)
