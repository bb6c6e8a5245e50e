"""What the page asks of a document, as plain data: it runs in the browser, and in tests.

Findings come first, as they are what a reader waits for. Shapes and diagrams follow formula by formula, so
that who types on waits for one at most. The document that was checked last is kept for them.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Callable
from random import Random
from typing import Any

import namedtensor as nt
from docs.manual.native import native
from namedtensor.check.documents import look_at
from namedtensor.check.formulas import shape_text
from namedtensor.command.check import as_data, summary
from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.records import NotCounted, numbers_of, records_of, sizes_of
from namedtensor.formula.shapes import traced_results
from namedtensor.formula.written import write
from namedtensor.latex import read
from namedtensor.latex.documents.document import Document
from namedtensor.latex.documents.kept import Ground
from namedtensor.latex.findings import Finding
from namedtensor.latex.python import python_of
from namedtensor.latex.source import Span
from namedtensor.primitives import Node
from namedtensor.primitives.node import operands_first
from namedtensor.shape import Shape

#: The document that was read last; what an edit of it does not touch stays known.
_last: list[Document | None] = [None]


@functools.lru_cache(maxsize=1)
def _read(text: str, name: str) -> tuple[Document, list[Finding]]:
    """Read and check a document."""
    document = _last[0] = read(text, name, before=_last[0])
    return document, document.check()


@functools.lru_cache(maxsize=1)
def _found(text: str, name: str) -> tuple[Document, list[Finding]]:
    """Read and check a document, and ask what its axes mean."""
    document, findings = _read(text, name)
    return document, [*findings, *look_at(document)[0]]


@functools.lru_cache(maxsize=1)
def _formulas(text: str, name: str) -> tuple[list[tuple[Formula, Ground]], list[NamedTensorError]]:
    """Give the formulas of a document with what they are found from, and why others cannot be run."""
    document = _found(text, name)[0]
    found = document.made()
    return (
        [
            (made, document.grounds.of(defined))
            for defined, made in found
            if isinstance(made, Formula)
        ],
        [made for _, made in found if not isinstance(made, Formula)],
    )


def checked(text: str, name: str, meaning: bool = True) -> dict[str, Any]:
    """Check a document: its findings, each with its place as JavaScript counts, and a line that sums up.

    Without `meaning`, its formulas are not asked what their axes mean, which is what takes longest.
    """
    document, findings = (_found if meaning else _read)(text, name)
    return {
        "summary": summary(findings, 1, kinds=document.counts),
        "findings": [
            as_data(f) | {"printed": str(f), "place": _place(text, f.span)} for f in findings
        ],
    }


def defined(text: str, name: str) -> list[str]:
    """Give the types of the formulas that a document defines."""
    document = _found(text, name)[0]
    return [
        document.kept.answer("type", ground, lambda made=made: ((), repr(made)))[1]
        for made, ground in _formulas(text, name)[0]
    ]


def drawn(text: str, name: str, place: int) -> dict[str, Any]:
    """Give one formula of a document: its parts with their shapes, and its diagram."""
    document = _found(text, name)[0]
    formula, ground = _formulas(text, name)[0][place]
    spans, shapes = document.kept.answer("parts", ground, lambda: _parts(document, formula))
    parts = [
        {
            "text": " ".join(text[span.start : span.end].split()),
            "shape": shape or "a number",
            "place": _place(text, span),
        }
        for span, shape in zip(spans, shapes, strict=True)
    ]
    try:
        _, svg = document.kept.answer("diagram", ground, lambda: ((), nt.diagram(formula).svg()))
    except NamedTensorError as error:
        return {"parts": parts, "not_drawn": str(error)}
    return {"parts": parts, "diagram": svg}


def python(text: str, name: str) -> str:
    """Write a document as a Python module."""
    made, failed = _formulas(text, name)
    return python_of([formula for formula, _ in made], failed)


def _parts(document: Document, formula: Formula) -> tuple[list[Span], list[str]]:
    """Give the places of the parts of a formula as they are written, and their shapes."""
    try:
        written = write(formula, {}, whole=True)
    except NamedTensorError:
        return [], []
    found: dict[tuple[int, int], str] = {}
    for node in operands_first(written.results):
        if node.type.host:
            continue
        for place in written.origins[node]:
            if getattr(place, "document", None) is document.source:
                found.setdefault((place.span.start, place.span.end), shape_text(node))
    return [Span(*place) for place in sorted(found)], [found[place] for place in sorted(found)]


def _place(text: str, span: Any) -> list[int]:
    return [_letters(text, span.start), _letters(text, span.end)]


def _letters(text: str, at: int) -> int:
    """Count as JavaScript counts: letters outside of the basic plane are two."""
    return at if text.isascii() else len(text[:at].encode("utf-16-le", "surrogatepass")) // 2


# ------------------------------------------------------------------------------------------ puzzles


def graded(text: str, name: str, right: str) -> list[str]:
    """Say why an answer is not the formula that is asked for; nothing is wrong with a right one.

    The numbers that both give for the same small arguments must agree.
    """
    document, findings = _found(text, "typed.md")
    for finding in findings:
        if finding.severity in ("error", "warning"):
            return [f"line {finding.line}: {finding.message}"]
    wanted = read(right, "right.md")[name]
    try:
        found = document[name]
    except (NamedTensorError, LookupError):
        return [f"{name} is not defined"]
    if not isinstance(found, Formula) or not isinstance(wanted, Formula):
        return [f"{name} is no function"]
    if [p.name for p in found.signature.parameters] != [
        p.name for p in wanted.signature.parameters
    ]:
        return [f"{name} takes other arguments: {found!r}"]
    spaces = {p.name: p.space for p in wanted.signature.parameters if p.space is not None}
    for p in found.signature.parameters:
        if p.space is not None and set(p.space.names) != set(spaces[p.name].names):
            return [f"{p.name} has other axes: {p.space}, and not {spaces[p.name]}"]
    names = sorted({axis for space in spaces.values() for axis in space.names})
    sizes = {axis: 2 + place % 3 for place, axis in enumerate(names)}
    sizes |= {axis: sizes.get(axis.rstrip("'"), size) for axis, size in sizes.items()}
    given = {n: Shape.of([(a, sizes[a]) for a in space.names]) for n, space in spaces.items()}
    try:
        ours, theirs = (_numbers(f, given) for f in (found, wanted))
    except (NamedTensorError, NotCounted) as error:
        return [str(error)]
    if sorted(ours[0]) != sorted(theirs[0]):
        return [f"the result has the axes {_listed(ours[0])}, and not {_listed(theirs[0])}"]
    order = [ours[0].index(axis) for axis in theirs[0]]
    same = {tuple([at[i] for i in order]): x for at, x in ours[1].items()}
    if set(same) != set(theirs[1]):
        return ["the result has other sizes"]
    if not all(
        math.isclose(same[at], x, rel_tol=1e-9, abs_tol=1e-12) for at, x in theirs[1].items()
    ):
        return [
            "no finding, and yet another formula: its numbers differ from those that are asked for"
        ]
    return []


def _numbers(
    formula: Formula, given: dict[str, Shape]
) -> tuple[tuple[str, ...], dict[tuple[int, ...], Any]]:
    def drawn(argument: Node) -> dict[tuple[int, ...], Any]:
        names = argument.type.names
        found = {}
        for at in records_of(sizes_of(argument)):
            # the same number at the same record, in whatever order the axes are written
            record = sorted(zip(names, at, strict=True))
            found[at] = Random(f"{argument.operation.params[0]} {record}").uniform(-1.0, 1.0)
        return found

    roots = [part.node for part in traced_results(formula, (), dict(given))[1]]
    return roots[0].type.names, numbers_of(roots, drawn)[0]


def _listed(axes: tuple[str, ...]) -> str:
    return " ".join(sorted(axes)) or "none"


def laid_out(formulas: list[str]) -> list[str]:
    """Make MathML that browsers lay out of KaTeX's."""
    return [native(formula) for formula in formulas]


def answer(asked: str) -> str:
    """Answer the page: JSON to JSON."""
    question = json.loads(asked)
    kind = question.pop("kind")
    found: Any = KINDS[kind](**question)
    return json.dumps(found, ensure_ascii=False)


#: What the page may ask, by its kind.
KINDS: dict[str, Callable[..., Any]] = {
    "check": checked,
    "formulas": defined,
    "draw": drawn,
    "python": python,
    "grade": graded,
    "lay out": laid_out,
}
