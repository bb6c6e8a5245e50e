"""Answers about formulas, kept while a document is edited, so that an edit costs only what it changes.

A formula is recognised by its *ground*: its definition, the statements that a name in it may mean, those that
a name in these may mean, and so on. Answers about a formula (what its axes mean, whether it is nan, its
picture) are kept by its ground, with places inside of statements. A statement that only moves changes no
ground.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from namedtensor.compilers import keep
from namedtensor.latex.documents.along import axis_along
from namedtensor.latex.documents.scopes import (
    Declared,
    Defined,
    Names,
    kind_of_target,
    scripts_of,
    target_name,
)
from namedtensor.latex.documents.scripts import key, letters_in, stem
from namedtensor.latex.reading.ranges import all_bound
from namedtensor.latex.reading.reader import Regions
from namedtensor.latex.reading.spoken import sections_around
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import (
    AxisName,
    AxisSize,
    Big,
    Call,
    Constraint,
    Declaration,
    Definition,
    Indexed,
    Items,
    Letter,
    Relation,
    Scripts,
    Signature,
    Statement,
)
from namedtensor.latex.walk import all_of, parts_of

#: How many answers, and how many statements, are kept; the oldest half is forgotten first.
MOST = 4_000

Answer = TypeVar("Answer")

#: Where something stands: the number of its statement in a ground, and the place inside of it.
Inside = tuple[int, int, int]


class Kept:
    """The answers about all versions of one text."""

    def __init__(self) -> None:
        self.regions = Regions()
        self._answers: dict[Hashable, tuple[list[Inside], Any]] = {}
        self._said: dict[tuple[Statement, str], Said] = {}
        self._numbers = itertools.count()

    def answer(
        self, what: str, ground: Ground | None, find: Callable[[], tuple[Sequence[Span], Answer]]
    ) -> tuple[Sequence[Span], Answer]:
        """Give an answer about a formula, with the places that it mentions; find it unless it is kept."""
        if ground is None:
            return find()
        at = what, ground.content
        if at in self._answers:
            inside, known = self._answers[at] = self._answers.pop(at)
            return [ground.outside(place) for place in inside], known
        spans, found = find()
        places = [place for span in spans if (place := ground.inside(span)) is not None]
        if len(places) == len(spans):
            keep(self._answers, at, (places, found), MOST)
        return spans, found

    def said(self, statement: Statement, text: str) -> Said:
        """Give what a statement says, wherever it stands."""
        at = statement, text
        found = self._said.get(at)
        if found is None:
            found = keep(self._said, at, Said(next(self._numbers), statement), MOST)
        return found


class Said:
    """The words of a statement: those that are looked up for it, and those by which it is looked up.

    Of `takes`, which are its own arguments and its own name, declarations alone are looked up. `scripted`
    holds names with words that are looked up where they are not declared: W^Q with Q, X with what is
    defined as X^0 or X^l. An axis has a bar before its name, and X^ stands for X with any script. `sizes`
    are words by which only the sizes of a declaration are found.
    """

    __slots__ = ("named", "number", "scripted", "sized", "sizes", "speaks", "takes")

    def __init__(self, number: int, statement: Statement) -> None:
        self.number = number
        self.takes = _taken(statement)
        self.named, self.sizes = _offered(statement)
        self.sized: tuple[Hashable, ...] = ()
        self.scripted: list[tuple[str, set[str]]] = []
        if isinstance(statement, Declaration):
            self.sized = tuple([(a.axis.name, a.size) for a in statement.space.axes if a.size])
            scripts = [part for name in statement.names for part in scripts_of(name)]
            speaks = _words(parts_of(statement.space)) | {t for s in scripts for t in letters_in(s)}
        else:
            parts, inside = parts_of(statement), set()
            for part in parts:
                if isinstance(part, Letter):
                    self.scripted.append((part.text, {f"{part.text}^"}))
                elif isinstance(part, Scripts) and (text := key(part)) is not None:
                    scripts = scripts_of(part)
                    if not any(map(letters_in, scripts)):
                        inner = [p for script in scripts for p in parts_of(script)]
                        inside |= {id(p) for p in inner}
                        self.scripted.append((text, _words(inner)))
            speaks = _words([part for part in parts if id(part) not in inside])
        self.speaks = frozenset(speaks) - self.takes


def _words(parts: Iterable[Any]) -> set[str]:
    """Give the letters and the axes among some parts."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Letter):
            found.add(part.text)
            if part.style == "letter" and len(part.text) < 4:
                found.update(part.text)  # kh is k times h where nothing has its name
        elif isinstance(part, AxisName):
            found |= _axis(part.name)
        elif isinstance(part, Scripts):
            found.add(f"{stem(part)}^")
    return found


