"""Find the formulas that give nan for all numbers of a few small tries.

First, bounds are computed of the trees that the checker has found: most cannot be nan for inputs in some
interval. Numbers are put into the others. A formula is run only if a rule of the checker asks for it, because
an index may leave its axis.
"""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula, R
from namedtensor.formula.records import (
    NotCounted,
    Numbers,
    numbers_of,
    records_in,
    records_of,
    sizes_of,
)
from namedtensor.formula.signature import Signature
from namedtensor.formula.written import write
from namedtensor.latex.check.symbols import unbraced
from namedtensor.latex.check.types import node_of
from namedtensor.latex.documents.along import axis_along, bare
from namedtensor.latex.documents.failures import LatexError
from namedtensor.latex.documents.scopes import Defined
from namedtensor.latex.documents.scripts import fold, key
from namedtensor.latex.documents.signatures import BASES
from namedtensor.latex.evaluation.indices import plain
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import Call, Constraint, Indexed, Number, Relation
from namedtensor.latex.walk import all_of, letters_of
from namedtensor.plans import LIBRARY_ERRORS
from namedtensor.plans.bounds import bounds_of
from namedtensor.primitives import Node
from namedtensor.primitives.node import (
    ARGUMENT,
    NUMBER,
    apply_node,
    make_node,
    number,
    operands_first,
)
from namedtensor.primitives.node import SIZE as OPEN
from namedtensor.primitives.traits import Bounds
from namedtensor.tensor import SymbolicTensor

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker
    from namedtensor.latex.documents.document import Document

#: At most so many formulas of a document are tried, and so many numbers are computed for all of them.
FORMULAS = 400
NUMBERS = 4_000_000

#: Sizes for axes that are declared without a number: a small one, one with many divisors, and a prime.
#: The next one is tried if an index leaves its axis. A formula with more than MOST numbers is not run.
SIZES = (2, 12, 7)
MOST = 10_000

#: The size that is tried next of all axes of a formula that is nan for the small one: 1/(m - 2).
NEXT = 3

#: The number of normal draws: a formula that splits numbers at a threshold may need many of them until
#: there are numbers on both sides.
GAUSSIAN = 12

#: Intervals of numbers: a formula that is nan on all of them is nan for most numbers.
LIMITS = ((0.05, 0.2), (0.3, 0.7), (2.0, 3.0), (-0.9, -0.1))
DRAWS: tuple[Callable[[Random], float], ...] = (
    *[partial(Random.uniform, a=low, b=high) for low, high in LIMITS],
    *[partial(Random.gauss, mu=0.0, sigma=1.0)] * GAUSSIAN,
    lambda source: 1.0,  # as in a mask of {0,1} that hides nothing
)


def check_numbers(document: Document, checker: Checker) -> None:
    """Report definitions that are nan for all inputs that were tried, and those that fail when run."""
    left = NUMBERS  # a count and not a time, so that each run gives the same findings
    ranges = [Ranges(checker, *limits) for limits in LIMITS]
    trees = [Trees(checker, size) for size in (SIZES[0], NEXT)]
    for defined in itertools.islice(document.definitions.definitions, FORMULAS):
        if left <= 0:
            return
        along = axis_along(defined.name) is not None
        if (defined.letters and not along) or checker.report.any_in(defined.statement.span):
            continue
        if checker.names.gives_size(defined.statement) or id(defined) in checker.misled:
            continue
        bounded = any(r.of_definition(defined, {}) is not None for r in ranges)
        is_rule = along and bool(defined.letters)
        may_leave = is_rule or id(defined) in checker.open_indices
        if bounded and not may_leave:
            continue
        try_it = partial(run, document, defined) if may_leave else partial(tried, trees, defined)
        spans, found = document.kept.answer("nan", document.grounds.of(defined), try_it)
        left -= found.computed
        for place, bounds in found.learnt:
            ranges[place].run[id(defined)] = bounds
        for span in spans:
            if not checker.report.any_in(span):
                code, words = found.refused
                at = checker.occurrences.place_of(span)
                there = checker.names.defined_at(at) if at is not None else None
                severity = "note" if _may_mean_another(checker, there or defined) else "warning"
                checker.report.add(severity, code, span, f"refused when it runs: {words}")
        if found.nan:
            checker.report.warning(
                "nan",
                defined.body.span,
                f"{checker.report.text(defined.name.span)} is nan for all numbers that were tried",
                hint="look for 0/0, for infinity minus infinity, and for roots of negative numbers",
            )


