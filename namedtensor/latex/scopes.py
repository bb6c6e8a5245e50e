"""What a name stands for at a place of a document.

A letter is looked for in this order: the arguments of the formula that it stands in; definitions of
the same block; blocks below that say what the letters of a formula are (`where Q = ...`); declarations
of the same block; then the same section, then other sections, the nearest before, then the nearest
after. Functions are seen everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from namedtensor.latex.noted import Noted
from namedtensor.latex.places import Declared as Declared
from namedtensor.latex.places import Defined as Defined
from namedtensor.latex.places import Meaning as Meaning
from namedtensor.latex.places import Place as Place
from namedtensor.latex.places import distance, nearest, nearest_declared
from namedtensor.latex.scripts import Indices, fold, key, match, numbered, stem
from namedtensor.latex.stepwise import axis_along, bare
from namedtensor.latex.syntax import (
    Contract,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Renaming,
    Scripts,
    Signature,
)
from namedtensor.latex.walk import all_of

#: A series that reaches back further than this is not started from its first members.
MOST_BACK = 16

#: Letters that are numbers wherever their section says nothing else.
CONSTANTS = ("pi", "e", "infty")


class Names(Noted):
    """The names of a document, looked up from the places where they stand."""

    def signature(self, defined: Defined) -> Signature | None:
        """Find the signature statement f : R^a -> R^b that is nearest to a definition of f."""
        given = self._signatures.get(defined.key, [])
        found = min(given, key=lambda pair: distance(defined.place, pair[0]), default=None)
        return None if found is None else found[1]

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
            return Meaning("function", text, defined=nearest(exact, place))
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
        best = nearest([rule for rule, _ in found], place)
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
        return nearest_declared(found, place) if found else None

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
        lower = fold(defined.range.lower, {}) if defined.range is not None else 1
        first = 1 if lower is None else lower
        for number in range(first - min(self.reach_back(defined), MOST_BACK), first):
            yield numbered(defined.name, {defined.letters[0]: number})

    def reach_back(self, defined: Defined) -> int:
        """Say how far back a series looks: 2 where X^{l-2} is used, 0 where no earlier member is."""
        if len(defined.letters) != 1:
            return 0
        (letter,) = defined.letters
        far, back = 1000, 0
        for part in self._scripted.get(stem(defined.name) or "", ()):
            bound = match(defined.name, part, defined.letters, {letter: far})
            number = None if bound is None else bound.get(letter)
            if number is not None and number < far:
                back = max(back, far - number)
        return back

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
        return [size for p, size in sorted(found, key=lambda pair: distance(place, pair[0]))]

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
            best = nearest(exact, place)
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
            return Meaning("input", text, declared=nearest_declared(exact, place))
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
        best = nearest(rules, place)
        return None if best is None else Meaning("stack", best.key, defined=best)
