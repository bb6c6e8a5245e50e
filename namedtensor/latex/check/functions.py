"""Functions that a document defines, as a checker sees them: shapes in, a shape out; and calls held to them.

A function's own sizes are open to its callers: FFN declared over emb:d_model takes emb:512. One size
has one value in a call; axes that an argument does not declare pass through.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from namedtensor.latex.check.compare import check_promised
from namedtensor.latex.check.occurrences import is_elementwise
from namedtensor.latex.check.report import (
    Report,
    is_own_size,
    listed,
    shape_text,
    size_text,
)
from namedtensor.latex.check.scope import CheckScope, evaluated
from namedtensor.latex.check.sizes import Facts
from namedtensor.latex.check.types import node_of, type_of
from namedtensor.latex.documents.scopes import Declared, Defined
from namedtensor.latex.documents.scripts import key, stem
from namedtensor.latex.evaluation.evaluate import Evaluator, element
from namedtensor.latex.evaluation.values import UNKNOWN, Scope, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.printing.dialects import Dialect
from namedtensor.latex.reading.words import LETTERS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    Call,
    Expression,
    Indexed,
    Letter,
    Relation,
    Scripts,
    Signature,
    Space,
)
from namedtensor.latex.walk import walk
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import SIZE, apply_node
from namedtensor.primitives.primitive import table
from namedtensor.primitives.sizes import OPERATORS, as_node, combine

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


@dataclass(slots=True)
class Callee:
    """What is known of a function: its name, the shapes that it takes, and the one that it gives."""

    name: str
    arguments: list[tuple[str, Type | None]]
    results: tuple[Type | None, ...] = ()


@dataclass(slots=True)
class Given:
    """An argument of a call: how and where it is written, and its shape."""

    text: str
    span: Span
    type: Type | None


class CallCheck:
    """One call, held against its function."""

    def __init__(self, callee: Callee, report: Report, facts: Facts, dialect: Dialect) -> None:
        self.callee = callee
        self.report = report
        self.facts = facts
        self.dialect = dialect
        #: a size of the function -> (its size here, the argument that gave it)
        self.bound: dict[str, tuple[Any, str]] = {}
        self.extra: dict[str, Any] = {}
        self.fine = True

    def check(self, span: Span, given: Sequence[Given]) -> tuple[Type | None, ...]:
        """Check a call and give the shapes of its results; nothing where they are unknown."""
        if not self._count(span, given):
            return ()
        for (name, declared), argument in zip(self.callee.arguments, given, strict=True):
            if declared is None or declared.host:
                self._unknown(argument)
            elif argument.type is None:
                self.fine = False
            else:
                self._argument(name, declared, argument)
        if not self.fine:
            return ()
        return tuple([None if r is None else self._result(r) for r in self.callee.results])

    def _count(self, span: Span, given: Sequence[Given]) -> bool:
        wanted = [name for name, _ in self.callee.arguments]
        if len(given) == len(wanted):
            return True
        one = "argument" if len(wanted) == 1 else "arguments"
        are = "is" if len(given) == 1 else "are"
        self.report.add(
            "error",
            "arguments",
            span,
            f"{self.callee.name} takes {len(wanted)} {one}, {listed(wanted)}, and {len(given)} {are} "
            "given",
            [(g.text, shape_text(g.type)) for g in given if g.type is not None],
            f"write {self.callee.name}({', '.join(wanted)})",
        )
        return False

    def _unknown(self, argument: Given) -> None:
        """Let the axes of an argument of which nothing is declared pass through."""
        if argument.type is None:
            self.fine = False
        elif not argument.type.host:
            for axis, size in argument.type.axes:
                self.extra.setdefault(axis, size)

    # ------------------------------------------------------------------------- one argument

    def _argument(self, name: str, declared: Type, argument: Given) -> None:
        assert argument.type is not None
        of = f"{name} of {self.callee.name}"
        shapes = [(argument.text, shape_text(argument.type)), (of, shape_text(declared))]
        for axis, size in declared.axes:
            if not argument.type.has(axis):
                self._missing(axis, name, argument, shapes)
                return
            self._size(axis, size, argument.type.size(axis), name, argument, shapes)
        for axis, size in argument.type.axes:
            if not declared.has(axis):
                self.extra.setdefault(axis, size)
                self._clash(axis, argument, shapes)

    def _missing(
        self, axis: str, name: str, argument: Given, shapes: list[tuple[str, str]]
    ) -> None:
        assert argument.type is not None
        self.fine = False
        others = [n for n in argument.type.names if not self._declares(n)]
        hint = f"give {self.callee.name} a tensor with an axis {axis}"
        if len(others) == 1:
            hint = f"rename the axis that is meant: {self.dialect.renamed(argument.text, others[0], axis)}"
        self.report.add(
            "error",
            "axis-missing",
            argument.span,
            f"{self.callee.name} declares {name} over {axis}, and {argument.text} has no axis {axis}",
            shapes,
            hint,
        )

    def _declares(self, axis: str) -> bool:
        types = [t for _, t in self.callee.arguments if t is not None]
        return any(t.has(axis) for t in types)

    def _clash(self, axis: str, argument: Given, shapes: list[tuple[str, str]]) -> None:
        result = next((r for r in self.callee.results if r is not None and r.has(axis)), None)
        if result is not None and not self._declares(axis):
            self.fine = False
            self.report.add(
                "error",
                "axis-clash",
                argument.span,
                f"{argument.text} has an axis {axis}, and what {self.callee.name} gives has one too",
                [*shapes, (self.callee.name, shape_text(result))],
                "rename the argument's first: "
                f"{self.dialect.renamed(argument.text, axis, axis + chr(39))}",
            )

    # ------------------------------------------------------------------------- sizes

    def _size(
        self,
        axis: str,
        declared: Any,
        here: Any,
        name: str,
        argument: Given,
        shapes: list[tuple[str, str]],
    ) -> None:
        if here is None or declared is None:
            return
        if isinstance(declared, Node) and declared.operation.primitive is SIZE:
            symbol = str(declared.operation.params[0])
            if symbol not in self.bound:
                self.bound[symbol] = here, argument.text
                self._made_one(symbol, axis, here, argument, shapes)
                return
            known, owner = self.bound[symbol]
        else:
            known, owner = substitute(declared, self._sizes()), f"{self.callee.name}'s {name}"
        self._compare(axis, known, owner, here, argument, shapes)

    def _compare(
        self,
        axis: str,
        known: Any,
        owner: str,
        here: Any,
        argument: Given,
        shapes: list[tuple[str, str]],
    ) -> None:
        if (found := self.facts.mismatch(known, here, axis)) is not None:
            severity, only = found
            self.report.add(
                severity,
                "axis-size",
                argument.span,
                f"{axis} is {size_text(here)} in {argument.text}, and {self.callee.name} needs "
                f"{size_text(known)} as in {owner}{only}",
                shapes,
                f"give both the same size of {axis}",
            )

    def _made_one(
        self, symbol: str, axis: str, here: Any, argument: Given, shapes: list[tuple[str, str]]
    ) -> None:
        """Report two sizes that the function tells apart and that one symbol stands for here.

        Only where the call uses the function's own symbol for another of its sizes: then the symbols
        mean the same here and there.
        """
        other = here.operation.params[0] if _is_symbol(here) else None
        if other is None or other == symbol or symbol.startswith("|") or is_own_size(axis, here):
            return
        bound = self.bound.get(str(other))
        if bound is None or bound[0] is not here:
            return
        found = self.facts.compare(_symbol_of(self.callee, symbol), here)
        if found.verdict == "where":
            self.report.add(
                "warning",
                "axis-size",
                argument.span,
                f"{axis} is {size_text(here)} in {argument.text} and {symbol} where "
                f"{self.callee.name} is declared, right only where {found.where}",
                shapes,
                f"declare {self.dialect.sized(axis, symbol)}, or say that {found.where}",
            )

    def _sizes(self) -> dict[str, Any]:
        return {symbol: size for symbol, (size, _) in self.bound.items()}

    def _result(self, result: Type) -> Type:
        """Give the result's shape with the sizes of this call, and the axes that pass through."""
        sizes = self._sizes()
        axes = {axis: substitute(size, sizes) for axis, size in result.axes}
        return result.with_axes((self.extra | axes).items())


