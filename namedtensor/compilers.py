"""What graph compilers must be told: functions whose result is a constant of the graph.

torch.compiler.assume_constant_result says the same, but needs torch, which must not be imported for
it; this file holds the mark that it sets. The tests of formulas that were never called, under
torch.compile, say when torch changes it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def constant_for_compilers(function: F) -> F:
    """Let a compiler call a function at once, and hold its result, instead of reading its code."""
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def compiling() -> bool:
    """Say whether Dynamo, the front end of torch.compile, is reading the code that runs."""
    torch = sys.modules.get("torch")
    return torch is not None and bool(torch.compiler.is_dynamo_compiling())


def give_up_compiling(why: str) -> None:
    """Leave the graph, so that what follows runs as it is; a compiler that may not says why."""
    torch = sys.modules["torch"]
    torch._dynamo.graph_break(msg=why)


def caches_closed() -> bool:
    """Say whether caches must not change: Dynamo watches those it has read, and would start again."""
    return STORE.making or compiling()


class Store:
    """Hold, by name, what such a function made: it can give a name as a constant, not an object."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self.making = False

    def name(self, key: Any, make: Callable[[], Any]) -> str:
        """Give the name of what was made for a key, making it if nobody has."""
        name = self._names.get(key)
        if name is None:
            before, self.making = self.making, True
            try:
                made = make()  # this may make other things, and take names for them
            finally:
                self.making = before
            name = f"made_{len(self._names)}"
            setattr(self, name, made)
            self._names[key] = name
        return name


STORE = Store()
