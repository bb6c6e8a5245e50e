"""Axes are names, with or without a size (paper, section 2).

emb            an axis                      emb[512]      the same axis with its size
seq.prime      seq', a second copy          abs(emb[512]) |emb|
seq(3)         a named index                seq[2:5]      a range of indices
seq >> seq_    a renaming                   (height, width) >> layer   a reshaping
"""

from __future__ import annotations

import operator
import re
import sys
import threading
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MethodType
from typing import TYPE_CHECKING, Any, NoReturn, overload

from namedtensor.compilers import caches_closed, keep
from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    BackendError,
    HabitError,
    KindError,
    as_typed,
    asked_by_us,
    caller_variables,
    kind_of_thing,
    nearest,
)

# other scripts write marks after letters: they are allowed; FRESH and BOUND are not
NAME = re.compile(r"[^\W\d](?:\w|[^\x00-\x7f\s\u00b7\u2027])*'*\**")
_SIZED = re.compile(rf"\s*({NAME.pattern})\s*(?:\[\s*(\d+)\s*\])?\s*")
FRESH = "\N{MIDDLE DOT}"  # ends the name of an axis that a formula's body cannot see
_INSIDE = re.compile(rf"\s*({NAME.pattern}{FRESH}*)\s*(?:\[\s*(\d+)\s*\])?\s*")
BOUND = "\N{HYPHENATION POINT}"  # stands in names that formulas make, before what makes them unique
_BOUND_TO = re.compile(rf"{BOUND}[\w*]+")


_NOTHING: Any = object()


class _Sizes(threading.local):
    """Hold the function that answers abs(ax) while a formula's body runs: axis name -> size.

    Each thread has its own. It is not a ContextVar, because torch.compile cannot read one.
    """

    of: Callable[[str], Any] | None = None


SIZES = _Sizes()


def as_python_reads(text: str) -> str:
    """Normalise text as Python does with names (NFKC): two spellings of a letter become one."""
    return unicodedata.normalize("NFKC", text)


def is_name(name: str) -> bool:
    """Say whether an axis can have this name: a Python identifier, then primes, then stars."""
    return bool(NAME.fullmatch(name)) and (name.isascii() or name.rstrip("'*").isidentifier())


def shown(name: str) -> str:
    """Give an axis name as its owner wrote it."""
    return name.rstrip(FRESH).partition(BOUND)[0]


def shown_in(text: str) -> str:
    """Give a text with the letters of bound indices as their owner wrote them.

    >>> shown_in(f"X : i{BOUND}76[n] m")
    'X : i[n] m'
    """
    return _BOUND_TO.sub("", text)


class Hiding:
    """Whether a body that is traced runs on data now: of their tensors it is told what symbols tell.

    A body with trace=False is told all axes, for it may name what passes through.
    """

    def __init__(self) -> None:
        self.now = False

    @contextmanager
    def told(self, hidden: bool) -> Iterator[None]:
        """Say for a while whether bodies are told the axes alone that their formulas know."""
        before, self.now = self.now, hidden
        try:
            yield
        finally:
            self.now = before


HIDING = Hiding()


def visible(names: Iterable[str]) -> list[str]:
    """Leave out the axes that a formula's body cannot see: those that only its arguments have."""
    return [name for name in names if not name.endswith(FRESH)]


def lacks(label: str, name: str) -> str:
    """Say that a tensor has no such axis.

    >>> lacks("X", "seq'")
    "X has no axis seq'"
    """
    return f"{label} has no axis {shown(name)}"


def axis_code(name: str, size: object = None) -> str:
    """Write an axis as code: seq, nt.Axis("seq'"), or with a size seq[512], "seq'[512]".

    >>> print(axis_code("seq"), axis_code("seq'"), axis_code("seq'", 512))
    seq nt.Axis("seq'") "seq'[512]"
    """
    word = shown(name)
    code = word if size is None else f"{word}[{size}]"
    if word.isidentifier():
        return code
    return f'nt.Axis("{code}")' if size is None else f'"{code}"'


