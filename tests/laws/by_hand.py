"""What nested programs mean, by numpy and Python's own loops alone: nothing of the library is used.

A tensor is an array and the names of its axes. The names here are those that programs use, so that one
text runs by the library and by hand.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np


class Nonsense(Exception):
    """The program has no meaning: it is drawn again."""


class OtherKind(Nonsense):
    """A carry becomes of another kind."""


class T:
    """Numbers with named axes; every operation acts on each record of all other axes."""

    def __init__(self, array: Any, axes: Sequence[str] = ()) -> None:
        self.array = np.asarray(array)
        self.axes = tuple(axes)
        if len({*axes}) != len(axes) or self.array.ndim != len(self.axes):
            raise Nonsense(f"{self.array.shape} for {axes}")

    @property
    def sizes(self) -> dict[str, int]:
        return dict(zip(self.axes, self.array.shape, strict=True))

    @property
    def kind(self) -> str:
        return {"b": "bool", "i": "int", "u": "int"}.get(self.array.dtype.kind, "float")

    def size(self, axis: str) -> int:
        return self.sizes[axis]

    def over(self, axes: Iterable[str]) -> Any:
        """Give the array with these axes in this order; those that it lacks have size 1."""
        axes = list(axes)
        own = [a for a in axes if a in self.axes]
        array = self.array.transpose([self.axes.index(a) for a in own])
        return array.reshape([self.sizes.get(a, 1) for a in axes])

    def last(self, axes: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
        """Give the array with these axes last, and the others."""
        if any(a not in self.axes for a in axes):
            raise Nonsense(f"{axes} of {self.axes}")
        rest = tuple([a for a in self.axes if a not in axes])
        return self.over((*rest, *axes)), rest

    def expanded(self, sizes: dict[str, int]) -> T:
        axes = (*sizes, *[a for a in self.axes if a not in sizes])
        shape = [sizes.get(a, self.sizes.get(a, 1)) for a in axes]
        return T(np.broadcast_to(self.over(axes), shape), axes)

    def __getitem__(self, how: Any) -> T:
        if isinstance(how, Renamed):
            if how.old not in self.axes:
                raise Nonsense(f"{how.old} of {self.axes}")
            return T(self.array, [how.new if a == how.old else a for a in self.axes])
        return self._at(how) if isinstance(how, At) else self._cut(how)

    def _at(self, how: At) -> T:
        if isinstance(how.index, T):
            # each record of the index asks for a record
            axes = [a for a in {**self.sizes, **how.index.sizes} if a != how.axis]
            met = joined(self.sizes, how.index.sizes, but=how.axis)
            array = np.broadcast_to(
                self.over((*axes, how.axis)),
                (*[met[a] for a in axes], self.sizes[how.axis]),
            )
            index = np.broadcast_to(how.index.over(axes), [met[a] for a in axes])
            within(how.index, self.sizes[how.axis])
            return T(np.take_along_axis(array, index[..., None], -1)[..., 0], axes)
        if not how.index < self.sizes.get(how.axis, 0):
            raise Nonsense("an index outside")
        array, rest = self.last([how.axis])
        return T(array[..., how.index], rest)

    def _cut(self, how: Axis) -> T:
        array, rest = self.last([how.name])
        return T(array[..., how.part], (*rest, how.name))

    @property
    def at(self) -> Any:
        return Updating(self)


class Updating:
    """X.at[axis(i)].set(Y), where each record may have its own i."""

    def __init__(self, whole: T) -> None:
        self.whole = whole

    def __getitem__(self, how: At) -> Any:
        index = tensor(how.index)

        def put(word: str, value: Any) -> T:
            value = tensor(value)
            if how.axis in (*value.axes, *index.axes):
                raise Nonsense("what is put has the axis")
            own = {a: n for a, n in self.whole.sizes.items() if a != how.axis}
            sizes = joined(own, value.sizes, index.sizes)
            array, rest = self.whole.expanded(sizes).last([how.axis])
            array = array.copy()
            shape = array.shape[:-1]
            places = np.broadcast_to(index.over(rest), shape)[..., None]
            within(index, array.shape[-1])
            new = np.broadcast_to(value.over(rest), shape)[..., None]
            if word == "add":
                new = new + np.take_along_axis(array, places, -1)
            np.put_along_axis(array, places, new, -1)
            return T(array, (*rest, how.axis))

        return SimpleNamespace(set=functools.partial(put, "set"), add=functools.partial(put, "add"))


class Open:
    """Numbers that their indices define; the sizes are those of what they meet."""

    def __init__(self, axes: Sequence[str], rule: Callable[..., Any]) -> None:
        self.axes, self.rule = tuple(axes), rule

    def met(self, other: Any) -> T:
        if not isinstance(other, T) or any(a not in other.axes for a in self.axes):
            raise Nonsense("open sizes")
        return made(self.axes, [other.sizes[a] for a in self.axes], self.rule)


def made(axes: Sequence[str], sizes: Sequence[int], rule: Callable[..., Any]) -> T:
    """Make a tensor record by record."""
    places = list(np.ndindex(*sizes))
    sample = np.asarray(rule(*[0] * len(axes)))
    numbers = [rule(*place) for place in places]
    return T(np.array(numbers, sample.dtype).reshape(sizes), axes)


class At:
    def __init__(self, axis: str, index: Any) -> None:
        self.axis, self.index = axis, index


class Renamed:
    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new


class Axis:
    """An axis, perhaps with a size or a range in brackets."""

    def __init__(self, name: str, part: Any = None) -> None:
        self.name, self.part = name, part

    def __getitem__(self, part: Any) -> Axis:
        return Axis(self.name, part)

    def __call__(self, index: Any) -> At:
        return At(self.name, index)

    def __rshift__(self, other: Axis) -> Renamed:
        return Renamed(self.name, other.name)


def tensor(value: Any) -> T:
    return value if isinstance(value, T) else T(value)


def within(index: T, size: int) -> None:
    """Raise Nonsense unless all numbers of an index lie inside of an axis."""
    if index.array.size and not (index.array.min() >= 0 and index.array.max() < size):
        raise Nonsense("an index outside")


def joined(*sizes: dict[str, int], but: str = "") -> dict[str, int]:
    """Give the axes of all, which have one size each."""
    found: dict[str, int] = {}
    for each in sizes:
        for axis, size in each.items():
            if axis != but and found.setdefault(axis, size) != size:
                raise Nonsense(f"{axis} is {found[axis]} and {size}")
    return found


# ------------------------------------------------------------------------------------- elementwise


def elementwise(function: Any, *given: Any) -> Any:
    """Apply a function to each record of tensors that have each other's axes, or none."""
    if all(isinstance(x, (int, float, bool)) for x in given):
        return function(*given)
    full = [x for x in given if isinstance(x, T)]
    if any(isinstance(x, Open) for x in given):
        if not full:
            axes = next(x.axes for x in given if isinstance(x, Open))
            rules = [x.rule if isinstance(x, Open) else (lambda *i, x=x: x) for x in given]
            return Open(axes, lambda *i: function(*[rule(*i) for rule in rules]))
        whole = functools.reduce(lambda a, b: elementwise(np.add, a, b), full)
        given = tuple([x.met(whole) if isinstance(x, Open) else x for x in given])
    given = tuple(map(tensor, given))
    axes = tuple(joined(*[x.sizes for x in given]))
    return T(function(*[x.over(axes) for x in given]), axes)


