"""Find parameters that a formula's body closes over: no optimiser and no state dict would meet them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

import torch

from namedtensor.errors import BackendError
from namedtensor.formula import Formula
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
    """List the torch modules that a function names, and those of functions that it names."""
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    closure = inspect.getclosurevars(function).nonlocals
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    outer = {n: function.__globals__[n] for n in sorted(names) if n in function.__globals__}
    for name, value in {**outer, **closure}.items():
        found = value.f if isinstance(value, Lifted) else value
        found = getattr(found, "__self__", found) if inspect.ismethod(found) else found
        if isinstance(found, torch.nn.Module):
            yield name, found
        elif isinstance(found, Formula):
            yield from _closed_over(found.function, seen)
        elif not getattr(found, "__module__", "torch").startswith(
            ("torch", "namedtensor", "numpy")
        ):
            yield from _closed_over(found, seen)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)
