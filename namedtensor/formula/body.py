"""The body of a formula: run on renamed tensors, its results checked and renamed back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from namedtensor.axes import SIZES, axis_code, either, parse_axes, shown, typed_axes
from namedtensor.errors import AxisSizeError, NamedTensorError, kind_of_thing
from namedtensor.formula.arguments import Arguments
from namedtensor.formula.lifting import Entry, Leaf
from namedtensor.formula.signature import Space
from namedtensor.formula.state import RUNNING, Cell, Frame, split, take
from namedtensor.operations.training import MODE, Update
from namedtensor.primitives.node import describe, noting
from namedtensor.primitives.origins import Origins, border, place_of
from namedtensor.tensor import NamedTensor
from namedtensor.tensor.apply import sizes_held
from namedtensor.tensor.labels import tight
from namedtensor.tensor.named import Contraction
from namedtensor.tensor.symbolic import on_symbols


class Body:
    """Run what a formula's function computes."""

    def __init__(self, function: Callable[..., Any], arguments: Arguments) -> None:
        self.function = function
        self.arguments = arguments
        self.name = arguments.name
        self.signature = arguments.signature

    @border
    def run(
        self,
        values: dict[str, Any],
        entered: dict[str, Any],
        sizes: Callable[[str], Any],
        mode: bool,
    ) -> tuple[Any, Frame]:
        """Run the body on renamed tensors; abs(ax) is answered by `sizes`, nt.training() by `mode`.

        Gives what the body returned, and the states after the run, before its own update is applied.
        """
        outside, SIZES.of = SIZES.of, sizes
        before, MODE.training = MODE.training, mode
        around, frame = RUNNING.frame, Frame(self.name)
        updates, MODE.updates = MODE.updates, frame.made
        RUNNING.frame = frame
        if RUNNING.functions is not None:
            RUNNING.functions.append(self.function)
        symbols = noting.get() is not None or any(hasattr(x, "node") for x in entered.values())
        kind = on_symbols.set(symbols)
        try:
            python = self.signature.python
            bound = python.bind_partial()
            for parameter in self.signature.parameters:
                bound.arguments[parameter.name] = self.arguments.entered(
                    parameter, parameter.name, values[parameter.name], entered, frame
                )
            return self.function(*bound.args, **bound.kwargs), frame
        except NamedTensorError as error:
            place = place_of(error.__traceback__)
            if place is not None:
                error.add_place(self.name, place)
            raise
        finally:
            RUNNING.frame = around
            MODE.updates = updates
            MODE.training = before
            SIZES.of = outside
            on_symbols.reset(kind)

    def results_of(
        self, returned: tuple[Any, Frame], entry: Entry, origins: Origins | None = None
    ) -> tuple[list[Any], dict[str, Cell]]:
        """Check what the body returned; give it with the caller's axis names, and the updated states.

        An error about the result points at the place where it is written, if the origins tell it.
        """
        result, frame = returned
        spaces = self.signature.results
        result, update = split(result, self.signature.several)
        if update is not None:
            take(update, frame, self.signature, entry)
        if self.signature.several:
            if not isinstance(result, tuple) or len(result) != len(spaces or ()):
                raise entry.error(
                    NamedTensorError,
                    f"the body returned {_what(result)}, and a tuple of {len(spaces or ())} is declared",
                    "return as many named tensors as the signature declares",
                )
            parts = list(result)
        else:
            parts = [result]
        for part in parts:
            if not isinstance(part, NamedTensor):
                raise entry.error(
                    NamedTensorError,
                    f"the body returned {_what(part)}, and a formula gives a named tensor",
                    _whole_hint(part, entry) or "return the result of the formula's last line",
                )
        if any(made is not update for made in frame.made):
            raise entry.error(
                NamedTensorError,
                "the body makes an update of its states, and does not return it",
                "return Y, nt.update(...): the update stands last",
            )
        wanted: Sequence[Space | None] = spaces if spaces is not None else [None] * len(parts)
        left = []
        for part, space in zip(parts, wanted, strict=True):
            try:
                left.append(entry.leave(part, space))
            except NamedTensorError:
                if origins is not None and hasattr(part, "node"):
                    for place in origins[part.node][-1:]:
                        text = " ".join(place.text.split())
                        try:  # again, with words for what is written there
                            entry.leave(part, space, tight(text))
                        except NamedTensorError as told:
                            told.add_place(self.name, place)
                            raise told from None
                raise
        return left, frame.updates

    def inline(
        self, values: dict[str, Any], leaves: Sequence[Leaf], mode: bool
    ) -> tuple[Any, dict[str, Cell]]:
        """Run the body in place: inside another formula's trace, or untraced on data.

        Gives its result, and the states that it has updated.
        """
        entry = Entry(self.name, leaves, self.signature.results)
        entry.agree()
        held = sizes_held.get()
        if held is not None:
            held += entry.pairs()
        entered = {leaf.path: entry.enter(leaf) for leaf in leaves}
        sizes: dict[str, Any] = {}
        for leaf in reversed(leaves):
            declared = leaf.space.names
            known = [a for a in entered[leaf.path].sizes if a[0] in declared and a[1] is not None]
            sizes.update(known)
        origins: Origins | None = noting.get()
        if origins is not None:
            origins.enter(self.name)
        try:
            result = self.run(values, entered, functools.partial(self.size, sizes), mode)
        finally:
            if origins is not None:
                origins.leave()
        parts, updates = self.results_of(result, entry, origins)
        if origins is not None:  # also if the result is a node that existed before the call
            origins.gave([part.node for part in parts if hasattr(part, "node")])
        return tuple(parts) if self.signature.several else parts[0], updates

    def size(self, sizes: dict[str, Any], name: str) -> Any:
        if sizes.get(name) is not None:
            return sizes[name]
        if name in sizes:
            raise AxisSizeError(
                f"abs({shown(name)})",
                f"axis {shown(name)} has no size yet: what has it is defined by its indices",
                [(self.name, ", ".join(sizes))],
                f"give it one where the tensor is defined: {axis_code(name, 5)}",
            )
        gives = self.signature.gives
        of_result = isinstance(gives, tuple) and any([name in space.names for space in gives])
        raise AxisSizeError(
            f"abs({shown(name)})",
            f"only the result of {self.name} is declared over {shown(name)}, which gives it no size"
            if of_result
            else f"{self.name} declares no axis {shown(name)}",
            [(self.name, ", ".join(sizes) or "no axes")],
            f"say it, {axis_code(name, 4)}, or declare an argument that has {shown(name)}"
            if of_result
            else f"declare it, or ask a tensor: X.size({typed_axes([name])})",
        )


def _whole_hint(part: Any, entry: Entry) -> str:
    """Complete a half contraction X @ ax in a hint, if other arguments have its axes."""
    left: Any = getattr(part, "left", None)
    if not isinstance(part, Contraction) or not hasattr(left, "node"):
        return ""
    label, names = describe(left.node), [axis.name for axis in parse_axes(part.axes)]
    others = [leaf.path for leaf in entry.leaves if all(a in leaf.axes for a in names)]
    codes = [f"{label} @ {typed_axes(names)} @ {other}" for other in others if other != label]
    return f"a contraction has two sides: {either(codes)}" if codes else ""


def _what(result: Any) -> str:
    if result is None:
        return "nothing"
    if isinstance(result, Update):
        return "an update before its result"
    if isinstance(result, tuple):
        if any(isinstance(part, Update) for part in result):
            return "an update before its result"
        if not result:
            return "an update alone"
        return f"a tuple of {len(result)}"
    return "one named tensor" if isinstance(result, NamedTensor) else kind_of_thing(result)
