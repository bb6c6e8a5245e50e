"""What goes wrong with axes, one class for each precondition.

A message has four parts: the call; why not, naming the axis and each size with its owner;
every operand's shape; and a hint that says what to type.
"""

from __future__ import annotations

import itertools
import linecache
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any, Protocol


class Place(Protocol):
    """A piece of source: `primitives.origins.Origin` of Python, `latex.source.Passage` of a document."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...
    def marked(self) -> list[str]: ...


class NamedTensorError(ValueError):
    """Say which call failed, why, on which shapes, and what to type instead.

    >>> error = AxisMissingError("sum[key](X)", "X has no axis key", [("X", "seq[3]")], "sum[seq](X)")
    >>> print(error)
    sum[key](X): X has no axis key
      X : seq[3]
    hint: sum[seq](X)
    """

    def __init__(
        self,
        call: str,
        why: str = "",
        operands: Iterable[tuple[str, str]] = (),
        hint: str = "",
    ) -> None:
        self.call = call
        self.why = why
        self.operands = tuple(operands)
        self.hint = hint
        self.places: tuple[tuple[str, Place], ...] = ()
        super().__init__(call, why, self.operands, hint)

    def add_place(self, formula: str, place: Place) -> None:
        """Add where in a formula's body the error happened; call it for the innermost formula first."""
        self.places = (*self.places, (formula, place))

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.operands), default=0)
        lines = [f"{self.call}: {self.why}" if self.why else self.call]  # or call is all
        lines += [f"  {label:<{width}} : {shape}" for label, shape in self.operands]
        lines += self._written()
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def _render_traceback_(self) -> list[str]:
        """Give IPython the lines to show in a notebook: the message first, then the user's own line."""
        if _whole():
            return traceback.format_exception(self)
        frames = list(own_frames(self.__traceback__))
        lines: list[str] = []
        for frame, trace in frames[:1]:
            marked = _marked(frame, trace) if not self.places else _marked(frame, trace)[:1]
            lines = [f"  at {_where(frame, trace)}", *[f"    {line}" for line in marked]]
        said = f"{type(self).__name__}: {self}".splitlines()
        if len(said) + len(lines) > SHOWN:
            said = self._short(SHOWN - len(lines))
        return [*said[: SHOWN - len(lines)], *lines]

    def _short(self, most: int) -> list[str]:
        """Write the message in at most so many lines; operands are the first to be left out."""
        hint = [f"hint: {self.hint}"] if self.hint else []
        written = self._written()[: most - 2]
        operands = [f"  {label} : {shape}" for label, shape in self.operands]
        room = most - 1 - len(written) - len(hint)
        if len(operands) > room:
            operands = [*operands[: max(room - 1, 0)], *(["  ..."] if room > 0 else [])]
        return [f"{type(self).__name__}: {self.call}: {self.why}", *operands, *written, *hint]

    def _written(self) -> list[str]:
        """Write the sub-expression that failed, and one line for each formula on the way to it."""
        if not self.places:
            return []
        (name, place), *callers = self.places
        left = len(callers) - MOST_CALLERS
        if left > 1:
            first, last = self._callers(callers[:2], place.file), self._callers(callers[-1:], "")
            more = f"  ... {len(callers) - 3} more calls"
            return [*self._place(name, place), *first, more, *last]
        return [*self._place(name, place), *self._callers(callers, place.file)]

    def _place(self, name: str, place: Place) -> list[str]:
        written = "in a cell" if "ipykernel_" in place.file else f'File "{place.file}"'
        lines = [f"  {written}, line {place.line}, in {name}"]
        return [*lines, *[f"    {line}" for line in place.marked()]]

    def _callers(self, callers: Iterable[tuple[str, Place]], file: str) -> list[str]:
        lines = []
        for caller, where in callers:
            at = f"line {where.line}" if where.file == file else f"{where.file}, line {where.line}"
            file = where.file
            text = " ".join(where.text.split())
            lines.append(f"  called in {caller}, {at}" + (f": {text}" if text else ""))
        return lines


#: The folder of this package, and the packages whose lines are never shown as the user's.
_HERE = os.path.join(os.path.dirname(__file__), "")
LIBRARIES = frozenset("namedtensor numpy torch einops functools contextlib IPython".split())
#: At most: lines of an error in a notebook; calling formulas in a message; frames of one function.
SHOWN = 10
MOST_CALLERS = 4
MOST_FRAMES = 3


def is_library(name: str) -> bool:
    """Say whether a module belongs to a library, whose lines are not shown."""
    return name.partition(".")[0] in LIBRARIES


def is_user_s(frame: FrameType) -> bool:
    """Say whether a frame runs the user's code, not code of a library, of a plan or of this package."""
    file = frame.f_code.co_filename
    known = is_library(str(frame.f_globals.get("__name__", "")))
    return not (known or file.startswith(("<namedtensor ", _HERE)))


def is_ours(frame: FrameType) -> bool:
    """Say whether a frame runs a line of this package."""
    module = str(frame.f_globals.get("__name__", ""))
    return module == "namedtensor" or module.startswith("namedtensor.")


def asked_by_us() -> bool:
    """Say whether the function that asks was called from this package."""
    return is_ours(sys._getframe(2))


