"""Write formulas as a Python module that defines the same formulas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.written import Written
from namedtensor.latex.python.definitions import Definition, definition
from namedtensor.latex.python.labels import OURS, Names
from namedtensor.primitives import Type, argument
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
