"""Recurrence along an axis (paper, section 4.2): h_i = step(h_{i-1}, X_{seq(i)})."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis
from namedtensor.errors import AxisNameError, AxisSizeError, kind_of_thing
from namedtensor.operations.axis_functions import AxisFunction, named_operand, same_size, wants
from namedtensor.operations.joining import stack
from namedtensor.shape import spaced
from namedtensor.tensor import NamedTensor


def _bind_scan(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("scan", axes, 1, "nt.scan[seq](step, h0, X)")
    axis = axes[0]

    def scan(step: Callable[..., Any], h: Any, *sequences: Any) -> Any:
        call = f"scan[{axis.name}]"
        if not sequences:
            raise AxisNameError(
                f"{call}(step, h0)",
                "there is nothing to run along",
                hint=f"nt.scan[{axis.name}](step, h0, X)",
            )
        for X in sequences:
            named_operand(call, X, axis)
        same_size(call, axis.name, sequences)
        states = []
        for i in range(int(sequences[0].size(axis))):
            h = step(h, *[X[axis(i)] for X in sequences])
            states.append(h)
        if not states:
            if not isinstance(h, NamedTensor):
                raise AxisSizeError(
                    f"{call}(step, h0, X)",
                    f"axis {axis.name} is 0 in X, and h0 is {kind_of_thing(h)} without axes to give",
                    [("X", spaced(sequences[0].sizes))],
                    "start with a named tensor: nt.zeros(hid[4])",
                )
            return stack[axis.name](h)[axis[0:0]]
        return stack[axis.name](*states)

    return scan


scan = AxisFunction(
    "scan",
    _bind_scan,
    "Run a recurrence along an axis and give all its states.\n\n"
    "    scan[seq](step, h0, X)_{seq(i)} = h_i,  h_i = step(h_{i-1}, X_{seq(i)}),  h_{-1} = h0\n\n"
    "Inside a formula the steps are written out, so that another length is another plan.",
)
