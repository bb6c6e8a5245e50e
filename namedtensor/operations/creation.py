"""New tensors: filled, random, and defined by their indices (paper, sections 2 and 3).

An index-defined tensor such as the causal mask

    M_{seq'(i), seq(j)} = 0 if j <= i else -inf

stays an expression until its numbers are needed, and takes open sizes from what it meets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from namedtensor.axes import Axis, distinct, one_axis, parse_axes, shown
from namedtensor.backends import get_backend
from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    BackendError,
    KindError,
    NamedTensorError,
    first_line,
    kind_of_thing,
)
from namedtensor.operations.axis_functions import AxisFunction, named_operand, wants
from namedtensor.operations.elementwise import where
from namedtensor.plans import layout_of
from namedtensor.primitives import Call, Operation, Type, primitive
from namedtensor.primitives.node import apply_node, make_node
from namedtensor.primitives.notation import Special, Word
from namedtensor.primitives.sizes import as_node
from namedtensor.shape import sized, spaced
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.resize import need_sizes

# ----------------------------------------------------------------------------- index-defined tensors


def _iota_rule(call: Call) -> Type:
    (axis,) = call.params
    size = call.values[0] if call.values else None
    return Type(((axis, size),), "int", weak=True)


def _lower_iota(emit: Any, call: Any, n: Any = None) -> Any:
    if n is None:
        need_sizes(call.node, "index-defined tensor")
    code = emit.call("arange", n.code, emit.like)
    return emit.bind(code, call.params, call.type, f"i_{call.params[0]}")


def _write_iota(operation: Operation, labels: tuple[str, ...]) -> str:
    axis = "".join(map(shown, operation.params))
    return f"iota({axis}[{labels[0]}])" if labels else f"iota({axis})"


IOTA = primitive("iota", _iota_rule, _lower_iota, write=_write_iota, notation=Special("element"))


def iota(axis: Any) -> Any:
    """Count along an axis: iota_ax : R^ax, iota_{ax(i)} = i, from 0.

    An axis without a size takes the size of what the tensor meets.

    >>> iota("seq[3]").numpy()
    array([0, 1, 2])
    """
    found = one_axis(f"iota({axis!r})", axis)
    size = getattr(found.size, "node", found.size)
    operation = IOTA(found.name)
    if size is None:
        return SymbolicTensor(
            make_node(operation, (), Type(((found.name, None),), "int", weak=True))
        )
    return SymbolicTensor(apply_node(operation, (as_node(size),)))


def _bind_define(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    call = f"define[{', '.join(map(repr, axes))}](rule)"

    def define(rule: Callable[..., Any]) -> Any:
        if not callable(rule):
            raise AxisNameError(
                call,
                f"the rule is {kind_of_thing(rule)}, and not a function of the indices",
                hint=f"lambda {', '.join('ijklmnop'[: len(axes)])}: ...",
            )
        result = rule(*[iota(axis) for axis in axes])
        if not isinstance(result, (NamedTensor, bool, int, float, complex, np.generic)):
            raise KindError(
                call,
                f"the rule gave {kind_of_thing(result)}, and not numbers",
                hint="choose with nt.where(condition, x, y)",
            )
        for axis in axes:
            # an axis that the rule does not look at is an axis all the same
            if not isinstance(result, NamedTensor) or axis.name not in result.axes:
                result = where(iota(axis) >= 0, result, result)
        if not isinstance(result, SymbolicTensor):
            return result
        own = tuple([a.name for a in axes])
        return SymbolicTensor(result.node, (*own, *[a for a in result.axes if a not in own]))

    return define


define = AxisFunction(
    "define",
    _bind_define,
    "Define a tensor by its indices: define[seq_, seq](lambda i, j: ...), counting from 0.\n\n"
    "    M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))\n\n"
    "The tensor stays an expression until its numbers are needed.",
)


def eye(*axes: Any) -> Any:
    """Give the identity: eye_{ax(i), bx(j)} = 1 if i = j else 0.

    >>> eye("seq[2]", "seq'[2]").numpy("seq", "seq'")
    array([[1, 0],
           [0, 1]])
    """
    named = parse_axes(axes)
    wants("eye", named, 2, "nt.eye(seq, seq_)")
    distinct(f"eye({', '.join(map(repr, named))})", named)
    row, col = named
    return where(iota(row) == iota(col), 1, 0)


def _one_hot_rule(call: Call) -> Type:
    (axis,) = call.params
    call.kind(0, ("int",), "one_hot takes indices; nt.argmax marks the greatest number")
    call.absent(0, [axis])
    type_ = call.types[0]
    return type_.with_axes((*type_.axes, (axis, call.values[1])), "int")


def _lower_one_hot(emit: Any, call: Any, x: Any, n: Any) -> Any:
    return emit.bind(
        emit.call("one_hot", x.code, n.code), (*x.axes, *call.params), call.type, "one_hot"
    )


ONE_HOT = primitive(
    "one_hot", _one_hot_rule, _lower_one_hot, notation=Word("onehot", also=("OneHot",), sized=True)
)


def one_hot(I: Any, axis: Any) -> Any:
    """Mark indices by one-hot vectors: one_hot_ax(I)_{ax(j)} = 1 if j = I else 0.

        one_hot_ax : [|ax|] -> {0,1}^ax, lifted over the axes of I

    Inside a formula an axis without a size has its size there. An index outside the axis has no 1.

    Raises: KindError where I is not of integers.

    >>> import namedtensor as nt
    >>> one_hot(nt.tensor([2, 0], "seq"), "vocab[3]").numpy("seq", "vocab")
    array([[0, 0, 1],
           [1, 0, 0]])
    """
    found = one_axis(f"one_hot(I, {axis!r})", axis)
    return apply(ONE_HOT(found.name), I, abs(found))


def _listed_rule(call: Call) -> Type:
    axis, numbers = call.params
    return Type(((axis, len(numbers)),), "int", weak=True)


def _lower_listed(emit: Any, call: Any) -> Any:
    axis, numbers = call.params
    text = f"[{', '.join(map(str, numbers))}]"
    return emit.bind(emit.call("listed", text, emit.like), (axis,), call.type, "listed_")


LISTED = primitive("listed", _listed_rule, _lower_listed, notation=Special("listed"))


# ----------------------------------------------------------------------------------------- filled


def full(*axes_and_value: Any, dtype: Any = None, device: Any = None, backend: Any = None) -> Any:
    """Fill a shape with one number: full(emb[512], 0.5).

    >>> full("seq[2]", 7.0).numpy()
    array([7., 7.])
    """
    *axes, value = axes_and_value or (None,)
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, (bool, int, float, complex)):
        raise KindError(
            "full(..., value)",
            f"the value is {kind_of_thing(value)}, and not a number",
            hint="axes come first, then the number: nt.full(emb[512], 0.5)",
        )
    return _filled("full", axes, value, dtype, device, backend)


def _filled(name: str, axes: Any, value: Any, dtype: Any, device: Any, backend: Any) -> Any:
    library = _library(backend, dtype, device, None)
    named = _sized_axes(name, axes)
    if dtype is None and isinstance(value, (bool, int)):
        dtype = "bool" if isinstance(value, bool) else "int64"
    make = library.function("create")
    return _created(name, named, library, make, (value,), dtype, device)


def _created(
    name: str,
    named: tuple[Axis, ...],
    library: Any,
    make: Callable[..., Any],
    given: tuple[Any, ...],
    dtype: Any,
    device: Any,
) -> NamedTensor:
    """Make an array of this shape; the library's refusals come out in words."""
    shape = tuple([a.size for a in named])
    try:
        data = make(shape, *given, library.function("dtype_of")(dtype), device)
    except (RuntimeError, ValueError, TypeError, AssertionError, AttributeError) as error:
        raise BackendError(
            f"{name}({', '.join(map(repr, named))}, ...)",
            f"{library} cannot make it: {first_line(error)}",
            hint="dtype, device and generator belong to one library; "
            'backend="numpy" or backend="torch" chooses it',
        ) from error
    return _wrap(named, library.function("as_array")(data), library)


