"""X.at[...]: a functional update, which gives a new tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from namedtensor.axes import either
from namedtensor.doors import given_later
from namedtensor.errors import AxisNameError
from namedtensor.shape import shapes

if TYPE_CHECKING:
    from namedtensor.tensor.named import NamedTensor, Tensor

#: Set by `tensor.brackets`, which reads brackets and makes tensors.
parts_of_update: Callable[[NamedTensor, object], list[Any]] = given_later
update: Callable[[NamedTensor, list[Any], str, Tensor], NamedTensor] = given_later


class At:
    """The place of a functional update: X.at[seq(0), emb[2:5]]."""

    __slots__ = ("parts", "tensor")

    def __init__(self, X: NamedTensor) -> None:
        self.tensor = X
        self.parts: list[Any] = []

    def __getitem__(self, record: Any) -> At:
        place = At(self.tensor)
        place.parts = parts_of_update(self.tensor, record)
        return place

    def _is_no_tensor(self, *_: object) -> NoReturn:
        """Refuse what only a tensor can do."""
        indices = ", ".join(map(repr, self.parts)) or "seq(0)"
        codes = [f"X.at[{indices}].{word}(1.0)" for word in ("set", "add", "multiply", "max")]
        raise AxisNameError(
            f"X.at[{indices}]",
            "an update says what is written at its place: set, add, multiply, min or max",
            shapes(self.tensor),
            either(codes),
        )

    if not TYPE_CHECKING:

        def __getattr__(self, word: str) -> NoReturn:
            if word.startswith("_") or word in ("sizes", "node"):  # protocols, and our questions
                raise AttributeError(f"At has no attribute {word}")
            self._is_no_tensor()

    __setitem__ = __call__ = __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = _is_no_tensor
    __truediv__ = __neg__ = __iter__ = __iadd__ = _is_no_tensor

    def set(self, Y: Tensor) -> NamedTensor:
        """Give X with Y written at the place; Y lifts over the axes that it lacks.

        If an index occurs twice, the last number is written; derivatives count each as written.

        >>> import namedtensor as nt
        >>> X = nt.tensor([1.0, 2.0, 3.0], "seq")
        >>> X.at["seq(0)"].set(7.0)
        NamedTensor(seq[3], float64)
        seq  0  1  2
             7  2  3
        """
        return update(self.tensor, self.parts, "set_at", Y)

    def add(self, Y: Tensor) -> NamedTensor:
        """Give X with Y added at the place; repeated indices add up.

        >>> import namedtensor as nt
        >>> nt.zeros("seq[3]").at["seq(0)"].add(7.0)
        NamedTensor(seq[3], float64)
        seq  0  1  2
             7  0  0
        """
        return update(self.tensor, self.parts, "add_at", Y)

    def multiply(self, Y: Tensor) -> NamedTensor:
        """Give X with its numbers at the place multiplied by Y, once for each time that an index occurs."""
        return update(self.tensor, self.parts, "multiply_at", Y)

    def min(self, Y: Tensor) -> NamedTensor:
        """Give X with the smaller of its numbers and Y at the place."""
        return update(self.tensor, self.parts, "min_at", Y)

    def max(self, Y: Tensor) -> NamedTensor:
        """Give X with the greater of its numbers and Y at the place.

        >>> import namedtensor as nt
        >>> nt.tensor([1.0, 5.0], "seq").at["seq[0:2]"].max(3.0)
        NamedTensor(seq[2], float64)
        seq  0  1
             3  5
        """
        return update(self.tensor, self.parts, "max_at", Y)
