"""The protocols by which Python, numpy and torch ask a named tensor for something."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

from namedtensor.axes import AxisIndex, AxisSelection, typed_axes, typed_axis, typed_order
from namedtensor.backends.lazy import is_number, np
from namedtensor.compilers import compiling
from namedtensor.doors import door, given_later
from namedtensor.errors import (
    WHERE_NUMBERS_ARE,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    asked_by_us,
)
from namedtensor.primitives import Operation, table
from namedtensor.primitives.notation import Before
from namedtensor.shape import shapes, spaced
from namedtensor.tensor.gradients import torch_gradients
from namedtensor.tensor.held import Held
from namedtensor.tensor.labels import asked_of_truth, caller_labels, compared_by_python
from namedtensor.tensor.torch_refusals import asker, refused, taken_by_torch

#: Set by `tensor.apply`: it makes tensors, and so imports them.
apply: Callable[..., Any] = given_later

_TABLE = table()
_UFUNCS = {  # numpy's names of Python's operators
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "floor_divide": "//",
    "remainder": "%",
    "power": "**",
    "equal": "==",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "bitwise_and": "&",
    "bitwise_or": "|",
    "bitwise_xor": "^",
}


def _operator(symbol: str) -> Operation:
    """Find the operation on two operands that Python writes so."""
    return next(
        entry.plain
        for entry in _TABLE.values()
        if entry.traits.symbol == symbol and not isinstance(entry.notation, Before)
    )


#: What we ask things to tell what they are: symbols, modules, formulas, bundles.
_ASKED = frozenset(("node", "module", "named_values", "signature", "apply", "value", "gather"))


def _fixed(word: str) -> property:
    """Make an attribute of torch's tensors that cannot be assigned on a named tensor."""

    def given(X: Any, value: object) -> NoReturn:
        kind = "Parameter" if word == "_is_param" else "Buffer"
        raise BackendError(
            f"torch.nn.{kind}(X)",
            "torch keeps positional tensors, and names the axes of none",
            shapes(X),
            f"torch.nn.{kind}(X.torch({_order(X)})), or declare it in a formula and make its module",
        )

    return property(None, given)


