"""What the parts of a formula may stand for, and who answers for its names.

`evaluate` turns syntax into named tensors by calling the operations that everybody calls. A scope
answers for names, sizes and failures: one scope runs a formula, another one checks it.
"""

from __future__ import annotations

from typing import Any, Protocol

from namedtensor.errors import AxisMissingError, NamedTensorError
from namedtensor.latex.syntax import Expression


class Unknown:
    """A value of which nothing is known. Whatever is computed from it is unknown too, in silence."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()

#: A named tensor, a Python number, a function of the document, which has `apply`, or UNKNOWN.
Value = Any


class Scope(Protocol):
    """Answer for the names of a formula."""

    def find(self, name: Expression) -> Value | None:
        """Give what a Letter or Scripts stands for; None where there is no such name."""
        ...

    def function(self, name: Expression) -> Value | None:
        """Give the function that a name stands for before brackets, though it is declared too: z(x) of z."""
        ...

    def size(self, axis: str) -> Value:
        """Give |axis| here."""
        ...

    def failed(self, where: Expression, error: NamedTensorError) -> Value:
        """Take a failed operation: raise, or report and give UNKNOWN."""
        ...

    def seen(self, where: Expression, value: Value, guarded: bool = False) -> Value:
        """Look at the value of each part, which may count where a condition holds alone; give it on."""
        ...

    def noted(self, where: Expression, message: str, hint: str, code: str = "no-axis") -> None:
        """Take note of how a part is understood that may mean several things."""
        ...

    def written(self, part: Expression) -> str:
        """Give a part as its document writes it."""
        ...


# ------------------------------------------------------------------------------------------ faults


class UndefinedError(NamedTensorError):
    """A name stands for nothing."""


class NoAxisError(AxisMissingError):
    """A function acts along axes, and none is named."""


class UnsettledError(NoAxisError):
    """A function names too few axes, and those of its operand do not say which are meant."""


class ArgumentsError(NamedTensorError):
    """A function is given too few arguments, too many, or arguments of the wrong sort."""


class NotNotationError(NamedTensorError):
    """A formula says something to which the named tensor notation gives no meaning."""
