"""Caches that all threads and graph compilers share: objects made once, found by the key they were made for.

A known object is found in a plain dictionary, without a lock. A new one is made by one thread while others
wait for `MAKING`, and a full cache forgets the oldest.

Graph compilers must be told which functions have a result that is a constant of the graph.
torch.compiler.assume_constant_result says the same, but needs torch, which must not be imported for
it; this file holds the mark that it sets. The tests of formulas that were never called, under
torch.compile, say when torch changes it.
"""

from __future__ import annotations

import functools
import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

#: Held while a thread makes what others may make as well: a plan, a layout, an operation, a node.
#: No code of the user's runs meanwhile, and none of ours that waits for another lock.
MAKING = threading.RLock()


def one_at_a_time(function: Callable[P, T]) -> Callable[P, T]:
    """Let one thread at a time run a function that makes what all threads share.

    Python 3.11 may not parse source in two threads at once either.
    """

    @functools.wraps(function)
    def run(*args: P.args, **named: P.kwargs) -> T:
        with MAKING:
            return function(*args, **named)

    return run


def keep(cache: dict[K, V], key: K, made: V, most: int) -> V:
    """Put a new object into a cache, unless another thread did so first; forget the oldest."""
    with MAKING:
        found = cache.setdefault(key, made)
        while len(cache) > most:
            del cache[next(iter(cache))]
    return found


def constant_for_compilers(function: F) -> F:
    """Let a compiler call a function at once, and hold its result, instead of reading its code."""
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def compiling() -> bool:
    """Say whether Dynamo, the front end of torch.compile, is reading the code that runs."""
    torch = sys.modules.get("torch")
    # another thread may be importing torch
    loaded = torch is not None and hasattr(torch, "compiler")
    return loaded and bool(torch.compiler.is_dynamo_compiling())  # type: ignore[union-attr]


def give_up_compiling(why: str) -> None:
    """Leave the graph, so that what follows runs as it is; a compiler that may not says why."""
    torch = sys.modules["torch"]
    torch._dynamo.graph_break(msg=why)


def caches_closed() -> bool:
    """Say whether caches must not change: Dynamo watches those that it read, and would compile again."""
    return compiling() or STORE.making.now


class _Making(threading.local):
    """Whether this thread is making an object for the store."""

    now = False


class Store:
    """Hold objects by name: a function that is constant to compilers can return a name, but not an object.

    Compiled graphs hold the names, so nothing is forgotten here.
    """

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._serial = itertools.count()
        self.making = _Making()

    def name(self, key: Any, make: Callable[[], Any]) -> str:
        """Give the name of what was made for a key, making it if nobody has."""
        name = self._names.get(key)
        if name is not None:
            return name
        before, self.making.now = self.making.now, True
        try:
            made = make()  # making it may store further objects under new names
        finally:
            self.making.now = before
        with MAKING:
            name = self._names.get(key)
            if name is None:
                name = f"made_{next(self._serial)}"
                setattr(self, name, made)
                self._names[key] = name
        return name


STORE = Store()
