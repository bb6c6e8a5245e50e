"""What a word of the vocabulary means, and how it is used where it stands."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from namedtensor.axes import shown
from namedtensor.errors import AxisNameError
from namedtensor.latex.evaluation.nonsense import ArgumentsError, NoAxisError
from namedtensor.latex.evaluation.values import UNKNOWN, Value
from namedtensor.latex.evaluation.wording import wording
from namedtensor.latex.syntax import Call, Expression
from namedtensor.primitives import table
from namedtensor.shape import sized
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.latex.evaluation.evaluate import Evaluator

Use = Callable[["Evaluator", Call, Sequence[Value], Sequence[Expression]], Value]


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """What a word means.

    `use` applies it where it stands. `raw` words evaluate their arguments by themselves. `along` is the
    function that waits for axes; with `or_several` it needs none where it has several arguments.
    """

    name: str
    use: Use
    raw: bool = False
    along: Any = None
    or_several: bool = False


def fits(
    e: Evaluator, part: Call, name: str, function: Any, values: Sequence[Any], given: Any
) -> bool:
    """Say whether a function takes so many arguments; report where it does not."""
    try:
        inspect.signature(function).bind(*values)
    except TypeError:
        wanted = [
            p for p in inspect.signature(function).parameters.values() if p.default is p.empty
        ]
        plural = "argument" if len(wanted) == 1 else "arguments"
        e.fail(
            part,
            ArgumentsError,
            f"{name} takes {len(wanted)} {plural}, and {len(given)} are given",
            f"write {name}({', '.join('XYZUVW'[: len(wanted)])})",
        )
        return False
    return True


def plain(name: str, function: Any) -> Use:
    """Use a function that acts on each number."""

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if part.axes:
            listed = ", ".join(a.name for a in part.axes)
            return e.fail(
                part,
                AxisNameError,
                f"{name} acts on each number alone, and {listed} stands under it",
                f"leave the axes out: {name}(X)",
            )
        if not fits(e, part, name, function, values, given):
            return UNKNOWN
        return e.attempt(part, function, values, given)

    return use


def along(
    name: str,
    function: Any,
    wants_size: bool = False,
    flag: str = "",
    settings: Sequence[str] = (),
) -> Use:
    """Use a function that acts along axes; the last one's size is the second argument, or known.

    `flag` is the setting that the word stands for, `settings` are those that follow the size.
    """

    def use(e: Evaluator, part: Call, values: Any, given: Any) -> Value:
        if not part.axes:
            return no_axes(e, part, name, values, given)
        axes = [sized(a.name, None) for a in part.axes]
        more: dict[str, Any] = {}
        if wants_size:
            more = dict(zip(settings, [e.extent(x) for x in given[2:]], strict=False))
            if more and len(more) == len(given) - 2:
                values, given = values[:2], given[:2]
            values, given, size = window_size(e, part, values, given)
            if size is UNKNOWN or UNKNOWN in more.values():
                return UNKNOWN
            axes[-1] = sized(part.axes[-1].name, size)
        bound = e.attempt(part, lambda: function[tuple(axes)], [])
        if bound is not UNKNOWN and (flag or more):
            bound = partial(bound, **{flag: True} if flag else more)
        if bound is UNKNOWN or not fits(e, part, name, bound, values, given):
            return UNKNOWN
        return e.attempt(part, bound, values, given)

    return use


def window_size(e: Evaluator, part: Call, values: Any, given: Any) -> tuple[Any, Any, Any]:
    """Split off the size of a window's axis: the second argument, or what the scope knows."""
    if len(given) > 1:
        return values[:-1], given[:-1], e.extent(given[-1])
    axis = part.axes[-1].name
    return values, given, e.attempt(part, lambda: e.scope.size(axis), [])


def no_axes(e: Evaluator, part: Call, name: str, values: Any, given: Any) -> Value:
    """Report a function along axes that names none."""
    if not given or any(v is UNKNOWN for v in values):
        shapes: list[tuple[str, str]] = []
    else:
        shapes = [
            (wording(g), str(v.shape))
            for g, v in zip(given, values, strict=True)
            if isinstance(v, NamedTensor)
        ]
    X = next((v for v in values if isinstance(v, NamedTensor) and v.axes), None)
    count = table()[name].traits.needs if name in table() else 1
    axis = ",".join(map(shown, X.axes[-count:])) if X is not None else "ax"
    listed = ", ".join(wording(g) for g in given)
    return e.fail(
        part,
        NoAxisError,
        f"{name} acts along axes, and none is named",
        f"write its axes under it: {name}_{{{axis}}}({listed})",
        shapes,
    )
