"""Functions that name the axes they act on: nt.softmax[seq](X), nt.sum[seq, emb](X)."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from namedtensor.axes import Axis, distinct, parse_axes, primed, shown, typed_axes
from namedtensor.compilers import caches_closed, compiling, keep
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.primitives import Operation, Primitive
from namedtensor.shape import sized, spaced
from namedtensor.tensor import NamedTensor
from namedtensor.tensor.named import Tensor as Tensor

#: So many functions with their axes are kept of each that waits for axes.
MOST = 256

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F")


class AxisFunction(Generic[P, T]):
    """A function waiting for its axes: softmax, then softmax[seq], then softmax[seq](X).

    `bind(axes)` gives the function on tensors for parsed axes; bound functions are kept. Its
    signature is that of the function which the brackets give. No two of the axes may be the same,
    or no two of the first `distinct`.
    """

    def __init__(
        self,
        name: str,
        bind: Callable[[tuple[Axis, ...]], Callable[P, T]],
        doc: str,
        distinct: int | None = None,
    ) -> None:
        self.__name__ = name
        self.__doc__ = doc
        self._bind = bind
        self._distinct = distinct
        self._bound: dict[str, Callable[P, T]] = {}
        self.__signature__: inspect.Signature | None = None

    def __getitem__(self, axes: Any) -> Callable[P, T]:
        if axes is Ellipsis:
            return self._over_all  # type: ignore[return-value]
        # kept by name: a compiler compares text, and not axes
        key = axes.name if type(axes) is Axis and axes.size is None else axes
        bound = self._bound.get(key) if type(key) is str else None
        if bound is None:
            parsed = parse_axes(axes)
            call = f"{self.__name__}[{', '.join(map(repr, parsed))}]"
            distinct(call, parsed[: self._distinct])
            bound = self._bind(parsed)
            if not compiling():  # a compiler cannot follow that a partial takes attributes
                named: Any = bound
                named.__qualname__, named.__doc__ = call, self.__doc__
            if any(axis.size is not None for axis in parsed):
                bound = _sized(self.__name__, parsed, bound)
            if type(key) is str and not caches_closed():
                bound = keep(self._bound, key, bound, MOST)
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
        words = [x for x in (*operands, *named.values()) if isinstance(x, (str, Axis))]
        said = [str(x) for x in words if str(x) in axes]  # X, "seq"; X, dim="seq"
        typed = [
            w for w, x in zip("XYZUVW", operands, strict=False) if not isinstance(x, (str, Axis))
        ]
        raise AxisMissingError(
            f"{self.__name__}({', '.join('XYZUVW'[: len(operands)])})",
            "the axes it acts on are not named",
            shapes,
            self._typed(said, axes or ("seq",), ", ".join(typed)),
        )

    def _typed(self, said: list[str], axes: tuple[str, ...], operands: str) -> str:
        """Write a call with the axes that were said, or with the first of X, as many as it acts on."""
        example = ""
        for chosen in [said] if said else [axes[:count] for count in range(1, len(axes) + 1)]:
            try:
                self[tuple(chosen)]
            except NamedTensorError as error:
                example = example or str(error.hint)
            else:
                inside = typed_axes(chosen).removeprefix("(").removesuffix(")")
                return f"nt.{self.__name__}[{inside}]({operands})"
        return example

    def __reduce__(self) -> str:
        return self.__name__  # found by name in the module that defines it

    def __repr__(self) -> str:
        operands = self.__signature__.parameters if self.__signature__ is not None else ["X"]
        return f"nt.{self.__name__}[axes]({', '.join(operands)})"


@overload
def axis_function(
    what: Primitive, example: str = ""
) -> Callable[[Callable[Concatenate[Operation, P], T]], AxisFunction[P, T]]: ...
@overload
def axis_function(
    *, first: Callable[[tuple[Axis, ...]], F], example: str = "", distinct: int | None = None
) -> Callable[[Callable[Concatenate[F, P], T]], AxisFunction[P, T]]: ...
@overload
def axis_function(
    what: Callable[Concatenate[tuple[Axis, ...], P], T],
) -> AxisFunction[P, T]: ...
def axis_function(
    what: Any = None,
    example: str = "",
    first: Callable[[tuple[Axis, ...]], Any] | None = None,
    distinct: int | None = None,
) -> Any:
    """Make a function whose axes come in brackets of a typed function that takes them first.

        @axis_function(SOFTMAX)
        def softmax(op: Operation, X: Tensor) -> NamedTensor: ...     # op is SOFTMAX(("seq",))

        @axis_function
        def scan(axes: tuple[Axis, ...], step: Step, h0: Tensor) -> NamedTensor: ...

    Its signature, docstring and name are those of the function, without the first argument, which
    `first` may make of the axes, once for each. A function that takes just so many axes gives an
    `example` of a call: nt.roll[seq](X, 1).
    """
    if isinstance(what, Primitive):
        return lambda function: _waiting(function, lambda axes: what(names(axes)), example)
    if first is not None:
        return lambda function: _waiting(function, first, example, distinct)
    return _waiting(what, lambda axes: axes)


def _waiting(
    function: Callable[..., Any],
    first: Callable[[tuple[Axis, ...]], Any],
    example: str = "",
    distinct: int | None = None,
) -> AxisFunction[Any, Any]:
    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        if example:
            inside = example[example.index("[") + 1 : example.index("](")]
            wants(function.__name__, axes, len(inside.split(",")), example)
        return functools.partial(function, first(axes))

    made: AxisFunction[Any, Any] = AxisFunction(
        function.__name__, bind, function.__doc__ or "", distinct
    )
    python = inspect.signature(function)
    made.__signature__ = python.replace(parameters=[*python.parameters.values()][1:])
    made.__module__ = function.__module__
    # the path by which pickle finds the function itself
    function.__qualname__ = f"{function.__name__}.__wrapped__"
    made.__wrapped__ = function  # type: ignore[attr-defined]  # doctest and help look through it
    return made


def _sized(name: str, axes: tuple[Axis, ...], bound: Callable[..., Any]) -> Callable[..., Any]:
    """Check that axes given with a size have it; indices may have axes of their own."""
    return functools.partial(_with_sizes, name, axes, bound)


def _with_sizes(
    name: str, axes: tuple[Axis, ...], bound: Callable[..., Any], *operands: Any, **named: Any
) -> Any:
    tensors = [x for x in operands[: 1 if name == "index" else None] if hasattr(x, "sizes")]
    for label, X in zip("XYZUVW", tensors, strict=False):
        for axis in axes:
            if axis.size is not None and axis.name in X.axes and X.size(axis) != axis.size:
                raise AxisSizeError(
                    f"{name}[{', '.join(map(repr, axes))}]({', '.join('XYZUVW'[: len(tensors)])})",
                    f"axis {axis.name} is {axis.size} in the call and {X.size(axis)} in {label}",
                    [(w, spaced(Y.sizes)) for w, Y in zip("XYZUVW", tensors, strict=False)],
                    f"leave the size out, {axis.name}, or give a new axis another name",
                )
    return bound(*operands, **named)


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
