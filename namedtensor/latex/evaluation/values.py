"""The values of a formula's parts, and the scope that knows its names.

`evaluate` turns syntax into named tensors by calling the operations of this package. A scope knows names
and sizes and takes failures: one scope runs a formula, another one checks it.
"""

from __future__ import annotations

from typing import Any, Protocol

from namedtensor.errors import AxisMissingError, NamedTensorError
from namedtensor.latex.syntax import Expression


class Unknown:
    """A value of which nothing is known. What is computed from it is UNKNOWN too, without an error."""

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()

#: A named tensor, a Python number, a position, a function (it has `apply`), or UNKNOWN.
Value = Any


class Scope(Protocol):
    """Know the names and sizes of a formula, and take its failures."""

    def find(self, name: Expression) -> Value | None:
        """Give the value of a name, a Letter or Scripts; None if there is no such name."""
        ...

    def function(self, name: Expression) -> Value | None:
        """Give the function that z means in z(x), although a tensor z is declared too."""
        ...

    def size(self, axis: str) -> Value:
        """Give |axis| in this formula."""
        ...

    def failed(self, where: Expression, error: NamedTensorError) -> Value:
        """Take a failed operation: raise, or report and give UNKNOWN."""
        ...

    def seen(self, where: Expression, value: Value, guarded: bool = False) -> Value:
        """Look at the value of a part, and return it; a `guarded` part is used only under conditions."""
        ...

    def noted(self, where: Expression, message: str, hint: str, code: str = "no-axis") -> None:
        """Note the meaning that was chosen for a part that may mean several things."""
        ...

    def derived(self, value: Value, by: Value) -> tuple[Value, Value]:
        """Give what is derived and by what: no symbol in them stands for another tensor."""
        ...

    def left_of(self, part: Expression, own: list[str]) -> list[str]:
        """Leave those axes of a part along which nothing around it acts and nothing is lifted."""
        ...

    def written(self, part: Expression) -> str:
        """Give the text of a part in its document."""
        ...


# ------------------------------------------------------------------------------------------ faults


class UndefinedError(NamedTensorError):
    """A name is not defined."""


class NoAxisError(AxisMissingError):
    """A function that acts along axes is used without any."""


class UnsettledError(NoAxisError):
    """A function names too few axes, and its operand has several that may be meant."""


class ArgumentsError(NamedTensorError):
    """A function is given too few arguments, too many, or arguments of the wrong sort."""


class NotNotationError(NamedTensorError):
    """A formula says something to which the named tensor notation gives no meaning."""