def counting(function: Any) -> Any:
    """Let truth values count as 0 and 1."""

    def number(x: Any) -> Any:
        return x.astype(np.int64) if getattr(x, "dtype", None) == np.bool_ else x

    return lambda *given: function(*map(number, given))


def _operators() -> None:
    words = {
        "add": counting(np.add),
        "sub": counting(np.subtract),
        "mul": counting(np.multiply),
        "and": np.logical_and,
        "or": np.logical_or,
        "xor": np.logical_xor,
        "gt": np.greater,
        "lt": np.less,
        "ge": np.greater_equal,
        "eq": np.equal,
        "ne": np.not_equal,
    }
    for kind in (T, Open):
        for word, function in words.items():
            setattr(kind, f"__{word}__", lambda x, y, f=function: elementwise(f, x, y))
            setattr(kind, f"__r{word}__", lambda x, y, f=function: elementwise(f, y, x))
        kind.__neg__ = lambda x: elementwise(np.negative, x)  # type: ignore[union-attr]
        kind.__invert__ = lambda x: elementwise(np.logical_not, x)  # type: ignore[union-attr]
        kind.__matmul__ = lambda x, y: Contracting(x, y)  # type: ignore[union-attr]


_operators()


class Contracting:
    """X @ axis, which waits for @ Y."""

    def __init__(self, x: T, axis: str) -> None:
        self.x, self.axis = x, axis

    def __matmul__(self, y: T) -> T:
        if self.axis not in self.x.axes or self.axis not in y.axes:
            raise Nonsense("contracted without the axis")
        return reduction(np.sum)(self.axis)(self.x * y)


def where(condition: Any, x: Any, y: Any) -> Any:
    return elementwise(np.where, condition, x, y)


def cast(x: T, kind: type) -> T:
    return T(x.array.astype(kind), x.axes)


# ------------------------------------------------------------------------------- along named axes


