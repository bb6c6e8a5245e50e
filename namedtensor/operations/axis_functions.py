"""Functions that name the axes they act on: nt.softmax[seq](X), nt.sum[seq, emb](X)."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, overload

from namedtensor.axes import (
    SIZES,
    Axis,
    distinct,
    naming,
    parse_axes,
    primed,
    shown,
    stays,
    unused,
    visible,
)
from namedtensor.compilers import caches_closed, compiling, keep
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    caller_variables,
    kind_of_thing,
)
from namedtensor.primitives import Operation, Primitive
from namedtensor.shape import shapes, sized, spaced
from namedtensor.tensor import NamedTensor
from namedtensor.tensor.labels import caller_labels
from namedtensor.tensor.named import Tensor as Tensor
from namedtensor.tensor.wrong_calls import (
    AXES,
    any_operands,
    applied,
    are_axes,
    one_operand,
    only_applies,
    quoted,
    typed_call,
    typed_operands,
)

#: Names in examples for the axes that a function makes.
NEW = frozenset({"head", "value", "found", "kernel", "diagonal"})
#: How many bound functions, such as softmax[seq], each function keeps.
MOST = 256

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F")


class Bound(functools.partial[Any]):
    """A function that has its axes, and waits for tensors in round brackets."""

    def __getitem__(self, more: object) -> NoReturn:
        raise _brackets_again(self, more)


def _bound(function: Callable[..., Any], *parts: Any) -> Callable[..., Any]:
    """Bind a function to its axes; a compiler knows Python's own partials."""
    return functools.partial(function, *parts) if compiling() else Bound(function, *parts)


