"""Bundles: the parameters of a formula, passed as one: mha in f(X; mha)."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from namedtensor.errors import BackendError, kind_of_thing
from namedtensor.formula.door import gather
from namedtensor.formula.state import Cell
from namedtensor.operations.training import training

if TYPE_CHECKING:
    from namedtensor.formula.formula import Formula


class Bundle:
    """The parameters of a formula, bound: called with the formula's remaining arguments.

    `ffn.W1` gives a parameter; `ffn(X)` is FFN(X, W1=..., b1=..., ...). `training` is the mode of the
    module that holds them, or None where its body has the mode of its caller.
    """

    def __init__(
        self, formula: Formula, values: dict[str, Any], training: bool | None = None
    ) -> None:
        self.formula = formula
        self.values = values
        self.training = training

    def __call__(self, *args: Any, **settings: Any) -> Any:
        given = {**self.values, **settings}
        if self.training is None:
            return self.formula(*args, **given)
        with training(self.training):
            return self.formula(*args, **given)

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("values", {})
        if name in values:
            value = values[name]
            return value.value if isinstance(value, Cell) else value
        raise AttributeError(
            f"the bundle of {self.__dict__.get('formula')} has no parameter {name}"
        )

    def gather(self, key: list[Any], arrays: list[Any], modes: bool) -> bool:
        slots = self.formula.door.after
        values = [getattr(self, slot.name, slot.default) for slot in slots]
        return gather(slots, values, key, arrays, modes) is not None

    def __repr__(self) -> str:
        return f"{self.formula.name}(...; {', '.join(self.values)})"


def same_parameters(one: Formula, other: Formula) -> bool:
    """Say whether two formulas have the same parameters: names, axes, and those of their bundles."""
    return one is other or _parameters(one) == _parameters(other)


def _parameters(formula: Formula) -> list[Any]:
    found: list[Any] = []
    for parameter in formula.signature.parameters:
        if parameter.after and parameter.bundle is not None:
            found.append((parameter.name, _parameters(parameter.bundle)))
        elif parameter.after and parameter.space is not None:
            found.append((parameter.name, set(parameter.space.names)))
    return found


def parameters_of(formula: Formula, bundle: Any, path: str) -> dict[str, Any]:
    """Give the parameters in a bundle: a Bundle, a dict, or a module of this formula."""
    if isinstance(bundle, Bundle):
        found = bundle.values
    elif isinstance(bundle, dict):
        found = bundle
        unknown = [name for name in bundle if name not in formula.parameters_after]
        if unknown:
            raise BackendError(
                f"{path}: {formula.name}",
                f"{formula.name} has no parameter {unknown[0]}",
                hint=f"a dict with {', '.join(formula.parameter_names)}",
            )
    elif hasattr(bundle, "named_values"):
        if not same_parameters(bundle.formula, formula):
            raise BackendError(
                f"{path}: {formula.name}",
                f"{path} is a module of {bundle.formula.name}, which has other parameters",
                hint=f"{formula.name}.module(...), or a dict with {', '.join(formula.parameter_names)}",
            )
        found = bundle.named_values()
    else:
        raise BackendError(
            f"{path}: {formula.name}",
            f"{path} is {kind_of_thing(bundle)}, which holds no parameters of {formula.name}",
            hint=f"{formula.name}.module(...), or a dict with {', '.join(formula.parameter_names)}",
        )
    result = {}
    for parameter in formula.signature.parameters:
        if not parameter.after:
            continue
        if parameter.name in found:
            result[parameter.name] = found[parameter.name]
        elif parameter.default is not inspect.Parameter.empty:
            result[parameter.name] = parameter.default
        else:
            raise BackendError(
                f"{path}: {formula.name}",
                f"{path} has no parameter {parameter.name}",
                hint=f"{formula.name}.module(...), or a dict with {', '.join(formula.parameter_names)}",
            )
    return result
