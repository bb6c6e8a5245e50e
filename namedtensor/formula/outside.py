"""What a body reads from outside: names of its module, and of functions around it.

Numbers, words, truth values and tensors that are defined by their indices are constants of a plan, and
belong to its key. All else, such as functions, formulas and axes, is compared: if such a name has another
value than before, every plan is forgotten. The names are found in the body's code when it is planned, and in
the code of the plain functions that it names. What a body reads of an object among its settings, such as
`self.scale`, belongs to the key as well.
"""

from __future__ import annotations

import dis
import functools
import itertools
import operator
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import CellType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any, NamedTuple

from namedtensor.axes import Axis
from namedtensor.backends.lazy import is_scalar
from namedtensor.tensor import SymbolicTensor

#: Modules that hold constants, and whose functions read no numbers of the program.
LIBRARIES = frozenset({"namedtensor", "torch", "numpy", *sys.stdlib_module_names} - {"__main__"})

#: Longer lists and dicts are data, and more functions than these are a library.
MOST_PARTS = 64
MOST_FUNCTIONS = 256

_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})
_GLOBAL = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
_AROUND = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
_WRITES = frozenset({"STORE_GLOBAL", "STORE_DEREF", "DELETE_GLOBAL", "DELETE_DEREF"})
#: What does not change has the methods that only read.
_UNCHANGING: dict[type, type] = {list: tuple, deque: tuple, set: frozenset, dict: MappingProxyType}
_MISSING = object()


def kind_of(value: Any) -> Any:
    """Distinguish settings that Python calls equal: (1, 2) and (1.0, 2.0), True and 1, 0.0 and -0.0."""
    if type(value) is tuple:
        return tuple([kind_of(part) for part in value])
    return (float, str(value)) if type(value) is float and not value else type(value)


def kind_when_asked(value: Any, asked: tuple[tuple[str, ...], ...]) -> Any:
    """Distinguish a setting by its kind, and an object by what the body reads of it, too."""
    if type(value) in _PLAIN or not _may_be_asked(value):
        return kind_of(value)
    return type(value), tuple([_part(value, attributes) for attributes in asked])


def _part(value: Any, attributes: tuple[str, ...]) -> Any:
    """Give what is read of an object; a method, another one each time, reads what it is a method of."""
    for n in range(len(attributes), 0, -1):
        read = Read({"": value}, "", attributes[:n])
        found = read.value()
        part = _frozen(found)
        if found is not _MISSING and (type(part) is not _Held or found is read.value()):
            read_whole = _stays(found) or _reads_whole(found, attributes[n:])
            return part if read_whole else None
    return None


class Read(NamedTuple):
    """One name that is read: where it is looked up, and the attributes that follow it."""

    place: Any
    name: str
    attributes: tuple[str, ...]

    def __repr__(self) -> str:
        return ".".join([self.name, *self.attributes])

    @property
    def key(self) -> Any:
        return id(self.place), self.name, self.attributes

    def value(self) -> Any:
        """Give what the name stands for now."""
        if type(self.place) is CellType:
            try:
                found = self.place.cell_contents
            except ValueError:  # a closure's cell that is still empty
                return _MISSING
        else:
            found = self.place.get(self.name, _MISSING)
        for attribute in self.attributes:
            if not _may_be_asked(found):
                return _MISSING
            try:
                found = getattr(found, attribute, _MISSING)
            except Exception:  # a property raised it: the body itself will raise it too
                return _MISSING
        return found


class Outside(tuple[Read, ...]):
    """What a body reads from outside, the values of the last call, and the key made of them."""

    last: tuple[list[Any], tuple[Any, ...]] = ([], ())


def values_now(reads: Outside) -> tuple[Any, ...]:
    """Give the part of a key for what is read from outside; this is quick if nothing has changed."""
    values = []
    for read in reads:
        plain = type(read.place) is dict and not read.attributes
        values.append(read.place.get(read.name, _MISSING) if plain else read.value())
    known, key = reads.last
    if len(known) == len(values):
        for before, now in zip(known, values):  # noqa: B905  strict is slow
            if before is not now:
                break
        else:
            return key
    key = tuple([_frozen(value) for value in values])
    if all([_stays(value) for value in values]):
        reads.last = values, key
    return key


def _stays(value: Any) -> bool:
    """Say whether a value is the same for as long as it is the same object."""
    return type(value) in _PLAIN or (type(value) is tuple and all([_stays(v) for v in value]))


class Bound:
    """What names stood for when plans were made; `parts` are read and compared at each call.

    Each is a function that reads names, where it reads them, and the tuple of what they stood for: equal
    tuples have the same objects, or equal axes.
    """

    __slots__ = ("known", "parts")

    def __init__(self, known: dict[Any, tuple[Read, Any]]) -> None:
        self.known = known
        places: dict[int, tuple[Any, dict[str, None]]] = {}
        parts: list[tuple[Callable[[Any], Any], Any]] = []
        for read, _ in known.values():
            if type(read.place) is CellType:
                parts.append((_reader(operator.attrgetter, ["cell_contents"]), read.place))
            else:
                places.setdefault(id(read.place), (read.place, {}))[1][read.name] = None
            if read.attributes:
                first = read._replace(attributes=()).value()
                parts.append((_reader(operator.attrgetter, [".".join(read.attributes)]), first))
        parts += [(_reader(operator.itemgetter, names), place) for place, names in places.values()]
        self.parts = tuple([(names, place, names(place)) for names, place in parts])

    def changed(self) -> Read | None:
        """Give the first name whose value has changed."""
        for read, value in self.known.values():
            now = read.value()
            if now is not value and not (type(now) is Axis and now == value):
                return read
        return None