class AxisFunction(Generic[P, T]):
    """A function waiting for its axes: softmax, then softmax[seq], then softmax[seq](X).

    `bind(axes)` gives the function on tensors for parsed axes; bound functions are kept. The signature is
    that of the bound function. No two of the axes may be the same, or no two of the first `distinct`.
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
        self.distinct = distinct
        self._bound: dict[Any, Callable[P, T]] = {}
        self.__signature__: inspect.Signature | None = None

    def __getitem__(self, axes: Any) -> Callable[P, T]:
        if axes is Ellipsis:
            return _bound(self._over_all)
        # kept by name: a compiler compares text, but not axes
        key = axes.name if type(axes) is Axis and axes.size is None else axes
        bound: Callable[P, T] | None = None
        if type(key) is str or (type(key) is tuple and not caches_closed()):
            try:
                bound = self._bound.get(key)
            except TypeError:  # a list has no hash
                bound = None
        if bound is None:
            if type(axes) is int or (
                type(axes) is tuple and axes and all([type(a) is int for a in axes])
            ):
                raise self._counted(axes)
            parsed = parse_axes(axes)
            call = f"{self.__name__}[{', '.join(map(repr, parsed))}]"
            distinct(call, parsed[: self.distinct])
            try:
                bound = self._bind(parsed)
            except NamedTensorError as error:
                raise self._with_operands(error, parsed) from None
            if not compiling():  # a compiler cannot follow that a partial takes attributes
                named: Any = bound
                named.__qualname__, named.__doc__ = call, self.__doc__
                named.__signature__ = self.__signature__
            if any(axis.size is not None for axis in parsed):
                bound = _sized(self.__name__, parsed, bound)
            # in a body an axis without a size may have one
            if (type(key) is str or (SIZES.of is None and stays(key))) and not caches_closed():
                bound = keep(self._bound, key, bound, MOST)
        return bound

    def _over_all(self, X: Any, *rest: Any, **named: Any) -> Any:
        """Act on every axis of X, except those that the formula around it does not declare."""
        axes = named_operand(f"{self.__name__}[...]", X).axes
        return self[tuple(visible(axes))](X, *rest, **named)

    def __call__(self, *operands: Any, **named: Any) -> Any:
        typed = typed_call(self.__name__, operands, named)
        tensors = tensors_among(operands)
        labels = caller_labels(tensors)
        own: Mapping[str, inspect.Parameter] = getattr(self.__signature__, "parameters", {})
        several = any([p.kind == p.VAR_POSITIONAL for p in own.values()])
        if operands and not tensors and not named and all(map(are_axes, operands)):
            inside = ", ".join([repr(axis) for axis in parse_axes(operands)])
            raise AxisMissingError(
                str(typed._replace(what=self.__name__)),
                "its axes stand in square brackets, and the tensor is missing",
                hint=f"nt.{quoted(f'{self.__name__}[{inside}]')}(X)",
            )
        axes = tensors[0].axes if tensors else ()
        shared = tuple([a for a in axes if all([a in x.axes for x in tensors])])
        said, left = [], []
        for place, (x, text) in enumerate(zip(operands, typed.places, strict=True)):
            surplus = not several and place >= len(own)
            found = _axes_said(x, axes, surplus)
            said += found
            left += [] if found or surplus else [text]
        for word, x in named.items():
            if word in AXES:
                said += _axes_said(x, axes, True)
            elif word in own:
                left.append(f"{word}={typed.named[word]}")
        raise AxisMissingError(
            str(typed._replace(what=self.__name__)),
            "the axes it acts on are not named",
            [(w, spaced(x.sizes)) for w, x in zip(labels, tensors, strict=True)],
            self._typed(said, shared or axes, ", ".join(left), tensors),
        )

    def _with_operands(self, error: NamedTensorError, axes: tuple[Axis, ...]) -> NamedTensorError:
        """Write the hint of an error in brackets with the operands that are typed behind them."""
        typed, words = typed_operands() or ("", [])
        scope = caller_variables()
        tensors = tensors_among([scope.get(word) for word in words])
        if not (tensors and self._new() and typed.startswith(f"{self.__name__}[")):
            return error
        given = tensors[0].axes
        own = [axis.name for axis in axes if axis.name in given]
        order = (*own, *[axis for axis in given if axis not in own])
        hint = self._typed([], order, ", ".join(words), tensors, bool(own))
        for axis in [axis for axis in axes if axis.name not in given][-1:]:
            example = self._new()[-1].partition("[")[0]
            hint = re.sub(rf"\b{example}\[", f"{axis.name}[", hint)
        return type(error)(error.call, error.why, error.operands, hint)

    def _counted(self, places: int | tuple[int, ...]) -> AxisNameError:
        """Make the error of a call that counts axes in the place of naming them."""
        typed, words = typed_operands() or (
            f"{self.__name__}[{', '.join(map(str, _flat([places])))}]",
            [],
        )
        scope = caller_variables()
        tensors = [(w, scope[w]) for w in words if isinstance(scope.get(w), NamedTensor)]
        axes = tensors[0][1].axes if tensors else ()
        operands = ", ".join(words)
        return AxisNameError(
            typed,
            "axes are named, not counted",
            [(w, spaced(X.sizes)) for w, X in tensors],
            f"`{self._typed(_axes_said(_flat([places]), axes, True), axes, operands)}`"
            if tensors
            else self._example(),
        )

    def _typed(
        self,
        said: list[str],
        axes: tuple[str, ...],
        operands: str,
        tensors: Sequence[NamedTensor] = (),
        in_order: bool = False,
    ) -> str:
        """Write a call with the axes that were given, or else with the first axes of X."""
        scope = caller_variables()
        known = said and not (self._new() and all([axis in axes for axis in said]))
        for chosen in [said] if known else self._choices(axes, tensors, in_order):
            with suppress(NamedTensorError):
                parsed = parse_axes(tuple(chosen))
                distinct(self.__name__, parsed[: self.distinct])
                self._bind(parsed)
                if all([isinstance(scope.get(axis.partition("[")[0]), Axis) for axis in chosen]):
                    inside = ", ".join(chosen)
                else:
                    inside = f'"{" ".join(map(shown, chosen))}"'
                return f"nt.{self.__name__}[{inside}]({operands})"
        return self._example()

    def _example(self) -> str:
        """Give an example of a call of this function that runs."""
        for axes in ((), ("seq",)):
            try:
                self._bind(parse_axes(axes))
            except NamedTensorError as error:
                return str(error.hint)
            except (ValueError, IndexError):  # the example needs its first axis
                continue
        return f"nt.{self.__name__}[seq](X)"

    def _words(self) -> list[str]:
        """List the axes of the example."""
        return re.findall(
            r"[\w']+(?:\[\d+\])?", self._example().partition("[")[2].partition("](")[0]
        )

    def _new(self) -> list[str]:
        """List the axes of the example that the function makes."""
        return [word for word in self._words() if "[" in word or word in NEW]

    def _choices(
        self,
        axes: tuple[str, ...],
        tensors: Sequence[NamedTensor] = (),
        in_order: bool = False,
    ) -> Iterator[list[str]]:
        """Give the axes of X that may be meant, with new ones where the function makes some.

        Those of the example come first where X has them, unless the axes are `in_order`.
        A new axis is no longer than those that it is taken from, and has room for all indices.
        """
        words, new = self._words(), self._new()
        if not new:
            names = axes or tuple(words)
            yield from [list(names[:count]) for count in range(1, len(names) + 1)]
            return
        known = [] if in_order else [word for word in words if word in axes]
        free = iter([axis for axis in axes if axis not in known])
        chosen = [word if word in new or word in known else next(free, word) for word in words]
        used = [axis for axis in chosen if axis not in new]
        yield [
            _unlike(_fitting(word, used, tensors), axes) if word in new else word for word in chosen
        ]

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

    Its signature, docstring and name are those of the function, without the first argument. `first` may make
    that argument from the axes, once for each choice of axes. A function of a fixed number of axes has an
    `example` of a call: nt.roll[seq](X, 1).
    """
    if isinstance(what, Primitive):
        return lambda function: _waiting(function, lambda axes: what(names(axes)), example)
    if first is not None:
        return lambda function: _waiting(function, first, example, distinct)
    return _waiting(what, lambda axes: axes)


