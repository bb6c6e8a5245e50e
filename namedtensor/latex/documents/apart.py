r"""Stand-ins: what a formula is derived by is told apart from another name of the same tensor.

Of v = b, the derivative of \sum (v - b)^2 by v is that of the v in it, and not of the b.
"""

from __future__ import annotations

import itertools
from typing import Any

from namedtensor.operations.derivatives import lifted
from namedtensor.primitives import Node
from namedtensor.primitives.node import argument
from namedtensor.tensor import SymbolicTensor

_serial = itertools.count(1)


class StandIns:
    """Symbols that stand for values while a body is evaluated, in the order in which they were made."""

    def __init__(self) -> None:
        self._values: dict[Node, Any] = {}
        self._of: dict[Any, Any] = {}

    def of(self, name: Any, value: Any) -> Any:
        """Give the symbol of a name, which no other name has; what is no tensor is given back."""
        if not isinstance(value, SymbolicTensor) or value.node.type.host:
            return value
        if name not in self._of:
            leaf = argument(f"part {next(_serial)}", value.node.type)
            self._values[leaf], self._of[name] = value, SymbolicTensor(leaf)
        return self._of[name]

    def filled(self, value: Any, but: Any = None) -> Any:
        """Put the tensors for their symbols again, in a tensor or in several; `but` one symbol stays."""
        if isinstance(value, tuple):
            return tuple([self.filled(part, but) for part in value])
        kept = getattr(but, "node", None)
        for leaf, stands_for in reversed(self._values.items()):
            if isinstance(value, SymbolicTensor) and leaf is not kept:
                (value,) = lifted([value.node], {leaf: stands_for})
        return value
