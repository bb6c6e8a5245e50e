"""Functions that name the axes they act on: nt.softmax[seq](X), nt.sum[seq, emb](X)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis, distinct, parse_axes
from namedtensor.errors import AxisMissingError, AxisSizeError
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor


class AxisFunction:
    """A function waiting for its axes: softmax, then softmax[seq], then softmax[seq](X).

    `bind(axes)` gives the function on tensors for parsed axes; bound functions are kept.
    """

    def __init__(
        self, name: str, bind: Callable[[tuple[Axis, ...]], Callable[..., Any]], doc: str
    ) -> None:
        self.__name__ = name
        self.__doc__ = doc
        self._bind = bind
        self._bound: dict[Any, Callable[..., Any]] = {}

    def __getitem__(self, axes: Any) -> Callable[..., Any]:
        if axes is Ellipsis:
            return lambda X, *rest, **named: self[X.axes](X, *rest, **named)
        plain = isinstance(axes, (Axis, str)) and getattr(axes, "size", None) is None
        bound = self._bound.get(axes) if plain else None
        if bound is None:
            parsed = parse_axes(axes)
            distinct(f"{self.__name__}[{', '.join(map(repr, parsed))}]", parsed)
            bound = self._bind(parsed)
            if any(axis.size is not None for axis in parsed):
                bound = _sized(self.__name__, parsed, bound)
            if plain:
                self._bound[axes] = bound
        return bound

    def __call__(self, *operands: Any, **named: Any) -> Any:
        shapes = [("X", spaced(x.sizes)) for x in operands if isinstance(x, NamedTensor)]
        axes = next((x.axes for x in operands if isinstance(x, NamedTensor)), ("seq",))
        raise AxisMissingError(
            f"{self.__name__}(X)",
            "the axes it acts on are not named",
            shapes,
            f"{self.__name__}[{axes[0] if axes else 'seq'}](X)",
        )

    def __repr__(self) -> str:
        return f"nt.{self.__name__}[axes](X)"


def _sized(name: str, axes: tuple[Axis, ...], bound: Callable[..., Any]) -> Callable[..., Any]:
    """Check that axes given with a size have it."""

    def call(X: Any, *rest: Any, **named: Any) -> Any:
        for axis in axes:
            if not isinstance(X, NamedTensor):
                break
            if axis.size is not None and axis.name in X.axes and X.size(axis) != axis.size:
                raise AxisSizeError(
                    f"{name}[{', '.join(map(repr, axes))}](X)",
                    f"axis {axis.name} is {axis.size} in the call and {X.size(axis)} in X",
                    [("X", spaced(X.sizes))],
                    f"leave the size out: {name}[{axis.name}](X)",
                )
        return bound(X, *rest, **named)

    return call


def names(axes: tuple[Axis, ...]) -> tuple[str, ...]:
    return tuple([axis.name for axis in axes])


def wants(name: str, axes: tuple[Axis, ...], count: int, example: str) -> None:
    """Raise AxisNameError unless as many axes are named as the function takes."""
    from namedtensor.errors import AxisNameError

    if len(axes) != count:
        plural = "axis" if count == 1 else "axes"
        raise AxisNameError(
            f"{name}[{', '.join(map(repr, axes))}]",
            f"{name} acts on {count} {plural}, and {len(axes)} are named",
            hint=example,
        )
