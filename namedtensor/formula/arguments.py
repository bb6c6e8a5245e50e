"""The arguments of a call: bound to names, listed as tensors, written as codes, handed to the body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from namedtensor.axes import shown
from namedtensor.compilers import constant_for_compilers
from namedtensor.errors import (
    AxisNameError,
    BackendError,
    KindError,
    NamedTensorError,
    kind_of_thing,
)
from namedtensor.formula.bundle import Bundle, parameters_of
from namedtensor.formula.door import Slot, kind_of
from namedtensor.formula.lifting import Leaf
from namedtensor.formula.signature import Parameter, Space
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor, SymbolicTensor, tensor
from namedtensor.tensor.apply import stand_in

if TYPE_CHECKING:
    from namedtensor.formula.formula import Formula


@constant_for_compilers
def refuse(call: str, why: str, hint: str) -> NoReturn:
    """Say that a call does not fit the signature, in words that no graph compiler has to follow."""
    raise NamedTensorError(call, why, hint=hint) from None


class Arguments:
    """Read what a formula is called with by its signature."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            bound = self.formula.signature.python.bind(*args, **kwargs)
        except TypeError as error:
            refuse(f"{self.formula.name}(...)", str(error), self.formula.said)
        bound.apply_defaults()
        return bound.arguments

    def flatten(self, values: dict[str, Any]) -> tuple[list[Leaf], tuple[Any, ...]]:
        """List the tensors of a call, and what else its plan depends on."""
        leaves: list[Leaf] = []
        key: list[Any] = []
        for parameter in self.formula.signature.parameters:
            self._flatten_one(parameter, parameter.name, values[parameter.name], leaves, key)
        return leaves, tuple(key)

    def _flatten_one(
        self, parameter: Parameter, path: str, value: Any, leaves: list[Leaf], key: list[Any]
    ) -> None:
        if parameter.bundle is not None:
            inner = parameter.bundle
            for name, part in parameters_of(inner, value, path).items():
                self._flatten_one(inner.signature[name], f"{path}.{name}", part, leaves, key)
        elif parameter.space is None:
            key += [kind_of(value), self._setting(path, value)]
        elif value is None and parameter.default is None:
            key.append(None)
        elif isinstance(value, SymbolicTensor):
            leaves.append(Leaf(path, parameter.space, value))
            key.append(value.node)
        elif isinstance(value, NamedTensor):
            leaves.append(Leaf(path, parameter.space, value))
            key.append(value.layout)
        else:
            key += [type(value), self._number(path, parameter.space, value)]

    def _setting(self, path: str, value: Any) -> Any:
        if isinstance(value, NamedTensor):
            raise AxisNameError(
                f"{self.formula.name}(..., {path}, ...)",
                f"{path} is a named tensor, and {self.formula.name} declares no axes for it",
                [(path, spaced(value.sizes))],
                f"declare them: {path}: R[{', '.join(map(shown, value.axes))}]",
            )
        try:
            hash(value)
        except TypeError:
            raise KindError(
                f"{self.formula.name}(..., {path}, ...)",
                f"{path} is {kind_of_thing(value)}, which cannot tell one plan from another",
                hint="a setting is a number, a string or a tuple; an array gets its axes declared",
            ) from None
        return value

    def _number(self, path: str, space: Space, value: Any) -> Any:
        if isinstance(value, (bool, int, float, complex, np.generic)) and not space.axes:
            return value
        raise BackendError(
            f"{self.formula.name}(..., {path}, ...)",
            f"{path} is {kind_of_thing(value)}, and {self.formula.name} takes a named tensor of {space}",
            hint=f"name its axes: nt.tensor({', '.join([path, *map(shown, space.names)])})",
        )

    def named_numbers(self, values: dict[str, Any]) -> dict[str, Any]:
        """Make named tensors without axes of the numbers of a call that has no tensors."""
        spaces = {p.name: p.space for p in self.formula.signature.parameters}
        return {
            name: tensor(np.asarray(value))
            if spaces[name] is not None
            and isinstance(value, (bool, int, float, complex, np.generic))
            else value
            for name, value in values.items()
        }

    def values_of(self, parts: Iterator[Any]) -> dict[str, Any]:
        """Undo `flatten`: read the parts of a key, with layouts as codes, as stand-ins without data."""
        return {slot.name: self._value_of(slot, parts) for slot in self.formula.door.every}

    def _value_of(self, slot: Slot, parts: Iterator[Any]) -> Any:
        if slot.formula is not None:
            return {inner.name: self._value_of(inner, parts) for inner in slot.formula.door.after}
        part = next(parts)
        if not slot.tensor or isinstance(part, type):
            return next(parts)
        if part is None:
            return None
        return stand_in(part if isinstance(part, str) else slot.layout(part).code)

    def entered(self, parameter: Parameter, path: str, value: Any, entered: dict[str, Any]) -> Any:
        if parameter.bundle is not None:
            inner = parameter.bundle
            parts = parameters_of(inner, value, path)
            return Bundle(
                inner,
                {
                    name: self.entered(inner.signature[name], f"{path}.{name}", part, entered)
                    for name, part in parts.items()
                },
            )
        return entered.get(path, value)
