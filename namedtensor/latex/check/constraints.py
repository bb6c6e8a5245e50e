"""Check constraints: what a document says about sizes, and relations that define nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from namedtensor.errors import IndexRangeError, NamedTensorError
from namedtensor.latex.check.compare import check_equal, difference
from namedtensor.latex.check.look import one_sided
from namedtensor.latex.check.report import listed, shape_text
from namedtensor.latex.check.scope import CheckScope
from namedtensor.latex.check.sizes import ORDERED
from namedtensor.latex.check.types import type_of
from namedtensor.latex.documents.scopes import Declared, Place
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.evaluation.evaluate import Evaluator
from namedtensor.latex.evaluation.values import (
    UNKNOWN,
    ArgumentsError,
    NotNotationError,
    UnsettledError,
    Value,
)
from namedtensor.latex.evaluation.vocabulary import constant, word_of
from namedtensor.latex.printing.dialects import REALS
from namedtensor.latex.reading.asides import COMPARING
from namedtensor.latex.reading.ranges import listed as members
from namedtensor.latex.reading.spoken import names_of
from namedtensor.latex.reading.statements import BOUNDING, is_name, is_range
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Bars,
    Big,
    Call,
    Constraint,
    Contract,
    Declaration,
    Definition,
    Derivative,
    Expression,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
    SizedAxis,
    Space,
    Statement,
    Under,
)
from namedtensor.latex.walk import all_of, letters_of, walk
from namedtensor.primitives import Type

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


#: Relations which say that two tensors are about equal, or proportional.
ABOUT = frozenset(("approx", "propto"))


def learn_sizes(checker: Checker) -> None:
    """Learn what the document says about sizes; report equations that cannot hold."""
    for place, span, left, op, right in _relations_of_sizes(checker):
        sizes = [checker.extent(part, place) for part in (left, right)]
        if None in sizes or checker.facts.learn(sizes[0], sizes[1], op):
            continue
        checker.report.error(
            "constraint",
            span,
            f"{checker.report.text(span)} cannot hold, with what is said of sizes above",
            hint="mend this equation or the earlier one, or give one of the sizes a name of its own",
        )
    for place, own, declared in _sizes_of_axes(checker):
        sizes = [checker.extent(part, place) for part in (own, declared)]
        if None not in sizes:
            checker.facts.learn(sizes[1], sizes[0])


def _sizes_of_axes(checker: Checker) -> Iterator[tuple[Place, AxisSize, Expression]]:
    """List the axes of which all declarations with a size state the same: |seq| is n by seq:n."""
    found: dict[str, list[tuple[Declared, SizedAxis]]] = {}
    for declared, axis in checker.names.sized:
        found.setdefault(axis.axis.name, []).append((declared, axis))
    for owned in found.values():
        declared, axis = owned[0]
        if axis.size is not None and len({key(a.size) for _, a in owned if a.size}) == 1:
            yield declared.place, AxisSize(axis.axis.span, axis.axis), axis.size


def _relations_of_sizes(
    checker: Checker,
) -> Iterator[tuple[Place, Span, Expression, str, Expression]]:
    """List the relations between sizes: |key| = |val|, d_k = 64, N >= B."""
    for index, statement in enumerate(checker.names.statements):
        place = Place(index, statement.block, statement.section)
        if isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
            left = statement.relation.first
            for op, right in statement.relation.rest:
                if op in ("=", *ORDERED) and _is_size(checker, left) and _is_size(checker, right):
                    yield place, statement.span, left, op, right
                left = right
        elif isinstance(statement, Definition) and checker.names.gives_size(statement):
            left = statement.target
            for right in (statement.body, *statement.chain):
                yield place, statement.span, left, "=", right
                left = right


def _is_size(checker: Checker, part: Expression) -> bool:
    return (
        bool(all_of(AxisSize, part))
        or any(checker.names.sizes_named(p.text) for p in all_of(Letter, part))
        or not all_of(Letter, part)
    )


class ConstraintScope(CheckScope):
    """The scope of a relation that defines nothing: the names of the sections around it.

    In a relation without operations, letters of another section are unknown: too little shows that the
    same is meant. `unknown` are the names that nothing around declares or defines, `refused` the parts
    that have no meaning here, each with the error.
    """

    def __init__(self, checker: Checker, place: Place, statement: Constraint) -> None:
        super().__init__(checker, place, lenient=True)
        self.reaches = any(all_of(kind, statement) for kind in (Big, Contract, Call, Derivative))
        ops = {op for relation in all_of(Relation, statement) for op, _ in relation.rest}
        self.bounds = not ops.isdisjoint(BOUNDING)
        #: the indices of elements that are spoken of: any of them
        self.chosen = {p for at in all_of(At, statement) for p in letters_of(at.at)}
        beside = [r for r in checker.names.ranges if r.statement.block == place.block]
        #: those of which a range beside says how far they run, whatever they are elsewhere
        self.running = {p for p in self.chosen if p.text in [r.letter for r in beside]}
        self.unknown: list[Expression] = []
        self.refused: list[tuple[Expression, NamedTensorError]] = []

    def has_axes(self, name: Expression) -> bool:
        """Say whether a name is a tensor with axes."""
        value = self.find(name)
        type_ = None if value is None else type_of(value)
        return type_ is not None and bool(type_.axes)

    def find(self, name: Expression) -> Value | None:
        if isinstance(name, Derivative):  # the differential dX has the axes of X
            return self.find(name.of) if name.op == "partial" else None
        text = key(name)
        names = self.checker.names
        if name in self.running:
            return self.checker.size_symbol(text or "")
        meaning = names.look(name, self.place, self.indices)
        if meaning is not None and meaning.kind == "size":
            return self._meant(meaning)
        given = None if meaning is None else meaning.declared or meaning.defined
        if given is None and isinstance(name, Letter) and name in self.chosen:
            return self.checker.size_symbol(name.text)
        if meaning is not None and given is not None:
            only = self.reaches and meaning.kind != "function" and names.is_only(text or "", given)
            near = names.inherits(self.place, given.place)
            if meaning.kind != "stack" and (only or near):
                if not near:
                    self.checker.borrow(name, given)
                return self._meant(meaning)
        number = given is None and isinstance(name, Letter) and constant(name) is not None
        if number or (isinstance(name, Letter) and word_of(name.text)):
            return None
        self.unknown.append(name)
        return UNKNOWN if text is not None else None

    def failed(self, where: Expression, error: NamedTensorError) -> Value:
        if isinstance(error, IndexRangeError):
            return UNKNOWN  # x_{time(0)} = 0 defines the element before the first
        if isinstance(error, UnsettledError) and self.bounds and _is_spectral(where):
            self.checker.report.note("no-axis", where.span, error.why, error.operands, error.hint)
            return UNKNOWN
        named = isinstance(where, (Letter, Scripts))
        meaning = self.checker.names.look(where, self.place, {}) if named else None
        defined = None if meaning is None else meaning.defined
        if isinstance(error, ArgumentsError) and defined is not None and defined.kind == "function":
            return self.checker.value_of(defined)  # where v(c) is defined, log v is that of v(c)
        if isinstance(error, NotNotationError):
            self.refused.append((where, error))
        return super().failed(where, error)


def _is_spectral(norm: Expression) -> bool:
    r"""Say whether a norm is that of a matrix as a map where a bound is stated, \|W\|_2 < 1."""
    return (
        isinstance(norm, Scripts)
        and isinstance(norm.base, Bars)
        and norm.sub == Number(norm.span, 2)
    )


def check_constraints(checker: Checker) -> None:
    """Check the relations between tensors that define nothing: sum_vocab X = 1."""
    for index, said in enumerate(checker.names.statements):
        place = Place(index, said.block, said.section)
        statement = _held(checker, said, place)
        if statement is None:
            continue
        _say_undefined(checker, statement, place)
        scope = ConstraintScope(checker, place, statement)
        evaluator = Evaluator(scope)
        if _strangers(checker, statement, place):
            continue
        for parts, relation in _relations(statement.relation):
            types = [_side(checker, evaluator, part, place) for part in parts]
            if relation is None or not is_range(relation):
                if relation is not None:
                    _say_step(checker, relation)
                    _hold_together(checker, relation, types)
                if statement is said or not all_of(Call, relation):
                    _say_unchecked(scope, statement, parts, types)


def _relations(said: Expression) -> Iterator[tuple[list[Expression], Relation | None]]:
    """Give the sides of a relation, and the relation; X, Y = 0 counts as X = 0 and Y = 0."""
    if not isinstance(said, Relation):
        yield [said], None
        return
    for first in members(said.first):
        relation = replace(said, first=first)
        yield [first, *[part for _, part in said.rest]], relation


def _say_step(checker: Checker, relation: Relation) -> None:
    """Note a step in a display, x <- ..., that changes nothing, as it is for one choice of an index."""
    if relation.rest[0][0] == "<-":
        checker.report.note(
            "meaning",
            relation.span,
            "this step is for one choice of an index: it is checked, and changes nothing",
            hint="to change what follows, sum over the index",
        )


def _say_undefined(checker: Checker, statement: Constraint, place: Place) -> None:
    """Note that an equation defines nothing, if its left side is no name and has unknown letters."""
    relation = statement.relation
    if not isinstance(relation, Relation) or {*relation.ops} != {"="}:
        return
    if is_range(relation):
        return
    left, report = relation.first, checker.report
    counted = any(all_of(kind, left) for kind in (AxisName, Derivative))
    if counted or not all_of(AxisName, relation.rest):
        return
    scope = ConstraintScope(checker, place, statement)
    unknown = [n for n in names_of(left) if key(n) and scope.find(n) is UNKNOWN]
    if unknown and not report.any_in(left.span):
        places = sorted({name.span for name in unknown}, key=lambda span: span.start)
        names = ", ".join(dict.fromkeys(map(report.text, places)))
        report.note(
            "undefined",
            left.span,
            f"this equation defines nothing: {report.text(left.span)} is no name, and nothing says what "
            f"{names} {'are' if ',' in names else 'is'}",
            hint="give what it defines a letter: L = ...",
        )


def _held(checker: Checker, statement: Statement, place: Place) -> Constraint | None:
    """Give the equation to check: a constraint, or a statement on a defined function's derivative."""
    if isinstance(statement, Definition) and statement.derives is not None:
        for call in all_of(Call, statement.derives)[:1]:
            found = checker.names.function(call.function, place, {})
            if found is None or found.defined is None:
                return None
        relation = Relation(statement.span, statement.derives, (("=", statement.body),))
        return Constraint(
            statement.span, relation, block=statement.block, section=statement.section
        )
    return statement if isinstance(statement, Constraint) else None


