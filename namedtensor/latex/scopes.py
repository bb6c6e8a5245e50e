"""What the statements of a document name, and what a name stands for at a place.

A letter is looked for in this order: the arguments of the formula that it stands in; definitions of
the same block; blocks below that say what the letters of a formula are (`where Q = ...`); declarations
of the same block; then the same section, then other sections, the nearest before, then the nearest
after. Functions are seen everywhere.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from namedtensor.latex.scripts import (
    Indices,
    fold,
    key,
    letters_in,
    match,
    numbered,
    script_letters,
    stem,
)
from namedtensor.latex.series import Range, ranges_of, unfolded
from namedtensor.latex.stepwise import axis_along, bare, stepped
from namedtensor.latex.syntax import (
    AxisSize,
    Binary,
    Call,
    Constraint,
    Contract,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Renaming,
    Scripts,
    Signature,
    SizedAxis,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, walk

#: A series that reaches back further than this is not started from its first members.
MOST_BACK = 16

#: Letters that are numbers wherever their section says nothing else.
CONSTANTS = ("pi", "e", "infty")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands: its number, and those of its block and its section."""

    index: int
    block: int
    section: int


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A name that a declaration gives a space to; `letters` are its index letters."""

    key: str
    name: Expression
    space: Space
    statement: Declaration
    place: Place
    letters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Defined:
    """A name that a definition gives a meaning to.

    `kind` is function, value or elements (P_{seq(p)} = ...); `letters` are the index letters of a
    family or a series, which `range` bounds.
    """

    key: str
    name: Expression
    kind: str
    statement: Definition
    place: Place
    letters: tuple[str, ...] = ()
    range: Range | None = None

    def holds(self, bound: Indices, indices: Indices) -> bool:
        """Say whether a series may have a member; without a stated range they count from 1."""
        if self.range is not None:
            return self.range.holds(bound, indices)
        if self.kind == "function" or not isinstance(self.name, Scripts):
            return True
        numbers = [fold(script, bound) for script in (self.name.sub, self.name.sup)]
        return all(number is None or number >= 1 for number in numbers)

    @property
    def body(self) -> Expression:
        return self.statement.body

    @property
    def call(self) -> Call | None:
        target = self.statement.target
        target = target.base if isinstance(target, Indexed) else target
        return target if isinstance(target, Call) else None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name stands for at a place.

    `kind` is input (declared), where (defined for the formula around it), value (defined for
    itself), stack (all members of a series), function or size.
    """

    kind: str
    key: str
    declared: Declared | None = None
    defined: Defined | None = None
    indices: Indices = field(default_factory=dict)


def target_name(target: Expression) -> Expression:
    """Give the name that a definition defines: f of f(X; W), P of P_{seq(p)}."""
    while isinstance(target, (Indexed, Call)):
        target = target.base if isinstance(target, Indexed) else target.function
    return target


def _kind(target: Expression) -> str:
    if isinstance(target, Call) or (isinstance(target, Indexed) and isinstance(target.base, Call)):
        return "function"
    return "elements" if isinstance(target, Indexed) else "value"