class Ranges:
    """Bound the values of definitions for inputs between `low` and `high`.

    A definition that was run is assumed to have the bounds of the numbers of that run.
    """

    def __init__(self, checker: Checker, low: float, high: float) -> None:
        self.checker = checker
        self.run: dict[int, Bounds] = {}
        self.numbers = low, high
        self._busy: set[int] = set()
        sizes = [a.size for _, a in checker.names.sized if a.size is not None]
        self._sizes = {unbraced(text) for size in sizes if (text := key(size))}
        numbers = [s.value for s in sizes if isinstance(s, Number)]
        self.most = max([SIZES[0], *numbers])

    def of_definition(self, defined: Defined, given: Mapping[Node, Bounds]) -> Bounds:
        """Bound a definition; `given` are the bounds of a function's arguments, by their symbols."""
        if id(defined) in self.run:
            return self.run[id(defined)]
        value = plain(self.checker.found.get(id(defined), UNKNOWN))
        if isinstance(value, (int, float)):
            return None if math.isnan(value) else (value, value)
        node = node_of(value)
        if node is None or id(defined) in self._busy:
            return None
        self._busy.add(id(defined))
        formals = {*_formals(self.checker, defined).values()}
        try:
            return bounds_of(node, lambda leaf: self._leaf(leaf, given, leaf in formals))
        finally:
            self._busy.discard(id(defined))

    def _leaf(self, node: Node, given: Mapping[Node, Bounds], formal: bool = False) -> Bounds:
        checker = self.checker
        if node in given:
            return given[node]
        if node in checker.calls:
            defined, arguments = _called(checker, node)
            inner = {n: self._bounds(value, given) for n, value in arguments.items()}
            return self.of_definition(defined, inner)
        if node.operation.primitive is OPEN:
            name = str(node.operation.params[0])
            if name in checker.names.declared:
                return 0, self.most
            return (1, self.most) if name.startswith("|") or name in self._sizes else None
        if node in checker.assumed:
            return self.numbers
        promised = None if formal else checker.promises.get(node)
        before = (
            promised is not None and promised.statement.op != "=" and id(promised) in self._busy
        )
        if promised is not None and not before:
            return self.of_definition(promised, given)
        if node not in checker.spaces:
            return None
        base = checker.spaces[node][1].base
        return self.numbers if BASES.get(base, R).letter == "R" else (0, 1)

    def _bounds(self, value: Value, given: Mapping[Node, Bounds]) -> Bounds:
        node = node_of(value)
        return None if node is None else bounds_of(node, lambda leaf: self._leaf(leaf, given))


def _called(checker: Checker, node: Node) -> tuple[Defined, dict[Node, Value]]:
    """Give the function that a symbol is the result of, and what is given for its arguments' symbols."""
    defined, arguments = checker.calls[node]
    formals = _formals(checker, defined)
    return defined, {formals[text]: v for text, v in arguments.items() if text in formals}