def _side(checker: Checker, evaluator: Evaluator, part: Expression, place: Place) -> Type | None:
    """Give the shape of one side of a relation; a derivative has stars only where axes would clash."""
    if isinstance(part, Space):
        return checker.space_type(part, place)
    known = type_of(checker.values.get(id(part), UNKNOWN))  # a stated derivative is defined, too
    if known is not None:
        return known
    if not isinstance(part, Derivative):
        return type_of(evaluator.value(part))
    if part.by is None:
        return type_of(evaluator.value(part.of if part.op == "partial" else part))
    by = type_of(evaluator.value(part.by))
    function = checker.names.function(part.of, place, {})
    if function is not None and function.defined is not None:
        results = checker.function(function.defined).results()
        of = results[0] if len(results) == 1 else None
    else:
        of = type_of(evaluator.value(part.of))
    if of is None or by is None or by.host:
        return None
    return Type((*of.axes, *[(n + "*" if of.has(n) else n, s) for n, s in by.axes]))


def _hold_together(checker: Checker, relation: Relation, types: Sequence[Type | None]) -> None:
    """Compare the sides of a relation between tensors."""
    if any(t is not None and t.host for t in types):
        return  # sum_vocab X = 1 means each number of the sum
    sides = [relation.first, *[part for _, part in relation.rest]]
    for at, (op, part) in enumerate(relation.rest):
        before, found = types[at], types[at + 1]
        if before is None or found is None:
            continue
        if op == "in" and not is_name(sides[at]):
            _hold_in(checker, sides[at], before, part, found)
        elif op in ("=", "<-"):
            check_equal(checker, sides[at], before, part, found)
        elif op in COMPARING and all(one_sided(before, found)):
            _say_compared(checker, op, sides[at], before, part, found)


