"""What a body that runs asks for: its names, and the document's own functions with their parameters."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from namedtensor.axes import Axis, Rename
from namedtensor.errors import AxisClashError, AxisMissingError, AxisSizeError, NamedTensorError
from namedtensor.formula.bundle import Bundle
from namedtensor.latex.documents.along import FAR
from namedtensor.latex.documents.failures import LatexError, failure
from namedtensor.latex.documents.inputs import (
    Around,
    Input,
    Linked,
    by_letter,
    handed_on,
    meaning_of,
    own_axes,
    owns,
    passed_on,
)
from namedtensor.latex.documents.loops import Chosen
from namedtensor.latex.documents.resolver import Resolver
from namedtensor.latex.documents.scopes import Meaning, given_by
from namedtensor.latex.documents.scripts import fold, key
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.evaluator import of_formula
from namedtensor.latex.evaluation.identifiers import is_setting
from namedtensor.latex.evaluation.indices import Position, one_based, plain, position
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.source import Passage
from namedtensor.latex.syntax import Call, Expression, Indexed, Letter, Scripts
from namedtensor.latex.walk import all_of
from namedtensor.primitives.node import noting
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.latex.documents.bodies import Body
    from namedtensor.latex.documents.formulas import Library


@dataclass(frozen=True, slots=True)
class Passed:
    """A letter that stands for many parameters, on its way to a function that wants them."""

    name: Expression
    bundle: Any = None


class Applied:
    """A function of the document, to be called from a body."""

    def __init__(self, library: Library, meaning: Meaning) -> None:
        assert meaning.defined is not None
        self.library = library
        self.meaning = meaning
        self.name = meaning.key
        self.axes = own_axes(meaning.defined)

    def apply(
        self,
        call: Call,
        arguments: Sequence[Value],
        parameters: Sequence[Value],
        scope: BodyScope,
    ) -> Value:
        """Call the formula; what it fails with is a failure of this call."""
        defined = self.meaning.defined
        assert defined is not None
        numbers = self.meaning.indices
        chosen = any(scope.body.step_at(number) is not None for number in numbers.values())
        callee: Linked = self.library.linker.linked(defined, {} if chosen else numbers)
        places = [(a, v) for a, v in zip(call.arguments, arguments, strict=False)]
        given = [v for a, v in places if not is_setting(a)]
        given = [as_data(v, i) for v, i in zip(given, callee.arguments, strict=False)] + [
            plain(v) for v in given[len(callee.arguments) :]
        ]
        count = len(callee.arguments)
        if len(given) != count:
            return scope.failed(call, _wrong_count(call, callee, len(given)))
        if any(v is UNKNOWN for v in (*given, *parameters)):
            return UNKNOWN
        try:
            named = self._parameters(call, callee, parameters, scope)
            for argument, value in places:
                if is_setting(argument):
                    named[self.library.setting(callee, argument.first)] = plain(value)
            if chosen:
                return self._written_out(callee, given, named, scope)
            try:
                return self._run(call, callee, given, named)
            except LatexError as error:
                if error.finding.code != "unbound":
                    raise
                inside = self._body(callee, given, named)
                inside.caller = scope.body  # a size that only the caller's tensors have
                return plain(inside.run())
        except NamedTensorError as error:
            formal = [self.library.identifier(callee, i) for i in callee.arguments]
            written = [*zip(formal, [a for a, _ in places], strict=False)]
            return scope.failed(call, of_formula(error, call, written, scope))

    def _run(
        self, call: Call, callee: Linked, given: list[Value], named: dict[str, Value]
    ) -> Value:
        formula = self.library.formula(callee)
        own = [*self.axes]
        asked = [a.name for a in call.axes]
        if not asked or own == asked or not may_stand_for(own, asked):
            if any(i.declared is None for i in callee.arguments):
                return self._anew(callee, given, named)
            if not _any_before_first(callee, given):
                return formula(*given, **named)
            return plain(self._body(callee, given, named).run())
        given, back = put_along(given, asked, own)
        return back(formula(*given, **named))

    def _anew(self, callee: Linked, given: list[Value], named: dict[str, Value]) -> Value:
        """Evaluate a function of undeclared arguments, whose shapes are those of the call."""
        formula = self.library.formula(callee)
        try:
            if not _any_before_first(callee, given):
                return formula(*given, **named)
        except (AxisClashError, AxisMissingError):
            pass
        return plain(self._body(callee, given, named).run())

    def _body(self, callee: Linked, given: list[Value], named: dict[str, Value]) -> Body:
        """Give the function's body on the values of a call."""
        from namedtensor.latex.documents.bodies import Body

        held = {self.library.identifier(callee, i): i.key for i in callee.inputs}
        values = {i.key: v for i, v in zip(callee.arguments, given, strict=False)}
        return Body(self.library, callee, values | {held[name]: v for name, v in named.items()})

    def _written_out(
        self, callee: Linked, given: list[Value], named: dict[str, Value], scope: BodyScope
    ) -> Value:
        """Evaluate the member of a family that an index chooses, where the call stands."""
        body = self._body(callee, given, named)
        around = Around(callee.defined.place, {**body.numbers, **self.meaning.indices})
        with body.stepping(*scope.body.steps):
            return plain(body.evaluate(callee.defined, around))

    def _parameters(
        self, call: Call, callee: Linked, parameters: Sequence[Value], scope: BodyScope
    ) -> dict[str, Value]:
        """Find each parameter: in the bundle that the call owns, in its list, or by its own letter."""
        body, around = scope.body, scope.around
        for name, holds in (
            (call.function, owns(self.meaning, call, callee, around.indices)),
            (
                call.parameters[0] if call.parameters else call.function,
                self.library.linker.names_bundle(body.linked, call, around),
            ),
        ):
            held = body.values.get(str(key(name, around.indices)))
            if holds and isinstance(held, Bundle):
                whole = handed_on(key(name, around.indices), callee)
                if whole is not None and name is not call.function:
                    return {self.library.identifier(callee, whole): held}
                # others may want other parts of the bundle
                names = [self.library.identifier(callee, i) for i in callee.after]
                return {name: held._values[name] for name in names if name in held._values}
        found = {}
        for wanted in callee.after:
            value = self._one(wanted, call, callee, parameters, scope)
            if value is not None:
                found[self.library.identifier(callee, wanted)] = value
        return found

    def _one(
        self,
        wanted: Input,
        call: Call,
        callee: Linked,
        parameters: Sequence[Value],
        scope: BodyScope,
    ) -> Value | None:
        place = wanted.listed
        if place is None or by_letter(wanted, bool(call.parameters)):
            return self._by_letter(wanted, call, callee, scope)
        if place >= len(parameters):
            if wanted.role == "setting":
                return None
            raise _missing(call, callee, wanted)
        given = call.parameters[place]
        passed = passed_on(wanted, given, callee)
        if isinstance(passed, (Letter, Scripts)):
            value = scope.find(passed)
            return (
                scope.failed(given, _no_member(given, passed, wanted)) if value is None else value
            )
        value = parameters[place]
        if isinstance(value, Passed):
            return value.bundle
        return as_data(value, wanted)

    def _by_letter(
        self, wanted: Input, call: Call, callee: Linked, scope: BodyScope
    ) -> Value | None:
        """Give what the caller's document means by the same letter."""
        if wanted.role == "setting":
            return None
        if wanted.role == "bundle":
            return scope.body.values.get(wanted.key)
        value = None
        if wanted.declared is not None:
            value = scope.body.of_input(meaning_of(wanted, callee), as_data=True)
        if value is None:
            raise _missing(call, callee, wanted)
        return value


