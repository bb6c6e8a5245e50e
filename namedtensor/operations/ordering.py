"""Ordering: sort, and the k greatest (paper, section 3.3).

sort_ax : R^ax -> R^ax;   maxk_{ax,k} : R^ax -> R^k;   argmaxk_{ax,k} : R^ax -> {0,1}^{ax x k}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis, axis_code, shown, typed_axes
from namedtensor.errors import AxisNameError, AxisSizeError, KindError, TraceError, flag
from namedtensor.operations.axis_functions import (
    Tensor,
    axis_function,
    named_operand,
    names,
    wants,
)
from namedtensor.operations.elementwise import maximum, where
from namedtensor.operations.index_defined import iota
from namedtensor.operations.indexing import index, scatter
from namedtensor.operations.reductions import each_record_once
from namedtensor.operations.vectors import along_rule, cumsum
from namedtensor.plans import Emitter, Lowered, Value, layout_of
from namedtensor.primitives import Call, Operation, Primitive, Type, primitive
from namedtensor.primitives.notation import Word
from namedtensor.primitives.traits import Acts, Traits, along_first
from namedtensor.primitives.use import Use
from namedtensor.shape import shapes, sized
from namedtensor.tensor import NamedTensor, SymbolicTensor, apply

# ------------------------------------------------------------------------------------------- sort


def _lower_sorting(emit: Emitter, call: Lowered, x: Value) -> Any:
    (axis,), descending = call.params
    code = emit.call(call.operation.name, x.code, x.place(axis), descending)
    return emit.bind(code, x.axes, call.type, "sorted_")


def _sorting(name: str, kind: Callable[[str], str], **rest: Any) -> Primitive:
    return primitive(
        name,
        along_rule(kind, ordered=True),
        _lower_sorting,
        notation=Word(name, otherwise=f"{name}-descending"),
        cost=each_record_once,
        **rest,
    )


def _change_of_sort(use: Use, place: int, d: NamedTensor) -> Any:
    (name,), _ = use.params
    return index[sized(name, None)](d, apply(ARGSORT(*use.params), use.operands[0]))


SORT = _sorting(
    "sort",
    lambda kind: kind,
    differential=_change_of_sort,
    traits=Traits(uniform=True, moves=True, acts=along_first),
)
ARGSORT = _sorting(
    "argsort", lambda kind: "int", traits=Traits(stepped=True, uniform=True, acts=along_first)
)


def _both_ways(entry: Primitive) -> Callable[[tuple[Axis, ...]], tuple[Operation, Operation]]:
    """Bind an order to its axis: smallest first, and greatest first."""
    return lambda axes: (entry(names(axes), False), entry(names(axes), True))


def _asked(ops: tuple[Operation, Operation], descending: bool) -> bool:
    if type(descending) is bool:
        return descending
    return flag(f"{ops[0].name}[{', '.join(ops[0].params[0])}](X, ...)", "descending", descending)


@axis_function(first=_both_ways(SORT), example="nt.sort[seq](X)")
def sort(ops: tuple[Operation, Operation], X: Tensor, descending: bool = False) -> NamedTensor:
    """Sort along an axis, smallest first unless descending.

        sort_ax : R^ax -> R^ax

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it.

    >>> nt.sort["seq"](nt.tensor([2, 3, 1], "seq")).numpy()
    array([1, 2, 3])
    """
    return apply(ops[_asked(ops, descending)], X)


@axis_function(first=_both_ways(ARGSORT), example="nt.argsort[seq](X)")
def argsort(ops: tuple[Operation, Operation], X: Tensor, descending: bool = False) -> NamedTensor:
    """Give the indices that sort along an axis; equals keep their order.

        argsort_ax : R^ax -> {0, ..., |ax| - 1}^ax;  X_{argsort_ax(X)} = sort_ax(X)

    Raises: AxisNameError unless one axis is named, AxisMissingError where X lacks it.

    >>> nt.argsort["seq"](nt.tensor([2, 3, 1], "seq")).numpy()
    array([2, 0, 1])
    """
    return apply(ops[_asked(ops, descending)], X)


# ----------------------------------------------------------------------------------- the k greatest


def _top_rule(kind: Callable[[str], str], keeps_axis: bool) -> Callable[[Call], Type]:
    def rule(call: Call) -> Type:
        axis, k = call.params
        call.need(0, [axis])
        call.real(0)
        type_, count = call.types[0], call.values[1]
        if k != axis:
            call.absent(0, [k])
        size = type_.size(axis)
        if isinstance(size, int) and isinstance(count, int) and count > size:
            raise call.fail(
                AxisSizeError,
                f"axis {shown(axis)} is {size} in {call.labels[0]}, which has no {count} to choose",
                f"{k}[{size}] takes them all",
            )
        axes = [a for a in type_.axes if keeps_axis or a[0] != axis]
        return type_.with_axes((*axes, (k, count)), kind(type_.kind))

    return rule


def _lower_top(mode: str, largest: bool) -> Callable[..., Any]:
    def lower(emit: Emitter, call: Lowered, x: Value, k: Value) -> Any:
        axis, new = call.params
        word = "top" if mode == "value" else "top_indices"
        code = emit.call(word, x.code, k.code, x.place(axis), largest)
        axes = tuple([new if a == axis else a for a in x.axes])
        if mode != "one_hot":
            return emit.bind(code, axes, call.type, "top" if mode == "value" else "indices")
        hot = emit.call("one_hot", code, emit.size(x.type.size(axis)))
        return emit.bind(hot, (*axes, axis), call.type, "one_hot")

    return lower


def _top(name: str, mode: str, largest: bool) -> Primitive:
    def change(use: Use, place: int, d: NamedTensor) -> Any:
        """Take the changes of those that are chosen."""
        axis, _ = use.params
        places = ARGMAXK_INDEX if largest else ARGMINK_INDEX
        chosen = apply(places(*use.params), *use.operands)
        return index[sized(axis, None)](d, chosen)

    kind: Callable[[str], str] = (lambda k: k) if mode == "value" else (lambda _: "int")
    return primitive(
        name,
        _top_rule(kind, mode == "one_hot"),
        _lower_top(mode, largest),
        notation=Word(name.replace("_", "-"), sized=True),
        differential=change if mode == "value" else None,
        cost=each_record_once,
        traits=Traits(
            stepped=mode != "value",
            moves=mode == "value",
            acts=lambda params: Acts(
                uses=() if mode == "one_hot" else params[:1],
                along=params[:1] if mode == "one_hot" else (),
                makes=params[1:],
            ),
        ),
    )


MAXK, MINK = _top("maxk", "value", True), _top("mink", "value", False)
ARGMAXK, ARGMINK = _top("argmaxk", "one_hot", True), _top("argmink", "one_hot", False)
ARGMAXK_INDEX = _top("argmaxk_index", "index", True)
ARGMINK_INDEX = _top("argmink_index", "index", False)

#: An operation with how many it chooses.
Chosen = tuple[Operation, int]


def _chosen(entry: Primitive) -> Callable[[tuple[Axis, ...]], Chosen]:
    """Bind a choice to its axis and to the axis of those that are chosen, with its size."""
    name = entry.name

    def bind(axes: tuple[Axis, ...]) -> Chosen:
        wants(name, axes, 2, f"nt.{name}[seq, k[5]](X)")
        axis, k = axes
        if k.size is None:
            raise AxisSizeError(
                f"{name}[{axis!r}, {k!r}]",
                f"{k.name} has no size: how many?",
                hint=f"nt.{name}[{typed_axes([axis.name])}, {axis_code(k.name, 5)}](X)",
            )
        return entry(axis.name, k.name), k.size

    return bind


@axis_function(first=_chosen(MAXK))
def maxk(op: Chosen, X: Tensor) -> NamedTensor:
    """Give the k greatest numbers, greatest first.

        maxk_{ax,k} : R^ax -> R^k

    Raises: AxisSizeError where k has no size or X has too few, AxisMissingError where X lacks the axis.

    >>> nt.maxk["seq", "k[2]"](nt.tensor([1, 3, 2], "seq")).numpy()
    array([3, 2])
    """
    return apply(op[0], X, op[1])


@axis_function(first=_chosen(MINK))
def mink(op: Chosen, X: Tensor) -> NamedTensor:
    """Give the k smallest numbers, smallest first.

        mink_{ax,k} : R^ax -> R^k

    Raises: AxisSizeError where k has no size or X has too few, AxisMissingError where X lacks the axis.

    >>> nt.mink["seq", "k[2]"](nt.tensor([1, 3, 2], "seq")).numpy()
    array([1, 2])
    """
    return apply(op[0], X, op[1])


@axis_function(first=_chosen(ARGMAXK))
def argmaxk(op: Chosen, X: Tensor) -> NamedTensor:
    """Mark the k greatest numbers, each by a one-hot vector.

        argmaxk_{ax,k} : R^ax -> {0,1}^{ax x k}

    Raises: AxisSizeError where k has no size or X has too few, AxisMissingError where X lacks the axis.

    >>> nt.argmaxk["seq", "k[2]"](nt.tensor([1, 3, 2], "seq")).numpy("k", "seq")
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    return apply(op[0], X, op[1])


