r"""Elements written short, as formulas do elsewhere: t_i for t_{pat(i)}, A_{ij} for A_{row(i), col(j)}.

The axes of t and A are known, and what binds an index says along which axis it runs: a range i = 1, ..., n
up to the size of the axis, i \in pat, or pat(i) elsewhere in the formula. Indices stand in the order in
which the axes are declared. Where an index may run along another axis, nothing is changed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from namedtensor.latex.reading.asides import QUIET, Entry
from namedtensor.latex.reading.before_first import outside_of
from namedtensor.latex.reading.ranges import bound_by, indices_of, listed, pieces_below, ranges_in
from namedtensor.latex.reading.spoken import head_of, key_of, lies_in, sections_around
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.reading.words import FUNCTIONS, KEEPING, MOMENTS, STATISTICS
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Bars,
    Big,
    Binary,
    Call,
    Cases,
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
    SizedAxis,
    Space,
    Text,
    Unary,
)
from namedtensor.latex.walk import all_of, children, letters_of, parted, put, texts_of

#: A part as it is written, and the element that it is taken as.
Short = tuple[Scripts | Call, Indexed]

#: What is known of an index: names of axes, and ends of ranges. A number may be one of any axis.
Runs = frozenset[str | Expression]
ANY: Runs = frozenset(("",))
NONE: Runs = frozenset()
#: A sum of indices, i + j - 1, runs along the axis at its place.
COMPUTED: Runs = frozenset(("+",))
#: An index from 0 to n - 1 is none of an axis, and one more is.
FROM_ZERO: Runs = frozenset(("0",))

#: Tensors with more axes than these have no short elements.
MOST = 6

#: Marks above a name that tell it from others; words do so too.
LABELS = frozenset(("+", "-", "*", "star"))

#: So many definitions are followed, each of what the one before it uses.
FAR = 9

#: Functions that act on each element, where no axes stand below them.
POINTWISE = FUNCTIONS - STATISTICS - MOMENTS

#: Letters that are indices where nothing says what they are.
USUAL = frozenset("ijklmn")

#: Axes of what comes one after the other, which x_t counts as it counts the steps of a recurrence.
ORDERED = frozenset(
    "time times step steps timestep seq sequence pos position tok token frame frames round trial turn stage "
    "day week month quarter year hour minute second period tick sample iter epoch event length len".split()
)

#: How a vector looks where its elements do not: \mathbf{t} and t_i.
DRESSED = ("", "bold", "vec")


#: What prose says of the rows of a matrix: "where $x_i$ is the $i$-th row of $X$", "the rows $w_j$ of $W$".
_WHOLE = r"(?:of|in)\s+(?:the\s+matrix\s+)?\$(?P<whole>\\?[A-Za-z]+)\$"
_PART = r"\$(?P<letter>\\?[A-Za-z]+)_\{?(?P<at>[a-z])\}?\$"
_COUNT = r"\$?[a-z](?:\^\{?(?:\\(?:text|mathrm)\{)?(?:th)?\}{0,2})?\$?(?:-?\s?th)?"
ROWS = (
    re.compile(
        rf"{_PART},?\s+(?:is|be|for|denotes?|as|,)?\s*the\s+{_COUNT}\s+(?P<noun>[a-z]+)\s+{_WHOLE}"
    ),
    re.compile(rf"\b(?P<noun>row|column)s?\s+{_PART}\s+{_WHOLE}"),
)


def short_elements(
    entries: Sequence[Entry], text: str, parents: Sequence[int]
) -> tuple[tuple[Short, ...], ...]:
    """Write elements with the names of their axes; give what was short in each formula."""
    found = [e for e in entries if isinstance(e.read, Found) and not e.read.part_of]
    for entry in found:
        if all_of(Big, entry.statement):
            entry.found.statement = put(entry.statement, _with_primed_indices)
    spaces = [s for e in found if isinstance(s := e.statement, Declaration) and s.space.axes]
    declared = {key_of(name) for s in spaces for name in s.names}
    marked = [p for e in found for p in all_of(Scripts, e.statement) if p.sub and p.sup]
    whole = {key_of(replace(p, sub=None)): isinstance(p.sup, Number) for p in marked}
    labelled = {text for text, power in whole.items() if not power or text in declared}
    with_label = partial(_with_label, labelled)
    for entry in found if labelled else ():
        entry.found.statement = put(entry.statement, with_label)
    known = _Known(found, parents)
    for row in [m for pattern in ROWS for m in pattern.finditer(text)] if known.axes else ():
        known.rows[row["letter"].lstrip("\\")] = row["whole"].lstrip("\\"), row["noun"]
    places = enumerate(zip(found, [None, *found], strict=False)) if known.axes else ()
    formulas = [_Formula(known, at, *pair) for at, pair in places]
    for step in (_Formula.note_ranges, _Formula.set_apart, _Formula.show):
        for formula in formulas:
            step(formula)
    for formula in _after_what_they_use(formulas):
        formula.rewrite()
    for entry in found if labelled else ():
        entry.found.statement = put(entry.statement, _without_label)
    said = [dict(put(tuple(formula.shorts), _without_label)) for formula in formulas]
    return tuple([tuple(shorts.items()) for shorts in said if shorts])


def _with_primed_indices(part: Any) -> Any:
    """Read the j' below a sum as a letter, as which others there stand below letters."""
    if not isinstance(part, Big) or part.lower is None:
        return None
    pieces = [p.first if isinstance(p, Relation) else p for p in pieces_below(part)]
    own = {p for p in pieces if _is_primed(p)}
    if not own:
        return None
    inner = put((part.lower, part.body), _with_primed_indices)

    def change(one: Any) -> Any:
        *before, last = parted(one.base) or (one.base,) if _is_primed(one) else (None,)
        if last is None or replace(one, base=last) not in own:
            return None
        end = Span(last.span.start if before else one.span.start, one.span.end)
        index = replace(last, span=end, text=last.text + "'" * one.primes)  # the j' of ij'
        return Items(one.span, (*before, index), "") if before else index

    lower, body = put(inner, change)
    return replace(part, lower=lower, body=body)


def _is_primed(part: Any) -> bool:
    plain = isinstance(part, Scripts) and part.sub is None and part.sup is None
    return plain and part.primes > 0 and isinstance(part.base, Letter)


def _with_label(labelled: Collection[str], part: Any) -> Any:
    r"""Read \mu^{\text{new}} and \mu^+ as one letter, and \sigma^2 where it is declared."""
    if not isinstance(part, Scripts) or not isinstance(part.base, Letter):
        return None
    label = str(getattr(part.sup, "value", getattr(part.sup, "text", "")))
    word = len(label) > 1 and getattr(part.sup, "style", "") == "word"
    if key_of(replace(part, sub=None)) not in labelled:
        return None
    if not (word or label in LABELS or isinstance(part.sup, Number)):
        return None
    letter = replace(part.base, text=f"{part.base.text}^{{{label}}}")
    if part.sub is None:
        return replace(letter, span=part.span)
    return replace(part, base=letter, sup=None)


