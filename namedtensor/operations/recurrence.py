"""Recurrence along an axis (paper, section 4.2): h_i = step(h_{i-1}, X_{seq(i)})."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from namedtensor.axes import Axis
from namedtensor.operations.axis_functions import AxisFunction, wants
from namedtensor.operations.joining import stack


def _bind_scan(axes: tuple[Axis, ...]) -> Callable[..., Any]:
    wants("scan", axes, 1, "nt.scan[seq](step, h0, X)")
    axis = axes[0]

    def scan(step: Callable[..., Any], h: Any, *sequences: Any) -> Any:
        states = []
        for i in range(int(sequences[0].size(axis))):
            h = step(h, *[X[axis(i)] for X in sequences])
            states.append(h)
        if not states:
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