#: Names for axes of bare arrays, for hints: only the sizes are known.
MADE_UP = ("ax", "bx", "cx", "dx")


def made_up(sizes: Iterable[object]) -> str:
    """Write axes of these sizes, as many as there are names: ax[3] bx[4].

    >>> made_up([3, 4])
    'ax[3] bx[4]'
    """
    return " ".join(map("{}[{}]".format, MADE_UP, sizes))


def naming(label: str, x: Any, names: Sequence[str] = ()) -> str:
    """Write, for a hint, how to name the axes of what has none; the last ones have these names.

    >>> naming("A", [[1.0]], ["emb"])
    'name its axes: nt.tensor(A, "ax emb")'
    >>> naming("A", None), naming("A", 1.0, ["emb"])
    ('give a named tensor: nt.ones("ax[4]")', 'give a named tensor: nt.ones("emb[4]")')
    """
    shape = getattr(x, "shape", None)
    shape = None if isinstance(shape, MethodType) else shape  # a module is asked for its own
    numbers = shape is not None or isinstance(x, (list, tuple, int, float, complex))
    count = len(shape or ())
    while isinstance(x, (list, tuple)) and x:
        count, x = count + 1, x[0]
    if count < len(names) or not numbers:
        sized = " ".join([f"{shown(name)}[4]" for name in names or MADE_UP[:1]])
        return f'give a named tensor: nt.ones("{sized}")'
    more = range(count - len(names))
    found = [*[MADE_UP[i] if i < len(MADE_UP) else f"ax{i}" for i in more], *map(shown, names)]
    held = caller_variables()
    if not all([isinstance(held.get(axis), Axis) for axis in found]):
        found = [f'"{" ".join(found)}"']
    return f"name its axes: nt.tensor({', '.join([label, *found])})"


def unused(name: str, taken: Container[str], mark: str = "'") -> str:
    """Mark a name until it is not taken.

    >>> unused("seq", ["seq", "seq'"])
    "seq''"
    """
    while name in taken:
        name = _primed(name) if mark == "'" else name + mark
    return name


def _primed(name: str) -> str:
    """Give the name of a second copy: primes stand before stars."""
    stem = name.rstrip("*")
    return f"{stem}'{name[len(stem) :]}"


def primed(label: str, name: str, taken: Container[str] = ()) -> str:
    """Write how to give an axis of a tensor a name that is not taken: X["seq -> seq'"]."""
    free = unused(_primed(shown(name)), taken)
    return f'{label}["{shown(name)} -> {free}"]'


def typed_axes(names: Sequence[str]) -> str:
    """Write axes as code: emb, (head, val), or "seq' seq" where a name is no Python identifier.

    >>> typed_axes(["emb"]), typed_axes(["head", "val"])
    ('emb', '(head, val)')
    >>> print(typed_axes(["seq'", "emb"]))
    "seq' emb"
    """
    words = list(map(_word, names))
    if not all(word.isidentifier() for word in words):
        return f'"{" ".join(map(shown, names))}"'
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def typed_axis(name: str) -> str:
    """Write an axis as an expression: emb, or nt.Axis("seq'") where its name is no Python identifier.

    >>> print(typed_axis("emb"), typed_axis("emb*"))
    emb nt.Axis("emb*")
    """
    word = _word(name)
    return word if word.isidentifier() else axis_code(name)


def typed_order(names: Iterable[str]) -> str:
    """Write axes one by one, as arguments: emb, "seq'".

    >>> print(typed_order(["emb", "seq'"]))
    emb, "seq'"
    """
    return ", ".join([typed_axes([name]) for name in names])


def _word(name: str) -> str:
    """Give the caller's word for an axis: its name, or seq_ if only a variable seq_ holds it."""
    own = caller_variables()
    held = [n for n, x in own.items() if isinstance(x, Axis) and x.name == name and x.size is None]
    return shown(name) if shown(name) in held or not held else held[0]


