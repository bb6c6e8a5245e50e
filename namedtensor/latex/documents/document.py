"""A document: its statements, what is wrong with them, and its formulas."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from namedtensor.backends.lazy import is_number
from namedtensor.doors import door
from namedtensor.errors import NamedTensorError, kind_of_thing, nearest
from namedtensor.latex.documents.along import ALONG, axis_along, bare
from namedtensor.latex.documents.failures import LatexError
from namedtensor.latex.documents.formulas import Family, Library, Members
from namedtensor.latex.documents.inputs import Linked
from namedtensor.latex.documents.kept import Ground, Grounds, Kept
from namedtensor.latex.documents.scopes import Defined, Names, Place
from namedtensor.latex.documents.scripts import fold, key, stem
from namedtensor.latex.documents.signatures import python_name
from namedtensor.latex.findings import Finding
from namedtensor.latex.printing.names import identifier
from namedtensor.latex.reading.left_sides import derivative_name
from namedtensor.latex.reading.letters import DRESSES, rebuilt
from namedtensor.latex.reading.programs import LOOP
from namedtensor.latex.reading.reader import Reading, parse_expression
from namedtensor.latex.reading.spoken import names_of
from namedtensor.latex.reading.tokens import Fault
from namedtensor.latex.reading.words import SMALL
from namedtensor.latex.source import Source, Span
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Call,
    Definition,
    Expression,
    Indexed,
    Letter,
    Number,
    Renaming,
    Scripts,
    Statement,
)
from namedtensor.latex.walk import all_of, letters_of, put

if TYPE_CHECKING:
    from namedtensor.formula.formula import Formula
    from namedtensor.primitives import Node


@dataclass(frozen=True, slots=True, eq=False)
class StatementView:
    """One statement of a document: what kind it is, where it stands, and what it says.

    `kind` is declaration, signature, definition, constraint, induction or aside.
    """

    document: Document
    syntax: Statement

    @property
    def kind(self) -> str:
        return type(self.syntax).__name__.lower()

    @property
    def span(self) -> Span:
        return self.syntax.span

    @property
    def text(self) -> str:
        return self.document.source.text[self.span.start : self.span.end]

    @property
    def line(self) -> int:
        return self.document.source.position(self.span.start)[0]

    @property
    def tree(self) -> Node | None:
        """The expression tree of a definition; None where it is none, or cannot be evaluated."""
        if not isinstance(self.syntax, Definition):
            return None
        defined = self.document.definitions.of(self.syntax)
        if defined is None:
            return None
        try:
            return self.document.library.of(defined).written().results[0]
        except NamedTensorError:
            return None

    def __repr__(self) -> str:
        return f"{self.kind} in line {self.line}: {' '.join(self.text.split())}"


class Document:
    """A text whose formulas can be checked, called and printed.

    >>> from namedtensor.latex import read
    >>> document = read(r"$X \\in \\mathbb{R}^{\\text{seq}}$, $f(X) = \\sum_{\\text{seq}} X$")
    >>> document["f"].shape("seq[3] emb[2]")
    emb[2]
    """

    def __init__(
        self,
        reading: Reading,
        bound: dict[str, int] | None = None,
        settings: dict[str, float] | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.reading = reading
        self.kept = Kept() if kept is None else kept
        self.bound = dict(bound or {})
        self.settings = dict(settings or {})
        self.definitions = Names(reading.statements, reading.parents)
        self.library = Library(self.source, self.definitions, self.bound, self.settings)

    @property
    def source(self) -> Source:
        return self.reading.source

    @functools.cached_property
    def grounds(self) -> Grounds:
        """What each formula is found from."""
        chosen = (self.bound, self.settings)
        after = self.library.linker.after
        return Grounds(self.kept, self.source, self.definitions, after, chosen)

    @property
    def statements(self) -> tuple[StatementView, ...]:
        """All statements, in the order of the text."""
        return tuple([StatementView(self, s) for s in self.reading.statements])

    @property
    def asides(self) -> tuple[StatementView, ...]:
        """The formulas that are not named notation."""
        return tuple([s for s in self.statements if s.kind == "aside"])

    @property
    def counts(self) -> dict[str, int]:
        """Count the statements that are read, set aside, and unreadable."""
        unread = [a for a in self.asides if getattr(a.syntax, "why", "").startswith("cannot")]
        faults = [f for f in self.findings if f.code.startswith(("syntax", "limit"))]
        return {
            "read": len(self.statements) - len(self.asides),
            "aside": len(self.asides) - len(unread),
            "unreadable": len(unread) + len(faults),
        }

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What could not be read."""
        return self.reading.findings

    def silenced(self, code: str, line: int) -> bool:
        """Say whether a comment silences a rule on a line."""
        return (line, code) in self.reading.silenced

    def check(self, meaning: bool = False) -> list[Finding]:
        """Say what is wrong with the document, the worst first; with `meaning` also what its axes mean.

        What axes mean takes longer than all else: a softmax whose weights are summed over another axis,
        a mean taken off along another one. `namedtensor check` says both.
        """
        if meaning:
            return list(door("check.documents.check")(self)[0])
        found: list[Finding] = door("latex.check.rules.check")(self)
        return found

    # ------------------------------------------------------------------------------- formulas

    @property
    def names(self) -> tuple[str, ...]:
        """The names that can be asked for, in the order of the text."""
        given = [s for s in self.reading.statements if isinstance(s, Definition)]
        found = [self.definitions.of(s) for s in given]
        asked = [_asked(d) for d in found if d is not None]
        return tuple(dict.fromkeys([name for name in asked if not {ALONG, LOOP} & {*name}]))

    def __getitem__(self, name: str) -> Formula | Family | Members:
        """Give a formula, or a family of formulas, by its name: "att", "X^0", r"\\text{FFN}".

        Raises: LatexError where nothing has this name, or where the formula lacks a declaration.
        """
        found = self._find(name) if isinstance(name, str) else None
        if found is None:
            members = self._members(name)
            if members:
                return Members(self.library, name, members)
            element = self._element(name) if isinstance(name, str) else None
            if element is not None:
                return element
            raise self._no_such_name(str(name))
        defined, indices = found
        if defined.letters and not indices and defined.kind == "function":
            return Family(self.library, defined)
        return self.library.of(defined, indices)

    def ground(self, name: str) -> Ground | None:
        """Give all that a formula is found from; None for a member of a family."""
        found = self._find(name)
        return None if found is None or found[1] else self.grounds.of(found[0])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def _find(self, name: str) -> tuple[Defined, dict[str, int | None]] | None:
        """Find a definition by its name as it is written, by its Python name, or as a member."""
        defined, given = self.definitions.defined, list(self.definitions.definitions)
        if name in defined:
            return self._called(name), {}
        written = self._undressed(self._expression(name))
        text = None if written is None else key(written, self.bound)
        if text is not None and text in defined:
            return self._called(text), {}
        found = [d for d in given if python_name(d.name, d.key) == name] or [
            d for d in given if d.letters and key(bare(d.name)) in (name, text or name)
        ]
        if found:
            return found[-1], {}
        if isinstance(written, Scripts) and isinstance(written.sub, Letter) and written.sup is None:
            beside = defined.get(key(written.base) or "", ())
            elements = [d for d in beside if d.kind == "elements"]
            own = key(written.base), written.sub.text
            elements += [d for d in given if d.letters and (key(bare(d.name)), *d.letters) == own]
            if elements:
                return elements[-1], {}  # x_t is how the document writes them
        spelled = re.sub(r"\\(?:text|mathrm|operatorname)\b|[\\{}\s]", "", name)
        alone = [d for d in given if d.key.startswith(f"{spelled}(")]
        if len(alone) == 1:
            return alone[0], {}  # \log c is the name of the only \log c(Z)
        member = None if written is None else self._member(written)
        plain = None if written is None else key(written)  # r_K where K is chosen
        return (self._called(plain), {}) if member is None and plain in defined else member

    def _called(self, name: str) -> Defined:
        """Give what a name without scripts is of: f(x), beside elements f_k or f = f(x), or the last one."""
        given = self.definitions.defined[name]
        functions = [d for d in given if d.kind == "function"]
        beside = given[-1].kind == "elements" or self.definitions.is_where(given[-1])
        return (functions if functions and beside else given)[-1]

    def _members(self, name: str) -> dict[int, Defined]:
        """List the definitions that are numbered by a script: phi_1, phi_2 for phi."""
        found = {}
        for defined in self.definitions.definitions:
            script = defined.name
            if isinstance(script, Scripts) and key(script.base) == name:
                numbers = [fold(part, {}) for part in (script.sub, script.sup) if part is not None]
                if len(numbers) == 1 and numbers[0] is not None:
                    found[numbers[0]] = defined
        return found

    def _element(self, name: str) -> Formula | Family | Members | None:
        """Give h_T, an element of a series along an axis, as a definition of it behind all others would."""
        written = self._expression(name)
        index = (written.sub or written.sup) if isinstance(written, Scripts) else None
        text = None if written is None else key(written)
        if written is None or index is None or text is None:
            return None
        for rule in self.definitions.definitions:
            axis, whole = axis_along(rule.name), bare(rule.name)
            if axis is not None and key(whole) == key(bare(written)):
                at, block = rule.name.span, 1 + max(s.block for s in self.reading.statements)
                element = Indexed(at, whole, (At(at, AxisName(at, axis), index),))
                section = rule.statement.section
                asked = Definition(at, Letter(at, text), element, block=block, section=section)
                reading = replace(self.reading, statements=(*self.reading.statements, asked))
                return Document(reading, self.bound, self.settings)[text]
        return None

    def _member(self, written: Expression) -> tuple[Defined, dict[str, int | None]] | None:
        """Find a member of a series or a family: X^L where L is bound."""
        count = len(self.definitions.statements)
        last = max([s.block for s in self.definitions.statements], default=0)
        place = Place(count, last + 1, -1)
        found = self.definitions.chosen(written, place, self.bound)
        if found is None or found.defined is None or None in found.indices.values():
            return None
        return found.defined, dict(found.indices)

    def _expression(self, name: str) -> Letter | Scripts | None:
        try:
            written = parse_expression(name, self.reading.macros)
        except Fault:
            return None
        plain = put(written, lambda p: self._bare(p) if isinstance(p, (Letter, Scripts)) else None)
        written = derivative_name(plain) or written
        if self.reading.left_sides is not None:
            written = put(written, self.reading.left_sides)
        written = written.function if isinstance(written, Call) else written
        return written if isinstance(written, (Letter, Scripts)) else None

    def _bare(self, part: Letter | Scripts) -> Letter | Scripts | None:
        found = self._undressed(part)
        return None if found is part else found

    def _undressed(self, written: Letter | Scripts | None) -> Letter | Scripts | None:
        """Take off what a letter wears where the document has it without: L for a calligraphic L.

        r_{ij}^2 is the letter of the squares, where there is one.
        """
        match written:
            case Scripts(base=Letter(text=text), sup=Number(value=2)):
                if f"{text}sq" in self.definitions.defined:
                    return Letter(written.span, f"{text}sq")
        worn = None if written is None else stem(written)
        if written is None or worn is None or key(written) in self.definitions.defined:
            return written
        for dress in DRESSES:
            bare_letter = rebuilt(written, {worn: worn.removesuffix(dress)}, set())
            if worn.endswith(dress) and key(bare_letter) in self.definitions.defined:
                return bare_letter
        return written

    def _no_such_name(self, name: str) -> LatexError:
        for aside in self.asides:
            if re.match(rf"\W*(\\\w+\{{)?{re.escape(name)}(?![A-Za-z0-9'])", aside.text):
                message = f"{name} is set aside: {getattr(aside.syntax, 'why', '')}"
                return self.library.error_at("undefined", message, aside.span)
        names = self.names
        alike = [n for n in names if n.lower() == name.lower()]
        guess = alike[0] if alike else nearest(name, names)
        near = [d for d in self.definitions.definitions if guess in (None, _asked(d))]
        span = near[0].name.span if near else Span(0, 0)
        hint = f"it defines {', '.join(names)}" if names else "a definition is written f(X) = ..."
        meant = f"; did you mean {guess}?" if guess else ""
        message = f"the document defines no {name}{meant}"
        return self.library.error_at("undefined", message, span, hint)

    def linked(self, definition: Definition) -> Linked | None:
        """Give a definition with all that its formula takes."""
        defined = self.definitions.of(definition)
        return None if defined is None else self.library.linker.linked(defined)

    def inferred(self, name: str) -> set[str]:
        """Name a formula's arguments that are declared nowhere, whose axes its body says."""
        found = self._find(name)
        if found is None:
            return set()
        linked = self.library.linker.linked(*found)
        return {self.library.identifier(linked, i) for i in linked.arguments if i.inferred}

    def bind(self, **numbers: float) -> Document:
        """Choose numbers: sizes, d_k=64, height=8; lengths of series, L=6; small numbers, epsilon=1e-6.

        Raises: NamedTensorError where the document knows no such number.
        """
        known = self._numbers()
        bound, settings = dict(self.bound), dict(self.settings)
        for name, value in numbers.items():
            real = is_number(value)
            call = f"document.bind({name}={value!r})" if real else f"document.bind({name}=...)"
            text = known.get(name)
            if text is None:
                guess = nearest(name, known)
                listed = ", ".join(sorted(known))
                raise NamedTensorError(
                    call,
                    f"{self.source.name} has no size or number {name}",
                    hint=f"did you mean {guess}?" if guess else f"it has {listed or 'none'}",
                )
            small = stem_of(text) in SMALL
            whole = isinstance(value, int) and value >= 0
            if isinstance(value, bool) or not (real if small else whole):
                what = (
                    "this is a number"
                    if small
                    else "a size or a length is a whole number, 0 or more"
                )
                given = "" if real else f", and {kind_of_thing(value)} is given"
                raise NamedTensorError(
                    call,
                    f"{what}{given}",
                    hint=f"document.bind({name}={'1e-6' if small else 64})",
                )
            if not small:
                bound[text] = int(value)
            elif text in self.definitions.defined:
                bound[text] = value  # type: ignore[assignment]  # instead of what the text says
            else:
                settings[text] = value
        return Document(self.reading, bound, settings, self.kept)

    def _numbers(self) -> dict[str, str]:
        """List the numbers that can be chosen: Python name -> key."""
        places: list[Any] = [axis.size for _, axis in self.definitions.sized]
        renamed = all_of(Renaming, self.reading.statements)
        places += [axis.size for one in renamed for axis in one.after]
        stated = [size for _, size, _ in self.definitions.stated_sizes]
        places += [*stated, *[known.lower for known in self.definitions.ranges]]
        places += self.definitions.lengths.values()
        spaces = [s for group in self.definitions.declared.values() for s in group]
        places += [s.space.bound for s in spaces if s.space.bound is not None]
        places += [s.name for s in spaces if s.space.base in ("N", "Z") and not s.space.axes]
        names = [p for place in places if place is not None for p in names_of(place)]
        for statement in self.reading.statements:
            names += [p for p in letters_of(statement) if p.text in SMALL]
        for rules in self.definitions.defined.values():  # "we take W = 400" can be tried smaller
            names += [d.name for d in rules if d.kind == "value" and _is_whole(d.body)]
        found = {}
        for name in names:
            text = key(name) if isinstance(name, (Letter, Scripts)) else None
            if text is not None and self._is_chosen(text):
                found[python_name(name, text)] = text
        sized = {axis.axis.name for _, axis in self.definitions.sized}
        asked = {size.axis.name for size in all_of(AxisSize, self.reading.statements)}
        named = {axis.name for axis in all_of(AxisName, self.reading.statements)}
        for axis in sorted(asked | named - sized):
            if (word := axis.replace("'", "_")).isidentifier():
                found.setdefault(word, f"|{axis}|")
        return found

    def _is_chosen(self, text: str) -> bool:
        """Say whether a number may be chosen although the document defines it.

        That is a size of which it says of which other sizes and numbers it is made, the end of a range,
        beside a tensor of another section, and a small number that it gives.
        """
        names = self.definitions
        rules = [rule.body for rule in names.defined.get(text, ())]
        if text in names.ends_apart:
            return True
        small = stem_of(text) in SMALL and all(isinstance(rule, Number) for rule in rules)
        if small or all(map(_is_whole, rules)):
            return True
        letters = {key(name) or "" for body in rules for name in names_of(body)}
        named = {key(size) for _, size, _ in names.stated_sizes}  # |rep| = R
        given = {t for t in letters if (found := names.declared.get(t)) and not found[0].space.axes}
        given |= {t for t in letters if any(_is_whole(d.body) for d in names.defined.get(t, ()))}
        return all(t in named or names.is_size(t) for t in (text, *(letters - given)))

    # ------------------------------------------------------------------------------- printing

    def attempts(self) -> list[tuple[str, Formula | LatexError]]:
        """List what stands for itself, each a formula or what is wrong with it."""
        return [(_asked(defined), found) for defined, found in self.made()]

    def made(self) -> list[tuple[Defined, Formula | LatexError]]:
        """List the definitions that stand for themselves, with their formulas or what is wrong with them.

        These are functions, and values that are no where-clauses of a function in their block.
        """
        inside = self._where_clauses()
        found: list[tuple[Defined, Formula | LatexError]] = []
        for statement in self.reading.statements:
            defined = self.definitions.of(statement) if isinstance(statement, Definition) else None
            if defined is None or not _stands_alone(defined, inside):
                continue
            if defined is not self.definitions.last(defined):
                continue
            try:
                found.append((defined, self.library.of(defined)))
            except LatexError as error:
                found.append((defined, error))
        return found

    def _where_clauses(self) -> set[Defined]:
        """Give the values that functions of the same block are made of."""
        found: set[Defined] = set()
        for defined in self.definitions.definitions:
            if defined.kind == "function":
                reached = self.library.linker.linked(defined).reached
                found |= {d for d in reached if d.place.block == defined.place.block}
        return found

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The formulas that stand for themselves; those with faults are left out."""
        return tuple([f for _, f in self.attempts() if not isinstance(f, LatexError)])

    def latex(self, dialect: str = "macros") -> str:
        """Print the document's formulas in one dialect: "macros" or "underset".

        What a formula calls comes before it; a comment says which are left out, and why.
        """
        from namedtensor.latex.printing.printer import print_into

        printed: dict[str, str] = {}
        taken = {name for name, _ in self.attempts()} | {f.name for f in self.formulas}
        for name, found in self.attempts():
            try:
                if isinstance(found, LatexError):
                    raise found
                if found.name not in printed:  # with names for parts that no other one has
                    print_into(printed, found.written(), dialect, taken)
            except NamedTensorError as error:
                printed.setdefault(name, f"% {name} is left out: {error.why}")
        return "\n\n".join(printed.values())

    def python(self) -> str:
        """Write the Python module that the document defines; formulas with faults are left out."""
        from namedtensor.latex.python import python_of

        return python_of(self.formulas, failed=[])

    def __repr__(self) -> str:
        return f"Document({self.source.name!r}: {', '.join(self.names)})"


def _is_whole(body: Expression) -> bool:
    return isinstance(body, Number) and isinstance(body.value, int)


def _stands_alone(defined: Defined, inside: Collection[Defined]) -> bool:
    """Say whether a definition is a formula by itself: no where-clause, family, or first member."""
    if defined.kind == "function":
        return not defined.letters
    if LOOP in defined.key:
        return False
    first = axis_along(defined.name) is not None and not defined.letters
    return not first and defined not in inside


def _asked(defined: Defined) -> str:
    """Give the name by which a definition is asked for: LayerNorm for LayerNorm^l."""
    if defined.letters:
        return key(bare(defined.name)) or defined.key
    below = getattr(defined.name, "sub", None)
    if isinstance(below, Letter) and "_" in below.text:  # of a derivative, whose name is Python's
        return identifier(defined.name) or defined.key
    return defined.key if len(defined.key) < 2 or "{" not in defined.key else _short(defined.key)


def _short(text: str) -> str:
    """Leave out the braces that a script of one sign does without: X^0 for X^{0}."""
    return re.sub(r"\{(.)\}", r"\1", text)


def stem_of(text: str) -> str:
    """Give the letter of a key: W of W^{1}."""
    return text.split("^")[0].split("_")[0].rstrip("'")
