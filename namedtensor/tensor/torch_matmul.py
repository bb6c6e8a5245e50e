"""Let torch.compile read `A @ ax @ B` outside of formulas.

torch 2.13's compiler knows how to follow every binary operator of a user's class but @: its table
of operators is private and lacks that row. This adds the row, once the compiler is loaded and a
torch tensor has been named; there is no public door, and the test of this file says when the
private one moves. Where it has moved, nothing happens, and torch says that it cannot read @.
"""

from __future__ import annotations

import operator
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

TABLE = "torch._dynamo.variables.builtin"


def teach() -> None:
    """Add the row now, or as soon as the compiler is loaded."""
    module = sys.modules.get(TABLE)
    if module is not None:
        add_row(module)
    elif not any(isinstance(finder, _AddsRow) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AddsRow())


def add_row(module: ModuleType) -> None:
    """Say that @ asks __matmul__, then __rmatmul__, as Python does."""
    variable: Any = getattr(module, "BuiltinVariable", None)
    handlers: Any = getattr(variable, "_binop_handlers", None)
    if not hasattr(variable, "_binops") or not hasattr(handlers, "cache_clear"):
        return
    table = variable._binops()
    if operator.pow in table and operator.matmul not in table:
        table[operator.matmul] = (["__matmul__", "__rmatmul__", "__imatmul__"], operator.imatmul)
        handlers.cache_clear()


class _AddsRow(MetaPathFinder):
    """Find the compiler's module where everybody finds it, and add the row when it has run."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name != TABLE:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Then(spec.loader)
        return spec


class _Then(Loader):
    """Load a module as its own loader does, then add the row."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        add_row(module)

    def __getattr__(self, name: str) -> Any:
        if name == "loader":
            raise AttributeError(name)
        return getattr(self.loader, name)
