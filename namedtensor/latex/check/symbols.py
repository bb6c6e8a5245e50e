"""Make symbols of what a document declares: tensors of the declared shapes, with symbolic sizes."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from namedtensor.latex.check.annotations import alike
from namedtensor.latex.check.occurrences import Occurrences
from namedtensor.latex.check.report import Report, is_own_size, is_taken, size_text, unstated
from namedtensor.latex.check.sizes import Facts
from namedtensor.latex.check.types import node_of, type_of
from namedtensor.latex.documents.scopes import Declared, Defined, Names, Place
from namedtensor.latex.evaluation.indices import one_based
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.findings import Mend
from namedtensor.latex.printing.dialects import REALS, dialect_in
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import At, AxisName, Expression, Space
from namedtensor.latex.walk import reached
from namedtensor.primitives import Node, Type
from namedtensor.primitives.node import argument, size_of
from namedtensor.tensor import SymbolicTensor

_serial = itertools.count()

KINDS = {"Z": "int", "N": "int", "[n]": "int", "{0,1}": "int", "C": "complex", "B": "bool"}


def unbraced(name: str) -> str:
    """Give the name of a size without braces, as its symbol has it: d_k for d_{k}."""
    return name.replace("{", "").replace("}", "")


@dataclass(slots=True)
class Taken:
    """An index of a tensor in a definition; it is checked after the whole definition is evaluated."""

    base: Expression
    item: At
    value: Value
    guarded: bool

    @property
    def axis(self) -> str:
        return self.item.axis.name


class Symbols(ABC):
    """The symbols of a document, and the values of the parts that were evaluated.

    values   the values of parts, by the id of the part
    found    the values of definitions, by the id of the definition
    spaces   the declarations of symbols: name, space, and size of [n]
    bounds   the n of symbols declared in [n]
    calls    the function and the arguments of a call, by the symbol of its result
    """

    def __init__(self, source: Source, names: Names, report: Report) -> None:
        self.source = source
        self.names = names
        self.report = report
        self.facts = Facts()
        #: symbols of letters that are assumed to be numbers, because nothing declares them
        self.assumed: set[Node] = set()
        self.values: dict[int, Value] = {}
        self.spaces: dict[Node, tuple[str, Space, Any]] = {}
        self.bounds: dict[Node, Any] = {}
        unread = [finding for finding in report.findings if not is_taken(finding)]
        self.occurrences = Occurrences(source, names, unread)
        self.dialect = dialect_in(source.text, self.occurrences.spelled)
        self.indexed: list[Taken] = []
        self.found: dict[int, Value] = {}
        self.calls: dict[Node, tuple[Defined, dict[str, Value]]] = {}
        self.blocks_of_functions = {
            d.place.block for d in names.definitions if d.kind == "function"
        }
        self._declared: dict[int, Value] = {}

    def type_of(self, part: Any) -> Type | None:
        """Give the shape of an evaluated part; None if it is unknown."""
        return type_of(self.values.get(id(part), UNKNOWN))

    def size_symbol(self, name: str) -> SymbolicTensor:
        """Give the symbol of a size that a document names."""
        text = unbraced(name)
        return SymbolicTensor(size_of(text, text, 0))

    @abstractmethod
    def extent(self, size: Expression, place: Place) -> Any:
        """Evaluate a size at a place to an int or a node; None if it is neither."""

    def space_type(self, space: Space, place: Place) -> Type:
        """Give the type of a space; an axis without a size has the size |axis|."""
        axes: dict[str, Any] = {}
        for sized in space.axes:
            name = sized.axis.name
            own = self.size_symbol(f"|{name}|").node
            if self.occurrences.is_slip(space, sized):
                continue
            size = own if sized.size is None else self.extent(sized.size, place)
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
        bound = None if space.bound is None else self.extent(space.bound, place)
        self.spaces[tensor.node] = name, space, bound
        if bound is not None:
            self.bounds[tensor.node] = bound
        return one_based(tensor) if space.base == "[n]" else tensor

    def declared_value(self, declared: Declared) -> Value:
        """Give the symbol of a declared tensor."""
        known = self._declared.get(id(declared))
        if known is None:
            self._declared[id(declared)] = UNKNOWN  # as n in R^{seq:n}, whose size is itself
            known = self.symbol(declared.key, declared.space, declared.place)
            self._declared[id(declared)] = known
        return known

    def declared_type(self, declared: Declared) -> Type | None:
        """Give the shape that a declaration states."""
        return type_of(self.declared_value(declared))

    def declaration(self, name: Expression, place: Place) -> Declared | None:
        """Find the declaration of a name that a formula defines, or has as an input.

        It is in the same block, or in the same section if no other formula has this input.
        """
        found = self.names.declaration(name, place)
        if found is None or found.place.block == place.block:
            return found
        near = self.names.inherits(place, found.place)
        return found if near and not self.names.is_anothers(found, place) else None

    def parts(self, root: Node, of_calls: bool = True) -> set[Node]:
        """Collect the parts of a tree, also inside the functions that it calls and their arguments.

        The parts of an index are left out.
        """

        def inside(node: Node) -> list[Node]:
            own = [*node.operands][: 1 if node.name == "index" else None]
            if node not in self.calls or not of_calls:
                return own
            defined, given = self.calls[node]
            value = self.found.get(id(defined), UNKNOWN)
            values = [*given.values(), *(value if isinstance(value, tuple) else (value,))]
            return [*own, *[n for n in map(node_of, values) if n is not None]]

        return reached([root], inside)

    def stand_in(self, type_: Type) -> SymbolicTensor:
        """Make a new symbol of a shape."""
        return SymbolicTensor(argument(f"part {next(_serial)}", type_))

    def assumed_number(self) -> SymbolicTensor:
        """Make a symbol for a letter that is assumed to be a number."""
        value = self.stand_in(Type(()))
        self.assumed.add(value.node)
        return value

    def line(self, span: Span) -> int:
        """Give the line where a span begins."""
        return self.source.position(span.start)[0]

    def size_text(self, axis: str, size: Any) -> str:
        """Write the size of an axis as the document does; "" if it states none."""
        if is_own_size(axis, size):
            return ""
        return self.occurrences.sizes.get(size_text(size), size_text(size))

    def is_of_a_copy(self, size: Any, other: Any) -> bool:
        """Say whether one size is only the symbol |ax'| and the other is that of ax."""
        named = self.names.sizes_named(size_text(other))
        return unstated(size) in [sized.axis.name.rstrip("'") for _, sized in named]

    def borrow(self, name: Expression, given: Declared | Defined) -> None:
        """Note that a letter has its meaning from another section, so that findings say so."""
        self.report.borrowed[name.span] = self.line(given.name.span)

    def defined_below(self, name: Expression, defined: Expression) -> None:
        """Note that a letter is defined in a later section."""
        text, line = self.report.text(name.span), self.line(defined.span)
        self.report.note(
            "undeclared",
            name.span,
            f"not checked: {text} is taken for what another section defines below, on line {line}",
            hint=f"where it is another, declare it in this section: {text} \\in "
            f"{self.dialect.space(REALS, [])}",
        )

    def mend_axis(self, axis: AxisName, fits: list[str]) -> Mend | None:
        """Mend an axis that is surely a typo: one name fits, and this one is named nowhere else."""
        close = [name for name in fits if alike(name, axis.name)] or fits
        if len(close) == 1 and self.occurrences.is_alone(axis):
            return Mend(axis.span, self.dialect.axis(close[0]))
        return None
