"""The checker: what is known of a document while it is checked."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from namedtensor.errors import AxisNameError, NamedTensorError
from namedtensor.latex.check.annotations import KEEP_AXES, no_axis
from namedtensor.latex.check.compare import check_declared, check_series
from namedtensor.latex.check.functions import CheckedFunction, Promised
from namedtensor.latex.check.look import Taken, look_at_indices, sizes_meet
from namedtensor.latex.check.occurrences import Occurrences
from namedtensor.latex.check.report import Report
from namedtensor.latex.check.scope import CheckScope, evaluated
from namedtensor.latex.check.shapes import Explainer, split_type
from namedtensor.latex.check.sizes import Facts
from namedtensor.latex.check.spelling import alike
from namedtensor.latex.check.types import as_size, is_first, open_size, type_of
from namedtensor.latex.check.words import Dialect, is_own_size, size_text
from namedtensor.latex.evaluate import Evaluator
from namedtensor.latex.findings import Mend
from namedtensor.latex.indices import one_based
from namedtensor.latex.link import Linker
from namedtensor.latex.scopes import Declared, Defined, Names, Place
from namedtensor.latex.scripts import key, stem
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import (
    AxisName,
    Binary,
    Call,
    Contract,
    Definition,
    Expression,
    Indexed,
    Induction,
    Letter,
    Scripts,
    Signature,
    Space,
)
from namedtensor.latex.values import UNKNOWN, Value
from namedtensor.latex.walk import walk
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import argument, size_of
from namedtensor.tensor import SymbolicTensor

_serial = itertools.count()

KINDS = {"Z": "int", "N": "int", "[n]": "int", "{0,1}": "int", "C": "complex"}


class Checker:
    """What is known of a document while it is checked.

    `values` are those of the parts looked at, by identity. `spaces` says how a symbol was declared,
    `bounds` holds the n of those declared in [n].
    """

    def __init__(self, source: Source, names: Names, linker: Linker, report: Report) -> None:
        self.source = source
        self.names = names
        self.linker = linker
        self.report = report
        self.facts = Facts()
        self.values: dict[int, Value] = {}
        self.spaces: dict[Node, tuple[str, Space, Any]] = {}
        self.bounds: dict[Node, Any] = {}
        self.indexed: list[Taken] = []
        self.occurrences = Occurrences(source, names, report.findings)
        self.dialect = Dialect(source.text, self.occurrences.spelled)
        self.explainer = Explainer(report, self.dialect, self.type_of, self.occurrences.is_alone)
        self.dotted = {s.block for s in names.statements if isinstance(s, Induction)}
        self._declared: dict[int, Value] = {}
        self._defined: dict[tuple[Any, ...], Value] = {}
        self.reached: set[int] = set()
        self.sized_names = {key(a.size) for _, a in names.sized if a.size is not None}
        self.sizes_of = {
            (d.place.section, key(a.size)) for d, a in names.sized if a.size is not None
        }
        self.functions_of: dict[int, list[Defined]] = {}
        self.members_of: dict[tuple[int, str | None], list[Defined]] = {}
        for d in names.definitions:
            if d.kind == "function":
                self.functions_of.setdefault(d.place.section, []).append(d)
            else:
                self.members_of.setdefault((d.place.section, stem(d.name)), []).append(d)
        self.blocks_of_functions = {
            d.place.block for d in names.definitions if d.kind == "function"
        }
        self._open: set[int] = set()
        self._functions: dict[int, CheckedFunction] = {}
        self._told: set[Any] = set()

    # ------------------------------------------------------------------------- shapes

    def type_of(self, part: Any) -> Type | None:
        """Give the shape of a part that was looked at; None where it is unknown."""
        return type_of(self.values.get(id(part), UNKNOWN))

    def size_symbol(self, name: str) -> SymbolicTensor:
        """Give the symbol of a size that a document names."""
        text = name.replace("{", "").replace("}", "")
        return SymbolicTensor(size_of(text, text, 0))

    def _extent(self, size: Expression, place: Place) -> Any:
        return as_size(Evaluator(CheckScope(self, place, lenient=True, sizes=True)).extent(size))

    def space_type(self, space: Space, place: Place) -> Type:
        """Give the type of a space; an axis without a size has the size |axis|."""
        axes: dict[str, Any] = {}
        for sized in space.axes:
            name = sized.axis.name
            own = self.size_symbol(f"|{name}|").node
            if self.occurrences.is_slip(space, sized):
                continue
            size = own if sized.size is None else self._extent(sized.size, place)
            if sized.size is not None:
                written = self.report.text(sized.size.span)
                self.occurrences.sizes.setdefault(size_text(size), written)
            axes.setdefault(name, own if size is None else size)
        return Type(tuple(axes.items()), KINDS.get(space.base, "float"))

    def symbol(self, name: str, space: Space, place: Place) -> Value:
        """Make the symbol of a tensor in a space."""
        if not space.axes and space.base in ("N", "Z", "[n]"):
            return self.size_symbol(name)
        tensor = SymbolicTensor(argument(name, self.space_type(space, place)))
        bound = None if space.bound is None else self._extent(space.bound, place)
        self.spaces[tensor.node] = name, space, bound
        if bound is not None:
            self.bounds[tensor.node] = bound
        return one_based(tensor) if space.base == "[n]" else tensor

    def declared_value(self, declared: Declared) -> Value:
        """Give the symbol of a declared tensor."""
        known = self._declared.get(id(declared))
        if known is None:
            self._declared[id(declared)] = UNKNOWN  # n in R^{seq:n} says nothing of itself
            known = self.symbol(declared.key, declared.space, declared.place)
            self._declared[id(declared)] = known
        return known

    # ------------------------------------------------------------------------- definitions

    def value_of(self, defined: Defined, around: CheckScope | None = None) -> Value:
        """Give what a definition defines; where its declaration disagrees, the declaration holds.

        `around` is the formula that it is a where-clause of, whose arguments it may use.
        """
        at = (id(defined), *around.context) if around is not None else (id(defined), 0)
        if at in self._defined:
            return self._defined[at]
        if id(defined) in self._open:
            return self._before(defined)
        self._open.add(id(defined))
        self.reached.add(id(defined))
        indexed, self.indexed = self.indexed, []
        try:
            value = self._evaluated(defined, around)
        finally:
            self.indexed = indexed
            self._open.discard(id(defined))
        if isinstance(defined.statement.target, Indexed) and is_first(defined.statement.target):
            value = UNKNOWN
        self._defined[at] = value
        return value

    def _evaluated(self, defined: Defined, around: CheckScope | None) -> Value:
        if defined.kind == "function":
            function = self.function(defined)
            function.look()
            return function
        letters = dict.fromkeys(defined.letters)

        def scope(believing: bool) -> CheckScope:
            return CheckScope(self, defined.place, letters, around=around, believing=believing)

        return self.believed(scope, defined, self._held)

    def believed(
        self,
        make: Callable[[bool], CheckScope],
        defined: Defined,
        find: Callable[[Defined, CheckScope], Value],
    ) -> Value:
        """Find a value; where something fails with letters of another section, they are unknown.

        A letter is often used again in the next section, for something else.
        """
        mark = self.report.mark()
        scope = make(True)
        scope.expect_bundles(defined.body)
        value = find(defined, scope)
        look_at_indices(self, defined.body)
        if scope.foreign and self.report.take_back(mark, defined.statement.span):
            scope = make(False)
            scope.expect_bundles(defined.body)
            value = find(defined, scope)
            look_at_indices(self, defined.body)
        return value

    def _held(self, defined: Defined, scope: CheckScope) -> Value:
        """Evaluate a definition, and hold it to its declaration and to its series."""
        declared = self.own_declaration(defined)
        promised = None if declared is None else self.declared_value(declared)
        value = evaluated(scope, defined.body, lambda e: self._body(defined, e, promised))
        agrees = check_declared(self, defined, declared, promised, value)
        if agrees:
            value = check_series(self, defined, value)
        if promised is None:
            return value
        return value if agrees and value is not UNKNOWN else promised

    def _body(self, defined: Defined, evaluator: Evaluator, promised: Value | None) -> Value:
        target = defined.statement.target
        if not isinstance(target, Indexed) or is_first(target):
            value = evaluator.value(defined.body)
            for member in defined.statement.chain:
                evaluator.value(member)
            return value
        if defined.statement.op == "<-":
            return evaluator.update(self._updated(defined, promised), target, defined.body)
        type_ = None if promised is None else type_of(promised)
        sizes = {} if type_ is None else {n: open_size(s) for n, s in type_.axes}
        return evaluator.element(target, defined.body, sizes, defined.statement.condition)

    def _updated(self, defined: Defined, promised: Value | None) -> Value:
        earlier = self.names.look(defined.name, defined.place, {})
        if earlier is not None and earlier.defined is not None:
            return self.value_of(earlier.defined)
        return UNKNOWN if promised is None else promised

    def _before(self, defined: Defined) -> Value:
        """Give a value that is needed while it is looked for: as declared, or another member's."""
        declared = self.own_declaration(defined) or self.declared_member(defined)
        if declared is not None:
            return self.declared_value(declared)
        first = self.member(stem(defined.name), defined.place)
        value = UNKNOWN if first is None else self.value_of(first)
        # a series that begins with the number 0 may go on with tensors
        return UNKNOWN if isinstance(value, (int, float)) else value

    def declared_member(self, defined: Defined) -> Declared | None:
        """Find another member of a series that is declared in the section: h^0 for h^t."""
        own = stem(defined.name)
        return next(
            (
                d
                for group in self.names.declared.values()
                for d in group
                if d.place.section == defined.place.section
                and isinstance(d.name, Scripts)
                and isinstance(defined.name, Scripts)
                and stem(d.name) == own
                and d.name != defined.name
                and (defined.letters or defined.place.block in self.dotted)
            ),
            None,
        )

    def member(self, name: str | None, place: Place) -> Defined | None:
        """Find the first member of a series that is not being looked at."""
        members = self.members_of.get((place.section, name), ())
        return next((d for d in members if not d.letters and id(d) not in self._open), None)

    def own_declaration(self, defined: Defined) -> Declared | None:
        """Find the declaration of what a definition defines."""
        return self.declaration(defined.name, defined.place)

    def declaration(self, name: Expression, place: Place) -> Declared | None:
        """Find the declaration of a name that a formula defines, or takes.

        It stands in the same block, or in the same section where no other formula takes it.
        """
        text = key(name)
        if text is None:
            return None
        for near in (
            lambda p: p.block == place.block,
            lambda p: p.section == place.section and p.block not in self.blocks_of_functions,
        ):
            found = self.names._declared_in(name, text, {}, place, near)
            if found is not None:
                return found.declared
        return None

    def taken(self, name: Expression, defined: Defined) -> Declared | None:
        """Find the declaration of what a formula takes, as it is found where the formula is run."""
        try:
            linked = self.linker.linked(defined)
        except NamedTensorError:
            return None
        text = key(name)
        return next((i.declared for i in linked.inputs if i.key == text), None)

    def is_size_definition(self, defined: Defined) -> bool:
        """Say whether a definition only says what a size is: d_k = 64."""
        return (
            defined.kind == "value"
            and defined.statement.op == "="
            and (defined.place.section, defined.key) in self.sizes_of
        )

    def function(self, defined: Defined) -> CheckedFunction:
        """Give a function that the document defines."""
        if id(defined) not in self._functions:
            self._functions[id(defined)] = CheckedFunction(self, defined)
        return self._functions[id(defined)]

    def promised(self, signature: Signature, place: Place) -> Promised:
        """Give a function of which only the signature is written."""
        return Promised(self, signature, place)

    def argument_named(self, text: str, place: Place) -> Value | None:
        """Give the argument of that name of a formula in the same section: its where-clauses use it."""
        for defined in self.functions_of.get(place.section, ()):
            values = self.function(defined).values()
            if text in values:
                return values[text]
        return None

    # ------------------------------------------------------------------------- what is found

    def failed(self, where: Expression, error: NamedTensorError) -> Value:
        """Report what a shape rule refuses."""
        if isinstance(where, (Contract, Binary)) and sizes_meet(self, where):
            return UNKNOWN
        if isinstance(error, AxisNameError) and self.report.has("repeated", where.span):
            return UNKNOWN
        split = split_type(self, where, error)
        if split is not None:
            return self.stand_in(split)
        words = self.explainer.explain(where, error)
        span = words.span or where.span
        self.report.add(
            "error", words.code, span, words.message, words.shapes, words.hint, words.mend
        )
        return UNKNOWN

    def stand_in(self, type_: Type) -> SymbolicTensor:
        """Make a symbol of a shape, of which nothing else is known."""
        return SymbolicTensor(argument(f"part {next(_serial)}", type_))

    def undefined(self, where: Expression) -> None:
        """Report a name that stands for nothing."""
        if not self._is_notation(where) or self.occurrences.in_prose(where):
            return
        text = self.report.text(where.span)
        space = self.dialect.space([("ax", "")])
        word = isinstance(where, Letter) and where.style == "word"
        self.report.add(
            "error",
            "undefined",
            where.span,
            f"{text} is neither declared nor defined",
            hint=f"say what it is: {text}(X) = ..., or is it spelt otherwise?"
            if word
            else f"declare it, {text} \\in {space}, or say what it is: {text} = ...",
        )

    def _is_notation(self, where: Expression) -> bool:
        """Say whether a name stands in a block that names axes: E = mc^2 does not."""
        place = self.occurrences.place_of(where.span)
        return place is not None and place.block in self.occurrences.blocks

    def no_axis(self, where: Expression) -> Value:
        """Report a function that needs axes; go on as if it named the only axis of its operand."""
        if isinstance(where, Call) and key(where.function) in self.occurrences.functions:
            return UNKNOWN
        type_ = self.type_of(where.arguments[0]) if isinstance(where, Call) else None
        no_axis(where, self.report, self.dialect, type_)
        if type_ is None or not isinstance(where, Call) or len(type_.axes) > 1:
            return UNKNOWN
        keeps = isinstance(where.function, Letter) and where.function.text in KEEP_AXES
        return self.stand_in(type_ if keeps else type_.without(type_.names))

    def wrong_arguments(self, where: Expression, error: NamedTensorError) -> None:
        """Report a function that is given too few arguments, or too many."""
        self.report.add(
            "error",
            "arguments",
            where.span,
            error.why,
            self.explainer.shapes(_arguments(where)),
            error.hint,
        )

    # ------------------------------------------------------------------------- words

    def line(self, span: Span) -> int:
        """Give the line where a span begins."""
        return self.source.position(span.start)[0]

    def size_text(self, axis: str, size: Any) -> str:
        """Write a size the way the document does; an axis of no stated size has none."""
        if is_own_size(axis, size):
            return ""
        return self.occurrences.sizes.get(size_text(size), size_text(size))

    def first_time(self, *what: Any) -> bool:
        """Say whether this is said for the first time."""
        new = what not in self._told
        self._told.add(what)
        return new

    def mend_axis(self, axis: AxisName, fits: list[str]) -> Mend | None:
        """Mend an axis that only a typo explains: one name fits, and this one is used nowhere else."""
        close = [name for name in fits if alike(name, axis.name)] or fits
        if len(close) == 1 and self.occurrences.is_alone(axis):
            return Mend(axis.span, self.dialect.axis(close[0]))
        return None

    # ------------------------------------------------------------------------- declarations

    def declaration_with(self, axis: str, side: Expression) -> Declared | None:
        """Find the one declared tensor in a part that brings an axis."""
        found = []
        for part in walk(side):
            type_ = self.type_of(part)
            if type_ is not None and type_.has(axis) and key(part) is not None:
                place = self.occurrences.place_of(part.span)
                declared = None if place is None else self.names.look(part, place, {})
                if declared is not None and declared.declared is not None:
                    found.append(declared.declared)
                elif place is not None:
                    own = self.declaration(part, place)
                    found += [] if own is None else [own]
        fits = {id(d): d for d in found if any(s.axis.name == axis for s in d.space.axes)}
        return next(iter(fits.values())) if len(fits) == 1 else None

    def declared_type(self, declared: Declared) -> Type | None:
        """Give the shape that a declaration states."""
        return type_of(self.declared_value(declared))

    def role(self, owner: Declared, side: Expression) -> str:
        """Say whether a tensor is an argument or a parameter of the formula around a part."""
        place = self.occurrences.place_of(side.span)
        statement = None if place is None else self.names.statements[place.index]
        defined = self.names.of(statement) if isinstance(statement, Definition) else None
        call = None if defined is None else defined.call
        if call is not None and owner.key in [key(a) for a in call.arguments]:
            return "argument"
        own = [key(p) for p in call.parameters] if call is not None else []
        return "parameter" if owner.key in own or stem(owner.name) in own else ""

    def named_elsewhere(self, axis: str, owner: Declared) -> bool:
        """Say whether anything but a tensor's own declaration and elements names an axis."""
        return self.occurrences.elsewhere(axis, owner)

    def same_size(self, owner: Declared, axis: str, others: list[str]) -> str | None:
        """Find the one other axis that a slip could have meant: it is alike, or has the same size."""
        close = [name for name in others if alike(name, axis)]
        if len(close) == 1:
            return close[0]
        return self.occurrences.with_size(owner, axis, others)


def _arguments(where: Expression) -> list[Expression]:
    return list(where.arguments) if isinstance(where, Call) else []