def _say_unchecked(
    scope: ConstraintScope,
    statement: Constraint,
    parts: Sequence[Expression],
    types: Sequence[Type | None],
) -> None:
    """Note why a relation is not checked, if it has a tensor and a side of unknown axes."""
    checker = scope.checker
    if checker.report.any_in(statement.span):
        return
    if not any(scope.has_axes(name) for part in parts for name in names_of(part)):
        return
    for part, type_ in zip(parts, types, strict=True):
        inside = {id(each) for each in walk(part)}
        acting = {id(name) for name in _acting(part)}
        refused = [(where, error) for where, error in scope.refused if id(where) in inside]
        unknown = [name for name in scope.unknown if id(name) in acting]
        if type_ is not None or (isinstance(part, Items) and part.bracket != "<"):
            continue
        if refused:
            where, error = refused[0]
            checker.report.note(
                "not-notation", where.span, f"not checked: {error.why}", hint=error.hint
            )
        elif unknown:
            text = checker.report.text(unknown[0].span)
            checker.report.note(
                "undefined",
                unknown[0].span,
                f"not checked: nothing that is read says what {text} is",
                hint=f"declare it, {text} \\in {checker.dialect.space(REALS, [])}, or say what it is",
            )
        return


def _acting(part: Expression) -> Iterator[Expression]:
    """Give the functions in an expression, and the names in derivatives, which must be known.

    Any other unknown name may belong to the text or to code around it.
    """
    for each in walk(part):
        if isinstance(each, Derivative) and each.by is not None:
            yield each.by
        elif isinstance(each, Call):
            yield each.function
        elif isinstance(each, Under):
            yield each.operand


