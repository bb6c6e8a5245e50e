"""Walk over the parts of a syntax tree."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from namedtensor.latex.source import Span
from namedtensor.latex.syntax import (
    Bars,
    Big,
    Call,
    Contract,
    Indexed,
    Letter,
    Number,
    Part,
    Walked,
)

Kind = TypeVar("Kind")


class _Fields(dict[type, tuple[str, ...] | None]):
    """What a kind of part is made of, by the names of its fields; None for what is no part."""

    def __missing__(self, kind: type) -> tuple[str, ...] | None:
        names = None
        if issubclass(kind, Part):
            aside = ("span", "block", "section", "derives")
            names = tuple([f.name for f in dataclasses.fields(kind) if f.name not in aside])
        self[kind] = names
        return names


class _Inner(dict[type, tuple[str, ...] | None]):
    """The fields of a kind of part that may hold parts; None for what is no part."""

    def __missing__(self, kind: type) -> tuple[str, ...] | None:
        names = FIELDS[kind]
        if names is not None:
            types = {field.name: field.type for field in dataclasses.fields(kind)}
            names = tuple([name for name in names if types[name] not in PLAIN])
        self[kind] = names
        return names


class _Readers(dict[type, Any]):
    """What gives the parts inside a part, the last first; nothing for a leaf, None for what is no part."""

    def __missing__(self, kind: type) -> Any:
        names = INNER[kind]
        # an attrgetter of one name gives no tuple, and a span is no part
        self[kind] = operator.attrgetter(*names[::-1], "span") if names else names
        return self[kind]


class _Values(dict[type, Any]):
    """What gives the values of a part's fields, where some may be parts, and what makes it of such values."""

    def __missing__(self, kind: type) -> Any:
        inner, fields = INNER[kind], dataclasses.fields(kind) if INNER[kind] is not None else ()
        names = [field.name for field in fields]  # the first is the span
        places = [at for at, name in enumerate(names) if name in (inner or ())]
        make = partial(_by_names, kind, names) if any(f.kw_only for f in fields) else kind
        read = operator.attrgetter(*names) if len(names) > 1 else lambda part: (part.span,)
        self[kind] = (read, places, make) if names else None
        return self[kind]


def _by_names(kind: type, names: Sequence[str], *values: Any) -> Any:
    return kind(**dict(zip(names, values, strict=True)))


#: The types of fields that hold no part.
PLAIN = frozenset(("str", "int", "bool", "int | float"))

FIELDS = _Fields()
INNER = _Inner({tuple: ()})
_READERS = _Readers()
_VALUES = _Values()


def children(part: Any) -> list[Any]:
    """Give the parts that a part is directly made of, in the order in which they are kept."""
    found: list[Any] = []
    read = _READERS[type(part)]
    for one in part if type(part) is tuple else read(part)[::-1] if read else ():
        if type(one) is tuple:
            found += children(one)
        elif _READERS[type(one)] is not None:
            found.append(one)
    return found


def walk(part: Any) -> Iterator[Any]:
    """Give a part and everything inside it, outermost first.

    >>> from namedtensor.latex.source import Span
    >>> from namedtensor.latex.syntax import Letter, Unary
    >>> at = Span(0, 1)
    >>> [type(p).__name__ for p in walk(Unary(at, "-", Letter(at, "X")))]
    ['Unary', 'Letter']
    """
    return iter(parts_of(part))


def parts_of(part: Any) -> list[Any]:
    """List a part and everything inside it, outermost first; no tuple inside is a part."""
    return [*_within(part)[object]] if isinstance(part, Walked) else [part, *_inside(part)]


def all_of(kind: type[Kind], part: Any) -> tuple[Kind, ...]:
    """List the parts of one kind inside a part."""
    if type(part) is tuple:
        return tuple([found for one in part for found in all_of(kind, one)])
    if not _READERS[type(part)]:
        return (part,) if type(part) is kind else ()
    within = getattr(part, "within", None) or _within(part)
    found: tuple[Kind, ...] | None = within.get(kind, ())
    if found is None:
        found = within[kind] = tuple([p for p in within[object] if type(p) is kind])
    return found


def _within(part: Walked) -> dict[Any, Any]:
    """A part and everything inside it, found once, for a part never changes; and the kinds of these."""
    known: dict[Any, Any] | None = getattr(part, "within", None)
    if known is None:
        inside = [part, *_inside(part)]
        known = part.within = {**dict.fromkeys(map(type, inside)), object: inside}
    return known


def _inside(part: Any) -> list[Any]:
    found: list[Any] = []
    read = _READERS[type(part)]
    pending = [*part[::-1]] if type(part) is tuple else [*read(part)] if read else []
    while pending:  # all documents pass through here many times: no call for each part
        one = pending.pop()
        kind = type(one)
        if kind is tuple:
            pending += one[::-1]
            continue
        read = _READERS[kind]
        if read:
            within = getattr(one, "within", None)
            if within is None:
                found.append(one)
                pending += read(one)
            else:
                found += within[object]
        elif read is not None:
            found.append(one)
    return found


def once(find: Callable[[Any], Kind], part: Any) -> Kind:
    """Give what a function finds in a part; it is asked once, for a part never changes."""
    if not isinstance(part, Walked):
        return find(part)
    within = _within(part)
    if find not in within:
        within[find] = find(part)
    found: Kind = within[find]
    return found