def _waiting(
    function: Any,
    first: Callable[[tuple[Axis, ...]], Any],
    example: str = "",
    distinct: int | None = None,
) -> AxisFunction[Any, Any]:
    def bind(axes: tuple[Axis, ...]) -> Callable[..., Any]:
        if example:
            inside = example[example.index("[") + 1 : example.index("](")]
            wants(function.__name__, axes, len(inside.split(",")), example)
        written = f"{function.__name__}[{', '.join(map(repr, axes))}]"
        return _bound(call, function, written, first(axes))

    made: AxisFunction[Any, Any] = AxisFunction(
        function.__name__, bind, function.__doc__ or "", distinct
    )
    python = inspect.signature(function)
    made.__signature__ = python.replace(parameters=[*python.parameters.values()][1:])
    plain = [p.kind for p in made.__signature__.parameters.values() if p.default is p.empty]
    one = one_operand if not only_applies(function) else applied
    call = one if plain == [inspect.Parameter.POSITIONAL_OR_KEYWORD] else any_operands
    made.__module__ = function.__module__
    # the path by which pickle finds the function itself
    function.__qualname__ = f"{function.__name__}.__wrapped__"
    made.__wrapped__ = function  # type: ignore[attr-defined]  # doctest and help look through it
    return made


def _sized(name: str, axes: tuple[Axis, ...], bound: Callable[..., Any]) -> Callable[..., Any]:
    """Check that axes given with a size have it; indices may have axes of their own.

    If an axis is named twice, the first is used up, and the second, with its own size, is made.
    """
    kept = [axis.name for axis in axes]
    axes = tuple([axis for axis in axes if kept.count(axis.name) == 1 or axis.size is None])
    given = tuple([axis for axis in axes if axis.size is not None])
    return _bound(_with_sizes, name, axes, given, bound)


def _with_sizes(
    name: str,
    axes: tuple[Axis, ...],
    given: tuple[Axis, ...],
    bound: Callable[..., Any],
    *operands: Any,
    **named: Any,
) -> Any:
    looked_at = operands[:1] if name == "index" else operands
    for X in looked_at:
        if isinstance(X, NamedTensor):
            own = X.axes
            for axis in given:
                if axis.name in own and X.size(axis) != axis.size:
                    raise _of_another_size(name, axes, axis, looked_at)
    return bound(*operands, **named)


