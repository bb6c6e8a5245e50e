"""Write formulas as a Python module that defines the same formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.signature import Parameter, R, Space
from namedtensor.formula.written import Written
from namedtensor.latex.printing.elements import constant as number_of
from namedtensor.latex.python.code import call, height, is_word, statement
from namedtensor.latex.python.labels import OURS, Names
from namedtensor.latex.python.spelling import Spelling, indexed_parts, is_constant, written_of
from namedtensor.operations.recurrence import recurs
from namedtensor.plans.code import Code, Items, Word, printed
from namedtensor.primitives import Node, Type, argument
from namedtensor.primitives.node import operands_first
from namedtensor.primitives.type import kind_of
from namedtensor.tensor import SymbolicTensor

TITLE = '"""Formulas in the named tensor notation."""'


def python_of(formulas: Iterable[Formula], failed: list[NamedTensorError] | None = None) -> str:
    """Write a module that defines these formulas, and those that they call, in our own notation.

    With a list `failed`, formulas that cannot be written are left out, and their errors are added to the
    list. If several formulas are called z, the last is z and the one before it z_2.

    Raises: NamedTensorError where a formula cannot be written, and there is no list `failed`.

    >>> from namedtensor import R, axes, formula
    >>> emb, hid = axes("emb hid")
    >>> @formula
    ... def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    ...     return W @ emb @ X
    >>> print(python_of([project]))
    \"\"\"Formulas in the named tensor notation.\"\"\"
    <BLANKLINE>
    from namedtensor import R, axes, formula
    <BLANKLINE>
    emb, hid = axes("emb hid")
    <BLANKLINE>
    <BLANKLINE>
    @formula
    def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
        return W @ emb @ X
    <BLANKLINE>
    """
    all_written = _with_called(formulas, failed)
    functions = _function_names(all_written)
    written = [replace(one, name=functions[f]) for f, one in all_written.items()]
    named = {a for one in written for part in operands_first(one.results) for a in part.type.names}
    names = Names(functions.values(), _local_names(written), named, functions)
    kept = {one.name: kept_settings(one) for one in written}
    found = [definition(one, names, kept) for one in written]
    hoisted = _hoisted(found)
    blocks: list[str] = []
    for one in found:
        shared = [code for name, code in hoisted.items() if name in one.closed]
        lines = [] if one.constant else ["\n".join(one.lines(hoisted))]
        blocks += [block for block in (*shared, *lines) if block not in blocks]
    head = "\n".join(names.declarations())
    return "\n\n".join([TITLE, _imports(names), head]).rstrip() + _joined(blocks)


def _joined(blocks: list[str]) -> str:
    """Put two empty lines around functions, and none between constants."""
    text, function = "", True
    for block in blocks:
        is_function = block.startswith("@")
        text += ("\n\n\n" if is_function or function else "\n") + block
        function = is_function
    return text + "\n"


def _imports(names: Names) -> str:
    lines = ["import builtins", ""] if "builtins" in names.imported else []
    if names.package in names.imported:
        own = names.package == "namedtensor"
        lines.append("import namedtensor" if own else f"import namedtensor as {names.package}")
    ours = sorted(names.imported & {*OURS}, key=lambda name: (name.islower(), name))
    if ours:
        lines.append(f"from namedtensor import {', '.join(ours)}")
    return "\n".join(lines)


def _function_names(formulas: Iterable[Formula]) -> dict[Formula, str]:
    """Give each formula a name of its own, since a document may define one letter twice."""
    found: dict[Formula, str] = {}
    for formula in reversed(list(formulas)):
        name, number = formula.name, 1
        while name in found.values():
            number += 1
            name = f"{formula.name}_{number}"
        found[formula] = name
    return found


def _with_called(
    formulas: Iterable[Formula], failed: list[NamedTensorError] | None
) -> dict[Formula, Written]:
    """Write each formula, after the formulas that it calls or whose parameters it takes as a bundle."""
    found: dict[Formula, Written] = {}
    known: set[Formula] = set()

    def add(formula: Formula) -> None:
        if formula in known:
            return
        known.add(formula)
        written = _written(formula)
        bundles = [p.bundle for p in formula.signature.parameters if p.bundle is not None]
        for other in (*bundles, *written.called.values()):
            add(other)
        found[formula] = written

    for formula in formulas:
        try:
            add(formula)
        except NamedTensorError as error:
            if not formula.signature.parameters:
                continue  # a tensor of open size is written inside the formulas that use it
            if failed is None:
                raise
            failed.append(error)
    return found


def _written(formula: Formula) -> Written:
    """Write a formula.

    Raises: NamedTensorError where it takes a stack of any number of layers.
    """
    for parameter in formula.signature.parameters:
        if parameter.stack:  # the tree holds each layer that was traced, and no loop over layers
            raise NamedTensorError(
                f"python_of({formula.name})",
                f"{parameter.name} is a stack of any number of layers, and Python is written of one number",
                hint=f"{formula.name}.latex() writes the step from one layer to the next",
            )
    return with_settings(formula)


def _local_names(written: Iterable[Written]) -> list[str]:
    return [
        name
        for one in written
        for name in (*[p.name for p in one.signature.parameters], *one.locals)
    ]


def _hoisted(found: list[Definition]) -> dict[str, str]:
    """Find the parts that take no input, and whose name means the same in all formulas that use it."""
    taken = {*[one.name for one in found if not one.constant], *OURS, "nt"}
    codes: dict[str, set[str]] = {}
    for one in found:
        for name, _, _ in one.parts:
            codes.setdefault(name, set()).add(one.closed.get(name, ""))
    return {
        name: next(iter(texts))
        for name, texts in codes.items()
        if len(texts) == 1 and "" not in texts and name not in taken
    }


# ---------------------------------------------------------------------------------------- settings


def with_settings(formula: Formula) -> Written:
    """Write a formula with the names of its numeric settings instead of their values, where that works.

    A body that needs the number itself, as in `range(k)`, is written for the default.
    """
    numbers = {
        p.name: p.default
        for p in formula.signature.parameters
        if p.setting and isinstance(p.default, (int, float)) and not isinstance(p.default, bool)
    }
    try:
        return formula.written(**{name: _symbol(name, value) for name, value in numbers.items()})
    except (NamedTensorError, TypeError):
        return formula.written()


def _symbol(name: str, value: Any) -> SymbolicTensor:
    return SymbolicTensor(argument(name, Type((), kind_of(value), host=True, weak=True)))


def kept_settings(written: Written) -> frozenset[str]:
    """List the settings that still have names in a written formula."""
    known = {p.name for p in written.signature.parameters if p.setting}
    used = [n.operation.params[0] for n in operands_first(written.results) if n.name == "argument"]
    return frozenset(name for name in used if name in known)


# ------------------------------------------------------------------------------------ one formula


#: A part that is used more than once gets a name if its code is longer than this.
SHORT = 24
#: A part that is used once gets a name if its code is longer or more deeply nested than this.
LONG, DEEP = 400, 20


@dataclass
class Definition:
    """The lines of one formula; `closed` are the parts that take no input and no size, with their code.

    A formula whose result is defined by its indices alone is a `constant`, written without a function.
    """

    name: str
    header: list[str]
    parts: list[tuple[str, Node, Code]] = field(default_factory=list)
    results: list[Code] = field(default_factory=list)
    closed: dict[str, str] = field(default_factory=dict)
    constant: bool = False

    def lines(self, hoisted: dict[str, str]) -> list[str]:
        """Write the function; the module defines the `hoisted` parts before it."""
        lines = list(self.header)
        for name, _, code in self.parts:
            if name not in hoisted:
                lines += statement(f"{name} = ", code)
        result = self.results[0]
        if len(self.results) > 1:
            result = Items(tuple(self.results))
            if len(printed(result)) + 11 <= 100:
                result = Word(", ".join(map(printed, self.results)))
        return lines + statement("return ", result)


def definition(
    written: Written, names: Names, settings: Mapping[str, frozenset[str]]
) -> Definition:
    """Write a formula; `settings` says which settings each formula of the module keeps as parameters."""
    names.begin()
    indexed = indexed_parts(written.results)
    spelling = Spelling(names, written.signature, written.called, settings, indexed=indexed)
    named = {node: name for name, node in reversed(written.locals.items())}
    constant = not written.signature.parameters and _is_constant(written.results, indexed)
    if constant:
        named[written.results[0]] = written.name
    header = [] if constant else _header(written, spelling)
    found = Definition(written.name, header, constant=constant)
    order, uses = _order(written.results, indexed)
    spelling.open |= _open(order, written.results, indexed)
    for node in order:
        name = named.get(node)
        number = number_of(node) if constant else None
        code = spelling.code(node if number is None else number)
        if name is None and _deserves_a_name(node, code, uses[node], node in written.results):
            name = names.part()
        if name is not None and node not in spelling.bound:
            found.parts.append((name, node, code))
            if node in indexed and is_constant(node, node in spelling.open):
                found.closed[name] = "\n".join(statement(f"{name} = ", code, 0))
            spelling.bound[node] = name
    found.results = [spelling.code(node) for node in written.results]
    return found


def _is_constant(results: tuple[Node, ...], indexed: set[Node]) -> bool:
    """Say whether the only result is defined by its indices, and by no size."""
    return len(results) == 1 and results[0] in indexed and is_constant(results[0], False)


def _deserves_a_name(node: Node, code: Code, uses: int, result: bool) -> bool:
    if is_word(code) or node.type.host:
        return False
    if uses > 1 and (len(printed(code)) > SHORT or node.operation.primitive.effect):
        return True
    return not result and (len(printed(code)) > LONG or height(code) > DEEP)


def _order(results: tuple[Node, ...], whole: set[Node]) -> tuple[list[Node], Counter[Node]]:
    """List the parts, operands first, and count the uses of each; parts in `whole` are not opened."""

    def inside(node: Node) -> Sequence[Node]:
        return () if node in whole else written_of(node)

    order = list(operands_first(results, inside))
    uses: Counter[Node] = Counter(results)
    for node in order:
        uses.update(inside(node))
    return order, uses


def _open(order: list[Node], results: tuple[Node, ...], indexed: set[Node]) -> set[Node]:
    """Find the index-defined parts that take their sizes from other operands, in every place of use."""
    fixed: set[Node] = {node for node in results if node in indexed}
    met: set[Node] = set()
    for node in order:
        if node in indexed:
            continue
        others = [o for o in node.operands if o not in indexed]
        finds = node.name != "call" and not recurs(node)
        for operand in node.operands:
            if operand in indexed:
                (met if finds and _meets(operand, others) else fixed).add(operand)
    return met - fixed


def _meets(part: Node, others: list[Node]) -> bool:
    """Say whether each axis of a part gets its size from the other operands, and no other size there."""
    for name, size in part.type.axes:
        found = [o.type.size(name) for o in others if o.type.has(name)]
        if size is not None and (not found or any(s is not size and s != size for s in found)):
            return False
    return True


# ------------------------------------------------------------------------------------- signature


def _header(written: Written, spelling: Spelling) -> list[str]:
    signature = written.signature
    items: list[Code] = []
    starred = False
    for parameter in signature.parameters:
        if parameter.setting and parameter.name not in spelling.settings.get(written.name, ()):
            continue  # the body is written for the default of this setting
        if parameter.after and not starred:
            items.append(Word("*"))
            starred = True
        items.append(Word(_parameter(parameter, signature.python, spelling)))
    given = [a for p in signature.parameters if p.space is not None for a in p.space.names]
    spaces = signature.results or tuple([_space_of(node, given) for node in written.results])
    end = _returned(spaces, signature.several, spelling)
    lines = statement("def ", call(written.name, *items), 0)
    if len(lines[0]) + len(end) > 100:
        lines = [f"def {written.name}(", *[f"    {printed(i)}," for i in items], ")"]
    lines[-1] += end
    return [f"@{spelling.nt('formula')}", *lines]


def _parameter(parameter: Parameter, python: Any, spelling: Spelling) -> str:
    known = parameter.default is not None and parameter.default is not python.empty
    default = f" = {parameter.default!r}" if known else ""
    if parameter.bundle is not None:
        left_out = " = None" if parameter.optional else ""
        return f"{parameter.name}: {spelling.names.function(parameter.bundle)}{left_out}"
    if parameter.space is None:
        kind = spelling.names.builtin(type(parameter.default).__name__)
        return f"{parameter.name}: {kind}{default}"
    return f"{parameter.name}: {_space(parameter.space, spelling)}{default}"


def _space(space: Space, spelling: Spelling) -> str:
    letter = spelling.nt(space.letter)
    axes = []
    for axis in space.axes:
        size = space.size_name(axis.name)
        if size is not None:
            axes.append(f"{spelling.axis(axis.name)}[{spelling.names.size(size)}]")
        elif isinstance(axis.size, int):
            axes.append(f"{spelling.axis(axis.name)}[{axis.size}]")
        else:
            axes.append(spelling.axis(axis.name))
    return f"{letter}[{', '.join(axes)}]" if axes else letter


def _space_of(node: Node, given: list[str]) -> Space:
    """Make the space of a result that is not declared; its axes are in the order of the arguments'."""
    order = {name: place for place, name in reversed(list(enumerate(given)))}
    names = sorted(node.type.names, key=lambda name: order.get(name, len(given)))
    found: Space = R[tuple(names)]
    return found


def _returned(spaces: tuple[Space, ...], several: bool, spelling: Spelling) -> str:
    texts = ", ".join(_space(space, spelling) for space in spaces)
    return f" -> {spelling.names.builtin('tuple')}[{texts}]:" if several else f" -> {texts}:"