def letters_of(part: Any) -> tuple[Letter, ...]:
    """List all letters of a statement, or of a part of one."""
    return all_of(Letter, part)


def texts_of(part: Any) -> set[str]:
    """Give the texts of all letters of a statement, or of a part of one."""
    return {letter.text for letter in letters_of(part)}


def unused(tries: str, parts: Any, last: str) -> str:
    """Give the first of some letters that parts do not have, or else the last one."""
    used = texts_of(parts)
    return next((text for text in tries if text not in used), last)


def parted(letter: Letter) -> tuple[Letter, ...]:
    """Part italics that are written without a space: k and h of kh; a command or a mark has no parts."""
    start, end = letter.span.start, letter.span.end
    if end - start != len(letter.text) or letter.text.endswith("'"):
        return ()
    return tuple([Letter(Span(start + i, start + i + 1), c) for i, c in enumerate(letter.text)])


def reached(start: Iterable[Kind], onward: Callable[[Kind], Iterable[Kind]]) -> set[Kind]:
    """Collect what one comes to from a start, by one step or by many.

    >>> sorted(reached([1], lambda n: {1: [2], 2: [3, 1]}.get(n, [])))
    [1, 2, 3]
    """
    found: set[Kind] = set()
    pending = list(start)
    while pending:
        one = pending.pop()
        if one not in found:
            found.add(one)
            pending += onward(one)
    return found


def differences(first: Any, last: Any) -> list[tuple[Any, Any]]:
    """List the parts in which two parts differ, in pairs; letters and numbers differ as a whole.

    >>> from namedtensor.latex.source import Span
    >>> from namedtensor.latex.syntax import Unary
    >>> one, other = [Unary(Span(0, 2), "-", Letter(Span(1, 2), text)) for text in "XY"]
    >>> [(a.text, b.text) for a, b in differences(one, other)]
    [('X', 'Y')]
    """
    if first == last:
        return []
    names = FIELDS[type(first)]
    pairs: Iterable[tuple[Any, Any]] | None = None
    if type(first) is tuple and type(last) is tuple and len(first) == len(last):
        pairs = zip(first, last, strict=True)
    elif names is not None and type(first) is type(last) and type(first) not in (Letter, Number):
        pairs = [(getattr(first, n), getattr(last, n)) for n in names if n != "how"]
    return [(first, last)] if pairs is None else [d for pair in pairs for d in differences(*pair)]


def depth_of(part: Any) -> int:
    """Say how deep a tree is."""
    deepest = 0
    waiting = [(part, 0)]
    while waiting:
        found, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(inner, depth + 1) for inner in children(found)]
    return deepest


def copied(part: Kind, **new: Any) -> Kind:
    """Give a part with some of its fields changed, as `dataclasses.replace` does in far more steps.

    >>> from namedtensor.latex.source import Span
    >>> from namedtensor.latex.syntax import Letter
    >>> copied(Letter(Span(0, 1), "X"), text="Y").text
    'Y'
    """
    made = object.__new__(type(part))
    for name in type(part).__dataclass_fields__:  # type: ignore[attr-defined]
        setattr(made, name, new[name] if name in new else getattr(part, name))
    return made


def moved(part: Any, by: int) -> Any:
    """Give a part as it is where its text begins `by` signs later.

    >>> from namedtensor.latex.source import Span
    >>> from namedtensor.latex.syntax import Letter
    >>> moved(Letter(Span(0, 1), "X"), 3).span
    Span(start=3, end=4)
    """
    kind = type(part)
    if kind is tuple:
        return tuple([moved(inner, by) for inner in part])
    values = _VALUES[kind]
    if values is None:
        return part
    read, places, make = values
    found = [*read(part)]
    for place in places:
        if found[place] is not None:
            found[place] = moved(found[place], by)
    found[0] = Span(part.span.start + by, part.span.end + by)
    return make(*found)


def put(part: Any, change: Callable[[Any], Any | None]) -> Any:
    """Rebuild a part with some of its parts replaced: `change` gives a replacement, or None."""
    kind = type(part)
    if kind is tuple:
        parts = tuple([put(p, change) if INNER[type(p)] is not None else p for p in part])
        return part if all(map(operator.is_, parts, part)) else parts
    changed = change(part)
    if changed is not None:
        return changed
    new = {}
    for name in INNER[kind] or ():
        value = getattr(part, name)
        if INNER[type(value)] is not None:
            after = put(value, change)
            if after is not value:
                new[name] = after
    return copied(part, **new) if new else part


def is_elementwise(name: Any, body: Any) -> bool:
    """Say whether a letter is used only in elementwise operations, as a number may be."""
    acted = [operand for part in walk(body) for operand in _along(part)]
    return not any(inner == name for operand in acted for inner in walk(operand))


def _along(part: Any) -> tuple[Any, ...]:
    """Give the operands of a part, if it is an operation along axes."""
    match part:
        case Contract(left=left, right=right):
            return left, right
        case Indexed(base=operand) | Big(body=operand) | Bars(operand=operand, double=True):
            return (operand,)
        case Call(axes=(_, *_), arguments=arguments):
            return arguments
    return ()
