r"""What is given before the first element of an axis, x_0 = 0, or after the last, x_{time(|time|+1)} = 0.

The tensor, x \in \mathbb{R}^{time}, has no such element. Formulas of elements and of those before them,
x_{time(t)} - x_{time(t-1)}, take the value that is given where t is 1; those of the next ones where it is
the last.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from namedtensor.latex.reading.asides import QUIET, Entry, fact_of
from namedtensor.latex.reading.ranges import all_bound, indices_of, pieces_below
from namedtensor.latex.reading.spoken import head_of, key_of, sections_around
from namedtensor.latex.syntax import (
    At,
    AxisName,
    AxisSize,
    Big,
    Binary,
    Call,
    Case,
    Cases,
    Declaration,
    Definition,
    Expression,
    Indexed,
    Items,
    Letter,
    Logic,
    Number,
    Relation,
    Scripts,
    SizedAxis,
    Unary,
)
from namedtensor.latex.walk import all_of, put, reached, texts_of

#: The values outside of tensors, by a letter, an axis, and - before the first or + after the last element,
#: -- for the one before that, << and >> for all elements there; x_0 is that of any axis.
Key = tuple[str, str, str]
Given = Mapping[Key, Expression]

#: What a sentence says of a tensor that goes on with zeros: "outside of the image, $X$ is zero".
ZEROS = re.compile(r"\bzeros?\b|\$0\$|=\s*0\$", re.IGNORECASE)
_PAST = r"(?:before|after)\s+the\s+(?:first|last|start|beginning|end)"
BEYOND = re.compile(
    rf"\b(?:outside|beyond|{_PAST}|pad(?:s|ded|ding)?|(?:below|less|smaller)\b.*\b(?:above|more|larger))\b",
    re.IGNORECASE | re.DOTALL,
)
SENTENCE = re.compile(r"\n\s*\n|[.;:]\s|\\begin\b|\\end\b|\$\$")
#: What it says of all elements in the display before it: "frames outside of $1, \ldots, K$ count as zero".
_GONE = r"(?:\bzeros?\b|\$0\$|\b(?:vanish|dropped|omitted|ignored|skipped|left out|contributes? nothing)\b)"
_THERE = (
    r"\b(?:outside|beyond|out[- ]of[- ](?:range|bounds)|past the end|"
    rf"{_PAST}|"
    r"(?:terms|summands|elements|entries|values) (?:with|where|for which|whose))\b"
)
#: What says that the terms there are none, and not that the elements are 0.
LEFT_OUT = re.compile(r"\b(?:dropped|omitted|ignored|skipped|left\s+out)\b", re.IGNORECASE)
#: It begins with what tells at once that most places are none.
PADDED = re.compile(
    (
        r"(?:(?<!\w)(?=[zpobatsev])|(?=\$0))"
        r"(?:\bzero[- ]padd(?:ed|ing)\b|\bpad(?:ded|ding)? (?:\w+ ){0,2}(?:with|by) zeros?\b|"
        rf"{_THERE}(?:(?!{SENTENCE.pattern}).){{0,100}}?{_GONE}|"
        r"(?:\bzeros?|\$0\$) (?:for|if|when(?:ever)?|where) \$[^$]*(?:<|>|\\[lg]eq?\b|\\notin)[^$]*\$)"
    ).replace(" ", r"\s+"),
    re.IGNORECASE | re.DOTALL,
)
#: What it has where it says the contrary, or where it is about the letter that it names.
UNPADDED = re.compile(r"\b(?:no|not|without|never|instead\s+of)\b|\$\\?[a-z]+\$", re.IGNORECASE)
#: Where a sentence goes on to something else.
CLAUSE = re.compile(r",\s+(?:and|but|while|where|with)\s")
#: So far from such a sentence a display may stand.
NEAR = 800


def put_before_first(entries: Sequence[Entry], text: str, parents: Sequence[int]) -> None:
    """Put what is given outside of declared tensors, and of whole definitions, where formulas refer to it."""
    given: dict[int, dict[Key, Expression]] = _padded(entries, text)
    ends = {
        letter.text
        for axis in all_of(SizedAxis, tuple([e.statement for e in entries]))
        for letter in (axis.size,)
        if isinstance(letter, Letter)
    }
    sizes = sizes_of(entries)
    pairs = [(entry, entries[at + 1 : at + 4]) for at, entry in enumerate(entries)]
    declared: set[tuple[int, str]] = set()
    defined: set[tuple[int, str]] = set()
    #: series whose members need no other ones: S_k, which may have an S_0 without starting there
    plain: set[tuple[int, str]] = set()
    used: dict[str, set[str]] = {}
    for entry in entries:
        if isinstance(entry.statement, Definition):
            said = entry.statement
            formal: list[Any] = [b.index for p in all_of(Big, said.body) for b in all_bound(p)]
            if isinstance(said.target, Call):
                formal += [*said.target.arguments, *said.target.parameters]
            letters = texts_of(said.body) - texts_of(tuple(formal))
            used.setdefault(head_of(said.target), set()).update(letters)
    for entry, after in pairs:
        statement, section = entry.statement, entry.region.section
        if isinstance(statement, Declaration) and statement.space.axes:
            declared |= {(section, key_of(name)) for name in statement.names}
        elif isinstance(statement, Definition) and isinstance(statement.target, Letter):
            declared.add((section, statement.target.text))  # all of it at once
        elif isinstance(statement, Definition) and entry.found.part_of != QUIET["outside"]:
            call = statement.target
            call = call.base if isinstance(call, Indexed) else call
            if isinstance(call, Call):
                declared |= {(section, key_of(name)) for name in call.arguments}
            inside = is_last(statement.target, sizes)
            outside = [] if inside else _outside(entry, after, ends)
            own = section, head_of(statement.target)
            if not outside:
                (plain if _is_alone(statement, used) and own not in defined else defined).add(own)
                plain -= defined
            elif statement.op == "=":  # x_0 = x_{-1} = 0 gives both
                *equal, value = (statement.body, *statement.chain)
                names = [*outside, *[outside_of(part, ends) for part in equal]]
                given.setdefault(section, {}).update({name: value for name in names if name})
    for here in given.values():  # what is given twice in the same way is given for all before
        for letter, axis, side in list(here):
            first = here.get((letter, axis, "-"))
            if side == "--" and first is not None and here[letter, axis, side] == first:
                here[letter, axis, "<<"] = first
    anywhere = {letter for _, letter in declared}
    everywhere: dict[str, set[int]] = {}
    for at, letter in declared | plain | defined:
        everywhere.setdefault(letter, set()).add(at)
    for entry, after in pairs if given else ():
        around = sections_around(entry.region.section, parents)
        known: dict[Key, Expression] = {}
        for outer in {key for here in given.values() for key in here}:
            letter, reach = outer[0], around
            homes = everywhere.get(letter, set())
            if len(homes) == 1 and homes.isdisjoint(around):  # only another section has the letter
                reach = (*around, *sections_around(min(homes), parents))
            there = [at for at in reach if outer in given.get(at, {})]
            whole = any((at, letter) in declared | plain for at in reach)
            whole = whole or (outer[1] == "*" and letter in anywhere)  # what prose says of it
            if there and whole and not any((at, letter) in defined for at in reach):
                known[outer] = given[there[0]][outer]
        statement = entry.statement
        if known and isinstance(statement, Definition):
            entry.found.statement = replace(statement, body=put(statement.body, _Before(known)))
            one = outside_of(statement.target, ends)
            if isinstance(statement.target, Indexed):
                if one in known:
                    entry.found.statement = fact_of(statement)  # the tensor has no such element
                elif {*_outside(entry, after, ends)} & known.keys():
                    entry.leave_out(QUIET["outside"])
            elif one is not None and one in known and any((at, one[0]) in plain for at in around):
                entry.leave_out(QUIET["outside"])


def _padded(entries: Sequence[Entry], text: str) -> dict[int, dict[Key, Expression]]:
    """Give what prose says to be zero outside of its axes, by sections."""
    found: dict[int, dict[Key, Expression]] = {}
    for section, name in (*_padded_by_name(entries, text), *_padded_near(entries, text)):
        for side in ("<<", ">>"):
            found.setdefault(section, {})[name.text, "*", side] = Number(name.span, 0)
    return found


def _padded_by_name(entries: Sequence[Entry], text: str) -> Iterator[tuple[int, Letter]]:
    """Find the letters of which prose says that they are zero outside of their axes."""
    for entry in entries:
        statement, at = entry.statement, entry.region.span
        name = getattr(statement, "relation", None)
        if isinstance(statement, Declaration) and len(statement.names) == 1:
            (name,) = statement.names
        is_zero = isinstance(statement, Definition) and statement.body == Number(at, 0)
        if is_zero:  # $x = 0$ outside of the record
            name = statement.target  # type: ignore[union-attr]
            if isinstance(name, Indexed) and all(
                isinstance(item, At) and isinstance(item.at, Letter) for item in name.items
            ):
                name = name.base
        if entry.region.display or not isinstance(name, Letter):
            continue
        stop = SENTENCE.search(text, at.end)
        said = text[_begin_of_sentence(text, at.start) : stop.start() if stop else None]
        if ZEROS.search(said) and BEYOND.search(said):
            yield entry.region.section, name
            if is_zero:
                entry.leave_out(QUIET["outside"])


def _padded_near(entries: Sequence[Entry], text: str) -> Iterator[tuple[int, Letter]]:
    """Find the letters of elements in a display beside which prose says that they are zero elsewhere."""
    for said in PADDED.finditer(text):
        begin = _begin_of_sentence(text, said.start())
        begin = max([begin, *[mark.end() for mark in CLAUSE.finditer(text, begin, said.start())]])
        shown = _shown_near(entries, said)
        if shown is None or UNPADDED.search(text, begin, said.end()):
            continue
        if LEFT_OUT.search(said[0]):
            shown.found.statement = put(shown.statement, _without_terms_outside)
        for element in all_of(Indexed, shown.statement):
            if _is_computed(element) and isinstance(element.base, Letter):
                yield shown.region.section, element.base


def _without_terms_outside(part: Any) -> Any:
    r"""Sum over those indices alone for which w_{t+j} is an element, \sum_{j \neq 0} f(w_{t+j})."""
    if not isinstance(part, Big) or part.op != "sum" or part.lower is None:
        return None
    body = put(part.body, _without_terms_outside)
    inner = {element for big in all_of(Big, part.body) for element in all_of(Indexed, big)}
    places = {
        item.at: item.axis
        for element in all_of(Indexed, part.body)
        if element not in inner
        for item in element.items
        if isinstance(item, At) and isinstance(item.at, Binary)
    }
    inside = [
        Relation(at.span, Number(at.span, 1), (("<=", at), ("<=", AxisSize(at.span, axis))))
        for at, axis in places.items()
    ]
    lower = Items(part.lower.span, (*pieces_below(part), *inside), "") if inside else part.lower
    return replace(part, lower=lower, body=body)


def _is_computed(element: Indexed) -> bool:
    """Say whether an index is computed, and may lie outside of its axis: x_{time(t + j)}."""
    return any(isinstance(item, At) and isinstance(item.at, Binary) for item in element.items)


def _begin_of_sentence(text: str, at: int) -> int:
    """Find where the sentence around a place begins, if that is not far."""
    far = max(0, at - 300)
    return max([far, *[mark.end() for mark in SENTENCE.finditer(text, far, at)]])


def _shown_near(entries: Sequence[Entry], said: re.Match[str]) -> Entry | None:
    """Find the formula in a display that a sentence is about: the last before it, or the first behind it."""
    displays = [e for e in entries if e.region.display]
    shown = [e for e in displays if any(map(_is_computed, all_of(Indexed, e.statement)))]
    before = [e for e in shown if said.start() - NEAR < e.region.span.end <= said.start()]
    behind = [e for e in shown if said.end() <= e.region.span.start < said.end() + NEAR]
    return before[-1] if before else behind[0] if behind else None


def outside_of(target: Expression, ends: Collection[str]) -> Key | None:
    """Give the letter, the axis and the side of x_{time(0)}, x_{time(|time|+1)}, x_0 and x_{n+1}.

    Other indices beside it are letters: x_{row(0), col(j)} and x_{0,j}.
    """
    places: list[tuple[str, Expression]] = []
    match target:
        case Indexed(base=Letter(text=text), items=items):
            places = [(item.axis.name, item.at) for item in items if isinstance(item, At)]
        case Scripts(base=Letter(text=text), sub=at, sup=None, primes=0) if at is not None:
            places = [("", one) for one in indices_of(at) or ()]
        case _:
            return None
    found = [(name, side) for name, at in places if (side := _side(name, at, ends))]
    others = [at for name, at in places if not _side(name, at, ends)]
    alone = len(found) == 1 and all(isinstance(at, Letter) for at in others)
    return (text, *found[0]) if alone else None


def _side(axis: str, at: Expression, ends: Collection[str]) -> str:
    """Say on which side of an axis an index lies; nothing where it lies on none."""
    match at:
        case Number(value=0):
            return "-"
        case Unary(op="-", operand=Number(value=1)):
            return "--"
        case Binary(op="+", left=AxisSize(axis=AxisName(name=end)), right=Number(value=1)):
            return "+" if axis == end else ""
        case Binary(op="+", left=Letter(text=end), right=Number(value=1)) if end in ends:
            return "+"
    return ""


def sizes_of(entries: Sequence[Entry]) -> dict[str, list[SizedAxis]]:
    """List the axes that names are declared with, with their sizes."""
    found: dict[str, list[SizedAxis]] = {}
    for said in [e.statement for e in entries if isinstance(e.statement, Declaration)]:
        for name in said.names:
            found.setdefault(key_of(name), []).extend(said.space.axes)
    return found


def is_last(target: Expression, sizes: Mapping[str, Sequence[SizedAxis]]) -> bool:
    """Say whether an index is the size that an axis is declared with: x_{n+1} of x over time:n+1."""
    match target:
        case Indexed(base=base, items=items):
            places = [(item.axis, item.at) for item in items if isinstance(item, At)]
            own = sizes.get(key_of(base), ())
            return any((axis.axis, axis.size) in places for axis in own)
        case Scripts(base=base, sub=at) if at is not None:
            return any(axis.size == at for axis in sizes.get(key_of(base), ()))
    return False


def _outside(entry: Entry, after: Sequence[Entry], ends: Collection[str]) -> list[Key]:
    """List what a statement gives: outside of an axis, or all there, x_{time(s)} = 0 for s < 1."""
    statement: Any = entry.statement
    one = outside_of(statement.target, ends)
    target, condition = statement.target, statement.condition
    if one is not None or not isinstance(target, Indexed) or not isinstance(target.base, Letter):
        return [] if one is None else [one]
    axes = {item.at: item.axis.name for item in target.indices}
    said = [condition, *[one.relation for one in after]]
    parts = [p for one in said if one for p in (one.parts if isinstance(one, Logic) else (one,))]
    found: list[tuple[str, Any]] = []
    for part in parts:
        if not isinstance(part, Relation) or part.first not in axes:
            break
        found.append((axes[part.first], part.rest))
    keys: list[Key] = []
    for axis, rest in found if all(isinstance(at, Letter) for at in axes) else ():
        match rest:
            case (("<", Number(value=1)) | ("<=", Number(value=0)),):
                side = "<<"
            case ((">", AxisSize(axis=AxisName(name=name))),) if name == axis:
                side = ">>"
            case ((">", Letter(text=size)),) if size in ends:
                side = ">>"
            case _:
                break  # t = 1, ..., n of what follows
        keys.append((target.base.text, axis, side))
    return keys


def _is_alone(statement: Definition, used: Mapping[str, Collection[str]]) -> bool:
    """Say whether a definition gives the members of a series, S_k, and is made of no other ones."""
    match statement.target:
        case (
            Scripts(base=Letter(text=text), sub=Letter(), sup=None, primes=0)
            | Indexed(base=Letter(text=text), items=(At(at=Letter()),))
        ):
            return text not in reached(used[text], lambda letter: used.get(letter, ()))
    return False


class _Before:
    """What to put for the elements beside others, given those outside of the tensor."""

    def __init__(self, given: Given) -> None:
        self._given = given

    def __call__(self, part: Any) -> Expression | None:
        """Give x_{time(t-1)} in cases: what is given where t is 1, and the element elsewhere."""
        if isinstance(part, Scripts) and isinstance(part.base, Letter) and part.sup is None:
            return self._cases(part, part.base, "", part.sub)
        if not isinstance(part, Indexed):
            return None
        match part.base:
            case Scripts(base=Letter() as letter, sub=None, sup=Number(), primes=0) as power:
                cases = self._element(replace(part, base=letter), letter)
                return None if cases is None else replace(power, span=part.span, base=cases)
            case Letter() as letter:
                return self._element(part, letter)
        return None

    def _element(self, element: Indexed, letter: Letter) -> Cases | None:
        """Give an element in cases, as each of its indices may lie outside."""
        found: Expression = element
        for item in element.items:
            if isinstance(item, At):
                found = self._cases(found, letter, item.axis.name, item.at) or found
        return found if isinstance(found, Cases) else None

    def _cases(
        self, element: Expression, letter: Letter, axis: str, at: Expression | None
    ) -> Cases | None:
        if not isinstance(at, Binary):
            return None
        first, last = Number(at.span, 1), AxisSize(at.span, AxisName(at.span, axis))
        found: Expression = element
        for side, op, end in (("<<", "<", first), (">>", ">", last)):
            anywhere = self._given.get((letter.text, "*", side)) if axis else None
            value = self._given.get((letter.text, axis, side)) or anywhere
            if value is not None:
                found = _either(value, Relation(element.span, at, ((op, end),)), found)
        if isinstance(found, Cases):
            return found
        match at:
            case Binary(op=("-" | "+") as op, left=Letter() as index, right=Number(value=1)) if (
                axis or op == "-"
            ):
                own, any_axis = (letter.text, axis, op), (letter.text, "", op)
                value = self._given.get(own, self._given.get(any_axis))
                end = first if op == "-" else last
                if value is not None:
                    return _either(value, Relation(element.span, index, (("=", end),)), element)
        return None


def _either(value: Expression, there: Relation, element: Expression) -> Cases:
    """Give what is given outside of a tensor there, and elsewhere the element."""
    rows = Case(value.span, value, there), Case(element.span, element, None)
    return Cases(element.span, rows)