def substitute(size: Any, sizes: dict[str, Any]) -> Any:
    """Put the sizes of a call in place of a function's own.

    >>> from namedtensor.primitives.node import size_of
    >>> substitute(size_of("n", "n", 0), {"n": 5})
    5
    """
    if not isinstance(size, Node):
        return size
    if size.operation.primitive is SIZE:
        return sizes.get(str(size.operation.params[0]), size)
    if not size.operands:
        return size
    parts = [substitute(o if o.value is None else o.value, sizes) for o in size.operands]
    if None in parts:
        return None
    if len(parts) == 2 and size.operation.primitive.traits.symbol in OPERATORS:
        return combine(size.name, *parts)
    return apply_node(table()[size.name](*size.operation.params), tuple(map(as_node, parts)))


def _is_symbol(size: Any) -> bool:
    return isinstance(size, Node) and size.operation.primitive is SIZE


def _symbol_of(callee: Callee, symbol: str) -> Any:
    types = [t for _, t in callee.arguments if t is not None]
    sizes = [s for t in types for _, s in t.axes if _is_symbol(s)]
    return next((s for s in sizes if s.operation.params[0] == symbol), None)


def held_to(
    callee: Callee, checker: Checker, call: Call, arguments: Sequence[Value]
) -> tuple[Type | None, ...]:
    """Hold a call to what is known of its function, and give the shapes of the results."""
    given = [
        Given(checker.report.text(a.span), a.span, type_of(value))
        for a, value in zip(call.arguments, arguments, strict=False)
        if not isinstance(a, Relation)
    ]
    check = CallCheck(callee, checker.report, checker.facts, checker.dialect)
    return check.check(call.span, given)