def _without_label(part: Any) -> Any:
    r"""Write the letter \mu^{\text{new}} as the name that it is."""
    if isinstance(part, Scripts) and isinstance(part.base, Letter) and part.sup is None:
        whole = _without_label(part.base)
        return whole and replace(
            part, base=whole.base, sub=put(part.sub, _without_label), sup=whole.sup
        )
    if not isinstance(part, Letter) or "^{" not in part.text:
        return None
    text, label = part.text[:-1].split("^{")
    mark: Expression = Letter(part.span, label, "letter" if label in LABELS else "word")
    if label.isdigit():
        mark = Number(part.span, int(label))
    return Scripts(part.span, replace(part, text=text), sup=mark)


def _after_what_they_use(formulas: Sequence[_Formula]) -> list[_Formula]:
    """Sort formulas: those that define elements written short before those that use them."""
    makers: dict[str, list[_Formula]] = {}
    for formula in formulas:
        target: Any = getattr(formula.statement, "target", None)
        if short_form(target) is not None:
            makers.setdefault(head_of(target), []).append(formula)
    found: dict[_Formula, None] = {}

    def take(formula: _Formula, around: tuple[_Formula, ...]) -> None:
        letters = dict.fromkeys([t.text for t in letters_of(formula.statement)])
        for text in letters if len(around) < FAR else ():
            for maker in makers.get(text, ()):
                if maker not in found and maker is not formula and maker not in around:
                    take(maker, (*around, formula))
        found[formula] = None

    for formula in formulas:
        if formula not in found:
            take(formula, ())
    return [*found]