class Protocols(Held):
    """A tensor without axes converts to a Python number; what would need an order of axes raises an error."""

    __slots__ = ()

    _is_param = _fixed("_is_param")
    persistent = _fixed("persistent")

    def __setitem__(self, record: object, value: object) -> NoReturn:
        raise AxisNameError(
            "X[...] = Y",
            "named tensors are values; an update makes a new one",
            shapes(self),
            _update_of(self, record, value),
        )

    def __delitem__(self, record: object) -> NoReturn:
        raise AxisNameError(
            "del X[...]",
            "named tensors are values; those without some records are new ones",
            shapes(self),
            "select those to keep: X[seq[1:]], or X[seq[[0, 2]]]",
        )

    if not TYPE_CHECKING:  # which find a misspelt attribute themselves

        def __getattr__(self, word: str) -> NoReturn:
            frame = asker() if word == "__qualname__" and not compiling() else None
            if frame is not None:
                raise refused(frame, [self])
            # by protocols and by ourselves; a compiler follows no frames
            if word[0] == "_" or (word in _ASKED and (compiling() or asked_by_us())):
                raise AttributeError(f"{type(self).__name__} has no attribute {word}")
            raise door("tensor.habits.habit")(self, word)

    def __iter__(self) -> Iterator[Self]:
        raise AxisNameError(
            "iter(X)",
            "a named tensor has no first axis to run along",
            shapes(self),
            taken_by_torch(self)
            or f"name the axis: for Y in nt.unstack[{typed_axes(self.axes[:1])}](X)"
            if self.axes
            else "a single number is one value: Y = X, or Y = X.item() in Python; torch's classes, such as "
            "GradScaler, take X.torch()",
        )

    def __len__(self) -> NoReturn:
        raise AxisNameError(
            "len(X)",
            "a named tensor has no first axis to measure",
            shapes(self),
            f"`X.size({typed_axes(self.axes[:1]) if self.axes else 'seq'})` for one axis, "
            f"`X.shape.count` for all records; an array in an order is `X.torch({_order(self)})` "
            f"or `X.numpy({_order(self)})`",
        )

    def __contains__(self, value: object) -> NoReturn:
        raise AxisNameError(
            "value in X",
            "whether a number is among those of X is a question of truth values",
            shapes(self),
            "nt.any[...](X == value)",
        )

    def __round__(self, digits: int | None = None) -> Any:
        if not self.axes:
            return round(self._number("round(X)"), digits)
        raise KindError(
            "round(X)" if digits is None else f"round(X, {digits!r})",
            "functions of named tensors are those of nt",
            shapes(self),
            "`nt.round(X)`"
            if digits is None
            else f"`nt.round(X * {10 ** int(digits)}) / {10 ** int(digits)}`",
        )

    def __divmod__(self, other: object) -> NoReturn:
        raise KindError(
            "divmod(X, Y)", "it would be two tensors", shapes(self), "`X // Y` and `X % Y`"
        )

    def __rshift__(self, other: object) -> NoReturn:
        raise door("tensor.habits.shifted")(self, ">>", other)

    def __lshift__(self, other: object) -> NoReturn:
        raise door("tensor.habits.shifted")(self, "<<", other)

    def __format__(self, how: str) -> str:
        frame = asker()
        if frame is not None:
            raise refused(frame, [self])
        return format(self._number(f"format(X, {how!r})"), how) if how else str(self)

    def _number(self, call: str) -> Any:
        """Give the number of a tensor without axes to a conversion such as float(X)."""
        if self.axes:
            every = ", ".join(f"{typed_axis(a)}(0)" for a in self.axes)
            python, instead = compared_by_python(self) if self.kind == "bool" else ("", "")
            if python:
                raise AxisSizeError(
                    python,
                    "Python asks which of two tensors it takes, and each record has its own answer",
                    [("the comparison", spaced(self.sizes))],
                    instead,
                )
            compared = asked_of_truth(self) if self.kind == "bool" else ""
            (label,) = [compared] if compared else caller_labels([self])
            raise AxisSizeError(
                call.replace("(X", f"({label}"),
                f"{'the comparison' if compared else label} has axes, and this is asked of a single number",
                shapes(self, labels=[label]),
                f"`nt.all[...]({label})` or `nt.any[...]({label})`"
                if self.kind == "bool"
                else f"reduce the axes, nt.sum[...]({label}), or index them, {label}[{every}]",
            )
        if getattr(self.data, "is_meta", False):
            raise BackendError(
                call,
                "X is on the device meta and holds no numbers",
                shapes(self),
                WHERE_NUMBERS_ARE,
            )
        return self.data.item()

    def __bool__(self) -> bool:
        return bool(self._number("bool(X)"))

    def __int__(self) -> int:
        return int(self._number("int(X)"))

    def __float__(self) -> float:
        return float(self._number("float(X)"))

    def __index__(self) -> int:
        number = self._number("operator.index(X)")
        if not isinstance(number, int):
            raise KindError(
                "operator.index(X)",
                f"X holds a {self.kind} number, and an index is a whole number",
                shapes(self),
                "int(X) rounds towards zero",
            )
        return number

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object
    ) -> Any:
        """Handle operators whose left operand is a numpy number; refuse numpy's functions."""
        symbol = _UFUNCS.get(ufunc.__name__)
        if symbol is not None and method == "__call__" and not kwargs:
            # numpy has wrapped its own single numbers in arrays without axes
            given = [x[()] if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs]
            return apply(_operator(symbol), *given)
        word = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise self._of_numpy(word, inputs, Called(kwargs, frozenset(kwargs), "numpy"))

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[object, ...],
        kwargs: dict[str, Any],
    ) -> NoReturn:
        raise self._of_numpy(func.__name__, args, _called(func, args, kwargs, "numpy"))

    def _of_numpy(self, word: str, args: tuple[object, ...], call: Called) -> BackendError:
        found = _named_in([*args, *call.given.values()] if not _named_in(args) else args)
        (label,) = caller_labels([found[0] if found else self])
        order = f"{label}.numpy({_order(self)})"
        return BackendError(
            f"np.{word}(...)",
            "numpy's functions know no names",
            _labelled(found) or shapes(self),
            _in_our_words(word, found, call) or order,
        )

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        (label,) = caller_labels([self])
        raise BackendError(
            f"numpy({label})",
            _why_not("numpy", "arrays have no names", [self]),
            shapes(self, labels=[label]),
            f"say it: {label}.numpy({_order(self)})",
        )

    def __dlpack__(self, *args: object, **kwargs: object) -> NoReturn:
        (label,) = caller_labels([self])
        raise BackendError(
            f"from_dlpack({label})",
            _why_not("the other library", "arrays have no names", [self]),
            shapes(self, labels=[label]),
            f"say it: `{label}.torch({_order(self)})` or `{label}.numpy({_order(self)})`",
        )

    __dlpack_device__ = __dlpack__

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> Any:
        if func is sys.modules["torch"].autograd.grad:
            return torch_gradients(*args, **(kwargs or {}))
        name = getattr(func, "__name__", str(func))
        found = _named_in([*args, *(kwargs or {}).values()])
        order = _order(found[0]) if found else "seq, emb"
        ours = _in_our_words(name, found, _called(func, args, kwargs or {}, "torch"))
        raise BackendError(
            f"torch.{name}(...)",
            _why_not("torch", "functions know no names", found),
            _labelled(found),
            ours or f"{caller_labels(found[:1])[0]}.torch({order}){_or_lifted(func)}",
        )


