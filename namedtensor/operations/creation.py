"""New tensors: filled with one number, and in another dtype (paper, section 2)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from namedtensor.axes import Axis, axis_code, distinct, made_up, parse_axes
from namedtensor.backends import Backend, get_backend
from namedtensor.backends.lazy import is_scalar, np
from namedtensor.compilers import compiling
from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    first_line,
    kind_of_thing,
)
from namedtensor.operations.axis_functions import named_operand
from namedtensor.operations.constants import full_in_body, kind_of_dtype
from namedtensor.operations.expanding import ALIKE
from namedtensor.plans import Emitter, Lowered, Value, layout_of
from namedtensor.plans.code import Attribute
from namedtensor.primitives import Call, Type, primitive
from namedtensor.primitives.notation import Special
from namedtensor.primitives.traits import Traits
from namedtensor.shape import hold_in_memory, shapes
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.symbolic import on_symbols

if TYPE_CHECKING:
    import torch

#: Axes of a new tensor: each with its size, or a text of several, or a list of them.
AxesSpec: TypeAlias = Axis | str | Iterable[Axis | str]
#: A dtype: a name, Python's, numpy's or torch's; None for the usual one.
DType: TypeAlias = "str | type | np.dtype[Any] | torch.dtype | None"
Device: TypeAlias = "str | torch.device | None"

#: A function that takes axes and nothing else.
PLAIN = frozenset({"zeros", "ones", "normal", "uniform", "gumbel", "laplace", "permutation"})


def full(
    *axes_and_value: AxesSpec | complex,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Fill a shape with one number, which comes last: full(emb[512], 0.5).

        full : R^axes

    Whole numbers and truth values keep their kind.
    Raises: AxisSizeError where an axis has no size, KindError unless the value is a number, BackendError.

    >>> nt.full("seq[2]", 7.0).numpy()
    array([7., 7.])
    """
    *axes, value = axes_and_value or (None,)
    value = value.item() if is_scalar(value) else value
    size = isinstance(value, SymbolicTensor) and value.node.type.host
    if not size and not isinstance(value, (bool, int, float, complex)):
        raise KindError(
            "full(..., value)",
            f"the value is {kind_of_thing(value)}, and not a number",
            hint="axes come first, then the number: nt.full(emb[512], 0.5)",
        )
    return _filled("full", axes, value, dtype, device, backend)


def _filled(
    name: str, axes: Any, value: Any, dtype: DType, device: Device, backend: str | None
) -> NamedTensor:
    if not compiling() and on_symbols.get():
        made: NamedTensor = full_in_body(
            name, axes, value, dtype_name(dtype) if dtype else None, device, backend
        )
        return made
    library = library_of(backend, dtype, device, None)
    named = sized_axes(name, axes)
    if dtype is None and isinstance(value, (bool, int)):
        dtype = "bool" if isinstance(value, bool) else "int64"
    make = library.function("create")
    return created(name, named, library, make, (value,), dtype, device)


def created(
    name: str,
    named: tuple[Axis, ...],
    library: Backend,
    make: Callable[..., Any],
    given: tuple[Any, ...],
    dtype: DType,
    device: Device,
) -> NamedTensor:
    """Make an array of this shape; an error of the library becomes a BackendError."""
    shape = tuple([a.size for a in named])
    if str(device) != "meta":
        hold_in_memory(
            f"{name}({', '.join(map(repr, named))}, ...)", [(a.name, a.size) for a in named]
        )
    try:
        data = make(shape, *given, library.function("dtype_of")(dtype), device)
    except (
        RuntimeError,
        ValueError,
        TypeError,
        AssertionError,
        AttributeError,
        OverflowError,
    ) as error:
        if "memory" in str(error):
            raise
        raise BackendError(
            f"{name}({', '.join(map(repr, named))}, ...)",
            f"{library} cannot make it: {first_line(error)}",
            hint="dtype, device and generator belong to one library; "
            'backend="numpy" or backend="torch" chooses it',
        ) from error
    return _wrap(named, library.function("as_array")(data), library)


