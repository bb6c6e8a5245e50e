"""What Python, numpy and torch ask of a named tensor, and what they are told."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

from namedtensor.axes import shown, typed_axes
from namedtensor.backends.lazy import np
from namedtensor.doors import door, given_later
from namedtensor.errors import AxisNameError, AxisSizeError, BackendError, KindError
from namedtensor.primitives import Operation, table
from namedtensor.primitives.notation import Before
from namedtensor.shape import shapes
from namedtensor.tensor.held import Held
from namedtensor.tensor.labels import caller_labels

#: `tensor.apply` gives this: it makes tensors, and so comes after them.
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


class Protocols(Held):
    """Single numbers become Python's; what would need an order of axes is refused in words."""

    __slots__ = ()

    def __setitem__(self, record: object, value: object) -> NoReturn:
        raise AxisNameError(
            "X[...] = Y",
            "named tensors are values; an update makes a new one",
            shapes(self),
            "X = X.at[seq(0)].set(Y)",
        )

    if not TYPE_CHECKING:  # which find a misspelt attribute themselves

        def __getattr__(self, word: str) -> NoReturn:
            if word in _ASKED or word.startswith("_"):  # by ourselves and by protocols
                raise AttributeError(f"{type(self).__name__} has no attribute {word}")
            raise door("tensor.habits.habit")(self, word)

    def __iter__(self) -> Iterator[Self]:
        raise AxisNameError(
            "iter(X)",
            "a named tensor has no first axis to run along",
            shapes(self),
            "name the axis: for Y in nt.unstack[seq](X)",
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

    def __round__(self, digits: int | None = None) -> NoReturn:
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

    def __format__(self, how: str) -> str:
        return format(self._number(f"format(X, {how!r})"), how) if how else str(self)

    def _number(self, call: str) -> Any:
        """Give the one number of a tensor without axes to what asks for it."""
        if self.axes:
            every = ", ".join(f"{shown(a)}(0)" for a in self.axes)
            raise AxisSizeError(
                call,
                "X has axes, and this is asked of a single number",
                shapes(self),
                "nt.all[...](X) or nt.any[...](X)"
                if self.kind == "bool"
                else f"reduce the axes, nt.sum[...](X), or index them, X[{every}]",
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
        """Take operators over from numpy's numbers; functions of numpy are refused."""
        symbol = _UFUNCS.get(ufunc.__name__)
        if symbol is not None and method == "__call__" and not kwargs:
            # numpy has wrapped its own single numbers in arrays without axes
            given = [x[()] if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs]
            return apply(_operator(symbol), *given)
        raise self._of_numpy(ufunc.__name__, inputs)

    def __array_function__(
        self, func: Callable[..., Any], types: object, args: tuple[object, ...], kwargs: object
    ) -> NoReturn:
        raise self._of_numpy(func.__name__, args)

    def _of_numpy(self, word: str, args: tuple[object, ...]) -> BackendError:
        found = _named_in(args)
        order = f"X.numpy({_order(self)})"
        return BackendError(
            f"np.{word}(...)",
            "numpy's functions know no names",
            _labelled(found) or shapes(self),
            _in_our_words(word, found, {}) or order,
        )

    def __array__(self, *args: object, **kwargs: object) -> NoReturn:
        raise BackendError(
            "numpy(X)",
            "numpy would have to guess the order of the axes",
            shapes(self),
            f"say it: X.numpy({_order(self)})",
        )

    @classmethod
    def __torch_function__(
        cls,
        func: Callable[..., Any],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> Any:
        name = getattr(func, "__name__", str(func))
        found = _named_in([*args, *(kwargs or {}).values()])
        order = _order(found[0]) if found else "seq, emb"
        ours = _in_our_words(name, found, _arguments(func, args, kwargs or {}))
        raise BackendError(
            f"torch.{name}(...)",
            "torch would have to guess the order of the axes",
            _labelled(found),
            ours or f"{caller_labels(found[:1])[0]}.torch({order}), or nt.lift({_path(name)}, ...)",
        )


def _arguments(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Give the arguments of a call of torch by torch's own names."""
    known = sys.modules["torch"].overrides.get_testing_overrides().get(func)
    try:
        bound = inspect.signature(known).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return dict(kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def _order(X: Held) -> str:
    """Write the axes of a tensor in the order in which it stores them."""
    words = [shown(axis) for axis in X.axes]
    return ", ".join([word if word.isidentifier() else f'"{word}"' for word in words])


def _path(name: str) -> str:
    """Say where torch has a function; it does not know itself where people find it."""
    torch: Any = sys.modules["torch"]
    return f"torch.{name}" if hasattr(torch, name) else f"torch.nn.functional.{name}"


def _named_in(args: Any) -> list[Any]:
    """List the named tensors among arguments, and in lists and tuples of them."""
    flat = [x for arg in args for x in (arg if isinstance(arg, (list, tuple)) else (arg,))]
    return [x for x in flat if isinstance(x, Protocols)]


def _in_our_words(name: str, found: list[Any], given: Mapping[str, Any]) -> str:
    """Say what to type for a library's function, or nothing."""
    hint: str = door("tensor.habits.in_our_words")(name, found, given)
    return hint


def _labelled(found: list[Any]) -> list[tuple[str, str]]:
    return shapes(*found, labels=caller_labels(found))
