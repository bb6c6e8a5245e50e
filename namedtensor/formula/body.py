"""The body of a formula: run on renamed tensors, its results checked and renamed back."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from namedtensor.axes import axis_sizes, shown
from namedtensor.errors import AxisSizeError, NamedTensorError, TraceError, kind_of_thing
from namedtensor.formula.lifting import Entry, Leaf
from namedtensor.formula.signature import Space
from namedtensor.tensor import NamedTensor

if TYPE_CHECKING:
    from namedtensor.formula.formula import Formula


class Body:
    """Run what a formula's function computes."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula

    def run(
        self, values: dict[str, Any], entered: dict[str, Any], sizes: Callable[[str], Any]
    ) -> Any:
        """Run the body on renamed tensors; abs(ax) is answered by `sizes`."""
        token = axis_sizes.set(sizes)
        try:
            python = self.formula.signature.python
            bound = python.bind_partial()
            for parameter in self.formula.signature.parameters:
                bound.arguments[parameter.name] = self.formula.arguments.entered(
                    parameter, parameter.name, values[parameter.name], entered
                )
            return self.formula.function(*bound.args, **bound.kwargs)
        except TraceError as error:
            raise with_line(error, self.formula.function) from None
        finally:
            axis_sizes.reset(token)

    def results_of(self, result: Any, entry: Entry) -> list[Any]:
        """Check what the body returned, and give it with the caller's axis names."""
        spaces = self.formula.signature.results
        if self.formula.signature.several:
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
                    "return the result of the formula's last line",
                )
        wanted: Sequence[Space | None] = spaces if spaces is not None else [None] * len(parts)
        return [entry.leave(p, s) for p, s in zip(parts, wanted, strict=True)]

    def inline(self, values: dict[str, Any], leaves: Sequence[Leaf]) -> Any:
        """Run the body in place: inside another formula's trace, or untraced on data."""
        entry = Entry(self.formula.name, leaves, self.formula.signature.results)
        entry.agree()
        entered = {leaf.path: entry.enter(leaf) for leaf in leaves}
        sizes: dict[str, Any] = {}
        for leaf in reversed(leaves):
            declared = leaf.space.names
            known = [a for a in entered[leaf.path].sizes if a[0] in declared and a[1] is not None]
            sizes.update(known)
        result = self.run(values, entered, functools.partial(self.size, sizes))
        parts = self.results_of(result, entry)
        return tuple(parts) if self.formula.signature.several else parts[0]

    def size(self, sizes: dict[str, Any], name: str) -> Any:
        if sizes.get(name) is not None:
            return sizes[name]
        if name in sizes:
            raise AxisSizeError(
                f"abs({shown(name)})",
                f"axis {shown(name)} has no size yet: what has it is defined by its indices",
                [(self.formula.name, ", ".join(sizes))],
                f"give it one where the tensor is defined: {shown(name)}[5]",
            )
        raise AxisSizeError(
            f"abs({shown(name)})",
            f"{self.formula.name} declares no axis {shown(name)}",
            [(self.formula.name, ", ".join(sizes) or "no axes")],
            f"declare it, or ask a tensor: X.size({shown(name)})",
        )


def with_line(error: TraceError, function: Callable[..., Any]) -> TraceError:
    """Add the line of a body that cannot be traced; the innermost formula's line is named."""
    code = getattr(function, "__code__", None)
    trace, number = error.__traceback__, 0
    while trace is not None:
        if trace.tb_frame.f_code is code:
            number = trace.tb_lineno
        trace = trace.tb_next
    line = linecache.getline(code.co_filename, number).strip() if code and number else ""
    if not line or any(label.startswith("line ") for label, _ in error.operands):
        return error
    operands = (*error.operands, (f"line {number}", line))
    return TraceError(error.call, error.why, operands, error.hint)


def _what(result: Any) -> str:
    if result is None:
        return "nothing"
    if isinstance(result, tuple):
        return f"a tuple of {len(result)}"
    return "one named tensor" if isinstance(result, NamedTensor) else kind_of_thing(result)