class _Known:
    """What a document says of its tensors and their sizes."""

    def __init__(self, entries: Sequence[Entry], parents: Sequence[int]) -> None:
        self.parents = parents
        self.axes: set[str] = set()
        #: letters of the rows of a matrix, with its letter and the word for them
        self.rows: dict[str, tuple[str, str]] = {}
        self.sizes: dict[str, set[Expression]] = {}
        #: letters that stand for something, those of numbers that are stated, and of numbers; and what the
        #: numbers in a tensor of indices are below
        self.given: set[str] = set()
        self.counted: set[str] = set()
        self.numbers: set[str] = set()
        self.bounds: dict[str, Expression] = {}
        #: the axes along which an argmax found what letters stand for
        self.found_along: dict[str, Runs] = {}
        #: letters whose members are declared or defined one by one, by sections, those of series by an index;
        #: and the axis along which the one index of a series runs
        self.apart: dict[str, set[int]] = {}
        self.series: set[str] = set()
        self.members: dict[tuple[int, str], tuple[SizedAxis, ...]] = {}
        #: letters of what is defined by its elements, and of what has elements of their own, by sections
        self.by_elements: set[tuple[int, str]] = set()
        self.by_numbers: set[tuple[int, str]] = set()
        #: what is defined, and in which section, by letters
        self.defined: dict[str, list[tuple[int, Expression]]] = {}
        #: letters, with their axes, of which some formula has elements for sure
        self.shown: set[tuple[str, tuple[str, ...]]] = set()
        #: the axes that an index letter has by name anywhere
        self.named: dict[str, set[str]] = {}
        #: what is stated of the runs of indices, with the place of the formula
        self.stated: dict[tuple[str, int], list[tuple[int, Runs]]] = {}
        self._tensors: dict[str, dict[int, list[tuple[SizedAxis, ...]]]] = {}
        #: the axes of what is declared by a letter with scripts
        self._scripted: dict[str, set[tuple[SizedAxis, ...]]] = {}
        #: what whole tensors are computed from, by their names and sections
        self._bodies: dict[str, dict[int, Expression]] = {}
        #: the functions of a letter: what they take, and what they give
        self._functions: dict[str, dict[int, Definition]] = {}
        #: the axes of names, found once for as far as their definitions are followed
        self._made: dict[tuple[str, int], tuple[SizedAxis, ...]] = {}
        for entry in entries:
            self.note(entry.statement, entry.region.section)

    def note(self, statement: Any, section: int) -> None:
        """Take in the axes of what is declared, or defined by its elements, and sizes that are stated."""
        self._made.clear()
        for axis in all_of(SizedAxis, statement):
            if axis.size is not None:
                self.sizes.setdefault(axis.axis.name, set()).add(axis.size)
                self.given |= texts_of(axis.size)
        for letter, name in named(statement):
            self.named.setdefault(letter, set()).add(name)
        sides: list[Expression] = []
        if isinstance(statement, Declaration):
            for one in statement.names:
                self._declare(one, statement.space, section)
        elif isinstance(statement, Definition):
            sides = [statement.target, statement.body]
            target = statement.target
            self.given.add(key_of(target))
            if isinstance(statement.body, Number):
                self.counted.add(key_of(target))
            if isinstance(statement.body, Big) and statement.body.op.startswith("arg"):
                self.found_along[head_of(target)] = self._sought(statement.body)
            self.defined.setdefault(head_of(target), []).append((section, target))
            if isinstance(target, Letter | Scripts) and not statement.chain:
                self._bodies.setdefault(key_of(target), {})[section] = statement.body
            elif isinstance(target, Call):
                self._functions.setdefault(key_of(target.function), {})[section] = statement
            places = [i for i in getattr(target, "items", ()) if isinstance(i, At)]
            given = bool(places) and all(isinstance(i.at, Letter) for i in places)
            if isinstance(target, Indexed) and _are_counted([i.at for i in places]):
                self.by_numbers.add((section, key_of(target.base)))
            if isinstance(target, Indexed) and given:
                self.by_elements.add((section, key_of(target.base)))
                if self.tensor(target.base, section) is None:
                    axes = tuple([SizedAxis(i.span, i.axis, None) for i in places])
                    self._declare(target.base, Space(target.span, "R", axes), section)
        elif isinstance(statement, Constraint) and isinstance(statement.relation, Relation):
            sides = [
                p
                for op, p in (("=", statement.relation.first), *statement.relation.rest)
                if op == "="
            ]
        for side in sides:
            if isinstance(side, AxisSize):
                self.sizes.setdefault(side.axis.name, set()).update(s for s in sides if s != side)

    def _sought(self, part: Big) -> Runs:
        """Give the axis along which an argmax looks for an index."""
        own = frozenset([axis.name for axis in part.axes])
        below = texts_of(part.lower)
        return own or frozenset(
            [a.axis.name for a in all_of(At, part.body) if texts_of(a.at) & below]
        )

    def _declare(self, name: Expression, space: Space, section: int) -> None:
        if isinstance(name, Scripts) and isinstance(name.base, Letter):
            if name.sub is None and name.sup is None:
                return  # t' is another letter
            self.apart.setdefault(name.base.text, set()).add(section)
            self._scripted.setdefault(key_of(name), set()).add(space.axes)
            self.axes |= {*space.names}
        elif isinstance(name, Letter):
            self.given.add(name.text)
            if not space.axes:
                self.numbers.add(name.text)
            self.axes |= {*space.names}
            here = self._tensors.setdefault(name.text, {})
            here.setdefault(section, []).append(space.axes)
            if space.bound is not None:
                self.bounds[name.text] = space.bound

    def tensor(self, base: Any, section: int) -> tuple[Letter, tuple[SizedAxis, ...]] | None:
        """Find the tensor of which a letter has elements; those of a bold letter are often written plain."""
        row = self.rows.get(base.text) if isinstance(base, Letter) else None
        if row is not None and row[0] not in self.rows:  # x_i, the i-th row of X
            known = self.tensor(replace(base, text=row[0]), section)
            if known is not None and len(known[1]) > 1:
                named = [a for a in known[1] if a.axis.name.startswith(row[1][:3])]
                return known[0], (*named, known[1][row[1] == "column"])[:1]
        for text in [base.text + d for d in DRESSED] if isinstance(base, Letter) else ():
            apart, given = self.apart.get(text, ()), self._tensors.get(text, {})
            outer = sections_around(section, self.parents) if apart or given else ()
            near = next((at for at in outer if at in given), None)
            farther = outer[outer.index(near) + 1 :] if near is not None else ()
            if any(
                at in outer or lies_in(at, section, self.parents) for at in {*apart} - {*farther}
            ):
                return None
            if near is None and (text in self.series or not given.keys().isdisjoint(apart)):
                return None
            found = {*given[near]} if near is not None else _every(given)
            if not found and (over := self._axes_of(replace(base, text=text))):
                found = {over} if len(over) > 1 else set()
            if found:
                axes = found.pop()
                return (replace(base, text=text), axes) if axes and not found else None
        return None

    def _axes_of_name(self, name: str, far: int) -> tuple[SizedAxis, ...]:
        given = _every(self._tensors.get(name, {})) | self._scripted.get(name, set())
        bodies = [*self._bodies.get(name, {}).values()]
        if given or len(bodies) != 1 or not far:
            return given.pop() if len(given) == 1 else ()
        return self._axes_of(bodies[0], far - 1)

    def _axes_of(self, part: Any, far: int = FAR) -> tuple[SizedAxis, ...]:
        """Find the axes of what letters of known axes make element by element; none of anything else."""
        if isinstance(part, Letter | Scripts):
            name = key_of(part)
            raised = isinstance(part, Scripts) and isinstance(part.sup, Number)
            if (
                raised
                and getattr(part, "sub", None) is None
                and name not in {*self._scripted, *self._bodies}
            ):
                return self._axes_of(getattr(part, "base", None), far)  # a power
            if (name, far) not in self._made:
                self._made[name, far] = self._axes_of_name(name, far)
            return self._made[name, far]
        if isinstance(part, Indexed):
            own = {axis.axis.name: axis for axis in self._axes_of(part.base, far)}
            for item in part.items if own else ():
                for axis in item.before if isinstance(item, Renaming) else (item,):
                    own.pop(axis.axis.name, None)
                own |= {a.axis.name: a for a in item.after} if isinstance(item, Renaming) else {}
            return tuple(own.values())
        used = {axis.name for axis in getattr(part, "axes", ())}
        rules = (
            [*self._functions.get(key_of(part.function), {}).values()]
            if isinstance(part, Call)
            else []
        )
        if len(rules) == 1 and far and not used:  # B(Z) of a B(Z) that has the axes of its Z
            taken: Any = rules[0].target
            pairs = zip(part.arguments, taken.arguments, strict=False)
            each = [[_names(self._axes_of(one, far - 1)) for one in pair] for pair in pairs]
            same = all(given in ((), formal) for given, formal in each)  # nothing is known of Z'
            return self._axes_of(rules[0].body, far - 1) if same else ()
        match part:
            case Items(parts=parts):
                known = len(parts) == 1
            case Call(function=function):
                keeps = head_of(function) in KEEPING
                known = keeps or head_of(function) in (STATISTICS if used else POINTWISE)
                used = set() if keeps else used
            case Big(op=op):
                known = part.lower is None and op in STATISTICS
            case _:
                known = isinstance(part, Contract | Unary) or (
                    isinstance(part, Binary) and not used
                )
        if not known:
            return ()
        found: dict[str, SizedAxis] = {}
        for inner in children(part):
            found |= {a.axis.name: a for a in self._axes_of(inner, far)}
        return tuple([axis for name, axis in found.items() if name not in used])

    def is_beside(self, target: Any, section: int) -> bool:
        """Say whether x_0 or x_{n+1} stands beside the elements of a tensor that no formula defines."""
        letter = target.base
        known = self.tensor(letter, section)
        sizes = [s for axis in known[1] for s in self.sizes_of(axis)] if known is not None else []
        ends = {size.text for size in sizes if isinstance(size, Letter)}
        around = sections_around(section, self.parents)
        others = [one for at, one in self.defined.get(letter.text, ()) if at in around]
        outside = [outside_of(one, ends) for one in (target, *others)] if known is not None else []
        return bool(outside) and None not in outside

    def along(self, name: Expression, section: int, run: Runs) -> tuple[SizedAxis, ...]:
        """Find the one axis along which an index runs that stands at a name of what is defined whole."""
        if not self._is_whole(name, section) or run in (ANY, COMPUTED):
            return ()
        own = self._axes_of(name)
        axes = [
            SizedAxis(name.span, AxisName(name.span, axis), None)
            for axis in ([a.axis.name for a in own] or self.axes)
        ]
        stems = {r.rstrip("'") for r in run if isinstance(r, str)} if own else set[str]()
        named = [a for a in axes if a.axis.name in run] or [a for a in axes if a.axis.name in stems]
        found = named or [a for a in axes if "'" not in a.axis.name and run & self.sizes_of(a)]
        return tuple(found) if len(found) == 1 else ()

    def of_whole(self, name: Expression, section: int) -> tuple[SizedAxis, ...]:
        """Find the axes of what is defined whole, where its elements are no members."""
        return self._axes_of(name) if self._is_whole(name, section) else ()

    def _is_whole(self, name: Expression, section: int) -> bool:
        """Say whether a name is defined as a whole, and none of its members beside it."""
        around, text = sections_around(section, self.parents), head_of(name)
        sections = {s for s, target in self.defined.get(text, ()) if target == name}
        near = sections & {*around} or (sections if len(sections) == 1 else set())
        members = self.apart.get(text, set()) & {*around, *near}
        return bool(near) and not (isinstance(name, Letter) and members)

    def sizes_of(self, axis: SizedAxis) -> set[Expression]:
        """List what is said to be the size of an axis; a copy has the size of the axis."""
        name = axis.axis.name
        own = self.sizes.get(name) or self.sizes.get(name.rstrip("'"), set())
        return own if axis.size is None else {axis.size}

    def of_size(self, run: Runs, near: Collection[str]) -> set[str]:
        """Name the one axis of the size up to which an index runs: of those that are near, or of all."""
        at = Span(0, 0)
        plain = [a for a in self.axes if "'" not in a]
        sized = {a for a in plain if run & self.sizes_of(SizedAxis(at, AxisName(at, a), None))}
        found = sized & {*near} or sized
        return found if len(found) == 1 else set()

    def may_be(self, run: Runs) -> bool:
        """Say whether a range is that of an axis of the document, or says nothing."""
        at = Span(0, 0)
        if run in (NONE, ANY, COMPUTED) or run & self.axes:
            return True
        sizes = (self.sizes_of(SizedAxis(at, AxisName(at, a), None)) for a in self.axes)
        return any(isinstance(end, Number) for end in run) or any(run & own for own in sizes)

    def chosen(self, axes: Sequence[SizedAxis], runs: Sequence[Runs]) -> tuple[SizedAxis, ...]:
        """Choose the axes along which indices run, in their order; a copy's where none has the name."""

        def exactly(run: Runs, axis: SizedAxis) -> bool:
            own = run & {a.axis.name for a in axes}
            if run in (ANY, COMPUTED) or own:
                return axis.axis.name in own or not own
            sizes = self.sizes_of(axis)
            sizes = sizes | {s.left for s in sizes if isinstance(s, Binary) and s.op == "+"}
            return bool(run & sizes) or (len(axes) == 1 and _fits(run, sizes))

        def nearly(run: Runs, axis: SizedAxis) -> bool:
            stems = {r.rstrip("'") for r in run if isinstance(r, str)}
            return exactly(run, axis) or axis.axis.name.rstrip("'") in stems

        for fits in (exactly, nearly) if len(axes) <= MOST else ():
            orders = list(itertools.permutations(axes, len(runs)))
            fitting = [order for order in orders if all(map(fits, runs, order))]
            found = [c for c in itertools.combinations(axes, len(runs)) if c in fitting]
            if fitting:
                return found[0] if len(found) == 1 else ()
        return ()


