"""Symbols: named tensors that are expressions. A formula's body runs on them once.

An index-defined tensor is a symbol that depends on no data. Its numbers are computed on request, or in the
plan of an operation that uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from namedtensor.axes import FRESH, Axes, distinct, parse_axes, shown, visible
from namedtensor.backends import get_backend, numpy_backend
from namedtensor.compilers import STORE, compiling, constant_for_compilers
from namedtensor.errors import AxisSizeError, TraceError, asked_by_us
from namedtensor.plans import Layout, compile_plan, layout_of
from namedtensor.plans.compile import no_number, retyped
from namedtensor.primitives import Node, Type, argument, table
from namedtensor.primitives.node import ARGUMENT, describe, operands_first, still_open
from namedtensor.shape import hold_in_memory, shapes
from namedtensor.tensor.apply import apply, code_of, stand_in, use_symbols
from namedtensor.tensor.named import NamedTensor
from namedtensor.tensor.resize import need_sizes, resize

#: Gives the value of a size at this call, and records that the trace is valid for this value only.
tracing: ContextVar[Callable[[Node], Any] | None] = ContextVar("tracing", default=None)

#: Whether a body runs on symbols, so that tensors made in it become nodes too.
on_symbols: ContextVar[bool] = ContextVar("on_symbols", default=False)


class SymbolicTensor(NamedTensor):
    """A named tensor given by its expression.

    >>> from namedtensor import iota, axes
    >>> iota(axes("seq[3]"))
    NamedTensor(seq[3]) = iota(seq[3])
    """

    __slots__ = ("_hides", "_numbers", "_order", "node")

    def __init__(self, node: Node, order: tuple[str, ...] | None = None) -> None:
        self.node = node
        self._order = node.type.names if order is None else order
        self._hides = any([name.endswith(FRESH) for name in self._order])
        self._numbers: dict[str, Any] = {}

    @property
    def axes(self) -> tuple[str, ...]:
        if self._hides and not asked_by_us():  # as nt.sum[...] leaves them out
            return tuple(visible(self._order))
        return self._order

    @property
    def kind(self) -> str:
        return self.node.type.kind

    @property
    def layout(self) -> Layout:
        return layout_of(self.axes, self.kind, numpy_backend())

    @property
    def sizes(self) -> tuple[tuple[str, Any], ...]:
        names = visible(self._order) if self._hides and not asked_by_us() else self._order
        return tuple([(n, _size(self.node.type.size(n))) for n in names])

    @property
    def data(self) -> Any:
        return self.data_in("numpy")

    @property
    def dtype(self) -> Any:
        if not self.node.closed:
            raise TraceError(
                f"{describe(self.node)}.dtype",
                "a formula's body runs on symbols, which have no dtype",
                [(describe(self.node), str(self.node.type))],
                f"cast to that of a tensor, `nt.cast(Y, like={describe(self.node)})`; plain numbers, as "
                "in nt.where(M, 1.0, 0.0), take it by themselves",
            )
        return self.data.dtype

    def data_in(self, library: str) -> Any:
        """Compute the numbers, in this symbol's own order of axes."""
        if library not in self._numbers:
            if not self.node.closed:
                raise TraceError(
                    repr(self.node),
                    "a formula's body runs on symbols, which have no numbers to look at",
                    [(describe(self.node), str(self.node.type))],
                    "use nt.where(condition, X, Y) instead of if, "
                    "or leave the body untraced with @formula(trace=False)",
                )
            need_sizes(self.node, repr(self.node))
            hold_in_memory(repr(self.node), self.sizes)
            plan = compile_plan("numbers", self.node, (), get_backend(library), order=self.axes)
            try:
                self._numbers[library] = plan.run()
            except ArithmeticError as error:  # of sizes, as in 1 / abs(seq)
                own = [(describe(self.node), str(self.node.type))]
                raise no_number(repr(self.node), error, own) from None
        return self._numbers[library]

    def __call__(self, *axes: Axes) -> NamedTensor:
        """Compute the numbers of an index-defined tensor with these sizes for its open axes.

        Raises: AxisMissingError, AxisNameError, AxisSizeError.

        >>> import namedtensor as nt
        >>> nt.eye("row", "col")("row[2] col[2]")
        NamedTensor(row[2] x col[2], int64)
               col
               0  1
        row 0  1  0
            1  0  1
        """
        given = parse_axes(axes)
        call = f"X({', '.join(map(repr, given))})"
        distinct(call, given)
        for axis in given:
            if axis.name not in self.axes:
                raise self.missing(call, axis.name)
            size = self.node.type.size(axis.name)
            if size is not None and axis.size is not None and axis.size != size:
                raise AxisSizeError(
                    call,
                    f"axis {axis.name} is {size} in X and {axis.size} in the call",
                    shapes(self),
                    f"leave the axis out: X has its size {axis.name}[{size}] already",
                )
        sizes = {a.name: getattr(a.size, "node", a.size) for a in given if a.size is not None}
        open_ = [name for name in self.axes if self.node.type.size(name) is None]
        for name in open_:
            if name not in sizes:
                known = [f"{shown(n)}[{sizes.get(n, 5)}]" for n in open_]
                raise AxisSizeError(
                    call,
                    f"axis {shown(name)} has no size yet",
                    shapes(self),
                    f"give each open axis its size: X({' '.join(known)!r})",
                )
        first = [axis.name for axis in given]
        rest = [name for name in self.axes if name not in first]
        sized = SymbolicTensor(resize(self.node, sizes), (*first, *rest))
        return NamedTensor(sized.data, sized.layout)

    # ------------------------------------------------------------- Python numbers out of sizes

    def _number(self, call: str) -> Any:
        node = self.node
        if node.type.axes:
            return super()._number(call)
        if node.value is not None:
            return node.value
        if node.type.host:
            specialise = tracing.get()
            if specialise is not None:
                return specialise(node)
            if not node.closed:
                raise TraceError(
                    describe(node),
                    "Python asks for the number of a size that is open here",
                    hint='give the size: f.shape("seq[5]") for f.shape("seq")',
                )
        if node.measures:
            raise still_open(call, min(node.measures))
        if node.closed and not node.type.axes:
            return self.data.item() if not node.type.host else retyped(node, {}).value
        return self.data.item()

    def __format__(self, how: str) -> str:
        if _is_given(self.node):
            return format(self._number("format"), how)
        return super().__format__(how)

    def __repr__(self) -> str:
        if _is_given(self.node) and tracing.get() is not None:
            return repr(self._number("repr"))
        if self.node.type.host:
            return f"Size({describe(self.node)})"
        return f"NamedTensor({self.shape}) = {describe(self.node, 3)}"

    def detach(self) -> Any:
        return apply(table()["detach"].plain, self)

    def _torch_data(self, call: str) -> Any:
        if self.node.closed:
            return super()._torch_data(call)
        raise TraceError(
            call,
            "a formula's body runs on symbols, which record no gradients",
            [(describe(self.node), str(self.node.type))],
            "take the gradient of what the formula gives: nt.sum[...](f(X)).backward()",
        )

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> SymbolicTensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return SymbolicTensor, (self.node, self._order)

    def __hash__(self) -> int:
        # a table asks a number for its value
        node = self.node
        size = node.type.host and node.type.kind == "int" and tracing.get() is not None
        return hash(self._number("hash") if size or _is_given(node) else node)

    def _class(self) -> type:
        """Answer isinstance(x, float) for a symbol that stands for a floating number of the call."""
        return float if _is_given(self.node) else type(self)

    __class__ = property(_class)


