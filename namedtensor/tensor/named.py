"""NamedTensor: data whose axes have names (paper, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from namedtensor.axes import (
    Axes,
    Axis,
    AxisIndex,
    AxisSelection,
    distinct,
    either,
    naming,
    parse_axes,
    shown,
    typed_axes,
    typed_order,
    visible,
)
from namedtensor.backends import Backend, backend_of, get_backend, not_installed
from namedtensor.backends.lazy import np
from namedtensor.doors import door, given_later
from namedtensor.errors import (
    AxisMissingError,
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.plans import LIBRARY_ERRORS, layout_of
from namedtensor.primitives import Operation
from namedtensor.shape import shapes
from namedtensor.tensor import operators
from namedtensor.tensor.gradients import Gradients
from namedtensor.tensor.labels import caller_labels, holders
from namedtensor.tensor.operators import Operators
from namedtensor.tensor.protocols import Protocols
from namedtensor.tensor.updates import At

#: Set by files that import this one: `tensor.brackets`, `tensor.convert`, `tensor.patterns`.
bracket: Callable[[NamedTensor, object], NamedTensor] = given_later
contraction: Callable[[Axes, tuple[Any, ...]], Operation] = given_later
convert: Callable[[NamedTensor, tuple[Any, ...]], NamedTensor] = given_later
rearrange: Callable[[NamedTensor, str, dict[str, int]], NamedTensor] = given_later

_new = object.__new__
#: The operations of one axis under the dot, by the axis's name, and how many are kept.
contractions: dict[str, Operation] = {}
MOST_CONTRACTIONS = 512


class NamedTensor(Operators, Gradients, Protocols):
    """Data with a name for each axis; the order in which axes are stored has no meaning.

        X in R^{seq[7] x emb[512]}

    Made by `nt.tensor(data, seq, emb)`. Operators act on axes of the same name and lift over all
    others: `X + b`, `W @ emb @ X`, `X[seq(0)]`, `X[seq >> seq_]`.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __class_getitem__(cls, axes: object) -> Any: ...  # pyright reads R[seq, emb] by it
    else:

        def __class_getitem__(cls, axes: object) -> NoReturn:
            raise AxisNameError(
                "NamedTensor[...]",
                "a class of tensors has no axes, and a space has them",
                hint='`nt.R["seq emb"]` declares them in a formula, def f(X: R["seq emb"])',
            )

    # ----------------------------------------------------------------------- back to positions

    def positional(self, call: str, order: tuple[Any, ...]) -> Any:
        """Give the data with its axes in the order asked for."""
        if order and all([type(place) is int for place in order]):
            raise self.counted(call.rpartition(".")[2].partition("(")[0], order)
        axes = parse_axes(order)
        distinct(call, axes)
        names = tuple([a.name for a in axes])
        if not order and len(self.axes) > 1:
            raise AxisNameError(
                f"{call}()",
                "axes have no order until you give one",
                shapes(self),
                f"{call}({typed_order(self.axes)})",
            )
        for name in names:
            if name not in self.axes:
                raise self.missing(f"{call}({', '.join(names)})", name)
        left = [a for a in self.axes if a not in names]
        if names and left:
            raise AxisMissingError(
                f"{call}({', '.join(names)})",
                f"the order leaves out {', '.join(map(shown, left))}",
                shapes(self),
                f"{call}({typed_order((*names, *left))})",
            )
        for axis in axes:
            if axis.size is not None and axis.size != self.size(axis):
                raise AxisSizeError(
                    f"{call}({', '.join(map(repr, axes))})",
                    f"axis {axis.name} is {self.size(axis)} in X and {axis.size} in the call",
                    shapes(self),
                    f"leave the size out: {typed_axes([axis.name])}",
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
        return self._shared_with_torch(f"X.torch({', '.join(map(str, order))})", found)

    def _shared_with_torch(self, call: str, found: Any) -> Any:
        try:
            import torch
        except ModuleNotFoundError:
            raise not_installed(call, "torch", shapes(self)) from None
        if not found.dtype.isnative:
            found = found.astype(found.dtype.newbyteorder("="))
        found = np.ascontiguousarray(found) if found.ndim else np.asarray(found)
        return torch.from_numpy(found if found.flags.writeable else found.copy())

    def item(self) -> Any:
        """Give the one number of a tensor without axes."""
        return self._number("X.item()")

    def to(self, *targets: object, device: object = None, dtype: object = None) -> NamedTensor:
        """Give the same tensor in another library, on another device, or of another dtype.

        >>> import namedtensor as nt
        >>> nt.tensor([1, 2], "seq").to("float32").dtype
        dtype('float32')
        """
        more = [target for target in (dtype, device) if target is not None]
        return convert(self, (*targets, *more))

    def __hash__(self) -> int:
        return id(self)

    def __matmul__(self, axes: Axes) -> Contraction:
        if type(axes) is Axis:
            half = _new(Contraction)  # this path is that of every eager contraction
            half.left, half.axes = self, axes
            return half
        if isinstance(axes, NamedTensor):
            A, B = caller_labels([self, axes])
            shared = [a for a in visible(self.axes) if a in axes.axes]
            codes = [f"{A} @ {typed_axes([a])} @ {B}" for a in shared]
            raise AxisNameError(
                f"{A} @ {B}",
                "a contraction names its axes between the operands",
                shapes(self, axes, labels=[A, B]),
                f"both have {' and '.join(map(shown, shared))}: {either(codes)}"
                if shared
                else f"{A} and {B} share no axis, and {A} * {B} lifts both",
            )
        if backend_of(axes) is not None:
            bare: Any = axes
            raise BackendError(
                "A @ B",
                f"B is a bare array of sizes ({', '.join(map(str, bare.shape))}), and a contraction "
                "names its axes",
                shapes(self, labels="A"),
                "A @ ax @ nt.tensor(B, ...), with ax an axis of both",
            )
        return Contraction(self, axes)

    def __rmatmul__(self, other: object) -> NoReturn:
        raise AxisNameError(
            "A @ B",
            f"A is {kind_of_thing(other)}; a contraction is read from the left, tensor @ axes @ tensor",
            shapes(self, labels="B"),
            f"A @ {shown(self.axes[-1]) if self.axes else 'ax'} @ B, with A a named tensor",
        )

    # ------------------------------------------------------------------------------- brackets

    def __getitem__(self, record: object) -> NamedTensor:
        return bracket(self, record)

    @property
    def at(self) -> At:
        """Start a functional update: X.at[seq(0)].set(Y) is a copy of X with Y at seq(0).

        `add`, `multiply`, `min` and `max` combine what is there with each number of Y for that place.
        """
        return At(self)

    def rearrange(self, pattern: str, **sizes: int) -> NamedTensor:
        """Rearrange axes by an einops pattern.

        >>> import namedtensor as nt
        >>> X = nt.zeros("batch[2] layer[12]")
        >>> X.rearrange("batch (head key) -> batch head key", head=3).shape
        batch[2] x head[3] x key[4]
        >>> X.rearrange("... layer -> ... (layer)").shape
        batch[2] x layer[12]
        """
        return rearrange(self, pattern, sizes)

    def __copy__(self) -> NamedTensor:
        return NamedTensor(self._data, self._layout)

    def __deepcopy__(self, memo: dict[int, Any]) -> NamedTensor:
        from copy import deepcopy

        return NamedTensor(deepcopy(self.data, memo), self.layout)

    def __reduce__(self) -> tuple[Any, ...]:
        return tensor, (self.data, self.axes)

    def __repr__(self) -> str:
        shown: str = door("display.text.text")(self)
        return shown

    def _repr_html_(self) -> str:
        shown: str = door("display.html.table")(self)
        return shown


#: What an operation takes: a named tensor, or a number, which has no axes.
Tensor: TypeAlias = NamedTensor | bool | int | float | complex


class Contraction:
    """The left half of A @ axes @ B."""

    __slots__ = ("axes", "left")

    def __init__(self, left: NamedTensor, axes: Axes) -> None:
        self.left = left
        self.axes = axes

    def __matmul__(self, right: Tensor) -> NamedTensor:
        axes, left = self.axes, self.left
        known = contractions.get(axes.name) if type(axes) is Axis and axes.size is None else None
        if known is None:
            return operators.apply_two(contraction(axes, (left, right)), left, right)
        # apply_two once more, written out: one call less for every eager contraction
        if type(left) is NamedTensor and type(right) is NamedTensor:
            plan = known.plans.get((left._layout, right._layout))
            if plan is not None:
                try:
                    data = plan.run(left._data, right._data)
                except LIBRARY_ERRORS:
                    return operators.apply_two(known, left, right)  # says what is wrong
                result: NamedTensor = _new(NamedTensor)
                result._data = data
                result._layout = plan.layout
                return result
        return operators.apply_two(known, left, right)

    def __repr__(self) -> str:
        return f"(X @ {self.axes}) waits for its right operand: X @ {self.axes} @ Y"

    def _is_half(self, *_: object) -> NoReturn:
        """Refuse an operation that needs a whole tensor."""
        raise self.unfinished()

    def unfinished(self) -> AxisNameError:
        """Make the error for a contraction without a right operand, with the operands that it could have."""
        names = [axis.name for axis in parse_axes(self.axes)]
        text = typed_axes(names)
        label = caller_labels([self.left])[0] if isinstance(self.left, NamedTensor) else "X"
        codes = [f"{label} @ {text} @ {other}" for other in holders(names, self.left)]
        return AxisNameError(
            f"{label} @ {text}",
            f"({label} @ {text}) waits for its right operand, and is no tensor yet",
            shapes(self.left, labels=[label]),
            either(codes)
            if codes
            else f"end it with a tensor that has {text}: {label} @ {text} @ Y",
        )

    def __getattr__(self, word: str) -> NoReturn:
        if word.startswith("_") or word in ("sizes", "node"):  # protocols, and our own questions
            raise AttributeError(f"Contraction has no attribute {word}")
        self._is_half()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _is_half
    __rtruediv__ = __pow__ = __rpow__ = __neg__ = __abs__ = __getitem__ = __iter__ = _is_half
    __lt__ = __le__ = __gt__ = __ge__ = _is_half


def tensor(data: Any, *axes: Axes) -> NamedTensor:
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
            shapes(data),
            "rename its axes: X[seq >> seq_]",
        )
    named = parse_axes(axes)
    names = tuple([axis.name for axis in named])
    if len(set(names)) < len(names):
        distinct(_call(named), named)
    backend = backend_of(data)
    if backend is None:
        backend, data = get_backend("numpy"), _array(named, data)
    elif type(data).__name__ in ("MaskedArray", "matrix"):
        data = _plain(named, data)
    elif backend.name == "torch":
        _hold_strided(named, data)
    kind = _kind(named, backend, data)
    if len(named) != len(data.shape):
        sizes = ", ".join(map(str, data.shape))
        raise AxisNameError(
            _call(named),
            f"data has sizes ({sizes}), {len(data.shape)} in all, and "
            f"{len(named)} {'axis is' if len(named) == 1 else 'axes are'} named",
            hint="give one name for each, in the order in which data holds them",
        )
    for axis, size in zip(named, data.shape, strict=True):
        if axis.size is not None and axis.size != size:
            raise AxisSizeError(
                _call(named),
                f"axis {axis.name} is {axis.size} in the call and {size} in data",
                hint=f"leave the size out: {typed_axes([axis.name])}",
            )
    return NamedTensor(data, layout_of(names, kind, backend))