def _normed(body: Any) -> set[str]:
    """List the letters of which a norm is taken that names no axes."""
    inside = tuple([bars.operand for bars in all_of(Bars, body) if bars.double and not bars.axes])
    return {*texts_of(inside)} - texts_of(tuple([p.sub for p in all_of(Scripts, inside)]))


def _every(given: Mapping[int, Sequence[tuple[SizedAxis, ...]]]) -> set[tuple[SizedAxis, ...]]:
    """List the axes that a letter has in any section."""
    return {axes for here in given.values() for axes in here}


class _Formula:
    """A statement whose elements are written in full."""

    def __init__(self, known: _Known, at: int, entry: Entry, before: Entry | None) -> None:
        self.known, self.at, self.entry = known, at, entry
        self.section = entry.region.section
        said: Any = entry.statement
        self.statement: Any = put(said, self._with_sets) if all_of(Relation, said) else said
        self.shorts: list[Short] = []
        self.before = before

    def note_ranges(self) -> None:
        """Note the ranges that are stated of indices, also by what says how elements are written short."""
        said = self.statement
        short: Any = getattr(said, "target", None)
        whole: Any = getattr(said, "body", None)
        if (
            isinstance(said, Constraint)
            and self.before is not None
            and not self.entry.region.display
        ):
            short, whole = self.before.relation, said.relation
            short, whole = (short, whole) if isinstance(whole, Indexed) else (whole, short)
        if isinstance(whole, Indexed) and short != whole and _says_how(short, whole):
            for letter, axis in named(whole):
                here = self.known.stated.setdefault((letter, self.section), [])
                here.append((self.at, frozenset([axis])))
        if isinstance(said, Declaration) and said.space.base == "[n]":
            said = Relation(said.span, Items(said.span, said.names, ""), (("in", said.space),))
        if not isinstance(said, Definition):
            for letter, runs in self._ranges(said, {}):
                here = self.known.stated.setdefault((letter, self.section), [])
                here.append((self.at, runs))

    def set_apart(self) -> None:
        """Note a letter whose members are defined one by one, where they are no elements."""
        target = getattr(self.statement, "target", None)
        form = short_form(target) if isinstance(target, Scripts) else None
        if form is not None and target in all_of(Scripts, self.statement.body):
            form = None if self.statement.op != "=" else form  # a step from an element to itself
        if form is not None and not _says_how(target, self.statement.body):
            element = self._element(*form, self._of_target()) if self._is_shown() else None
            told = self._is_told(form[0])
            beside = self.known.is_beside(target, self.section)
            if element is None and not told and not beside:
                if isinstance(form[1], Letter) and form[1].style == "letter":
                    self.known.series.add(form[0].text)
                for dress in DRESSED:
                    self.known.apart.setdefault(form[0].text + dress, set()).add(self.section)
            elif beside:
                self.statement = replace(self.statement, target=self._beside(target, form[1]))

    def _is_told(self, letter: Letter) -> bool:
        r"""Say whether prose tells an element of a declared vector in numbers: \beta_1 = 0.1."""
        known = self.known.tensor(letter, self.section)
        alone = known is not None and len(known[1]) == 1 and not self.entry.region.display
        others = [t for t in letters_of(self.statement.body) if t.text != letter.text]
        return alone and not any(self.known.tensor(other, self.section) for other in others)

    def _beside(self, target: Any, sub: Expression) -> Any:
        """Give x_{0,j} the axes of its tensor, where it has several."""
        known = self.known.tensor(target.base, self.section)
        axes = () if known is None else known[1]
        places = indices_of(sub, len(axes)) or ()
        if len(places) < max(2, len(axes)):
            return target
        items = [unwritten(a.axis.name, at) for a, at in zip(axes, places, strict=True)]
        return Indexed(target.span, target.base, tuple(items))

    def show(self) -> None:
        """Note of which letters this formula has elements for sure."""
        if isinstance(self.statement, Definition) and _has_indices(self.statement.body):
            put(self.statement.body, self._change(self._of_target()))
            forms = [short_form(short) for short, _ in self.shorts]
            letters = [form[0] for form in forms if form is not None]
            known = [(t.text, self.known.tensor(t, self.section)) for t in letters]
            self.known.shown |= {(text, _names(of[1])) for text, of in known if of is not None}
            self.shorts.clear()

    def rewrite(self) -> None:
        """Write the elements of a definition in full, and the sets of indices as ranges."""
        self.show()
        statement = self.statement
        if isinstance(statement, Definition) and _has_indices(statement):
            change = self._change(self._of_target())
            parts = {
                name: put(part, change) if _has_indices(part) else part
                for name in ("body", "chain", "condition")
                for part in (getattr(statement, name),)
            }
            target = change(statement.target) if self._is_shown() else None
            form = short_form(statement.target)
            if form is not None and target in (None, statement.target):
                target = self._made(*form, parts["body"])
                used = "".join([t for t, _ in named(parts["body"])])
                letters = "".join([t.text for t in letters_of(form[1])])
                if target is None and len(letters) > 1 and {*letters} <= {*used}:
                    self.shorts.clear()  # nothing says what the axes of C_{ij} are
                    return
            parts["target"] = target or statement.target
            if any(part is not getattr(statement, name) for name, part in parts.items()):
                statement = replace(statement, **parts)
            if not statement.chain and _says_how(statement.target, statement.body):
                self.entry.found.part_of = QUIET["remark"]
            self.known.note(statement, self.section)
        if statement != self.entry.statement:
            self.entry.found.statement, self.entry.found.named = statement, True

    def _with_sets(self, part: Any) -> Any:
        r"""Write i \in [|pat|] for i \in \text{pat}."""
        if not isinstance(part, Relation) or part.ops != ("in",):
            return None
        ((_, right),) = part.rest
        name = right.base if isinstance(right, Scripts) and not (right.sub or right.sup) else right
        word = isinstance(name, Letter) and name.style == "word"
        text = getattr(name, "text" if word else "name", "") + "'" * getattr(right, "primes", 0)
        whole = Space(right.span, "[n]", (), AxisSize(right.span, AxisName(right.span, text)))
        return replace(part, rest=(("in", whole),)) if text in self.known.axes else None

    # ------------------------------------------------------------------------------- indices

    def _of_target(self) -> dict[str, Runs]:
        """Say along what the indices of a target run: by a range, or by an index that names its axis.

        The place of an index says it where it is one of several, or where others show that the letter
        has elements: x_t may be a member of a series, and a_{ij} is not.
        """
        statement = self.statement
        form = short_form(statement.target)
        places = statement.target if form is None else form[1]
        if isinstance(places, Indexed):
            places = Items(places.span, tuple([i.at for i in places.indices]), "")
        elif form is None:
            places = getattr(getattr(places, "function", None), "sub", None)
        whole = texts_of(places)
        said = (statement.target, statement.body, statement.condition)
        ranges = [*self._ranges(statement.condition, {})]
        steps = [
            part.sub for part in all_of(Scripts, statement.body) if isinstance(part.sub, Binary)
        ]
        plain = form is not None and isinstance(form[1], Letter)
        rows = len("".join(whole)) > 1 or bool(steps)  # of x_{t-1}, t counts
        updated = statement.body if statement.op == "=" else (statement.target, statement.body)
        found = {
            letter: self._known_runs(letter, ranges, said)
            or self._by_place(statement.body, letter, lambda _, count: count > 1)
            or (self._by_rows(statement.body, letter) if rows else NONE)
            or self._by_name(letter)
            or self._by_own_axis(statement.body, letter)
            or (self._by_order(statement.body, letter) if steps or letter == "t" else NONE)
            or (self._by_vectors(statement.body, letter) if plain else NONE)
            or self._by_conditions(statement.body, letter)
            or (self._by_custom(updated, letter) if plain else NONE)
            for letter in {*whole, *"".join(whole)}
        }
        for (one, axis), (other, copy) in itertools.permutations(named(statement.target), 2):
            if axis.rstrip("'") == copy.rstrip("'") and {one, other} <= found.keys():
                found[one] |= {axis, copy}  # beside d_{ij}, d_{ji} is the transpose
        return self._of_own_places() | {letter: runs for letter, runs in found.items() if runs}

    def _by_conditions(self, body: Expression, letter: str) -> Runs:
        """Take the sizes with which conditions of cases compare an index: 1 for i = 1 and for i = n."""
        rows = tuple([row.condition for cases in all_of(Cases, body) for row in cases.rows])
        said = [r for r in all_of(Relation, rows) if key_of(r.first) == letter]
        ends = {end for relation in said for _, end in relation.rest if isinstance(end, Letter)}
        return frozenset(ends & set[Expression]().union(*self.known.sizes.values()))

    def _is_shown(self) -> bool:
        r"""Say whether a target may be an element: in prose, I_{ij} = \delta_{ij} says what I is."""
        said = self.statement
        return self.entry.region.display or any(
            head_of(part) == "delta" and part.sub == getattr(said.target, "sub", None)
            for part in all_of(Scripts, said.body)
        )

    def _of_own_places(self) -> dict[str, Runs]:
        """Say along what the indices of A_{ij} run where A is declared with as many axes: not of x_t."""
        form = short_form(self.statement.target)
        known = None if form is None else self.known.tensor(form[0], self.section)
        axes = () if known is None else known[1]
        at = () if form is None else indices_of(form[1], len(axes)) or ()
        letters = [i for i in at if isinstance(i, Letter)]
        if any(self.known.tensor(i, self.section) for i in letters):
            return {}  # \pi_\theta(x) of a tensor x is a function
        names = [i.text for i in letters]
        if not 1 < len(axes) == len(names) == len(at) == len(set(names)):
            return {}
        return {i: frozenset([a.axis.name]) for i, a in zip(names, axes, strict=True)}

    def _of_big(self, part: Big, env: Mapping[str, Runs]) -> dict[str, Runs]:
        """Say along what indices run, also those that an operator binds."""
        own = texts_of(getattr(self.statement, "target", None)) - env.keys()
        ranges: list[tuple[str, Runs]] = []
        by_place: list[str] = []
        from_zero: set[str] = set()

        def is_open(name: Expression) -> bool:
            return not texts_of(name) & {*own, *env, *self.known.given}

        for piece in pieces_below(part) if part.lower is not None else ():
            ranges_here = bound_by(part, piece, is_open)[0]
            own |= {key_of(within.index) for within in ranges_here}
            for within in ranges_here:
                name, end = key_of(within.index), within.upper
                ends = texts_of(end) | {a.axis.name for a in all_of(AxisSize, end)}
                if end is None or ends & own or ends <= self.known.counted:  # to the k of S_k, to 3
                    by_place.append(name)
                else:
                    ranges.append((name, up_to(None, end, env)))
                if isinstance(within.lower, Number) and within.lower.value < 1:
                    from_zero.add(name)
                compared = isinstance(piece, Relation) and piece.rest[0][0] in COMPARED
                sides = [piece.first, *[side for _, side in piece.rest]] if compared else []
                for side in sides if name not in env else ():
                    if short_form(side) is not None:  # j \neq y_i, y in [cls]
                        ranges += [(name, run) for run in (self._place(side, env)[1],) if run]
                    else:
                        ranges += [(name, env[other]) for other in texts_of(side) & env.keys()]
        found = dict(env)
        for letter in [*by_place, *[name for name, _ in ranges]]:
            found[letter] = self._runs(letter, ranges, (part.body, part.lower))
            known = found[letter] if self.known.may_be(found[letter]) else NONE
            if letter in by_place or found[letter] != known:
                places = known or self._by_place(part.body, letter)
                found[letter] = places or self._by_custom(part.body, letter) or found[letter]
            found[letter] |= FROM_ZERO if letter in from_zero and found[letter] else frozenset()
        return {letter: runs for letter, runs in found.items() if runs}

    def _known_runs(self, letter: str, ranges: Sequence[tuple[str, Runs]], said: Any) -> Runs:
        """Join what is said of an index, where that is of an axis of the document."""
        runs = self._runs_along(letter, ranges, said)
        return runs if self.known.may_be(runs) else NONE

    def _runs_along(self, letter: str, ranges: Sequence[tuple[str, Runs]], said: Any) -> Runs:
        """Join what is said of an index; of a range to n - 2m, which is no axis's size, its place says it."""
        runs = self._runs(letter, ranges, said)
        sizes = {size for every in self.known.sizes.values() for size in every}
        inside = all(isinstance(run, Binary) and run not in sizes for run in runs)
        places = self._by_place(self.statement.body, letter, lambda _, count: count > 1)
        return places or runs if inside else runs

    def _runs(self, letter: str, ranges: Sequence[tuple[str, Runs]], said: Any) -> Runs:
        """Join what is said of an index; the nearest range that is stated counts where no other one does."""
        own = [runs for name, runs in ranges if name == letter]
        if not own:
            around = sections_around(self.section, self.known.parents)
            near = [one for s in around for one in self.known.stated.get((letter, s), ())]
            near.sort(key=lambda one: (abs(one[0] - self.at), one[0]))
            own = [runs for _, runs in near[:1]]
        return frozenset([axis for name, axis in named(said) if name == letter]).union(*own)

    def _ranges(self, part: Any, env: Mapping[str, Runs]) -> Iterator[tuple[str, Runs]]:
        """List the ranges that relations give to indices."""
        for relation in all_of(Relation, part):
            for within in ranges_in(relation):
                if within.upper is not None:
                    yield within.index.text, up_to(within.lower, within.upper, env)

    def _by_place(
        self, body: Expression, letter: str, shows: Callable[[str, int], bool] = lambda *_: True
    ) -> Runs:
        """Take the axis of an index without a range from its place, where all its tensors have the same.

        Where others do not, those that have elements for sure count alone.
        """
        axes: dict[bool, set[str]] = {True: set(), False: set()}
        norms = _normed(body)
        unknown = False
        for base, sub, places in self._indexed(body):
            if letter in "".join([t.text for t in letters_of(sub)]):
                normed = base in norms and len(places) == 1  # of \|x_i\|, x_i has axes of its own
                unknown = unknown or normed
                unknown = unknown or not (places or base in self.known.defined or base == "delta")
                whole = [(at, axis) for at, axis in places if short_form(at) is None]
                own = {axis for at, axis in whole if letter in texts_of(at)}
                sure = (base, tuple([axis for _, axis in places])) in self.known.shown
                axes[sure] |= own if sure or shows(base, len(places)) else set()
        every = axes[True] if unknown else axes[True] | axes[False]
        for found in (every, axes[True]):
            if len({axis.rstrip("'") for axis in found}) == 1:
                return frozenset(found)
        return frozenset()

    def _by_name(self, letter: str) -> Runs:
        """Take the one axis that a letter indexes by name in other formulas."""
        axes = self.known.named.get(letter, set())
        return frozenset(axes) if len(axes) == 1 else NONE

    def _by_own_axis(self, body: Expression, letter: str) -> Runs:
        """Take the axis that has the name of an index, of tensors over it: x_t of an x over t."""
        forms = [short_form(name) for name in all_of(Scripts, body)]
        bases = [form[0] for form in forms if form is not None and letter in texts_of(form[1])]
        known = [self.known.tensor(base, self.section) for base in bases]
        over = [_names(one[1]) for one in known if one is not None]
        return frozenset([letter]) if any(letter in axes for axes in over) else NONE

    def _by_vectors(self, body: Expression, letter: str) -> Runs:
        """Take the axis that a body names, where only elements have the index: r_j = λ_j / sum_{comp} λ."""
        acted: list[Expression] = []
        for call in all_of(Call, body):
            known = not call.axes and head_of(call.function) in POINTWISE
            acted += () if known else call.arguments
        for part in (*all_of(Contract, body), *all_of(Big, body)):
            acted += children(part)
        inside = [t.text for name in all_of(Scripts, tuple(acted)) for t in letters_of(name.sub)]
        if letter not in USUAL or letter in self.known.given or letter in inside:
            return NONE
        return self._by_place(body, letter) & {axis.name for axis in all_of(AxisName, body)}

    def _by_order(self, body: Expression, letter: str) -> Runs:
        """Take the axis of vectors over an axis of steps: h_t = a h_{t-1} + u_t, u over time."""
        axes: set[str] = set()
        for name in all_of(Scripts, body):
            form = short_form(name if name.sup is None else replace(name, sup=None))
            known = None if form is None else self.known.tensor(form[0], self.section)
            if form is not None and known is not None and letter in texts_of(form[1]):
                axes |= {a.axis.name for a in known[1]} if len(known[1]) == 1 else {""}
        acted = {axis.name for axis in all_of(AxisName, body)}
        found = axes & ORDERED if len(axes) == 1 and letter not in self.known.given else NONE
        return NONE if found & acted else frozenset(found)

    def _by_custom(self, body: Any, letter: str) -> Runs:
        """Take the axis that is customary for an index: of the rows x_i, the steps x_t, the classes x_c."""
        over: list[list[str]] = []
        norms = _normed(body)
        for name in all_of(Scripts, body):
            form = short_form(name if name.sup is None else replace(name, sup=None))
            if form is not None and isinstance(form[1], Letter) and form[1].text == letter:
                known = self.known.tensor(form[0], self.section)
                members = self.known.members.get((self.section, form[0].text), ())
                axes = _names(members if known is None else known[1])
                axes = axes or _names(self.known.of_whole(form[0], self.section))
                # in \|x_i\| of an x with one axis, x_i has axes of its own
                over.append([] if len(axes) == 1 and form[0].text in norms else [*axes])
            elif form is not None and (known := self.known.tensor(form[0], self.section)):
                places = indices_of(form[1], len(known[1]) - 1) or ()  # the k of x_{k,j}
                over += [
                    [a]
                    for at, a in zip(places, _names(known[1]), strict=False)
                    if at == Letter(at.span, letter)
                ]
        acting: list[Any] = [*all_of(Contract, body), *all_of(Big, body), *all_of(Call, body)]
        acted = {axis.name for part in acting for axis in part.axes}
        if not over or not all(over) or letter in self.known.given:
            return NONE
        common = [axis for axis in over[0] if all(axis in axes for axes in over)]
        plain = letter.rstrip("'")
        called = [a for a in common if a[0] == plain or (plain == "t" and a in ORDERED)]
        first = common if {axes[0] for axes in over} == {*common[:1]} else []
        found = {*(first[:1] if plain in USUAL else called)} - acted
        return frozenset(found) if len(found) == 1 else NONE

    def _by_rows(self, body: Expression, letter: str) -> Runs:
        """Take the first axis for an index that is the only one of tensors of several axes: rows x_i of x."""
        rows = [short_form(p) for p in all_of(Scripts, body)]
        found = {
            None if known is None or len(known[1]) < 2 else known[1][0].axis.name
            for base, sub in filter(None, rows)
            if isinstance(sub, Letter) and len(letter) == 1 and sub.text == letter
            for known in (self.known.tensor(base, self.section),)
        }
        return frozenset([axis for axis in found if axis]) if len(found) == 1 else NONE

    def _indexed(self, part: Any) -> Iterator[tuple[str, Any, list[tuple[Expression, str]]]]:
        """List letters, what stands below them, and which index at which axis where each axis has one."""
        power = part.sup if isinstance(part, Scripts) else None
        part = part if power is None else replace(part, sup=None)
        form = short_form(part)
        base, sub = ("", part) if form is None else (form[0].text, form[1])
        known = None if form is None else self.known.tensor(form[0], self.section)
        axes = self.known.members.get((self.section, base), ()) if known is None else known[1]
        at = () if form is None else indices_of(sub, len(axes)) or ()
        whole = len(at) == len(axes) > 0
        if whole or (isinstance(part, Scripts) and part.sub is not None):
            pairs = [(i, a.axis.name) for i, a in zip(at, axes, strict=False)]
            yield base, sub, pairs if whole else []
        for inner in [*((sub,) if whole else children(part)), power]:
            if inner is not None:
                yield from self._indexed(inner)

    # ------------------------------------------------------------------------------- elements

    def _change(self, env: Mapping[str, Runs]) -> Callable[[Any], Any]:
        """Make the change of a part to what it is in full; arguments of the formula are what they are."""
        target = getattr(self.statement, "target", None)
        arguments = (*target.arguments, *target.parameters) if isinstance(target, Call) else ()
        below = texts_of(arguments) | texts_of(getattr(target, "sub", None))

        def change(part: Any) -> Any:
            if isinstance(part, Big):
                inner = self._change(self._of_big(part, env))
                return replace(part, lower=put(part.lower, inner), body=put(part.body, inner))
            power = part.sup if isinstance(part, Scripts) else None
            label = getattr(power, "text", None)
            known = label is None or label in self.known.numbers | below
            if isinstance(power, Text) or not known:
                return None  # x^T and x^{(k)} are no powers, and a_1^h of y_{T+h} is one
            short = part if power is None else replace(part, sup=None)
            form = None if short in arguments else short_form(short)
            element = None if form is None else self._element(*form, env)
            if element is None and form is not None and isinstance(power, Number):
                square = self._of_whole(form[0], power, form[1], env)
                self.shorts += [] if square is None else [(part, square)]
                return square
            if element is None:
                kept = form is not None and isinstance(part, Call) and _counted(part, env)
                return part if kept else None
            self.shorts.append((short, element))
            return element if power is None else Scripts(part.span, element, sup=put(power, change))

        return change

    def _of_whole(
        self, letter: Letter, power: Number, at: Expression, env: Mapping[str, Runs]
    ) -> Indexed | None:
        """Give the element h_i^2 of what is defined as h^2."""
        base = Scripts(letter.span, letter, sup=power)
        axes = self.known.along(base, self.section, self._place(at, env)[1])
        return Indexed(letter.span, base, (unwritten(axes[0].axis.name, at),)) if axes else None

    def _element(
        self, letter: Letter, sub: Expression, env: Mapping[str, Runs], inside: bool = False
    ) -> Indexed | None:
        """Give the element that a letter with indices is; None where it is no such thing for sure."""
        known = self.known.tensor(letter, self.section)
        if known is None and is_near(sub) and not isinstance(sub, Number):
            along = self.known.along(letter, self.section, self._place(sub, env)[1])
            known = (letter, along) if along else None
        places = None if known is None else indices_of(sub, len(known[1]), env)
        if known is not None and len(known[1]) > 1:
            places = _digits(sub, len(known[1])) or places
        if known is None or not places:
            return None
        base, axes = known
        found = [self._place(at, env) for at in places]
        runs = [run for _, run in found]
        proven = inside or any(run is not ANY for run in runs)
        proven = proven or (
            _are_counted(places)
            and (
                (self.section, base.text) in self.known.by_elements
                or (letter.text, _names(axes)) in self.known.shown
                or self._is_one_of(letter.text, axes, places)
            )
        )
        if not all(runs) or not proven or ({ANY, COMPUTED} & {*runs} and len(runs) < len(axes)):
            return None
        chosen = self.known.chosen(axes, runs)
        items = [unwritten(a.axis.name, at) for a, (at, _) in zip(chosen, found, strict=False)]
        return Indexed(letter.span | sub.span, base, tuple(items)) if items else None

    def _is_one_of(
        self, text: str, axes: Sequence[SizedAxis], places: Sequence[Expression]
    ) -> bool:
        """Say whether t_4 is an element of a vector of 4 or more, of which nothing defines elements."""
        given = len(axes) == 1 and text not in self.known.defined
        return given and _fits({*places}, self.known.sizes_of(axes[0]))

    def _place(self, at: Expression, env: Mapping[str, Runs]) -> tuple[Expression, Runs]:
        """Give an index, and along what it runs: i, i - 1 and n - i + 1, 1 and n, and o_t in [n]."""
        form = short_form(at)
        if form is not None:
            element = self._element(*form, env, inside=True)
            bound = None if element is None else self.known.bounds.get(key_of(element.base))
            found = self.known.found_along.get(form[0].text, NONE)
            if isinstance(bound, AxisSize):
                found = frozenset((bound.axis.name,))
            elif bound is not None:
                found = frozenset((bound,))
            return element or at, found
        letters = letters_of(at)
        if isinstance(at, Number) or not is_near(at):
            scaled = isinstance(at, Binary) and at.op == "*" and isinstance(at.left, Number)
            summed = isinstance(at, Binary) and (scaled or at.op in ("+", "-")) and bool(letters)
            computed = summed and all(t.text in env for t in letters)
            return at, ANY if isinstance(at, Number) else COMPUTED if computed else frozenset()
        running = [env[t.text] for t in letters_of(at) if t.text in env]
        counting = [run for run in running if not run >= FROM_ZERO]
        if not running:
            return at, up_to(None, at, {})
        if counting:
            return at, counting[0] if len(counting) == 1 else COMPUTED
        plus = isinstance(at, Binary) and at.op == "+" and len(running) == 1
        return at, running[0] - FROM_ZERO if plus else frozenset()

    def _made(self, letter: Letter, sub: Expression, body: Expression) -> Indexed | None:
        """Give C_{ij} the axes along which i and j run in what defines it, where nothing declares C.

        Two indices of one axis, as of the distances of all pairs, are along it and along its copy.
        """
        members = [pair for _, _, places in self._indexed(body) for pair in places]
        used = [*named(body), *[(t.text, axis) for at, axis in members for t in letters_of(at)]]
        places = indices_of(sub, len(used) or 1, [t for t, _ in used]) or ()
        axes = [{axis for t, axis in used if t == getattr(at, "text", "")} for at in places]
        runs_of = self._of_target()
        near = {axis for _, axis in used}
        sized = [
            self.known.of_size(runs_of.get(getattr(at, "text", ""), NONE), near) for at in places
        ]
        axes = [{*(inside or own)} for inside, own in zip(axes, sized, strict=True)]
        if len(set(places)) < len(places):
            return None
        over: list[str] = []
        for runs in axes:
            stems = {axis.rstrip("'") for axis in runs}
            if len(stems) != 1:
                return None
            name = runs.pop() if len(runs) == 1 else stems.pop()
            while name in over:
                name += "'"
            over.append(name)
        if len(places) < 2:  # it is a series, which others may follow
            members_at = [unwritten(axis, sub) for axis in over]
            own = tuple([SizedAxis(at.span, at.axis, None) for at in members_at])
            self.known.members[self.section, letter.text] = own
        written = len(all_of(Scripts, body)) + len(all_of(Indexed, body))
        whole = any(sized) and not written
        whole = whole or (self.section, letter.text) in self.known.by_numbers
        alone = len(places) < 2 and not whole and "^{" not in letter.text
        if alone or self.known.tensor(letter, self.section):
            return None
        self.known.apart.get(letter.text, set()).discard(self.section)
        items = [unwritten(*pair) for pair in zip(over, places, strict=True)]
        element = Indexed(letter.span | sub.span, letter, tuple(items))
        self.shorts.append((self.statement.target, element))
        return element