def renamed_code(label: str, before: str, after: str) -> str:
    """Write a renaming as code: V[val >> key], or V["seq -> seq'"] where a name is no identifier."""
    old, new = _word(before), _word(after)
    if old.isidentifier() and new.isidentifier():
        return f"{label}[{old} >> {new}]"
    return f'{label}["{shown(before)} -> {shown(after)}"]'


def loose(text: str) -> str:
    """Leave out the parentheses that stand around a whole expression.

    >>> loose("(X + Y)"), loose("(X)(Y)")
    ('X + Y', '(X)(Y)')
    """
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return text[1:-1] if place and place == len(text) - 1 else text
    return text


def either(codes: Sequence[str], most: int = 4) -> str:
    """List pieces of code between backticks; the reader is to type one of them.

    >>> either(["X + Y", "X - Y"])
    '`X + Y` or `X - Y`'
    """
    quoted = [f"`{code}`" for code in codes[:most]]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


class Axis:
    """Name a direction of a tensor, with or without a size.

    >>> emb = Axis("emb")
    >>> emb[512], abs(emb[512]), emb.prime
    (emb[512], 512, emb')
    """

    __slots__ = ("name", "size")
    name: str
    size: Any

    def __class_getitem__(cls, name: object) -> NoReturn:
        hint = '`nt.Axis("seq")`, and seq[7] of an axis seq has a size'
        raise AxisNameError("Axis[...]", "an axis is made of its name, in parentheses", hint=hint)

    def __init__(self, name: str = "", size: Any = None) -> None:
        if not isinstance(name, str) or not is_name(name):
            raise AxisNameError(
                f"Axis({name!r})",
                "an axis name is a word that Python takes for a name, then primes, then stars",
                hint='`nt.Axis("seq")`, `nt.Axis("seq\'")` or `nt.axes("seq emb")`',
            )
        if isinstance(size, (bool, str, float)) or (type(size) is int and size < 0):
            raise AxisSizeError(
                f"Axis({name!r}, {size!r})",
                "a size is a whole number, 0 or more",
                hint=f"Axis({name!r}, 512)",
            )
        object.__setattr__(self, "name", name if name.isascii() else as_python_reads(name))
        object.__setattr__(self, "size", size)

    @classmethod
    def known(cls, name: str, size: Any) -> Axis:
        """Make an axis without checking its name, as for axes that a formula makes itself."""
        axis = cls.__new__(cls)
        object.__setattr__(axis, "name", name)
        object.__setattr__(axis, "size", size)
        return axis

    def __setattr__(self, word: str, value: object) -> NoReturn:
        raise KindError(
            f"{self!r}.{word} = {value!r}",
            "axes are values, which tensors and formulas share",
            hint=f"make another: `nt.Axis({value!r})`"
            if word == "name"
            else f"its axis with another size: `{self.name}[{value!r}]`"
            if word == "size"
            else f"what it has: `{self!r}.name`, `{self!r}.size`",
        )

    @property
    def prime(self) -> Axis:
        """The axis ax', a second copy of ax."""
        return Axis(_primed(self.name), self.size)

    @property
    def star(self) -> Axis:
        """The axis ax* that a derivative adds for the input axis ax."""
        return Axis(self.name + "*", self.size)

    def __abs__(self) -> int:
        found = self.size
        if found is None:
            lookup = SIZES.of
            if lookup is None:
                raise no_size(self.name)
            found = lookup(self.name)
        size: int = found
        return size

    @overload
    def __getitem__(self, item: int) -> Axis: ...
    @overload
    def __getitem__(self, item: Any) -> Any: ...
    def __getitem__(self, item: Any) -> Any:
        if type(item) is int and item >= 0 and self.size is None:
            return Axis.known(self.name, item)
        if isinstance(item, (slice, list)):
            return AxisSelection(self.name, item)
        if isinstance(item, SizeName):
            return NamedSize(self.name, item.name)
        if hasattr(item, "node") and item.node.type.host:
            return Axis(self.name, item)
        if getattr(item, "ndim", False) or hasattr(item, "sizes"):
            return AxisSelection(self.name, item)
        if isinstance(item, bool):
            size = -1
        else:
            try:
                size = operator.index(item)
            except TypeError:
                size = -1
        if size < 0:
            raise AxisSizeError(
                f"{self.name}[{item!r}]",
                "a size is a whole number, 0 or more",
                hint=f"{self.name}[512] for a size, {self.name}[2:5] for a range, "
                f"{self.name}(3) for an index",
            )
        if self.size is not None and self.size != size:
            raise AxisSizeError(
                f"{self!r}[{size}]",
                f"axis {shown(self.name)} has a size already, {self.size}",
                hint=f"leave one out: {axis_code(self.name, size)}",
            )
        return Axis(self.name, size)

    def __call__(self, index: Any = _NOTHING, *more: Any) -> AxisIndex:
        if index is _NOTHING:
            raise AxisNameError(
                f"{self.name}()",
                f"an index of {shown(self.name)} is one number, and none is given",
                hint=f"`X[{self.name}(0)]` is the first",
            )
        if more:
            raise AxisNameError(
                f"{self.name}({', '.join(map(repr, (index, *more)))})",
                f"an index of {shown(self.name)} is one number, and {len(more) + 1} are given",
                hint=f"`X[{self.name}({index!r})]` is one index, and "
                f"`X[{self.name}[{[index, *more]!r}]]` selects several",
            )
        return AxisIndex(self.name, index)

    if not TYPE_CHECKING:  # which find a misspelt attribute themselves

        def __getattr__(self, word: str) -> NoReturn:
            if word[0] == "_" or word in self.__slots__ or asked_by_us():
                raise AttributeError(f"Axis has no attribute {word}")
            own = typed_axis(self.name)
            guess = nearest(word, ("prime", "star", "name"), 0.6)
            hint = f"`{own}.{guess or 'prime'}`"
            hint += "" if guess else f" is its copy, `{own}.name` its name"
            raise HabitError(f"{self!r}.{word}", f"an axis has no {word}", hint=hint)

    def _is_no_number(self, other: Any = None, *_: Any) -> Any:
        """Refuse arithmetic: an axis is a name, and its size a number."""
        if isinstance(getattr(other, "sizes", None), tuple):
            return NotImplemented  # a tensor names itself in the error
        if hasattr(other, "ndim") and hasattr(other, "dtype"):
            raise BackendError(
                f"A @ {self!r}",
                f"A is a bare array of sizes ({', '.join(map(str, other.shape))}); its axes have no names",
                hint=naming("A", other),
            )
        raise KindError(
            repr(self),
            f"{shown(self.name)} is an axis, which has a name and is no number",
            hint=f"its size is a number: `X.size({typed_axes([self.name])})` of a tensor X, "
            f"`abs({typed_axis(self.name)}[64])`, or abs({typed_axis(self.name)}) in a formula",
        )

    # numpy then leaves array + axis to the axis, whose own operators refuse it
    __array_ufunc__ = None
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _is_no_number
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _is_no_number
    __pow__ = __rpow__ = __lt__ = __le__ = __gt__ = __ge__ = __matmul__ = __rmatmul__ = (
        _is_no_number
    )
    __int__ = __float__ = __len__ = _is_no_number

    def __bool__(self) -> bool:
        return True

    def __rshift__(self, after: Any) -> Rename:
        return Rename((self,), parse_axes(after))

    def __rrshift__(self, before: Any) -> Rename:
        return Rename(parse_axes(before), (self,))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):  # as in: seq in X.axes
            return self.size is None and self.name == other
        if not isinstance(other, Axis):
            return NotImplemented
        return self.name == other.name and (
            self.size is other.size
            or (type(self.size) is type(other.size) is int and self.size == other.size)
        )

    def __hash__(self) -> int:
        return hash(self.name)

    def __iter__(self) -> Iterator[Axis]:
        raise TypeError(f"the axis {self.name} is not a sequence")

    def __repr__(self) -> str:
        return self.name if self.size is None else f"{self.name}[{self.size}]"

    def __format__(self, how: str) -> str:
        return format(str(self), how)

    def __reduce__(self) -> tuple[Any, ...]:
        return Axis, (self.name, self.size)


