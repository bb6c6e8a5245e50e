"""What a name stands for at a place of a document.

A letter is looked for in this order: the arguments of the formula that it stands in; definitions of
the same block; blocks below that say what the letters of a formula are (`where Q = ...`); declarations
of the same block; then the same section, then other sections, the nearest before, then the nearest
after. Functions are seen everywhere.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from namedtensor.latex.documents.along import (
    ALONG,
    LAST,
    axis_along,
    bare,
    beside_declared,
    ends_of,
    only_taken,
    stated_sizes,
    stepped,
)
from namedtensor.latex.documents.double import defined_sizes, sizes_apart, without_letters
from namedtensor.latex.documents.placed import bounded, in_cases, parts_of_steps, placed
from namedtensor.latex.documents.scripts import (
    Indices,
    fold,
    key,
    letters_in,
    match,
    numbered,
    primes_of,
    script_letters,
    stem,
)
from namedtensor.latex.documents.series import Range, ranges_for, ranges_of, ruled, unfolded
from namedtensor.latex.evaluation.evaluator import Word
from namedtensor.latex.evaluation.vocabulary import applied_letter, word_of
from namedtensor.latex.reading.quantities import is_divisor
from namedtensor.latex.reading.ranges import all_bound
from namedtensor.latex.reading.spoken import numbers_in, sections_around
from namedtensor.latex.reading.words import SMALL
from namedtensor.latex.source import unchanging
from namedtensor.latex.syntax import (
    Aside,
    At,
    AxisName,
    AxisSize,
    Bars,
    Big,
    Binary,
    Call,
    Constraint,
    Contract,
    Declaration,
    Definition,
    Derivative,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Renaming,
    Root,
    Scripts,
    Signature,
    SizedAxis,
    Space,
    Statement,
)
from namedtensor.latex.walk import all_of, children, letters_of, parted, reached, texts_of, walk

#: A series that reaches back further than this is not started from its first members.
MOST_BACK = 16

#: So many definitions of one letter are looked at in a section.
NEAR = 64

#: Letters that are numbers wherever their section says nothing else.
CONSTANTS = ("pi", "e", "infty")


@unchanging
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

    def seen_from(self, place: Place) -> bool:
        """Say whether a statement elsewhere may mean this; an update is seen by what follows it."""
        if self.statement.op != "=":
            return self.place.index < place.index
        return self.place.index != place.index

    @property
    def updates(self) -> bool:
        """Say whether this changes what its name was before, as X <- X + 1 does and X <- 0 does not."""
        if self.statement.op == "=" or self.kind == "function":
            return False
        elements = isinstance(self.statement.target, Indexed)
        return elements or any(key(part) == self.key for part in walk(self.body))

    def holds(self, bound: Indices, indices: Indices) -> bool:
        """Say whether a series may have a member; without a stated range they count from 1."""
        if self.range is not None:
            return self.range.holds(bound, indices)
        if self.kind == "function" or not isinstance(self.name, Scripts):
            return True
        numbers = [fold(script, bound) for script in (self.name.sub, self.name.sup)]
        return all(number is None or 1 <= number <= LAST for number in numbers)

    @property
    def body(self) -> Expression:
        return self.statement.body

    @property
    def results(self) -> tuple[Expression, ...]:
        """What the body gives: one result, or several between parentheses."""
        body = self.body
        several = isinstance(body, Items) and body.bracket == "(" and len(body.parts) > 1
        return body.parts if isinstance(body, Items) and several else (body,)

    @property
    def counting(self) -> set[str]:
        """The letters that choose a member, and are no arguments: q of enc_q(q) is one."""
        call = self.call
        return {*self.letters} - {
            key(a) for a in ((*call.arguments, *call.parameters) if call else ())
        }

    @property
    def call(self) -> Call | None:
        target = self.statement.target
        target = target.base if isinstance(target, Indexed) else target
        return target if isinstance(target, Call) else None


@dataclass(frozen=True, slots=True, eq=False)
class Signed:
    """A signature statement f : R^a -> R^b, and its place."""

    statement: Signature
    place: Place


@unchanging
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


@unchanging
class Sought:
    """A name that is looked for: as it is written, and as a text; from where, and for which indices."""

    name: Expression
    text: str
    place: Place
    indices: Indices


def target_name(target: Expression) -> Expression:
    """Give the name that a definition defines: f of f(X; W), P of P_{seq(p)}."""
    while isinstance(target, (Indexed, Call)):
        target = target.base if isinstance(target, Indexed) else target.function
    return target


def kind_of_target(target: Expression) -> str:
    if isinstance(target, Call) or (isinstance(target, Indexed) and isinstance(target.base, Call)):
        return "function"
    return "elements" if isinstance(target, Indexed) else "value"


def distance(place: Place, of: Place) -> tuple[bool, bool, bool, int]:
    """Sort places: the same block, the same section, before, near."""
    return (
        of.block != place.block,
        of.section != place.section,
        of.index > place.index,
        abs(of.index - place.index),
    )


def rename_stem(name: Expression, base: Expression) -> Expression:
    """Put another letter under the scripts of a name: V^1 from W^1."""
    if isinstance(name, Scripts):
        return dataclasses.replace(name, base=rename_stem(name.base, base))
    return base


#: What has a place in a document.
Thing = TypeVar("Thing", Declared, Defined, Signed)


class Shelf(Generic[Thing]):
    """Things by names, found from a place: those before it first, the nearest of them first."""

    def __init__(self, named: Iterable[tuple[str, Thing]], parents: Sequence[int] = (0,)) -> None:
        self._parents = parents
        self._things: dict[tuple[str, str, int], list[Thing]] = {}
        self._names: set[str] = set()
        for name, thing in sorted(named, key=lambda pair: pair[1].place.index):
            at = thing.place
            self._names.add(name)
            for reach, number in (("block", at.block), ("section", at.section), ("document", 0)):
                self._things.setdefault((name, reach, number), []).append(thing)

    def near(self, name: str, place: Place, reach: str = "document") -> Iterator[Thing]:
        """Give what has a name: in the place's block, in its section and those around, anywhere."""
        return self._near(name, place, reach) if name in self._names else iter(())

    def _near(self, name: str, place: Place, reach: str) -> Iterator[Thing]:
        yield from self._within(name, place, "block", place.block)
        if reach == "block":
            return
        around = sections_around(place.section, self._parents)
        for section in around:
            for thing in self._within(name, place, "section", section):
                if thing.place.block != place.block:
                    yield thing
        if reach == "section":
            return
        for thing in self._within(name, place, "document", 0):
            if thing.place.block != place.block and thing.place.section not in around:
                yield thing

    def _within(self, name: str, place: Place, reach: str, number: int) -> Iterable[Thing]:
        things = self._things.get((name, reach, number))
        if things is None:
            return ()
        middle = bisect.bisect_left(things, place.index, key=lambda t: t.place.index)
        return itertools.chain(reversed(things[:middle]), things[middle:])

    def below(self, name: str, place: Place, end: int) -> Iterator[Thing]:
        """Give what stands in the blocks after a place's own, before the block `end`."""
        things = self._things.get((name, "section", place.section), [])
        first = bisect.bisect_right(things, place.index, key=lambda t: t.place.index)
        for thing in things[first:]:
            if thing.place.block >= end:
                return
            if thing.place.block > place.block:
                yield thing