@axis_function(first=_chosen(ARGMINK))
def argmink(op: Chosen, X: Tensor) -> NamedTensor:
    """Mark the k smallest numbers, each by a one-hot vector.

        argmink_{ax,k} : R^ax -> {0,1}^{ax x k}

    Raises: AxisSizeError where k has no size or X has too few, AxisMissingError where X lacks the axis.

    >>> nt.argmink["seq", "k[1]"](nt.tensor([1, 3, 2], "seq")).numpy("k", "seq")
    array([[1, 0, 0]])
    """
    return apply(op[0], X, op[1])


@axis_function(first=_chosen(ARGMAXK_INDEX))
def argmaxk_index(op: Chosen, X: Tensor) -> NamedTensor:
    """Give the indices of the k greatest numbers, greatest first.

        argmaxk_index_{ax,k} : R^ax -> {0, ..., |ax| - 1}^k

    Raises: AxisSizeError where k has no size or X has too few, AxisMissingError where X lacks the axis.

    >>> nt.argmaxk_index["seq", "k[2]"](nt.tensor([1, 3, 2], "seq")).numpy()
    array([1, 2])
    """
    return apply(op[0], X, op[1])


@axis_function(first=_chosen(ARGMINK_INDEX))
def argmink_index(op: Chosen, X: Tensor) -> NamedTensor:
    """Give the indices of the k smallest numbers, smallest first.

        argmink_index_{ax,k} : R^ax -> {0, ..., |ax| - 1}^k

    Raises: AxisSizeError where k has no size or X has too few, AxisMissingError where X lacks the axis.

    >>> nt.argmink_index["seq", "k[2]"](nt.tensor([1, 3, 2], "seq")).numpy()
    array([0, 2])
    """
    return apply(op[0], X, op[1])


