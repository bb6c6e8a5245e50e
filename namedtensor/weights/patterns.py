"""Names of weights, ours and theirs, read as patterns with named axes.

    "W": "net.weight: hid emb"                          one tensor, its axes in stored order
    ("WQ", "WK"): "net.qk: (two head key) emb"          one of theirs is several of ours, along `two`
    ("WQ", "WK"): "net.qk: (head key + kv key) emb"     the same, where the parts have other sizes
    "W": ("a: emb hid", "b: emb hid")                   several of theirs are one of ours
    "layers.{l}.W": "blocks.{l}.weight: hid emb"        for each l; {"l": {...}} says what it is in theirs
    "W: head (half two[2])": "weight: (head two half)"  an axis of ours in parts, to change their order

Each name becomes pieces: a view of one of our tensors and a view of one of theirs, of the same axes.
Loading copies one into the other, saving the other way.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from namedtensor.axes import NAME, shown
from namedtensor.errors import (
    AxisClashError,
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    NamedTensorError,
    kind_of_thing,
    nearest,
)
from namedtensor.shape import spaced

#: A stored axis: the names of the axes merged in it, each with a size if it is stated.
Group = tuple[tuple[str, int | None], ...]
#: A stored axis: one group, or several concatenated.
Item = tuple[Group, ...]

_TOKEN = re.compile(
    rf"\s*(?:(?P<mark>[()+,])|(?P<one>1)|(?P<name>{NAME.pattern})(?:\[(?P<size>\d+)\])?)"
)
_HOLE = re.compile(r"\{(\w+)\}")
ONE = "1"  # an axis of size 1 that has no name
_NAMELESS = "#"  # stands for the axes of a tensor of theirs that nobody has named


@dataclass(frozen=True, slots=True)
class Owned:
    """One tensor of a module: its sizes, and its axes where a formula declares them."""

    name: str
    sizes: tuple[int, ...]
    axes: tuple[str, ...] | None

    def shape(self) -> str:
        return (
            spaced(list(zip(self.axes, self.sizes, strict=True))) if self.axes else str(self.sizes)
        )


@dataclass(frozen=True, slots=True)
class View:
    """A part of a stored tensor, with one axis for each name, in an order that two tensors share."""

    narrow: tuple[int, int, int] | None
    sizes: tuple[int, ...]
    at: tuple[tuple[int, int], ...]
    order: tuple[int, ...]

    def of(self, data: Any) -> Any:
        if self.narrow is not None:
            data = data.narrow(*self.narrow)
        data = data.reshape(self.sizes)
        for place, index in self.at:
            data = data.select(place, index)
        return data.permute(self.order)


@dataclass(frozen=True, slots=True)
class Change:
    """A function of named tensors that turns theirs into ours, and perhaps its inverse."""

    there: Callable[[Any], Any]
    back: Callable[[Any], Any] | None
    ours: tuple[tuple[str, int], ...]
    theirs: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part that one tensor of ours and one of theirs share: a view of each."""

    own: str
    key: str
    own_view: View
    key_view: View
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Theirs:
    """What one of their tensors must be: its sizes (None for any), and its axes as written."""

    sizes: tuple[int | None, ...]
    text: str
    owner: str


@dataclass(frozen=True, slots=True)
class Ours:
    """One of our tensors as a pattern splits it: names in stored order, with their sizes."""

    owned: Owned
    groups: tuple[Group, ...]
    sizes: dict[str, int]

    @property
    def names(self) -> list[str]:
        return [name for group in self.groups for name, _ in group]