#: Relations between indices.
COMPARED = frozenset(("=", "!=", "<", "<=", ">", ">="))


def short_form(part: Any) -> tuple[Letter, Expression] | None:
    """Give the letter and the indices of t_i, and of a_t(i); None for all else."""
    if isinstance(part, Call) and isinstance(part.function, Scripts) and part.bracket == "(":
        form = short_form(part.function)
        if form is None or part.axes or part.parameters or not all(map(is_near, part.arguments)):
            return None
        return form[0], Items(part.span, (*listed(form[1]), *part.arguments), "")
    if not isinstance(part, Scripts) or not isinstance(part.base, Letter):
        return None
    if part.sub is None or part.sup is not None:
        return None
    base = part.base  # h' of h'_i is a letter of its own
    return (replace(base, text=base.text + "'" * part.primes) if part.primes else base), part.sub


def _digits(sub: Expression, count: int) -> tuple[Number, ...]:
    """Part 12 of A_{12}, which has two axes; none where there are not as many digits from 1 on."""
    text = str(sub.value) if isinstance(sub, Number) else ""
    if len(text) != count or not text.isdigit() or "0" in text:
        return ()
    first = sub.span.end - count
    places = [Span(at, at + 1) for at in range(first, sub.span.end)]
    return tuple([Number(*pair) for pair in zip(places, map(int, text), strict=True)])


