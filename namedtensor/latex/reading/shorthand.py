r"""Elements written short, as formulas do elsewhere: t_i for t_{pat(i)}, A_{ij} for A_{row(i), col(j)}.

The axes of t and A are known, and what binds an index says along which axis it runs: a range i = 1, ..., n
up to the size of the axis, i \in pat, or pat(i) elsewhere in the formula. Indices stand in the order in
which the axes are declared. Where an index may run along another axis, nothing is changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.ranges import ends_of, listed, ranges_in
from namedtensor.latex.reading.spoken import sections_around
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Big,
    Binary,
    Constraint,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
    SizedAxis,
    Space,
    Text,
)
from namedtensor.latex.walk import all_of, children, letters_of, parted, put

#: A part as it is written, and the element that it is taken as.
Short = tuple[Scripts, Indexed]

#: What is known of an index: names of axes, and ends of ranges.
Runs = frozenset[str | Expression]
Env = Mapping[str, Runs]

#: A tensor's letter and its axes, in the order in which they are declared.
Tensor = tuple[Letter, tuple[SizedAxis, ...]]

#: How a vector looks where its elements do not: \mathbf{t} and t_i.
DRESSED = ("", "bold", "vec")


def short_elements(
    entries: Sequence[Entry], parents: Sequence[int]
) -> tuple[tuple[Short, ...], ...]:
    """Write elements with the names of their axes; give what was short in each formula."""
    found = [e for e in entries if isinstance(e.read, Found) and not e.read.part_of]
    known = _Known(found, parents)
    said = [_rewritten(known, entry) for entry in found] if known.tensors else []
    return tuple([shorts for shorts in said if shorts])


def _rewritten(known: _Known, entry: Entry) -> tuple[Short, ...]:
    """Write the elements of one statement in full."""
    before, shorts = entry.statement, list[Short]()
    after: Any = put(before, known.with_sets)
    if isinstance(after, Definition):
        known.near = entry
        env = known.of_target(after)
        change = known.change(env, entry.region.section, shorts)
        parts = {name: put(getattr(after, name), change) for name in ("body", "chain", "condition")}
        target = change(after.target) if entry.region.display else None
        if target is None and entry.region.display:
            target = known.made(after.target, parts["body"], entry.region.section, shorts)
        after = replace(after, **parts, target=target or after.target)
        known.note(after, entry.region.section)
    if after is not before and (shorts or after != before):
        assert isinstance(entry.read, Found)
        entry.read.statement, entry.read.named = after, True
    return tuple({old: (old, new) for old, new in shorts}.values())


@dataclass(frozen=True, slots=True)
class _Stated:
    """A range that is stated for an index, by the number of its entry."""

    letter: str
    runs: Runs
    at: int
    section: int


class _Known:
    """What a document says of tensors and of indices."""

    def __init__(self, entries: Sequence[Entry], parents: Sequence[int]) -> None:
        self.parents = parents
        self.tensors: dict[str, list[tuple[int, tuple[SizedAxis, ...]]]] = {}
        self.numbers: set[str] = set()
        self.sizes: dict[str, set[Expression]] = {}
        self.apart: set[str] = set()
        self.stated: list[_Stated] = []
        self.order = {id(entry): at for at, entry in enumerate(entries)}
        for entry in entries:
            self._learn(entry)
        for entry in entries if self.tensors else ():
            self._set_apart(entry)

    def _learn(self, entry: Entry) -> None:
        """Take in what a statement declares, and which sizes it says."""
        statement, section = entry.statement, entry.region.section
        for axis in all_of(SizedAxis, statement):
            if axis.size is not None:
                self.sizes.setdefault(axis.axis.name, set()).add(axis.size)
        if isinstance(statement, Declaration):
            for name in statement.names:
                if isinstance(name, Letter) and statement.space.axes:
                    own = self.tensors.setdefault(name.text, [])
                    own.append((section, statement.space.axes))
                elif isinstance(name, Letter):
                    self.numbers.add(name.text)
                elif isinstance(name, Scripts) and isinstance(name.base, Letter):
                    self.apart.add(name.base.text)
        self.note(statement, section)

    def note(self, statement: Any, section: int) -> None:
        """Take in the axes of what is defined by its elements, and sizes that are stated."""
        if isinstance(statement, Definition) and isinstance(statement.target, Indexed):
            base, items = statement.target.base, statement.target.items
            if isinstance(base, Letter) and all(
                isinstance(i, At) and isinstance(i.at, Letter) for i in items
            ):
                axes = tuple([SizedAxis(i.span, i.axis, None) for i in items])  # type: ignore[union-attr]
                if self.tensor(base, section) is None:
                    self.tensors.setdefault(base.text, []).append((section, axes))
        elif isinstance(statement, Definition):
            self._equal([statement.target, statement.body])
        elif isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
            relation = statement.relation
            if all(op == "=" for op, _ in relation.rest):
                self._equal([relation.first, *[part for _, part in relation.rest]])

    def _equal(self, sides: Sequence[Expression]) -> None:
        for axis in sides:
            if isinstance(axis, AxisSize):
                self.sizes.setdefault(axis.axis.name, set()).update(s for s in sides if s != axis)

    def _set_apart(self, entry: Entry) -> None:
        """Note the ranges of indices, and letters whose members are defined one by one, as a series."""
        statement: Any = put(entry.statement, self.with_sets)
        at, section = self.order[id(entry)], entry.region.section
        if isinstance(statement, Declaration) and statement.space.base == "[n]":
            runs = self._up_to(Number(statement.span, 1), statement.space.bound, {})
            self.stated += [_Stated(n.text, runs, at, section) for n in letters_of(statement.names)]
        elif isinstance(statement, Constraint):
            self.stated += [
                _Stated(letter, runs, at, section) for letter, runs in self._ranges(statement, {})
            ]
        target = getattr(statement, "target", None)
        if isinstance(target, Scripts) and isinstance(target.base, Letter):
            self.near = entry
            env = self.of_target(statement)
            if not entry.region.display or self._element(target, env, section) is None:
                self.apart |= {target.base.text + dress for dress in DRESSED}

    # ------------------------------------------------------------------------------- indices

    def with_sets(self, part: Any) -> Any:
        r"""Write i \in [|pat|] for i \in \text{pat}."""
        if not isinstance(part, Relation) or [op for op, _ in part.rest] != ["in"]:
            return None
        ((_, right),) = part.rest
        name = right.base if isinstance(right, Scripts) and not (right.sub or right.sup) else right
        word = isinstance(name, Letter) and name.style == "word"
        text = getattr(name, "text" if word else "name", "") + "'" * getattr(right, "primes", 0)
        if all(
            text != a.axis.name for own in self.tensors.values() for _, axes in own for a in axes
        ):
            return None
        whole = Space(right.span, "[n]", (), AxisSize(right.span, AxisName(right.span, text)))
        return replace(part, rest=(("in", whole),))

    def of_target(self, statement: Definition) -> Env:
        """Say along what the indices of a target run: by a range, or by an index that names its axis."""
        target = statement.target
        part: Any = getattr(target, "function", target)
        places: Any = part.items if isinstance(part, Indexed) else getattr(part, "sub", None)
        own = {t.text for t in letters_of(places)} | {
            c for t in letters_of(places) if t.style == "letter" for c in t.text
        }
        ranges = [*self._ranges(statement.condition, {})]
        named = [*_named(target), *_named(statement.body), *_named(statement.condition)]
        found = {letter: self._runs(letter, ranges, named) for letter in own}
        section = self.near.region.section
        found |= {t: self._by_place(statement.body, t, section, 2) for t in own if not found[t]}
        return {letter: runs for letter, runs in found.items() if runs}

    def _runs(
        self,
        letter: str,
        ranges: Sequence[tuple[str, Runs]],
        named: Sequence[tuple[str, str]],
    ) -> Runs:
        """Join what is said of an index; a range that is stated beside counts where no other one does."""
        own = [runs for name, runs in ranges if name == letter]
        axes = frozenset([axis for name, axis in named if name == letter])
        if not own:
            around = sections_around(self.near.region.section, self.parents)
            at = self.order[id(self.near)]
            near = [s for s in self.stated if s.letter == letter and s.section in around]
            own = [s.runs for s in sorted(near, key=lambda s: abs(s.at - at))[:1]]
        return axes.union(*own)

    def _ranges(self, part: Any, env: Env) -> Iterator[tuple[str, Runs]]:
        """List the ranges that relations give to indices."""
        for relation in all_of(Relation, part):
            for within in ranges_in(relation):
                if within.upper is not None and (within.lower or within.upper) is not None:
                    yield within.index.text, self._up_to(within.lower, within.upper, env)

    def _up_to(self, lower: Expression | None, upper: Expression | None, env: Env) -> Runs:
        """Say along what an index runs that ends at n, n - 1 or another index."""
        if upper is None or (isinstance(lower, Number) and lower.value < 1):
            return frozenset()
        while isinstance(upper, Binary) and upper.op == "-" and isinstance(upper.right, Number):
            upper = upper.left
        if isinstance(upper, Letter) and upper.text in env:
            return env[upper.text]
        return frozenset([upper.axis.name if isinstance(upper, AxisSize) else upper])

    def of_big(self, part: Big, env: Env, section: int) -> Env:
        """Say along what indices run, also those that an operator binds."""
        pieces = listed(part.lower) if part.lower is not None else ()
        ranges: list[tuple[str, Runs]] = []
        letters: list[str] = []
        for piece in pieces:
            first = piece.first if isinstance(piece, Relation) else piece
            names = [t.text for t in letters_of(first)]
            letters += [n for n in names if n not in env or not isinstance(piece, Relation)]
            if not isinstance(piece, Relation) or piece.rest[0][0] == "=":
                lower = piece.rest[0][1] if isinstance(piece, Relation) else None
                runs = self._up_to(lower, part.upper, env)
                ranges += [(name, runs) for name in letters if part.upper is not None]
            elif ends_of(piece.rest[0][1]) is None and len(piece.rest) == 1:
                ends = [env[t.text] for t in letters_of(piece.rest[0][1]) if t.text in env]
                ranges += [(name, runs) for name in names for runs in ends]
            ranges += self._ranges(piece, env)
            letters += [name for name, _ in ranges]
        named = [*_named(part.body), *_named(part.lower)]
        found = {letter: self._runs(letter, ranges, named) for letter in letters}
        bare = [] if part.upper is not None else [p.text for p in pieces if isinstance(p, Letter)]
        for letter in bare:
            found[letter] = found[letter] or self._by_place(part.body, letter, section)
        return {**env, **{letter: runs for letter, runs in found.items() if runs}}

    def _by_place(self, body: Expression, letter: str, section: int, least: int = 1) -> Runs:
        """Take the axis of an index without a range from its place, where all its tensors have the same.

        What has fewer indices than the least says nothing: x_t may be a member of a series.
        """
        axes: set[str] = set()
        for part in all_of(Scripts, body):
            if letter not in "".join([t.text for t in letters_of(part.sub)]):
                continue
            known = self.tensor(part.base, section)
            places = None if known is None else indices_of(part.sub, len(known[1]))
            if known is None or places is None or len(places) != len(known[1]):
                return frozenset()
            pairs = zip(places, known[1], strict=True) if len(places) >= least else ()
            axes |= {a.axis.name for at, a in pairs if letter in [t.text for t in letters_of(at)]}
        return frozenset(axes if len({axis.rstrip("'") for axis in axes}) == 1 else ())

    # ------------------------------------------------------------------------------- elements

    def tensor(self, base: Any, section: int) -> Tensor | None:
        """Find the tensor of which a letter has elements; those of a bold letter are often written plain."""
        for text in [base.text + d for d in DRESSED] if isinstance(base, Letter) else ():
            given = self.tensors.get(text, ())
            for around in sections_around(section, self.parents) if text not in self.apart else ():
                found = {axes for at, axes in given if at == around}
                if found:
                    (axes, *others) = found
                    return None if others else (replace(base, text=text), axes)
            if text in self.apart or given or base.text in self.numbers:
                return None
        return None

    def _element(self, part: Scripts, env: Env, section: int) -> Indexed | None:
        """Give the element that a letter with indices is; None where it is no such thing for sure."""
        known = self.tensor(part.base, section)
        if known is None or part.sup is not None or part.primes or part.sub is None:
            return None
        base, axes = known
        places = indices_of(part.sub, len(axes), env) or ()
        letters = [_index(at, env) for at in places]
        if not places or None in letters:
            return None
        chosen = self._axes(axes, [env[letter] for letter in letters if letter is not None])
        items = [At(at.span, _unwritten(a, at), at) for at, a in zip(places, chosen, strict=False)]
        return Indexed(part.span, base, tuple(items)) if chosen else None

    def _axes(self, axes: Sequence[SizedAxis], runs: Sequence[Runs]) -> tuple[SizedAxis, ...]:
        """Choose the axes along which indices run, in their order; a copy's where none has the name."""

        def exactly(run: Runs, axis: SizedAxis) -> bool:
            own = run & {a.axis.name for a in axes}
            return axis.axis.name in own if own else bool(run & self._sizes(axis))

        def nearly(run: Runs, axis: SizedAxis) -> bool:
            stems = {r.rstrip("'") for r in run if isinstance(r, str)}
            return axis.axis.name.rstrip("'") in stems

        for fits in (exactly, nearly):

            def fit(chosen: Sequence[SizedAxis], fits: Any = fits) -> bool:
                return all(map(fits, runs, chosen))

            found = [c for c in itertools.combinations(axes, len(runs)) if fit(c)]
            if len(found) == 1:
                return found[0]
            if any(map(fit, itertools.permutations(axes, len(runs)))):
                return ()
        return ()

    def _sizes(self, axis: SizedAxis) -> set[Expression]:
        """List what is said to be the size of an axis; a copy has the size of the axis."""
        if axis.size is not None:
            return {axis.size}
        name = axis.axis.name
        found = self.sizes.get(name) or self.sizes.get(name.rstrip("'"), set())
        return found

    def change(self, env: Env, section: int, shorts: list[Short]) -> Callable[[Any], Any]:
        """Make the change of a part to what it is in full."""

        def change(part: Any) -> Any:
            if isinstance(part, Big):
                inner = self.change(self.of_big(part, env, section), section, shorts)
                return replace(part, lower=put(part.lower, inner), body=put(part.body, inner))
            if not isinstance(part, Scripts):
                return None
            power = part.sup
            if isinstance(power, Text) or (
                isinstance(power, Letter) and power.text not in self.numbers
            ):
                return None
            short = replace(part, sup=None)
            element = self._element(short, env, section)
            if element is None:
                return None
            shorts.append((short, element))
            return element if power is None else Scripts(part.span, element, sup=put(power, change))

        return change

    def made(
        self, target: Expression, body: Expression, section: int, shorts: list[Short]
    ) -> Indexed | None:
        """Give C_{ij} the axes along which i and j run in what defines it, where nothing declares C."""
        if not shorts or not isinstance(target, Scripts) or target.sup or target.primes:
            return None
        if not isinstance(target.base, Letter) or target.base.text in self.tensors:
            return None
        named = [*_named(body)]
        places = indices_of(target.sub, len(named), [t for t, _ in named]) or ()
        axes = [{axis for t, axis in named if t == getattr(at, "text", "")} for at in places]
        if len(places) < 2 or any(len(a) != 1 for a in axes) or len(set.union(*axes)) < len(axes):
            return None
        items = [
            At(at.span, AxisName(Span(at.span.start, at.span.start), *own), at)
            for at, own in zip(places, axes, strict=True)
        ]
        self.apart.discard(target.base.text)
        shorts.append((target, Indexed(target.span, target.base, tuple(items))))
        return shorts[-1][1]