def size_here(axis: Axis) -> Any:
    """Give the size of an axis: its own, or that in the formula whose body runs; None if nobody knows it."""
    if axis.size is not None:
        return axis.size
    try:
        return abs(axis)
    except AxisSizeError:
        return None


def no_size(name: str) -> AxisSizeError:
    """Make the error of abs(ax) where nobody knows the size of the axis."""
    return AxisSizeError(
        f"abs({name})",
        f"{name} has no size here",
        hint=f"give it one, abs({name}[64]), or ask a tensor, X.size({name})",
    )


@dataclass(frozen=True, slots=True, eq=False)
class AxisIndex:
    """A named index: seq(3), or vocab(I) with I an integer named tensor."""

    name: str
    index: Any

    def __repr__(self) -> str:
        return f"{self.name}({self.index})"


@dataclass(frozen=True, slots=True, eq=False)
class AxisSelection:
    """Some of an axis's indices: seq[2:5], seq[[0, 2]], seq[mask]. The axis stays."""

    name: str
    chosen: Any

    def __repr__(self) -> str:
        if isinstance(self.chosen, slice):
            parts = [self.chosen.start, self.chosen.stop]
            parts += [] if self.chosen.step is None else [self.chosen.step]
            return f"{self.name}[{':'.join('' if p is None else str(p) for p in parts)}]"
        return f"{self.name}[...]"