class Names:
    """The names of a document, and the places where they are given."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        written = stepped(statements)
        self._rewritten = {
            id(new): old for new, old in zip(written, statements, strict=True) if new is not old
        }
        self.statements = tuple(unfolded(written))
        self.ranges = ranges_of(self.statements)
        self.declared: dict[str, list[Declared]] = {}
        self.defined: dict[str, list[Defined]] = {}
        self.signatures: dict[str, Signature] = {}
        self._signatures: dict[str, list[tuple[Place, Signature]]] = {}
        self.sized: list[tuple[Declared, SizedAxis]] = []
        self._series: dict[str, list[Defined]] = {}
        self._wholes: dict[str, list[Defined]] = {}
        self._families: dict[str, list[Declared]] = {}
        self._of: dict[int, Defined] = {}
        self._blocks_of_functions: set[int] = set()
        self.stated_sizes = tuple(_stated_sizes(self.statements))
        self._note_definitions()
        self._note_declarations()
        self._note_numbers()

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
            kind = _kind(statement.target)
            place = Place(index, statement.block, statement.section)
            letters = tuple([t for t in script_letters(name) if self._is_index(t, statement, kind)])
            within = self.range_of(letters[0], statement) if letters else None
            found = Defined(text, name, kind, statement, place, letters, within)
            self.defined.setdefault(text, []).append(found)
            self._of[id(self._rewritten.get(id(statement), statement))] = found
            if kind == "function":
                self._blocks_of_functions.add(statement.block)
            if letters:
                self._series.setdefault(stem(name) or "", []).append(found)
                self._wholes.setdefault(stem(bare(name)) or "", []).append(found)

    def _note_declarations(self) -> None:
        stepped = {
            (letter, d.place.section)
            for group in self._series.values()
            for d in group
            for letter in d.letters
        }
        for index, statement in enumerate(self.statements):
            if isinstance(statement, Signature):
                text = key(statement.name)
                if text is not None:
                    self.signatures.setdefault(text, statement)
                    at = Place(index, statement.block, statement.section)
                    self._signatures.setdefault(text, []).append((at, statement))
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
                self.sized += [(found, axis) for axis in statement.space.axes if axis.size]
                if letters:
                    self._families.setdefault(stem(name) or "", []).append(found)

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

    @property
    def series_letters(self) -> frozenset[str]:
        """The letters of which a series is defined."""
        return frozenset(self._wholes)

    def range_of(self, letter: str, statement: Statement) -> Range | None:
        """Give the range of an index letter: its own condition's, or the nearest that is stated."""
        near = [r for r in self.ranges if r.letter == letter]
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

    def signature(self, defined: Defined) -> Signature | None:
        """Find the signature statement f : R^a -> R^b that is nearest to a definition of f."""
        given = self._signatures.get(defined.key, [])
        found = min(given, key=lambda pair: _distance(defined.place, pair[0]), default=None)
        return None if found is None else found[1]

    def of(self, statement: Definition) -> Defined | None:
        """Give what a definition of this document defines."""
        return self._of.get(id(statement))

    @property
    def definitions(self) -> Iterator[Defined]:
        """All that is defined, in the order of the text."""
        yield from sorted(
            [d for group in self.defined.values() for d in group], key=lambda d: d.place.index
        )

    # ------------------------------------------------------------------------------- looking up

    def function(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find a function: by its name, or as a member of a family f_k."""
        text = key(name, indices)
        if text is None:
            return None
        exact = [d for d in self.defined.get(text, ()) if d.kind == "function" and not d.letters]
        if exact:
            return Meaning("function", text, defined=_nearest(exact, place))
        found = self._member(
            name, indices, [d for d in self._series_of(name) if d.kind == "function"], place
        )
        return (
            None if found is None else Meaning("function", text, defined=found[0], indices=found[1])
        )

    def _series_of(self, name: Expression) -> list[Defined]:
        return self._series.get(stem(name) or "", [])

    def _member(
        self, name: Expression, indices: Indices, rules: list[Defined], place: Place
    ) -> tuple[Defined, dict[str, int | None]] | None:
        found = []
        for rule in rules:
            bound = match(rule.name, name, rule.letters, indices)
            if bound is not None and rule.holds(bound, indices):
                found.append((rule, bound))
        if not found:
            return None
        best = _nearest([rule for rule, _ in found], place)
        return next(pair for pair in found if pair[0] is best)

    def look(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find what a name stands for at a place, its formula's own arguments left aside."""
        text = key(name, indices)
        if text is None:
            return None
        if text in CONSTANTS:
            return self._constant(name, text, place, indices)
        ways: tuple[Callable[[], Meaning | None], ...] = (
            lambda: self._defined_near(name, text, place, indices),
            lambda: self._declared_in(name, text, indices, place, lambda p: p.block == place.block),
            lambda: self._section(name, text, place, indices),
            lambda: self._declared_in(name, text, indices, place, lambda p: True),
            lambda: self._value(name, text, place, indices, lambda p: True, "value"),
            lambda: self._stack(name, place),
            lambda: self.function(name, place, indices),
            lambda: Meaning("size", text) if self.sizes_named(text) else None,
            lambda: self._first_by_script(name, place, indices),
        )
        return next((found for way in ways if (found := way()) is not None), None)

    def _first_by_script(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find h^0 or h_0 for the h_{seq(0)} with which a recurrence starts."""
        if not isinstance(name, Scripts) or axis_along(name) is None or name.sub is None:
            return None
        whole = bare(name)
        forms = (Scripts(name.span, whole, sup=name.sub), Scripts(name.span, whole, sub=name.sub))
        found = [self.look(form, place, indices) for form in forms]
        return next((m for m in found if m is not None and m.kind != "size"), None)

    def declaration(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find the nearest declaration of a name."""
        text = key(name, indices)
        if text is None:
            return None
        return self._declared_in(name, text, indices, place, lambda p: True)

    def parameter(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find the declaration of a listed letter: one in a later section is of another letter."""
        found = self.declaration(name, place, indices)
        if found is None or found.declared is None:
            return None
        at = found.declared.place
        return found if at.section == place.section or at.index < place.index else None

    def family(self, name: Expression, place: Place) -> Declared | None:
        """Find the declared family that a bare name stands for: x^t for x."""
        found = [
            d
            for d in self._families.get(stem(name) or "", ())
            if isinstance(d.name, Scripts) and d.name.base == name
        ]
        return _nearest_declared(found, place) if found else None

    def has_members(self, name: Expression) -> bool:
        """Say whether a letter is declared with scripts, W^1 and W^2 for W."""
        text = stem(name)
        return any(
            isinstance(d.name, Scripts) and stem(d.name) == text
            for group in self.declared.values()
            for d in group
        )

    def chosen(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find the definition of a member that is asked for by its number: X^L, f_3."""
        text = key(name, indices)
        if text is None:
            return None
        found = self._value(name, text, place, indices, lambda p: True, "value")
        return found or self.function(name, place, indices)

    def is_rule(self, name: Expression, defined: Defined) -> bool:
        """Say whether a member of a series is given by its rule, and not by a definition of its own."""
        found = self._value(name, key(name) or "", defined.place, {}, lambda p: True, "value")
        return found is not None and found.defined is defined

    def axes_of_series(self, defined: Defined) -> list[str]:
        """Find axes that the members of a series must have: those renamed or contracted in its steps."""
        text = stem(defined.name)
        found: list[str] = []
        for statement in self.statements:
            if not isinstance(statement, Definition) or statement.section != defined.place.section:
                continue
            for part in all_of(Indexed, statement.body):
                if stem(part.base) == text:
                    for item in part.items:
                        if isinstance(item, Renaming):
                            found += [a.axis.name for a in item.before]
            for product in all_of(Contract, statement.body):
                if text in (stem(product.left), stem(product.right)):
                    found += [a.name for a in product.axes]
        return list(dict.fromkeys(found)) if isinstance(defined.name, Scripts) else []

    def before(self, defined: Defined) -> Meaning | None:
        """Find what a name stood for before an update of it, X <- X + 1."""
        earlier = [
            d
            for d in self.defined.get(defined.key, ())
            if d.place.index < defined.place.index and d.kind != "function"
        ]
        if earlier:
            return Meaning("where", defined.key, defined=earlier[-1])
        return self.declaration(defined.name, defined.place, {})

    def firsts(self, defined: Defined) -> list[Expression]:
        """List the members of a series that have a number of their own: h^0 beside h^t."""
        text = stem(defined.name)
        found: list[Expression] = []
        for group in self.defined.values():
            for name in [d.name for d in group if not d.letters and stem(d.name) == text]:
                if match(defined.name, name, defined.letters, {}) is not None:
                    found.append(name)
        return [*found, *self._before_first(defined)]

    def _before_first(self, defined: Defined) -> Iterator[Expression]:
        """Name the members that a series reaches back to from its first ones: h^{t-1} reaches h^0."""
        if len(defined.letters) != 1:
            return
        (letter,) = defined.letters
        lower = fold(defined.range.lower, {}) if defined.range is not None else 1
        far, back = 1000, 0
        for part in self._scripted.get(stem(defined.name) or "", ()):
            bound = match(defined.name, part, defined.letters, {letter: far})
            number = None if bound is None else bound.get(letter)
            if number is not None and number < far:
                back = max(back, far - number)
        first = 1 if lower is None else lower
        for number in range(first - min(back, MOST_BACK), first):
            yield numbered(defined.name, {letter: number})

    def _constant(
        self, name: Expression, text: str, place: Place, indices: Indices
    ) -> Meaning | None:
        """Find a meaning for pi or e in the same section; elsewhere it is the number."""

        def here(p: Place) -> bool:
            return p.section == place.section

        return self._defined_near(name, text, place, indices) or self._declared_in(
            name, text, indices, place, here
        )

    def sizes_stated(self, axis: str, place: Place) -> list[Expression]:
        """List what a document states that |axis| is, the nearest statement first."""
        found = [(p, size) for name, size, p in self.stated_sizes if name == axis]
        return [size for p, size in sorted(found, key=lambda pair: _distance(place, pair[0]))]

    def sizes_named(self, text: str) -> list[tuple[Declared, SizedAxis]]:
        """List the axes that are declared with a size of this name."""
        return [(d, a) for d, a in self.sized if a.size is not None and key(a.size) == text]

    def _defined_near(
        self, name: Expression, text: str, place: Place, indices: Indices
    ) -> Meaning | None:
        """Find a definition in the same block, or in a block below that says what letters are."""
        found = self._value(name, text, place, indices, lambda p: p.block == place.block, "where")
        if found is None:
            found = self._stack(name, place, lambda d: d.place.block == place.block)
        if found is not None:
            return found
        end = self._end_of_where(text, place)
        return self._value(
            name, text, place, indices, lambda p: place.block < p.block < end, "where"
        )

    def _end_of_where(self, text: str, place: Place) -> int:
        """Give the first block below that has formulas or declarations of its own for this letter."""
        stops = [
            s.block
            for s in self.statements
            if s.block > place.block
            and (
                s.section != place.section
                or s.block in self._blocks_of_functions
                or (isinstance(s, Declaration) and text in [key(n) for n in s.names])
            )
        ]
        return min(stops, default=max([s.block for s in self.statements], default=0) + 1)

    def _section(
        self, name: Expression, text: str, place: Place, indices: Indices
    ) -> Meaning | None:
        def here(p: Place) -> bool:
            return p.section == place.section

        def alone(p: Place) -> bool:
            return here(p) and p.block not in self._blocks_of_functions

        return self._value(name, text, place, indices, alone, "value") or self._declared_in(
            name, text, indices, place, here
        )

    def _value(
        self,
        name: Expression,
        text: str,
        place: Place,
        indices: Indices,
        near: Callable[[Place], bool],
        kind: str,
    ) -> Meaning | None:
        exact = [
            d
            for d in self.defined.get(text, ())
            if d.kind != "function" and not d.letters and near(d.place)
        ]
        if exact:
            best = _nearest(exact, place)
            return Meaning(kind, text, defined=best) if best else None
        rules = [d for d in self._series_of(name) if d.kind != "function" and near(d.place)]
        found = self._member(name, indices, rules, place)
        return None if found is None else Meaning(kind, text, defined=found[0], indices=found[1])

    def _declared_in(
        self,
        name: Expression,
        text: str,
        indices: Indices,
        place: Place,
        near: Callable[[Place], bool],
    ) -> Meaning | None:
        exact = [d for d in self.declared.get(text, ()) if near(d.place) and not d.letters]
        if exact:
            return Meaning("input", text, declared=_nearest_declared(exact, place))
        for declared in self._families.get(stem(name) or "", ()):
            if near(declared.place):
                bound = match(declared.name, name, declared.letters, indices)
                if bound is not None:
                    return Meaning("input", text, declared=declared, indices=bound)
        return None

    def _stack(
        self, name: Expression, place: Place, near: Callable[[Defined], bool] = lambda d: True
    ) -> Meaning | None:
        """Find the series of which a bare name stands for all members: h of h^t."""
        rules = [
            d
            for d in self._wholes.get(stem(name) or "", ())
            if d.kind != "function" and bare(d.name) == name and near(d)
        ]
        best = _nearest(rules, place)
        return None if best is None else Meaning("stack", best.key, defined=best)


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


def _distance(place: Place, of: Place) -> tuple[bool, bool, bool, int]:
    """Sort places: the same block, the same section, before, near."""
    return (
        of.block != place.block,
        of.section != place.section,
        of.index > place.index,
        abs(of.index - place.index),
    )


def _nearest(found: Sequence[Defined], place: Place) -> Defined | None:
    """Give the nearest that stands somewhere else."""
    others = [d for d in found if d.place.index != place.index or d.letters]
    return min(others, key=lambda d: _distance(place, d.place), default=None)


def _nearest_declared(found: Sequence[Declared], place: Place) -> Declared:
    return min(found, key=lambda d: _distance(place, d.place))


def rename_stem(name: Expression, base: Expression) -> Expression:
    """Put another letter under the scripts of a name: V^1 from W^1."""
    if isinstance(name, Scripts):
        return dataclasses.replace(name, base=rename_stem(name.base, base))
    return base
