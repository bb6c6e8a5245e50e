"""Declarations against one another, and names that only another section declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from namedtensor.latex.check.compare import difference
from namedtensor.latex.check.report import shape_text
from namedtensor.latex.documents.scopes import Declared, Defined
from namedtensor.latex.syntax import At, Space
from namedtensor.latex.walk import all_of

if TYPE_CHECKING:
    from namedtensor.latex.check.checker import Checker


def check_declarations(checker: Checker) -> None:
    """Report names that one block declares twice, and differently."""
    for group in checker.names.declared.values():
        first: dict[int, Declared] = {}
        for declared in group:
            earlier = first.setdefault(declared.place.block, declared)
            if earlier is not declared:
                _same(checker, earlier, declared)
    for statement in checker.names.statements:
        for space in all_of(Space, statement):
            _size_slips(checker, space)
    for defined in checker.names.definitions:
        if defined.kind == "elements":
            _declared_here(checker, defined)


def _declared_here(checker: Checker, defined: Defined) -> None:
    """Note a tensor given by its elements that only another section declares, over the same axes."""
    others = checker.names.declared.get(defined.key, [])
    target = defined.statement.target
    axes = {a.axis.name for a in all_of(At, target)}
    same = [d for d in others if {s.axis.name for s in d.space.axes} == axes]
    if not same or any(d.place.section == defined.place.section for d in others):
        return
    name = checker.report.text(defined.name.span)
    line = checker.line(same[0].name.span)
    checker.report.add(
        "note",
        "undeclared",
        defined.name.span,
        f"{name} is declared in another section only, on line {line}",
        hint=f"declare {name} here too",
    )


def _size_slips(checker: Checker, space: Space) -> None:
    """Report a size that stands among the axes of a shape."""
    for before, sized in zip(space.axes, space.axes[1:], strict=False):
        if checker.occurrences.is_slip(space, sized) and before.size is None:
            text = checker.report.text
            size, axis = text(sized.axis.span), text(before.axis.span)
            form = f"{axis}[{size}]" if checker.dialect.macros else f"{axis}:{size}"
            checker.report.add(
                "error",
                "axis-name",
                sized.axis.span,
                f"{size} stands among the axes of this shape, and no other formula has such an axis",
                hint=f"is it the size of {before.axis.name}? {form}",
            )


def _same(checker: Checker, earlier: Declared, later: Declared) -> None:
    said, found = checker.declared_type(earlier), checker.declared_type(later)
    if said is None or found is None:
        return
    text, severity = difference(checker, said, found)
    if text:
        name = checker.report.text(later.name.span)
        checker.report.add(
            severity,
            "declared-shape",
            later.name.span,
            f"{name} is declared on line {checker.line(earlier.name.span)} already, and here it {text}",
            [
                (f"line {checker.line(earlier.name.span)}", shape_text(said)),
                (name, shape_text(found)),
            ],
            "give one of them a name of its own",
        )