@dataclass(frozen=True, slots=True)
class SizeName:
    """The name of a size in declarations: n in R[seq[n]]."""

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class NamedSize:
    """An axis of a declaration whose size has a name of its own: seq[n]."""

    name: str
    size: str

    def __repr__(self) -> str:
        return f"{self.name}[{self.size}]"


@dataclass(frozen=True, slots=True)
class Rename:
    """Axes before and after: one to one renames, many to one merges, one to many splits."""

    before: tuple[Axis, ...]
    after: tuple[Axis, ...]

    def __post_init__(self) -> None:
        if min(len(self.before), len(self.after)) != 1:
            sides = zip(self.before, self.after, strict=False)
            pairs = ", ".join([f"{shown(old.name)} -> {shown(new.name)}" for old, new in sides])
            raise AxisNameError(
                repr(self),
                "only one to one, many to one and one to many make sense",
                hint=f'rename one by one, X["{pairs}"]'
                if len(self.before) == len(self.after)
                else "rename one by one, X[a >> b, c >> d], or merge and then split",
            )
        for side in (self.before, self.after):
            if len(side) > 1 and len({axis.name for axis in side}) < len(side):
                distinct(repr(self), side)

    def __repr__(self) -> str:
        def side(axes: tuple[Axis, ...]) -> str:
            inner = ", ".join(map(repr, axes))
            return inner if len(axes) == 1 else f"({inner})"

        return f"{side(self.before)} >> {side(self.after)}"


Axes = Axis | str | tuple[Any, ...] | list[Any]


if TYPE_CHECKING:

    class OneOrMore(Axis, tuple[Axis, ...]):  # type: ignore[misc]
        """The result of `axes` for type checkers: an axis that can also be unpacked."""


def axes(names: str) -> OneOrMore:
    """Make axes from their names: one name gives an axis, several a tuple.

    >>> seq, emb = axes("seq emb")
    >>> axes("emb[512]")
    emb[512]
    """
    found = parse_axes(names)
    distinct(f"axes({names!r})", found)
    if not found:
        raise AxisNameError(f"axes({names!r})", "no axis is named", hint='nt.axes("seq emb")')
    given: Any = found[0] if len(found) == 1 else found
    made: OneOrMore = given
    return made