def as_data(value: Value, wanted: Input) -> Value:
    """Give a value as data: indices count from 0 where a formula wants indices, m(3) its third."""
    if not _is_index(wanted):
        return plain(value)
    return position(value).from_zero if isinstance(value, (Position, int)) else value


def _is_index(wanted: Input) -> bool:
    return wanted.space is not None and wanted.space.base == "[n]"


def _any_before_first(callee: Linked, given: Sequence[Value]) -> bool:
    """Say whether an index that is given, k - 1, may lie before the first: its sum is to be seen inside."""
    pairs = zip(callee.arguments, given, strict=False)
    indices = [one_based(value) for wanted, value in pairs if _is_index(wanted)]
    return any(index.may_lie_before for index in indices)


def may_stand_for(own: Sequence[str], asked: Sequence[str]) -> bool:
    """Say whether a function's axes may stand for those asked for: as many, or one for several as one."""
    return len(own) == len(asked) or len(own) == 1 < len(asked)


def put_along(
    given: Sequence[Value], asked: Sequence[str], own: Sequence[str]
) -> tuple[list[Value], Callable[[Value], Value]]:
    """Give arguments the axes of a function that is asked for along others, and the way back.

    Where they have its axes too, those go by names with more primes meanwhile.
    """
    if len(own) < len(asked):
        return _joined(given, asked, own[0])
    into = {a: o for a, o in zip(asked, own, strict=True) if a != o}
    axes = {name for value in given for name in getattr(value, "axes", ())}
    fresh: dict[str, str] = {}
    for name in axes.intersection(into.values()).difference(into):
        longest = max(len(other) - len(other.rstrip("'")) for other in axes)
        fresh[name] = name.rstrip("'") + "'" * (longest + 1)
    pairs = fresh | into
    back = {o: a for a, o in reversed(pairs.items())}
    return [renamed(v, pairs) for v in given], lambda value: renamed(value, back)