def zeros(
    *axes: AxesSpec,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Fill a shape with 0.

        zeros : {0}^axes

    Raises: AxisSizeError where an axis has no size, BackendError where the library refuses.

    >>> nt.zeros("emb[3] hid[4]").shape
    emb[3] x hid[4]
    """
    return _filled("zeros", axes, 0.0, dtype, device, backend)


def ones(
    *axes: AxesSpec,
    dtype: DType = None,
    device: Device = None,
    backend: str | None = None,
) -> NamedTensor:
    """Fill a shape with 1.

        ones : {1}^axes

    Raises: AxisSizeError where an axis has no size, BackendError where the library refuses.

    >>> nt.ones("emb[2]").numpy()
    array([1., 1.])
    """
    return _filled("ones", axes, 1.0, dtype, device, backend)


def sized_axes(name: str, axes: tuple[AxesSpec, ...]) -> tuple[Axis, ...]:
    """Read the axes of a new tensor; raise AxisSizeError unless each has its size."""
    sizes = [n for part in axes for n in (part if isinstance(part, (tuple, list)) else (part,))]
    if sizes and all([type(size) is int for size in sizes]):
        raise AxisNameError(
            f"{name}({', '.join(map(repr, axes))}, ...)",
            "sizes are those of axes, which have names",
            hint=f'`nt.{name}("{made_up(sizes)}")`'
            + (" and what else it takes" if name not in PLAIN else ""),
        )
    named = parse_axes(axes)
    call = f"{name}({', '.join(map(repr, named))})"
    distinct(call, named)
    for axis in named:
        if axis.size is None:
            raise AxisSizeError(
                call, f"{axis.name} has no size", hint=f"give it one: {axis_code(axis.name, 512)}"
            )
    return tuple([Axis(a.name, int(a.size)) for a in named])


def library_of(backend: str | None, dtype: DType, device: Device, generator: Any) -> Backend:
    """Choose the library that an argument names or belongs to; numpy if none does."""
    if backend is not None:
        if str(backend) not in ("numpy", "torch"):
            raise BackendError(
                f"backend={backend!r}",
                "tensors live in numpy or in torch",
                hint='backend="numpy" or backend="torch"',
            )
        return get_backend(str(backend))
    if device is not None and str(device) != "cpu":
        return get_backend("torch")
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(
        dtype if dtype is not None else device if device is not None else generator,
        (torch.dtype, torch.device, torch.Generator),
    ):
        return get_backend("torch")
    return get_backend("numpy")


def _wrap(axes: tuple[Axis, ...], data: Any, library: Backend) -> NamedTensor:
    names = tuple([a.name for a in axes])
    return NamedTensor(data, layout_of(names, library.kind_of(data.dtype), library))


def cast(X: NamedTensor, dtype: DType = None, *, like: NamedTensor | None = None) -> NamedTensor:
    """Give the same numbers in another dtype, named by torch, numpy, a string or a Python type.

        cast : R -> R;  cast(X)_r = X_r, as near as the dtype has it

    `like` is a tensor whose dtype is taken; a body can cast to the dtype of an argument this way.

    Raises: BackendError where X is no named tensor, KindError where there is no such dtype.

    >>> nt.cast(nt.tensor([1, 0], "seq"), "bool").kind
    'bool'
    >>> nt.cast(nt.tensor([1, 0], "seq"), like=nt.tensor([0.5], "emb")).kind
    'float'
    """
    named_operand("cast", X)
    if (dtype is None) is (like is None):
        raise KindError(
            "cast(X)" if like is None else f"cast(X, {getattr(dtype, '__name__', dtype)}, like=Y)",
            "a dtype is given, or a tensor that has it",
            shapes(X),
            'nt.cast(X, "float32")',
        )
    if like is not None:
        return apply(CAST_LIKE.plain, X, like)
    if not isinstance(X, SymbolicTensor):
        return X.to(_DTYPES.get(dtype, dtype) if isinstance(dtype, type) else dtype)
    return apply(CAST(dtype_name(dtype)), X)


def _cast_like_rule(call: Call) -> Type:
    x, like = call.types
    if not like.data:
        raise call.fail(
            KindError,
            f"{call.labels[1]} depends on no data, and so has no dtype",
            'name one: nt.cast(X, "float32")',
        )
    return _kept_whole(call, Type(x.axes, like.kind))


def _lower_cast_like(emit: Emitter, call: Lowered, x: Value, like: Value) -> Any:
    if x.type.host:
        return emit.bind(emit.call("full_like_kind", (), x, like), (), call.type)
    code = emit.call("cast", x, Attribute(emit.named(like).code, "dtype"))
    return emit.bind(code, x.axes, call.type)


CAST_LIKE = primitive(
    "cast_like",
    _cast_like_rule,
    _lower_cast_like,
    write=lambda operation, labels: f"cast({', '.join(labels[:1])}, like={', '.join(labels[1:])})",
    notation=Special("cast like", "cast-like"),
    traits=Traits(linear=(0,)),
    slopes=(None, lambda x, like, y: 0.0),
    transpose=lambda use, place, g: apply(ALIKE.plain, g, use.operands[0]),
)

_DTYPES: dict[Any, str] = {
    float: "float64",
    int: "int64",
    bool: "bool",
    complex: "complex128",
}


def dtype_name(dtype: DType) -> str:
    """Give the name of a dtype: torch's, numpy's, Python's, or a name."""
    name = _DTYPES.get(dtype, dtype)
    return (
        str(getattr(name, "name", name))
        .removeprefix("torch.")
        .removeprefix("<class 'numpy.")
        .rstrip("'>")
    )


def _cast_rule(call: Call) -> Type:
    (name,) = call.params
    return _kept_whole(call, call.types[0].of_kind(kind_of_dtype(name)))


def _kept_whole(call: Call, result: Type) -> Type:
    """Refuse to cast complex numbers to real ones, which would drop their imaginary parts."""
    if result.kind in ("int", "float"):
        call.real(0)
    return result


def _lower_cast(emit: Emitter, call: Lowered, x: Value) -> Any:
    (name,) = call.params
    word = "bool_" if name == "bool" and emit.backend.name == "numpy" else name
    return emit.bind(emit.call("cast", x, emit.word(word)), x.axes, call.type)


CAST = primitive(
    "cast",
    _cast_rule,
    _lower_cast,
    notation=Special("cast"),
    traits=Traits(linear=(0,), dtype="named"),
    transpose=lambda use, place, g: apply(ALIKE.plain, g, use.operands[0]),
)