def _update_of(X: Held, record: object, value: object) -> str:
    """Write X[record] = value as an update that makes a new tensor."""
    label, given = caller_labels([X, value])
    places = record if isinstance(record, tuple) else (record,)
    if not all(isinstance(place, (AxisIndex, AxisSelection)) for place in places):
        places = tuple([f"{typed_axis(axis)}(0)" for axis in X.axes[:1]]) or ("seq(0)",)
    said = given if isinstance(value, Held) else repr(value) if is_number(value) else "Y"
    return f"{label} = {label}.at[{', '.join(map(str, places))}].set({said})"


def _why_not(library: str, otherwise: str, tensors: Sequence[Held]) -> str:
    """Say why a library does not take named tensors: only several axes have an order."""
    if any([len(X.axes) > 1 for X in tensors]):
        return f"{library} would have to guess the order of the axes"
    return f"{library}'s {otherwise}"


class Called(NamedTuple):
    """How a function of another library was called: its arguments by name, and those that were chosen.

    Nothing is known of it without a library.
    """

    given: Mapping[str, Any] = {}
    chosen: frozenset[str] = frozenset()
    library: str = ""


def _called(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], library: str) -> Called:
    """Give the arguments of a call by the library's own parameter names."""
    known: Any = (
        sys.modules["torch"].overrides.get_testing_overrides() if library == "torch" else {}
    )
    signature = None
    for told in (func, known.get(func)):
        with suppress(TypeError, ValueError):
            signature = inspect.signature(told)
        if signature is not None and not _takes_any(signature):
            break
    given: dict[str, Any] = {}
    usual: dict[str, Any] = {}
    if signature is not None:
        usual = {n: p.default for n, p in signature.parameters.items()}
        places = [
            n
            for n, p in signature.parameters.items()
            if p.kind is not p.KEYWORD_ONLY and n != "out"
        ]
        given = {
            n: v
            for n, v in usual.items()
            if v is not inspect.Parameter.empty and repr(v) != "<no value>"
        }
        if _takes_any(signature):
            places = []
        given |= zip(places, args, strict=False)
        args = args[len(places) :]
    for value in args:
        if not isinstance(value, Protocols):
            of_einsum = isinstance(value, str)
            name = "dim" if "dim" not in given and _is_place(value) else "place"
            given["equation" if of_einsum else name] = value
    given |= kwargs
    if given.get("num_classes") == -1:  # as many as the numbers say, which a hint does not print
        del given["num_classes"]
    if "names" in given:  # as some of torch's signatures call places
        given["dim"] = given.pop("names")
    chosen = [
        n for n, value in given.items() if not _named_in([value]) and not _same(value, usual.get(n))
    ]
    return Called(given, frozenset(chosen), library)


def _order(X: Held) -> str:
    """Write the axes of a tensor in the order in which it stores them."""
    return typed_order(X.axes)


def _or_lifted(func: Any) -> str:
    """Say how a function of torch is lifted, where there is one that people can type."""
    torch: Any = sys.modules["torch"]
    path = (
        torch.overrides.resolve_name(func) or f"{func.__module__}.{getattr(func, '__name__', '')}"
    )
    short = f"torch.{path.rpartition('.')[2]}"
    for typed in (short, path):
        owner: Any = torch
        for word in typed.split(".")[1:]:
            owner = getattr(owner, word, None)
        private = any(word[0] == "_" for word in typed.split("."))
        if owner is func and not private and not path.startswith("torch.Tensor."):
            return f", or nt.lift({typed}, ...)"
    return ""


def _takes_any(signature: inspect.Signature) -> bool:
    return any([p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()])


def _is_place(value: object) -> bool:
    """Say whether a value may be the place of an axis, or several."""
    parts = value if isinstance(value, (tuple, list)) else (value,)
    return bool(parts) and all([type(part) is int for part in parts])


def _same(value: object, usual: object) -> bool:
    """Say whether an argument equals its default."""
    if value is usual or value is None:
        return True
    return (
        isinstance(value, (bool, int, float, str, tuple))
        and type(usual) in (bool, int, float, str, tuple)
        and value == usual
    )


def _named_in(args: Any) -> list[Any]:
    """List the named tensors among arguments, and in lists and tuples of them."""
    flat = [x for arg in args for x in (arg if isinstance(arg, (list, tuple)) else (arg,))]
    return [x for x in flat if isinstance(x, Protocols)]


def _in_our_words(name: str, found: list[Any], call: Called) -> str:
    """Say what to type for a library's function, or nothing."""
    hint: str = door("tensor.habits.in_our_words")(name, found, call)
    return hint


def _labelled(found: list[Any]) -> list[tuple[str, str]]:
    return shapes(*found, labels=caller_labels(found))
