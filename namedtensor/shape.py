"""A shape is an unordered set of axes with sizes (paper, section 2.1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from namedtensor.axes import (
    FRESH,
    HIDING,
    Axis,
    axis_code,
    distinct,
    either,
    one_axis,
    parse_axes,
    shown,
    typed_axes,
    visible,
)
from namedtensor.compilers import compiling
from namedtensor.doors import door
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    HabitError,
    KindError,
    asked_by_us,
    nearest,
)

#: Tensors of more records are refused before a library is asked: at 8 bytes each, they are 70 terabytes.
MOST_RECORDS = 2**43


#: An axis whose name is not checked, as of those that a formula makes itself.
sized = Axis.known


class Shape:
    """Hold the axes of a tensor and their sizes; their order means nothing.

    >>> Shape("seq[7] emb[512]") == Shape("emb[512] seq[7]")
    True
    >>> Shape("seq[7] emb[512]")
    seq[7] x emb[512]
    """

    __slots__ = ("_sizes",)

    def __class_getitem__(cls, axes: object) -> NoReturn:
        hint = 'nt.Shape("seq[7] emb[512]")'
        raise AxisNameError("Shape[...]", "a shape is made of its axes, in parentheses", hint=hint)

    def __init__(self, *axes: Any) -> None:
        given = axes[0] if len(axes) == 1 else axes
        parsed = parse_axes(given) if not isinstance(given, Shape) else tuple(given)
        distinct("Shape(...)", parsed)
        self._sizes: dict[str, Any] = {axis.name: axis.size for axis in parsed}

    @classmethod
    def of(cls, sizes: Iterable[tuple[str, Any]]) -> Shape:
        """Make a shape from pairs of name and size, without checking them."""
        shape = cls.__new__(cls)
        shape._sizes = dict(sizes)
        return shape

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes, in the order in which they were given.

        To a formula's body these are the axes that the formula knows, as in nt.sum[...].
        """
        return tuple(visible(self._sizes) if self._hides() and not asked_by_us() else self._sizes)

    @property
    def count(self) -> int:
        """How many records the shape has: the product of its sizes."""
        total = 1
        for name in visible(self._sizes) if self._hides() and not asked_by_us() else self._sizes:
            size = self._sizes[name]
            if size is None:
                raise AxisSizeError(
                    "shape.count",
                    f"{shown(name)} has no size",
                    [("shape", spaced(self._sizes.items()))],
                    f"give it one: {axis_code(name, 512)}",
                )
            total *= size
        return total

    def _hides(self) -> bool:
        """Say whether there are axes that a formula's body does not know."""
        hidden = [size for name, size in self._sizes.items() if name.endswith(FRESH)]
        return bool(hidden) and (HIDING.now or not all(isinstance(size, int) for size in hidden))

    def size(self, axis: Any) -> Any:
        """Give the size of one axis.

        >>> Shape("seq[7] emb[512]").size("emb")
        512
        """
        name = one_axis(f"size({axis})", axis).name
        if name not in self._sizes:
            guess = nearest(name, self._sizes)
            raise AxisMissingError(
                f"size({shown(name)})",
                f"there is no axis {shown(name)}",
                [("shape", spaced(self._sizes.items()))],
                f"did you mean {shown(guess)}?" if guess else "it has the axes that it shows",
            )
        return self._sizes[name]

    def compatible(self, other: Any) -> bool:
        """Say whether every shared axis has one size: the precondition of X + Y.

        >>> Shape("seq[7] emb[512]").compatible(Shape("emb[512] hid[4]"))
        True
        """
        theirs = Shape(other)._sizes
        return all(size == theirs[n] for n, size in self._sizes.items() if n in theirs)

    def orthogonal(self, other: Any) -> bool:
        """Say whether no axis is shared.

        >>> Shape("seq[7]").orthogonal(Shape("emb[512]"))
        True
        """
        return self._sizes.keys().isdisjoint(Shape(other)._sizes)

    def __or__(self, other: Any) -> Shape:
        other = Shape(other)
        for name, size in self._sizes.items():
            if other._sizes.get(name, size) != size:
                raise AxisSizeError(
                    "A | B",
                    f"axis {shown(name)} is {size} in A and {other._sizes[name]} in B",
                    [("A", spaced(self._sizes.items())), ("B", spaced(other._sizes.items()))],
                    "only compatible shapes have a union",
                )
        return Shape.of([*self._sizes.items(), *other._sizes.items()])

    def __add__(self, other: object) -> NoReturn:
        raise KindError(
            "A + B",
            "a shape is a set of axes, and sets are not added",
            [("A", spaced(self._sizes.items()))],
            '`nt.Shape("seq[3]") | nt.Shape("emb[4]")` has the axes of both',
        )

    __radd__ = __mul__ = __rmul__ = __add__

    def __and__(self, other: Any) -> Shape:
        theirs = Shape(other)._sizes
        return Shape.of((n, s) for n, s in self._sizes.items() if n in theirs)

    def __sub__(self, other: Any) -> Shape:
        gone = {axis.name for axis in (other if isinstance(other, Shape) else parse_axes(other))}
        return Shape.of((n, s) for n, s in self._sizes.items() if n not in gone)

    def __contains__(self, axis: object) -> bool:
        for given in parse_axes(axis):
            if given.name not in self._sizes:
                return False
            if given.size is not None and given.size != self._sizes[given.name]:
                return False
        return True

    def __getitem__(self, place: object) -> NoReturn:
        named = str(getattr(place, "name", place))
        own = [*self._sizes]
        at = place if isinstance(place, int) and -len(own) <= place < len(own) else 0
        first = named if named in own else own[at] if own else "seq"
        raise AxisNameError(
            f"shape[{place!r}]",
            "the size of an axis is asked of the tensor"
            if named == first
            else "a shape is a set of axes, and none is the first",
            [("shape", spaced(self._sizes.items()))],
            f"X.size({typed_axes([first])})",
        )

    def __call__(self, *axes: object) -> NoReturn:
        raise HabitError(
            "X.shape(...)",
            "a shape is no function",
            [("shape", spaced(self._sizes.items()))],
            "`X.shape`",
        )

    if not TYPE_CHECKING:  # which find a misspelt attribute themselves

        def __getattr__(self, word: str) -> NoReturn:
            if word[0] == "_" or compiling():  # by protocols; a compiler follows no guesses
                raise AttributeError(f"Shape has no attribute {word}")
            axis = nearest(word, self._sizes, 0.0)
            codes = ["X.shape.names", "X.shape.count"]
            codes += [f'X.shape.size("{shown(axis)}")'] if axis else []
            raise HabitError(
                f"shape.{word}",
                f"{word} is an axis, and its size is asked for by name"
                if word in self._sizes
                else f"a shape has no {word}",
                [("shape", spaced(self._sizes.items()))],
                f"`{codes[-1]}`" if word in self._sizes else either(codes),
            )

    def __iter__(self) -> Iterator[Axis]:
        return iter([sized(name, size) for name, size in self._sizes.items()])

    def __len__(self) -> int:
        return len(self._sizes)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            other = Shape(other)
        if not isinstance(other, Shape):
            return NotImplemented
        return self._sizes == other._sizes

    def __hash__(self) -> int:
        return hash(frozenset(self._sizes.items()))

    def __repr__(self) -> str:
        return " x ".join(map(axis_text, self._sizes.items())) if self._sizes else "()"

    def __format__(self, how: str) -> str:
        return format(str(self), how)

    def _repr_html_(self) -> str:
        shown: str = door("display.html.shape_table")(self)
        return shown