class Names:
    """All that a document declares and defines, and what its names mean where they stand."""

    def __init__(self, statements: Sequence[Statement], parents: Sequence[int] = (0,)) -> None:
        self.parents = parents
        #: letters of sizes that stand for something else in their section, outside of spaces
        self.defined_sizes = defined_sizes(statements, parents)
        plain = without_letters(statements, self.defined_sizes)
        self.ends = ends_of(plain)
        elements = parts_of_steps(placed(sizes_apart(plain, parents), self.ends, parents))
        written = in_cases(bounded(stepped(elements, self.ends, parents)), self.ends)
        written = beside_declared(written, parents)
        self._rewritten = {
            id(new): old for new, old in zip(written, statements, strict=True) if new is not old
        }
        self.statements = tuple(unfolded(written))
        self.ranges = ranges_of(self.statements)
        said = {re.sub(r"[{}\s]", "", s.text) for s in self.statements if isinstance(s, Aside)}
        bigs = all_of(Big, self.statements)
        above = tuple([b.upper for b in bigs if b.upper])
        inner = {
            within.index for b in bigs for within in all_bound(b)
        }  # sum_{i < j} sum_{t=i}^{j-1}
        ends: list[Expression] = [*letters_of(above), *all_of(Scripts, above)]
        sums = {key(end) or "": end for end in ends if end not in inner}
        ranges = [_end_of(r.upper) for r in self.ranges]
        uppers = [*ranges, *[end for t, end in sums.items() if re.sub("[{}]", "", t) in said]]
        #: the ends of ranges, and of sums that the text speaks of: chosen where nothing else gives them
        self.lengths = {key(upper): upper for upper in uppers if upper is not None}
        self._ruled = ruled(self.statements)
        #: what something is derived by, the whole of an element and of a member of a series
        by = [d.by for d in all_of(Derivative, self.statements) if d.by is not None]
        self.derived = {key(bare(x.base if isinstance(x, Indexed) else x)) for x in by}
        self.declared: dict[str, list[Declared]] = {}
        self.defined: dict[str, list[Defined]] = {}
        self.signatures: dict[str, Signature] = {}
        self._signatures: list[tuple[str, Signed]] = []
        self.sized: list[tuple[Declared, SizedAxis]] = []
        self._by_size: dict[str, list[tuple[Declared, SizedAxis]]] = {}
        new = [
            a for one in all_of(Renaming, self.statements) for a in one.after if a.size is not None
        ]
        self._size_letters = {
            t for a in new if isinstance(a.size, Letter) for t in _letters_of(a.size)
        }
        self._of: dict[int, Defined] = {}
        self._at: dict[int, Defined] = {}
        self._by_letter: dict[str, list[Range]] = {}
        for within in self.ranges:
            self._by_letter.setdefault(within.letter, []).append(within)
        self.stated_sizes = tuple(
            [
                (axis, size, Place(i, s.block, s.section))
                for i, s in enumerate(self.statements)
                for axis, size in stated_sizes(s)
            ]
        )
        #: the calls in the document by the names of their functions, and where they stand
        self.calls_of: dict[str, list[tuple[Call, Place]]] = {}
        #: what was looked up: the checker, the linker and the evaluator ask for the same names
        self._looked: dict[Hashable, Meaning | None] = {}
        self._note_definitions()
        self._note_declarations()
        spaces = {
            text: {name for one in group for name in one.space.names}
            for text, group in self.declared.items()
        }
        #: the letters that a declared \pi shares axes with: beside these it is no number
        akin = {text for text, axes in spaces.items() if axes & spaces.get("pi", set())}
        targets = [s.target for s in self.statements if isinstance(s, Definition)]
        lettered = "e" in [key(p.base) for t in targets for p in all_of(Scripts, t)]
        self._numeric = {
            (text, s.section)
            for s in self.statements
            for text in _constants_of(s, akin)
            if text != "e" or not lettered  # e^{new} = ... is no power
        }
        self._note_copies()
        self._note_numbers()
        self._arrange()

    def _arrange(self) -> None:
        """Put all on shelves, on which it is found by name and place."""
        defined = [d for group in self.defined.values() for d in group]
        declared = [d for group in self.declared.values() for d in group]
        values = [d for d in defined if d.kind != "function"]
        functions = [d for d in defined if d.kind == "function"]
        rules = [d for d in values if d.letters]
        whole = [d for d in rules if axis_along(d.name)]
        self._wholes = {d.key for d in values if d.kind == "elements"}
        self._wholes |= {key(bare(d.name)) or "" for d in whole}
        self._function_shelf = Shelf([(d.key, d) for d in functions if not d.letters], self.parents)
        self._family_shelf = Shelf(
            [(stem(d.name) or "", d) for d in functions if d.letters], self.parents
        )
        self._value_shelf = Shelf([(d.key, d) for d in values if not d.letters], self.parents)
        self._rule_shelf = Shelf([(stem(d.name) or "", d) for d in rules], self.parents)
        self._whole_shelf = Shelf([(key(bare(d.name)) or "", d) for d in rules], self.parents)
        self._declared_shelf = Shelf([(d.key, d) for d in declared if not d.letters], self.parents)
        self._declared_families = Shelf(
            [(stem(d.name) or "", d) for d in declared if d.letters], self.parents
        )
        self._signature_shelf = Shelf(self._signatures, self.parents)
        self._blocks_of_functions = sorted({d.place.block for d in functions})
        self._by_block: dict[int, list[Defined]] = {}
        for one in defined:
            self._by_block.setdefault(one.place.block, []).append(one)
        #: letters of what functions are given and of what is made of it, by their blocks
        self._of_functions: dict[int, set[str]] = {}
        sections: dict[int, list[Statement]] = {}
        for statement in self.statements:
            sections.setdefault(statement.section, []).append(statement)
        #: letters, by sections, that only stand for arguments there, and elsewhere for all of a series
        self._taken = {
            (at, text)
            for at, here in sections.items()
            for text in only_taken(here) & self._wholes
            if all(d.place.section != at for d in values if d.key == text)
        }
        #: letters that functions take as arguments, and that definitions give too
        self._defined_arguments = {
            text
            for d in functions
            if isinstance(d.statement.target, Call)
            for text in map(key, d.statement.target.arguments)
            if text is not None
            and any(one.kind != "function" for one in self.defined.get(text, ()))
        }
        self._letters_of: dict[str, set[str]] = {}
        self._reached: dict[Defined, set[str]] = {}
        self._ends_of_sections = {s.section: s.block for s in self.statements}
        self._scripted_letters = {stem(d.name) for d in declared if isinstance(d.name, Scripts)}
        named = [
            d.name for d in declared if isinstance(d.name, Scripts) and _is_capital(d.name.sup)
        ]
        bases = Counter([name.base for name in {*named}])
        self._only_named = {name for name in named if bases[name.base] > 1}
        self._by_stem: dict[str, list[Defined]] = {}
        for one in defined:
            self._by_stem.setdefault(stem(one.name) or "", []).append(one)

    # ------------------------------------------------------------------------------- collecting

    def _note_definitions(self) -> None:
        #: names with scripts by their letters, each with the blocks in which it stands
        self._scripted: dict[str, dict[Scripts, set[int]]] = {}
        for statement in self.statements:
            if isinstance(statement, Definition):
                for part in all_of(Scripts, statement.body):
                    uses = self._scripted.setdefault(stem(part) or "", {})
                    uses.setdefault(part, set()).add(statement.block)
        self._moved = {
            (letter, s.block)
            for s in self.statements
            if isinstance(s, Definition)
            for script in scripts_of(s.body)
            for part in all_of(Binary, script)
            for letter in letters_in(part)
        }
        for index, statement in enumerate(self.statements):
            at = Place(index, statement.block, statement.section)
            for call in all_of(Call, getattr(statement, "body", statement)):
                self.calls_of.setdefault(key(call.function) or "", []).append((call, at))
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
            self._at[index] = found
            self._of[id(self._rewritten.get(id(statement), statement))] = found

    def _note_declarations(self) -> None:
        rules = [d for group in self.defined.values() for d in group if d.letters]
        stepped = {(letter, d.place.section) for d in rules for letter in d.letters}
        #: names of members that rules use with their own letter: W^l of x^l = W^l x^{l-1}
        used = {
            (letter, part)
            for d in rules
            for part in all_of(Scripts, d.body)
            for letter in d.letters
            if d.kind != "function" and letter in script_letters(part)
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
                            self._size_letters |= _letters_of(axis.size)
            if not isinstance(statement, Declaration):
                continue
            place = Place(index, statement.block, statement.section)
            for name in self._families(statement, stepped) or statement.names:
                text = key(name)
                if text is None:
                    continue
                letters = tuple(
                    [
                        t
                        for t in script_letters(name)
                        if (t, statement.section) in stepped
                        or (t, name) in used
                        or self.range_of(t, statement)
                    ]
                )
                found = Declared(text, name, statement.space, statement, place, letters)
                self.declared.setdefault(text, []).append(found)
                for axis in statement.space.axes:
                    if axis.size is not None:
                        self.sized.append((found, axis))
                        self._by_size.setdefault(key(axis.size) or "", []).append((found, axis))
                        self._size_letters |= _letters_of(axis.size)
        for (_, axis), *_ in [*self._by_size.values()]:  # M^2 is a power beside an axis of 2M - 1
            power = axis.size
            if isinstance(power, Scripts) and isinstance(power.sup, Number) and not power.sub:
                others = [a.size for _, a in self.sized if a.size not in (None, power)]
                if any(power.base in letters_of(size) for size in others):
                    del self._by_size[key(power) or ""]

    def _families(self, statement: Declaration, stepped: set[tuple[str, int]]) -> list[Expression]:
        r"""Give x^t for x^1, \\ldots, x^T, as the rules of the section write it; the dots are not kept."""
        found: dict[str, Expression] = {}
        for first, last in itertools.pairwise(statement.names):
            uses = self._scripted.get(stem(first) or "", {}) if isinstance(first, Scripts) else {}
            for used in uses:
                letters = script_letters(used)
                ends = [match(used, name, letters, {}) for name in (first, last)]
                counted = [end and list(end.values()) for end in ends]
                if counted == [[1], [None]] and (letters[0], statement.section) in stepped:
                    found.setdefault(str(key(used)), dataclasses.replace(used, span=first.span))
        return list(found.values())

    def _note_copies(self) -> None:
        """Declare the W_1 of f(X; W_1) as the W of f(X; W), where nothing else says what W_1 is."""
        found: list[tuple[Scripts, Place, tuple[str, ...]]] = []
        for text, group in self.defined.items():
            listed = [p for d in group if d.call is not None for p in d.call.parameters]
            for call, at in self.calls_of.get(text, ()) if listed else ():
                for given in call.parameters:
                    if isinstance(given, Scripts) and given.base in listed:
                        letters = script_letters(given)
                        counted = [self.range_of(t, self.statements[at.index]) for t in letters]
                        found.append((given, at, letters if all(counted) else ()))
        known: list[Declared | Defined] = [d for g in self.declared.values() for d in g]
        known += [d for g in self.defined.values() for d in g]
        for name, at, letters in sorted(found, key=lambda one: not one[2]):
            text, letter = key(name) or "", stem(name) or ""
            near = [d for d in known if stem(d.name) == letter]
            plain = [d for d in near if isinstance(d, Declared) and d.key == letter]
            same = [
                d for d in near if d.key == text or match(d.name, name, d.letters, {}) is not None
            ]
            if not plain or same or letter in self.defined:
                continue
            like = min(plain, key=lambda d: distance(at, d.place))
            copy = dataclasses.replace(like, key=text, name=name, letters=letters)
            self.declared[text] = [copy]
            known.append(copy)

    def _note_numbers(self) -> None:
        """Take a letter that is only said to lie above, below or between numbers for a number."""
        for index, statement in enumerate(self.statements):
            if not isinstance(statement, Constraint):
                continue
            for relation in all_of(Relation, statement.relation):
                for name in numbers_in(relation):
                    self._note_number(name, Place(index, statement.block, statement.section))

    def _note_number(self, name: Expression, place: Place) -> None:
        text = key(name)
        here = [d for d in self.defined.get(text or "", ()) if self.inherits(place, d.place)]
        if text is None or text in self.declared or here or self.sizes_named(text):
            return
        space = Space(name.span, "R", ())
        made = Declaration(name.span, (name,), space, block=place.block, section=place.section)
        letters = tuple([t for t in script_letters(name) if self.range_of(t, made)])
        self.declared[text] = [Declared(text, name, space, made, place, letters)]

    def sizes_named(self, text: str) -> list[tuple[Declared, SizedAxis]]:
        """List the axes that are declared with a size of this name."""
        return self._by_size.get(text, [])

    def is_size(self, text: str) -> bool:
        """Say whether a size is declared with this name, or computed from it: d of hid:4d."""
        if text in self._wholes:
            return False  # beside N_k, the size N is written |obs|
        return text in self._by_size or text in self._size_letters

    def is_size_here(self, text: str, place: Place) -> bool:
        """Say whether a size is declared with this name in the section of a place, or around it."""
        return any(self.inherits(place, d.place) for d, _ in self.sizes_named(text))

    def gives_size(self, statement: Statement) -> bool:
        """Say whether a definition only gives the value of a size of its section: d_k = 64."""
        if not isinstance(statement, Definition) or statement.op != "=":
            return False
        text, at = key(statement.target), Place(0, statement.block, statement.section)
        sized = text is not None and self.is_size_here(text, at)
        return sized or isinstance(statement.target, AxisSize)

    def size_letter(self, axis: str) -> str | None:
        """Give the letter that some declaration has for the size of an axis."""
        found = [key(a.size) for _, a in self.sized if a.axis.name == axis and a.size is not None]
        return next((text for text in found if text is not None), None)

    @cached_property
    def divisors(self) -> frozenset[str]:
        r"""The small letters that are numbers as others, as \epsilon is where something is divided by it."""
        bodies = [d.body for group in self.defined.values() for d in group]
        known = [t for t in SMALL if t in self.declared]
        return frozenset([t for t in known if any(is_divisor(t, body) for body in bodies)])

    @property
    def series_letters(self) -> frozenset[str]:
        """The letters of which a series is defined."""
        rules = [d for group in self.defined.values() for d in group if d.letters]
        return frozenset([stem(bare(d.name)) or "" for d in rules if d.kind != "function"])

    def range_of(self, letter: str, statement: Statement) -> Range | None:
        """Give the range of an index letter: its own condition's, or the nearest that is stated.

        None for the letter of an axis's elements says that they are all of the axis.
        """
        around = sections_around(statement.section, self.parents)
        near = [r for r in self._by_letter.get(letter, []) if r.statement.section in around]
        if isinstance(statement, Definition) and axis_along(target_name(statement.target)):
            near = ranges_for(letter, statement, near, self._ruled, self.parents)
        return min(
            near,
            key=lambda r: (
                r.statement is not statement,
                r.statement.block != statement.block,
                r.statement.section != statement.section,
            ),
            default=None,
        )

    def chooses(self, name: Scripts, letters: set[str], place: Place, indices: Indices) -> bool:
        """Say whether one of some letters chooses the member of a family or a series that a name is."""
        if not letters & set(script_letters(name)) - set(indices):
            return False
        meaning = self.look(name, place, indices)
        if meaning is None:  # F^e(x), of which each has parameters of its own
            return self.function(name.base, place, {}) is not None
        return bool(meaning.indices)

    def ends_of_members(
        self, index: Expression, body: Expression, place: Place
    ) -> tuple[Expression, Expression] | None:
        """Give the ends that are stated for a family whose members an index chooses: e of F_e(x)."""
        for name in all_of(Scripts, body):
            known = self.look(name, place, {}) if index in (name.sub, name.sup) else None
            within = None if known is None or known.defined is None else known.defined.range
            declared = None if known is None else known.declared
            if declared is not None and len(declared.letters) == 1:  # x_i of x_1, ..., x_n
                within = self.range_of(declared.letters[0], declared.statement)
            if within is not None and within.lower is not None and within.upper is not None:
                return within.lower, within.upper
        return None

    def _is_index(self, letter: str, statement: Definition, kind: str) -> bool:
        """Say whether a small letter in a defined name's script counts, as l of X^l, or only names."""
        within, own = self.range_of(letter, statement), target_name(statement.target)
        if axis_along(own) or (within and (kind != "function" or within.upper is not None)):
            return True
        if kind == "function" and self._only_names(letter, statement, own):
            return False
        if within or (letter, statement.block) in self._moved:
            return True
        scripts: list[Expression] = []
        for part in walk(statement.body):
            if isinstance(part, Scripts):
                scripts += [s for s in (part.sub, part.sup) if s is not None]
        if isinstance(own, Scripts) and any(
            isinstance(s, (Binary, Items)) and letter in letters_in(s) for s in (own.sub, own.sup)
        ):
            return True
        if kind != "function":
            return False
        listed = statement.target if isinstance(statement.target, Call) else None
        named = [
            *scripts,
            *[p for q in (listed.parameters if listed else ()) for p in scripts_of(q)],
        ]
        named += letters_of(statement.body)
        named += [p for t in scripts if isinstance(t, Letter) for p in parted(t)]  # of \delta_{ij}
        return any(isinstance(s, Letter) and s.text == letter for s in named)

    def _only_names(self, letter: str, statement: Definition, own: Expression) -> bool:
        """Say whether f of q_f(x) only names it: beside q(x), q_g(x), or Q and Q_f, or where f is a number.

        A letter that indexes or is bound counts, as e of F_e(x) beside F(x) = sum_e F_e(x), and so does one
        for which there are members by number, F_1(x).
        """
        around = sections_around(statement.section, self.parents)
        near = tuple([s for s in self.statements if s.section in around])
        places = [at.at for at in all_of(At, near)] + [big.lower for big in all_of(Big, near)]
        named = [part for part in all_of(Scripts, near) if part.sub is not None]
        places += [part.sub for part in named if isinstance(part.sub, Binary)]
        base = own.base if isinstance(own, Scripts) else None
        kin = [part.sub for part in named if part.base == base]
        if letter in texts_of(tuple(places)):
            return False
        subs = [part for part in named if part.sub is not None and key(part.sub) == letter]
        stands = len(subs) < len([t for t in all_of(Letter, near) if t.text == letter])
        targets = [s.target for s in near if isinstance(s, Definition)]
        functions = {t.function for t in targets if isinstance(t, Call)}
        if len({*kin}) > 1:  # p_s and p_t, each with a definition, of a student and a teacher
            alike = {f.sub for f in functions if isinstance(f, Scripts) and f.base == base}
            each = {*kin} <= alike and all(isinstance(sub, Letter) for sub in kin)
            return each and not stands
        for said in [s for s in near if isinstance(s, Declaration)]:
            if said.space.base == "R" and not said.space.axes and letter in map(key, said.names):
                return True
        bounds = [s.relation for s in near if isinstance(s, Constraint)]
        open_ = [
            r for r in bounds if isinstance(r, Relation) and {op for op, _ in r.rest} <= {*"<>"}
        ]
        numbers = [n for relation in open_ for n in numbers_in(relation)]
        if letter in map(key, numbers) and {p.base for p in subs} <= {getattr(own, "base", own)}:
            return True  # a width h > 0
        if stands:
            return False
        together = [s.names for s in near if isinstance(s, Declaration) and {*s.names} & {*subs}]
        return any(part.base in functions.union(*together) for part in subs)

    def defined_at(self, place: Place) -> Defined | None:
        """Give what is defined at a place."""
        return self._at.get(place.index)

    def counts(self, text: str, place: Place) -> bool:
        """Say whether a letter is the index of what is defined at a place: nothing else is meant."""
        found = self._at.get(place.index)
        return found is not None and text in found.counting

    def of(self, statement: Definition) -> Defined | None:
        """Give what a definition of this document defines."""
        return self._of.get(id(statement))

    # ------------------------------------------------------------------------------- what there is

    def is_where(self, defined: Defined) -> bool:
        """Say whether a definition says in the block of a function what a letter is there."""
        return defined.kind == "value" and self.is_block_of_functions(defined.place.block)

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

    @cached_property
    def ends_apart(self) -> frozenset[str]:
        """The letters that a range ends at, k = 1, ..., K, and that are tensors elsewhere."""
        found = set()
        for within in self.ranges:
            text = key(within.upper) if isinstance(within.upper, Letter) else None
            at = Place(0, within.statement.block, within.statement.section)
            rules = self.defined.get(text or "", ())
            rules = [r for r in rules if [*all_of(Contract, r.body), *all_of(Indexed, r.body)]]
            if text and rules and not any(self.inherits(at, rule.place) for rule in rules):
                found.add(text)
        return frozenset(found)

    def is_only(self, text: str, given: Declared | Defined) -> bool:
        """Say whether a name is given in one section only, or declared alike in all of them."""
        section, space = given.place.section, getattr(given, "space", None)
        return all(
            d.place.section == section or d.space == space for d in self.declared.get(text, ())
        ) and (
            isinstance(given, Declared)
            or all(d.place.section == section for d in self.defined.get(text, ()))
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
        return self._member(Sought(name, text, place, indices), family, "function")

    def applied(self, name: Expression, place: Place, indices: Indices) -> Word | None:
        """Give what sigma(X) means to all where only a section elsewhere has a tensor sigma."""
        word = applied_letter(name.text) if isinstance(name, Letter) else None
        meaning = None if word is None else self.look(name, place, indices)
        given = None if meaning is None else meaning.declared or meaning.defined
        far = given is not None and not self.inherits(place, given.place)
        return word if far and meaning is not None and meaning.kind != "function" else None

    def function_here(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find a function that the section of a place defines, or one around it: z of z(x).

        Where that section itself says nothing of the letter, or z = z(x), another section's function is
        meant too, and no tensor of a section around.
        """
        found = self.function(name, place, indices)
        if found is None or found.defined is None or self.inherits(place, found.defined.place):
            return found if found is not None and found.defined is not None else None
        tensor = self.look(name, place, indices)
        given = None if tensor is None else tensor.declared or tensor.defined
        same = isinstance(given, Defined) and isinstance(given.body, Call)
        if same and key(given.body.function) == found.key:  # type: ignore[union-attr]
            return found
        return None if given is None or given.place.section == place.section else found

    def _member(self, sought: Sought, rules: Iterable[Defined], kind: str) -> Meaning | None:
        """Find the first rule that a name is a member of, or what its series defines for it alone."""
        for rule in rules:
            bound = match(rule.name, sought.name, rule.letters, sought.indices)
            if bound is not None and rule.holds(bound, sought.indices):
                itself = self._itself(sought, rule)
                found, indices = (rule, bound) if itself is None else (itself, {})
                return Meaning(kind, sought.text, defined=found, indices=indices)
        return None

    def _itself(self, sought: Sought, rule: Defined) -> Defined | None:
        """Find the definition of one member outside of the block of its rule; a function's are its own."""
        apart = [d for d in self.kin(rule) if not d.letters and d.place.block != rule.place.block]
        near = [d for d in apart if d.place.section == rule.place.section and d.key == sought.text]
        return next((d for d in near if not self.is_block_of_functions(d.place.block)), None)

    def look(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find what a name stands for at a place, its formula's own arguments left aside."""
        asked = name, place, tuple(indices.items())
        if asked not in self._looked:
            self._looked[asked] = self._look(name, place, indices)
        return self._looked[asked]

    def _text(self, name: Expression, indices: Indices) -> str | None:
        """Give the text of a name for some indices; the K of W^K beside W^Q only names, whatever K is."""
        return key(name) if name in self._only_named else key(name, indices)

    def _look(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        text = self._text(name, indices)
        if text is None or self._is_power(name, text, place):
            return None
        sought = Sought(name, text, place, indices)
        if self._is_constant(text, place):
            return self._defined_near(sought) or self._section(sought)
        return (
            self._defined_near(sought)
            or self._declared(sought, "block", free=True)
            or self._in_frame(self._section(sought), place)
            or (Meaning("size", text) if self.is_size_here(text, place) else None)
            or self._elsewhere(sought)
            or self._value(sought, "document", "value")
            or self._stack(name, place)
            or self.function(name, place, indices)
            or (Meaning("size", text) if self.is_size(text) else None)
            or self._first_by_script(name, place, indices)
            or self._declared_first(name, place, indices)
            or self._last_by_letter(sought)
        )

    def _in_frame(self, found: Meaning | None, place: Place) -> Meaning | None:
        """Let a definition be of the one that uses it where only that says what its letters are: t of u_t.

        So is what a function makes of its argument through definitions, s(Z) = A \\odot B of halves of Z,
        where others define its letter too.
        """
        defined = None if found is None else found.defined
        if found is None or defined is None or found.kind != "value" or defined.letters:
            return found
        target = getattr(self.statements[place.index], "target", None)
        formal = [*map(key, target.arguments if isinstance(target, Call) else ())]
        formal += self._at[place.index].letters if place.index in self._at else ()
        open_ = {text for text in formal if text not in self.declared and text not in self.defined}
        taken = self._defined_arguments
        taken = taken.intersection(formal) if isinstance(target, Call) else taken
        if any(key(letter) in open_ for letter in letters_of(defined.body)) or (
            taken and not taken.isdisjoint(self._made_of(defined))
        ):
            return dataclasses.replace(found, kind="where")
        return found

    def _made_of(self, defined: Defined) -> set[str]:
        """List the letters that a definition is made of, through other ones."""
        if not self._letters_of:
            self._letters_of = {
                text: {t.text for d in group if d.kind != "function" for t in letters_of(d.body)}
                for text, group in self.defined.items()
            }
        if defined not in self._reached:
            own, onward = texts_of(defined.body), self._letters_of
            self._reached[defined] = reached(own, lambda text: onward.get(text, ()))
        return self._reached[defined]

    def _is_constant(self, text: str, place: Place) -> bool:
        r"""Say whether a letter is a number where its section says nothing else: e of e^x, \pi of 2 \pi."""
        if text != "pi" or text in self.defined or (text, place.section) in self._numeric:
            return text == "infty" or (text, place.section) in self._numeric
        near = {
            a.name
            for s in self.statements
            if s.section == place.section
            for a in all_of(AxisName, s)
        }
        return not any({*d.space.names} & near for d in self.declared.get(text, ()))

    def _is_power(self, name: Expression, text: str, place: Place) -> bool:
        """Say whether x^2 is a power though x^t is a series: x is given here, and no member of it."""
        if not isinstance(name, Scripts) or not isinstance(name.sup, (Number, Letter)):
            return False
        if name.sub is not None or name.primes or text in self.declared or text in self.defined:
            return False
        if isinstance(name.sup, Letter):  # no tensor counts members, c^E; the end of a range does
            end = key(name.sup) or ""
            tensors = () if end in self.lengths else self.declared.get(end, ())
            return any(self.inherits(place, d.place) for d in tensors if d.space.axes)
        own = key(name.base)
        if own is None or own not in self.series_letters:
            return False
        members = [d for d in self.near(own, place) if not d.letters and d.key != own]
        statement = self.statements[place.index] if place.index < len(self.statements) else None
        target = getattr(statement, "target", None)
        call = target.base if isinstance(target, Indexed) else target
        if isinstance(call, Call) and own in map(key, (*call.arguments, *call.parameters)):
            # beside X^0 = X, layers go from one member of X to the next
            return not any([d.place.block == place.block for d in members])
        near = self._defined_near(Sought(name.base, own, place, {}))
        if near is not None and near.defined is not None:
            return self._defined_near(Sought(name, text, place, {})) is None
        given = members or own in self._scripted_letters
        if given and not any(self.inherits(place, d.place) for d in self._by_stem.get(own, ())):
            # beside m, the square is no member from elsewhere
            body = getattr(statement, "body", None)
            powers = [part for part in all_of(Scripts, body) if part.base == name.base]
            bare_ = [t for t in letters_of(body) if t.text == own]
            return len(powers) < len(bare_) and {key(p) for p in powers} <= {text}
        return not given and any(self.inherits(place, d.place) for d in self.declared.get(own, ()))

    def _first_by_script(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find h^0 or h_0 for the h_{seq(0)} with which a recurrence starts, and h_{n+1} for that after n."""
        axis = axis_along(name)
        if not isinstance(name, Scripts) or axis is None or name.sub is None:
            return None
        whole, at = bare(name), name.span
        scripts: list[Expression] = [name.sub]
        if fold(name.sub, {}) == LAST + 1:
            one = Number(at, 1)
            scripts = [Binary(at, "+", Letter(at, end), one) for end in self.ends.get(axis, ())]
        forms = [Scripts(at, whole, sup=script) for script in scripts]
        forms += [Scripts(at, whole, sub=script) for script in scripts]
        every = [d.place for d in self._by_stem.get(stem(whole) or "", ()) if d.letters]
        rules, sections = {at.block for at in every}, {at.section for at in every}
        for meaning in [self.look(form, place, indices) for form in forms]:
            given = None if meaning is None else meaning.defined or meaning.declared
            near = given is not None and self.inherits(place, given.place)
            # what a section declares that has no such series is the start of that of another one
            near = near or (isinstance(given, Declared) and given.place.section not in sections)
            if given is not None and near and given.place.block not in rules - {place.block}:
                return meaning
        return None

    def _last_by_letter(self, sought: Sought) -> Meaning | None:
        """Find the P_T that stands for P_3 where T is 3, with which a series begins that goes down."""
        own = stem(sought.name) if isinstance(sought.name, Scripts) else None
        groups = self.declared.values() if own is not None and sought.indices else ()
        declared = [d for group in groups for d in group if stem(d.name) == own]
        for given in (*self._by_stem.get(own or "", ()), *declared):
            last = not given.letters and self.inherits(sought.place, given.place)
            if not last or key(given.name, sought.indices) != sought.text:
                continue
            if isinstance(given, Declared):
                return Meaning("input", given.key, declared=given)
            if given.seen_from(sought.place):
                return Meaning("value", sought.text, defined=given)
        return None

    def _declared_first(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find the declared S for the S^0 with which S^k = f(S^{k-1}) begins: it is no power."""
        if not isinstance(name, Scripts) or not set(script_letters(name)) & set(indices):
            return None
        for rule in self._by_stem.get(stem(name) or "", ()):
            if rule.place.block == place.block and rule.letters and not axis_along(rule.name):
                first = 1 if rule.range is None else fold(rule.range.lower, indices)
                bound = match(rule.name, name, rule.letters, indices)
                number = None if bound is None else bound.get(rule.letters[0])
                if first is not None and number is not None and number < first:
                    return self.input(bare(rule.name), place, {})
        return None

    def input(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Give what a name stands for as its nearest declaration says."""
        text = self._text(name, indices)
        return None if text is None else self._declared(Sought(name, text, place, indices))

    def declaration(
        self, name: Expression, place: Place, indices: Indices | None = None
    ) -> Declared | None:
        """Find the nearest declaration of a name."""
        found = self.input(name, place, indices or {})
        return None if found is None else found.declared

    def space_of(self, name: Expression, defined: Defined) -> Space | None:
        """Find the space that a defined name is declared in: another formula's is not its own."""
        declared = self.declaration(name, defined.place)
        if declared is None:
            return None
        own, given = defined.place, declared.place
        far = not self.inherits(own, given)
        rules = [d for d in self._by_stem.get(stem(defined.name) or "", []) if d.letters]
        sections = {d.place.section for d in rules}
        ruled = own.section in sections and given.section not in sections
        places = [at for d in rules for at in all_of(At, d.statement.target)]
        axes = {at.axis.name for at in places}  # x^k_{col(i)} is over col
        ruled = ruled and isinstance(declared.name, Letter) and axes <= {*declared.space.names}
        if far and defined.kind == "value" and not (defined.letters or ruled):
            return None  # c = 2 is no c that another section declares, and f^0 = 0 begins its f^k
        if self.is_block_of_functions(own.block) and own.block != given.block:
            return None if far or self.is_anothers(declared, own) else declared.space
        return declared.space

    def is_anothers(self, declared: Declared, own: Place) -> bool:
        """Say whether a declaration outside of a formula's block is of another function's letter.

        It stands in the block of that function, or in the words behind it, "with A \\in ...", where the
        formula says what letters of a function are.
        """
        block = declared.place.block
        if self.is_block_of_functions(block):
            return True
        above = self._blocks_of_functions[: bisect.bisect_left(self._blocks_of_functions, block)]
        if not above or above[-1] == own.block or not self.is_block_of_functions(own.block):
            return False
        calls = [d.call for d in self._by_block[above[-1]] if d.call is not None]
        return any(
            key(name) == declared.key for c in calls for name in (*c.arguments, *c.parameters)
        )

    def parameter(self, name: Expression, place: Place, indices: Indices) -> Meaning | None:
        """Find the declaration of a listed letter: one in a later section is of another letter."""
        found = self.input(name, place, indices)
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
        found = self._value(Sought(name, text, place, indices), "document", "value")
        return found or self.function(name, place, indices)

    def declared_members(self, name: Expression, place: Place) -> list[Declared]:
        """List the other members of a series that the section declares: h^0 for h^t or h_{seq(t)}."""
        own = (stem(name) or "").split(ALONG)[0]
        return [
            d
            for group in self.declared.values()
            for d in group
            if d.place.section == place.section
            and isinstance(d.name, Scripts)
            and stem(d.name) == own
            and primes_of(d.name) == primes_of(name)
            and d.name != name
        ]

    def axes_given(
        self, defined: Defined, place: int, seen: frozenset[str] = frozenset()
    ) -> tuple[list[str], bool]:
        """List the axes of an argument that all calls in the document give to a function.

        Say also whether the calls are known to give no others. Without a call, the axes are those of
        what its section defines by the argument's letter.
        """
        found: list[list[str]] = []
        whole = True
        for call, at in self.calls_of.get(defined.key, ()):
            if place < len(call.arguments) and defined.key not in seen:
                given = call.arguments[place]
                known = self.declaration(given, at)
                caller = self._of.get(id(self.statements[at.index]))
                taken = self.arguments_at(at)
                if known is not None:
                    found.append([*known.space.names])
                elif caller is not None and key(given) in taken:
                    outer = [*taken].index(key(given))
                    passed, known_whole = self.axes_given(caller, outer, seen | {defined.key})
                    found.append(passed)
                    whole = whole and known_whole
                else:
                    whole = False
                    if axes := self.axes_known(given, at, taken):
                        found.append(sorted(axes))
        whole = whole and bool(found)
        if not found and defined.call is not None:
            own = defined.call.arguments[place]
            busy = frozenset({defined})
            local = self.local(own, defined.place, busy) if isinstance(own, Letter) else None
            if local is not None and local.place.section == defined.place.section:
                found.append(sorted(self.axes_known(own, defined.place, {}, busy)))
        return [name for name in found[0] if all(name in o for o in found)] if found else [], whole

    def arguments_at(self, place: Place) -> dict[Any, None]:
        """List the arguments of the function that the statement at a place defines."""
        caller = self._of.get(id(self.statements[place.index]))
        return dict.fromkeys(map(key, caller.call.arguments if caller and caller.call else ()))

    def axes_known(
        self,
        part: Expression,
        place: Place,
        own: Mapping[Any, Space | None],
        busy: frozenset[Defined] = frozenset(),
    ) -> set[str]:
        """List axes that a part has, whatever those letters have whose own space is None."""
        if isinstance(part, (Letter, Scripts)):
            text = key(part)
            declared = self.declaration(part, place)
            space = own.get(text, declared.space if declared else None)
            if space is not None or text in own:
                return {*space.names} if space is not None else set()
            local = self.local(part, place, busy)
            if local is not None:
                inside = self.axes_known(local.body, local.place, own, busy | {local})
                return inside | element_axes(local)
            return (
                self.axes_known(part.base, place, own, busy) if isinstance(part, Scripts) else set()
            )
        found: set[str] = set()
        inner: Iterable[Any] = children(part)
        if isinstance(part, Call):
            inner = part.arguments
            meaning = self.function(part.function, place, {})
            callee = None if meaning is None else meaning.defined
            if callee is not None and callee.call is not None and callee not in busy:
                inner, formal = (), {}
                for name, given in zip(callee.call.arguments, part.arguments, strict=False):
                    names = sorted(self.axes_known(given, place, own, busy))
                    axes = [SizedAxis(given.span, AxisName(given.span, n), None) for n in names]
                    formal[key(name)] = Space(given.span, "R", tuple(axes))
                found |= self.axes_known(callee.body, callee.place, formal, busy | {callee})
        elif isinstance(part, Big):
            inner = (part.body,)
        elif isinstance(part, Bars) and part.double:
            return set()
        elif isinstance(part, Indexed):
            base = self.axes_known(part.base, place, own, busy)
            return base.difference(used_up(part)).union(given_by(part))
        for one in inner:
            found |= self.axes_known(one, place, own, busy)
        return found.difference([axis.name for axis in getattr(part, "axes", ())])

    def local(
        self, name: Letter | Scripts, place: Place, busy: frozenset[Defined]
    ) -> Defined | None:
        """Find the definition, none of the busy ones, that says what a letter is."""
        meaning = self.look(name, place, {})
        found = None if meaning is None else meaning.defined
        if found is None or found.kind == "function" or found.letters or found in busy:
            return None
        return found

    def is_rule(self, name: Expression, defined: Defined) -> bool:
        """Say whether a member of a series is given by its rule, and not by a definition of its own."""
        found = self._value(Sought(name, key(name) or "", defined.place, {}), "document", "value")
        return found is not None and found.defined is defined

    def axes_of_series(self, defined: Defined) -> list[str]:
        """Find axes that the members of a series must have.

        These are renamed or contracted in its steps, or declared for what a function takes there, or the
        rule gives its elements along them: col of x^{k+1}_{col(i)} = ...
        """
        text = stem(defined.name)
        found: list[str] = []
        for statement in self.statements:
            if not isinstance(statement, Definition) or statement.section != defined.place.section:
                continue
            if isinstance(statement.target, Indexed) and stem(statement.target.base) == text:
                found += used_up(statement.target)
            for part in all_of(Indexed, statement.body):
                if stem(part.base) == text:
                    for item in part.items:
                        if isinstance(item, Renaming):
                            found += [a.axis.name for a in item.before]
            for product in all_of(Contract, statement.body):
                if text in (stem(product.left), stem(product.right)):
                    found += [a.name for a in product.axes]
            for call in all_of(Call, statement.body):
                places = [i for i, given in enumerate(call.arguments) if stem(given) == text]
                if places:
                    found += [a.name for a in call.axes]
                    found += self._axes_taken(call, places, defined.place)
        return list(dict.fromkeys(found)) if isinstance(defined.name, Scripts) else []

    def _axes_taken(self, call: Call, places: list[int], place: Place) -> list[str]:
        """Give the axes that a function declares for its arguments at some places."""
        function = self.function(call.function, place, {})
        defined = None if function is None else function.defined
        own = None if defined is None else defined.call
        if defined is None or own is None:
            return []
        found: list[str] = []
        for name in [own.arguments[i] for i in places if i < len(own.arguments)]:
            declared = self.declaration(name, defined.place)
            if declared is not None:
                found += declared.space.names
        return found

    def before(self, defined: Defined) -> Meaning | None:
        """Find what a name stood for before an update of it, X <- X + 1."""
        earlier = [
            d
            for d in self.defined.get(defined.key, ())
            if d.place.index < defined.place.index and d.kind != "function"
        ]
        if earlier:
            return Meaning("where", defined.key, defined=earlier[-1])
        return self.input(defined.name, defined.place, {})

    def last(self, defined: Defined) -> Defined:
        """Give the last update of what a definition sets, or the definition where nothing changes it."""
        same = [d for d in self.defined.get(defined.key, ()) if d.statement.op != "="]
        later = [d for d in same if d.place.index > defined.place.index]
        return later[-1] if later else defined

    def firsts(self, defined: Defined) -> list[Expression]:
        """List the members of a series that have a number of their own: h^0 beside h^t."""
        found = [
            d.name
            for d in self.kin(defined)
            if not d.letters and match(defined.name, d.name, defined.letters, {}) is not None
        ]
        return [*found, *self._before_first(defined)]

    def _before_first(self, defined: Defined) -> Iterator[Expression]:
        """Name the members that a series reaches back to from its first ones: h^{t-1} reaches h^0."""
        lower = fold(defined.range.lower, {}) if defined.range is not None else 1
        first = 1 if lower is None else lower
        for number in range(first - min(self.reach_back(defined), MOST_BACK), first):
            yield numbered(defined.name, {defined.letters[0]: number})

    def kin(self, defined: Defined) -> list[Defined]:
        """List the definitions of a rule's series: blocks with rules of their own have their own series."""
        every = self._by_stem.get(stem(defined.name) or "", [])
        at = defined.place
        apart = {d.place.block for d in every if d.letters} - {at.block}
        found = [d for d in every if d.place.block not in apart]
        near = [d for d in found if d.place.section == at.section]
        return near if any(not d.letters for d in near) else found

    def near(self, text: str | None, place: Place) -> list[Defined]:
        """List what is defined with a letter in a place's block, or else outside of formulas' blocks."""
        every = self._by_stem.get(text or "", [])
        own = [d for d in every if d.place.block == place.block]
        return own or [d for d in every if not self.is_block_of_functions(d.place.block)] or every

    def whole_name(self, defined: Defined) -> Expression:
        """Give the name of a series as a whole, as the document writes it."""
        old = self._rewritten.get(id(defined.statement))
        return bare(target_name(old.target) if isinstance(old, Definition) else defined.name)

    def beside(self, defined: Defined) -> list[Defined]:
        """List the rules of the same block for the series that a rule uses."""
        stems = {stem(part) for part in all_of(Scripts, defined.body)}
        found = [d for text in stems if text for d in self._by_stem.get(text, ())]
        return [d for d in found if d.letters and d.place.block == defined.place.block]

    def reach_back(self, defined: Defined) -> int:
        """Say how far back a series looks: 2 where X^{l-2} is used, 0 where no earlier member is."""
        if len(defined.letters) != 1:
            return 0
        (letter,) = defined.letters
        far, back = 1000, 0
        every = self._by_stem.get(stem(defined.name) or "", [])
        apart = {d.place.block for d in every if d.letters} - {defined.place.block}
        for part, blocks in self._scripted.get(stem(defined.name) or "", {}).items():
            if blocks <= apart:
                continue
            bound = match(defined.name, part, defined.letters, {letter: far})
            number = None if bound is None else bound.get(letter)
            if number is not None and far // 2 < number < far:  # X^3 is a member, and no look back
                back = max(back, far - number)
        return back

    def sizes_stated(self, axis: str, place: Place, around: bool = False) -> list[Expression]:
        """List what a document states that |axis| is, all or only around a place, the nearest first."""
        found = [
            (p, size)
            for name, size, p in self.stated_sizes
            if name == axis and (not around or self.inherits(place, p))
        ]
        return [size for p, size in sorted(found, key=lambda pair: distance(place, pair[0]))]

    def _defined_near(self, sought: Sought) -> Meaning | None:
        """Find a definition in the same block, or in a block below that says what letters are."""
        text, place = sought.text, sought.place
        found = self._value(sought, "block", "where") or self._stack(sought.name, place, "block")
        if found is not None:
            return found
        end = self._end_of_where(text, place)
        for exact in self._value_shelf.below(text, place, end):
            if exact.statement.op == "=":
                return Meaning("where", text, defined=exact)
        rules = self._rule_shelf.below(stem(sought.name) or "", place, end)
        return self._member(sought, rules, "where")

    def _end_of_where(self, text: str, place: Place) -> int:
        """Give the first block below that has formulas or declarations of its own for this letter."""
        stops = [self._ends_of_sections.get(place.section, place.block) + 1]
        after = bisect.bisect_right(self._blocks_of_functions, place.block)
        stops += self._blocks_of_functions[after : after + 1]
        below = self._declared_shelf.below(text, place, stops[0])
        stops += [d.place.block for d in itertools.islice(below, 1)]
        return min(stops)

    def _section(self, sought: Sought) -> Meaning | None:
        """Find what the section defines outside of its functions' blocks, or declares."""
        exact = self._alone(self._value_shelf, sought.text, sought.place)
        seen = [d for d in exact if d.seen_from(sought.place)]
        if seen:
            return Meaning("value", sought.text, defined=seen[0])
        rules = self._alone(self._rule_shelf, stem(sought.name) or "", sought.place)
        return (
            self._member(sought, rules, "value")
            or self._stack(sought.name, sought.place, "section")
            or self._declared(sought, "section", free=True)
        )

    def _alone(self, shelf: Shelf[Defined], text: str, place: Place) -> list[Defined]:
        """List what has a name in a section, but for what belongs to a function beside it."""
        found = itertools.islice(shelf.near(text, place, "section"), NEAR)
        return [d for d in found if not self._is_of_function(d)]

    def _is_of_function(self, defined: Defined) -> bool:
        """Say whether a definition in a function's block is made of what the function is given."""
        block = defined.place.block
        if not self.is_block_of_functions(block):
            return False
        known = self._of_functions.get(block)
        if known is None:
            beside = self._by_block[block]
            calls = [(d.call.arguments, d.call.parameters) for d in beside if d.call is not None]
            made: dict[str, set[str]] = {}
            for letter, one in [(t.text, d) for d in beside for t in letters_of(d.body)]:
                made.setdefault(letter, set()).add(stem(one.name) or "")
            given = [letter.text for letter in letters_of(tuple(calls))]
            known = self._of_functions[block] = reached(given, lambda t: made.get(t, ()))
        return stem(defined.name) in known

    def is_block_of_functions(self, block: int) -> bool:
        at = bisect.bisect_left(self._blocks_of_functions, block)
        return self._blocks_of_functions[at : at + 1] == [block]

    def _value(self, sought: Sought, reach: str, kind: str) -> Meaning | None:
        for exact in self._value_shelf.near(sought.text, sought.place, reach):
            if exact.seen_from(sought.place):
                return Meaning(kind, sought.text, defined=exact)
        rules = self._rule_shelf.near(stem(sought.name) or "", sought.place, reach)
        return self._member(sought, rules, kind)

    def _elsewhere(self, sought: Sought) -> Meaning | None:
        """Find what another section declares: where it defines that too, its definition is meant."""
        found = self._declared(sought, "document", free=True)
        if found is None or found.declared is None:
            return None
        if stem(sought.name) in SMALL and found.declared.space.axes:
            (here,) = self.statements[sought.place.index :][:1] or (None,)
            if _steadies(stem(sought.name), getattr(here, "body", None)):
                return None  # epsilon is a small number where its section says nothing else
        return self._section(dataclasses.replace(sought, place=found.declared.place)) or found

    def _declared(
        self, sought: Sought, reach: str = "document", free: bool = False
    ) -> Meaning | None:
        """Find a declaration; where `free`, none of letters that only stand for arguments."""
        given = self._declared_shelf.near(sought.text, sought.place, reach)
        exact = next(
            (d for d in given if not (free and (d.place.section, d.key) in self._taken)), None
        )
        if exact is not None:
            return Meaning("input", sought.text, declared=exact)
        families = self._declared_families.near(stem(sought.name) or "", sought.place, reach)
        for declared in families:
            bound = match(declared.name, sought.name, declared.letters, sought.indices)
            if bound is not None:
                return Meaning("input", sought.text, declared=declared, indices=bound)
        return None

    def _stack(self, name: Expression, place: Place, reach: str = "document") -> Meaning | None:
        """Find the series of which a bare name stands for all members: h of h^t.

        Near by, that is the h of h_{seq(t)}: beside X^l, the letter X may be declared for itself, and in
        another block beside h_{seq(t)} too, by a space without the axis.
        """
        own = axis_along(name) if isinstance(name, Letter) else None
        text = key(name if own is None else bare(name)) or ""
        for rule in self._whole_shelf.near(text, place, reach):
            along = axis_along(rule.name)
            if own is not None and along == own:
                return Meaning("stack", rule.key, defined=rule)
            if not self.inherits(place, rule.place) and (text in ("i", "j", "k") or not along):
                continue  # the j of i < j is none of j_k elsewhere, and a step h none of h_1, h_2
            if reach == "section" and any(
                along not in d.space.names
                for d in self.declared.get(text, ())
                if self.inherits(place, d.place)
            ):
                continue
            if reach == "document" or along:
                return Meaning("stack", rule.key, defined=rule)
        return None


def _steadies(letter: str | None, body: Expression | None) -> bool:
    r"""Say whether a letter keeps from 0 what stands below a line or a root, or in a logarithm, alone."""
    kept: set[int] = set()
    for part in walk(body):
        match part:
            case Binary(op="/", right=below):
                kept |= {id(one) for one in letters_of(below)}
            case Root(operand=inside) | Call(function=Letter(text="log" | "ln"), arguments=inside):
                kept |= {id(one) for one in letters_of(inside)}
            case Call(function=Letter(text="max" | "clip"), arguments=inside):
                kept |= {id(one) for one in letters_of(inside)}
    return all(id(one) in kept for one in letters_of(body) if one.text == letter)


def _end_of(upper: Expression | None) -> Expression | None:
    """Give the letter that a range ends at, or just before or behind: T of T - 1."""
    match upper:
        case Binary(op="+" | "-", left=Letter() as letter, right=Number()):
            return letter
    return upper


def _letters_of(size: Expression) -> set[str]:
    """List the letters of a size, without the words of functions in it."""
    called = {p.function for p in all_of(Call, size)}
    words = {w for w in called if isinstance(w, Letter) and word_of(w.text) is not None}
    return {p.text for p in all_of(Letter, size) if p not in words}


def _constants_of(statement: Statement, akin: set[str]) -> Iterator[str]:
    r"""List the letters that are the numbers for sure: in e^x, 2 \pi, \pi / n and \sqrt{\pi}."""
    texts = texts_of(statement)
    for power in all_of(Scripts, statement) if "e" in texts else ():
        if power.sub is None and power.sup is not None and key(power.base) == "e":
            yield "e"
    for product in all_of(Binary, statement) if "pi" in texts else ():
        sides = {key(product.left): product.right, key(product.right): product.left}
        beside = texts_of(sides.get("pi"))
        if "pi" in sides and (product.op == "/" or isinstance(product.left, Number)):
            yield from ("pi",) if not beside & akin else ()
    roots = all_of(Root, statement) if "pi" in texts else ()
    given = [part for root in roots for call in all_of(Call, root) for part in letters_of(call)]
    if any(t.text == "pi" and t not in given for root in roots for t in letters_of(root)):
        yield "pi"


def scripts_of(name: Expression) -> list[Expression]:
    """List what stands below and above the letters of a name."""
    return [s for p in all_of(Scripts, name) for s in (p.sub, p.sup) if s is not None]


def used_up(part: Indexed) -> Iterator[str]:
    """Name the axes that indices and renamings use up."""
    for item in part.items:
        if isinstance(item, At):
            yield item.axis.name
        else:
            yield from [axis.axis.name for axis in item.before]


def given_by(part: Indexed) -> dict[str, str]:
    """List the axes that renamings give, each with its name before; "" after a reshaping."""
    found = {}
    for item in part.items:
        if not isinstance(item, At):
            before = [axis.axis.name for axis in item.before]
            for axis in item.after:
                one = len(before) == len(item.after) == 1
                found[axis.axis.name] = before[0] if one else ""
    return found


def element_axes(defined: Defined) -> set[str]:
    """List the axes of a tensor that is defined by its elements."""
    target = defined.statement.target
    items = target.items if isinstance(target, Indexed) else ()
    return {item.axis.name for item in items if isinstance(item, At)}


def _is_capital(script: Expression | None) -> bool:
    return isinstance(script, Letter) and len(script.text) == 1 and script.text.isupper()