# ---------------------------------------------------------- sizes that are found from the data


def _found_from_data(call: str, label: str, axis: Axis, X: NamedTensor) -> None:
    """Raise TraceError inside of a formula, where there is no data to find a size from."""
    if isinstance(X, SymbolicTensor) and not X.node.closed:
        raise TraceError(
            f"{call}({label})",
            f"the size of {axis.name} is found from data, and a formula's body has none",
            shapes(X, labels=[label]),
            f"call nt.{call.split('[')[0]} outside of the formula and pass what it gives",
        )


@axis_function(first=lambda axes: axes, example="nt.unique[value](X)")
def unique(axes: tuple[Axis, ...], X: NamedTensor) -> NamedTensor:
    """List the distinct numbers of X in order, along a new axis; how many is found from the data.

        unique_value : R^S -> R^value

    Raises: AxisNameError unless one axis is named, KindError where numbers are complex, TraceError
    inside of a formula.

    >>> nt.unique["value"](nt.tensor([[3, 1], [1, 3]], "seq emb"))
    NamedTensor(value[2], int64)
    value  0  1
           1  3
    """
    (axis,) = axes
    named_operand(f"unique[{axis.name}]", X)
    _found_from_data(f"unique[{axis.name}]", "X", axis, X)
    if X.kind == "complex":
        raise KindError(
            f"unique[{axis.name}](X)",
            "X holds complex numbers, which have no order",
            shapes(X),
            f"take a real part: nt.unique[{typed_axes([axis.name])}](nt.real(X))",
        )
    backend = X.layout.backend
    data = backend.function("unique")(X.data)
    return NamedTensor(data, layout_of((axis.name,), X.kind, backend))


