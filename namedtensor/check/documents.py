"""What axes mean in the formulas of a document, and the shapes of their parts: rules read the same trees."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from namedtensor.check.formulas import Part, shape_text
from namedtensor.check.meaning import Remark, remarks
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.written import Written, write
from namedtensor.latex.documents.document import Document
from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.spoken import head_of
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import AxisName, Definition
from namedtensor.latex.walk import all_of, reached, texts_of
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, describe, operands_first
from namedtensor.primitives.origins import Origins

#: Rules that are notes, or are left out, in documents, which may state things without effect.
_MILDER = {"softmax-constant": "note"}
_LEFT_OUT = frozenset({"unused", "axis-size"})
#: What is said of the axes that an argument has, and not of those that its formula's body gives it.
_OF_DECLARED = frozenset({"prime-forgotten"})


def _arguments(node: Node) -> set[str]:
    """Name the arguments that a tensor is computed of."""
    return {
        str(n.operation.params[0])
        for n in operands_first([node])
        if n.operation.primitive is ARGUMENT
    }


def look_at(document: Document) -> tuple[list[Finding], list[Part]]:
    """Give what the rules say of the formulas that can be evaluated, and the shapes of their parts."""
    findings: dict[Any, Finding] = {}
    parts: dict[Any, Part] = {}
    source = document.source
    for name in document.names:
        spans, (shapes, said) = document.kept.answer(
            "meaning", document.ground(name), partial(_look, document, name)
        )
        for span, shape in zip(spans, shapes, strict=False):
            parts.setdefault(span, Part(source, span, shape))
        for span, (code, message, operands) in zip(spans[len(shapes) :], said, strict=True):
            if not document.silenced(code, source.position(span.start)[0]):
                severity = _MILDER.get(code, "warning")
                found = Finding(severity, code, message, source, span, operands)
                findings.setdefault((code, span), found)
    return list(findings.values()), list(parts.values())


def check(document: Document) -> tuple[list[Finding], list[Part]]:
    """Give the findings of a document with those of what axes mean, and the shapes of its parts."""
    found, (said, parts) = document.check(), look_at(document)
    faults = [f.span for f in found if f.severity == "error"]
    return found + [f for f in said if not any(f.span | s == f.span for s in faults)], parts


#: The remark of a rule: its code, the words, and the operands with their shapes.
Said = tuple[str, str, tuple[tuple[str, str], ...]]


def _look(document: Document, name: str) -> tuple[list[Span], tuple[list[str], list[Said]]]:
    """Give the shapes of a formula's parts, what the rules say, and the places of both."""
    table, written = Origins(), None
    try:
        formula = document[name]
        if not isinstance(formula, Formula):
            return [], ([], [])
        written = write(_unheld(formula), {}, whole=True, origins=table)
    except NamedTensorError:
        pass  # its errors are findings of the document already
    shapes: dict[Span, str] = {}
    for node, place in table:
        span = getattr(place, "span", None)
        if span is not None and _stands_in(document, place) and not node.type.host:
            shapes.setdefault(span, shape_text(node))
    if written is None or not isinstance(formula, Formula):
        return list(shapes), (list(shapes.values()), [])
    found = [_said(document, name, written, remark) for remark in remarks(written)]
    places = [place for place, _ in filter(None, found)]
    return [*shapes, *places], (list(shapes.values()), [said for _, said in filter(None, found)])


def _unheld(formula: Formula) -> Formula:
    """Give a copy of a formula without declared results, which were only inferred from its body."""
    if formula.signature.several or not callable(formula.signature.gives):
        return formula
    return Formula(formula.function, replace(formula.signature, gives=None))


def _stands_in(document: Document, place: Any) -> bool:
    return place.document is document.source


def _used_up_elsewhere(document: Document, name: str, node: Node) -> bool:
    """Say whether another formula takes this one, and acts along an axis that it lifts over."""
    names = [frozenset(operand.type.names) for operand in node.operands]
    lifted = frozenset.union(*names) - frozenset.intersection(*names)
    made = [s for s in document.reading.statements if isinstance(s, Definition)]
    words = [texts_of(s.body) for s in made]

    def users(text: str) -> list[str]:
        return [head_of(s.target) for s, used in zip(made, words, strict=True) if text in used]

    taken = reached([name], users)  # of delta too, which the scores take that are normalised
    return any(
        not taken.isdisjoint(used) and lifted & {axis.name for axis in all_of(AxisName, s.body)}
        for s, used in zip(made, words, strict=True)
    )


def _said(
    document: Document, name: str, written: Written, remark: Remark
) -> tuple[Span, Said] | None:
    """Give what a rule says and where, if it is about this document's text."""
    if remark.node is None or remark.code in _LEFT_OUT:
        return None
    if remark.code in _OF_DECLARED and _arguments(remark.node) & document.inferred(name):
        return None
    if remark.code == "axis-lifted" and _used_up_elsewhere(document, name, remark.node):
        return None
    place: Any = next((p for p in written.origins[remark.node] if hasattr(p, "span")), None)
    if place is None or not _stands_in(document, place):
        return None
    operands = [o for o in remark.node.operands if not o.type.host]
    shapes = tuple([(describe(o), shape_text(o)) for o in operands])
    return place.span, (remark.code, remark.message, shapes)
