"""Symbols: named tensors that are expressions. A formula's body runs on them once.

An index-defined tensor is a symbol that depends on no data; its numbers are computed when someone
asks for them, or by the plan of the operation that meets it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from namedtensor.backends import get_backend, numpy_backend
from namedtensor.errors import TraceError
from namedtensor.plans import Layout, compile_plan, layout_of
from namedtensor.plans.compile import retyped
from namedtensor.primitives import Node, argument
from namedtensor.primitives.node import describe
from namedtensor.tensor.apply import use_classes
from namedtensor.tensor.named import NamedTensor
from namedtensor.tensor.resize import need_sizes

#: Gives a size its value at this call, and remembers that the trace holds for this value only.
tracing: ContextVar[Callable[[Node], Any] | None] = ContextVar("tracing", default=None)


class SymbolicTensor(NamedTensor):
    """A named tensor given by its expression.

    >>> from namedtensor import iota, axes
    >>> iota(axes("seq[3]"))
    NamedTensor(seq[3]) = iota(seq[3])
    """

    __slots__ = ("_numbers", "_order", "node")

    def __init__(self, node: Node, order: tuple[str, ...] | None = None) -> None:
        self.node = node
        self._order = node.type.names if order is None else order
        self._numbers: dict[str, Any] = {}

    @property
    def axes(self) -> tuple[str, ...]:
        return self._order

    @property
    def kind(self) -> str:
        return self.node.type.kind

    @property
    def layout(self) -> Layout:
        return layout_of(self.axes, self.kind, numpy_backend())

    @property
    def sizes(self) -> tuple[tuple[str, Any], ...]:
        return tuple([(n, _size(self.node.type.size(n))) for n in self._order])

    @property
    def data(self) -> Any:
        return self.data_in("numpy")

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
            plan = compile_plan("numbers", self.node, (), get_backend(library), order=self.axes)
            self._numbers[library] = plan.run()
        return self._numbers[library]

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
        if node.closed and not node.type.axes:
            return self.data.item() if not node.type.host else retyped(node, {}).value
        return self.data.item()

    def __repr__(self) -> str:
        if self.node.type.host:
            return f"Size({describe(self.node)})"
        return f"NamedTensor({self.shape}) = {describe(self.node, 3)}"

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

    def __deepcopy__(self, memo: Any) -> SymbolicTensor:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return SymbolicTensor, (self.node, self._order)

    def __hash__(self) -> int:
        return hash(self.node)


def _size(size: Any) -> Any:
    """Give a size to user code: a number, or a symbol that computes like one."""
    return SymbolicTensor(size) if isinstance(size, Node) else size


def symbol(name: str, type_: Any) -> SymbolicTensor:
    """Make the symbol of an argument."""
    return SymbolicTensor(argument(name, type_))


use_classes(symbolic=SymbolicTensor)