def _all_but_last(axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
    if len(axes) < 2:
        raise AxisNameError(
            f"nonzero[{', '.join(map(repr, axes))}]",
            "the axes of M come first, then the axis of what is found",
            hint="nt.nonzero[seq, emb, found](M)",
        )
    return axes


@axis_function(first=_all_but_last)
def nonzero(axes: tuple[Axis, ...], M: NamedTensor) -> tuple[NamedTensor, ...]:
    """List the indices at which truth values hold or numbers are not 0; how many is found from the data.

        nonzero_{ax,bx,found} : {0,1}^{ax x bx} -> [|ax|]^found x [|bx|]^found

    Gives an index tensor for each axis of M; indices of the axis named first change slowest. Numbers
    at the places of a mask over several axes are X[seq(I), emb(J)].

    Raises: AxisNameError, AxisMissingError, AxisSizeError where an axis of M is not
    named, TraceError inside of a formula.

    >>> M = nt.tensor([[False, True], [True, True]], "seq emb")
    >>> I, J = nt.nonzero["seq", "emb", "found"](M)
    >>> J
    NamedTensor(found[3], int64)
    found  0  1  2
           1  0  1
    """
    *named, found = axes
    call = f"nonzero[{', '.join([axis.name for axis in axes])}]"
    named_operand(call, M, *named)
    _found_from_data(call, "M", found, M)
    rest = [a for a in M.axes if a not in names(tuple(named))]
    if rest:
        raise AxisSizeError(
            f"{call}(M)",
            f"each index of {shown(rest[0])} may have another number of places, and an axis has one size",
            shapes(M, labels="M"),
            f"name every axis of M: nt.nonzero[{', '.join(map(shown, [*names(tuple(named)), *rest]))}, "
            f"{found.name}](M)",
        )
    backend = M.layout.backend
    data = M.positional("M.numpy", tuple([sized(a.name, None) for a in named]))
    layout = layout_of((found.name,), "int", backend)
    return tuple([NamedTensor(places, layout) for places in backend.function("nonzero")(data)])


@axis_function(example="nt.dispatch[seq, slot[8]](M)", first=lambda axes: axes)
def dispatch(axes: tuple[Axis, ...], M: NamedTensor) -> tuple[NamedTensor, NamedTensor]:
    """List the first indices at which truth values hold, as many as there are slots for them.

        dispatch_{ax,bx} : {0,1}^ax[n] -> [n]^bx[c] x {0,1}^bx[c];  (I, F) with M_{ax(I_{bx(j)})} = 1 and
        j true values of M before it, where F_{bx(j)} = 1; where there is none, I_{bx(j)} = F_{bx(j)} = 0

    Of a mask of tokens and experts each expert has its own slots: X[seq(I)] are the tokens that it
    takes, and nt.scatter[expert, slot, seq[n]](Y, I) brings back what it gives. Tokens beyond the slots
    are left out.

    Source: the capacity of Fedus, Zoph and Shazeer 2021, Switch Transformers, section 2.2.
    Raises: AxisNameError, AxisMissingError, AxisClashError, KindError.

    >>> import namedtensor as nt
    >>> I, F = nt.dispatch["seq", "slot[2]"](nt.tensor([False, True, True, True], "seq"))
    >>> I.numpy(), F.numpy()
    (array([1, 2]), array([ True,  True]))
    """
    along, slot = axes
    call = f"dispatch[{along!r}, {slot!r}]"
    named_operand(call, M, along)
    if slot.size is None:
        raise AxisNameError(
            f"{call}(M)",
            f"axis {slot.name} is to be made and has no size",
            shapes(M, labels="M"),
            f"nt.dispatch[{typed_axes([along.name])}, {axis_code(slot.name, 8)}](M)",
        )
    if M.kind != "bool":
        raise KindError(
            f"{call}(M)",
            f"M holds {M.kind} numbers, and a choice is a truth value",
            shapes(M, labels="M"),
            f"nt.dispatch[{along.name}, {slot!r}](M > 0)",
        )
    count: Any = slot.size
    place = cumsum[along](M) - 1
    kept = M & (place < count)
    one_more = sized(slot.name, count + 1)
    to = where(kept, place, count)
    found = scatter[along, one_more](where(kept, iota(along) + 1, 0), to)
    found = found[sized(slot.name, None)[:count]]
    return maximum(found - 1, 0), found > 0