def _of_another_size(
    name: str, axes: tuple[Axis, ...], axis: Axis, operands: Sequence[Any]
) -> AxisSizeError:
    """Make the error of an axis that has another size in the call than in an operand."""
    tensors = list(zip("XYZUVW", tensors_among(operands), strict=False))
    sizes = [(label, X.size(axis)) for label, X in tensors if axis.name in X.axes]
    label, size = next((label, size) for label, size in sizes if size != axis.size)
    return AxisSizeError(
        f"{name}[{', '.join(map(repr, axes))}]({', '.join([label for label, _ in tensors])})",
        f"axis {axis.name} is {axis.size} in the call and {size} in {label}",
        [(w, spaced(Y.sizes)) for w, Y in tensors],
        f"leave the size out, {axis.name}, or give a new axis another name",
    )


def _brackets_again(bound: Bound, more: object) -> KindError:
    """Make the error of brackets behind a function that has its axes: nt.sum[seq][X]."""
    owner = getattr(bound.func, "__self__", None)
    if isinstance(owner, AxisFunction):
        written = f"{owner.__name__}[...]"
    elif bound.func is _with_sizes:
        written = f"{bound.args[0]}[{', '.join(map(repr, bound.args[1]))}]"
    else:
        written = bound.args[1]
    (label,) = caller_labels([more]) if isinstance(more, NamedTensor) else ("X",)
    named = not isinstance(more, NamedTensor) and are_axes(more)
    axes = ", ".join(map(repr, parse_axes(more))) if named else "..."
    both = written if owner is not None or not named else f"{written[:-1]}, {axes}]"
    return KindError(
        f"{written}[{axes if named else label}]",
        f"{written} has its axes, and takes tensors in round brackets",
        shapes(more, labels=[label]),
        f"`nt.{both if owner is not None else quoted(both)}({label})`",
    )


def _flat(operands: Sequence[Any]) -> list[Any]:
    """List operands and those in lists of them."""
    return [x for given in operands for x in (given if type(given) in (list, tuple) else (given,))]


def _axes_said(x: Any, axes: tuple[str, ...], counted: bool) -> list[str]:
    """List the axes that an argument names; numbers count the axes of X in stored order."""
    if isinstance(x, Axis):
        return [repr(x)]
    if isinstance(x, str):
        return [x] if counted or x in axes else []
    if counted and type(x) in (list, tuple):
        return [name for part in x for name in _axes_said(part, axes, True)]
    if counted and type(x) is int and -len(axes) <= x < len(axes):
        return [axes[x]]
    return []


def tensors_among(operands: Sequence[Any]) -> list[NamedTensor]:
    """List the named tensors among operands, and in lists of them."""
    return [x for x in _flat(operands) if isinstance(x, NamedTensor)]


def _fitting(word: str, used: Sequence[str], tensors: Sequence[NamedTensor]) -> str:
    """Give a new axis of an example a size that fits the operands: k[3] of seq[3], and not k[5]."""
    name, _, size = word.rstrip("]").partition("[")
    sizes = [n for axis, n in (tensors[0].sizes if tensors else ()) if axis in used]
    if not size or not sizes or not all([type(n) is int for n in sizes]):
        return word
    indices = [x for x in tensors[1:] if x.kind == "int" and 0 not in x.data.shape]
    if indices:
        return f"{name}[{max(int(size), *[int(x.data.max()) + 1 for x in indices])}]"
    return f"{name}[{max(1, min(int(size), *sizes))}]"


def _unlike(word: str, axes: tuple[str, ...]) -> str:
    """Give a new axis a name that X lacks."""
    name, bracket, size = word.partition("[")
    return unused(name, axes) + bracket + size


def named_operand(call: str, X: Any, *needed: Axis) -> NamedTensor:
    """Raise unless X is a named tensor with the axes that are needed."""
    if not isinstance(X, NamedTensor):
        raise BackendError(
            f"{call}(X)",
            f"X is {kind_of_thing(X)}, and not a named tensor",
            hint=naming("X", X),
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
            hint=example if '"' in example else _typable(example),
        )


def _typable(example: str) -> str:
    """Write the axes of an example as a text unless they are variables of the caller."""
    name, bracket, rest = example.partition("[")
    inside, ends, operands = rest.rpartition("](")
    held = caller_variables()
    words = [part.partition("[")[0] for part in inside.split(", ")]
    if not bracket or all([isinstance(held.get(word), Axis) for word in words]):
        return example
    return f'{name}["{inside.replace(",", "")}"{ends}{operands}'
