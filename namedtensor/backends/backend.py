"""Find the library that an array belongs to, and its vocabulary."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from namedtensor.backends.lazy import is_array
from namedtensor.compilers import STORE, constant_for_compilers
from namedtensor.errors import BackendError

#: Functions that emitted code uses besides the vocabulary.
_BUILTINS = frozenset({"float", "int", "mismatch", "math", "host"})


class Backend:
    """One array library: its vocabulary module and the facts that the tensor class needs.

    The module defines the vocabulary's functions by name; what it leaves out is taken from
    `fallback`, the library itself.
    """

    __slots__ = ("fallback", "module", "name", "words")

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name = name
        self.module = module
        self.fallback: Any = module.FALLBACK
        # numpy is slow to answer for a word that it lacks, and it is asked for each variable of a plan
        self.words = _BUILTINS.union(dir(module), dir(self.fallback))

    def function(self, name: str) -> Callable[..., Any]:
        """Look up one word of the vocabulary."""
        found: Callable[..., Any] | None = getattr(self.module, name, None)
        return getattr(self.fallback, name) if found is None else found

    def has(self, name: str) -> bool:
        """Say whether the vocabulary has this word."""
        return name in self.words

    def kind_of(self, dtype: Any) -> str:
        """Give the kind of a dtype: bool, int, float or complex."""
        kind: str = self.module.kind_of(dtype)
        return kind

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return get_backend, (self.name,)


_waiting: dict[str, list[Callable[[], None]]] = {}
#: Backends as they were loaded, by one thread while others wait.
_backends: dict[str, Backend] = {}
_LOADING = threading.RLock()


@constant_for_compilers
def _loaded(name: str) -> str:
    """Load a backend and give the name under which it is kept."""
    return STORE.name(("backend", name), lambda: _load(name))


def _load(name: str) -> Backend:
    with _LOADING:
        if name not in _backends:
            try:
                module = importlib.import_module(f"namedtensor.backends.{name}_backend")
            except ModuleNotFoundError as error:
                if error.name != name:
                    raise
                raise not_installed(f'backend="{name}"', name) from None
            _backends[name] = Backend(name, module)
            for function in _waiting.pop(name, []):
                function()
        return _backends[name]


def not_installed(call: str, name: str, shapes: Sequence[tuple[str, str]] = ()) -> BackendError:
    """Make the error of a call that needs a library which is not there."""
    hint = "pip install numpy" if name == "numpy" else f"pip install 'namedtensor-notation[{name}]'"
    return BackendError(call, f"{name} is not installed", shapes, hint)


def get_backend(name: str) -> Backend:
    """Give a backend by name, loading it if need be: numpy, torch or host."""
    backend: Backend = getattr(STORE, _loaded(name))
    return backend


def when_loaded(name: str, function: Callable[[], None]) -> None:
    """Call a function when a backend is first loaded."""
    _waiting.setdefault(name, []).append(function)


def numpy_backend() -> Backend:
    return get_backend("numpy")


def backend_of(data: Any) -> Backend | None:
    """Give the backend that holds data, or None where no library claims it."""
    if is_array(data):
        return get_backend("numpy")
    # if there is a torch tensor, torch is imported already; this question must not import it
    torch = sys.modules.get("torch")
    return get_backend("torch") if torch and isinstance(data, torch.Tensor) else None
