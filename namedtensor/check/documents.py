"""What axes mean in the formulas of a document, and the shapes of their parts: rules read the same trees."""

from __future__ import annotations

from typing import Any

from namedtensor.check.formulas import Part, shape_text
from namedtensor.check.meaning import Remark, remarks
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.written import Written, write
from namedtensor.latex.findings import Finding
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, describe, operands_first
from namedtensor.primitives.origins import Origins

#: A document may say what has no effect, and define what does not depend on an argument.
_MILDER = {"softmax-constant": "note"}
_LEFT_OUT = frozenset({"unused"})
#: What is said of the axes that an argument has, and not of those that its formula's body gives it.
_OF_DECLARED = frozenset({"prime-forgotten"})


def _arguments(node: Node) -> set[str]:
    """Name the arguments that a tensor is computed of."""
    return {
        str(n.operation.params[0])
        for n in operands_first([node])
        if n.operation.primitive is ARGUMENT
    }


def look_at(document: Any) -> tuple[list[Finding], list[Part]]:
    """Give what the rules say of the formulas that can be evaluated, and the shapes of their parts."""
    findings: dict[Any, Finding] = {}
    parts: dict[Any, Part] = {}
    for name in document.names:
        table, written = Origins(), None
        try:
            formula = document[name]
            if not isinstance(formula, Formula):
                continue
            written = write(formula, {}, whole=True, origins=table)
        except NamedTensorError:
            pass  # what is wrong with it is a finding of the document
        for node, place in table:
            span = getattr(place, "span", None)
            if span is not None and _stands_in(document, place) and not node.type.host:
                parts.setdefault(span, Part(document.source, span, shape_text(node)))
        if written is None:
            continue
        for remark in remarks(written):
            found = _finding(document, name, written, remark)
            if found is not None:
                findings.setdefault((remark.code, found.span), found)
    return list(findings.values()), list(parts.values())


def _stands_in(document: Any, place: Any) -> bool:
    return place.document is document.source


def _finding(document: Any, name: str, written: Written, remark: Remark) -> Finding | None:
    """Make a finding of what a rule says, if it is about this document's text."""
    if remark.node is None or remark.code in _LEFT_OUT:
        return None
    if remark.code in _OF_DECLARED and _arguments(remark.node) & document.inferred(name):
        return None
    place: Any = next((p for p in written.origins[remark.node] if hasattr(p, "span")), None)
    if place is None or not _stands_in(document, place):
        return None
    if document.silenced(remark.code, document.source.position(place.span.start)[0]):
        return None
    operands = [o for o in remark.node.operands if not o.type.host]
    return Finding(
        _MILDER.get(remark.code, "warning"),
        remark.code,
        remark.message,
        document.source,
        place.span,
        tuple([(describe(o), shape_text(o)) for o in operands]),
    )
