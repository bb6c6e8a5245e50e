"""Find the library that an array belongs to, and its vocabulary."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np


class Backend:
    """One array library: its vocabulary module and what the tensor class asks of it.

    The module defines the vocabulary's functions by name; what it leaves out is taken from
    `fallback`, the library's Array API namespace.
    """

    __slots__ = ("fallback", "kinds", "module", "name")

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name = name
        self.module = module
        self.fallback: Any = module.FALLBACK
        self.kinds: dict[Any, str] = {}

    def function(self, name: str) -> Callable[..., Any]:
        """Look up one word of the vocabulary."""
        found: Callable[..., Any] | None = getattr(self.module, name, None)
        return getattr(self.fallback, name) if found is None else found

    def has(self, name: str) -> bool:
        """Say whether the vocabulary has this word."""
        return hasattr(self.module, name) or hasattr(self.fallback, name) or name in _BUILTINS

    def kind_of(self, dtype: Any) -> str:
        """Give the kind of a dtype: bool, int, float or complex."""
        kind = self.kinds.get(dtype)
        if kind is None:
            kind = self.kinds[dtype] = self.module.kind_of(dtype)
        return kind

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return get_backend, (self.name,)


_BUILTINS = {"float", "int", "mismatch", "math", "host"}
_backends: dict[str, Backend] = {}
_waiting: dict[str, list[Callable[[], None]]] = {}
_by_type: dict[type, Backend] = {}


def get_backend(name: str) -> Backend:
    """Load a backend by name: numpy, torch or host."""
    backend = _backends.get(name)
    if backend is None:
        module = importlib.import_module(f"namedtensor.backends.{name}_backend")
        backend = _backends[name] = Backend(name, module)
        for function in _waiting.pop(name, []):
            function()
    return backend


def when_loaded(name: str, function: Callable[[], None]) -> None:
    """Call a function when a backend is first loaded."""
    if name in _backends:
        function()
    else:
        _waiting.setdefault(name, []).append(function)


def numpy_backend() -> Backend:
    return get_backend("numpy")


def host_backend() -> Backend:
    return get_backend("host")


def backend_of(data: Any) -> Backend | None:
    """Give the backend that holds data, or None where no library claims it."""
    backend = _by_type.get(type(data))
    if backend is None:
        backend = _find(data)
        if backend is not None:
            _by_type[type(data)] = backend
    return backend


def _find(data: Any) -> Backend | None:
    if isinstance(data, (np.ndarray, np.generic)):
        return get_backend("numpy")
    # the compat library looks at sys.modules first, so that asking never imports torch
    from array_api_compat import is_torch_array

    return get_backend("torch") if is_torch_array(data) else None
