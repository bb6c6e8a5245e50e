"""Functions that name the axes they act on: nt.softmax[seq](X), nt.sum[seq, emb](X)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.axes import Axis, distinct, parse_axes, primed, shown
from namedtensor.compilers import caches_closed
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    kind_of_thing,
)
from namedtensor.shape import sized, spaced
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
        self._bound: dict[str, Callable[..., Any]] = {}

    def __getitem__(self, axes: Any) -> Callable[..., Any]:
        if axes is Ellipsis:
            return self._over_all
        # kept by name: a compiler compares text, and not axes
        key = axes.name if type(axes) is Axis and axes.size is None else axes
        bound = self._bound.get(key) if type(key) is str else None
        if bound is None:
            parsed = parse_axes(axes)
            distinct(f"{self.__name__}[{', '.join(map(repr, parsed))}]", parsed)
            bound = self._bind(parsed)
            bound.__qualname__ = f"{self.__name__}[{', '.join(map(repr, parsed))}]"
            if any(axis.size is not None for axis in parsed):
                bound = _sized(self.__name__, parsed, bound)
            if type(key) is str and not caches_closed():
                self._bound[key] = bound
        return bound

    def _over_all(self, X: Any, *rest: Any, **named: Any) -> Any:
        """Act on every axis that X has."""
        return self[named_operand(f"{self.__name__}[...]", X).axes](X, *rest, **named)

    def __call__(self, *operands: Any, **named: Any) -> Any:
        shapes = [
            (w, spaced(x.sizes))
            for w, x in zip("XYZUVW", operands, strict=False)
            if hasattr(x, "sizes")
        ]
        axes = next((x.axes for x in operands if isinstance(x, NamedTensor)), ())
        given = ", ".join("XYZUVW"[: len(operands)])
        raise AxisMissingError(
            f"{self.__name__}({given})",
            "the axes it acts on are not named",
            shapes,
            f"nt.{self.__name__}[{shown(axes[0]) if axes else 'seq'}]({given})",
        )

    def __repr__(self) -> str:
        return f"nt.{self.__name__}[axes](X)"


def _sized(name: str, axes: tuple[Axis, ...], bound: Callable[..., Any]) -> Callable[..., Any]:
    """Check that axes given with a size have it; indices may have axes of their own."""
    sized_axes = [axis for axis in axes if axis.size is not None]

    def call(*operands: Any, **named: Any) -> Any:
        tensors = [x for x in operands[: 1 if name == "index" else None] if hasattr(x, "sizes")]
        for label, X in zip("XYZUVW", tensors, strict=False):
            for axis in sized_axes:
                if axis.name in X.axes and X.size(axis) != axis.size:
                    raise AxisSizeError(
                        f"{name}[{', '.join(map(repr, axes))}]({', '.join('XYZUVW'[: len(tensors)])})",
                        f"axis {axis.name} is {axis.size} in the call and {X.size(axis)} in {label}",
                        [(w, spaced(Y.sizes)) for w, Y in zip("XYZUVW", tensors, strict=False)],
                        f"leave the size out, {axis.name}, or give a new axis another name",
                    )
        return bound(*operands, **named)

    return call


def named_operand(call: str, X: Any, *needed: Axis) -> NamedTensor:
    """Raise unless X is a named tensor with the axes that are needed."""
    if not isinstance(X, NamedTensor):
        raise BackendError(
            f"{call}(X)",
            f"X is {kind_of_thing(X)}, and not a named tensor",
            hint="name its axes: nt.tensor(X, seq, emb)",
        )
    for axis in needed:
        if axis.name not in X.axes:
            raise X.missing(f"{call}(X)", axis.name)
    return X


def same_size(call: str, axis: str, tensors: Sequence[NamedTensor]) -> None:
    """Raise AxisSizeError unless the tensors have one size of an axis that all have."""
    labels = "XYZUVW"[: len(tensors)]
    first = tensors[0].size(sized(axis, None))
    for label, Y in zip(labels, tensors, strict=False):
        size = Y.size(sized(axis, None))
        if size != first:
            raise AxisSizeError(
                f"{call}({', '.join(labels)})",
                f"axis {shown(axis)} is {first} in X and {size} in {label}",
                [(w, spaced(Z.sizes)) for w, Z in zip(labels, tensors, strict=False)],
                f"select as many of both, or rename one: {primed(label, axis)}",
            )


def names(axes: tuple[Axis, ...]) -> tuple[str, ...]:
    return tuple([axis.name for axis in axes])


def wants(name: str, axes: tuple[Axis, ...], count: int, example: str) -> None:
    """Raise AxisNameError unless as many axes are named as the function takes."""
    if len(axes) != count:
        plural = "axis" if count == 1 else "axes"
        raise AxisNameError(
            f"{name}[{', '.join(map(repr, axes))}]",
            f"{name} acts on {count} {plural}, and {len(axes)} {'is' if len(axes) == 1 else 'are'} named",
            hint=example,
        )