def _formals(checker: Checker, defined: Defined) -> dict[str, Node]:
    """Give the symbols of a function's own arguments by their names."""
    if defined.kind != "function":
        return {}
    values = checker.function(defined).values()
    return {text: node for text, value in values.items() if (node := node_of(value)) is not None}


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of trying a definition: whether each try had a nan, and how many numbers were computed.

    `learnt` are bounds of the values: (number of the draw, bounds). `refused` are the code and the
    message of an error that does not depend on the inputs.
    """

    nan: bool = False
    computed: int = 0
    learnt: tuple[tuple[int, Bounds], ...] = ()
    refused: tuple[str, str] = ("", "")


def _may_mean_another(checker: Checker, defined: Defined) -> bool:
    """Say whether letters of a formula may mean something else in another function or section."""
    inside = defined.kind != "function" and defined.place.block in checker.blocks_of_functions
    span, names = defined.statement.span, checker.names
    calls = [key(call.function) for call in all_of(Call, defined.statement)]
    called = [d for d in names.definitions if d.kind == "function" and d.key in calls]
    said = [s.relation for s in names.statements if isinstance(s, Constraint)]
    elements = [
        r.first.base for r in said if isinstance(r, Relation) and isinstance(r.first, Indexed)
    ]
    elements += [bare(d.name) for d in names.definitions if axis_along(d.name) is not None]
    starts = {*map(key, elements)} - {key(bare(defined.name))}
    return (
        inside
        or any(checker.function(d).borrowed for d in called)
        or any(span.start <= at.start < span.end for at in checker.report.borrowed)
        or any(key(part.base) in starts for part in all_of(Indexed, defined.body))
    )


#: The codes of errors that do not depend on the inputs; index-range only after all sizes were tried.
FOLLOWED = ("axis-missing", "axis-clash", "index-range")


def run(
    document: Document, defined: Defined, sizes: Sequence[int] = SIZES
) -> tuple[Sequence[Span], Tried]:
    """Run a definition on symbols of these sizes in turn; give the places at which all refuse it."""
    try:
        formula = document.library.of(defined)
        signature = formula.signature
        if not signature.several:  # do not compare the result with its declaration here
            formula = Formula(formula.function, replace(signature, gives=None))
        known = dict.fromkeys(_open_sizes(signature), sizes[0])
        known |= {
            axis: size for axis, size in _computed(document, defined, sizes[0]) if axis in known
        }
        return (), _tried(write(formula, {}, known, whole=True).results)
    except LatexError as error:
        found = error.finding
        if found.code == "index-range" and sizes[1:]:
            return run(document, defined, sizes[1:])
        if found.code in FOLLOWED:
            return (found.span,), Tried(refused=(found.code, found.message))
        return (), Tried()
    except (*LIBRARY_ERRORS, NamedTensorError, LookupError, NotCounted):
        return (), Tried()


def _open_sizes(signature: Signature) -> Iterator[str]:
    """List the sizes of a formula's inputs that have no number."""
    for parameter in signature.parameters:
        if parameter.bundle is not None:
            yield from _open_sizes(parameter.bundle.signature)
        space = parameter.space
        for axis in () if space is None else space.axes:
            if space is not None and not isinstance(axis.size, int):
                yield space.size_key(axis.name) or axis.name


def _computed(document: Document, defined: Defined, number: int) -> Iterator[tuple[str, int]]:
    """Give the sizes of inputs that are computed from letters, T + 1, where each letter is one number."""
    linked = document.library.linker.linked(defined)
    inputs = {document.library.identifier(linked, given): given for given in linked.inputs}
    for parameter in document.library.of(defined).signature.parameters:
        given = inputs.get(parameter.name)
        space = parameter.space
        for axis in () if given is None or given.space is None else given.space.axes:
            name = axis.axis.name
            letters = dict.fromkeys([t.text for t in letters_of(axis.size)], number)
            size = None if axis.size is None else fold(axis.size, letters)
            if size is not None and size > 0:
                yield (None if space is None else space.size_key(name)) or name, size


def tried(trees: Sequence[Trees], defined: Defined) -> tuple[Sequence[Span], Tried]:
    """Put a few inputs into the tree of a definition, of one size and, where all give nan, of the next."""
    found = Tried()
    try:
        for of_size in trees:
            found = _tried([of_size.of_definition(defined, {})])
            if not found.nan:
                break
        return (), found
    except (*LIBRARY_ERRORS, NamedTensorError, LookupError, NotCounted):
        return (), Tried()