def in_order(X: SymbolicTensor, axes: tuple[str, ...]) -> SymbolicTensor:
    """Give a symbol with its axes shown in another order."""
    if not compiling():
        return SymbolicTensor(X.node, axes)
    found: SymbolicTensor = getattr(STORE, _in_order_by_code(code_of(X), axes))
    return found


@constant_for_compilers
def _in_order_by_code(code: str, axes: tuple[str, ...]) -> str:
    """Reorder a symbol's axes for a graph compiler, which cannot do it; give the result's name."""
    return STORE.name(("order", code, axes), lambda: SymbolicTensor(stand_in(code).node, axes))


def _is_given(node: Node) -> bool:
    """Say whether a node is a floating number that comes from numbers of a formula's call."""
    if not node.type.host or node.type.kind != "float":
        return False
    parts = operands_first([node])
    return any(part.type.host and part.operation.primitive is ARGUMENT for part in parts)


def _size(size: Any) -> Any:
    """Give a size to user code: a number, or a symbol that computes like one."""
    return SymbolicTensor(size) if isinstance(size, Node) else size


def symbol(name: str, type_: Type) -> SymbolicTensor:
    """Make the symbol of an argument."""
    return SymbolicTensor(argument(name, type_))


use_symbols(SymbolicTensor)
