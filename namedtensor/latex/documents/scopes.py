"""What a name stands for at a place of a document.

A letter is looked for in this order: the arguments of the formula that it stands in; definitions of
the same block; blocks below that say what the letters of a formula are (`where Q = ...`); declarations
of the same block; then the same section, then other sections, the nearest before, then the nearest
after. Functions are seen everywhere.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator

from namedtensor.latex.documents.noted import Noted
from namedtensor.latex.documents.places import Declared as Declared
from namedtensor.latex.documents.places import Defined as Defined
from namedtensor.latex.documents.places import Meaning as Meaning
from namedtensor.latex.documents.places import Place as Place
from namedtensor.latex.documents.places import distance
from namedtensor.latex.documents.scripts import Indices, fold, key, match, numbered, stem
from namedtensor.latex.documents.shelf import sections_around
from namedtensor.latex.documents.stepwise import axis_along, bare
from namedtensor.latex.syntax import (
    Call,
    Contract,
    Definition,
    Expression,
    Indexed,
    Number,
    Renaming,
    Scripts,
    Signature,
)
from namedtensor.latex.walk import all_of

#: A series that reaches back further than this is not started from its first members.
MOST_BACK = 16

#: So many definitions of one letter are looked at in a section.
NEAR = 64

#: Letters that are numbers wherever their section says nothing else.
CONSTANTS = ("pi", "e", "infty")


class Names(Noted):
    """The names of a document, looked up from the places where they stand."""

    def signature(self, defined: Defined) -> Signature | None:
        """Find the signature statement f : R^a -> R^b that is nearest to a definition of f."""
        found = next(self._signature_shelf.near(defined.key, defined.place), None)
        return None if found is None else found.statement

    @property
    def definitions(self) -> Iterator[Defined]:
        """All that is defined, in the order of the text."""
        yield from sorted(
            [d for group in self.defined.values() for d in group], key=lambda d: d.place.index
        )

    def inherits(self, place: Place, given: Place) -> bool:
        """Say whether a place lies in the section of what is given, or in one within it."""
        return given.section in sections_around(place.section, self.parents)

    def is_only(self, text: str, given: Declared) -> bool:
        """Say whether a name is declared in one section only, or alike in all of them."""
        return all(
            d.place.section == given.place.section or d.space == given.space
            for d in self.declared.get(text, ())
        )

    # ------------------------------------------------------------------------------- looking up

    def function(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find a function: by its name, or as a member of a family f_k."""
        text = key(name, indices)
        if text is None:
            return None
        exact = next(self._function_shelf.near(text, place), None)
        if exact is not None:
            return Meaning("function", text, defined=exact)
        family = self._family_shelf.near(stem(name) or "", place)
        return self._member("function", name, text, family, indices)

    def _member(
        self, kind: str, name: Expression, text: str, rules: Iterable[Defined], indices: Indices
    ) -> Meaning | None:
        """Find the first rule that a name is a member of."""
        for rule in rules:
            bound = match(rule.name, name, rule.letters, indices)
            if bound is not None and rule.holds(bound, indices):
                return Meaning(kind, text, defined=rule, indices=bound)
        return None

    def look(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find what a name stands for at a place, its formula's own arguments left aside."""
        text = key(name, indices)
        if text is None or self._is_power(name, text, place):
            return None
        if text in CONSTANTS:
            return self._constant(name, text, place, indices)
        ways: tuple[Callable[[], Meaning | None], ...] = (
            lambda: self._defined_near(name, text, place, indices),
            lambda: self._declared(name, text, indices, place, "block"),
            lambda: self._section(name, text, place, indices),
            lambda: self._declared(name, text, indices, place, "document"),
            lambda: self._value(name, text, place, indices, "document", "value"),
            lambda: self._stack(name, place),
            lambda: self.function(name, place, indices),
            lambda: Meaning("size", text) if self.is_size(text) else None,
            lambda: self._first_by_script(name, place, indices),
        )
        return next((found for way in ways if (found := way()) is not None), None)

    def _is_power(self, name: Expression, text: str, place: Place) -> bool:
        """Say whether x^2 is a power though x^t is a series: x is given here, and x^2 nowhere."""
        if not isinstance(name, Scripts) or not isinstance(name.sup, Number):
            return False
        if name.sub is not None or name.primes or text in self.declared or text in self.defined:
            return False
        own = key(name.base)
        if own is None or own not in self.series_letters:
            return False
        statement = self.statements[place.index] if place.index < len(self.statements) else None
        target = getattr(statement, "target", None)
        call = target.base if isinstance(target, Indexed) else target
        if isinstance(call, Call) and own in map(key, (*call.arguments, *call.parameters)):
            return True
        members = [d for d in self._by_stem.get(own, ()) if not d.letters and d.key != own]
        return not members and any(
            self.inherits(place, d.place) for d in self.declared.get(own, ())
        )

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
        return self._declared(name, text, indices, place, "document")

    def parameter(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find the declaration of a listed letter: one in a later section is of another letter."""
        found = self.declaration(name, place, indices)
        if found is None or found.declared is None:
            return None
        at = found.declared.place
        return found if at.section == place.section or at.index < place.index else None

    def family(self, name: Expression, place: Place) -> Declared | None:
        """Find the declared family that a bare name stands for: x^t for x."""
        for declared in self._declared_families.near(stem(name) or "", place):
            if isinstance(declared.name, Scripts) and declared.name.base == name:
                return declared
        return None

    def has_members(self, name: Expression) -> bool:
        """Say whether a letter is declared with scripts, W^1 and W^2 for W."""
        return stem(name) in self._scripted_letters

    def chosen(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find the definition of a member that is asked for by its number: X^L, f_3."""
        text = key(name, indices)
        if text is None:
            return None
        found = self._value(name, text, place, indices, "document", "value")
        return found or self.function(name, place, indices)

    def is_rule(self, name: Expression, defined: Defined) -> bool:
        """Say whether a member of a series is given by its rule, and not by a definition of its own."""
        found = self._value(name, key(name) or "", defined.place, {}, "document", "value")
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
        found = [
            d.name
            for d in self._by_stem.get(stem(defined.name) or "", ())
            if not d.letters and match(defined.name, d.name, defined.letters, {}) is not None
        ]
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

        return self._defined_near(name, text, place, indices) or self._declared(
            name, text, indices, place, "section"
        )

    def sizes_stated(self, axis: str, place: Place) -> list[Expression]:
        """List what a document states that |axis| is, the nearest statement first."""
        found = [(p, size) for name, size, p in self.stated_sizes if name == axis]
        return [size for p, size in sorted(found, key=lambda pair: distance(place, pair[0]))]

    def _defined_near(
        self, name: Expression, text: str, place: Place, indices: Indices
    ) -> Meaning | None:
        """Find a definition in the same block, or in a block below that says what letters are."""
        found = self._value(name, text, place, indices, "block", "where") or self._stack(
            name, place, "block"
        )
        if found is not None:
            return found
        end = self._end_of_where(text, place)
        for exact in self._value_shelf.below(text, place, end):
            if exact.statement.op == "=":
                return Meaning("where", text, defined=exact)
        rules = self._rule_shelf.below(stem(name) or "", place, end)
        return self._member("where", name, text, rules, indices)

    def _end_of_where(self, text: str, place: Place) -> int:
        """Give the first block below that has formulas or declarations of its own for this letter."""
        stops = [self._ends_of_sections.get(place.section, place.block) + 1]
        after = bisect.bisect_right(self._blocks_of_functions, place.block)
        stops += self._blocks_of_functions[after : after + 1]
        below = self._declared_shelf.below(text, place, stops[0])
        stops += [d.place.block for d in itertools.islice(below, 1)]
        return min(stops)

    def _section(
        self, name: Expression, text: str, place: Place, indices: Indices
    ) -> Meaning | None:
        """Find what the section defines outside of its functions' blocks, or declares."""
        alone = [
            d
            for d in itertools.islice(self._value_shelf.near(text, place, "section"), NEAR)
            if not self._is_block_of_functions(d.place.block) and d.seen_from(place)
        ]
        if alone:
            return Meaning("value", text, defined=alone[0])
        rules = [
            d
            for d in itertools.islice(
                self._rule_shelf.near(stem(name) or "", place, "section"), NEAR
            )
            if not self._is_block_of_functions(d.place.block)
        ]
        return self._member("value", name, text, rules, indices) or self._declared(
            name, text, indices, place, "section"
        )

    def _is_block_of_functions(self, block: int) -> bool:
        at = bisect.bisect_left(self._blocks_of_functions, block)
        return self._blocks_of_functions[at : at + 1] == [block]

    def _value(
        self,
        name: Expression,
        text: str,
        place: Place,
        indices: Indices,
        reach: str,
        kind: str,
    ) -> Meaning | None:
        for exact in self._value_shelf.near(text, place, reach):
            if exact.seen_from(place):
                return Meaning(kind, text, defined=exact)
        rules = self._rule_shelf.near(stem(name) or "", place, reach)
        return self._member(kind, name, text, rules, indices)

    def _declared(
        self, name: Expression, text: str, indices: Indices, place: Place, reach: str
    ) -> Meaning | None:
        exact = next(self._declared_shelf.near(text, place, reach), None)
        if exact is not None:
            return Meaning("input", text, declared=exact)
        for declared in self._declared_families.near(stem(name) or "", place, reach):
            bound = match(declared.name, name, declared.letters, indices)
            if bound is not None:
                return Meaning("input", text, declared=declared, indices=bound)
        return None

    def _declared_in(
        self,
        name: Expression,
        text: str,
        indices: Indices,
        place: Place,
        near: Callable[[Place], bool],
    ) -> Meaning | None:
        for exact in self._declared_shelf.near(text, place):
            if near(exact.place):
                return Meaning("input", text, declared=exact)
        for declared in self._declared_families.near(stem(name) or "", place):
            bound = match(declared.name, name, declared.letters, indices)
            if bound is not None and near(declared.place):
                return Meaning("input", text, declared=declared, indices=bound)
        return None

    def _stack(self, name: Expression, place: Place, reach: str = "document") -> Meaning | None:
        """Find the series of which a bare name stands for all members: h of h^t.

        Near by, that is the h of h_{seq(t)}: beside X^l, the letter X may be declared for itself.
        """
        for rule in self._whole_shelf.near(stem(name) or "", place, reach):
            if bare(rule.name) == name and (reach == "document" or axis_along(rule.name)):
                return Meaning("stack", rule.key, defined=rule)
        return None
