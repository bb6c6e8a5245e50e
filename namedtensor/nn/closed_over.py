"""Find parameters that no optimiser and no state dict would meet: of settings, and of what a body reads."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from namedtensor.errors import BackendError
from namedtensor.formula import Formula
from namedtensor.formula.outside import read_by
from namedtensor.operations.lifting import Lifted


def hold_nothing_closed_over(formula: Formula) -> None:
    """Raise BackendError where the body uses a torch module that is no parameter of the formula."""
    for name, module in _closed_over(formula.function, set()):
        _hold_no_parameters(formula, f"the body closes over {name}, ", name, module)


def hold_no_settings(formula: Formula, settings: Mapping[str, Any]) -> None:
    """Raise BackendError where a torch module is given for a setting, alone or in a list."""
    for name, given in settings.items():
        for part in given if isinstance(given, (list, tuple)) else [given]:
            if isinstance(part, torch.nn.Module):
                _hold_no_parameters(formula, f"{name} is a setting, and given ", name, part)


def _hold_no_parameters(formula: Formula, what: str, name: str, module: torch.nn.Module) -> None:
    if not any([True for _ in module.parameters()]):
        return
    own: Any = getattr(module, "formula", None)
    raise BackendError(
        f"{formula.name}.module(...)",
        f"{what}a {type(module).__name__} whose parameters the module would not hold",
        hint=f'declare it after the *: {name}: nt.lift["seq -> seq"], and give it: '
        f"{formula.name}.module(..., {name}={name})"
        if own is None
        else f"declare it after the *: {name}: {own.name}",
    )


def _closed_over(function: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """List the torch modules that a function names, and those of functions and formulas that it names."""
    for read, value in read_by([function])[1].values():
        for named in (read._replace(attributes=()).value(), value):
            found = named.f if isinstance(named, Lifted) else named
            found = getattr(found, "__self__", found) if inspect.ismethod(found) else found
            if isinstance(found, torch.nn.Module):
                yield read.name, found
                break
            if isinstance(found, Formula) and id(found) not in seen:
                seen.add(id(found))
                yield from _closed_over(found.function, seen)