def _unwritten(axis: SizedAxis, at: Expression) -> AxisName:
    """Give the name of an axis where it is not written."""
    return AxisName(Span(at.span.start, at.span.start), axis.axis.name)


def _named(part: Any, bound: frozenset[str] = frozenset()) -> Iterator[tuple[str, str]]:
    """List the indices that name their axes, pat(i) and pat(i - 1), but those that an operator binds."""
    if isinstance(part, Big):
        lower = part.lower
        pieces = () if lower is None else listed(lower)
        first = [p.first if isinstance(p, Relation) else p for p in pieces]
        bound |= {t.text for p in first for t in letters_of(p)}
    if isinstance(part, At):
        letters = letters_of(part.at)
        if len(letters) == 1 and letters[0].text not in bound and _is_near(part.at):
            yield letters[0].text, part.axis.name
    for inner in () if part is None else children(part):
        yield from _named(inner, bound)


def _is_near(at: Expression) -> bool:
    """Say whether an index is a letter, or one before or after it."""
    if isinstance(at, Binary) and at.op in ("+", "-"):
        return _is_near(at.left) and isinstance(at.right, Number | Letter)
    return isinstance(at, Number) or (isinstance(at, Letter) and at.style == "letter")


def _index(at: Expression, env: Env) -> str | None:
    """Give the letter that runs in i, i - 1 and n - i + 1; None where there is not one alone."""
    running = [t.text for t in letters_of(at) if t.text in env]
    return running[0] if len(running) == 1 and _is_near(at) else None


def indices_of(
    sub: Expression | None, most: int, known: Collection[str] = ()
) -> tuple[Expression, ...] | None:
    """Part the indices of A_{ij}, A_{i,j} and A_{i j}; None where there are more than axes."""
    if sub is None:
        return None
    found: list[Expression] = []
    for part in sub.parts if isinstance(sub, Items) else (sub,):
        pieces: tuple[Expression, ...] = (part,)
        if isinstance(part, Binary) and part.op == "*" and part.how == "juxtaposed":
            pieces = (part.left, part.right)
        elif isinstance(part, Letter) and part.style == "letter" and part.text not in known:
            pieces = parted(part) if len(part.text) > 1 else pieces
        found += pieces
    return tuple(found) if len(found) <= most else None
