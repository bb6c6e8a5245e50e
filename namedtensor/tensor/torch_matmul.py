"""Let torch.compile read `A @ ax @ B` outside of formulas under torch 2.13.

From 2.14 on, torch's compiler follows every binary operator of a user's class. That of 2.13 lacks @:
its table of operators is private and has no such row. This file adds the row when the compiler first
looks at a named tensor. There is no public door, and the test of this file says when the private one
moves. Where it is not there, nothing happens: a graph ends at @, and `nt.dot[ax](A, B)` stays in it.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import torch

TABLE = "torch._dynamo.variables.builtin"


def teach() -> None:
    """Add the row to the compiler of torch 2.13, where it is there; other versions need nothing."""
    module = sys.modules.get(TABLE)
    if module is not None and torch.__version__.startswith("2.13."):
        add_row(module)


def add_row(module: Any) -> None:
    """Say that @ asks __matmul__, then __rmatmul__, as Python does."""
    variable: Any = getattr(module, "BuiltinVariable", None)
    handlers: Any = getattr(variable, "_binop_handlers", None)
    known: Any = getattr(variable, "call_function_handler_cache", None)
    if not hasattr(variable, "_binops") or not hasattr(handlers, "cache_clear") or known is None:
        return
    table = variable._binops()
    if operator.pow in table and operator.matmul not in table:
        table[operator.matmul] = (["__matmul__", "__rmatmul__", "__imatmul__"], operator.imatmul)
        handlers.cache_clear()
        known.clear()  # what was found for @ of other classes, before the row was there