_serial = itertools.count(1)


class CheckedFunction:
    """A function with a definition: its body is looked at once, its calls are held against it."""

    def __init__(self, checker: Checker, defined: Defined) -> None:
        self.checker = checker
        self.defined = defined
        self.name = wording(defined.name)
        self.written = checker.report.text(defined.name.span)
        assert defined.call is not None
        self.call: Call = defined.call
        self.names = [a for a in defined.call.arguments if not isinstance(a, Relation)]
        self._values: dict[str, Value] | None = None
        self._results: tuple[Type | None, ...] = ()
        self._looked = False
        self._busy = False
        #: arguments that are taken for numbers, as nothing says what they are
        self.assumed: set[str] = set()
        #: arguments of which only another section says what they are
        self.borrowed: set[str] = set()
        self.far: dict[str, Declared] = {}

    @property
    def signature(self) -> Signature | None:
        """The signature with as many arguments as the definition has."""
        found = self.checker.names.signature(self.defined)
        fits = found is not None and len(found.domain) == len(self.names)
        return found if fits else None

    def values(self) -> dict[str, Value]:
        """Give the arguments as symbols; a bundle, and what is not declared, has none of its own."""
        if self._values is None:
            self._values = {}
            signature = self.signature
            for place, name in enumerate(self.names):
                space = signature.domain[place] if signature else None
                self._values[key(name) or ""] = self._argument(name, space)
            for setting in self.call.arguments:
                if isinstance(setting, Relation):
                    text = key(setting.first) or ""
                    self._values[text] = self.checker.size_symbol(text)
            for parameter in self.call.parameters:
                value = self._argument(parameter, None)
                if value is not UNKNOWN or not self._is_bundle(parameter):
                    self._values[key(parameter) or ""] = value
        return self._values

    def _argument(self, name: Expression, space: Space | None) -> Value:
        checker, place = self.checker, self.defined.place
        if space is not None:  # the signature says what the formula takes when it runs
            return checker.symbol(key(name) or "", space, place)
        declared = checker.declaration(name, place) or checker.taken(name, self.defined)
        if declared is not None:
            later = declared.place.index > place.index and declared.place.block != place.block
            inherited = checker.names.inherits(place, declared.place)
            if not inherited:
                self.far[key(name) or ""] = declared
            if (later or not inherited) and not self._is_trusted(name, declared):
                self.borrowed.add(key(name) or "")
            value = checker.declared_value(declared)
            return value if self._fits(value) else UNKNOWN
        return self._number(name)

    def _is_trusted(self, name: Expression, declared: Declared) -> bool:
        """Say whether an argument is what another section declares: no other and no call says else."""
        text = key(name) or ""
        calls = [call for call, _ in self.checker.names.calls_of.get(self.defined.key, ())]
        given = [
            a for c in calls for n, a in zip(self.names, c.arguments, strict=False) if n == name
        ]
        if not {text}.issuperset(map(key, given)):
            return False
        if self.checker.names.inherits(self.defined.place, declared.place):
            return self.checker.names.is_only(text, declared)  # formula, where W \in ...
        return self.checker.trusts(text, declared, self.defined.place)

    def _number(self, name: Expression) -> Value:
        """Take a small letter of which nothing is declared for a number, where it can be one."""
        text = key(name) or ""
        small = isinstance(name, Letter) and (
            text.islower() and (len(text) == 1 or text in LETTERS)
        )
        if not small or self.call.axes or not is_elementwise(text, self.defined.body):
            return UNKNOWN
        self.assumed.add(text)
        value = self.checker.stand_in(Type(()))
        self.checker.assumed.add(value.node)
        return value

    def _fits(self, value: Value) -> bool:
        """Say whether a tensor has the axes of f_{ax}(X), which stand for any."""
        type_ = type_of(value)
        return type_ is None or all(type_.has(axis.name) for axis in self.call.axes)

    def _is_bundle(self, name: Expression) -> bool:
        """Say whether a letter after the semicolon stands for declared ones: W for W^1 and W^2."""
        own = key(name)
        scripted = {id(p.base) for p in walk(self.defined.body) if isinstance(p, Scripts)}
        parts = [p for p in walk(self.defined.body) if id(p) not in scripted]
        if any(key(part) == own for part in parts):
            return False
        names = self.checker.names
        return any(stem(d.name) == own for group in names.declared.values() for d in group)

    # ------------------------------------------------------------------------- the body

    def look(self) -> None:
        """Evaluate the body on the declared shapes, and hold it to the signature."""
        if self._looked:
            return
        self._looked = True
        values = self.values()

        def scope(believing: bool) -> CheckScope:
            if not believing:
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
            return element(evaluator, statement.target, statement.body, {}, statement.condition)
        values = [evaluator.numbers(result) for result in self.defined.results]
        if len(values) > 1:
            return tuple(values)
        for member in statement.chain:
            evaluator.value(member)
        return values[0]

    def _hold_to_signature(self, value: Value) -> None:
        checker, defined = self.checker, self.defined
        stated = checker.names.signature(defined)
        if stated is None:
            return
        if self.signature is None:
            wanted, given = len(stated.domain), len(self.names)
            checker.report.add(
                "error",
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
        """Give the shapes of the results; nothing while the body is being looked at, or where unknown."""
        signature = self.signature
        self.checker.value_of(self.defined)
        if self._results in ((), (None,)) and signature is not None:
            return (self.checker.space_type(signature.codomain, self.defined.place),)
        return self._results

    # ------------------------------------------------------------------------- calls

    def apply(
        self, call: Call, arguments: Sequence[Value], parameters: Sequence[Value], scope: Scope
    ) -> Value:
        """Hold a call against the definition, and give a symbol of the result's shape."""
        checker = self.checker
        if call.axes or self.call.axes:
            return UNKNOWN  # mean_seq X is no call of the document's own mean(X; F)
        self._parameters(call, scope)
        self._repeated(call, parameters)
        results = self.results()
        known = () if self.borrowed or self._is_tensor_for_number(arguments) else results
        callee = Callee(self.name, self._declared(self.names), known)
        found = held_to(callee, checker, call, arguments)
        if not any(found):
            return self._inlined(call, arguments)
        named = zip(self.call.parameters, parameters, strict=False)
        given_ = {key(n) or "": v for n, v in (*zip(self.names, arguments, strict=False), *named)}
        values: list[Value] = []
        for type_ in found:
            if type_ is None:
                values.append(UNKNOWN)
                continue
            value = checker.stand_in(self._lifted(type_, parameters))
            checker.calls[value.node] = self.defined, given_
            values.append(value)
        return tuple(values) if len(values) > 1 else values[0]

    def _repeated(self, call: Call, parameters: Sequence[Value]) -> None:
        """Report a parameter that is given twice, where its shape is not what the second wants."""
        if len(call.parameters) != len(self.call.parameters):
            return
        for at, (given, value) in enumerate(zip(call.parameters, parameters, strict=False)):
            own = self.call.parameters[at]
            wanted = type_of(self.values().get(key(own) or "", UNKNOWN))
            found = type_of(value)
            twice = given in call.parameters[:at] and isinstance(given, (Letter, Scripts))
            if twice and wanted and found and set(wanted.names) != set(found.names):
                text = self.checker.report.text(given.span)
                self.checker.report.add(
                    "warning",
                    "repeated",
                    given.span,
                    f"{text} is given to {self.name} twice, and its "
                    f"{self.checker.report.text(own.span)} has another shape",
                    [(text, shape_text(found)), (wording(own), shape_text(wanted))],
                    f"is {self.checker.report.text(own.span)} meant?",
                )

    def _is_tensor_for_number(self, arguments: Sequence[Value]) -> bool:
        """Say whether a call gives a tensor for what was taken for a number."""
        types = [type_of(v) for v in arguments]
        pairs = zip(self.names, types, strict=False)
        return any(key(n) in self.assumed and t is not None and t.axes for n, t in pairs)

    def _lifted(self, result: Type, parameters: Sequence[Value]) -> Type:
        """Give a result the axes that the parameters of a call have besides those declared."""
        axes = dict(result.axes)
        if len(parameters) == len(self.call.parameters):
            for name, value in zip(self.call.parameters, parameters, strict=True):
                declared = type_of(self.values().get(key(name) or "", UNKNOWN))
                type_ = type_of(value)
                if declared is not None and type_ is not None:
                    axes |= {n: s for n, s in type_.axes if not declared.has(n) and n not in axes}
        return result.with_axes(axes.items())

    def _inlined(self, call: Call, arguments: Sequence[Value]) -> Value:
        """Find what a function of undeclared arguments gives for these, without a word."""
        values = self.values()
        unknown = [
            n
            for n in self.names
            if values.get(key(n) or "", UNKNOWN) is UNKNOWN or key(n) in self.assumed
        ]
        if not (unknown or self.borrowed) or self._busy or len(arguments) != len(self.names):
            return UNKNOWN
        assumed = self.checker.assumed
        known = [UNKNOWN if node_of(v) in assumed else v for v in arguments]
        given = {key(n) or "": v for n, v in zip(self.names, known, strict=True)}
        indices: dict[str, int | None] = dict.fromkeys(self.defined.letters)
        scope = CheckScope(
            self.checker, self.defined.place, indices, {**values, **given}, owner=-next(_serial)
        )
        scope.quiet = bool(self.borrowed)
        self._busy = True
        try:
            return evaluated(scope, self.defined.body, self._body)
        finally:
            self._busy = False

    def _declared(self, names: Sequence[Expression]) -> list[tuple[str, Type | None]]:
        """Give what the arguments are declared over, but not what another section may mean by them."""
        values = self.values()
        found = []
        for name in names:
            text = key(name) or ""
            free = text in self.borrowed or text in self.assumed
            known = UNKNOWN if free else values.get(text, UNKNOWN)
            found.append((self.checker.report.text(name.span), type_of(known)))
        return found

    def _parameters(self, call: Call, scope: Scope) -> None:
        """Report, once in a section, that a function is called without what follows its semicolon."""
        if call.parameters or not self.call.parameters or isinstance(call.function, Scripts):
            return  # f^1 is one of several, and has parameters of its own
        section = scope.place.section if isinstance(scope, CheckScope) else 0
        word = isinstance(call.function, Letter) and call.function.style == "word"
        if section != self.defined.place.section and not word:
            return  # p(1 - p) is a product where another section has a function p
        extra = len(call.arguments) - len(self.names)
        if extra == len(self.call.parameters):
            return
        checker = self.checker
        names = ", ".join(checker.report.text(p.span) for p in self.call.parameters)
        if not checker.first_time("parameters", self.defined, section):
            return
        given = ", ".join(checker.report.text(a.span) for a in call.arguments)
        checker.report.add(
            "warning",
            "parameters-missing",
            call.span,
            f"{self.name} is called without its parameters, {names}",
            hint=f"write {self.written}({given}; {names})",
        )


class Promised:
    """A function of which only the signature is known."""

    def __init__(self, checker: Checker, signature: Signature, place: Any) -> None:
        self.checker = checker
        self.signature = signature
        self.place = place
        self.name = wording(signature.name)

    def apply(
        self, call: Call, arguments: Sequence[Value], parameters: Sequence[Value], scope: Scope
    ) -> Value:
        """Hold a call against the signature."""
        checker = self.checker
        domain = [
            (f"argument {i}", checker.space_type(space, self.place))
            for i, space in enumerate(self.signature.domain, start=1)
        ]
        result = checker.space_type(self.signature.codomain, self.place)
        found = held_to(Callee(self.name, list(domain), (result,)), checker, call, arguments)
        type_ = found[0] if found else None
        return UNKNOWN if type_ is None else checker.stand_in(type_)
