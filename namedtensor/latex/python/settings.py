"""Settings that are numbers stay settings: lnorm(X, eps=1e-5; gamma, beta)."""

from __future__ import annotations

from typing import Any

from namedtensor.errors import NamedTensorError
from namedtensor.formula import Formula
from namedtensor.formula.written import Written
from namedtensor.primitives import Type, argument
from namedtensor.primitives.node import operands_first
from namedtensor.primitives.type import kind_of
from namedtensor.tensor import SymbolicTensor


def with_settings(formula: Formula) -> Written:
    """Write a formula with its numbers that are settings kept as names, where its body allows it.

    A body that looks at the number, as `range(k)` does, is written for the default.
    """
    numbers = {
        p.name: p.default
        for p in formula.signature.parameters
        if p.setting and isinstance(p.default, (int, float)) and not isinstance(p.default, bool)
    }
    try:
        return formula.written(**{name: _symbol(name, value) for name, value in numbers.items()})
    except (NamedTensorError, TypeError):
        return formula.written()


def _symbol(name: str, value: Any) -> SymbolicTensor:
    return SymbolicTensor(argument(name, Type((), kind_of(value), host=True, weak=True)))


def kept_settings(written: Written) -> frozenset[str]:
    """Name the settings that a formula is written with."""
    known = {p.name for p in written.signature.parameters if p.setting}
    used = [n.operation.params[0] for n in operands_first(written.results) if n.name == "argument"]
    return frozenset(name for name in used if name in known)