def _joined(
    given: Sequence[Value], asked: Sequence[str], own: str
) -> tuple[list[Value], Callable[[Value], Value]]:
    """Join the axes that are asked for to the one that a function acts along, and part them again."""
    one, sizes = (sized(own, None),), dict[str, Any]()
    joined: list[Value] = []
    for value in given:
        if {*asked} <= {*getattr(value, "axes", ())}:
            tensor: Any = value
            sizes = {name: tensor.size(Axis(name)) for name in asked}
            value = tensor[(Rename(tuple([sized(name, None) for name in asked]), one),)]
        joined.append(value)

    def back(value: Any) -> Value:
        if own not in getattr(value, "axes", ()) or not sizes:
            return value
        parts = tuple([sized(name, size) for name, size in sizes.items()])
        return value[(Rename(one, parts),)]

    return joined, back


def renamed(value: Any, pairs: dict[str, str]) -> Any:
    """Rename those axes that a value has."""
    for before, after in pairs.items():
        if before in getattr(value, "axes", ()):
            value = value[Axis(before) >> Axis(after)]
    return value


def _wrong_count(call: Call, callee: Linked, count: int) -> NamedTensorError:
    wanted = ", ".join([i.key for i in callee.arguments])
    return ArgumentsError(
        wording(call),
        f"{callee.key} takes {len(callee.arguments)} argument(s), {wanted}, and is given {count}",
        hint=f"write {callee.key}({wanted})",
    )


def _missing(call: Call, callee: Linked, wanted: Input) -> NamedTensorError:
    listed = ", ".join(callee.listed)
    return ArgumentsError(
        wording(call),
        f"{callee.key} needs its parameter {wanted.key}, and is called without",
        hint=f"write {callee.key}(...; {listed or wanted.key}), or {callee.key}^{{1}}(...) for "
        "parameters of its own",
    )


def _no_member(given: Expression, passed: Expression, wanted: Input) -> NamedTensorError:
    return ArgumentsError(
        wording(given),
        f"{wording(given)} is to hold {wording(passed)}, which is not declared",
        hint=f"declare {wording(passed)}, which stands for {wanted.key} here",
    )


# ---------------------------------------------------------------- the names at one place of a body