def hold_named(call: str, *given: Any) -> None:
    """Raise KindError where something else than a named tensor is given."""
    for X in given:
        if not hasattr(X, "axes"):
            why = f"named tensors are compared, and {kind_of_thing(X)} is given"
            raise KindError(call, why, hint=naming("Y", X))


def _call(named: Sequence[Axis]) -> str:
    return f"tensor({', '.join(['data', *map(repr, named)])})"


def _array(named: Sequence[Axis], data: Any) -> Any:
    try:
        return np.asarray(data)
    except NamedTensorError as error:
        raise BackendError(
            _call(named),
            "data is a list of named tensors, whose axes have names already",
            hint="join them along a new axis: nt.stack[batch](*data), with data the list",
        ) from error
    except ValueError as error:
        raise AxisSizeError(
            _call(named),
            "the lists are not all of one length, so they make no array",
            hint="pad the shorter ones, or make a tensor of each",
        ) from error


def _plain(named: Sequence[Axis], data: Any) -> Any:
    """Turn numpy's matrix, whose * is another product, into an array; refuse a masked array."""
    if hasattr(data, "filled"):
        raise KindError(
            _call(named),
            "data is a masked array, and a named tensor has no mask",
            hint="fill what is masked: data.filled(0)",
        )
    return np.asarray(data)