class Bracketed:
    """A function that takes its axes in brackets."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __getitem__(self, axes: Any) -> Callable[..., Any]:
        return self.function(*(axes if isinstance(axes, tuple) else (axes,)))


def reduction(function: Any) -> Callable[..., Any]:
    def over(*axes: str) -> Callable[..., Any]:
        def reduced(x: T) -> T:
            array, rest = x.last(axes)
            where_ = tuple(range(len(rest), array.ndim))
            if function is not np.sum and not math.prod(array.shape[len(rest) :]):
                raise Nonsense("of nothing")
            return T(function(array, axis=where_), rest)

        return reduced

    return over


def along(function: Any) -> Callable[..., Any]:
    def over(axis: str) -> Callable[..., Any]:
        def kept(x: T, *settings: Any) -> T:
            array, rest = x.last([axis])
            return T(function(array, *settings) if array.size else array, (*rest, axis))

        return kept

    return over


def softmax(array: Any) -> Any:
    powers = np.exp(array - array.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def stack(axis: str) -> Callable[..., T]:
    def stacked(*parts: Any) -> T:
        parts = tuple(map(tensor, parts))
        axes = tuple(joined(*[p.sizes for p in parts]))
        sizes = joined(*[p.sizes for p in parts])
        arrays = [p.expanded(sizes).over(axes) for p in parts]
        return T(np.stack(arrays, -1), (*axes, axis))

    return stacked


def iota(axis: Any) -> Any:
    if isinstance(axis, Axis) and isinstance(axis.part, int):
        return T(np.arange(axis.part), [axis.name])
    return Open([axis if isinstance(axis, str) else axis.name], lambda i: i)


def define(*axes: str) -> Any:
    return lambda rule: Open(axes, rule)


# --------------------------------------------------------------------------------- control of flow


def flat(form: Any) -> list[Any]:
    return [] if form is None else list(form) if isinstance(form, tuple) else [form]


def formed(form: Any, parts: list[Any]) -> Any:
    return None if form is None else tuple(parts) if isinstance(form, tuple) else parts[0]


def element(x: T, axis: str, i: int) -> T:
    """Give one record; of nothing, a record of ones, which only says which axes results have."""
    array, rest = x.last([axis])
    if not array.shape[-1]:
        return T(np.ones(array.shape[:-1], array.dtype), rest)
    return T(array[..., i], rest)


def recurrence(
    axis: str, step: Any, carry: Any, sequences: Sequence[T], reverse: bool, emit: Any
) -> tuple[Any, Any, Any]:
    """Take all steps; give the carries after each, the last one, and what is emitted."""
    size = joined(*[{axis: x.size(axis)} for x in sequences])[axis]
    first = [element(x, axis, 0) for x in sequences]
    starts = [h if isinstance(h, T) else T(h) for h in flat(carry)]
    number = [not isinstance(h, T) for h in flat(carry)]
    starts = settled(axis, step, carry, starts, number, first)
    now, every, emitted = starts, [], []
    sample = None if emit is None else emit(formed(carry, now), *first)
    for i in reversed(range(size)) if reverse else range(size):
        elements = [element(x, axis, i) for x in sequences]
        now = list(map(tensor, flat(step(formed(carry, now), *elements))))
        every.append(now)
        if emit is not None:
            emitted.append(list(map(tensor, flat(emit(formed(carry, now), *elements)))))
    if reverse:
        every, emitted = every[::-1], emitted[::-1]
    listed = _listed(axis, every, starts)
    outs = _listed(axis, emitted, list(map(tensor, flat(sample))))
    return formed(carry, listed), formed(carry, now), formed(sample, outs)


def settled(
    axis: str, step: Any, carry: Any, starts: list[T], number: list[bool], first: list[T]
) -> list[T]:
    """Give what a recurrence starts with the axes of the step's result, and numbers its kind.

    A loop inside may start with a whole number that has yet to become a real one.
    """
    whole = [i for i, x in enumerate(starts) if number[i] and x.kind != "float"]
    for real in [[], *[[i] for i in whole], whole]:
        tried = [T(x.array.astype(float)) if i in real else x for i, x in enumerate(starts)]
        try:
            return _settled(axis, step, carry, tried, number, first)
        except OtherKind:
            continue
    raise OtherKind("the next carry is of another kind")


def _settled(
    axis: str, step: Any, carry: Any, starts: list[T], number: list[bool], first: list[T]
) -> list[T]:
    while True:
        found = list(map(tensor, flat(step(formed(carry, starts), *first))))
        wider = []
        for h, new, is_number in zip(starts, found, number, strict=True):
            sizes = joined(new.sizes, h.sizes)
            if set(sizes) - set(new.sizes) or axis in sizes:
                raise Nonsense("the next carry has lost an axis")
            array = h.array.astype(new.array.dtype) if is_number else h.array
            wider.append(T(array, h.axes).expanded(sizes))
        pairs = list(zip(starts, wider, strict=True))
        starts = wider
        if all(set(a.axes) == set(b.axes) and a.kind == b.kind for a, b in pairs):
            break
    if any(h.kind != new.kind for h, new in zip(starts, found, strict=True)):
        raise OtherKind("the next carry is of another kind")
    return starts


def _listed(axis: str, every: list[list[T]], like: list[T]) -> list[T]:
    """Put the values of all steps side by side; of no steps, nothing of that shape."""
    if not every:
        return [T(np.zeros((0, *x.array.shape), x.array.dtype), (axis, *x.axes)) for x in like]
    return [stack(axis)(*values) for values in zip(*every, strict=True)]


def scan(axis: str) -> Callable[..., Any]:
    def run(step: Any, carry: Any, *xs: T, reverse: bool = False, emit: Any = None) -> Any:
        every, last, outs = recurrence(axis, step, carry, xs, reverse, emit)
        return every if emit is None else (last, outs)

    return run


def fold(axis: str) -> Callable[..., Any]:
    return lambda step, carry, *xs, reverse=False: recurrence(axis, step, carry, xs, reverse, None)[
        1
    ]


def associative_scan(axis: str) -> Callable[..., Any]:
    def run(combine: Any, form: Any, reverse: bool = False) -> Any:
        xs = flat(form)
        size = joined(*[{axis: x.size(axis)} for x in xs])[axis]
        sample = [element(x, axis, 0) for x in xs]
        while True:  # an element has the axes of what it is combined with
            found = list(map(tensor, flat(combine(formed(form, sample), formed(form, sample)))))
            if all(set(a.axes) == set(b.axes) for a, b in zip(sample, found, strict=True)):
                break
            sample = [x.expanded(y.sizes) for x, y in zip(sample, found, strict=True)]
        every: list[list[T]] = []
        for i in reversed(range(size)) if reverse else range(size):
            own = [element(x, axis, i).expanded(s.sizes) for x, s in zip(xs, sample, strict=True)]
            if every:
                own = list(map(tensor, flat(combine(formed(form, every[-1]), formed(form, own)))))
            every.append(own)
        return formed(form, _listed(axis, every[::-1] if reverse else every, sample))

    return run


def lift(function: Any, pattern: str) -> Callable[..., T]:
    """Apply a function of arrays to each record of the other axes."""
    left, _, right = pattern.partition("->")
    taken = [part.split() for part in left.split(",")]

    def lifted(*given: T) -> T:
        rest = joined(
            *[
                {a: n for a, n in x.sizes.items() if a not in own}
                for x, own in zip(given, taken, strict=True)
            ]
        )
        whole = [x.expanded(rest).over((*rest, *own)) for x, own in zip(given, taken, strict=True)]
        places = list(np.ndindex(*rest.values()))
        found = [np.asarray(function(*[x[place] for x in whole])) for place in places]
        if not found:  # a record of ones says which axes a result has
            ones = [np.ones(x.shape[len(rest) :], x.dtype) for x in whole]
            found = [np.asarray(function(*ones))]
        array = np.stack(found)[: len(places)].reshape((*rest.values(), *found[0].shape))
        return T(array, (*rest, *right.split()))

    return lifted


class Space:
    """R[...], which says nothing by hand."""

    def __getitem__(self, axes: Any) -> None:
        return None


#: What a program's text may say, by hand.
WORDS: dict[str, Any] = {
    "A": Axis,
    "R": Space(),
    "Z": Space(),
    "B": Space(),
    "made": lambda f: f,
    "each": lambda f, *how: None,
    "one": lambda f: None,
    "bound": functools.partial,
    "nt": SimpleNamespace(
        sum=Bracketed(reduction(np.sum)),
        mean=Bracketed(reduction(np.mean)),
        max=Bracketed(reduction(np.max)),
        any=Bracketed(reduction(np.any)),
        softmax=Bracketed(along(softmax)),
        cumsum=Bracketed(along(lambda x: np.cumsum(x, -1))),
        roll=Bracketed(along(lambda x, n: np.roll(x, n, -1))),
        stack=Bracketed(stack),
        define=Bracketed(define),
        scan=Bracketed(scan),
        fold=Bracketed(fold),
        associative_scan=Bracketed(associative_scan),
        iota=iota,
        lift=lift,
        where=where,
        cast=cast,
        maximum=lambda x, y: elementwise(np.maximum, x, y),
        tanh=lambda x: elementwise(np.tanh, x),
        sigmoid=lambda x: elementwise(lambda v: 1 / (1 + np.exp(-v)), x),
        square=lambda x: elementwise(np.square, x),
    ),
}
