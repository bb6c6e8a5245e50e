r"""Loops of algorithms: \For{$k = 1, \dots, K$} x <- f(x) \EndFor, and "For $k = 1, \ldots, K$:" in prose.

Each name that a loop sets becomes a series: x^{(0)} is what it was before, x^{(k)} what step k makes of it,
and behind the loop it is x^{(K)}. Where nothing counts the steps (while, until), their number is `steps`.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from namedtensor.latex.reading.asides import Entry, fact_of
from namedtensor.latex.reading.choices import (
    MATHEMATICS,
    algorithms_in,
    base_of,
    braced,
    is_definition,
    is_remark,
    names_in,
    place_of,
    step_of,
    with_choices,
)
from namedtensor.latex.reading.grammar.parser import Parser
from namedtensor.latex.reading.own_letters import INDICES, free_indices, letters_read
from namedtensor.latex.reading.spoken import head_of, key_of
from namedtensor.latex.reading.statements import Found
from namedtensor.latex.reading.tokens import Fault, tokens_of
from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    Binary,
    Call,
    Declaration,
    Definition,
    Expression,
    Items,
    Letter,
    Number,
    Relation,
    Scripts,
)
from namedtensor.latex.walk import moved, put, texts_of, walk

#: Joins a name that a loop sets and the number of the loop: what its steps make of the name.
LOOP = "%"

#: Where nothing counts the steps of a loop, their number has this name.
STEPS = "steps"

#: What begins and ends a loop of algorithmic and algpseudocode; algorithm2e has the steps in braces.
MARK = re.compile(
    r"\\(?:(?P<begin>for|forall|while|repeat|loop|foreach|if)"
    r"|(?P<end>end(?:for|while|loop|if)|until))(?![a-z])",
    re.IGNORECASE,
)
PROSE = re.compile(
    r"(?<!\S)(?:(?<=[.;:,]\s)|(?<=^)|(?<=\n)|(?<=\}\s)|(?<=and\s)|(?<=State\s)|(?<=STATE\s)|(?<=\b[a-z]\)\s))"
    r"[> \t]*(?:[-*+]|\d+[.):])?"
    r"(?:[ \t]|&nbsp;|\\quad)*(?:\\item(?:\[[^\]\n]*\])?\s*)?(?:\\textbf\{|\**)"
    r"(?:[Rr]epeat(?:ed(?:ly)?)?|[Ii]terate|[Ff]or|[Ww]hile|[Tt]hen,? (?:for|repeat|iterate)"
    r"|(?:[Ww]e )?(?:then )?(?:repeat|iterate)|and (?:repeat|iterate)|(?:[Ii]n|[Aa]t) each(?: of)?)"
    r"\b\}?\**(?P<head>(?:\$[^$\n]*\$|\\\([^\n]*?\\\)|\\textbf\{(?:to|do)\}|[^.;:$\\\n]|\.\.\.)*):?",
)
SIGN = r"(?:=|\\leftarrow|\\gets|\\in|from)"
DOTS = r"(?:\\dots|\\ldots|\\cdots|\.\.\.?)"
COUNTED = re.compile(
    rf"(?P<letter>\\?[A-Za-z]+)\s*{SIGN}\s*(?:\\?\{{|\[)?\s*(?P<lower>[^,\s]+?)\s*"
    rf"(?:,\s*(?:[^,]+,\s*)?{DOTS}\s*,?|{DOTS}|(?:to|up\s+to|\\KwTo|\\TO|\\To|\\textbf\{{to\}})(?![a-z]))\s*"
    rf"(?P<upper>[^,:\s](?:[^,:\n]*?[^,:\s])??)\s*(?:\\?\}}|\])?\s*"
    r"(?:\\textbf\{do\}|\\DO|\\Do|do|steps|iterations)?[\s,:]*$"
)
WORDS = r"(?:times|steps?|iterations?|rounds?|epochs?|sweeps?)"
TIMES = re.compile(rf"^\s*(?:for\s+)?(?P<upper>[^\s,]+)\s+{WORDS}\b[\s\w,]*$")
#: Loops whose steps differ in what is given to them.
EACH = re.compile(
    r"\b(?:each|every|all)\b(?!\s+(?:step|iteration|time|layer|round|epoch)\b)|\\in(?![a-z])"
)
CHOICE = re.compile(r"\\(?:u|l|e)?(?:if|elsif|elseif|else)(?![a-z])", re.IGNORECASE)
#: What ends a loop that prose writes as an algorithm does.
END = re.compile(r"\bend[ ]?(?:for|while|loop|repeat)?\b", re.IGNORECASE)
ITEM = re.compile(r"^(?P<indent>[> \t]*)(?:[-*+]|\d+[.)])[ \t]", re.MULTILINE)
#: The steps of a loop in a loop are written one after the other, so many at the most.
MOST = 200
#: An algorithm in prose ends within so many characters.
FAR = 3000
BLANK = re.compile(r"\n[ \t]*\n")
LISTS = re.compile(r"\\(?P<way>begin|end)\{(?:enumerate|itemize|description)\}|\\item(?![a-z])")


@dataclass(frozen=True)
class Loop:
    """A loop: where its head and its steps stand, and what counts them; `why_not` says that it cannot run."""

    head: Span
    steps: Span
    in_algorithm: bool
    letter: Letter | None = None
    lower: Expression | None = None
    upper: Expression | None = None
    why_not: str = ""


def with_loops_run(entries: Sequence[Entry], text: str) -> list[Entry]:
    """Write what loops do as series, and what they leave behind as their last members."""
    updates = [e.region.span for e in entries if _is_update(e)]
    algorithms = algorithms_in(text)
    if not updates and not algorithms:
        return list(entries)
    found, text = with_choices(entries, text, algorithms)
    free = next(iter(free_indices(letters_read(entries))), INDICES[0])
    defined = sorted(filter(is_definition, found), key=_start)
    loops = [
        loop
        for loop in _loops(text, algorithms, updates)
        if _steps(defined[slice(*_ends(defined, loop.steps))], loop, text)
    ]
    if not loops:
        return found
    with_loops = [a for a in algorithms if any(a.holds(loop.head) for loop in loops)]
    for entry in defined:  # what an algorithm sets is no remark
        ours = any(a.holds(entry.region.span) for a in with_loops)
        if ours and not is_remark(entry, text):
            entry.region = replace(entry.region, display=True)
    for number, loop in enumerate(loops, 1):
        if not any(o is not loop and o.steps.holds(loop.head) for o in loops):
            inside = [o for o in loops if o is not loop and loop.steps.holds(o.head)]
            why = next((o.why_not for o in (loop, *inside) if o.why_not), "")
            for inner in () if why else sorted(inside, key=lambda o: o.steps.end - o.steps.start):
                unrolled = _unrolled(found, inner, text)
                why = why or ("" if unrolled else "a loop in a loop is not run")
                found = unrolled or found
            found = _Run(loop, number, free, text, algorithms).put_in(found, why)
    return found


def _start(entry: Entry) -> int:
    return entry.statement.span.start


def _ends(entries: Sequence[Entry], span: Span) -> tuple[int, int]:
    """Give which ones of sorted entries begin inside a span."""
    return (
        bisect.bisect_left(entries, span.start, key=_start),
        bisect.bisect_right(entries, span.end, key=_start),
    )


def _is_update(entry: Entry) -> bool:
    return is_definition(entry) and step_of(entry).op == "<-"


def _steps(entries: Sequence[Entry], loop: Loop, text: str) -> list[Entry]:
    """Find the definitions that are steps of a loop; none where the loop changes no name."""
    inside = [
        entry
        for entry in entries
        if is_definition(entry)
        and loop.steps.holds(entry.statement.span)
        and not is_remark(entry, text)
        and (loop.in_algorithm or step_of(entry).op == "<-" or entry.region.display)
    ]
    for entry in inside:
        step = step_of(entry)
        if step.op == "<-" or (loop.in_algorithm and key_of(step.target) in names_in(step.body)):
            return inside
    return []


def _unrolled(entries: list[Entry], inner: Loop, text: str) -> list[Entry]:
    """Write the steps of a loop in a loop one after the other; nothing where their number is not known."""
    steps = _steps(entries, inner, text)
    low, high = [getattr(end, "value", None) for end in (inner.lower, inner.upper)]
    low = 1 if inner.lower is None else low
    if not isinstance(low, int) or not isinstance(high, int):
        return []
    numbers = range(low, high + 1) if low <= high else range(low, high - 1, -1)
    if len(numbers) * len(steps) > MOST:
        return []
    letter = inner.letter.text if inner.letter is not None else None
    copies = []
    for number in numbers:

        def change(part: Any, number: int = number) -> Expression | None:
            mine = isinstance(part, Letter) and part.text == letter
            return Number(part.span, number) if mine else None

        for entry in steps:
            step = put(step_of(entry), change)
            copies.append(replace(entry, read=replace(entry.found, statement=step)))
    at = place_of(steps[0], entries)
    kept = [e for e in entries[at:] if not any(e is one for one in steps)]
    return [*entries[:at], *copies, *kept]


# ------------------------------------------------------------------------------------- where loops stand


def _loops(text: str, algorithms: Sequence[Span], updates: Sequence[Span]) -> Iterator[Loop]:
    """Find the loops of a text: those of algorithms, and those that prose tells."""
    for around in algorithms:
        if not any(o is not around and o.holds(around) for o in algorithms):
            yield from _of_algorithm(text, around)
    for said in PROSE.finditer(text):
        head = Span(said.start("head"), said.end())
        inside = any(a.holds(head) for a in algorithms)
        if not inside or "\\textbf" in said[0]:
            word = re.findall(r"[a-z]+", text[said.start() : head.start].lower())[-1]
            steps = _told(text, said, updates)
            if steps is not None:
                yield _counted(text, head, steps, word, inside)


def _of_algorithm(text: str, around: Span) -> Iterator[Loop]:
    open_: list[tuple[str, Span, int]] = []
    at = around.start
    while (mark := MARK.search(text, at, around.end)) is not None:
        at = mark.end()
        if mark["begin"]:
            word = mark["begin"].lower()
            head = braced(text, at) if word not in ("repeat", "loop") else None
            head = Span(at, at) if head is None else head
            first = head.end + 1 if head.end > head.start else at
            steps = braced(text, first) if mark["begin"].istitle() or word == "repeat" else None
            at = first
            if word == "repeat" and steps is not None and braced(text, steps.end + 1):
                head, steps = steps, braced(text, steps.end + 1)  # \Repeat{until}{steps}
            if steps is not None:
                yield _counted(text, head, steps, word, True)
            else:
                open_.append((word, head, first))
        elif open_:
            word, head, first = open_.pop()
            yield _counted(text, head, Span(first, mark.start()), word, True)


def _told(text: str, said: re.Match[str], updates: Sequence[Span]) -> Span | None:
    """Give where the steps of a loop that prose tells stand: its item, the sentence, or the next display."""
    start = said.end()
    ended = END.search(text, start, start + FAR)
    if ended is not None:
        inner = sum(1 for m in PROSE.finditer(text, start, ended.start()))
        for _ in range(inner):
            ended = END.search(text, ended.end(), start + FAR) or ended
        return Span(start, ended.start())
    line = text.rfind("\n", 0, said.start("head")) + 1
    item = ITEM.match(text, line)
    if item is not None and item.end() + 40 > said.start("head"):
        ends = [
            m.start()
            for m in ITEM.finditer(text, start)
            if len(m["indent"].expandtabs()) <= len(item["indent"].expandtabs())
        ]
        after = re.compile(rf"\n[ \t]*\n(?=[ \t]{{0,{len(item['indent'])}}}[^\s\-*+\d])").search(
            text, start
        )
        return Span(start, min([*ends[:1], *([after.start()] if after else []), len(text)]))
    if "\\item" in text[line:start]:
        deep = 0
        for mark in LISTS.finditer(text, start):
            if deep == 0 and mark["way"] != "begin":
                return Span(start, mark.start())
            deep += {"begin": 1, "end": -1}.get(mark["way"], 0)
        return None
    first = next((span for span in updates if span.start >= start), None)
    if first is None or len(BLANK.findall(text, start, first.start)) > 1:
        return None
    between = MATHEMATICS.sub("", text[start : first.start])
    if re.search(r"[.;]\s", between):
        return None
    listed = ITEM.match(text, text.rfind("\n", 0, first.start) + 1)
    if listed is not None:
        over = re.compile(r"\n[ \t]*\n(?![ \t]*(?:[-*+]|\d+[.)])[ \t]|[ \t]{2,})").search(
            text, start
        )
        return Span(start, over.start() if over else len(text))
    if "\\item" in text[start : first.start]:
        over = re.compile(r"\\end\{(?:enumerate|itemize)\}").search(text, start)
        return Span(start, over.start() if over else len(text))
    inline = (
        re.search(r"[$(]$", text[: first.start]) and text[first.start - 2 : first.start] != "$$"
    )
    over = re.compile(r"[.;](?:\s|$)|\n[ \t]*\n").search(text, first.end)
    if inline and over:
        return Span(start, over.start())
    return Span(start, first.end)


def _counted(text: str, head: Span, steps: Span, word: str, in_algorithm: bool) -> Loop:
    """Say what counts the steps of a loop."""
    loop = Loop(head, steps, in_algorithm)
    plain = MATHEMATICS.sub(lambda m: m[1] or m[2] or "", text[head.start : head.end])
    plain = plain.replace("\\,", " ").replace("~", " ").replace("**", "").strip(" \n\t:")
    if word == "if" or CHOICE.search(text, steps.start, steps.end):
        return replace(loop, why_not="a choice in an algorithm is not read")
    if word.endswith("for") and (counted := COUNTED.search(plain)):
        letter, lower, upper = [_expression(text, head) for text in counted.groups()]
        if isinstance(letter, Letter) and lower is not None and upper is not None:
            return replace(loop, letter=letter, lower=lower, upper=upper)
    if (times := TIMES.match(plain)) and (upper := _expression(times[1], head)) is not None:
        return replace(loop, upper=upper)
    if word.startswith("for") or EACH.search(plain):
        why = "the steps of this loop are given different things, and are not run"
        return replace(loop, why_not=why)
    return loop


def _expression(text: str, at: Span) -> Expression | None:
    try:
        found: Expression = moved(Parser(tokens_of(text)).whole(), at.start)
    except Fault:
        return None
    return found


# ------------------------------------------------------------------------------------- what loops do


class _Run:
    """One loop, written as series.

    `now` has the series in which the loop's names stand at a step; a name that a step sets twice has one
    for each, and the last is the one that the next step reads.
    """

    def __init__(
        self, loop: Loop, number: int, free: str, text: str, algorithms: Sequence[Span]
    ) -> None:
        self.loop, self.number, self.text = loop, number, text
        self.algorithms = algorithms
        at = loop.head
        self.letter = loop.letter or Letter(at, free)
        self.lower: Expression = loop.lower or Number(at, 1)
        self.upper: Expression = loop.upper or Letter(at, STEPS, "word")
        #: t = T, ..., 1 counts down: what a step reads is of t + 1
        low = self.lower.value if isinstance(self.lower, Number) else 3
        down = isinstance(self.upper, Number) and self.upper.value < low
        self.before = "+" if down else "-"
        self.ends = (self.upper, self.lower) if down else (self.lower, self.upper)
        self.now: dict[str, str] = {}

    def put_in(self, entries: list[Entry], why: str) -> list[Entry]:
        """Give the entries of a document with this loop run, or with its steps set aside."""
        steps = _steps(entries, self.loop, self.text)
        last = {key_of(step_of(e).target): e for e in steps if self._is_plain(step_of(e))}
        standing = self._standing(entries, [*last])
        why = why or self._why_not(steps, standing)
        if why:
            return self._left_out(entries, [*last], why)
        names = {*last, *standing}
        begins: dict[str, Entry] = {}
        ends: list[Entry] = []
        run: list[Entry] = []
        for entry in steps:
            for made in self._needed(step_of(entry), standing):
                said = replace(made, block=entry.region.block, section=entry.region.section)
                run.append(replace(entry, read=Found(said, named=True)))
            run.append(entry)
        for place, entry in enumerate(run):
            step = step_of(entry)
            ours = key_of(step.target) if self._is_plain(step) else None
            final = last.get(ours or "") is entry
            for name in sorted(names_in(step.body) & names - {*self.now}):
                begins.setdefault(name, self._begin(entry, name))
            entry.found.statement = self._step(step, names, ours, "" if final else f".{place}")
            entry.region = replace(entry.region, display=True)
            if final:
                ends.append(self._end(entry, step.target))
        kept = [
            e for e in entries if not self.loop.head.holds(e.region.span) or e.relation is not None
        ]
        at = place_of(steps[0], kept)
        for entry in kept[:at]:  # "start at $x = 0$" says what x is, and is no remark
            if is_definition(entry) and entry.region.section == steps[0].region.section:
                start = step_of(entry)
                if key_of(start.target) in {*begins} - names_in(start.body):
                    entry.region = replace(entry.region, display=True)
        rest = [e for e in kept[at:] if not any(e is one for one in steps)]
        return [*kept[:at], *begins.values(), *run, *ends, *rest]

    def _is_plain(self, step: Definition) -> bool:
        """Say whether a step sets a name, and no member of a series that the loop's letter runs through."""
        return self.letter.text not in texts_of(step.target)

    def _why_not(self, steps: Sequence[Entry], standing: Mapping[str, Definition]) -> str:
        """Say why a loop cannot be run; nothing if it can."""
        ours = [step_of(entry) for entry in steps]
        if any(not isinstance(s.target, (Letter, Scripts)) for s in ours if self._is_plain(s)):
            return "a loop that sets elements, or functions, is not run"
        for step in ours:
            for made in self._needed(step, standing):
                if not isinstance(made.target, (Letter, Scripts)):
                    name = head_of(made.target)
                    return f"{name} changes with each step of this loop, which is not run"
        return ""

    def _standing(self, entries: Sequence[Entry], names: Sequence[str]) -> dict[str, Definition]:
        """Give what a document defines outside of algorithms and changes with the names of the loop."""
        outside = [
            step_of(e)
            for e in entries
            if is_definition(e)
            and step_of(e).op == "="
            and not any(m.holds(e.statement.span) for m in (self.loop.steps, *self.algorithms))
        ]
        changing: dict[str, Definition] = {}
        waiting = [*names]
        while waiting:
            name = waiting.pop()
            for said in outside:
                made = key_of(said.target)
                if name in names_in(said.body) - _given(said) and made not in {*changing, *names}:
                    changing[made] = said
                    waiting.append(made)
        return changing

    def _needed(
        self, step: Definition, standing: Mapping[str, Definition], above: Sequence[str] = ()
    ) -> list[Definition]:
        """Give the definitions that a step reads, each after those that it is made of."""
        found: list[Definition] = []
        for name in sorted(names_in(step.body) & {*standing} - {*above}):
            made = standing[name]
            inner = self._needed(made, standing, (*above, name))
            found += [each for each in (*inner, made) if each not in found]
        return found

    def _member(self, name: Expression, index: Expression, series: str = "") -> Expression:
        """Give the member of a series that a name is at a step."""
        series = series or f"{key_of(name)}{LOOP}{self.number}"
        return Scripts(name.span, Letter(name.span, series), sup=index)

    def _begin(self, entry: Entry, name: str) -> Entry:
        """Say what a name is before the first step: what it was."""
        step = step_of(entry)
        names = [p for p in walk(step.body) if isinstance(p, (Letter, Scripts))]
        part = next(b for p in names for b in (p, base_of(p)) if key_of(b) == name)
        at = part.span
        index: Expression = Binary(at, self.before, self.lower, Number(at, 1))
        if (
            self.before == "-"
            and isinstance(self.lower, Number)
            and isinstance(self.lower.value, int)
        ):
            index = Number(at, self.lower.value - 1)
        said = Definition(
            step.span, self._member(part, index), part, block=step.block, section=step.section
        )
        region = replace(entry.region, display=True)
        return replace(entry, read=Found(said, named=True), region=region)

    def _step(
        self, step: Definition, names: Collection[str], ours: str | None, version: str
    ) -> Definition:
        """Write one step as a rule of its series, which reads what other steps have made before it."""

        def change(part: Any) -> Expression | None:
            if not isinstance(part, (Letter, Scripts)):
                return None
            at, name, base = part.span, key_of(part), base_of(part)
            if name in names:
                letter = replace(self.letter, span=at)
                if name in self.now:
                    return self._member(part, letter, self.now[name])
                return self._member(part, Binary(at, self.before, letter, Number(at, 1)))
            if key_of(base) in names and isinstance(part, Scripts):
                power = Items(base.span, (put(base, change),), "(")
                return Scripts(at, power, sup=put(part.sup, change))
            known = isinstance(part, Scripts) and key_of(part.base) in names
            return part if known else None

        at, target = step.span, step.target
        low, high = self.ends
        bounds = Relation(at, low, (("<=", self.letter), ("<=", high)))
        body, *chain = [put(each, change) for each in (step.body, *step.chain)]
        if ours is not None:
            self.now[ours] = f"{ours}{LOOP}{self.number}{version}"
            target = self._member(target, replace(self.letter, span=target.span), self.now[ours])
        condition = step.condition or bounds
        return replace(
            step, target=target, body=body, chain=tuple(chain), condition=condition, op="="
        )

    def _end(self, entry: Entry, name: Expression) -> Entry:
        """Say what a name is behind the loop: what its last step made of it."""
        last = self.upper
        if self.before == "+":  # 1 would be a power, beside a series that starts at T
            last = Binary(last.span, "-", Binary(last.span, "+", last, last), last)
        body = self._member(name, last)
        said = replace(step_of(entry), target=name, body=body, chain=(), condition=None, op="<-")
        return replace(entry, read=Found(said, named=True))

    def _left_out(self, entries: list[Entry], names: Collection[str], why: str) -> list[Entry]:
        """Set aside what a loop does that cannot be run, and what its names were before.

        What it does to a declared name is held to the declaration, and the name is an argument.
        """
        spaces = [e.statement for e in entries if isinstance(e.read, Found)]
        declared = {key_of(n) for s in spaces if isinstance(s, Declaration) for n in s.names}
        for entry in entries:
            if is_definition(entry) and entry.statement.span.start < self.loop.steps.end:
                step = step_of(entry)
                inside = self.loop.steps.holds(step.span)
                name = key_of(step.target)
                if name in declared & {*names} and inside:
                    entry.found.statement = fact_of(step)
                elif name in names and (inside or step.op == "<-"):
                    entry.leave_out(why)
        return entries


def _given(said: Definition) -> set[str]:
    """List the arguments that a definition of a function names."""
    return names_in(said.target.arguments) if isinstance(said.target, Call) else set()