def _hold_in(
    checker: Checker, part: Expression, found: Type, space: Expression, said: Type
) -> None:
    """Compare an expression with the space that it is said to be in."""
    text, severity = difference(checker, said, found)
    if text and isinstance(space, Space) and not checker.report.any_in(part.span):
        written = [checker.report.text(p.span) for p in (part, space)]
        checker.report.add(
            severity,
            "declared-shape",
            part.span,
            f"this is said to be in {written[1]}, and {text}",
            [(w, shape_text(t)) for w, t in zip(written, (found, said), strict=True)],
            "name the axes that it has",
        )


def _say_compared(
    checker: Checker, op: str, left: Expression, before: Type, right: Expression, found: Type
) -> None:
    """Report a comparison of tensors with different axes; an error if they are to be about equal."""
    written = [checker.report.text(p.span) for p in (left, right)]
    own, others = map(listed, one_sided(before, found))
    checker.report.add(
        "error" if op in ABOUT else "note",
        "declared-shape" if op in ABOUT else "meaning",
        left.span | right.span,
        f"each {own} of {written[0]} is compared with each {others} of {written[1]}",
        [(w, shape_text(t)) for w, t in zip(written, (before, found), strict=True)],
        "where one is meant for one, let both have the same axes",
    )


def _strangers(checker: Checker, statement: Constraint, place: Place) -> bool:
    """Report a tensor in a constraint next to declarations that only another section declares."""
    beside = [
        s
        for s in checker.names.statements
        if isinstance(s, Declaration) and s.block == statement.block
    ]
    if not beside:
        return False
    found = False
    for big in all_of(Big, statement):
        name = big.body
        text = key(name)
        if text is None or checker.declaration(name, place) is not None:
            continue
        others = checker.names.declared.get(text)
        if not others:
            continue
        found = True
        axes = {axis.name for axis in big.axes}
        fits = [n for s in beside for n in s.names if axes <= {*s.space.names}]
        written = checker.report.text(name.span)
        hint = f"is {checker.report.text(fits[0].span)} meant?" if len(fits) == 1 else ""
        line = checker.line(others[0].name.span)
        checker.report.warning(
            "undeclared",
            name.span,
            f"{written} is declared in another section only, on line {line}",
            hint=hint or f"declare {written} here",
        )
    return found
