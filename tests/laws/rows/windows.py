"""Rows of windows and of ordering (paper, sections 3.2 and 4)."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis
from namedtensor.testing import definitions as D
from tests.laws.examples import REAL, TRUTH, WHOLE, Domain, Example
from tests.laws.row import Row, never
from tests.laws.strategies import Draw, operand, shaped, some


@st.composite
def windowed(draw: Draw, fills: bool = False) -> Example:
    """An axis and a window that fits into it, or fills it several times over."""
    shape = shaped(draw, 1, 3)
    axis = draw(st.sampled_from(list(shape)))
    size = draw(st.integers(1, 3))
    shape[axis] = size * draw(st.integers(0, 3)) if fills else size + draw(st.integers(0, 3))
    return Example((operand(draw, shape),), {"axis": axis, "kernel": "kernel", "size": size})


#: Paddings of an axis; -1 is "same", since words among the settings are axes.
PADDINGS = (0, 1, 2, (0, 1), (2, 1), -1)


def padding_of(ends: Any) -> Any:
    return "same" if ends == -1 else ends


@st.composite
def moved(draw: Draw) -> Example:
    """An axis and a window with a stride, a dilation and a padding, under which it fits."""
    shape = shaped(draw, 1, 3)
    axis = draw(st.sampled_from(list(shape)))
    size, stride = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    dilation, ends = draw(st.integers(1, 3)), draw(st.sampled_from(PADDINGS))
    span = (size - 1) * dilation + 1
    added = 0 if ends == -1 else sum(ends) if isinstance(ends, tuple) else 2 * ends
    shape[axis] = max(span - added, 1) + draw(st.integers(0, 3))
    settings = dict(axis=axis, kernel="kernel", size=size, stride=stride, ends=ends)
    settings |= dict(dilation=dilation, value=draw(st.sampled_from([0.0, -1.5])))
    return Example((operand(draw, shape),), settings)


@st.composite
def added(draw: Draw) -> Example:
    """Windows that begin a stride apart, and how much of their sums is left out."""
    shape = shaped(draw, 2, 3, least_size=1)
    axis, kernel = some(draw, list(shape), 2, 2)
    stride, dilation = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    ends = (draw(st.integers(0, 1)), draw(st.integers(0, 1)))
    whole = (shape[axis] - 1) * stride + (shape[kernel] - 1) * dilation + 1 - sum(ends)
    size = max(whole, 0) + draw(st.integers(0, stride - 1)) if whole >= 0 else None
    if size is None:
        ends, size = (0, 0), whole + sum(ends)
    settings = dict(axis=axis, kernel=kernel, stride=stride, dilation=dilation)
    return Example((operand(draw, shape),), settings | dict(ends=ends, size=size))


@st.composite
def padded(draw: Draw) -> Example:
    shape = shaped(draw, 1, 3)
    axis = draw(st.sampled_from(list(shape)))
    widths = tuple(draw(st.integers(0, 2)) for _ in range(2))
    value = draw(st.sampled_from([0.0, -1.5]))
    return Example((operand(draw, shape),), {"axis": axis, "widths": widths, "value": value})


MODES = ("edge", "reflect", "symmetric", "wrap")


@st.composite
def padded_by_itself(draw: Draw) -> Example:
    """Widths beyond the axis, so that it turns or starts again several times."""
    shape = shaped(draw, 1, 3, least_size=1)
    axis = draw(st.sampled_from(list(shape)))
    widths = tuple(draw(st.integers(0, 5)) for _ in range(2))
    mode = draw(st.integers(0, len(MODES) - 1))
    return Example((operand(draw, shape),), {"axis": axis, "widths": widths, "mode": mode})


@st.composite
def overlapping_windows(draw: Draw) -> Example:
    shape = shaped(draw, 2, 3)
    axis, kernel = some(draw, list(shape), 2, 2)
    shape[kernel] = max(shape[kernel], 1)
    domain = draw(st.sampled_from([REAL, WHOLE]))
    return Example((operand(draw, shape, domain),), {"axis": axis, "kernel": kernel})


@st.composite
def lengthened(draw: Draw) -> Example:
    shape = shaped(draw, 1, 3)
    axes = some(draw, list(shape), 1, 2)
    return Example((operand(draw, shape),), {"axes": axes, "factor": draw(st.integers(1, 3))})


@st.composite
def ordered(draw: Draw, domain: Domain = REAL) -> Example:
    """An axis, and how many of its numbers are wanted on the axis k."""
    shape = shaped(draw, 1, 3)
    axis = draw(st.sampled_from(list(shape)))
    count = draw(st.integers(0, shape[axis]))
    return Example((operand(draw, shape, domain),), {"axis": axis, "k": "new", "count": count})


@st.composite
def chosen(draw: Draw) -> Example:
    shape = shaped(draw, 1, 3)
    axis = draw(st.sampled_from(list(shape)))
    settings = {"axis": axis, "slot": "slot", "size": draw(st.integers(0, 4))}
    return Example((operand(draw, shape, TRUTH),), settings)


def dispatched(X: Any, axis: str, slot: str, size: int) -> Any:
    places, full = nt.dispatch[axis, Axis(slot)[size]](X)
    return nt.where(full, places, -1)


def window(name: str, fills: bool) -> Row:
    return Row(
        name,
        windowed(fills=fills),
        lambda X, axis, kernel, size: getattr(nt, name)[axis, Axis(kernel)[size]](X),
        lambda X, axis, kernel, size: D[name](X, axis, kernel, size),
        (name,),
    )


def top(name: str, kind: str, smooth: Any) -> Row:
    return Row(
        name,
        ordered() | ordered(WHOLE),
        lambda X, axis, k, count: getattr(nt, name)[axis, Axis(k)[count]](X),
        lambda X, axis, k, count: D[name](X, axis, k, count),
        (name,),
        kind=kind,
        smooth=smooth,
    )


ROWS = [
    window("unroll", fills=False),
    window("pool", fills=True),
    *[
        Row(
            f"{name}/moved",
            moved(),
            lambda X, axis, kernel, size, stride, ends, dilation, value, name=name: getattr(
                nt, name
            )[axis, Axis(kernel)[size]](
                X, stride=stride, padding=padding_of(ends), dilation=dilation, value=value
            ),
            lambda X, axis, kernel, size, stride, ends, dilation, value, name=name: D[name](
                X,
                axis,
                kernel,
                size,
                stride,
                padding=padding_of(ends),
                dilation=dilation,
                value=value,
            ),
            ("unroll",),
        )
        for name in ("unroll", "pool")
    ],
    Row(
        "overlap_add/moved",
        added(),
        lambda X, axis, kernel, stride, dilation, ends, size: nt.overlap_add[axis, kernel](
            X, stride=stride, dilation=dilation, padding=ends, size=size
        ),
        lambda X, axis, kernel, stride, dilation, ends, size: D["overlap_add"](
            X, axis, kernel, stride, dilation, ends, size
        ),
        ("overlap_add",),
        kind="number",
    ),
    Row(
        "pad",
        padded(),
        lambda X, axis, widths, value: nt.pad[axis](X, *widths, value),
        lambda X, axis, widths, value: D["pad"](X, axis, *widths, value=value),
        ("pad",),
    ),
    Row(
        "pad/mode",
        padded_by_itself(),
        lambda X, axis, widths, mode: nt.pad[axis](X, *widths, mode=MODES[mode]),
        lambda X, axis, widths, mode: D["pad"](X, axis, *widths, mode=MODES[mode]),
        ("index",),
    ),
    Row(
        "overlap_add",
        overlapping_windows(),
        lambda X, axis, kernel: nt.overlap_add[axis, kernel](X),
        lambda X, axis, kernel: D["overlap_add"](X, axis, kernel),
        ("overlap_add",),
        kind="number",
    ),
    *[
        Row(
            f"upsample/{'linear' if linear else 'nearest'}",
            lengthened(),
            lambda X, axes, factor, linear=linear: nt.upsample[axes](X, factor, linear=linear),
            lambda X, axes, factor, linear=linear: D["upsample"](X, axes, factor, linear),
            ("upsample",),
        )
        for linear in (False, True)
    ],
    Row("dispatch", chosen(), dispatched, D["dispatch"], ("dispatch",), kind="int", smooth=never),
    *[top(name, "like", lambda example: True) for name in ("maxk", "mink")],
    *[top(name, "int", never) for name in ("argmaxk", "argmink", "argmaxk_index", "argmink_index")],
]