class BodyScope(Resolver):
    """Answer for the names at one place of a body that runs."""

    def __init__(self, body: Body, around: Around) -> None:
        listed = body.linked.listed if around.own else ()
        given = body.linked.own
        super().__init__(body.library.names, around.place, around.indices, given, listed)
        self.body = body
        self.around = around
        self.before: tuple[str, Value] | None = None
        self.asked: set[str] = set()
        self.guessing = True  # of several sizes of an axis, take the one that is a number

    def own(self, name: Expression, text: str) -> Value | None:
        """Give an argument, the number of a rule's letter, or the size of an argument's axis."""
        body = self.body
        if self.before is not None and text == self.before[0]:
            return self.before[1]
        number = self.indices.get(text)
        if number is not None and body.numbers.get(text) != number:
            return body.counted(number, self)  # the letter of a rule, also where an argument has it
        if self.around.own and text in self.arguments:
            return body.input(self.arguments[text])
        return body.size_of_input(text) if self.names.is_size(text) else None

    def lifted(self) -> set[str]:
        """List the axes over which the call lifts, of arguments that are declared nowhere."""
        return self.body.linked.lifted(self.body.values)

    def meant(self, name: Expression, meaning: Meaning) -> Value | None:
        """Give the value of what the document means by a name."""
        value = self.body.value_of(meaning, self.around)
        if value is None and meaning.kind == "size" and meaning.key not in self.indices:
            raise self.body.no_size(name, meaning.key)
        return value

    def unwritten(self, name: Expression, text: str) -> Value | None:
        """Find index letters, settings, bundles, and functions that own their parameters."""
        body = self.body
        number = self.indices.get(text)
        if number is not None:
            return body.counted(number, self)
        function = self.copied(name)
        if function is not None:
            return function
        for found in body.linked.inputs:
            if found.key == text and found.declared is None:
                value = body.values[found.key]
                return Passed(name, value) if found.role == "bundle" else value
        if isinstance(name, Letter) and self.names.has_members(name):
            return Passed(name)
        if text in body.library.names.lengths:
            raise body.no_number(text, body.linked.key)
        return None

    def inside(self, numbers: Mapping[str, int]) -> BodyScope:
        """Give the same place where index letters have numbers."""
        indices = {**self.indices, **numbers}
        return BodyScope(self.body, dataclasses.replace(self.around, indices=indices))

    @contextmanager
    def choosing(self, bound: Mapping[Expression, Value]) -> Iterator[BodyScope]:
        """Give the same place where indices that are bound choose members."""
        chosen = {k: Chosen(self.body, v) for name, v in bound.items() if (k := key(name))}
        with self.body.stepping(*chosen.values()):
            yield self.inside({text: each.number for text, each in chosen.items()})

    def whole(self, end: Expression) -> int | None:
        """Give the end of a range where it is a number, or a letter whose number is chosen."""
        number = fold(end, {**self.body.numbers, **self.indices})
        return number if number is not None and number < FAR else None

    def size(self, axis: str) -> Value:
        """Give |axis|: that of the formula, of an input, or as the document states it."""
        try:
            return abs(Axis(axis))
        except AxisSizeError:
            found = self._stated_size(axis)
            if found is None and axis.isidentifier():
                hint = f'choose it: document.bind({axis}=64)["{self.body.linked.key}"]'
                why = f"{self.body.linked.key} takes nothing that has the axis {axis}"
                raise AxisSizeError(f"|{axis}|", why, hint=hint) from None
            if found is None:
                raise
            return found

    def _stated_size(self, axis: str) -> Value | None:
        found = self.body.axis_size(axis)
        if found is None:
            found = self.body.numbers.get(f"|{axis}|")
        if found is not None or axis in self.asked:
            return found
        self.asked.add(axis)
        for size in self.names.sizes_stated(axis, self.place):
            found = self.extent(size)
            if found is not None and found is not UNKNOWN:
                break
        if found is None:
            found = self._declared_size(axis)
        if found is None:
            found = self._made_size(axis)
        self.asked.discard(axis)
        if found is None and axis.endswith("'"):
            return self._stated_size(axis[:-1])
        return found

    def _made_size(self, axis: str) -> Value | None:
        """Give the size that an axis has where the one definition here that makes it by reshaping is used."""
        made = [
            defined
            for defined in self.body.linked.reached
            if not defined.letters and defined.kind == "value"
            if any(given_by(part).get(axis) == "" for part in all_of(Indexed, defined.body))
        ]
        value = self.find(made[0].name) if len(made) == 1 else None
        return value.size(axis) if isinstance(value, NamedTensor) and axis in value.axes else None

    def _declared_size(self, axis: str) -> Value | None:
        """Give the one size, or the one number, that declarations around have for an axis: row[3]."""
        every = [(d.place, a.size) for d, a in self.names.sized if a.axis.name == axis]
        near = [size for place, size in every if self.names.inherits(self.place, place)]
        given = {size for size in near or [size for _, size in every] if size is not None}
        numbers = {fold(size, self.body.numbers) for size in given} - {None}
        if len(numbers if numbers and self.guessing else given) != 1:
            return None
        found = numbers.pop() if numbers else self.extent(given.pop())
        return None if found is UNKNOWN else found

    def extent(self, size: Expression) -> Value | None:
        """Give a declared size; None where nothing here has it."""
        text = key(size)
        found = None if text is None else self.body.size_named(text)
        if found is not None:
            return found
        try:
            return Evaluator(self).extent(size)
        except LatexError:
            return None

    def failed(self, where: Expression, error: NamedTensorError) -> Value:
        """Say where in the document an operation fails."""
        raise failure(error, self.body.library.source, where.span) from None

    def noted(self, where: Expression, message: str, hint: str, code: str = "no-axis") -> None:
        """Leave notes to the check."""

    def derived(self, value: Value, by: Value) -> tuple[Value, Value]:
        """Give what is derived and by what: no symbol in them but the second stands for another tensor."""
        stand_ins = self.body.stand_ins
        return stand_ins.filled(value, by), stand_ins.filled(by, by)

    def written(self, part: Expression) -> str:
        """Give a part as the document writes it."""
        return self.body.library.source.written(part.span)

    def seen(self, where: Expression, value: Value, guarded: bool = False) -> Value:
        """Note where a part was written, where a body is traced; a name is no part of its own."""
        node = getattr(value, "node", None)
        table = noting.get()
        if (
            table is not None
            and node is not None
            and node.operands
            and not isinstance(where, (Letter, Scripts))
        ):
            table.add(node, Passage(self.body.library.source, where.span))
        return value
