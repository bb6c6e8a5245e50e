"""Check the functions that a document defines, and their calls: shapes in, a shape out.

The caller chooses the sizes of a function: FFN declared over emb:d_model takes emb:512. One size has one
value in a call. Axes that an argument has and its declaration lacks pass through.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from namedtensor.formula.lifting import fitting_order
from namedtensor.latex.check.compare import check_chain, check_promised
from namedtensor.latex.check.report import is_own_size, listed, shape_text, size_text
from namedtensor.latex.check.scope import CheckScope, evaluated
from namedtensor.latex.check.symbols import Symbols
from namedtensor.latex.check.types import node_of, open_size, type_of
from namedtensor.latex.documents.applied import may_stand_for, put_along
from namedtensor.latex.documents.asked import Asked
from namedtensor.latex.documents.inputs import Input, is_lettered
from namedtensor.latex.documents.scopes import Declared, Defined
from namedtensor.latex.documents.scripts import key, stem
from namedtensor.latex.evaluation.evaluate import Evaluator, right_side
from namedtensor.latex.evaluation.identifiers import is_setting
from namedtensor.latex.evaluation.values import UNKNOWN, Scope, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.findings import Finding
from namedtensor.latex.printing.dialects import REALS
from namedtensor.latex.reading.quantities import is_small
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    Call,
    Expression,
    Indexed,
    Letter,
    Scripts,
    Signature,
    Space,
)
from namedtensor.latex.walk import all_of, is_elementwise, walk
from namedtensor.operations.step_trees import placed_parts
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import SIZE
from namedtensor.primitives.sizes import as_node

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


@dataclass(slots=True)
class Given:
    """An argument of a call: its text and shape, and the name and shape that the function declares."""

    text: str
    span: Span
    type: Type
    name: str
    declared: Type


class CallCheck:
    """Check one call against the shapes of its function's arguments and results."""

    def __init__(
        self,
        symbols: Symbols,
        name: str,
        arguments: Sequence[tuple[str, Type | None]],
        results: Sequence[Type | None],
        parameters: Sequence[tuple[str, Type | None]] = (),
    ) -> None:
        self.symbols = symbols
        self.name = name
        self.arguments = arguments
        self.results = results
        self.parameters = parameters
        #: a size of the function -> (its size here, the argument that gave it)
        self.bound: dict[Node, tuple[Any, str]] = {}
        self.extra: dict[str, Any] = {}
        self.fine = True
        self.hint = ""
        self.refused = False

    def check(
        self, call: Call, values: Sequence[Value], parameters: Sequence[Value] = ()
    ) -> tuple[Type | None, ...]:
        """Check a call and give the shapes of its results; () if they are unknown."""
        given = [
            (part, type_of(value))
            for part, value in zip(call.arguments, values, strict=False)
            if not is_setting(part)
        ]
        if len(given) != len(self.arguments):
            self._wrong_count(call, given)
            return ()
        ordered = self._ordered(call, [type_ for _, type_ in given])
        if ordered:
            self.hint = f"{self.name} takes its arguments in another order: {ordered}"
        for (name, declared), (part, type_) in zip(self.arguments, given, strict=True):
            if type_ is None:
                self.fine = False
            elif declared is None or declared.host:
                self.extra |= {n: s for n, s in type_.axes if n not in self.extra}
            elif self.fine or not self.hint:
                self._argument(self._given(part, type_, name, declared))
        if len(parameters) == len(self.parameters) == len(call.parameters):
            passed = zip(self.parameters, call.parameters, map(type_of, parameters), strict=True)
            for (name, declared), own, type_ in passed:
                if type_ is not None and declared is not None and not declared.host:
                    self._argument(self._given(own, type_, name, declared))
        if not self.fine:
            return ()
        return tuple([None if r is None else self._result(r) for r in self.results])

    def _given(self, part: Expression, type_: Type, name: str, declared: Type) -> Given:
        return Given(self.symbols.report.text(part.span), part.span, type_, name, declared)

    def _ordered(self, call: Call, types: Sequence[Type | None]) -> str:
        """Write a call with its arguments in the only order that fits; "" if that is their own order."""

        def fits(given: int, place: int) -> bool:
            wanted, type_ = self.arguments[place][1], types[given]
            return (
                wanted is not None and type_ is not None and set(wanted.names) <= set(type_.names)
            )

        order = fitting_order(len(types), fits)
        if order == tuple(range(len(order))) or len(types) != len(call.arguments):
            return ""
        text = self.symbols.report.text
        written = ", ".join(text(call.arguments[i].span) for i in order)
        rest = "".join(
            f"{'; ' if p is call.parameters[0] else ', '}{text(p.span)}" for p in call.parameters
        )
        return f"{text(call.function.span)}({written}{rest})"

    def _result(self, result: Type) -> Type:
        """Give the shape of a result, with the sizes of this call and the axes that pass through."""
        axes = {axis: self._here(size) for axis, size in result.axes}
        return result.with_axes((self.extra | axes).items())

    def _wrong_count(self, call: Call, given: Sequence[tuple[Expression, Type | None]]) -> None:
        report = self.symbols.report
        wanted = [name for name, _ in self.arguments]
        one = "argument" if len(wanted) == 1 else "arguments"
        are = "is" if len(given) == 1 else "are"
        report.error(
            "arguments",
            call.span,
            f"{self.name} takes {len(wanted)} {one}, {listed(wanted)}, and {len(given)} {are} given",
            [(report.text(part.span), shape_text(t)) for part, t in given if t is not None],
            f"write {self.name}({', '.join(wanted)})",
        )

    def _say(
        self,
        given: Given,
        code: str,
        message: str,
        hint: str,
        severity: str = "error",
        more: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Report what is wrong with an argument."""
        self.refused = self.refused or severity == "error"
        of = f"{given.name} of {self.name}"
        shapes = [(given.text, shape_text(given.type)), (of, shape_text(given.declared)), *more]
        self.symbols.report.add(severity, code, given.span, message, shapes, hint)

    def _declares(self, axis: str) -> bool:
        return any(t is not None and t.has(axis) for _, t in self.arguments)

    # ------------------------------------------------------------------------- one argument

    def _argument(self, given: Given) -> None:
        for axis, size in given.declared.axes:
            if not given.type.has(axis):
                self._missing(axis, given)
                return
            self._size(axis, size, given)
        for axis, size in given.type.axes:
            if not given.declared.has(axis):
                self.extra.setdefault(axis, size)
                self._clash(axis, given)

    def _missing(self, axis: str, given: Given) -> None:
        self.fine = False
        wanted, differ = given.declared.size(axis), self.symbols.facts.mismatch
        others = [
            n
            for n, size in given.type.axes
            if not self._declares(n)
            and (is_own_size(n, size) or differ(wanted, size, axis) is None)
        ]
        hint = f"give {self.name} a tensor with an axis {axis}"
        if self.hint:
            hint = self.hint
        elif len(others) == 1:
            renamed = self.symbols.dialect.renamed(given.text, others[0], axis)
            hint = f"rename the axis that is meant: {renamed}"
        message = (
            f"{self.name} declares {given.name} over {axis}, and {given.text} has no axis {axis}"
        )
        self._say(given, "axis-missing", message, hint)

    def _clash(self, axis: str, given: Given) -> None:
        result = next((r for r in self.results if r is not None and r.has(axis)), None)
        if result is None or self._declares(axis):
            return
        self.fine = False
        renamed = self.symbols.dialect.renamed(given.text, axis, f"{axis}'")
        self._say(
            given,
            "axis-clash",
            f"{given.text} has an axis {axis}, and what {self.name} gives has one too",
            f"rename the argument's first: {renamed}",
            more=[(self.name, shape_text(result))],
        )

    # ------------------------------------------------------------------------- sizes

    def _size(self, axis: str, declared: Any, given: Given) -> None:
        """Compare a size of the function with its value elsewhere in this call."""
        here = given.type.size(axis)
        if here is None or declared is None:
            return
        if _is_symbol(declared) and declared not in self.bound:
            self.bound[declared] = here, given.text
            self._made_one(declared, axis, here, given)
            return
        known, owner = self.bound.get(declared) or (
            self._here(declared),
            f"{self.name}'s {given.name}",
        )
        found = self.symbols.facts.mismatch(known, here, axis)
        if found is not None:
            severity, only = found
            self._say(
                given,
                "axis-size",
                f"{axis} is {size_text(here)} in {given.text}, and {self.name} needs "
                f"{size_text(known)} as in {owner}{only}",
                f"give both the same size of {axis}",
                severity,
            )

    def _made_one(self, declared: Node, axis: str, here: Any, given: Given) -> None:
        """Report two sizes of the function that have one symbol in this call.

        Only if the call uses a symbol of the function itself, for another of its sizes: the symbols then
        mean the same in the call and in the function.
        """
        symbol = str(declared.operation.params[0])
        if not _is_symbol(here) or here is declared or symbol.startswith("|"):
            return
        if is_own_size(axis, here) or self.bound.get(here, ("",))[0] is not here:
            return
        found = self.symbols.facts.compare(declared, here)
        if found.verdict == "where":
            sized = self.symbols.dialect.sized(axis, symbol)
            self._say(
                given,
                "axis-size",
                f"{axis} is {size_text(here)} in {given.text} and {symbol} where {self.name} is "
                f"declared, right only where {found.where}",
                f"declare {sized}, or say that {found.where}",
                "warning",
            )

    def _here(self, size: Any) -> Any:
        """Give the value of a size of the function in this call."""
        if not isinstance(size, Node):
            return size
        given = {symbol: as_node(found) for symbol, (found, _) in self.bound.items()}
        (found,) = placed_parts([size], given)
        return found if found.value is None else found.value


def _is_symbol(size: Any) -> bool:
    return isinstance(size, Node) and size.operation.primitive is SIZE


_serial = itertools.count(1)


class CheckedFunction:
    """A function with a definition: its body is evaluated once, and its calls are compared with it."""

    def __init__(self, checker: Checker, defined: Defined) -> None:
        self.checker = checker
        self.defined = defined
        self.name = wording(defined.name)
        self.written = checker.report.text(defined.name.span)
        assert defined.call is not None
        self.call: Call = defined.call
        self.names = [a for a in defined.call.arguments if not is_setting(a)]
        self._values: dict[str, Value] | None = None
        self._results: tuple[Type | None, ...] = ()
        self._busy = False
        #: the sections in which it was called without its parameters
        self._told: set[int] = set()
        #: arguments that are assumed to be numbers, because nothing declares them
        self.assumed: set[str] = set()
        #: arguments that only another section declares
        self.borrowed: set[str] = set()
        self.far: dict[str, Declared] = {}

    @property
    def signature(self) -> Signature | None:
        """The signature, if it has as many arguments as the definition; else None."""
        found = self.checker.names.signature(self.defined)
        fits = found is not None and len(found.domain) == len(self.names)
        return found if fits else None

    def values(self) -> dict[str, Value]:
        """Give a symbol for each argument and parameter; bundles are left out, and some are UNKNOWN."""
        if self._values is None:
            self._values = {}
            signature = self.signature
            for place, name in enumerate(self.names):
                space = signature.domain[place] if signature else None
                self._values[key(name) or ""] = self._argument(name, space)
            for setting in self.call.arguments:
                if is_setting(setting):
                    text = key(setting.first) or ""
                    self._values[text] = self.checker.size_symbol(text)
            for parameter in self.call.parameters:
                value = self._argument(parameter, None)
                if value is not UNKNOWN or not self._is_bundle(parameter):
                    self._values[key(parameter) or ""] = value
        return self._values

    def value(self, name: Expression) -> Value:
        """Give the symbol of an argument or a parameter."""
        return self.values().get(key(name) or "", UNKNOWN)

    def _argument(self, name: Expression, space: Space | None) -> Value:
        checker, place = self.checker, self.defined.place
        if space is not None:  # the signature decides, as when the formula is run
            return checker.symbol(key(name) or "", space, place)
        found = checker.input_of(name, self.defined)
        declared = None if found is None else found.declared
        if declared is not None:
            if not checker.names.inherits(place, declared.place):
                text = key(name) or ""
                self.far[text] = declared
                if not checker.names.is_only(text, declared):
                    self.borrowed.add(text)
            return checker.declared_value(declared)
        any_ = bool(self.call.axes) or name in self.call.parameters
        if any_ and found is not None and found.inferred and found.space is not None:
            return checker.symbol(key(name) or "", found.space, place)  # any tensor with these axes
        return self._number(name, found)

    def _number(self, name: Expression, found: Input | None) -> Value:
        """Guess what an undeclared argument is: an index if it chooses elements, or else a number.

        `found` is what it is taken for when the formula is run: by a function that it is passed to.
        """
        text, space = key(name) or "", None if found is None else found.space
        if space is not None and space.base == "[n]":
            return self.checker.symbol(text, space, self.defined.place)
        places = [at.at for at in all_of(At, self.defined.body)]
        if any(key(part) == text for part in walk(tuple(places))):
            return self.checker.size_symbol(text)  # a whole number in an index, as the d of t - d
        passed = found is not None and space is not None and not found.inferred
        if not is_small(name) or self.call.axes:
            return UNKNOWN
        if not (passed or is_elementwise(name, self.defined.body)):
            return UNKNOWN
        if space is not None and space.axes:
            return UNKNOWN  # it is passed to a function that acts along axes
        self.assumed.add(text)
        return self.checker.assumed_number()

    def _is_bundle(self, name: Expression) -> bool:
        """Say whether a letter after the semicolon is a bundle of declared ones: W for W^1 and W^2."""
        own = key(name)
        scripted = {id(p.base) for p in all_of(Scripts, self.defined.body)}
        parts = [p for p in walk(self.defined.body) if id(p) not in scripted]
        if any(key(part) == own for part in parts):
            return False
        names = self.checker.names
        return any(stem(d.name) == own for group in names.declared.values() for d in group)

    # ------------------------------------------------------------------------- the body

    def look(self) -> None:
        """Evaluate the body on the declared shapes, and compare the result with the signature."""
        values = self.values()

        def scope(believing: bool) -> CheckScope:
            if not believing:
                self.borrowed.update(self.far)
                values.update(dict.fromkeys(self.borrowed, UNKNOWN))
            indices: dict[str, int | None] = dict.fromkeys(self.defined.letters)
            place, owner = self.defined.place, id(self.defined) + (not believing)
            found = CheckScope(
                self.checker, place, indices, values, owner=owner, believing=believing
            )
            found.borrowed, found.far = frozenset(self.borrowed), self.far
            return found

        self.checker.believed(scope, self.defined, self._held)

    def _held(self, defined: Defined, scope: CheckScope) -> Value:
        value = evaluated(scope, defined.body, self._body)
        self.checker.found[id(defined)] = value
        several = value if isinstance(value, tuple) else (value,)
        self._results = tuple(map(type_of, several))
        self._hold_to_signature(value)
        return value

    def _body(self, evaluator: Evaluator) -> Value:
        statement = self.defined.statement
        if isinstance(statement.target, Indexed):
            signature, sizes = self.signature, {}
            if signature is not None:
                given = self.checker.space_type(signature.codomain, self.defined.place)
                sizes = {n: open_size(size) for n, size in given.axes}
            return right_side(evaluator, statement, statement.body, sizes)
        values = [evaluator.numbers(result) for result in self.defined.results]
        if len(values) > 1:
            return tuple(values)
        values += [evaluator.value(member) for member in statement.chain]
        taken = [self.checker.input_of(name, self.defined) for name in self.names]
        anything = [found.key for found in taken if found is not None and found.declared is None]
        check_chain(self.checker, (statement.body, *statement.chain), values, anything)
        return values[0]

    def _hold_to_signature(self, value: Value) -> None:
        checker, defined = self.checker, self.defined
        stated = checker.names.signature(defined)
        if stated is None:
            return
        if self.signature is None:
            wanted, given = len(stated.domain), len(self.names)
            checker.report.error(
                "arguments",
                defined.statement.target.span,
                f"{self.name} has {given} argument{'' if given == 1 else 's'} here, and its "
                f"signature on line {checker.line(stated.span)} has {wanted}",
                hint="what is trained stands after a semicolon: f(X; W), and not in the signature",
            )
            return
        if len(self._results) > 1:
            return
        promised = checker.space_type(stated.codomain, defined.place)
        if check_promised(checker, self.name, defined.body, promised, type_of(value), stated):
            return
        self._results = (promised,)

    def results(self) -> tuple[Type | None, ...]:
        """Give the shapes of the results; () if they are unknown, as while the body is evaluated."""
        signature = self.signature
        self.checker.value_of(self.defined)
        if self._results in ((), (None,)) and signature is not None:
            return (self.checker.space_type(signature.codomain, self.defined.place),)
        return self._results

    # ------------------------------------------------------------------------- calls

    def apply(
        self, call: Call, arguments: Sequence[Value], parameters: Sequence[Value], scope: Scope
    ) -> Value:
        """Check a call against the definition, and give a symbol of the result's shape."""
        asked, own = ([a.name for a in c.axes] for c in (call, self.call))
        if not may_stand_for(own, asked):
            return UNKNOWN  # mean_seq X is not a call of a function mean(X; F) of the document
        if asked == own:
            return self._applied(call, arguments, parameters, scope)
        given, back = put_along(arguments, asked, own)
        return back(self._applied(call, given, parameters, scope))

    def _applied(
        self, call: Call, arguments: Sequence[Value], parameters: Sequence[Value], scope: Scope
    ) -> Value:
        checker = self.checker
        self._parameters(call, scope)
        self._repeated(call, parameters)
        results = self.results()
        whole = self._is_tensor_for_number(arguments) and not self._is_of_each_element()
        known = () if self.borrowed or whole else results
        held = CallCheck(
            checker,
            self.name,
            self._declared(self.names),
            known,
            self._declared(self.call.parameters),
        )
        found = held.check(call, arguments, parameters)
        if held.refused:
            return UNKNOWN
        named = zip(self.call.parameters, parameters, strict=False)
        given_ = {key(n) or "": v for n, v in (*zip(self.names, arguments, strict=False), *named)}
        if not any(found):
            return self._inlined(call, given_, len(arguments))
        values: list[Value] = []
        for type_ in found:
            if type_ is None:
                values.append(UNKNOWN)
                continue
            value = checker.marking(self.defined, checker.stand_in(type_))
            checker.calls[value.node] = self.defined, given_
            values.append(value)
        return tuple(values) if len(values) > 1 else values[0]

    def _repeated(self, call: Call, parameters: Sequence[Value]) -> None:
        """Report a parameter that is given twice, if its shape does not fit in the second place."""
        if len(call.parameters) != len(self.call.parameters):
            return
        for at, (given, value) in enumerate(zip(call.parameters, parameters, strict=False)):
            own = self.call.parameters[at]
            wanted = type_of(self.value(own))
            found = type_of(value)
            twice = given in call.parameters[:at] and isinstance(given, (Letter, Scripts))
            if twice and wanted and found and set(wanted.names) != set(found.names):
                text = self.checker.report.text(given.span)
                self.checker.report.warning(
                    "repeated",
                    given.span,
                    f"{text} is given to {self.name} twice, and its "
                    f"{self.checker.report.text(own.span)} has another shape",
                    [(text, shape_text(found)), (wording(own), shape_text(wanted))],
                    f"is {self.checker.report.text(own.span)} meant?",
                )

    def _is_tensor_for_number(self, arguments: Sequence[Value]) -> bool:
        """Say whether a call gives a tensor for an argument that was assumed to be a number."""
        types = [type_of(v) for v in arguments]
        pairs = zip(self.names, types, strict=False)
        return any(key(n) in self.assumed and t is not None and t.axes for n, t in pairs)

    def _is_of_each_element(self) -> bool:
        """Say whether each element is made of those of the arguments alone, so that any axes are lifted."""
        node = node_of(self.checker.found.get(id(self.defined), UNKNOWN))
        parts = () if node is None else self.checker.parts(node)
        return bool(parts) and all(
            not part.type.axes and (not part.operands or part.operation.primitive.traits.pointwise)
            for part in parts
        )

    def _inlined(self, call: Call, given: dict[str, Value], count: int) -> Value:
        """Evaluate the body of a function with undeclared arguments for the values of a call.

        A failure in the body is reported at the call, if the body does not fail for declared letters.
        """
        unknown = [n for n in self.names if self.value(n) is UNKNOWN or key(n) in self.assumed]
        if not (unknown or self.borrowed) or self._busy or count != len(self.names):
            return UNKNOWN
        assumed = self.checker.assumed
        given = {n: UNKNOWN if node_of(v) in assumed else v for n, v in given.items()}
        value, failed = self._one_by_one(call, given) or self._with(given)
        declared = self.checker.names.declared
        alike = {
            key(n) or "": self.checker.declared_value(found[0])
            for n in (*unknown, *self.call.parameters)
            if self.value(n) is UNKNOWN or n in unknown
            if (found := declared.get(key(n) or ""))
        }
        theirs = failed and (self.borrowed or alike) and not self._with(alike)[1]
        sizes = [f for f in failed if f.code == "axis-size"]
        self._fails(call, failed if theirs else sizes)
        if not theirs:
            self.checker.report.keep([f for f in failed if f not in sizes])
        return value

    def _one_by_one(
        self, call: Call, given: dict[str, Value]
    ) -> tuple[Value, list[Finding]] | None:
        """Lift over axes that the body's own tensors have too, as a run does, and note it; or give None."""
        checker, over = self.checker, dict[str, Any]()
        inner, hints = dict(given), list[str]()
        for name in self.names:
            found, type_ = checker.input_of(name, self.defined), type_of(given[key(name) or ""])
            if found is None or found.space is None or not found.inferred or type_ is None:
                continue
            asked = Asked(checker.names, checker.linker.callee, checker.linker.linked(self.defined))
            if alone := [n for n in asked.could_meet(found) if type_.has(n)]:
                inner[found.key] = checker.stand_in(type_.without(alone))
                over |= {n: type_.size(n) for n in alone}
                axes = [(n, "") for n in (*found.space.names, *alone)]
                hints.append(f"{wording(name)} \\in {checker.dialect.space(REALS, axes)}")
        value, failed = self._with(inner) if over else (UNKNOWN, [])
        result = type_of(value)
        if result is None or failed or any(result.has(n) for n in over):
            return None
        checker.report.note(
            "meaning",
            call.span,
            f"{checker.report.text(call.span)} takes each element along {listed(over)} alone; it does "
            f"not meet the {listed(over)} of what {self.name} has itself",
            hint=f"where these are one axis, declare {listed(hints)}",
        )
        return checker.stand_in(result.with_axes((over | dict(result.axes)).items())), []

    def _with(self, given: dict[str, Value]) -> tuple[Value, list[Finding]]:
        """Evaluate the body for some arguments: give its value and the findings in it."""
        indices: dict[str, int | None] = dict.fromkeys(self.defined.letters)
        arguments = {**self.values(), **given}
        place, owner = self.defined.place, -next(_serial)
        scope = CheckScope(self.checker, place, indices, arguments, owner=owner)
        scope.expect_bundles(self.defined.body)
        self._busy, mark = True, self.checker.report.mark()
        try:
            value = evaluated(scope, self.defined.body, self._body)
        finally:
            self._busy = False
        return value, self.checker.report.take_back(mark, self.defined.statement.span)

    def _fails(self, call: Call, found: Sequence[Finding]) -> None:
        """Report at a call that its arguments make the body fail."""
        for failed in found:
            if failed.code in ("axis-missing", "axis-clash", "axis-size"):
                self.checker.report.add(
                    failed.severity,
                    failed.code,
                    call.span,
                    f"in {self.name}, on line {failed.line}: {failed.message}",
                    failed.shapes,
                    f"give {self.name} what it declares: {self.checker.report.text(self.call.span)}",
                )

    def _declared(self, names: Sequence[Expression]) -> list[tuple[str, Type | None]]:
        """Give the declared shapes of arguments; None for those that only another section declares."""
        free = self.borrowed | self.assumed
        text = self.checker.report.text
        return [
            (text(n.span), type_of(UNKNOWN if key(n) in free else self.value(n))) for n in names
        ]

    def _parameters(self, call: Call, scope: Scope) -> None:
        """Report, once in a section, that a function is called without its parameters."""
        if call.parameters or not self.call.parameters or isinstance(call.function, Scripts):
            return  # f^1 is one of several instances, and has parameters of its own
        section = scope.place.section if isinstance(scope, CheckScope) else 0
        word = isinstance(call.function, Letter) and call.function.style == "word"
        if section != self.defined.place.section and not word:
            return  # p is a function of another section only: p(1 - p) is a product
        extra = len(call.arguments) - len(self.names)
        if extra == len(self.call.parameters):
            return
        checker = self.checker
        names = ", ".join(checker.report.text(p.span) for p in self.call.parameters)
        if section in self._told:
            return
        self._told.add(section)
        given = ", ".join(checker.report.text(a.span) for a in call.arguments)
        shared = not is_lettered(call.function) and checker.shares_parameters
        tell = checker.report.warning if shared else checker.report.note
        tell(
            "parameters-missing",
            call.span,
            f"{self.name} is called without its parameters, {names}: they are taken as they are declared",
            hint=f"write {self.written}({given}; {names})",
        )


class Promised:
    """A function of which the document has only the signature."""

    def __init__(self, checker: Checker, signature: Signature, place: Any) -> None:
        self.checker = checker
        self.signature = signature
        self.place = place
        self.name = wording(signature.name)

    def apply(
        self, call: Call, arguments: Sequence[Value], parameters: Sequence[Value], scope: Scope
    ) -> Value:
        """Check a call against the signature."""
        checker = self.checker
        domain = [
            (f"argument {i}", checker.space_type(space, self.place))
            for i, space in enumerate(self.signature.domain, start=1)
        ]
        result = checker.space_type(self.signature.codomain, self.place)
        found = CallCheck(checker, self.name, domain, (result,)).check(call, arguments)
        type_ = found[0] if found else None
        return UNKNOWN if type_ is None else checker.stand_in(type_)