def sizes(names: str) -> Any:
    """Name sizes for declarations: one name gives a size, several a tuple.

    Axes of one name have one size among a formula's arguments, unless their sizes have other names:
    X: R[seq[n], emb], Y: R[seq[m], emb].

    Raises: AxisNameError where a name is no word.

    >>> n, m = sizes("n m")
    >>> Axis("seq")[n]
    seq[n]
    """
    if not isinstance(names, str):
        raise AxisNameError(
            "sizes(...)", f"names are a text, not {kind_of_thing(names)}", hint='nt.sizes("n m")'
        )
    words = names.replace(",", " ").split()
    if not words:
        raise AxisNameError(f"sizes({names!r})", "no size is named", hint='nt.sizes("n m")')
    for word in words:
        if not is_name(word) or not word.isidentifier():
            raise AxisNameError(
                f"sizes({names!r})", f"{word!r} is no name", hint='names are words: nt.sizes("n m")'
            )
    found = tuple([SizeName(as_python_reads(word)) for word in words])
    return found[0] if len(found) == 1 else found


#: What was read from strings and from tuples of axes, and how many of them are kept.
_READ: dict[Any, tuple[Axis, ...]] = {}
_MOST_READ = 1024


def parse_axes(spec: Any) -> tuple[Axis, ...]:
    """Read axes from an Axis, a string such as "seq emb[512]", or a sequence of both."""
    if isinstance(spec, Axis):
        return (spec,)
    if type(spec) is tuple and all([type(part) is Axis for part in spec]):
        return spec
    if caches_closed() or not stays(spec):
        return _read(spec)
    found = _READ.get(spec)
    return keep(_READ, spec, _read(spec), _MOST_READ) if found is None else found


def stays(spec: Any) -> bool:
    """Say whether what is written so is read alike wherever it stands: it has names that a body sees."""
    if type(spec) is str:
        return FRESH not in spec
    if type(spec) is not tuple:
        return False
    for part in spec:
        if type(part) is Axis:
            if part.size is not None and type(part.size) is not int:
                return False
        elif type(part) is not str or FRESH in part:
            return False
    return True


def _read(spec: Any) -> tuple[Axis, ...]:
    if isinstance(spec, str):
        return _parse_names(spec)
    if isinstance(spec, Mapping) and all([type(size) is int for size in spec.values()]):
        raise AxisNameError(
            "axes({...})",
            "a dict has no axes; sizes stand in square brackets",
            hint=f'"{" ".join([f"{name}[{size}]" for name, size in spec.items()])}"',
        )
    held = any([hasattr(spec, word) for word in ("sizes", "ndim", "signature")])  # data, a formula
    if isinstance(spec, Iterable) and not held:
        return tuple(axis for part in spec for axis in parse_axes(part))
    call = as_typed(
        f"axes({spec!r})" if isinstance(spec, (int, float, type(None))) else "axes(...)"
    )
    named = _with_names(call) if type(spec) is int else ""
    raise AxisNameError(
        call,
        f"axes are given as Axis objects or as names, not as {kind_of_thing(spec)}",
        hint=f"`nt.{named}`"
        if named
        else 'seq, (seq, emb) or "seq emb"'
        + (f', and with a size "seq[{spec}]"' if type(spec) is int and spec > 0 else ""),
    )


