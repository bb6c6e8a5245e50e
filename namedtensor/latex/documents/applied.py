"""Calls of a document's own functions, with the parameters that the caller passes on or owns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from namedtensor.errors import AxisClashError, NamedTensorError
from namedtensor.formula.bundle import Bundle
from namedtensor.latex.documents.inputs import (
    Input,
    Linked,
    by_letter,
    handed_on,
    is_bundle_name,
    meaning_of,
    own_axes,
    owns,
    passed_on,
)
from namedtensor.latex.documents.scopes import Meaning
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.indices import Position, plain, zero_based
from namedtensor.latex.evaluation.values import UNKNOWN, ArgumentsError, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import Call, Expression, Letter, Relation, Scripts

if TYPE_CHECKING:
    from namedtensor.latex.documents.bodies import BodyScope
    from namedtensor.latex.documents.formulas import Library


@dataclass(frozen=True, slots=True)
class Passed:
    """A letter that stands for many parameters, on its way to a function that wants them."""

    name: Expression
    bundle: Any = None


class Missing(Exception):
    """A call does not say what a parameter of the function is."""

    def __init__(self, wanted: Input) -> None:
        self.wanted = wanted
        super().__init__(wanted.key)


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
        callee: Linked = self.library.linker.linked(defined, self.meaning.indices)
        places = [(a, v) for a, v in zip(call.arguments, arguments, strict=False)]
        given = [v for a, v in places if not isinstance(a, Relation)]
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
                if isinstance(argument, Relation):
                    named[self.library.setting(callee, argument.first)] = plain(value)
            return self._run(call, callee, given, named)
        except Missing as missing:
            return scope.failed(call, _missing(call, callee, missing.wanted))
        except NamedTensorError as error:
            return scope.failed(call, error)

    def _run(
        self, call: Call, callee: Linked, given: list[Value], named: dict[str, Value]
    ) -> Value:
        formula = self.library.formula(callee)
        own = [*self.axes]
        asked = [a.name for a in call.axes]
        if not asked or own == asked or len(own) != len(asked):
            if all(i.declared is not None for i in callee.arguments):
                return formula(*given, **named)
            return self._anew(callee, given, named)
        into = {a: o for a, o in zip(asked, own, strict=True) if a != o}
        back = {o: a for a, o in into.items()}
        result = formula(*[_renamed(v, into) for v in given], **named)
        return _renamed(result, back)

    def _anew(self, callee: Linked, given: list[Value], named: dict[str, Value]) -> Value:
        """Evaluate a function of undeclared arguments, whose shapes are those of the call."""
        formula = self.library.formula(callee)
        try:
            return formula(*given, **named)
        except AxisClashError:
            from namedtensor.latex.documents.bodies import Body

            held = {self.library.identifier(callee, i): i.key for i in callee.inputs}
            values = {i.key: v for i, v in zip(callee.arguments, given, strict=False)}
            values |= {held[name]: value for name, value in named.items()}
            return plain(Body(self.library, callee, values).run())

    def _parameters(
        self, call: Call, callee: Linked, parameters: Sequence[Value], scope: BodyScope
    ) -> dict[str, Value]:
        """Find each parameter: in the bundle that the call owns, in its list, or by its own letter."""
        body, around = scope.body, scope.around
        linker = self.library.linker
        for name, holds in (
            (call.function, owns(self.meaning, call, callee, around.indices)),
            (
                call.parameters[0] if call.parameters else call.function,
                is_bundle_name(linker, body.linked, call, around.place, around.indices),
            ),
        ):
            held = body.values.get(str(key(name, around.indices)))
            if holds and isinstance(held, Bundle):
                whole = handed_on(key(name, around.indices), callee)
                if whole is not None and name is not call.function:
                    return {self.library.identifier(callee, whole): held}
                return self._members(held, callee)
        found = {}
        for wanted in callee.after:
            value = self._one(wanted, call, callee, parameters, scope)
            if value is not None:
                found[self.library.identifier(callee, wanted)] = value
        return found

    def _members(self, held: Bundle, callee: Linked) -> dict[str, Value]:
        """Take from a bundle what this function wants of it; others may want other parts."""
        wanted = [self.library.identifier(callee, i) for i in callee.after]
        return {name: held._values[name] for name in wanted if name in held._values}

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
            return self._by_letter(wanted, callee, scope)
        if place >= len(parameters):
            if wanted.role == "setting":
                return None
            raise Missing(wanted)
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

    def _by_letter(self, wanted: Input, callee: Linked, scope: BodyScope) -> Value | None:
        """Give what the caller's document means by the same letter."""
        if wanted.role == "setting":
            return None
        if wanted.role == "bundle":
            return scope.body.values.get(wanted.key)
        value = None
        if wanted.declared is not None:
            value = scope.body.passed(meaning_of(wanted, callee))
        if value is None:
            raise Missing(wanted)
        return value


def as_data(value: Value, wanted: Input) -> Value:
    """Give a value as data: indices count from 0 where a formula wants indices."""
    indices = wanted.space is not None and wanted.space.base == "[n]"
    return zero_based(value) if indices and isinstance(value, Position) else plain(value)


def _renamed(value: Any, pairs: dict[str, str]) -> Any:
    """Rename those axes that a value has."""
    from namedtensor.axes import Axis

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
