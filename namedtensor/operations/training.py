"""The mode of a call, training or not, and the states that bodies update.

Dropout obeys the mode, and bodies may ask for it. A state of a formula, declared nt.State[R[chans]], is a
value that one call leaves to the next: a running mean, a counter, a cache.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NoReturn, overload

from namedtensor.errors import KindError
from namedtensor.plans import Emitter, Lowered, Value
from namedtensor.primitives import Call, Traits, Type, primitive
from namedtensor.primitives.notation import Special, Word


class Mode(threading.local):
    """The mode of this thread, and whether the running trace has asked for it (None: no trace runs).

    Not a ContextVar, which torch.compile cannot read; it can guard the attributes of a threading.local.
    """

    def __init__(self) -> None:
        self.training = True
        self.asked: bool | None = None
        #: The updates that the running body has made, of which it returns one; None where no body runs.
        self.updates: list[Update] | None = None


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
    seq  0  1
         1  2
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


# ---------------------------------------------------------------------------------------- states


class Update:
    """New values of a formula's states, by name: what its body returns last."""

    __slots__ = ("values",)

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def __repr__(self) -> str:
        return f"update({', '.join([f'{name}=...' for name in self.values])})"


def update(**states: Any) -> Any:
    """Give the states of a formula their values after a call; the body returns this last.

        return Y, nt.update(running=m)

    States that are not named stay as they are. A module stores what is given here, detached, in the
    dtype of its buffer; a plain call gives (Y, new) with new["running"].

    Raises: AxisMissingError, AxisClashError, AxisSizeError, KindError where a state is not what is declared,
    AxisNameError where the formula has no such state.

    >>> import namedtensor as nt
    >>> from namedtensor import R, formula
    >>> @formula
    ... def count(X: R, *, seen: nt.State[R]) -> R:
    ...     return X, nt.update(seen=seen + 1)
    >>> Y, new = count(nt.tensor(5.0), seen=nt.tensor(2.0))
    >>> new["seen"]
    NamedTensor(3.0)
    """
    made = Update(states)
    if MODE.updates is not None:
        MODE.updates.append(made)
    return made


if TYPE_CHECKING:
    # A body gives (Y, nt.update(...)) where -> declares Y alone. mypy's plugin knows; what makes pyright pass
    # over the line is a call that it takes for one that never returns. mypy takes MYPY for true.
    MYPY = False
    if not MYPY:

        def update(**states: Any) -> NoReturn: ...


def _stored_rule(call: Call) -> Type:
    after, before = call.types
    for axis in before.names:
        call.agree(axis, (0, 1))
    return Type(before.axes, before.kind if after.kind != "complex" else after.kind)


def _lower_stored(emit: Emitter, call: Lowered, after: Value, before: Value) -> Any:
    if after.type.host:
        code = emit.call("full_like_kind", (), after, before)
    else:
        code = emit.call("stored", emit.permute(after, before.axes), before)
    return emit.bind(code, before.axes, call.type, "new")


#: stored(new, before): a state's new value as it is stored: detached, in the dtype of before.
STORED = primitive(
    "stored",
    _stored_rule,
    _lower_stored,
    notation=Special("operand"),
    traits=Traits(pointwise=True, uniform=True),
    slopes=(lambda after, before, y: 0.0, lambda after, before, y: 0.0),
)


# ------------------------------------------------------------------------------------- gradients


def _lower_detach(emit: Emitter, call: Lowered, x: Value) -> Any:
    if emit.backend.name != "torch" or x.type.host:
        return x
    return emit.bind(emit.call("detach", x.code), x.axes, call.type, "detached")


#: X.detach(): the same numbers, as a constant for differentiation.
DETACH = primitive(
    "detach",
    lambda call: call.types[0],
    _lower_detach,
    write=lambda op, labels: f"{labels[0]}.detach()",
    notation=Word("sg"),
    traits=Traits(pointwise=True, uniform=True, fresh=False),
    slopes=(lambda x, y: 0.0,),
)
