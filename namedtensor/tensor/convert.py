"""Another library, device or dtype for the same named tensor."""

from __future__ import annotations

import sys
from typing import Any

from namedtensor.backends import get_backend
from namedtensor.backends.lazy import np
from namedtensor.errors import BackendError, KindError, TraceError, first_line, kind_of_thing
from namedtensor.plans import layout_of
from namedtensor.shape import shapes
from namedtensor.tensor import named
from namedtensor.tensor.named import NamedTensor


def convert(X: NamedTensor, targets: tuple[Any, ...]) -> NamedTensor:
    """Apply library names, devices and dtypes one after the other."""
    if hasattr(X, "node") and not X.node.closed:
        raise TraceError(
            f"X.to({', '.join(map(repr, targets))})",
            "a formula's body runs on symbols, which are in no library and on no device",
            shapes(X),
            "nt.cast(X, dtype) changes the dtype; convert the arguments before the call",
        )
    for target in targets:
        X = _convert(X, target)
    return X


def _convert(X: NamedTensor, target: object) -> NamedTensor:
    if isinstance(target, NamedTensor):
        return _convert(_convert(X, target.layout.backend.name), target.dtype)
    if isinstance(target, str) and target == "numpy":
        return _named(X, "numpy", X.layout.backend.function("numpy_of")(X.data))
    if isinstance(target, str) and target == "torch":
        if X.layout.backend.name == "torch":
            return X
        return _named(X, "torch", X._shared_with_torch('X.to("torch")', X.data))
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(target, (torch.dtype, torch.device, torch.Tensor)):
        return _named(X, "torch", _moved(X, X.torch(*X.axes), target))
    dtype = _numpy_dtype(target)
    if target is None or (dtype is not None and get_backend("numpy").kind_of(dtype) == "object"):
        raise _unknown(X, target)
    if X.layout.backend.name == "torch":
        import torch as library

        named = (
            getattr(library, str(target), None)
            if dtype is None
            else getattr(library, dtype.name, None)
        )
        place = named if isinstance(named, library.dtype) else _device(X, library, target)
        return _named(X, "torch", _moved(X, X.data, place))
    if dtype is None:
        if isinstance(target, str) and target.split(":")[0] in ("cpu", "cuda", "mps", "meta"):
            return _convert(_convert(X, "torch"), target) if target != "cpu" else X
        raise _unknown(X, target)
    _hold_real(X, get_backend("numpy").kind_of(dtype), dtype)
    return _named(X, "numpy", np.asarray(X.data).astype(dtype))


def _numpy_dtype(target: Any) -> Any:
    try:
        return np.dtype(target)
    except (TypeError, ValueError):
        return None


def _device(X: NamedTensor, torch: Any, target: object) -> Any:
    try:
        return torch.device(target)
    except (RuntimeError, TypeError, ValueError):
        raise _unknown(X, target) from None


def _moved(X: NamedTensor, data: Any, target: Any) -> Any:
    dtype = getattr(target, "dtype", target)
    if type(dtype).__name__ == "dtype":
        _hold_real(X, get_backend("torch").kind_of(dtype), dtype)
    try:
        return data.to(target)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise BackendError(
            f"X.to({str(target)!r})",
            f"torch cannot give it: {first_line(error)}",
            shapes(X),
            "name a device of this machine, or a dtype that torch has",
        ) from error


def _unknown(X: NamedTensor, target: object) -> BackendError:
    text = repr(target) if len(repr(target)) < 40 else kind_of_thing(target)
    return BackendError(
        f"X.to({text})",
        f"{text} is no library, device or dtype",
        shapes(X),
        'X.to("torch"), X.to("cuda"), X.to("float32")',
    )


def _named(X: NamedTensor, library: str, data: Any) -> NamedTensor:
    backend = get_backend(library)
    return NamedTensor(data, layout_of(X.axes, backend.kind_of(data.dtype), backend))


def _hold_real(X: NamedTensor, kind: str, dtype: object) -> None:
    """Raise KindError where a cast to real numbers would drop imaginary parts."""
    if X.kind == "complex" and kind in ("int", "float"):
        name = str(dtype).removeprefix("torch.")
        raise KindError(
            f"X.to({name!r})",
            f"X holds complex numbers, which {name} cannot hold",
            shapes(X),
            "take a real part: nt.real(X)",
        )


named.convert = convert
