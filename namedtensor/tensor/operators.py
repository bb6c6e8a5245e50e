"""The operators of a named tensor (paper, section 3): each acts on numbers of one record."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from namedtensor.doors import given_later
from namedtensor.primitives import Operation, plain_operation

if TYPE_CHECKING:
    from namedtensor.tensor.named import NamedTensor, Tensor

#: Set by `tensor.apply`, which applies all operations: it makes tensors, and so imports them.
apply: Callable[..., NamedTensor] = given_later
apply_two: Callable[[Operation, Any, Any], NamedTensor] = given_later

_ABS = plain_operation("abs")
_ADD = plain_operation("add")
_DIV = plain_operation("div")
_EQ = plain_operation("eq")
_FLOORDIV = plain_operation("floordiv")
_GE = plain_operation("ge")
_GT = plain_operation("gt")
_LE = plain_operation("le")
_LOGICAL_AND = plain_operation("logical_and")
_LOGICAL_NOT = plain_operation("logical_not")
_LOGICAL_OR = plain_operation("logical_or")
_LOGICAL_XOR = plain_operation("logical_xor")
_LT = plain_operation("lt")
_MOD = plain_operation("mod")
_MUL = plain_operation("mul")
_NE = plain_operation("ne")
_NEG = plain_operation("neg")
_POW = plain_operation("pow")
_SUB = plain_operation("sub")


class Operators:
    """X + Y, X > 0, -X: operands are matched on the axes that they share, and lift over all others."""

    __slots__ = ()

    def __add__(self, other: Tensor) -> NamedTensor:
        return apply_two(_ADD, self, other)

    def __radd__(self, other: Tensor) -> NamedTensor:
        return apply_two(_ADD, other, self)

    def __sub__(self, other: Tensor) -> NamedTensor:
        return apply_two(_SUB, self, other)

    def __rsub__(self, other: Tensor) -> NamedTensor:
        return apply_two(_SUB, other, self)

    def __mul__(self, other: Tensor) -> NamedTensor:
        return apply_two(_MUL, self, other)

    def __rmul__(self, other: Tensor) -> NamedTensor:
        return apply_two(_MUL, other, self)

    def __truediv__(self, other: Tensor) -> NamedTensor:
        return apply_two(_DIV, self, other)

    def __rtruediv__(self, other: Tensor) -> NamedTensor:
        return apply_two(_DIV, other, self)

    def __floordiv__(self, other: Tensor) -> NamedTensor:
        return apply_two(_FLOORDIV, self, other)

    def __rfloordiv__(self, other: Tensor) -> NamedTensor:
        return apply_two(_FLOORDIV, other, self)

    def __mod__(self, other: Tensor) -> NamedTensor:
        return apply_two(_MOD, self, other)

    def __rmod__(self, other: Tensor) -> NamedTensor:
        return apply_two(_MOD, other, self)

    def __pow__(self, other: Tensor) -> NamedTensor:
        return apply_two(_POW, self, other)

    def __rpow__(self, other: Tensor) -> NamedTensor:
        return apply_two(_POW, other, self)

    def __eq__(self, other: object) -> NamedTensor:  # type: ignore[override]
        return apply_two(_EQ, self, other)

    def __ne__(self, other: object) -> NamedTensor:  # type: ignore[override]
        return apply_two(_NE, self, other)

    def __lt__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LT, self, other)

    def __le__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LE, self, other)

    def __gt__(self, other: Tensor) -> NamedTensor:
        return apply_two(_GT, self, other)

    def __ge__(self, other: Tensor) -> NamedTensor:
        return apply_two(_GE, self, other)

    def __and__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LOGICAL_AND, self, other)

    def __rand__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LOGICAL_AND, other, self)

    def __or__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LOGICAL_OR, self, other)

    def __ror__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LOGICAL_OR, other, self)

    def __xor__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LOGICAL_XOR, self, other)

    def __rxor__(self, other: Tensor) -> NamedTensor:
        return apply_two(_LOGICAL_XOR, other, self)

    def __neg__(self) -> NamedTensor:
        return apply(_NEG, self)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> NamedTensor:
        return apply(_ABS, self)

    def __invert__(self) -> NamedTensor:
        return apply(_LOGICAL_NOT, self)