def _hold_strided(named: Sequence[Axis], data: Any) -> None:
    """Refuse torch's tensors whose numbers do not lie in one array of sizes and strides."""
    import torch

    if data.is_nested:
        what, code = "nested, and its parts differ in size", "data.to_padded_tensor(0.0)"
    elif data.is_quantized:
        what, code = "quantized, and holds codes of its numbers", "data.dequantize()"
    elif data.layout is not torch.strided:
        layout = str(data.layout).removeprefix("torch.")
        what, code = f"of layout {layout}, and named tensors hold arrays", "data.to_dense()"
    else:
        return
    raise BackendError(_call(named), f"data is {what}", hint=f"convert it before: {code}")


def _kind(named: Sequence[Axis], backend: Backend, data: Any) -> str:
    kind = backend.kind_of(data.dtype)
    if kind == "object":
        one = None if data.shape else data.item()
        listed = isinstance(one, Iterable) and not isinstance(one, (str, bytes, Mapping))
        raise KindError(
            _call(named),
            f"data of dtype {data.dtype} does not hold numbers"
            if data.shape or isinstance(one, int)  # beyond 64 bits
            else f"data is {kind_of_thing(one)}, and not numbers",
            hint="make a list of it: `list(data)`" if listed else "use numbers or booleans",
        )
    return kind


__all__ = ["AxisIndex", "AxisSelection", "Contraction", "NamedTensor", "NamedTensorError", "tensor"]