def zeros(*axes: Any, dtype: Any = None, device: Any = None, backend: Any = None) -> Any:
    """Fill a shape with 0.

    >>> zeros("emb[3] hid[4]").shape
    emb[3] x hid[4]
    """
    return _filled("zeros", axes, 0.0, dtype, device, backend)


def ones(*axes: Any, dtype: Any = None, device: Any = None, backend: Any = None) -> Any:
    """Fill a shape with 1.

    >>> ones("emb[2]").numpy()
    array([1., 1.])
    """
    return _filled("ones", axes, 1.0, dtype, device, backend)


def _sized_axes(name: str, axes: Any) -> tuple[Axis, ...]:
    named = parse_axes(axes)
    call = f"{name}({', '.join(map(repr, named))})"
    distinct(call, named)
    for axis in named:
        if axis.size is None:
            raise AxisSizeError(
                call, f"{axis.name} has no size", hint=f"give it one: {axis.name}[512]"
            )
    return tuple([Axis(a.name, int(a.size)) for a in named])


def _library(backend: Any, dtype: Any, device: Any, generator: Any) -> Any:
    """Choose the library that the arguments speak of; numpy where none does."""
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


def _wrap(axes: tuple[Axis, ...], data: Any, library: Any) -> NamedTensor:
    names = tuple([a.name for a in axes])
    return NamedTensor(data, layout_of(names, library.kind_of(data.dtype), library))


# ----------------------------------------------------------------------------------------- random


