"""NamedTensor: data whose axes have names (paper, section 2)."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from namedtensor.axes import Axes, AxisIndex, AxisSelection, distinct, one_axis, parse_axes, shown
from namedtensor.backends import Backend, backend_of, get_backend
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    kind_of_thing,
    nearest,
)
from namedtensor.plans import Layout, layout_of
from namedtensor.primitives import plain_operation, table
from namedtensor.shape import Shape, spaced
from namedtensor.tensor.apply import apply, use_classes

_TABLE = table()
_ABS = plain_operation("abs")
_ADD = plain_operation("add")
_DIV = plain_operation("div")
_EQ = plain_operation("eq")
_FLOORDIV = plain_operation("floordiv")
_GE = plain_operation("ge")
_GT = plain_operation("gt")
_LE = plain_operation("le")
_LOGICAL_AND = plain_operation("logical_and")
_LOGICAL_NOT = plain_operation("logical_not")
_LOGICAL_OR = plain_operation("logical_or")
_LOGICAL_XOR = plain_operation("logical_xor")
_LT = plain_operation("lt")
_MOD = plain_operation("mod")
_MUL = plain_operation("mul")
_NE = plain_operation("ne")
_NEG = plain_operation("neg")
_POW = plain_operation("pow")
_SUB = plain_operation("sub")
_UFUNCS = {  # numpy's names of our operators
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
}


class NamedTensor:
    """Data with a name for each axis; the order in which axes are stored has no meaning.

        X in R^{seq[7] x emb[512]}

    Made by `nt.tensor(data, seq, emb)`. Operators act on axes of the same name and lift over all
    others: `X + b`, `W @ emb @ X`, `X[seq(0)]`, `X[seq >> seq_]`.
    """

    __slots__ = ("__weakref__", "_data", "_layout")

    def __init__(self, data: Any, layout: Layout) -> None:
        self._data = data
        self._layout = layout

    # -------------------------------------------------------------------------- what it holds

    @property
    def data(self) -> Any:
        """The stored array, whose axes are in the order of `axes`."""
        return self._data

    @property
    def layout(self) -> Layout:
        return self._layout

    @property
    def axes(self) -> tuple[str, ...]:
        """The axis names in storage order."""
        return self.layout.axes

    @property
    def kind(self) -> str:
        """The kind of the numbers: bool, int, float or complex."""
        return self.layout.kind

    @property
    def sizes(self) -> tuple[tuple[str, Any], ...]:
        return tuple(zip(self.layout.axes, self.data.shape, strict=True))

    @property
    def shape(self) -> Shape:
        """The axes with their sizes, equal to any other order of them.

        >>> import namedtensor as nt
        >>> nt.tensor([[1.0, 2.0]], "seq emb").shape
        seq[1] x emb[2]
        """
        return Shape.of(self.sizes)

    def size(self, axis: Axes) -> Any:
        """Give the size of one axis.

        >>> import namedtensor as nt
        >>> nt.tensor([[1.0, 2.0]], "seq emb").size("emb")
        2
        """
        name = one_axis(f"X.size({axis!r})", axis).name
        for own, size in self.sizes:
            if own == name:
                return size
        raise self.missing(f"X.size({shown(name)})", name)

    def missing(self, call: str, name: str) -> AxisMissingError:
        """Make the error of a call that names an axis which this tensor lacks."""
        guess = nearest(name, self.axes)
        return AxisMissingError(
            call,
            f"X has no axis {shown(name)}",
            [("X", spaced(self.sizes))],
            f"did you mean {shown(guess)}?"
            if guess
            else "X has only the axes that its shape shows",
        )

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def device(self) -> Any:
        return self.layout.backend.function("device_of")(self.data)

    # ----------------------------------------------------------------------- back to positions

    def positional(self, call: str, order: tuple[Any, ...]) -> Any:
        """Give the data with its axes in the order asked for."""
        axes = parse_axes(order)
        distinct(call, axes)
        names = tuple([a.name for a in axes])
        if not order and len(self.axes) > 1:
            raise AxisNameError(
                f"{call}()",
                "axes have no order until you give one",
                [("X", spaced(self.sizes))],
                f"{call}({', '.join(map(shown, self.axes))})",
            )
        for name in names:
            if name not in self.axes:
                raise self.missing(f"{call}({', '.join(names)})", name)
        left = [a for a in self.axes if a not in names]
        if names and left:
            raise AxisMissingError(
                f"{call}({', '.join(names)})",
                f"the order leaves out {', '.join(map(shown, left))}",
                [("X", spaced(self.sizes))],
                f"{call}({', '.join(map(shown, (*names, *left)))})",
            )
        for axis in axes:
            if axis.size is not None and axis.size != self.size(axis):
                raise AxisSizeError(
                    f"{call}({', '.join(map(repr, axes))})",
                    f"axis {axis.name} is {self.size(axis)} in X and {axis.size} in the call",
                    [("X", spaced(self.sizes))],
                    f"leave the size out: {axis.name}",
                )
        if not names or names == self.axes:
            return self.data
        places = tuple([self.axes.index(n) for n in names])
        return self.layout.backend.function("permute")(self.data, places)

    def numpy(self, *order: Axes) -> Any:
        """Give a numpy array with the axes in this order; torch data without gradient is shared.

        >>> import namedtensor as nt
        >>> nt.tensor([[1.0, 2.0]], "seq emb").numpy("emb", "seq")
        array([[1.],
               [2.]])
        """
        return self.layout.backend.function("numpy_of")(self.positional("X.numpy", order))

    def torch(self, *order: Axes) -> Any:
        """Give a torch tensor with the axes in this order, sharing memory where it can."""
        found = self.positional("X.torch", order)
        if self.layout.backend.name == "torch":
            return found
        import torch

        return torch.from_numpy(np.ascontiguousarray(found) if found.ndim else np.asarray(found))

    def item(self) -> Any:
        """Give the one number of a tensor without axes."""
        return self._number("X.item()")

    def to(self, *targets: Any) -> NamedTensor:
        """Give the same tensor in another library, on another device, or of another dtype.

        >>> import namedtensor as nt
        >>> nt.tensor([1, 2], "seq").to("float32").dtype
        dtype('float32')
        """
        from namedtensor.tensor.convert import convert

        return convert(self, targets)

    # ------------------------------------------------------------------------------ gradients

    def requires_grad_(self, requires: bool = True) -> NamedTensor:
        """Ask torch to record operations on this tensor; gives the tensor itself."""
        data = self._torch_data("X.requires_grad_()")
        if self.kind not in ("float", "complex"):
            raise KindError(
                "X.requires_grad_()",
                f"X holds {self.kind} numbers, and gradients are of real ones",
                [("X", spaced(self.sizes))],
                'X.to("float32")',
            )
        data.requires_grad_(requires)
        return self

    @property
    def requires_grad(self) -> bool:
        return bool(getattr(self.data, "requires_grad", False))

    @property
    def grad(self) -> NamedTensor | None:
        """The gradient that backward() left, with the axes of X: X - rate * X.grad lines up."""
        found = self._torch_data("X.grad").grad
        return None if found is None else NamedTensor(found, self.layout)

    def backward(self, gradient: NamedTensor | None = None) -> None:
        """Compute gradients of this single number, or along a gradient of X's shape."""
        data = self._torch_data("X.backward()")
        if gradient is None:
            if self.axes:
                raise AxisSizeError(
                    "X.backward()",
                    "X has axes, and a gradient starts from a single number",
                    [("X", spaced(self.sizes))],
                    "reduce first: nt.sum[...](X).backward()",
                )
            self._recorded("X.backward()")
            data.backward()
        else:
            self._recorded("X.backward(gradient)")
            same_shape("X.backward(gradient)", "X", self, "gradient", gradient)
            data.backward(gradient.torch(*self.axes))

    def _recorded(self, call: str) -> None:
        if not self.requires_grad:
            raise BackendError(
                call,
                "no operation that led to X was recorded",
                [("X", spaced(self.sizes))],
                "ask for it before: W.requires_grad_()",
            )

    def detach(self) -> NamedTensor:
        """Give the same numbers outside the gradient's record."""
        return NamedTensor(self._torch_data("X.detach()").detach(), self.layout)

    def _torch_data(self, call: str) -> Any:
        if self.layout.backend.name != "torch":
            raise BackendError(
                call,
                "gradients are torch's, and X holds numpy data",
                [("X", spaced(self.sizes))],
                'X.to("torch")',
            )
        return self.data

    # ------------------------------------------------------------------- operators (section 3)

    def __add__(self, other: Any) -> Any:
        return apply(_ADD, self, other)

    def __radd__(self, other: Any) -> Any:
        return apply(_ADD, other, self)

    def __sub__(self, other: Any) -> Any:
        return apply(_SUB, self, other)

    def __rsub__(self, other: Any) -> Any:
        return apply(_SUB, other, self)

    def __mul__(self, other: Any) -> Any:
        return apply(_MUL, self, other)

    def __rmul__(self, other: Any) -> Any:
        return apply(_MUL, other, self)

    def __truediv__(self, other: Any) -> Any:
        return apply(_DIV, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return apply(_DIV, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return apply(_FLOORDIV, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return apply(_FLOORDIV, other, self)

    def __mod__(self, other: Any) -> Any:
        return apply(_MOD, self, other)

    def __rmod__(self, other: Any) -> Any:
        return apply(_MOD, other, self)

    def __pow__(self, other: Any) -> Any:
        return apply(_POW, self, other)

    def __rpow__(self, other: Any) -> Any:
        return apply(_POW, other, self)

    def __eq__(self, other: object) -> Any:
        return apply(_EQ, self, other)

    def __ne__(self, other: object) -> Any:
        return apply(_NE, self, other)

    def __lt__(self, other: Any) -> Any:
        return apply(_LT, self, other)

    def __le__(self, other: Any) -> Any:
        return apply(_LE, self, other)

    def __gt__(self, other: Any) -> Any:
        return apply(_GT, self, other)

    def __ge__(self, other: Any) -> Any:
        return apply(_GE, self, other)

    def __and__(self, other: Any) -> Any:
        return apply(_LOGICAL_AND, self, other)

    def __rand__(self, other: Any) -> Any:
        return apply(_LOGICAL_AND, other, self)

    def __or__(self, other: Any) -> Any:
        return apply(_LOGICAL_OR, self, other)

    def __ror__(self, other: Any) -> Any:
        return apply(_LOGICAL_OR, other, self)

    def __xor__(self, other: Any) -> Any:
        return apply(_LOGICAL_XOR, self, other)

    def __rxor__(self, other: Any) -> Any:
        return apply(_LOGICAL_XOR, other, self)

    def __neg__(self) -> Any:
        return apply(_NEG, self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return apply(_ABS, self)

    def __invert__(self) -> Any:
        return apply(_LOGICAL_NOT, self)

    def __hash__(self) -> int:
        return id(self)

    def __matmul__(self, axes: Any) -> Contraction:
        if isinstance(axes, NamedTensor):
            shared = [a for a in self.axes if a in axes.axes]
            raise AxisNameError(
                "A @ B",
                "a contraction names its axes between the operands",
                [("A", spaced(self.sizes)), ("B", spaced(axes.sizes))],
                f"A @ {shown(shared[0])} @ B" if shared else "A @ ax @ B, with ax an axis of both",
            )
        if backend_of(axes) is not None:
            raise BackendError(
                "A @ B",
                f"B is a bare array of sizes ({', '.join(map(str, axes.shape))}), and a contraction "
                "names its axes",
                [("A", spaced(self.sizes))],
                "A @ ax @ nt.tensor(B, ...), with ax an axis of both",
            )
        return Contraction(self, axes)

    def __rmatmul__(self, other: Any) -> NoReturn:
        raise AxisNameError(
            "A @ B",
            f"A is {kind_of_thing(other)}; a contraction is read from the left, tensor @ axes @ tensor",
            [("B", spaced(self.sizes))],
            f"A @ {shown(self.axes[-1]) if self.axes else 'ax'} @ B, with A a named tensor",
        )

    # ------------------------------------------------------------------------------- brackets

    def __getitem__(self, record: Any) -> Any:
        return _brackets.bracket(self, record)

    @property
    def at(self) -> Any:
        """Start a functional update: X.at[seq(0)].set(Y) is X but for Y at seq(0)."""
        return _brackets.At(self)

    def rearrange(self, pattern: str, **sizes: int) -> Any:
        """Rearrange axes by an einops pattern.

        >>> import namedtensor as nt
        >>> X = nt.zeros("batch[2] layer[12]")
        >>> X.rearrange("batch (head key) -> batch head key", head=3).shape
        batch[2] x head[3] x key[4]
        """
        from namedtensor.tensor.patterns import rearrange

        return rearrange(self, pattern, sizes)

    # --------------------------------------------------------------------- what Python asks of it

    def __setitem__(self, record: Any, value: Any) -> NoReturn:
        raise AxisNameError(
            "X[...] = Y",
            "named tensors are values; an update makes a new one",
            [("X", spaced(self.sizes))],
            "X = X.at[seq(0)].set(Y)",
        )

    def __iter__(self) -> NoReturn:
        raise AxisNameError(
            "iter(X)",
            "a named tensor has no first axis to run along",
            [("X", spaced(self.sizes))],
            "name the axis: for Y in nt.unstack[seq](X)",
        )

    def __len__(self) -> NoReturn:
        raise AxisNameError(
            "len(X)",
            "a named tensor has no first axis to measure",
            [("X", spaced(self.sizes))],
            "X.size(seq) for one axis, X.shape.count for all records",
        )

    __contains__ = None

    def _number(self, call: str) -> Any:
        """Give the one number of a tensor without axes to what asks for it."""
        if self.axes:
            every = ", ".join(f"{shown(a)}(0)" for a in self.axes)
            raise AxisSizeError(
                call,
                "X has axes, and this is asked of a single number",
                [("X", spaced(self.sizes))],
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
                [("X", spaced(self.sizes))],
                "int(X) rounds towards zero",
            )
        return number

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Take operators over from numpy's numbers; functions of numpy are refused."""
        name = _UFUNCS.get(ufunc.__name__)
        if name is not None and method == "__call__" and not kwargs:
            # numpy has wrapped its own single numbers in arrays without axes
            given = [x[()] if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs]
            return apply(_TABLE[name].plain, *given)
        word = ufunc.__name__
        raise BackendError(
            f"np.{word}(...)",
            "numpy's functions know no names",
            [("X", spaced(self.sizes))],
            f"nt.{word}(X)" if word in _TABLE else f"X.numpy({', '.join(map(shown, self.axes))})",
        )

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> NoReturn:
        word = func.__name__
        raise BackendError(
            f"np.{word}(...)",
            "numpy's functions know no names",
            [("X", spaced(self.sizes))],
            f"use nt.{word}, or X.numpy({', '.join(map(shown, self.axes))})"
            if word in _TABLE
            else f"X.numpy({', '.join(map(shown, self.axes))})",
        )

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise BackendError(
            "numpy(X)",
            "numpy would have to guess the order of the axes",
            [("X", spaced(self.sizes))],
            f"say it: X.numpy({', '.join(map(shown, self.axes))})",
        )

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", str(func))
        found = [x for x in args if isinstance(x, NamedTensor)]
        order = ", ".join(map(shown, found[0].axes)) if found else "seq, emb"
        hint = f"nt.{name}" if name in _TABLE else f"X.torch({order}), or nt.lift({name}, ...)"
        raise BackendError(
            f"torch.{name}(...)",
            "torch would have to guess the order of the axes",
            [("X", spaced(x.sizes)) for x in found],
            f"use {hint}",
        )

    def __copy__(self) -> NamedTensor:
        return NamedTensor(self._data, self._layout)

    def __deepcopy__(self, memo: Any) -> NamedTensor:
        from copy import deepcopy

        return NamedTensor(deepcopy(self.data, memo), self.layout)

    def __reduce__(self) -> tuple[Any, ...]:
        return tensor, (self.data, self.axes)

    def __repr__(self) -> str:
        from namedtensor.tensor.text import text

        return text(self)

    def _repr_html_(self) -> str:
        from namedtensor.display.html import table as html_table

        return html_table(self)


use_classes(concrete=NamedTensor)


class Contraction:
    """The left half of A @ axes @ B."""

    __slots__ = ("axes", "left")

    def __init__(self, left: NamedTensor, axes: Any) -> None:
        self.left = left
        self.axes = axes

    def __matmul__(self, right: Any) -> Any:
        return apply(_brackets.contraction(self.axes, (self.left, right)), self.left, right)

    def __repr__(self) -> str:
        return f"(X @ {self.axes}) waits for its right operand: X @ {self.axes} @ Y"


def same_shape(call: str, first: str, X: NamedTensor, second: str, Y: Any) -> None:
    """Raise AxisNameError unless Y is a named tensor of X's shape."""
    if not isinstance(Y, NamedTensor) or Y.shape != X.shape:
        shapes = [(first, spaced(X.sizes))]
        if isinstance(Y, NamedTensor):
            shapes.append((second, spaced(Y.sizes)))
        raise AxisNameError(
            call, f"{second} is no tensor of {first}'s shape", shapes, f"give {second} that shape"
        )


def tensor(data: Any, *axes: Any) -> NamedTensor:
    """Name the axes of a numpy array, a torch tensor, a number or nested lists.

    Arrays are not copied. Lists become numpy arrays.

    Raises: AxisNameError, AxisSizeError, BackendError.

    >>> tensor([[1.0, 2.0], [3.0, 4.0]], "seq emb").shape
    seq[2] x emb[2]
    """
    if isinstance(data, NamedTensor):
        raise BackendError(
            "tensor(X, ...)",
            "X has names already",
            [("X", spaced(data.sizes))],
            "rename its axes: X[seq >> seq_]",
        )
    named = parse_axes(axes)
    call = f"tensor({', '.join(['data', *map(repr, named)])})"
    distinct(call, named)
    backend = backend_of(data)
    if backend is None:
        backend, data = get_backend("numpy"), _array(call, data)
    if len(named) != len(data.shape):
        sizes = ", ".join(map(str, data.shape))
        raise AxisNameError(
            call,
            f"data has sizes ({sizes}), {len(data.shape)} in all, and {len(named)} axes are named",
            hint="give one name for each, in the order in which data holds them",
        )
    for axis, size in zip(named, data.shape, strict=True):
        if axis.size is not None and axis.size != size:
            raise AxisSizeError(
                call,
                f"axis {axis.name} is {axis.size} in the call and {size} in data",
                hint=f"leave the size out: {axis.name}",
            )
    return NamedTensor(
        data, layout_of(tuple([a.name for a in named]), _kind(call, backend, data), backend)
    )


def _array(call: str, data: Any) -> Any:
    try:
        return np.asarray(data)
    except ValueError as error:
        raise AxisSizeError(
            call,
            "the lists are not all of one length, so they make no array",
            hint="pad the shorter ones, or make a tensor of each",
        ) from error


def _kind(call: str, backend: Backend, data: Any) -> str:
    kind = backend.kind_of(data.dtype)
    if kind == "object":
        raise KindError(
            call,
            f"data of dtype {data.dtype} does not hold numbers",
            hint="use numbers or booleans",
        )
    return kind


__all__ = ["AxisIndex", "AxisSelection", "Contraction", "NamedTensor", "NamedTensorError", "tensor"]


from namedtensor.tensor import brackets as _brackets  # noqa: E402  it names NamedTensor