class Trees:
    """The trees of definitions for one size of all open axes, with those of what they call inside."""

    def __init__(self, checker: Checker, size: int) -> None:
        self.checker = checker
        self.size = number(size)
        self._busy: set[int] = set()

    def of_definition(self, defined: Defined, given: Mapping[Node, Node]) -> Node:
        """Give the tree of a definition; `given` are a function's arguments, by their symbols.

        Raises: NotCounted, and the errors of operations.
        """
        if id(defined) in self._busy:
            raise NotCounted("a definition of itself")
        self._busy.add(id(defined))
        try:
            built = dict(given)
            for formal in _formals(self.checker, defined).values():
                if formal not in built and formal.operation.primitive is ARGUMENT:
                    built[formal] = self._argument(formal, built)
            return self._of_value(self.checker.found.get(id(defined), UNKNOWN), built)
        finally:
            self._busy.discard(id(defined))

    def _of_value(self, value: Value, built: dict[Node, Node]) -> Node:
        root = node_of(value)
        if root is None:
            whole = plain(value)
            if isinstance(whole, (bool, int, float)):
                return number(whole)
            raise NotCounted("a value that is not known")
        for node in operands_first([root]):
            if node not in built:
                built[node] = self._built(node, built)
        return built[root]

    def _built(self, node: Node, built: dict[Node, Node]) -> Node:
        operation = node.operation
        if operation.primitive is NUMBER:
            return node
        if operation.primitive is OPEN:
            return self.size
        if operation.primitive is ARGUMENT:
            return self._leaf(node, built)
        params = tuple([self._param(param, built) for param in operation.params])
        operands = tuple([built[o] for o in node.operands])
        return apply_node(operation.primitive(*params), operands)

    def _leaf(self, node: Node, built: dict[Node, Node]) -> Node:
        checker = self.checker
        if node in checker.calls:
            defined, arguments = _called(checker, node)
            given = {n: self._of_value(value, built) for n, value in arguments.items()}
            return self.of_definition(defined, given)
        promised = checker.promises.get(node)
        if promised is not None and id(promised) not in self._busy:
            return self.of_definition(promised, {})
        return self._argument(node, built)

    def _argument(self, node: Node, built: dict[Node, Node]) -> Node:
        axes = [(name, self._param(size, built)) for name, size in node.type.axes]
        return make_node(node.operation, (), replace(node.type, axes=tuple(axes)))

    def _param(self, param: Any, built: dict[Node, Node]) -> Any:
        """Put numbers in the place of the sizes in a parameter of an operation."""
        if isinstance(param, tuple):
            return tuple([self._param(part, built) for part in param])
        if not isinstance(param, Node):
            return param
        (size,) = numbers_of([self._of_value(SymbolicTensor(param), built)])
        return int(size[()])


def _tried(roots: Sequence[Node]) -> Tried:
    """Bound trees whose sizes are known, or else put numbers into them."""
    for place, limits in enumerate(LIMITS):
        bounds = _bounds(roots, *limits)
        if bounds is not None:
            return Tried(learnt=((place, bounds),))
    records = sum(records_in(node) for node in operands_first(roots))
    if records > MOST:
        return Tried()
    for place in range(len(DRAWS)):
        numbers = _numbers(roots, place)
        if not any(x != x for x in numbers):
            known = place < len(LIMITS) and all(map(cmath.isfinite, numbers))
            learnt = ((place, _extent(numbers)),) if known else ()
            return Tried(computed=(place + 1) * records, learnt=learnt)
    return Tried(nan=True, computed=len(DRAWS) * records)


def _bounds(roots: Sequence[Node], low: float, high: float) -> Bounds:
    """Bound several trees together for inputs between two numbers; None if one may be nan."""

    def given(leaf: Node) -> Bounds:
        if leaf.operation.primitive is not ARGUMENT:
            return None
        return (low, high) if leaf.type.kind == "float" else (0, 1)

    found = [ends for node in roots if (ends := bounds_of(node, given)) is not None]
    if len(found) < len(roots):
        return None
    return min(low for low, _ in found), max(high for _, high in found)


def _extent(numbers: Sequence[Any]) -> Bounds:
    """Give the least and the greatest of some numbers; None if they are not real."""
    real = [x for x in numbers if isinstance(x, (bool, int, float))]
    return (min(real), max(real)) if real and len(real) == len(numbers) else None


def _numbers(roots: Sequence[Node], place: int) -> list[Any]:
    """Compute trees on the inputs of one draw."""
    source = Random(place)

    def drawn(argument: Node) -> Numbers:
        draw = _OF_KIND.get(argument.type.kind, DRAWS[place])
        numbers = {at: draw(source) for at in records_of(sizes_of(argument))}
        return (
            {at: x > 0.5 for at, x in numbers.items()} if argument.type.kind == "bool" else numbers
        )

    return [x for numbers in numbers_of(roots, drawn) for x in numbers.values()]


_OF_KIND: dict[str, Callable[[Random], Any]] = {"int": lambda source: source.randrange(2)}