def _random(
    name: str,
    word: str,
    axes: Any,
    before: tuple[Any, ...],
    generator: Any,
    dtype: Any,
    device: Any,
    backend: Any,
) -> NamedTensor:
    library = _library(backend, dtype, device, generator)
    named = _sized_axes(name, axes)
    source = library.function("generator_of")
    make = library.function(word)

    def draw(shape: Any, dtype: Any, device: Any) -> Any:
        return make(shape, *before, source(generator, device), dtype, device)

    return _created(name, named, library, draw, (), dtype, device)


def normal(
    *axes: Any, generator: Any = None, dtype: Any = None, device: Any = None, backend: Any = None
) -> Any:
    """Draw from the normal distribution with mean 0 and variance 1.

    >>> import numpy as np
    >>> normal("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    return _random("normal", "random_normal", axes, (), generator, dtype, device, backend)


def uniform(
    *axes: Any, generator: Any = None, dtype: Any = None, device: Any = None, backend: Any = None
) -> Any:
    """Draw evenly from [0, 1).

    >>> import numpy as np
    >>> uniform("seq[3]", generator=np.random.default_rng(0)).shape
    seq[3]
    """
    return _random("uniform", "random_uniform", axes, (), generator, dtype, device, backend)


def randint(
    low: int,
    high: int,
    *axes: Any,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    backend: Any = None,
) -> Any:
    """Draw whole numbers evenly from low, ..., high - 1.

    >>> import numpy as np
    >>> randint(0, 5, "seq[3]", generator=np.random.default_rng(0)).kind
    'int'
    """
    if not all(isinstance(b, (int, np.integer)) for b in (low, high)) or low >= high:
        raise KindError(
            f"randint({low!r}, {high!r}, ...)",
            "the bounds are two whole numbers, the first below the second",
            hint="nt.randint(0, 10, seq[5]) draws from 0, ..., 9",
        )
    return _random(
        "randint", "random_integers", axes, (low, high), generator, dtype, device, backend
    )


def _bind_categorical(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("categorical", axes, 1, "nt.categorical[vocab](P)")
    (axis,) = axes

    def categorical(P: NamedTensor, generator: Any = None) -> NamedTensor:
        named_operand(f"categorical[{axis.name}]", P, axis)
        if P.kind != "float":
            raise KindError(
                f"categorical[{axis.name}](P)",
                f"P holds {P.kind} numbers, and probabilities are real",
                [("P", spaced(P.sizes))],
                f"nt.softmax[{axis.name}](P)",
            )
        rest = tuple([a for a in P.axes if a != axis.name])
        if P.size(axis) == 0:
            raise AxisSizeError(
                f"categorical[{axis.name}](P)",
                f"axis {axis.name} is 0 in P, and there is nothing to draw",
                [("P", spaced(P.sizes))],
                "check the size first: P.size(ax) > 0",
            )
        data = P.positional("P.numpy", (*[sized(a, None) for a in rest], axis))
        try:
            drawn = P.layout.backend.function("categorical")(data, generator)
        except (RuntimeError, ValueError, TypeError, AttributeError) as error:
            raise NamedTensorError(
                f"categorical[{axis.name}](P)",
                f"{P.layout.backend} cannot draw: {first_line(error)}",
                [("P", spaced(P.sizes))],
                f"probabilities are 0 or more and not all 0, as nt.softmax[{axis.name}] gives them; "
                "a generator is of P's library",
            ) from error
        return NamedTensor(drawn, layout_of(rest, "int", P.layout.backend))

    return categorical


categorical = AxisFunction(
    "categorical",
    _bind_categorical,
    "Draw an index along an axis with probabilities proportional to P: R^ax -> [|ax|].",
)


# ------------------------------------------------------------------------------------------ dtypes


def cast(X: Any, dtype: Any) -> Any:
    """Give the same numbers in another dtype, named by torch, numpy, a string or a Python type.

    >>> import namedtensor as nt
    >>> cast(nt.tensor([1, 0], "seq"), "bool").kind
    'bool'
    """
    named_operand("cast", X)
    if not isinstance(X, SymbolicTensor):
        return X.to(_DTYPES.get(dtype, dtype))
    return apply(CAST(_dtype_name(dtype)), X)


_DTYPES: dict[Any, str] = {float: "float64", int: "int64", bool: "bool"}


def _dtype_name(dtype: Any) -> str:
    name = _DTYPES.get(dtype, dtype)
    return (
        str(getattr(name, "name", name))
        .removeprefix("torch.")
        .removeprefix("<class 'numpy.")
        .rstrip("'>")
    )


def _cast_rule(call: Call) -> Type:
    (name,) = call.params
    kind = (
        "bool"
        if name == "bool"
        else "int"
        if "int" in name
        else "complex"
        if "complex" in name
        else "float"
    )
    return call.types[0].of_kind(kind)


def _lower_cast(emit: Any, call: Any, x: Any) -> Any:
    (name,) = call.params
    word = "bool_" if name == "bool" and emit.backend.name == "numpy" else name
    return emit.bind(emit.call("cast", x.code, emit.use(word)), x.axes, call.type)


CAST = primitive("cast", _cast_rule, _lower_cast, notation=Special("cast"))