def hold_in_memory(call: str, sizes: Sequence[tuple[str, Any]]) -> None:
    """Raise AxisSizeError where a tensor of these sizes would have more records than any memory holds."""
    count = math.prod([size or 1 for _, size in sizes])
    if count > MOST_RECORDS:
        fewer = " ".join([f"{shown(name)}[{min(size, 512)}]" for name, size in sizes])
        raise AxisSizeError(
            call,
            f"it would have {count:.1e} records, more than any memory holds",
            hint=f'give smaller sizes: "{fewer}"',
        )


def axis_text(axis: tuple[str, Any]) -> str:
    """Write one axis as seq[7], or as seq where its size is not known yet."""
    name, size = axis
    return f"{shown(name)}[{size}]" if isinstance(size, int) else shown(name)


def spaced(sizes: Iterable[tuple[str, Any]]) -> str:
    """Write axes the way error messages show them: seq[3] key[4]."""
    return " ".join(map(axis_text, sizes)) or "() a single number"


def shapes(*operands: Any, labels: Sequence[str] = "XYZUVW") -> list[tuple[str, str]]:
    """Write the shapes of operands for an error message: [("X", "seq[3] key[4]")]. Numbers have none."""
    found = zip(labels, operands, strict=False)
    return [
        (label, spaced(X.sizes))
        for label, X in found
        if isinstance(getattr(X, "sizes", None), tuple)
    ]
