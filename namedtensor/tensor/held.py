"""What a named tensor holds: positional data, and the layout that names its axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from namedtensor.axes import (
    HIDING,
    Axes,
    lacks,
    naming,
    one_axis,
    shown,
    typed_axes,
    typed_order,
    visible,
)
from namedtensor.doors import door
from namedtensor.errors import AxisMissingError, AxisNameError, asked_by_us, nearest
from namedtensor.plans import Layout
from namedtensor.shape import Shape, shapes, spaced
from namedtensor.tensor.torch_refusals import Refusing, taken_by_torch


class Sizes(tuple[tuple[str, Any], ...]):
    """The names of axes and their sizes, in pairs."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        name = getattr(place, "name", place)
        if not isinstance(name, str):
            return super().__getitem__(place)
        axis = nearest(name, [own for own, _ in self], 0.0) or name
        raise AxisNameError(
            f"X.sizes[{place!r}]",
            "sizes are pairs of a name and a number, and the tensor tells that of an axis",
            [("X", spaced(self))],
            f"X.size({typed_axes([axis])})",
        )


class Held(metaclass=Refusing):
    """Data in storage order, with its layout."""

    __slots__ = ("__weakref__", "_data", "_declared", "_layout")

    _data: Any
    _layout: Layout
    _declared: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        refuse_assignments(cls)

    def __init__(self, data: Any = None, layout: Layout | None = None, *more: Any) -> None:
        if more or not isinstance(layout, Layout):
            named = ", ".join(map(repr, (layout, *more)))
            raise AxisNameError(
                "NamedTensor(data)" if layout is None else "NamedTensor(data, ...)",
                "the axes of data have no names" if layout is None else "nt.tensor names axes",
                hint=naming("data", data) if layout is None else f"nt.tensor(data, {named})",
            )
        self._data = data
        self._layout = layout

    @property
    def data(self) -> Any:
        """The stored array, whose axes are in the order of `axes`."""
        return self._data

    @property
    def layout(self) -> Layout:
        return self._layout

    @property
    def axes(self) -> tuple[str, ...]:
        """The axis names in storage order; in a formula's body those that the formula knows."""
        layout = self.layout
        if layout.hides and HIDING.now and not asked_by_us():  # as nt.sum[...] leaves them out
            return tuple(visible(layout.axes))
        return layout.axes

    @property
    def reading_order(self) -> tuple[str, ...]:
        """The axis names in the order in which people see them: as declared by the formula that made it."""
        declared: tuple[str, ...] = getattr(self, "_declared", ()) or self.axes
        return declared

    @property
    def kind(self) -> str:
        """The kind of the numbers: bool, int, float or complex."""
        return self.layout.kind

    @property
    def sizes(self) -> tuple[tuple[str, Any], ...]:
        """The axis names and their sizes in storage order; in a formula's body those that it knows."""
        layout = self.layout
        every = Sizes(zip(layout.axes, self.data.shape, strict=True))
        if layout.hides and HIDING.now and not asked_by_us():
            return Sizes([pair for pair in every if visible([pair[0]])])
        return every

    @property
    def shape(self) -> Shape:
        """The axes with their sizes, in the order in which people see them, equal to any other order.

        >>> import namedtensor as nt
        >>> nt.tensor([[1.0, 2.0]], "seq emb").shape
        seq[1] x emb[2]
        """
        sizes = dict(self.sizes)
        return Shape.of([(name, sizes[name]) for name in self.reading_order])

    def size(self, axis: Axes) -> Any:
        """Give the size of one axis.

        >>> import namedtensor as nt
        >>> nt.tensor([[1.0, 2.0]], "seq emb").size("emb")
        2
        """
        place: object = axis
        if isinstance(place, int):
            raise self.counted("size", (place,))
        name = one_axis(f"X.size({axis!r})", axis).name
        for own, size in self.sizes:
            if own == name:
                return size
        raise self.missing(f"X.size({shown(name)})", name)

    def counted(self, word: str, places: tuple[int, ...]) -> AxisNameError:
        """Make the error of a call that counts axes in the place of naming them."""
        own = [
            a
            for place in places
            if -len(self.axes) <= place < len(self.axes)
            for a in [self.axes[place]]
        ]
        return AxisNameError(
            f"X.{word}({', '.join(map(repr, places))})",
            "axes are named, not counted",
            shapes(self),
            taken_by_torch(self) or f"`X.{word}({typed_order(own or self.axes)})`",
        )

    def missing(self, call: str, name: str) -> AxisMissingError:
        """Make the error of a call that names an axis which this tensor lacks."""
        guess = nearest(name, self.axes)
        return AxisMissingError(
            call,
            lacks("X", name),
            shapes(self),
            f"did you mean {shown(guess)}?"
            if guess
            else f"X has {' and '.join(map(shown, self.axes))}: name one of them"
            if self.axes
            else "X is a single number",
        )

    @property
    def dtype(self) -> Any:
        """The library's own dtype of the numbers."""
        return self.data.dtype

    @property
    def device(self) -> Any:
        """The device that holds the numbers, as the library names it."""
        return self.layout.backend.function("device_of")(self.data)


def refuse_assignments(owner: type) -> None:
    """Answer an assignment to what is asked of a tensor, and its deletion, in our words."""
    for word, own in list(vars(owner).items()):
        if isinstance(own, property) and own.fset is None and word[0] != "_":
            refuse = _refusal(word)
            setattr(owner, word, own.setter(refuse).deleter(refuse))


def _refusal(word: str) -> Callable[..., NoReturn]:
    def refuse(X: Held, *value: object) -> NoReturn:
        raise door("tensor.habits.assigned")(X, word)

    return refuse


refuse_assignments(Held)