def _taken(statement: Statement) -> frozenset[str]:
    """List a formula's own names: arguments that have no scripts anywhere in it, and its own name."""
    if not isinstance(statement, Definition) or statement.op != "=":
        return frozenset()
    target = statement.target.base if isinstance(statement.target, Indexed) else statement.target
    given = target.arguments if isinstance(target, Call) else ()
    found = {name.text for name in given if isinstance(name, Letter)}
    own = target_name(target)
    letters = [letter.text for letter in all_of(Letter, statement)]
    if isinstance(own, Letter) and letters.count(own.text) == 1:
        found.add(own.text)
    scripted = {stem(part) for part in all_of(Scripts, statement)}
    below = [one.index for big in all_of(Big, statement) for one in all_bound(big)]
    return frozenset(found - scripted - {stem(name) for name in below})


def _axis(name: str) -> set[str]:
    """Give the words of an axis: seq' has the size of seq where nothing else is known of it."""
    return {f"|{name[:end]}" for end in range(len(name.rstrip("'*")), len(name) + 1)}


def _offered(statement: Statement) -> tuple[frozenset[str], frozenset[str]]:
    """Give the words by which a statement is looked up, and those by which its sizes alone are."""
    if isinstance(statement, Definition):
        name, function = target_name(statement.target), kind_of_target(statement.target)
        found = {letter.text for letter in all_of(Letter, statement.condition)}
        if isinstance(name, Scripts):
            found.add(f"{stem(name)}^")
        if not isinstance(name, Scripts) or axis_along(name) is not None or function == "function":
            found.add(stem(name) or "")
        return frozenset(found), frozenset()
    if isinstance(statement, Signature):
        return frozenset([stem(statement.name) or ""]), frozenset()
    if isinstance(statement, Declaration):
        sizes: set[str] = set()
        for axis in statement.space.axes:
            if axis.size is not None:
                sizes |= _axis(axis.axis.name)
                sizes |= {letter.text for letter in all_of(Letter, axis.size)}
        return frozenset([stem(name) or "" for name in statement.names]), frozenset(sizes)
    if isinstance(statement, Constraint):
        return frozenset(_subjects(statement)), frozenset()
    return frozenset(), frozenset()