def _says_how(target: Any, body: Any) -> bool:
    """Say whether a definition only says how elements are written short: y_t = y_{seq(t)}."""
    if target == body or not isinstance(body, Indexed):
        return bool(target == body)
    at = [item.at for item in body.indices]
    return short_form(target) == (body.base, at[0] if len(at) == 1 else None)


def _has_indices(part: Any) -> bool:
    """Say whether something stands below a letter, which may be an index."""
    return any(name.sub is not None for name in all_of(Scripts, part))


def _counted(part: Call, env: Mapping[str, Runs]) -> bool:
    """Say whether a call is of indices alone: a_t(i) is no product of a_t and i."""
    return all(isinstance(at, Letter) and at.text in env for at in part.arguments)


def _are_counted(places: Sequence[Expression]) -> bool:
    """Say whether indices are numbers from 1 on."""
    return all(isinstance(at, Number) and at.value >= 1 for at in places)


def _fits(run: Collection[str | Expression], sizes: Collection[Expression]) -> bool:
    """Say whether an index runs up to a number that is no greater than a size: up to 3 of 4."""
    ends = [end.value for end in run if isinstance(end, Number)]
    known = [size.value for size in sizes if isinstance(size, Number)]
    return bool(ends and known) and max(ends) <= min(known)


def up_to(lower: Expression | None, upper: Expression, env: Mapping[str, Runs]) -> Runs:
    """Say along what an index runs that ends at n, n - 1 or another index."""
    if isinstance(lower, Number) and lower.value < 1:
        return frozenset()
    found: list[str | Expression] = [upper]
    while (
        isinstance(upper, Binary) and upper.op == "-" and isinstance(upper.right, (Number, Letter))
    ):
        upper = upper.left
        found.append(upper)
    if isinstance(upper, Letter) and upper.text in env:
        return env[upper.text]
    return frozenset([end.axis.name if isinstance(end, AxisSize) else end for end in found])


