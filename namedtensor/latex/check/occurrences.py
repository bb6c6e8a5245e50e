"""Find where a document names its axes, how it writes them, and with which sizes."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable

from namedtensor.latex.documents.scopes import Declared, Names, Place
from namedtensor.latex.documents.scripts import key
from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.quantities import is_named
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import (
    Aside,
    AxisName,
    Call,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Relation,
    SizedAxis,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of

#: The text of one axis: \\text{emb}, \\emb', \\hidden_1, emb.
PLAIN = re.compile(r"(?:\\[a-zA-Z]+\s*(?:\{[\w\\ -]+\})?|\w+)(?:'|_\w|\^?\{?\\prime\}?)*")


#: At most so many statements begin inside another one.
NEAR = 40

#: So many characters around a letter in prose may describe it.
BESIDE = 40


class Occurrences:
    """The places where a document names axes.

    `spelled` holds the text of each axis at its first place, `sizes` the text of sizes; `blocks` are the
    blocks that name axes.
    """

    def __init__(self, source: Source, names: Names, unread: Iterable[Finding] = ()) -> None:
        self.names = names
        self.spelled: dict[str, str] = {}
        self.source = source
        spans = sorted(
            (s.span.start, s.span.end, i, s.block, s.section)
            for i, s in enumerate(names.statements)
        )
        self._starts = [start for start, *_ in spans]
        self._ends = [(end, Place(*place)) for _, end, *place in spans]
        self._prose = [s.text for s in names.statements if isinstance(s, Aside)]
        self._prose += [finding.source.excerpt(finding.span) for finding in unread]
        self._prose += [
            source.text[s.span.start : s.span.end]
            for s in names.statements
            if isinstance(s, Constraint) and _introduces(s.relation)
        ]
        #: functions of which the document states a fact: relu(x) = max(0, x)
        self.functions = {
            key(s.relation.first.function)
            for s in names.statements
            if isinstance(s, Constraint)
            and isinstance(s.relation, Relation)
            and isinstance(s.relation.first, Call)
        }
        self._places: dict[str, dict[int, Statement]] = {}
        self.sizes: dict[str, str] = {}
        self.blocks: set[int] = set()
        for statement in names.statements:
            for axis in all_of(AxisName, statement):
                self.blocks.add(statement.block)
                self._places.setdefault(axis.name, {}).setdefault(axis.span.start, statement)
                written = source.text[axis.span.start : axis.span.end]
                if PLAIN.fullmatch(written):
                    self.spelled.setdefault(axis.name, written)

    def is_alone(self, axis: AxisName) -> bool:
        """Say whether the document names an axis at this place only."""
        return len(self._places.get(axis.name, ())) <= 1

    def axes_outside(self, section: int) -> list[str]:
        """List the axes that other sections name."""
        places = self._places.items()
        return [axis for axis, at in places if any(s.section != section for s in at.values())]

    def place_of(self, span: Span) -> Place | None:
        """Find the place of the statement around a span."""
        first = bisect.bisect_right(self._starts, span.start)
        for i in reversed(range(max(0, first - NEAR), first)):
            end, place = self._ends[i]
            if span.end <= end:
                return place
        return None

    def is_slip(self, space: Space, sized: SizedAxis) -> bool:
        """Say whether an axis may be a size whose colon is missing: the v of vocab \\times v."""
        written = self._written(sized.axis)
        return (
            sized.size is None
            and len(written) == 1
            and self.is_alone(sized.axis)
            and any(len(self._written(other.axis)) > 1 for other in space.axes)
        )

    def _written(self, axis: AxisName) -> str:
        return self.source.text[axis.span.start : axis.span.end].strip()

    def in_prose(self, name: Expression) -> bool:
        """Say whether formulas in prose, or unread ones, name a letter, which they may introduce."""
        written = self.source.text[name.span.start : name.span.end].strip()
        return any(is_named(written, text) for text in self._prose)

    def elsewhere(self, axis: str, owner: Declared) -> bool:
        """Say whether an axis is named outside of a tensor's declaration and elements."""
        for start, statement in self._places.get(axis, {}).items():
            space = owner.space.span
            if space.start <= start < space.end:
                continue
            if isinstance(statement, Definition) and isinstance(statement.target, Indexed):
                target = statement.target
                own = key(target.base) == owner.key
                if own and target.span.start <= start < target.span.end:
                    continue
            return True
        return False

    def with_size(self, owner: Declared, axis: str, others: list[str]) -> str | None:
        """Find the one of some axes that the section declares with the same size as this axis."""
        wanted = _size(owner.space.axes, axis)
        if wanted is None:
            return None
        found = []
        for statement in self.names.statements:
            if isinstance(statement, Declaration) and statement.section == owner.place.section:
                found += [n for n in others if _size(statement.space.axes, n) == wanted]
        fits = list(dict.fromkeys(found))
        return fits[0] if len(fits) == 1 else None


def _size(axes: tuple[SizedAxis, ...], name: str) -> Expression | None:
    return next((s.size for s in axes if s.axis.name == name), None)


def _introduces(relation: Expression) -> bool:
    """Say whether a relation introduces a name: W in some set, relu(x) = max(0, x)."""
    return isinstance(relation, Relation) and (
        isinstance(relation.first, Call) or any(op in ("in", "~") for op, _ in relation.rest)
    )
