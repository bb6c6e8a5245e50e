"""Find parameters that a formula's body closes over: no optimiser and no state dict would meet them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch

from namedtensor.errors import BackendError
from namedtensor.formula import Formula
from namedtensor.formula.outside import read_by
from namedtensor.operations.lifting import Lifted


def hold_nothing_closed_over(formula: Formula) -> None:
    """Raise BackendError where the body uses a torch module that is no parameter of the formula."""
    for name, module in _closed_over(formula.function, set()):
        if any([True for _ in module.parameters()]):
            kind = type(module).__name__
            raise BackendError(
                f"{formula.name}.module(...)",
                f"the body closes over {name}, a {kind} whose parameters the module would not hold",
                hint=f'declare it after the *: {name}: nt.lift["seq -> seq"], and give it: '
                f"{formula.name}.module(..., {name}={name})"
                if not hasattr(module, "formula")
                else f"declare it after the *: {name}: {module.formula.name}",
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
