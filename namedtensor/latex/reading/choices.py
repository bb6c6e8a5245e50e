r"""Choices in algorithms: \If{$s > 1$} g <- g / s \EndIf sets g to g / s where s > 1, else it stays as it is.

The branches become the rows of one definition by cases. A condition in words is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.reading.asides import Entry
from namedtensor.latex.reading.spoken import key_of
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    Case,
    Cases,
    Constraint,
    Definition,
    Expression,
    Letter,
    Scripts,
)
from namedtensor.latex.walk import walk

ALGORITHM = re.compile(
    r"\\begin\{(algorithm\*?|algorithmic|algorithm2e)\}.*?\\end\{\1\}", re.DOTALL
)
MARK = re.compile(r"\\(if|uif|eif|elsif|elseif|else|endif)(?![a-z])", re.IGNORECASE)
OTHERWISE = re.compile(r"\s*\\[a-z]?else(?=\s*\{)", re.IGNORECASE)
BRACE = re.compile(r"\s*\{")
SIGN = re.compile(r"\\.|[{}]", re.DOTALL)
MATHEMATICS = re.compile(r"\$([^$]*)\$|\\\((.*?)\\\)", re.DOTALL)
#: What begins a remark in a line of an algorithm.
ASIDE = re.compile(r"\\(?:comment|tcp|tcc|tcp\*)\*?\s*\{", re.IGNORECASE)


@dataclass
class Choice:
    """A choice: where it stands, and its branches, each with the head that its condition stands in."""

    span: Span
    branches: list[tuple[Span | None, Span]]


def algorithms_in(text: str) -> list[Span]:
    """Find the algorithms of a text."""
    return [Span(*found.span()) for found in ALGORITHM.finditer(text)]


def with_choices(
    entries: Sequence[Entry], text: str, algorithms: Sequence[Span]
) -> tuple[list[Entry], str]:
    """Write the choices of algorithms as definitions by cases; give the text without those that are read."""
    found, unread = list(entries), list[Span]()
    choices = [each for around in algorithms for each in _choices(text, around)]
    for choice in sorted(choices, key=lambda each: each.span.end - each.span.start):
        inside = any(choice.span.holds(span) for span in unread)
        read = None if inside else _Branches(found, choice, text).put_in()
        if read is None:
            unread.append(choice.span)
            continue
        found, (start, end) = read, (choice.span.start, choice.span.end)
        without = MARK.sub(lambda mark: " " * len(mark[0]), text[start:end])
        text = text[:start] + without + text[end:]
        for head in [head for head, _ in choice.branches if head is not None]:
            blank = " " * (head.end - head.start + 2)
            text = text[: head.start - 1] + blank + text[head.end + 1 :]
    return found, text


def _choices(text: str, around: Span) -> Iterator[Choice]:
    waiting: list[tuple[Choice, Span | None, int]] = []
    for mark in MARK.finditer(text, around.start, around.end):
        word, at = mark[1].lower(), mark.end()
        if word in ("if", "uif", "eif"):
            head = braced(text, at)
            body = None if head is None else braced(text, head.end + 1)
            if head is not None and body is not None:
                other = OTHERWISE.match(text, body.end + 1)
                more = braced(text, other.end()) if other else None
                more = braced(text, body.end + 1) if word == "eif" else more
                end = body.end if more is None else more.end
                branches: list[tuple[Span | None, Span]] = [(head, body)]
                branches += [(None, more)] if more is not None else []
                yield Choice(Span(mark.start(), end), branches)
            elif head is not None:
                choice = Choice(Span(mark.start(), mark.end()), [])
                waiting.append((choice, head, head.end + 1))
        elif waiting and not (word == "else" and BRACE.match(text, at)):
            choice, above, first = waiting.pop()
            choice.branches.append((above, Span(first, mark.start())))
            if word == "endif":
                choice.span = Span(choice.span.start, at)
                yield choice
                continue
            head = None if word == "else" else braced(text, at)
            waiting.append((choice, head, at if head is None else head.end + 1))


class _Branches:
    """The steps in the branches of a choice."""

    def __init__(self, entries: list[Entry], choice: Choice, text: str) -> None:
        self.entries, self.choice, self.text = entries, choice, text
        self.steps = [self._steps(body) for _, body in choice.branches]

    def _steps(self, body: Span) -> list[Entry]:
        inside = [e for e in self.entries if is_definition(e) and body.holds(e.statement.span)]
        return [entry for entry in inside if not is_remark(entry, self.text)]

    def put_in(self) -> list[Entry] | None:
        """Give the entries with one definition for each name that is set; None where that cannot be."""
        conditions = [self._condition(head) for head, _ in self.choice.branches]
        if any(
            head and c is None
            for (head, _), c in zip(self.choice.branches, conditions, strict=True)
        ):
            return None
        made = self._made(conditions)
        if made is None:
            return None
        gone = [*[e for steps in self.steps for e in steps], *self._heads()]
        first = min(place_of(e, self.entries) for e in gone)
        rest = [e for e in self.entries[first:] if not any(e is one for one in gone)]
        return [*self.entries[:first], *made, *rest]

    def _heads(self) -> list[Entry]:
        heads = [head for head, _ in self.choice.branches if head is not None]
        return [e for e in self.entries if any(head.holds(e.region.span) for head in heads)]

    def _condition(self, head: Span | None) -> Expression | None:
        """Give the relation that stands alone in the head of a branch."""
        if head is None or MATHEMATICS.sub("", self.text[head.start : head.end]).strip():
            return None
        here = [e for e in self.entries if head.holds(e.region.span)]
        said = [e.statement for e in here if isinstance(e.read, Found)]
        return said[0].relation if len(said) == 1 and isinstance(said[0], Constraint) else None

    def _made(self, conditions: Sequence[Expression | None]) -> list[Entry] | None:
        """Give the definitions by cases, in the order in which the branches set their names."""
        names: list[str] = []
        for steps in self.steps:
            own = [key_of(step_of(entry).target) for entry in steps]
            names += [name for name in own if name not in names]
            if len({*own}) < len(own) or own != [name for name in names if name in own]:
                return None
        every = [step_of(entry) for steps in self.steps for entry in steps]
        asked = names_in(tuple([c for c in conditions if c is not None])) & {*names}
        if not every or (asked and len(names) > 1):
            return None
        if any(s.chain or not isinstance(s.target, (Letter, Scripts)) for s in every):
            return None
        return [self._by_cases(name, conditions) for name in names]

    def _by_cases(self, name: str, conditions: Sequence[Expression | None]) -> Entry:
        own = [[e for e in steps if key_of(step_of(e).target) == name] for steps in self.steps]
        entry = next(steps[0] for steps in own if steps)
        step = step_of(entry)
        rows = [
            Case(step.span, step_of(steps[0]).body if steps else step.target, condition)
            for steps, condition in zip(own, conditions, strict=True)
        ]
        if conditions[-1] is not None:
            rows.append(Case(step.span, step.target, None))
        said = replace(step, body=Cases(step.span, tuple(rows)), op="<-")
        region = replace(entry.region, display=True)
        return replace(entry, read=replace(entry.found, statement=said), region=region)


def braced(text: str, at: int) -> Span | None:
    """Give what stands between the braces that begin at a place."""
    opened = BRACE.match(text, at)
    if opened is None:
        return None
    deep, start = 1, opened.end()
    for sign in SIGN.finditer(text, start):
        deep += {"{": 1, "}": -1}.get(sign[0], 0)
        if not deep:
            return Span(start, sign.start())
    return None


def is_definition(entry: Entry) -> bool:
    """Say whether a definition was read at a place."""
    return entry.target is not None


def step_of(entry: Entry) -> Definition:
    """Give the definition that was read at a place."""
    statement = entry.statement
    assert isinstance(statement, Definition)
    return statement


def is_remark(entry: Entry, text: str) -> bool:
    """Say whether something stands in a remark of an algorithm's line."""
    start = entry.region.span.start
    return ASIDE.search(text[text.rfind("\n", 0, start) + 1 : start]) is not None


def place_of(entry: Entry, entries: Sequence[Entry]) -> int:
    """Find an entry among others by what it is, and not by what it holds."""
    return next(at for at, each in enumerate(entries) if each is entry)


def names_in(part: Any) -> set[str]:
    """List the names in a part, those that have an exponent without it too."""
    found = [p for p in walk(part) if isinstance(p, (Letter, Scripts))]
    return {key_of(p) for p in found} | {key_of(base_of(p)) for p in found}


def base_of(name: Letter | Scripts) -> Expression:
    """Give a name without its exponent."""
    if isinstance(name, Letter) or name.sup is None:
        return name
    return name.base if name.sub is None and not name.primes else replace(name, sup=None)