def _with_names(call: str) -> str:
    """Write a call that gives sizes alone with axes that have them; "" if it is no such call.

    >>> _with_names('zeros("seq", 2)'), _with_names("iota(5)"), _with_names("one_hot(I, 5)")
    ("zeros('seq[2]')", 'iota("ax[5]")', 'one_hot(I, "ax[5]")')
    >>> _with_names("normal(0, 1, seq[2])"), _with_names("eye(4)"), _with_names("f(3)")
    ('normal(seq[2])', 'eye("ax[4] bx[4]")', '')
    """
    import ast
    import inspect

    try:
        found = ast.parse(call, mode="eval").body
    except SyntaxError:
        return ""
    if not isinstance(found, ast.Call) or not isinstance(found.func, ast.Name):
        return ""
    name, parts, left = found.func.id, list[str](), list(MADE_UP)
    public = vars(sys.modules["namedtensor"]).get(name)
    takes = inspect.signature(public).parameters if callable(public) else ()
    if "data" in takes or not any(own.startswith(("axes", "axis")) for own in takes):
        return ""  # data has its sizes
    sized = any("[" in ast.unparse(part) for part in found.args)
    for part in found.args:
        size = part.value if isinstance(part, ast.Constant) and type(part.value) is int else None
        before = parts[-1].strip("'\"") if parts else ""
        if size is None:
            parts.append(ast.unparse(part))
        elif (
            size > 0
            and before.isidentifier()
            and (parts[-1] != before or isinstance(caller_variables().get(before), Axis))
        ):
            parts[-1] = parts[-1].replace(before, f"{before}[{size}]")
        elif size > 0 and not sized:
            parts.append(f'"{left.pop(0)}[{size}]"')
    if name == "eye" and len(parts) == 1:
        parts = [f'"{parts[0][1:-1]} {parts[0][1:-1].replace("ax", "bx")}"']
    named = [ast.unparse(part) for part in found.keywords]
    return f"{name}({', '.join([*parts, *named])})" if parts else ""


def _parse_names(text: str) -> tuple[Axis, ...]:
    found = []
    place = 0
    body = text.strip()
    if body.startswith("(") and body.endswith(")"):
        body = body[1:-1]
    # a body may name axes that it cannot see, as X.numpy(*X.axes) does
    pattern = _INSIDE if FRESH in body and SIZES.of is not None else _SIZED
    while place < len(body):
        if body[place] in ", \t\n":
            place += 1
            continue
        match = pattern.match(body, place)
        if match is None or match.end() == place:
            raise AxisNameError(
                repr(text),
                f"cannot read axes from {body[place:]!r}",
                hint='names are words, with primes and sizes: "seq seq\' emb[512]"',
            )
        name, size = match.groups()
        if place and body[place - 1] not in ", \t\n":
            raise AxisNameError(
                repr(text),
                f"no space stands before {body[place:]!r}",
                hint=repr(f"{body[:place]} {body[place:]}"),
            )
        axis = Axis(name.rstrip(FRESH), None if size is None else int(size))
        found.append(Axis.known(name, axis.size) if name.endswith(FRESH) else axis)
        place = match.end()
    return tuple(found)


def parse_renames(text: str) -> tuple[Rename, ...]:
    """Read renames from "seq -> seq'", "(height, width) -> layer, a -> b"."""
    renames = []
    for part in re.split(r"[,;](?![^()]*\))", text):
        before, arrow, after = part.partition("->")
        if not arrow or not before.strip() or not after.strip():
            raise AxisNameError(
                repr(text),
                f"{part.strip()!r} is not a renaming",
                hint='X["seq -> seq\'"], X["(height, width) -> layer"]',
            )
        renames.append(Rename(parse_axes(before), parse_axes(after)))
    return tuple(renames)


def one_axis(call: str, spec: Any) -> Axis:
    """Read the one axis that spec stands for."""
    found = parse_axes(spec)
    if len(found) != 1:
        raise AxisNameError(
            call, f"one axis is wanted here, and {len(found)} are given", hint='seq or "seq"'
        )
    return found[0]


def distinct(call: str, given: Iterable[Axis]) -> None:
    """Raise AxisNameError where two axes have one name."""
    seen: set[str] = set()
    for axis in given:
        if axis.name in seen:
            raise AxisNameError(
                call,
                f"{shown(axis.name)} is named twice",
                hint=f'name it once; "{shown(axis.name)}\'" is a second copy',
            )
        seen.add(axis.name)