def _names(axes: Sequence[SizedAxis]) -> tuple[str, ...]:
    return tuple([axis.axis.name for axis in axes])


def unwritten(axis: str, at: Expression) -> At:
    """Give an index along an axis whose name is not written."""
    return At(at.span, AxisName(Span(at.span.start, at.span.start), axis), at)


def named(part: Any) -> Iterator[tuple[str, str]]:
    """List the indices that name their axes, pat(i) and pat(i - 1), but those that an operator binds."""
    bound = {id(at) for big in all_of(Big, part) for at in _bound_in(big)}
    for at in all_of(At, part):
        letters = letters_of(at.at)
        if len(letters) == 1 and id(at) not in bound and is_near(at.at):
            yield letters[0].text, at.axis.name


def _bound_in(big: Big) -> Iterator[At]:
    """List the indices inside of an operator that have a letter which it binds."""
    pieces = () if big.lower is None else listed(big.lower)
    first = [p.first if isinstance(p, Relation) else p for p in pieces]
    letters = {t.text for p in first for t in letters_of(p)}
    for at in all_of(At, big):
        if not letters.isdisjoint(texts_of(at.at)):
            yield at


def is_near(at: Expression) -> bool:
    """Say whether an index is a letter, or one before or after it."""
    if isinstance(at, Binary) and at.op in ("+", "-"):
        return is_near(at.left) and isinstance(at.right, (Number, Letter))
    return isinstance(at, Number) or (isinstance(at, Letter) and at.style == "letter")
