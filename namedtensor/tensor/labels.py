"""Find what the caller calls an operand, for error messages only."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from types import FrameType
from typing import Any

_OWN = "namedtensor"

#: Gives an operand's words where an operation is read from a text, which has no variables.
operand_words: ContextVar[Callable[[Any], str | None] | None] = ContextVar(
    "operand_words", default=None
)


def letters() -> Iterator[str]:
    """Name operands in emitted code, and in messages where no variable holds them: A, ..., Z, A1, ..."""
    yield from "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from map("A{}".format, itertools.count(1))


def first_letters(count: int) -> tuple[str, ...]:
    """Give the names of this many operands."""
    return tuple(itertools.islice(letters(), count))


def caller_labels(operands: Sequence[Any]) -> tuple[str, ...]:
    """Give each operand the name of the caller's variable that holds it.

    Symbols that no variable holds are described by their expression, numbers by their digits,
    other temporaries by a free capital letter.
    """
    words = operand_words.get()
    scope = _caller_variables() if words is None else {}
    labels: list[str] = []
    free = (w for w in letters() if w not in scope)
    for x in operands:
        if isinstance(x, (bool, int, float, complex)):
            labels.append(repr(x))
            continue
        said = None if words is None else words(x)
        if said is not None:
            labels.append(said)
            continue
        held = [name for name, value in scope.items() if value is x and not name.startswith("_")]
        if held:
            labels.append(held[0])
        elif hasattr(x, "node"):
            labels.append(repr(x.node))
        else:
            labels.append(next(free))
    return tuple(labels)


def _caller_variables() -> dict[str, Any]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_own(frame):
        frame = frame.f_back
    if frame is None:
        return {}
    return {**frame.f_globals, **frame.f_locals}


def warn_caller(text: str) -> None:
    """Warn at the line of the user's code that called."""
    frame: FrameType | None = sys._getframe(1)
    depth = 2
    while frame is not None and _is_own(frame):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, stacklevel=depth - 1)


def _is_own(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module == _OWN or module.startswith(_OWN + ".")
