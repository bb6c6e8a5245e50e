r"""Letters that are drawn and declared nowhere: $\epsilon \sim \mathcal{N}(0, I)$ of \mu + \sigma \epsilon.

Each of its elements is drawn, so such a letter has all axes of what it stands beside in sums and in products
of elements, or those along which it is contracted. A note says which. Where nothing tells, none is declared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from namedtensor.latex.findings import Finding
from namedtensor.latex.reading.asides import fact_of
from namedtensor.latex.reading.spoken import head_of, key_of, lies_in, summands
from namedtensor.latex.reading.words import SMALL
from namedtensor.latex.source import Source
from namedtensor.latex.syntax import (
    Aside,
    AxisName,
    Binary,
    Contract,
    Declaration,
    Definition,
    Indexed,
    Letter,
    Relation,
    Scripts,
    SizedAxis,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, children, texts_of

#: What is drawn, in mathematics that says from which distribution: of vectors where it has an identity.
DRAWN = re.compile(
    r"\s*(?P<names>[^&=(]+?)\s*\\sim\b(?P<each>.*(?<![A-Za-z\\])I(?![A-Za-z]))?", re.DOTALL
)
#: What prose calls noise: "with noise $e$", "where $e_i$ is the error", and that its mean is 0.
_LETTER = r"\$\s*(?P<{}>\\?[A-Za-z]+(?:_\{{?[A-Za-z]\}}?)?)\s*\$"
_NOISE = r"(?:noises?|errors?|disturbances?|shocks?|innovations?)"
NOISE = re.compile(
    rf"\b{_NOISE}(?:\s+terms?)?\s+{_LETTER.format('behind')}|"
    rf"{_LETTER.format('before')},?\s+(?:is|are|denotes?)\s+(?:[\w-]+\s+){{0,3}}?{_NOISE}\b|"
    r"\bE\}?\s*[\[(]\s*(?P<mean>\\?[A-Za-z]+(?:_\w)?)\s*[\])]\s*=\s*0"
)
#: Operators that act on each element.
EACH = frozenset(("+", "-", "*", "/", "odot"))

Axes = frozenset[str]
NONE: Axes = frozenset()


def with_drawn(
    statements: Sequence[Statement], source: Source, parents: Sequence[int]
) -> tuple[list[Statement], list[Finding]]:
    """Declare what is drawn and declared nowhere, where it is clear over which axes; give a note on each."""
    found, notes = list[Statement](), list[Finding]()
    known: _Axes | None = None
    for statement in statements:
        said = DRAWN.match(statement.text) if isinstance(statement, Aside) else None
        if said is not None:
            known = known or _Axes(statements, parents)
            for text in said["names"].split(","):
                name, axes = known.drawn(text.strip(), statement.section, source)
                axes = axes if said["each"] else []
                small = name is not None and head_of(name) in SMALL  # no small number is drawn
                if axes or small:
                    where = {"block": statement.block, "section": statement.section}
                    own = [SizedAxis(name.span, AxisName(name.span, a), None) for a in axes]
                    space = Space(statement.span, "R", tuple(own))
                    found.append(Declaration(statement.span, (name,), space, **where))
                    notes.append(_note(text.strip(), axes, statement, source))
        found.append(statement)
    laws = [r for s in statements for r in all_of(Relation, getattr(s, "condition", None))]
    texts = {_written(r.first, source) for r in laws if "~" in r.ops}
    texts |= {
        text.strip()
        for s in statements
        if isinstance(s, Aside | Declaration) and (said := DRAWN.match(_written(s, source)))
        for text in said["names"].split(",")
    }
    spaces = [s for s in found if isinstance(s, Declaration) and s.space.axes]
    declared = {key_of(name) for s in spaces for name in s.names}
    spoken = [m["behind"] or m["before"] or m["mean"] for m in NOISE.finditer(source.text)]
    texts |= {text for text in spoken if text.lstrip("\\") not in declared}
    if not texts:
        return found, notes

    made = [s for s in found if isinstance(s, Definition)]
    used = Counter([text for s in made for text in texts_of(s)])

    def is_model(said: Definition) -> bool:
        """Say whether declared data are told to be a sum with noise that nothing else uses: y = X b + e."""
        whole = said.target.base if isinstance(said.target, Indexed) else said.target
        noise = [head_of(t) for t in summands(said.body) if _written(t, source) in texts]
        return key_of(whole) in declared and any(used[text] == 1 for text in noise)

    models = [s for s in made if s.op == "=" and is_model(s)]
    return [fact_of(s) if s in models else s for s in found], notes


def _written(part: Any, source: Source) -> str:
    return source.text[part.span.start : part.span.end]


def _note(text: str, axes: Sequence[str], statement: Statement, source: Source) -> Finding:
    over = r" \times ".join([rf"\text{{{axis}}}" for axis in axes or ("ax",)])
    beside = f"taken to have the axes of what it stands beside: {' '.join(axes)}"
    taken = beside if axes else "taken for a number: nothing tells over which axes"
    hint = rf"declare it: {text} \in \mathbb{{R}}^{{{over}}}"
    return Finding(
        "note", "undeclared", f"{text} is drawn, and {taken}", source, statement.span, (), hint
    )


class _Axes:
    """The axes of what is declared, and of what is made of that."""

    def __init__(self, statements: Sequence[Statement], parents: Sequence[int]) -> None:
        self._parents = parents
        self._definitions = [s for s in statements if isinstance(s, Definition)]
        self._declared: dict[str, Axes] = {}
        self._members: dict[str, set[Axes]] = {}
        for said in [s for s in statements if isinstance(s, Declaration)]:
            for name in said.names:
                self._declared[key_of(name)] = frozenset(said.space.names)
                if isinstance(name, Scripts):
                    members = self._members.setdefault(head_of(name), set())
                    members.add(frozenset(said.space.names))
        self._bodies = {key_of(d.target): d.body for d in self._definitions}
        #: what names have, found once; a name that is made of itself has what else it is made of
        self._found: dict[str, Axes] = {}

    def drawn(self, text: str, section: int, source: Source) -> tuple[Any, list[str]]:
        """Give the name that is written so, and the axes of what it stands beside."""
        name: Any = None
        found: list[str] = []
        for definition in self._definitions:
            if lies_in(definition.section, section, self._parents):
                names = [(part, part.span) for part in _parts(definition.body)]
                here = [part for part, at in names if source.text[at.start : at.end] == text]
                for name in here[:1]:
                    found += self._beside(definition.body, name)[0]
        given = name is not None and (key_of(name) in {*self._declared, *self._bodies})
        return (None, []) if given else (name, [*dict.fromkeys(found)])

    def _beside(self, part: Any, name: Any) -> tuple[list[str], bool]:
        """List the axes of what stands beside a name in a part, and say whether more of them stand around."""
        found: list[str] = []
        inside = [inner for inner in children(part) if name in _parts(inner)]
        around = True
        for inner in inside if name not in children(part) else ():
            axes, goes_on = self._beside(inner, name)
            found, around = [*found, *axes], around and goes_on
        acts = [axis.name for axis in getattr(part, "axes", ())]
        if acts or not around or isinstance(part, Indexed):
            return [*found, *(acts if isinstance(part, Contract) and around else ())], False
        if isinstance(part, Binary) and part.op in EACH:
            others = [inner for inner in children(part) if inner not in inside]
            found += [axis for inner in others for axis in sorted(self.of(inner))]
        return found, True

    def of(self, part: Any) -> Axes:
        """Give the axes that a part has, as far as declarations tell."""
        if isinstance(part, (Letter, Scripts)):
            own, members = self._declared.get(key_of(part)), self._members.get(head_of(part), set())
            if own is not None or (isinstance(part, Scripts) and len(members) == 1):
                return own if own is not None else next(iter(members))
            text = key_of(part)
            if text not in self._found:
                self._found[text] = NONE
                self._found[text] = self.of(self._bodies.get(text, ()))
            return self._found[text]
        if isinstance(part, Indexed):
            used = {item.axis.name for item in part.indices}
            return self.of(part.base) - used
        used = {axis.name for axis in getattr(part, "axes", ())}
        return NONE.union(*[self.of(inner) for inner in children(part)]) - used


def _parts(part: Any) -> tuple[Any, ...]:
    return (*all_of(Letter, part), *all_of(Scripts, part))
