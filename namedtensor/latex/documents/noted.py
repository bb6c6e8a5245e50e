"""Note what the statements of a document declare and define."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from namedtensor.latex.documents.places import (
    Declared,
    Defined,
    Place,
    Signed,
    kind_of_target,
    target_name,
)
from namedtensor.latex.documents.scripts import key, letters_in, script_letters, stem
from namedtensor.latex.documents.series import Range, ranges_of, unfolded
from namedtensor.latex.documents.shelf import Shelf
from namedtensor.latex.documents.stepwise import axis_along, bare, stepped
from namedtensor.latex.syntax import (
    AxisSize,
    Binary,
    Call,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
    Signature,
    SizedAxis,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, walk


class Noted:
    """All that a document declares and defines, in the order of its text."""

    def __init__(self, statements: Sequence[Statement], parents: Sequence[int] = (0,)) -> None:
        self.parents = parents
        written = stepped(statements)
        self._rewritten = {
            id(new): old for new, old in zip(written, statements, strict=True) if new is not old
        }
        self.statements = tuple(unfolded(written))
        self.ranges = ranges_of(self.statements)
        self.declared: dict[str, list[Declared]] = {}
        self.defined: dict[str, list[Defined]] = {}
        self.signatures: dict[str, Signature] = {}
        self._signatures: list[tuple[str, Signed]] = []
        self.sized: list[tuple[Declared, SizedAxis]] = []
        self._by_size: dict[str, list[tuple[Declared, SizedAxis]]] = {}
        self._size_letters: set[str] = set()
        self._of: dict[int, Defined] = {}
        self._by_letter: dict[str, list[Range]] = {}
        for within in self.ranges:
            self._by_letter.setdefault(within.letter, []).append(within)
        self.stated_sizes = tuple(_stated_sizes(self.statements))
        self._note_definitions()
        self._note_declarations()
        self._note_numbers()
        self._arrange()

    def _arrange(self) -> None:
        """Put all on shelves, on which it is found by name and place."""
        defined = [d for group in self.defined.values() for d in group]
        declared = [d for group in self.declared.values() for d in group]
        values = [d for d in defined if d.kind != "function"]
        functions = [d for d in defined if d.kind == "function"]
        rules = [d for d in values if d.letters]
        self._function_shelf = Shelf([(d.key, d) for d in functions if not d.letters], self.parents)
        self._family_shelf = Shelf(
            [(stem(d.name) or "", d) for d in functions if d.letters], self.parents
        )
        self._value_shelf = Shelf([(d.key, d) for d in values if not d.letters], self.parents)
        self._rule_shelf = Shelf([(stem(d.name) or "", d) for d in rules], self.parents)
        self._whole_shelf = Shelf([(stem(bare(d.name)) or "", d) for d in rules], self.parents)
        self._declared_shelf = Shelf([(d.key, d) for d in declared if not d.letters], self.parents)
        self._declared_families = Shelf(
            [(stem(d.name) or "", d) for d in declared if d.letters], self.parents
        )
        self._signature_shelf = Shelf(self._signatures, self.parents)
        self._blocks_of_functions = sorted({d.place.block for d in functions})
        self._ends_of_sections = {s.section: s.block for s in self.statements}
        self._scripted_letters = {stem(d.name) for d in declared if isinstance(d.name, Scripts)}
        self._by_stem: dict[str, list[Defined]] = {}
        for one in defined:
            self._by_stem.setdefault(stem(one.name) or "", []).append(one)

    # ------------------------------------------------------------------------------- collecting

    def _note_definitions(self) -> None:
        self._scripted: dict[str, list[Scripts]] = {}
        for statement in self.statements:
            if isinstance(statement, Definition):
                for part in all_of(Scripts, statement.body):
                    self._scripted.setdefault(stem(part) or "", []).append(part)
        self._moved = {
            (letter, s.block)
            for s in self.statements
            if isinstance(s, Definition)
            for script in _scripts(s.body)
            for part in all_of(Binary, script)
            for letter in letters_in(part)
        }
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, Definition):
                continue
            name = target_name(statement.target)
            text = key(name)
            if text is None:
                continue
            kind = kind_of_target(statement.target)
            place = Place(index, statement.block, statement.section)
            letters = tuple([t for t in script_letters(name) if self._is_index(t, statement, kind)])
            within = self.range_of(letters[0], statement) if letters else None
            found = Defined(text, name, kind, statement, place, letters, within)
            self.defined.setdefault(text, []).append(found)
            self._of[id(self._rewritten.get(id(statement), statement))] = found

    def _note_declarations(self) -> None:
        stepped = {
            (letter, d.place.section)
            for group in self.defined.values()
            for d in group
            for letter in d.letters
        }
        for index, statement in enumerate(self.statements):
            if isinstance(statement, Signature):
                text = key(statement.name)
                if text is not None:
                    self.signatures.setdefault(text, statement)
                    at = Place(index, statement.block, statement.section)
                    self._signatures.append((text, Signed(statement, at)))
                for space in (*statement.domain, statement.codomain):
                    for axis in space.axes:
                        if axis.size is not None:
                            self._size_letters |= {p.text for p in all_of(Letter, axis.size)}
            if not isinstance(statement, Declaration):
                continue
            place = Place(index, statement.block, statement.section)
            for name in statement.names:
                text = key(name)
                if text is None:
                    continue
                letters = tuple(
                    [
                        t
                        for t in script_letters(name)
                        if (t, statement.section) in stepped or self.range_of(t, statement)
                    ]
                )
                found = Declared(text, name, statement.space, statement, place, letters)
                self.declared.setdefault(text, []).append(found)
                for axis in statement.space.axes:
                    if axis.size is not None:
                        self.sized.append((found, axis))
                        self._by_size.setdefault(key(axis.size) or "", []).append((found, axis))
                        self._size_letters |= {p.text for p in all_of(Letter, axis.size)}

    def _note_numbers(self) -> None:
        """Take a letter that is only said to be greater than a number for a number."""
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, Constraint):
                continue
            for relation in all_of(Relation, statement.relation):
                name, signs = relation.first, [op for op, _ in relation.rest]
                text = key(name)
                ends = [part for _, part in relation.rest]
                if text is None or not set(signs) <= {"<", ">", "<=", ">="}:
                    continue
                known = text in self.declared or text in self.defined or self.sizes_named(text)
                if known or not all(isinstance(e, Number) for e in ends):
                    continue
                space = Space(name.span, "R", ())
                place = Place(index, statement.block, statement.section)
                made = Declaration(name.span, (name,), space, statement.block, statement.section)
                self.declared[text] = [Declared(text, name, space, made, place)]

    def sizes_named(self, text: str) -> list[tuple[Declared, SizedAxis]]:
        """List the axes that are declared with a size of this name."""
        return self._by_size.get(text, [])

    def is_size(self, text: str) -> bool:
        """Say whether a size is declared with this name, or computed from it: d of hid:4d."""
        return text in self._by_size or text in self._size_letters

    def size_letter(self, axis: str) -> str | None:
        """Give the letter that some declaration has for the size of an axis."""
        found = [key(a.size) for _, a in self.sized if a.axis.name == axis and a.size is not None]
        return next((text for text in found if text is not None), None)

    @property
    def series_letters(self) -> frozenset[str]:
        """The letters of which a series is defined."""
        rules = [d for group in self.defined.values() for d in group if d.letters]
        return frozenset([stem(bare(d.name)) or "" for d in rules if d.kind != "function"])

    def range_of(self, letter: str, statement: Statement) -> Range | None:
        """Give the range of an index letter: its own condition's, or the nearest that is stated."""
        near = self._by_letter.get(letter, [])
        return min(
            near,
            key=lambda r: (
                r.statement is not statement,
                r.statement.block != statement.block,
                r.statement.section != statement.section,
            ),
            default=None,
        )

    def _is_index(self, letter: str, statement: Definition, kind: str) -> bool:
        """Say whether a small letter in a defined name's script counts, as l of X^l, or only names."""
        if self.range_of(letter, statement) or axis_along(target_name(statement.target)):
            return True
        if (letter, statement.block) in self._moved:
            return True
        scripts: list[Expression] = []
        for part in walk(statement.body):
            if isinstance(part, Scripts):
                scripts += [s for s in (part.sub, part.sup) if s is not None]
        own = target_name(statement.target)
        if isinstance(own, Scripts) and any(
            isinstance(s, (Binary, Items)) and letter in letters_in(s) for s in (own.sub, own.sup)
        ):
            return True
        if kind != "function":
            return False
        listed = statement.target if isinstance(statement.target, Call) else None
        named = [*scripts, *[p for q in (listed.parameters if listed else ()) for p in _scripts(q)]]
        named += [p for p in walk(statement.body) if isinstance(p, Letter)]
        return any(isinstance(s, Letter) and s.text == letter for s in named)

    def of(self, statement: Definition) -> Defined | None:
        """Give what a definition of this document defines."""
        return self._of.get(id(statement))


def _stated_sizes(statements: Sequence[Statement]) -> Iterator[tuple[str, Expression, Place]]:
    """List what a document states of sizes: |key| = |layer|/|heads| gives key its size."""
    for index, statement in enumerate(statements):
        if not isinstance(statement, Constraint):
            continue
        place = Place(index, statement.block, statement.section)
        for relation in all_of(Relation, statement.relation):
            members = [relation.first, *[part for op, part in relation.rest if op == "="]]
            for axis in members:
                if isinstance(axis, AxisSize):
                    others = [m for m in members if m is not axis]
                    yield from [(axis.axis.name, other, place) for other in others]


def _scripts(name: Expression) -> list[Expression]:
    return [s for p in all_of(Scripts, name) for s in (p.sub, p.sup) if s is not None]