def _reader(
    made: Callable[..., Callable[[Any], Any]], names: Iterable[str]
) -> Callable[[Any], Any]:
    """Make a function of C that reads names; the first one again, because of one it gives no tuple."""
    names = list(names)
    return made(names[0], *names)


def read_by(functions: Iterable[Any]) -> tuple[list[Read], dict[Any, tuple[Read, Any]]]:
    """List what functions read from outside: what belongs to keys, and all else with its value."""
    plain: dict[Any, Read] = {}
    held: dict[Any, tuple[Read, Any]] = {}
    seen: dict[Any, Any] = {}
    for function in functions:
        for read, value, whole in _reads(function, seen):
            if whole and type(_frozen(value)) is not _Held:
                plain[read.key] = read
            else:
                held[read.key] = read, value
    return list(plain.values()), held


def _reads(function: Any, seen: dict[Any, Any]) -> Iterator[tuple[Read, Any, bool]]:
    """List names and their values, and whether each value itself, not only attributes of it, is read."""
    if type(function) is not FunctionType or id(function) in seen or len(seen) >= MOST_FUNCTIONS:
        return
    if _of_library(function.__module__):
        return
    seen[id(function)] = function
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for around, name, attributes in names_in(function.__code__):
        if around and name not in cells:
            continue  # a local of the function, in a function inside it
        place = cells[name] if around else function.__globals__
        for n in range(len(attributes), -1, -1):
            read = Read(place, name, attributes[:n])
            value = read.value()
            # an attribute of a library's, and a method, which is another one each time, are left out
            if value is _MISSING or (type(_frozen(value)) is _Held and value is not read.value()):
                continue
            yield read, value, _reads_whole(value, attributes[n:])
            yield from _reads(value, seen)
            break


@functools.lru_cache(maxsize=1024)
def names_in(code: CodeType) -> tuple[tuple[bool, str, tuple[str, ...]], ...]:
    """List the names that code reads and never writes, with whether they are of a function around it."""
    loads = [step for step in _loads(code) if step[0] in _GLOBAL or step[0] in _AROUND]
    written = {s.argval for s in _steps(code) if s.opname in _WRITES}
    found = [(opname in _AROUND, name, attributes) for opname, name, attributes in loads]
    return tuple([own for own in dict.fromkeys(found) if own[1] not in written])


@functools.lru_cache(maxsize=1024)
def asked_of(code: CodeType, name: str) -> tuple[tuple[str, ...], ...]:
    """List the attributes that code reads of one of its arguments."""
    found = [attributes for _, own, attributes in _loads(code) if own == name and attributes]
    return tuple(dict.fromkeys(found))


def _loads(code: CodeType) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """List where code reads a name: the kind of instruction, the name, and the attributes after it."""
    steps = list(_steps(code))
    for i, step in enumerate(steps):
        if step.opname.startswith("LOAD_FAST") or step.opname in _GLOBAL | _AROUND:
            # two locals at once, in Python 3.13: attributes are of the second
            name = step.argval[-1] if type(step.argval) is tuple else step.argval
            after = itertools.takewhile(
                lambda s: s.opname in ("LOAD_ATTR", "LOAD_METHOD"), steps[i + 1 :]
            )
            yield step.opname, name, tuple([s.argval for s in after])


def _steps(code: CodeType) -> Iterator[dis.Instruction]:
    for part in _codes(code):
        for step in dis.get_instructions(part):
            if step.opname not in ("EXTENDED_ARG", "NOP"):
                yield step


def _reads_whole(value: Any, attributes: tuple[str, ...]) -> bool:
    """Say whether a value itself is read: alone, or, if it may change, by a method that only reads."""
    if not attributes or _stays(value) or _may_be_asked(value):
        return not attributes
    return hasattr(_UNCHANGING.get(type(value), type(value)), attributes[0])


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)


def _of_library(module: Any) -> bool:
    return str(module).partition(".")[0] in LIBRARIES


def _may_be_asked(value: Any) -> bool:
    """Say whether attributes of a value are the program's own, not those of a library."""
    if value is _MISSING:
        return False
    if isinstance(value, ModuleType):
        return not _of_library(value.__name__)
    owner = value if isinstance(value, type) else type(value)
    return owner.__module__.partition(".")[0] not in ("namedtensor", "torch", "numpy", "builtins")


class _Held:
    """A value that is neither a number nor text: equal only to itself."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is _Held and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"a {type(self.value).__name__}"


def _frozen(value: Any) -> Any:
    """Turn a value into a part of a key; what is not a constant is compared by identity."""
    kind = type(value)
    if kind in _PLAIN:
        return kind_of(value), value
    if kind in (tuple, list, dict, deque):
        if len(value) > MOST_PARTS:
            return _Held(value)
        pairs = value.items() if kind is dict else enumerate(value)
        parts = [(name, _frozen(part)) for name, part in pairs]
        if any([type(name) not in _PLAIN or type(part) is _Held for name, part in parts]):
            return _Held(value)
        return kind, tuple(parts)
    if kind in (set, frozenset):
        members = frozenset([_frozen(part) for part in value]) if len(value) <= MOST_PARTS else ()
        held = (not members and value) or any([type(part) is _Held for part in members])
        return _Held(value) if held else (kind, members)
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        small = value.size <= MOST_PARTS and value.dtype.kind != "O"
        return (kind, value.dtype.str, value.shape, value.tobytes()) if small else _Held(value)
    if isinstance(value, SymbolicTensor) and value.node.closed:
        return "symbols", value.node, value.axes  # equal trees are one node
    if is_scalar(value):
        return kind, str(value), value.item()
    return _Held(value)
