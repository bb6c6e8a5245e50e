"""The checker: find the shapes of all definitions of a document, and hold them to its declarations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.latex.check.compare import check_chain, check_declared, check_series, check_terms
from namedtensor.latex.check.failing import acts_along, close
from namedtensor.latex.check.functions import CheckedFunction, Promised
from namedtensor.latex.check.look import look_at_indices
from namedtensor.latex.check.report import Report, is_own_size, shape_text, size_text
from namedtensor.latex.check.scope import CheckScope, evaluated
from namedtensor.latex.check.symbols import Symbols
from namedtensor.latex.check.types import as_size, is_first, node_of, open_size, type_of
from namedtensor.latex.documents.along import axis_along, bare
from namedtensor.latex.documents.inputs import Input, is_lettered
from namedtensor.latex.documents.reach import Linker
from namedtensor.latex.documents.scopes import Declared, Defined, Names, Place
from namedtensor.latex.documents.scripts import key, primes_of, stem
from namedtensor.latex.evaluation.by_elements import upper_ends
from namedtensor.latex.evaluation.evaluate import Evaluator, right_side
from namedtensor.latex.evaluation.indices import marked
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.spoken import names_of
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import (
    At,
    Big,
    Call,
    Expression,
    Indexed,
    Induction,
    Scripts,
    Signature,
)
from namedtensor.latex.walk import all_of, letters_of, parted, walk
from namedtensor.operations.vectors import ARGMAX, ARGMIN
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import apply_node
from namedtensor.tensor import SymbolicTensor

#: The number of tries to find the shape of a series.
ROUNDS = 5


class Checker(Symbols):
    """Find the value of each definition of a document, as symbols, and report what does not fit."""

    def __init__(self, source: Source, names: Names, linker: Linker, report: Report) -> None:
        super().__init__(source, names, report)
        self.linker = linker
        self.dotted = {s.block for s in names.statements if isinstance(s, Induction)}
        self._defined: dict[tuple[Any, ...], Value] = {}
        #: definitions -> the letters in them, and in what they are made of
        self._letters_in: dict[int, set[str]] = {}
        #: the letters met so far in the definitions that are being evaluated
        self._met: list[set[str]] = [set()]
        #: symbols that stand for definitions, with the declared shape -> the definition
        self.promises: dict[Node, Defined] = {}
        self.reached: set[int] = set()
        #: definitions with an index that only a run with numbers can show to lie inside its axis
        self.open_indices: set[int] = set()
        #: definitions that fail because of a fault that another one has
        self.misled: set[int] = set()
        self.functions_of: dict[int, list[Defined]] = {}
        for d in names.definitions:
            if d.kind == "function":
                self.functions_of.setdefault(d.place.section, []).append(d)
        self._open: set[int] = set()
        self._members: dict[int, Value] = {}
        #: series whose shape only their rule tells -> the value that is tried for earlier members
        self._tried: dict[int, Value] = {}
        #: the series whose members were asked for, in the order of asking
        self._asked: list[Defined] = []
        self._functions: dict[int, CheckedFunction] = {}

    @cached_property
    def shares_parameters(self) -> bool:
        """Say whether a layer, which a word names, is called without parameters twice, or in a series."""
        own = {d.key for d in self.names.definitions if d.call is not None and d.call.parameters}
        calls = Counter[str | None]()
        for defined in self.names.definitions:
            for call in all_of(Call, defined.body):
                if not call.parameters and not is_lettered(call.function):
                    calls[key(call.function)] += 2 if defined.letters else 1
        return any(calls[name] > 1 for name in own)

    # ------------------------------------------------------------------------- definitions

    def value_of(self, defined: Defined, around: CheckScope | None = None) -> Value:
        """Find the value of a definition; if its declaration disagrees, use the declared shape.

        `around` is the scope of the formula whose where-clause this is, and whose arguments it may use.
        """
        if defined.letters:
            self._asked.append(defined)
        known = self._defined.get(self._key(defined, around))
        if known is not None:
            self._met[-1] |= self._letters_in[id(defined)]
            return known
        if id(defined) in self._open:
            return self._before(defined)
        self._open.add(id(defined))
        self.reached.add(id(defined))
        indexed, self.indexed = self.indexed, []
        self._met.append(_letters(defined))
        try:
            value = self._evaluated(defined, around)
        finally:
            self.indexed = indexed
            self._open.discard(id(defined))
            letters = self._letters_in.setdefault(id(defined), set())
            letters |= self._met.pop()
            self._met[-1] |= letters
        first = isinstance(defined.statement.target, Indexed) and is_first(defined.statement.target)
        if first or (self._is_begun(defined) and getattr(type_of(value), "host", False)):
            value = UNKNOWN
        self._defined[self._key(defined, around)] = value
        return value

    def _key(self, defined: Defined, around: CheckScope | None) -> tuple[Any, ...]:
        """What the value of a definition depends on: the formula around it, where it has names of that."""
        if around is None:
            return id(defined), 0, ()
        letters = self._letters_in.get(id(defined), set())
        own = any(
            _first(text) in letters and self._is_own(text, defined.place, around)
            for text in around.arguments
        )
        indices = letters.intersection(around.indices)
        return id(defined), around.owner if own else 0, tuple(sorted(indices))

    def _is_own(self, text: str, place: Place, around: CheckScope) -> bool:
        """Say whether an argument is something else than what the document means there by its name."""
        declared = self.names.declared.get(text, ())
        meaning = self.names.look(declared[0].name, place, {}) if declared else None
        if meaning is None or meaning.declared is None or meaning.defined is not None:
            return True
        return self.declared_value(meaning.declared) is not around.arguments[text]

    def _is_begun(self, defined: Defined) -> bool:
        """Say whether this is a step of a program, b <- 0, and a later step changes the name again."""
        return defined.statement.op != "=" and self.names.last(defined) is not defined

    def promise(self, value: Value | None, defined: Defined) -> Value | None:
        """Note that a symbol stands for the value of a definition, and return the symbol."""
        node = None if value is None else node_of(value)
        if node is not None:
            self.promises[node] = defined
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
        """Find a value; if that fails with letters declared in another section, take these as unknown.

        The next section often uses a letter for something else. A note says what is then not checked.
        """

        def look(believing: bool) -> tuple[CheckScope, Value]:
            scope = make(believing)
            scope.expect_bundles(defined.body)
            value = find(defined, scope)
            if look_at_indices(self):
                self.open_indices.add(id(defined))
            return scope, value

        mark = self.report.mark()
        scope, value = look(True)
        found = self.report.take_back(mark, defined.statement.span) if scope.foreign else []
        failed = [f for f in found if f.severity != "note"]
        if all(self._are_meant(scope.foreign, f, defined) for f in failed):
            self.report.keep(found)
            return value
        _, value = look(False)
        self._say_unbelieved(failed, sorted(scope.foreign))
        return value

    def _are_meant(self, foreign: Mapping[str, bool], failed: Finding, defined: Defined) -> bool:
        """Say whether a failure with letters of other sections is a fault: the same things are meant.

        They are not if several sections declare such a letter, or if the failing part acts along axes,
        or lacks axes, that only this section names, of no letter of its own there, and that look like
        no other name. They are if all that lacks an axis is declared here, whatever is an index of it, or has
        another one of the axes of an index or a sum, and
        if letters of this section that stand beside them have all their axes.
        """
        if not all(sure or self._given_alike(text) for text, sure in foreign.items()):
            return False
        parts = [p for p in walk(defined.statement) if p.span == failed.span]
        axes = [axis for p in parts for axis in acts_along(p)]
        if any(isinstance(p, (Big, Indexed)) for p in parts) and failed.code == "axis-missing":
            has = {axis.split("[")[0] for _, shape in failed.shapes for axis in shape.split()}
            if not has.isdisjoint(axes):
                return True
        declared, found = self.own_declaration(defined), self.type_of(defined.body)
        if declared is not None and found is not None and failed.code.endswith("-shape"):
            axes += [a for a in declared.space.names if not found.has(a)]
        others = self.occurrences.axes_outside(defined.place.section)
        known, far = list[Declared](), list[Declared]()
        for name in [n for p in parts for n in names_of(p)]:
            meant = self.names.declaration(name, defined.place)
            if meant is not None:
                (far if key(name) in foreign else known).append(meant)
        lacking = {text for text, _ in failed.shapes if failed.code == "axis-missing"}
        if lacking and lacking <= {self.report.text(d.name.span) for d in known}:
            return True
        beside = {a.axis.name for d in known for a in d.space.axes}
        if far and all(d.space.axes and beside.issuperset(d.space.names) for d in far):
            return True
        others += beside
        strangers = [a for n in axes if (a := n.rstrip("'*")) not in others and n not in others]
        return all(close(a, others) is not None for a in strangers)

    def _given_alike(self, text: str) -> bool:
        """Say whether several sections define a letter, all with the same axes, and none declares it."""
        defined = self.names.defined.get(text, ())
        types = [type_of(self.value_of(d)) for d in defined if d.kind == "value"]
        known = [{*t.names} for t in types if t is not None]
        alike = all(names == known[0] for names in known)
        return (
            bool(known) and len(known) == len(defined) and alike and text not in self.names.declared
        )

    def _say_unbelieved(self, failed: Sequence[Finding], letters: Sequence[str]) -> None:
        """Note a failure with the declarations of another section, unless it is reported anyway."""
        first = failed[0]
        if self.report.any_in(first.span):
            return
        text = self.report.text(first.span)
        inside = [
            x for x in letters if re.search(rf"(?<![A-Za-z]){re.escape(x)}(?![A-Za-z])", text)
        ]
        letters = inside or letters
        one = len(letters) == 1
        names = ", ".join(letters)
        self.report.note(
            "undeclared",
            first.span,
            f"not checked: {names} {'is' if one else 'are'} declared in another section only, and as "
            f"{'it is' if one else 'they are'} there {first.message}",
            hint=f"declare {names} in this section too",
        )

    def _held(self, defined: Defined, scope: CheckScope) -> Value:
        """Evaluate a definition, and compare it with its declaration and with the rest of its series."""
        declared = self.own_declaration(defined)
        if declared is None and axis_along(defined.name) is not None:
            declared = self.whole_declaration(defined)
        promised = None if declared is None else self._promised(defined, declared)

        def find() -> Value:
            return evaluated(
                scope, defined.body, lambda e: self._body(defined, e, declared, promised)
            )

        value = self._settled(defined, find)
        check_terms(self, defined)
        if declared is not None and declared.space.base == "[n]":
            value = marked(value) or value
        agrees = check_declared(self, defined, declared, promised, value)
        other = self._another(defined) if agrees else None
        if other is not None:
            value = check_series(self, defined, value, *other)
        self.found[id(defined)] = value
        if promised is None:
            return value
        found, said = type_of(value), type_of(promised)
        filled = found is not None and said is not None and said.axes and not found.axes
        if agrees and value is not UNKNOWN and not filled:
            return value
        return self.promise(promised, defined)  # also where a number is set for all elements

    def _begun_elsewhere(self, defined: Defined, open_: Sequence[Defined]) -> bool:
        """Say whether this waits for series that begin with known axes, and are found when asked first."""
        known = {at: v for at, v in self._defined.items() if v is not UNKNOWN}
        others = [d for d in open_ if id(d) not in self._open and self._starts_with_axes(d)]
        if others:
            self._open.discard(id(defined))
            self._defined = known
            found = [self.value_of(other) is not UNKNOWN for other in others]
            self._open.add(id(defined))
            return all(found)
        return False

    def _starts_with_axes(self, defined: Defined) -> bool:
        first = self.member(defined.name, defined.place)
        type_ = None if first is None else type_of(self.value_of(first))
        return type_ is not None and bool(type_.axes)

    def _settled(self, defined: Defined, find: Callable[[], Value]) -> Value:
        """Find a value, and the shape of a series that begins with a number: its rule does not change it.

        The first try has the axes along which its rule acts; where it fails, the next one has those of
        all series that wait for this one, and the third those of what it is made of. Each other try has
        the axes of the result, which are known of what is given by its elements. What no try mends is at
        fault.
        """
        mark, asked = self.report.mark(), len(self._asked)
        value = find()
        tried = type_of(self._tried.get(id(defined), UNKNOWN))
        if id(defined) not in self._tried or _fits(value, tried):
            return value
        every = dict.fromkeys([defined, *self._asked[asked:]])
        open_ = [d for d in every if self.found.get(id(d), UNKNOWN) is UNKNOWN]
        if tried is None and self._begun_elsewhere(defined, open_):
            return find()
        known = {at for at, value in self._defined.items() if value is not UNKNOWN}
        mark = self.report.mark() if tried is None else mark
        tries = [self._acted(rules) for rules in ([defined], open_)]
        tries.append(self._acted([defined], made=True))
        is_result = defined.kind == "elements"
        lacking: list[Finding] = []
        for left in reversed(range(ROUNDS)):
            failed = self.report.take_back(mark, Span(0, len(self.source.text)))
            found = type_of(value)
            if tried is not None:
                if is_result and found is None and failed:
                    self.report.keep(failed)  # the rule fails on its own result
                    break
                is_result = found is not None
                lacking = lacking or [f for f in failed if f.code == "axis-missing"]
                tries = [each for each in tries if each != tried]
            tried = found if is_result and tried is not None else tries[0] if tries else None
            tried = tried if left else None
            self._tried[id(defined)] = UNKNOWN if tried is None else self.stand_in(tried)
            self._defined = {at: v for at, v in self._defined.items() if at in known}
            value = find()
            if tried is None or _fits(value, tried):
                break
        alone = not any(d.letters for d in open_ if d is not defined and id(d) in self._open)
        if value is UNKNOWN and alone:
            self.report.keep(lacking)
        return value

    def _acted(self, rules: Sequence[Defined], made: bool = False) -> Type:
        """Give the shape that has the axes along which the rules of series act, and those of their elements.

        With those of what they are `made` of, too.
        """
        axes = dict.fromkeys([axis for rule in rules for axis in self.names.axes_of_series(rule)])
        for rule in rules:
            if made or rule.kind == "elements":
                axes |= dict.fromkeys(sorted(self.names.axes_known(rule.body, rule.place, {})))
        return Type(tuple([(axis, self.size_symbol(f"|{axis}|").node) for axis in axes]))

    def _body(
        self,
        defined: Defined,
        evaluator: Evaluator,
        declared: Declared | None,
        promised: Value | None,
    ) -> Value:
        """Evaluate the right sides of a definition, and hold them to each other."""
        statement, target = defined.statement, defined.statement.target
        parts = (defined.body, *statement.chain)
        sizes, before = {}, None
        if isinstance(target, Indexed) and is_first(target):
            values = [evaluator.value(part) for part in parts]
            check_chain(self, parts, values)
            return values[0]
        if isinstance(target, Indexed) and statement.op != "=":
            before, parts = self._updated(defined, promised), parts[:1]
        elif isinstance(target, Indexed) and (type_ := type_of(promised)) is not None:
            sizes = {n: open_size(s) for n, s in type_.axes}
            self._hold_range(defined, target, type_)
        values = [right_side(evaluator, statement, p, sizes, before) for p in parts]
        check_chain(self, parts, values)
        return values[0]

    def _hold_range(self, defined: Defined, target: Indexed, type_: Type) -> None:
        """Compare i = 1, ..., n after a definition by elements with the size of the axis of i."""
        uppers = upper_ends(target, defined.statement.condition)
        for item in target.items:
            if not isinstance(item, At) or not type_.has(item.axis.name):
                continue
            upper = uppers.get(item.axis.name)
            if upper is None:
                continue
            end, size = self.extent(upper, defined.place), type_.size(item.axis.name)
            if end is None or is_own_size(item.axis.name, size):
                continue
            if self.facts.compare(size, end).verdict == "never":
                index = self.report.text(item.at.span)
                self.report.error(
                    "index-range",
                    upper.span,
                    f"{index} runs up to {size_text(end)}, and {item.axis.name} of "
                    f"{self.report.text(defined.name.span)} has size {size_text(size)}",
                    [(self.report.text(defined.name.span), shape_text(type_))],
                    f"let it stop at {size_text(size)}, or declare the axis otherwise",
                )

    def extent(self, size: Expression, place: Place) -> Any:
        """Evaluate a size at a place to an int or a node; None if it is neither."""
        scope = CheckScope(self, place, lenient=True, sizes=True)
        return as_size(Evaluator(scope).extent(size))

    def _updated(self, defined: Defined, promised: Value | None) -> Value:
        earlier = self.names.before(defined)
        if earlier is not None and earlier.defined is not None:
            return self.value_of(earlier.defined)
        return UNKNOWN if promised is None else promised

    def _before(self, defined: Defined, around: CheckScope | None = None) -> Value:
        """Give a value that its own definition uses: as declared, or as another member of the series."""
        declared = self.own_declaration(defined) or self._declared_member(defined)
        declared = declared or self.whole_declaration(defined)
        if declared is not None:
            return self.promise(self._promised(defined, declared), defined)
        first = self.member(defined.name, defined.place)
        type_ = None if first is None else type_of(self.value_of(first, around))
        # a series that begins with a number may go on with tensors
        if type_ is None or type_.host or not type_.axes:
            alone = first is not None and self._is_of_inputs(defined)
            guess = self.stand_in(self._acted([defined])) if alone else UNKNOWN
            return self._tried.setdefault(id(defined), guess)
        return self.stand_in(type_)

    def _is_of_inputs(self, defined: Defined) -> bool:
        """Say whether the rule of a series uses no definition but numbers: its own axes alone are unknown."""
        return (_letters(defined) - {_first(defined.key)}).isdisjoint(self._made)

    @cached_property
    def _made(self) -> set[str]:
        """The letters of what is defined by other names, and not by numbers alone."""
        return {_first(d.key) for d in self.names.definitions if letters_of(d.statement.body)}

    def series_leaf(self, defined: Defined, around: CheckScope | None = None) -> Value | None:
        """Give a symbol for a member of a series whose value is not known yet, or None."""
        if not defined.letters or axis_along(defined.name) is not None:
            return None
        found = self._before(defined, around)
        return None if found is UNKNOWN else found

    def stacked(self, defined: Defined, around: CheckScope | None = None) -> Value:
        """Give a symbol for all members of a series, with its axis: the y of y_{seq(t)}."""
        along = axis_along(defined.name)
        type_ = None if along is None else type_of(self.value_of(defined, around))
        if along is None or type_ is None or type_.has(along):
            return UNKNOWN
        sizes = [a.size for _, a in self.names.sized if a.axis.name == along and a.size is not None]
        letters = set(map(key, sizes))
        letter = letters.pop() if len(letters) == 1 else None
        size = self.size_symbol(letter or f"|{along}|").node
        axes = () if type_.host else type_.axes
        return self.marking(defined, self.stand_in(Type((*axes, (along, size)))))

    def marking(self, defined: Defined, value: SymbolicTensor) -> SymbolicTensor:
        """Mark what stands for a definition that ends in an argmax: it may be used as an index."""
        body = node_of(self.found.get(id(defined), UNKNOWN))
        if body is None or body.operation.primitive not in (ARGMAX, ARGMIN):
            return value
        return SymbolicTensor(apply_node(body.operation, (value.node,)))

    def _declared_member(self, defined: Defined) -> Declared | None:
        """Find another declared member of the series that a definition is of."""
        if not isinstance(defined.name, Scripts):
            return None
        if not defined.letters and defined.place.block not in self.dotted:
            return None
        return next(iter(self.names.declared_members(defined.name, defined.place)), None)

    def _another(self, defined: Defined) -> tuple[Expression, Type] | None:
        """Find another member of a series, declared or defined above: its name and its shape."""
        if not defined.letters and defined.place.block not in self.dotted:
            return None
        declared = self._declared_member(defined)
        if declared is not None and (said := self.declared_type(declared)) is not None:
            return declared.name, said
        member = self.member(defined.name, defined.place)
        below = member is not None and member.place.index >= defined.place.index
        if member is None or (below and not defined.letters):
            return None
        said = type_of(self.value_of(member))
        return None if said is None or said.host or not said.axes else (member.name, said)

    def member(self, name: Expression, place: Place) -> Defined | None:
        """Find the first member of a series that is not being evaluated, first in the same block."""
        found = [
            d
            for at in (place, replace(place, block=-1))
            for d in self.names.near(stem(name), at)
            if d.place.section == place.section
            and primes_of(d.name) == primes_of(name)
            and not (d.kind == "function" or d.letters or id(d) in self._open)
        ]
        return min(found, key=lambda d: (d.place.block != place.block, d.place.index), default=None)

    def own_declaration(self, defined: Defined) -> Declared | None:
        """Find the declaration of the name that a definition defines."""
        return self.declaration(defined.name, defined.place)

    def whole_declaration(self, defined: Defined) -> Declared | None:
        """Find the declaration of a whole series: that of h for h^t or h_{seq(t)}."""
        return self.declaration(bare(defined.name), defined.place)

    def _promised(self, defined: Defined, declared: Declared) -> Value:
        """Give a symbol with the declared shape of a definition; one member of h lacks the axis of h."""
        along, type_ = axis_along(defined.name), self.declared_type(declared)
        if along is None or type_ is None or not type_.has(along):
            return self.declared_value(declared)
        return self._members.setdefault(id(declared), self.stand_in(type_.without([along])))

    def input_of(self, name: Expression, defined: Defined) -> Input | None:
        """Give an input of a formula, as it is taken when the formula is run."""
        try:
            linked = self.linker.linked(defined)
        except NamedTensorError:
            return None
        text = key(name)
        return next((i for i in linked.inputs if i.key == text), None)

    def function(self, defined: Defined) -> CheckedFunction:
        """Give the checked function of a definition; it is made once."""
        if id(defined) not in self._functions:
            self._functions[id(defined)] = CheckedFunction(self, defined)
        return self._functions[id(defined)]

    def promised(self, signature: Signature, place: Place) -> Promised:
        """Give a function of which the document has only the signature."""
        return Promised(self, signature, place)

    def argument_named(self, text: str, place: Place) -> Value | None:
        """Give the argument of that name of a function in the same section, for its where-clauses."""
        for defined in self.functions_of.get(place.section, ()):
            values = self.function(defined).values()
            if text in values:
                return values[text]
        return None


def _fits(value: Value, tried: Type | None) -> bool:
    """Say whether a series has the axes that were tried; without a try, whether it has any shape."""
    found = type_of(value)
    return (
        value is not UNKNOWN
        if tried is None
        else found is not None and {*found.names} == {*tried.names}
    )


def _letters(defined: Defined) -> set[str]:
    """List the letters of a definition, each of kh too; they may be names of the formula around it."""
    found = letters_of(defined.statement)
    return {_first(each.text) for letter in found for each in (letter, *parted(letter))}


def _first(text: str) -> str:
    """Give the letter that a name begins with, without its scripts: X of X^{2}."""
    return re.split(r"[_^']", text)[0]