def caller_frame() -> FrameType | None:
    """Find the innermost frame of the user's code; frames of libraries are passed over."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_user_s(frame):
        frame = frame.f_back
    return frame


def caller_variables() -> dict[str, Any]:
    """Give the variables that the user's code sees where it called: its own and its module's."""
    frame = caller_frame()
    return {} if frame is None else {**frame.f_globals, **frame.f_locals}


def as_typed(otherwise: str) -> str:
    """Give the user's expression that is being run, where its source is known and stands in one line."""
    frame = caller_frame()
    if frame is None:
        return otherwise
    first, last, begun, ended = stretch(frame.f_code, frame.f_lasti)
    line = linecache.getline(frame.f_code.co_filename, first or 0)
    if not line or first != last or begun is None or ended is None:
        return otherwise
    return line[characters(line, begun) : characters(line, ended)].removeprefix("nt.") or otherwise


def own_frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, TracebackType]]:
    """Give the user's frames of a traceback; of a recursion, the first two and the last."""
    seen: dict[CodeType, int] = {}
    while trace is not None:
        frame = trace.tb_frame
        if is_user_s(frame):
            seen[frame.f_code] = seen.get(frame.f_code, 0) + 1
            last = trace.tb_next is None
            if seen[frame.f_code] < MOST_FRAMES or last:
                yield frame, trace
        trace = trace.tb_next


def shorten(error: BaseException) -> None:
    """Keep only the user's own frames in a traceback; NAMEDTENSOR_TRACEBACK=full keeps all.

    The caller's own frame goes too, if the caller then raises the error again by a bare `raise`. An
    earlier error (`__context__`) in whose traceback there is no line of the user's is dropped.
    """
    if _whole():
        return
    while error.__context__ is not None and not any(own_frames(error.__context__.__traceback__)):
        error.__context__ = error.__context__.__context__
    kept: TracebackType | None = None
    for frame, trace in reversed(list(own_frames(error.__traceback__))):
        kept = TracebackType(kept, frame, trace.tb_lasti, trace.tb_lineno)
    error.__traceback__ = kept


def _whole() -> bool:
    return os.environ.get("NAMEDTENSOR_TRACEBACK") == "full"


def _marked(frame: FrameType, trace: TracebackType) -> list[str]:
    """Give a frame's line, and carets below the part of it that ran."""
    line = linecache.getline(frame.f_code.co_filename, trace.tb_lineno).rstrip()
    first, last, begun, ended = stretch(frame.f_code, trace.tb_lasti)
    text = line.lstrip()
    if not text or begun is None or ended is None or first != last:
        return [text] if text else []
    start, end = characters(line, begun), characters(line, ended)
    return [text, " " * (start - len(line) + len(text)) + "^" * max(1, end - start)]


def stretch(code: CodeType, at: int) -> tuple[int | None, int | None, int | None, int | None]:
    """Find the lines and columns (in bytes) of the source that an instruction comes from."""
    places = itertools.islice(code.co_positions(), at // 2, None)
    return next(places, (None, None, None, None))


def characters(text: str, column: int) -> int:
    """Turn a column of a line that Python counts in bytes into a column in characters.

    >>> characters("α = β", 5)
    4
    """
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))


def _where(frame: FrameType, trace: TracebackType) -> str:
    file = frame.f_code.co_filename
    name = "the cell" if "ipykernel_" in file else os.path.basename(file)
    return f"{name}, line {trace.tb_lineno}"


class AxisMissingError(NamedTensorError):
    """An operation names an axis that an operand lacks."""


class AxisSizeError(NamedTensorError):
    """One axis has two sizes, or a size that does not fit."""


class AxisClashError(NamedTensorError):
    """Two axes of one tensor would get the same name."""


class AxisNameError(NamedTensorError):
    """A name, a shape or a pattern is not well formed, or names one axis twice."""


class IndexRangeError(NamedTensorError, IndexError):
    """An index lies outside its axis."""


class KindError(NamedTensorError, TypeError):
    """Numbers of another kind are needed: an integer index, a boolean condition."""


class BackendError(NamedTensorError, TypeError):
    """Operands live in different libraries or devices, or are bare arrays without names."""


class HabitError(NamedTensorError, AttributeError):
    """A name that does not exist here, such as a method of arrays, or a parameter of another formula."""


class TraceError(NamedTensorError):
    """A formula's body cannot be traced into an expression."""


class WeightsError(NamedTensorError):
    """A file of weights cannot be read, or does not fit the module."""


class DerivativeError(NamedTensorError):
    """An operation has no rule for its derivative."""


#: The hint for a tensor on the device meta, which holds no numbers.
WHERE_NUMBERS_ARE = 'make it where numbers are: nt.zeros("seq[3]", device="cpu")'


def kind_of_thing(value: object) -> str:
    """Name the kind of a value, for a message that asks for something else.

    >>> kind_of_thing(3), kind_of_thing([]), kind_of_thing(None)
    ('an int', 'a list', 'None')
    """
    if value is None:
        return "None"
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' or name == 'ndarray' else 'a'} {name}"


def flag(call: str, word: str, value: object) -> bool:
    """Check that a setting is True or False; raise KindError for anything else, such as an array.

    >>> flag("sort[seq](X, ...)", "descending", True)
    True
    """
    if type(value).__name__ not in ("bool", "bool_"):
        raise KindError(
            call,
            f"{word} is True or False, and {kind_of_thing(value)} is given",
            hint=f"{word}=True or {word}=False",
        )
    return bool(value)


def first_line(error: BaseException) -> str:
    """Give the first line of an error's text, without its closing dot."""
    lines = str(error).strip().splitlines()
    return lines[0].strip().rstrip(".") if lines else type(error).__name__


def nearest(name: str, names: Iterable[str], least: float = 0.5) -> str | None:
    """Find the name that is most like a mistyped one.

    >>> nearest("kye", ["key", "seq"])
    'key'
    """
    from difflib import get_close_matches

    found = get_close_matches(name, list(names), n=1, cutoff=least)
    return found[0] if found else None
