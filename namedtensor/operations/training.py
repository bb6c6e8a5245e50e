"""The mode of what runs: in training, or not. Dropout obeys it, and bodies may ask for it."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import Any, overload

from namedtensor.errors import KindError


class Mode(threading.local):
    """The mode of this thread, and whether the trace that runs has asked for it (None: none runs).

    Not a ContextVar, which torch.compile cannot read; of these it guards each thread's own value.
    """

    def __init__(self) -> None:
        self.training = True
        self.asked: bool | None = None


MODE = Mode()


class _Block:
    """Set the mode of plain calls for as long as the block runs."""

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.before: list[bool] = []

    def __enter__(self) -> None:
        self.before.append(MODE.training)
        MODE.training = self.mode

    def __exit__(self, *_: Any) -> None:
        MODE.training = self.before.pop()


@overload
def training() -> bool: ...
@overload
def training(mode: bool) -> AbstractContextManager[None]: ...
def training(mode: bool | None = None) -> bool | AbstractContextManager[None]:
    """Say whether the call that runs is in training; `with nt.training(False):` sets it for plain calls.

    In the body of a formula's module this is the module's own flag, as train() and eval() set it, and
    each bundle's body has its own module's. Other formulas that a body calls have the mode of that
    body. Plain calls are in training unless a block says otherwise. Each thread has its own mode.

    Raises: KindError unless a mode is True or False.

    >>> nt.training()
    True
    >>> with nt.training(False):
    ...     nt.dropout(nt.tensor([1.0, 2.0], "seq"), 1.0)
    NamedTensor(seq[2], float64)
    [1. 2.]
    """
    if mode is None:
        if MODE.asked is False:
            MODE.asked = True
        return MODE.training
    if not isinstance(mode, bool):
        raise KindError(
            f"training({mode!r})", "a mode is True or False", hint="with nt.training(False): ..."
        )
    return _Block(mode)