class Names:
    """All pieces that `names` describes in a module, found without reading a number."""

    def __init__(
        self,
        call: str,
        names: Any,
        owned: Iterable[Owned],
        prefix: str = "",
        stored: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.call = call
        self.stored = stored or {}
        self.owned = {o.name: o for o in owned}
        self.prefix = prefix
        self.pieces: list[Piece] = []
        self.theirs: dict[str, Theirs] = {}
        self.filled: set[str] = set()
        if names is None:
            names = {name: name for name in self.owned}
        if not isinstance(names, Mapping):
            self._fail(
                f"names are {kind_of_thing(names)}, and map ours to theirs",
                'nt.load(module, source, {"W": "net.weight: hid emb"})',
            )
        words = {str(o).strip("{}"): t for o, t in names.items() if isinstance(t, Mapping)}
        entries = [(o, t) for o, t in names.items() if not isinstance(t, Mapping)]
        for ours, _ in entries:
            if not all(isinstance(o, str) for o in (ours if isinstance(ours, tuple) else (ours,))):
                self._fail(f"{ours!r} is no name of ours", '{"W": "net.weight: hid emb"}')
        flat = [n for o, _ in entries for n in (o if isinstance(o, tuple) else (o,))]
        #: an exact name goes before a pattern
        self.exact = {_apart(name)[0] for name in flat if not _HOLE.search(name)}
        for ours, theirs in entries:
            self._entry(ours, theirs, words)

    def _fail(
        self, why: str, hint: str, operands: Iterable[tuple[str, str]] = (), kind: Any = None
    ) -> NoReturn:
        error: type[NamedTensorError] = kind or AxisNameError
        raise error(self.call, why, operands, hint)

    # -------------------------------------------------------------------------------- one entry

    def _entry(self, ours: Any, theirs: Any, words: Mapping[str, Any]) -> None:
        parts = theirs if isinstance(theirs, tuple) else (theirs,)
        texts = [part for part in parts if isinstance(part, str)]
        own = {n: w for part in parts if isinstance(part, Mapping) for n, w in part.items()}
        functions = [part for part in parts if callable(part)]
        if not texts or len(texts) + len(functions) + (len(own) > 0) != len(parts):
            self._fail(
                f"{_written(ours)} is given {kind_of_thing(theirs)}, and not the name of a tensor",
                f'{{{_written(ours)}: "net.weight: hid emb"}}; a dict or functions may follow the name',
            )
        names = [_apart(text) for text in (ours if isinstance(ours, tuple) else (ours,))]
        words = {**words, **{str(n).strip("{}"): w for n, w in own.items()}}
        for bound in self._bindings(names[0][0], words):
            said = {n: str(words[n][w] if n in words else w) for n, w in bound.items()}
            found = [self._ours(self._own(_bind(name, bound)), text) for name, text in names]
            for one in found:
                self._hold_once(one.owned.name)
            if functions:
                self._changed(found, self._keys(texts, said, found[0])[0], functions)
            else:  # a tuple of one is a case of several
                alone = (
                    not isinstance(ours, tuple),
                    parts is not theirs or len(texts) < len(parts),
                )
                self._pieces(found, *self._keys(texts, said, found[0]), alone)

    def _bindings(self, pattern: Any, words: Mapping[str, Any]) -> list[dict[str, str]]:
        """Give the words that the holes of our pattern stand for, for each tensor that matches it."""
        holes = _HOLE.findall(pattern)
        if not holes:
            return [{}]
        found = []
        written = _matching(pattern, holes, words)
        for name in self.owned:
            match = written.fullmatch(name)
            if match is not None and name not in self.exact:
                found.append(match.groupdict())
        if not found:
            self._fail(f"nothing in the module is named like {pattern}", _among("", self.owned))
        return found

    def _own(self, name: str) -> Owned:
        if name not in self.owned:
            self._fail(f"the module has no tensor {name}", _among(name, self.owned))
        return self.owned[name]

    def _hold_once(self, name: str) -> None:
        if name in self.filled:
            self._fail(f"{name} is named twice", "name each of ours once", kind=AxisClashError)
        self.filled.add(name)

    def _keys(
        self, texts: list[str], said: dict[str, str], first: Ours
    ) -> tuple[list[tuple[str, tuple[Item, ...] | None]], str | None]:
        """Read names of theirs and their axes; a hole named like an axis of ours stands for several."""
        found: list[tuple[str, tuple[Item, ...] | None]] = []
        along = None
        for text in texts:
            key, axes = _apart(text)
            items = None if axes is None else self._read(axes, text)
            left = [hole for hole in _HOLE.findall(key) if hole not in said]
            key = self.prefix + _bind(key, said)
            if not left:
                if items is None and key in self.stored:
                    items = tuple([(((name, None),),) for name in self.stored[key]])
                found.append((key, items))
                continue
            along = left[0]
            if set(left) != {along} or along not in first.sizes or len(texts) > 1:
                self._fail(
                    f"{{{along}}} stands in {text}, and our name does not say what it is",
                    f"write it in both names, or name an axis of {first.owned.name}",
                    [(first.owned.name, first.owned.shape())],
                )
            found += [(_bind(key, {along: str(i)}), items) for i in range(first.sizes[along])]
        return found, along

    # --------------------------------------------------------------------------- ours, in parts

    def _ours(self, one: Owned, text: str | None) -> Ours:
        """Give the names and sizes of our axes, split where the pattern splits them."""
        whole = one.axes
        if text is None:
            plain = (
                whole if whole is not None else [f"{_NAMELESS}{i}" for i in range(len(one.sizes))]
            )
            groups: list[Group] = [((name, None),) for name in plain]
        else:
            items = self._read(text, f"{one.name}: {text}")
            groups = [item[0] for item in items]
            if whole is not None:
                groups = self._ordered(one, whole, groups)
            if len(groups) != len(one.sizes) or any(len(item) > 1 for item in items):
                self._fail(
                    f"{one.name} has {len(one.sizes)} axes, and {text} names {len(items)}",
                    "name each of its axes once",
                    [(one.name, one.shape())],
                )
        sizes: dict[str, int] = {}
        for group, size in zip(groups, one.sizes, strict=True):
            open_ = [name for name, stated in group if stated is None]
            known = math.prod([stated for _, stated in group if stated is not None])
            if len(open_) > 1 or known == 0 or (size % known if open_ else size != known):
                self._fail(
                    f"{grouped(group)} does not part an axis of size {size}",
                    "state all sizes but one: (half two[2])",
                    [(one.name, one.shape())],
                    AxisSizeError,
                )
            sizes |= {n: size // known if stated is None else stated for n, stated in group}
        return Ours(one, tuple(groups), sizes)

    def _ordered(self, one: Owned, whole: tuple[str, ...], groups: list[Group]) -> list[Group]:
        """Put groups in declared order: a split one stands for the axis that is not named."""
        single = {group[0][0]: group for group in groups if len(group) == 1}
        parted = [group for group in groups if len(group) != 1 or group[0][0] not in whole]
        missing = [name for name in whole if name not in single]
        if len(missing) != len(parted) or len(missing) > 1 or len(groups) != len(whole):
            self._fail(
                f"{' '.join(map(grouped, groups))} does not name the axes of {one.name}",
                "name each axis, at most one of them in parts: head (half two[2])",
                [(one.name, one.shape())],
                AxisMissingError,
            )
        return [single[name] if name in single else parted[0] for name in whole]

    # ------------------------------------------------------------------------------- its pieces

    def _pieces(
        self,
        ours: list[Ours],
        keys: list[tuple[str, tuple[Item, ...] | None]],
        along: str | None,
        alone: tuple[bool, bool],
    ) -> None:
        """Add the pieces of one entry: one to one, or one side several parts of the other.

        `alone` says whether ours, and theirs, is one without a tuple around it.
        """
        if len(ours) > 1 and len(keys) > 1:
            self._fail(
                f"{len(ours)} of ours are to be made of {len(keys)} of theirs",
                "name one of ours for several of theirs, or one of theirs for several of ours",
            )
        for index, (key, given) in enumerate(keys):
            plain: tuple[Item, ...] = tuple([(g,) for g in ours[0].groups])
            if given is None and (len(ours) > 1 or len(keys) > 1):
                plain = tuple([item for item in plain if item[0][0][0] != along])
            items = plain if given is None else given
            for place in range(len(ours)):
                self._piece(ours, place, key, items, (index, len(keys)), along, alone)

    def _piece(
        self,
        ours: list[Ours],
        place: int,
        key: str,
        items: tuple[Item, ...],
        index: tuple[int, int],
        along: str | None,
        alone: tuple[bool, bool],
    ) -> None:
        """Add what ours[place] and one of theirs share; theirs is number `index` of several."""
        one, text = ours[place], " ".join(map(_item, items))
        shapes = [(o.owned.name, o.owned.shape()) for o in ours] + [(key, text)]
        joined = [i for i, item in enumerate(items) if len(item) > 1]
        if len(joined) > 1 or any(len(items[i]) != len(ours) for i in joined):
            self._fail(
                f"{text} has not one part for each of {', '.join(o.owned.name for o in ours)}",
                '("WQ", "WK"): "qk: (head key + kv key) emb"',
                shapes,
            )
        chosen = [item[place] if len(item) > 1 else item[0] for item in items]
        pairs = [pair for group in chosen for pair in group]
        sizes = dict(one.sizes)
        for name, stated in pairs:
            if stated is not None and sizes.setdefault(name, stated) != stated:
                self._fail(
                    f"axis {shown(name)} is {sizes[name]} in {one.owned.name} and {stated} in the pattern",
                    f"leave the size out: {shown(name)}",
                    shapes,
                    AxisSizeError,
                )
        theirs = [name for name, _ in pairs]
        more = [name for name in theirs if name not in one.names and name != ONE]
        less = [name for name in one.names if name not in theirs]
        own_at: dict[str, int] = {}
        key_at: dict[str, int] = {}
        lying = [name for name in more if not any(name in o.names for o in ours)]
        if not alone[0] and not joined and len(lying) == 1:
            if sizes.setdefault(lying[0], len(ours)) != len(ours):
                self._fail(
                    f"axis {shown(lying[0])} is {sizes[lying[0]]}, and {len(ours)} of ours are named",
                    f"name one of ours for each index of {shown(lying[0])}",
                    shapes,
                    AxisSizeError,
                )
            key_at, more = {lying[0]: place}, [name for name in more if name != lying[0]]
            if len(more) == len(less) == 1:
                self._unlike_parts(ours, one, key, items, (lying[0], more[0], less[0]), shapes)
        elif not alone[1] or along is not None:
            axis = along if along is not None else less[0] if len(less) == 1 else None
            if axis is not None and axis in less and one.sizes[axis] != index[1]:
                self._fail(
                    f"axis {shown(axis)} is {one.sizes[axis]} in {one.owned.name}, and {index[1]} of theirs "
                    "are named",
                    f"name one of theirs for each index of {shown(axis)}",
                    shapes,
                    AxisSizeError,
                )
            if axis in less:
                own_at, less = {str(axis): index[0]}, [name for name in less if name != axis]
            elif index[1] > 1 and not less and not more:
                self._fail(
                    f"{key} is said to have each axis of {one.owned.name}, and {index[1]} of theirs make it",
                    f"leave out the axis of {one.owned.name} along which they lie",
                    shapes,
                    AxisClashError,
                )
        if more or less or len(set(theirs)) != len(theirs) - max(theirs.count(ONE) - 1, 0):
            self._mismatch(one, key, theirs, more, less, shapes)
        if len(ours) > 1 and not joined and not key_at:
            self._fail(
                f"{text} has no axis along which {', '.join(o.owned.name for o in ours)} lie",
                'name it: ("WQ", "WK"): "qk: (two head key) emb"',
                shapes,
            )
        sizes[ONE] = 1
        shared = [name for name in one.names if name not in own_at]
        stored = [math.prod([sizes[n] for n, _ in group]) for group in chosen]
        narrow = None
        if joined:
            lengths = [
                math.prod([o.sizes.get(n, s or 0) for n, s in part])
                for o, part in zip(ours, items[joined[0]], strict=True)
            ]
            narrow = (joined[0], sum(lengths[:place]), lengths[place])
            stored[joined[0]] = sum(lengths)
        self._want(key, tuple(stored), text, one.owned.name, shapes)
        self.pieces.append(
            Piece(
                one.owned.name,
                key,
                _view(None, one.names, sizes, own_at, shared),
                _view(narrow, theirs, sizes, key_at, shared),
            )
        )

    def _unlike_parts(
        self,
        ours: list[Ours],
        one: Ours,
        key: str,
        items: tuple[Item, ...],
        names: tuple[str, str, str],
        shapes: list[tuple[str, str]],
    ) -> NoReturn:
        """Say that a part has an axis of another name, and write each part by its own axes."""
        lying, more, less = names
        parts = []
        for group, *_ in items:
            if lying not in dict(group):
                parts.append(_item((group,)))
                continue
            each = [
                " ".join([shown(n if n in o.names else less) for n, _ in group if n != lying])
                for o in ours
            ]
            parts.append(f"({' + '.join(each)})")
        self._fail(
            f"{one.owned.name} has {shown(less)} in place of {shown(more)}, which {key} is said to have",
            f'say what each part has: "{key.removeprefix(self.prefix)}: {" ".join(parts)}"',
            shapes,
            AxisMissingError,
        )

    def _mismatch(
        self,
        one: Ours,
        key: str,
        theirs: list[str],
        more: list[str],
        less: list[str],
        shapes: list[tuple[str, str]],
    ) -> NoReturn:
        name = one.owned.name
        if more:
            guess = less[0] if less else nearest(more[0], one.names)
            self._fail(
                f"{name} has no axis {shown(more[0])}, which {key} is said to have",
                f'name the axes of ours too, in stored order: "{name}: {" ".join(map(shown, theirs))}"'
                if one.names[:1] == [f"{_NAMELESS}0"]
                else f"name it {shown(guess)}"
                if guess
                else f"leave {shown(more[0])} out, or write 1 where it has size 1",
                shapes,
                AxisMissingError,
            )
        if less:
            self._fail(
                f"{key} is said to have no axis {shown(less[0])}, which {name} has",
                f"name each axis of {name}: {key}: {' '.join(map(shown, one.names))}",
                shapes,
                AxisMissingError,
            )
        self._fail(
            f"{key} is said to have one axis twice", "name each axis once", shapes, AxisClashError
        )

    def _want(
        self, key: str, sizes: tuple[int | None, ...], text: str, owner: str, shapes: Any
    ) -> None:
        """Raise unless all uses of one of their tensors agree on its sizes."""
        before = self.theirs.setdefault(key, Theirs(sizes, text, owner))
        both = list(itertools.zip_longest(before.sizes, sizes))
        if len(before.sizes) == len(sizes) and all(
            [None in pair for pair in both if len({*pair}) > 1]
        ):
            known = tuple([b if a is None else a for a, b in both])
            self.theirs[key] = Theirs(known, before.text, before.owner)
        else:
            self._fail(
                f"{key} has sizes {_sizes(before.sizes)} for {before.owner} and {_sizes(sizes)} for {owner}",
                "give both the same sizes, or name another tensor for one of them",
                shapes,
                AxisSizeError,
            )

    def _changed(self, ours: list[Ours], keys: Any, functions: list[Callable[[Any], Any]]) -> None:
        """Add a piece that a function of named tensors makes from one of theirs."""
        if len(ours) > 1 or len(keys) > 1 or len(functions) > 2 or keys[0][1] is None:
            self._fail(
                f"a function makes {ours[0].owned.name}",
                f"one of ours, one of theirs with its axes, a function and perhaps its inverse: "
                f'{{"{ours[0].owned.name}": ("weight: hid emb", function, inverse)}}',
            )
        ((key, items),) = keys
        one, text = ours[0], " ".join(map(_item, items))
        names = [name for item in items for group in item for name, _ in group]
        sizes = {**one.sizes, **{n: s for item in items for group in item for n, s in group if s}}
        named = [name for name in names if name != ONE]
        if any(len(item) > 1 for item in items) or len(set(named)) != len(named):
            self._fail(
                f"{key} is said to have one axis twice", "name each axis once", kind=AxisClashError
            )
        change = Change(
            functions[0],
            functions[1] if len(functions) == 2 else None,
            tuple([(n, one.sizes[n]) for n in one.names]),
            items,
        )
        self._want(key, tuple([None] * len(items)), text, one.owned.name, [])
        view = _view(None, one.names, sizes, {}, one.names)
        self.pieces.append(Piece(one.owned.name, key, view, view, change))

    def _read(self, text: str, where: str) -> tuple[Item, ...]:
        """Read stored axes: names, 1, groups in parentheses, and groups joined by +."""
        items: list[Item] = []
        inside: list[list[tuple[str, int | None]]] | None = None
        place, body = 0, text.rstrip()
        while place < len(body):
            match = _TOKEN.match(body, place)
            mark = match and match["mark"]
            if match is None or (mark in ("(", ")", "+") and (mark == "(") != (inside is None)):
                self._fail(
                    f"cannot read axes from {body[place:].strip()!r} in {where!r}",
                    'names, groups and sizes: "weight: (head key[64]) emb"',
                )
            place = match.end()
            if mark == "(":
                inside = [[]]
            elif mark == "+" and inside is not None:
                inside.append([])
            elif mark == ")" and inside is not None:
                items.append(tuple([tuple(group) for group in inside]))
                inside = None
            elif mark is None:
                stated = None if match["size"] is None else int(match["size"])
                pair = (ONE, 1) if match["one"] else (match["name"], stated)
                if inside is None:
                    items.append(((pair,),))
                else:
                    inside[-1].append(pair)
        if inside is not None:
            self._fail(f"a group is not closed in {where!r}", '"weight: (head key) emb"')
        return tuple(items)


def _matching(pattern: str, holes: list[str], words: Mapping[str, Any]) -> re.Pattern[str]:
    """Write a pattern of ours as a regular expression: a hole is a word, or one of those in its dict."""
    parts, seen = [], set()
    for i, part in enumerate(_HOLE.split(pattern)):
        if i % 2 == 0:
            parts.append(re.escape(part))
        elif part in seen:
            parts.append(f"(?P={part})")
        else:
            seen.add(part)
            choice = "|".join(map(re.escape, map(str, words[part]))) if part in words else r"[^.]+"
            parts.append(f"(?P<{part}>{choice})")
    return re.compile("".join(parts))


def _view(
    narrow: tuple[int, int, int] | None,
    names: list[str],
    sizes: dict[str, int],
    at: dict[str, int],
    shared: list[str],
) -> View:
    """View a stored tensor of these names, some at an index, in the order `shared`."""
    places = [n if n != ONE else f"{ONE}{i}" for i, n in enumerate(names)]
    chosen = {**at, **{place: 0 for place in places if place.startswith(ONE)}}
    left = [place for place in places if place not in chosen]
    steps = []
    now = list(places)
    for place in places:
        if place in chosen:
            steps.append((now.index(place), chosen[place]))
            now.remove(place)
    return View(
        narrow,
        tuple([sizes[n] for n in names]),
        tuple(steps),
        tuple([left.index(n) for n in shared]),
    )


def _apart(text: Any) -> tuple[str, str | None]:
    """Separate a name from its axes: "net.weight: hid emb"."""
    name, colon, axes = str(text).partition(": ")
    if not colon and name.endswith(":"):
        name, colon = name[:-1], ":"
    return name.strip(), axes if colon else None


def _bind(name: str, bound: Mapping[str, str]) -> str:
    return _HOLE.sub(lambda m: bound.get(m[1], m[0]), name)


def grouped(group: Group) -> str:
    inner = " ".join([("1" if n == ONE else n if s is None else f"{n}[{s}]") for n, s in group])
    return inner if len(group) == 1 else f"({inner})"


def _item(item: Item) -> str:
    if len(item) == 1:
        return grouped(item[0])
    return f"({' + '.join(grouped(group).strip('()') for group in item)})"


def _sizes(sizes: tuple[int | None, ...]) -> str:
    return f"({', '.join('any' if s is None else str(s) for s in sizes)})"


def _written(ours: Any) -> str:
    return f'"{ours}"' if isinstance(ours, str) else str(ours)


def plain_axes(theirs: Mapping[str, Theirs]) -> dict[str, list[str]]:
    """Give the axes of each of their tensors, if none of its axes is merged or unnamed."""
    found = {key: each.text.split() for key, each in theirs.items()}
    return {key: names for key, names in found.items() if names and all(map(NAME.fullmatch, names))}


def some(names: Iterable[str], most: int = 6) -> str:
    """List names, not more than a line of them."""
    names = list(names)
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _among(name: str, names: Iterable[str]) -> str:
    guess = nearest(name, names) if name else None
    return f"did you mean {guess}?" if guess else f"it has {some(names) or 'none'}"
