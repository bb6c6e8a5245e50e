"""The rules about what axes mean, for the formulas of a document: they read the same trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from namedtensor.check.formulas import shape_text
from namedtensor.check.meaning import remarks
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.written import write
from namedtensor.latex.findings import Finding
from namedtensor.primitives import Node
from namedtensor.primitives.node import ARGUMENT, describe, operands_first

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


def meaning_of(document: Any) -> Iterator[Finding]:
    """Give what the rules say of the formulas of a document that can be evaluated."""
    seen: set[Any] = set()
    for name in document.names:
        try:
            formula = document[name]
            if not isinstance(formula, Formula):
                continue
            written = write(formula, {}, whole=True)
        except NamedTensorError:
            continue  # what is wrong with it is a finding of the document
        for remark in remarks(written):
            if remark.node is None or remark.code in _LEFT_OUT:
                continue
            if remark.code in _OF_DECLARED and _arguments(remark.node) & document.inferred(name):
                continue
            place = next((p for p in written.origins[remark.node] if hasattr(p, "span")), None)
            if place is None:
                continue
            found: Any = place
            source, span = found.document, found.span
            operands = [o for o in remark.node.operands if not o.type.host]
            line = source.position(span.start)[0]
            key = (remark.code, span)
            if source is document.source and key not in seen:
                seen.add(key)
                if not document.silenced(remark.code, line):
                    yield Finding(
                        _MILDER.get(remark.code, "warning"),
                        remark.code,
                        remark.message,
                        source,
                        span,
                        tuple([(describe(o), shape_text(o)) for o in operands]),
                    )
