"""Tensors defined by their indices (paper, section 2.2).

An index-defined tensor such as the causal mask

    M_{seq'(i), seq(j)} = 0 if j <= i else -inf

stays an expression until its numbers are needed, and takes open sizes from the tensors it is combined with.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from namedtensor.axes import (
    SIZES,
    Axes,
    Axis,
    axis_code,
    distinct,
    no_size,
    one_axis,
    parse_axes,
    shown,
    size_here,
    unused,
)
from namedtensor.backends.lazy import is_number
from namedtensor.errors import (
    AxisNameError,
    AxisSizeError,
    KindError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.operations.axis_functions import Tensor, axis_function, wants
from namedtensor.operations.constants import along, made
from namedtensor.operations.elementwise import where
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Operation, Type, primitive
from namedtensor.primitives.node import OPEN_SIZE
from namedtensor.primitives.notation import Special, Word
from namedtensor.primitives.traits import Acts, Traits
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.resize import need_sizes
from namedtensor.tensor.symbolic import in_order
from namedtensor.tensor.wrong_calls import call_passed


def _iota_rule(call: Call) -> Type:
    (axis,) = call.params
    size = call.values[0] if call.values else None
    return Type(((axis, size),), "int", weak=True)


def _lower_iota(emit: Emitter, call: Lowered, n: Value | None = None) -> Any:
    if n is None:
        need_sizes(call.node, "index-defined tensor")
    assert n is not None
    code = emit.call("arange", n.code, emit.like)
    return emit.bind(code, call.params, call.type, f"i_{call.params[0]}")


def _write_iota(operation: Operation, labels: tuple[str, ...]) -> str:
    axis = "".join(map(shown, operation.params))
    return f"iota({axis}[{labels[0]}])" if labels else f"iota({axis})"


IOTA = primitive(
    "iota",
    _iota_rule,
    _lower_iota,
    write=_write_iota,
    notation=Special("element"),
    traits=Traits(stepped=True, uniform=True, acts=lambda params: Acts(makes=params)),
    bounds=lambda node, known, _: (0, max(0, known[0][1] - 1) if known else sys.maxsize),
)


def iota(axis: Axis | str) -> SymbolicTensor:
    """Count along an axis: iota_ax : R^ax, iota_{ax(i)} = i, from 0.

    An axis without a size takes that of the tensors it is combined with. Raises: AxisNameError.

    >>> iota("seq[3]").numpy()
    array([0, 1, 2])
    """
    found = one_axis(f"iota({axis!r})", axis)
    return made(IOTA(found.name), *(() if found.size is None else (found.size,)))


@axis_function
def define(axes: tuple[Axis, ...], rule: Callable[..., Tensor]) -> NamedTensor:
    """Define a tensor by its indices, which the rule gets in the order of the brackets, from 0.

        define_{ax,bx}(f) : R^{ax x bx},  define(f)_{ax(i),bx(j)} = f(i, j)

    The tensor stays an expression until its numbers are needed; an axis without a size takes that of the
    tensors it is combined with.

    Source: paper, section 2. Raises: AxisNameError, KindError.

    >>> import namedtensor as nt
    >>> nt.define["seq'[2]", "seq[2]"](lambda i, j: nt.where(j <= i, 0.0, -nt.inf)).numpy("seq'", "seq")
    array([[  0., -inf],
           [  0.,   0.]])
    """
    call = f"define[{', '.join(map(repr, axes))}](rule)"
    if not callable(rule):
        raise AxisNameError(
            call,
            f"the rule is {kind_of_thing(rule)}, and not a function of the indices",
            hint=f"lambda {', '.join('ijklmnop'[: len(axes)])}: ...",
        )
    indices = [iota(axis) for axis in axes]

    def refusal(why: str) -> KindError:
        return KindError(
            call,
            f"the rule gets {len(axes)} {'index' if len(axes) == 1 else 'indices'}, and {why}",
            hint=f"lambda {', '.join('ijklmnop'[: len(axes)])}: ...",
        )

    with _Measured(axes):
        result: Any = call_passed(rule, indices, refusal)
    if not (isinstance(result, NamedTensor) or is_number(result)):
        raise KindError(
            call,
            f"the rule gave {kind_of_thing(result)}, and not numbers",
            hint="choose with nt.where(condition, x, y)",
        )
    defined: Any = result
    for axis in axes:
        # an axis that the rule does not use is an axis all the same
        if not isinstance(defined, NamedTensor) or axis.name not in defined.axes:
            defined = along(defined, axis)
    own = tuple([a.name for a in axes])
    if isinstance(defined, SymbolicTensor):
        return in_order(defined, (*own, *[a for a in defined.axes if a not in own]))
    given: NamedTensor = defined
    return given


class _Measured:
    """Let abs(ax) be the size of an axis that is defined, open where nobody has given one."""

    def __init__(self, axes: tuple[Axis, ...]) -> None:
        self.around: Callable[[str], Any] | None = None
        self.own = {axis.name: axis.size for axis in axes}

    def __enter__(self) -> None:
        self.around, SIZES.of = SIZES.of, self.size

    def __exit__(self, *_: Any) -> None:
        SIZES.of = self.around

    def size(self, name: str) -> Any:
        try:
            if self.around is not None:
                return self.around(name)
        except NamedTensorError:
            if name not in self.own:
                raise
        if name not in self.own:
            raise no_size(name)
        size = self.own[name]
        return made(OPEN_SIZE(name)) if size is None else size


def eye(*axes: Axes) -> NamedTensor:
    """Give the identity.

        eye_{ax,bx} : {0,1}^{ax[n] x bx[n]},  eye_{ax(i), bx(j)} = 1 if i = j else 0

    It holds whole numbers, and 1.0 * eye(...) real ones. Axes without a size take that of the tensors it is
    combined with. Raises: AxisNameError.

    >>> eye("seq[2]", "seq'[2]").numpy("seq", "seq'")
    array([[1, 0],
           [0, 1]])
    """
    named = parse_axes(axes)
    if len(named) == 1:
        (axis,) = named
        both = f"{axis!r} {unused(axis.name, [axis.name])}" + f"[{axis.size}]" * (
            axis.size is not None
        )
        wants("eye", named, 2, f'nt.eye("{both}")')
    wants("eye", named, 2, "nt.eye(seq, seq_)")
    distinct(f"eye({', '.join(map(repr, named))})", named)
    row, col = named
    identity: NamedTensor = where(iota(row) == iota(col), 1, 0)
    return identity


def _one_hot_rule(call: Call) -> Type:
    (axis,) = call.params
    call.kind(0, ("int",), "one_hot takes indices; nt.argmax marks the greatest number")
    call.absent(0, [axis])
    type_ = call.types[0]
    return type_.with_axes((*type_.axes, (axis, call.values[1])), "int")


def _lower_one_hot(emit: Emitter, call: Lowered, x: Value, n: Value) -> Any:
    return emit.bind(
        emit.call("one_hot", x.code, n.code), (*x.axes, *call.params), call.type, "one_hot"
    )


ONE_HOT = primitive(
    "one_hot",
    _one_hot_rule,
    _lower_one_hot,
    notation=Word("onehot", also=("OneHot",), sized=True),
    traits=Traits(
        stepped=True,
        uniform=True,
        fresh=True,
        picks=True,
        acts=lambda params: Acts(makes=params),
    ),
)


def one_hot(I: Tensor, axis: Axis | str) -> NamedTensor:
    """Mark indices by one-hot vectors: one_hot_ax(I)_{ax(j)} = 1 if j = I else 0.

        one_hot_ax : [|ax|] -> {0,1}^ax, lifted over the axes of I

    Inside a formula an axis without a size has its size there. An index outside the axis has no 1.

    Raises: KindError where I is not of integers.

    >>> import namedtensor as nt
    >>> one_hot(nt.tensor([2, 0], "seq"), "vocab[3]").numpy("seq", "vocab")
    array([[0, 0, 1],
           [1, 0, 0]])
    """
    found = axis if type(axis) is Axis else one_axis(f"one_hot(I, {axis!r})", axis)
    size = size_here(found)
    if size is None:
        raise AxisSizeError(
            f"one_hot(I, {shown(found.name)})",
            f"{shown(found.name)} has no size",
            hint=f"give it one: {axis_code(found.name, 512)}",
        )
    return apply(ONE_HOT(found.name), I, size)


def _listed_rule(call: Call) -> Type:
    axis, numbers = call.params
    return Type(((axis, len(numbers)),), "int", weak=True)


def _lower_listed(emit: Emitter, call: Lowered) -> Any:
    axis, numbers = call.params
    return emit.bind(emit.call("listed", list(numbers), emit.like), (axis,), call.type, "listed_")


LISTED = primitive(
    "listed",
    _listed_rule,
    _lower_listed,
    notation=Special("listed"),
    traits=Traits(stepped=True, acts=lambda params: Acts(makes=params[:1])),
)
