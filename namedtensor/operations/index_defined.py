"""Tensors defined by their indices (paper, section 2.2).

An index-defined tensor such as the causal mask

    M_{seq'(i), seq(j)} = 0 if j <= i else -inf

stays an expression until its numbers are needed, and takes open sizes from what it meets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from namedtensor.axes import Axis, distinct, one_axis, parse_axes, shown
from namedtensor.errors import (
    AxisNameError,
    KindError,
    kind_of_thing,
)
from namedtensor.operations.axis_functions import AxisFunction, wants
from namedtensor.operations.elementwise import where
from namedtensor.primitives import Call, Operation, Type, primitive
from namedtensor.primitives.node import apply_node, make_node
from namedtensor.primitives.notation import Special, Word
from namedtensor.primitives.sizes import as_node
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply
from namedtensor.tensor.resize import need_sizes


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
