"""The use of an operation that a derivative rule is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from namedtensor.primitives.node import Node
    from namedtensor.primitives.primitive import Operation


class Use(Protocol):
    """One use of an operation, as a rule of its derivative sees it.

    Operands and result are symbols, operands also Python numbers.
    """

    @property
    def operation(self) -> Operation: ...
    @property
    def params(self) -> tuple[Any, ...]: ...
    @property
    def operands(self) -> tuple[Any, ...]: ...
    @property
    def result(self) -> Any: ...
    @property
    def node(self) -> Node: ...