def _subjects(constraint: Constraint) -> Iterator[str]:
    """Give the words that a constraint says something of: t = 1, ..., T, or |key| = |val|, or n > 0."""
    for part in parts_of(constraint):
        if isinstance(part, AxisSize):
            yield from _axis(part.axis.name)
        elif isinstance(part, Relation):
            for member in (part.first, *[second for _, second in part.rest]):
                listed = member.parts if isinstance(member, Items) else (member,)
                yield from [name for one in listed if (name := stem(one)) is not None]


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of one formula: its content, and the statements in their order."""

    content: Hashable
    statements: tuple[Statement, ...]

    def inside(self, span: Span) -> Inside | None:
        """Give a place by the statement that it stands in; None where it stands in none of these."""
        for number, statement in enumerate(self.statements):
            own = statement.span
            if own.holds(span):
                return number, span.start - own.start, span.end - own.start
        return None

    def outside(self, place: Inside) -> Span:
        """Give a place in the text as it is now."""
        number, start, end = place
        at = self.statements[number].span.start
        return Span(at + start, at + end)


class Grounds:
    """The grounds of a document's formulas."""

    def __init__(
        self,
        kept: Kept,
        source: Source,
        names: Names,
        after: frozenset[str],
        chosen: Iterable[Mapping[str, float]],
    ) -> None:
        self._names = names
        self._after, self._series = after, names.series_letters
        self._chosen = tuple([tuple(sorted(numbers.items())) for numbers in chosen])
        text = source.text
        self._said = [kept.said(s, text[s.span.start : s.span.end]) for s in names.statements]
        self._by_name: dict[str, list[int]] = {}
        self._by_size: dict[str, list[int]] = {}
        for index, said in enumerate(self._said):
            for word in said.named:
                self._by_name.setdefault(word, []).append(index)
            for word in said.sizes:
                self._by_size.setdefault(word, []).append(index)
        self._functions = sorted({d.place.block for d in names.definitions if d.kind == "function"})
        given = [d for group in names.declared.values() for d in group if not d.letters]
        #: names that are found wherever they stand
        self._plain = frozenset() if any(self._chosen) else frozenset([d.key for d in given])
        self._facts: dict[int, Hashable] = {}
        self._here: dict[int, list[Declared | Defined]] = {}
        for one in names.definitions:
            self._here.setdefault(one.place.index, []).append(one)
        for declared in itertools.chain.from_iterable(names.declared.values()):
            self._here.setdefault(declared.place.index, []).append(declared)
        self._known: dict[int, Ground] = {}

    def of(self, defined: Defined) -> Ground:
        """Give the ground of a formula."""
        index = defined.place.index
        if index not in self._known:
            self._known[index] = self._found(index)
        return self._known[index]

    def _found(self, own: int) -> Ground:
        said, statements = self._said, self._names.statements
        words: set[str] = set()
        taken: set[str] = set()
        whole, sized = {own}, set[int]()
        waiting = [own]
        while waiting:
            one = said[waiting.pop()]
            new = one.speaks - words
            for text, inside in one.scripted:
                if text not in self._plain:
                    new |= inside - words
            reached = [i for word in new for i in self._by_name.get(word, ())]
            for word in one.takes - taken:
                found = self._by_name.get(word, ())
                reached += [i for i in found if not isinstance(statements[i], Definition)]
            words |= new
            taken |= one.takes
            for word in new | one.takes:
                sized.update(self._by_size.get(word, ()))
            waiting += set(reached) - whole
            whole.update(reached)
        words |= taken
        blocks: dict[int, int] = {}
        sections: dict[int, int] = {}
        content: list[Hashable] = []
        last = -1
        for index in sorted(whole | sized):
            at = statements[index]
            block, before = at.block, last
            last = block
            # where a block of functions stands between two others, the letters of one end there
            first = bisect.bisect_right(self._functions, before)
            between = bisect.bisect_left(self._functions, block) > first and before >= 0
            content.append(
                (
                    index == own,
                    blocks.setdefault(block, len(blocks)),
                    sections.setdefault(at.section, len(sections)),
                    between,
                    block in self._functions,
                    (said[index].number, self._facts_of(index)) if index in whole else 0,
                    said[index].sized if index not in whole else (),
                )
            )
        nested = [
            tuple([sections[s] for s in sections_around(at, self._names.parents) if s in sections])
            for at in sections
        ]
        stated = [i for i in sorted(whole) if all_of(AxisSize, statements[i]) and i != own]
        distances = tuple([i - own for i in stated if isinstance(statements[i], Constraint)])
        return Ground(
            (
                tuple(content),
                tuple(nested),
                distances if len(distances) > 1 else (),
                frozenset(words & self._after),
                frozenset(words & self._series),
                self._chosen,
            ),
            tuple([statements[i] for i in sorted(whole)]),
        )

    def _facts_of(self, index: int) -> Hashable:
        """Give what the rest of a document says of what a statement gives a meaning to."""
        if index not in self._facts:
            self._facts[index] = tuple(
                [self._facts_about(one) for one in self._here.get(index, ())]
            )
        return self._facts[index]

    def _facts_about(self, one: Declared | Defined) -> Hashable:
        if isinstance(one, Declared):
            return one.letters
        names = self._names
        facts: list[Hashable] = []
        if one.range is not None:
            facts += [one.range.letter, one.range.lower, one.range.upper]
        if one.letters:
            facts += [names.reach_back(one)]
        if isinstance(one.name, Scripts):
            facts += names.axes_of_series(one)
        given = one.call.arguments if one.call is not None else ()
        for place, argument in enumerate(given):
            if names.declaration(argument, one.place) is None:
                axes, whole = names.axes_given(one, place)
                facts += [tuple(axes), whole]
        return one.key, one.kind, one.letters, tuple(facts)
