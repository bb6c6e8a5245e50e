"""Rows of indexing and functional update (paper, section 3.5)."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis
from namedtensor.testing import definitions as D
from tests.laws.examples import ByAxis, Domain, Example
from tests.laws.row import Row, never
from tests.laws.strategies import Draw, indices, names, operand, shaped, sizes, some

# --------------------------------------------------------------------------- records and ranges


@st.composite
def at_one(draw: Draw) -> Example:
    shape = shaped(draw, 1, 4, least_size=1)
    axis = draw(st.sampled_from(list(shape)))
    index = draw(st.integers(-shape[axis], shape[axis] - 1))
    return Example((operand(draw, shape),), {"axis": axis, "index": index})


@st.composite
def of_a_range(draw: Draw) -> Example:
    shape = shaped(draw, 1, 4)
    bound = st.none() | st.integers(-5, 5)
    step = draw(st.sampled_from([None, 1, 2, -1, -2]))
    return Example(
        (operand(draw, shape),),
        {
            "axis": draw(st.sampled_from(list(shape))),
            "chosen": slice(draw(bound), draw(bound), step),
        },
    )


@st.composite
def of_a_list(draw: Draw) -> Example:
    shape = shaped(draw, 1, 4, least_size=1)
    axis = draw(st.sampled_from(list(shape)))
    chosen = draw(st.lists(st.integers(-shape[axis], shape[axis] - 1), max_size=4))
    return Example((operand(draw, shape),), {"axis": axis, "chosen": tuple(chosen)})


@st.composite
def of_a_mask(draw: Draw) -> Example:
    shape = shaped(draw, 1, 4)
    axis = draw(st.sampled_from(list(shape)))
    mask = draw(st.lists(st.booleans(), min_size=shape[axis], max_size=shape[axis]))
    return Example((operand(draw, shape),), {"axis": axis, "mask": tuple(mask)})


def listed(X: Any, axis: str, chosen: tuple[int, ...]) -> Any:
    """Select and keep the axis, by stacking what is selected."""
    if not chosen:
        return D["slice"](X, axis, slice(0, 0))
    return D["stack"](*[D["at"](X, axis, i) for i in chosen], axis=axis)


def masked(X: Any, axis: str, mask: tuple[bool, ...]) -> Any:
    return listed(X, axis, tuple(i for i, there in enumerate(mask) if there))


# ------------------------------------------------------------------------------ integer tensors


@st.composite
def by_tensors(draw: Draw, count: int = 1) -> Example:
    """Axes indexed by tensors, whose own axes may be those of the tensor indexed, or new."""
    every = sizes(draw, names(draw, count, 4), 1)
    shape = {axis: every[axis] for axis in some(draw, list(every), count, 3)}
    indexed = some(draw, list(shape), count, count)
    spare = {axis: n for axis, n in every.items() if axis not in indexed} | {"new": 2}
    tensors = [
        indices(draw, {a: spare[a] for a in some(draw, list(spare), 0, 2)}, shape[axis])
        for axis in indexed
    ]
    return Example((operand(draw, shape), *tensors), {"axes": tuple(indexed)})


@st.composite
def along_itself(draw: Draw) -> Example:
    """An index tensor with the axis that it indexes, as numpy's take_along_axis has."""
    shape = shaped(draw, 1, 3, least_size=1)
    axis = draw(st.sampled_from(list(shape)))
    others = some(draw, [a for a in shape if a != axis])
    own = {a: shape[a] for a in others} | {axis: draw(st.integers(0, 3))}
    return Example((operand(draw, shape), indices(draw, own, shape[axis])), {"axes": (axis,)})


def bracketed(X: Any, *where: Any, axes: tuple[str, ...]) -> Any:
    return X[tuple(Axis(axis)(I) for axis, I in zip(axes, where, strict=True))]


def prefixed(X: Any, *where: Any, axes: tuple[str, ...]) -> Any:
    return nt.index[axes](X, *where)


def picked(X: Any, *where: Any, axes: tuple[str, ...]) -> Any:
    return D["index"](X, **dict(zip(axes, where, strict=True)))


# --------------------------------------------------------------------------------------- places


@st.composite
def places(draw: Draw, written: bool, distinct: bool) -> Example:
    """A place of indices, ranges and at most one tensor; a value to write there, if asked for.

    The value has some of the axes of the place, and perhaps one of its own. Where a value is set,
    indices are distinct: which of two wins is nobody's promise.
    """
    shape = shaped(draw, 1, 3, least_size=1)
    place: dict[str, Any] = {}
    read = dict(shape)
    kinds = ["number", "range", "tensor"]
    for axis in some(draw, list(shape), 1):
        kind = draw(st.sampled_from(kinds if None not in place.values() else kinds[:2]))
        n = read.pop(axis)
        if kind == "number":
            place[axis] = draw(st.integers(-n, n - 1))
        elif kind == "range":
            bounds = draw(st.integers(0, n)), draw(st.integers(-n, n))
            place[axis] = slice(*bounds, draw(st.sampled_from([None, 2])))
            read[axis] = len(range(n)[place[axis]])
        else:
            place[axis] = None
    tensors = []
    for axis in [axis for axis, wanted in place.items() if wanted is None]:
        own = {"picked": draw(st.integers(1, shape[axis]))}
        if not distinct:
            own |= {a: shape[a] for a in some(draw, [a for a in shape if a not in place])}
        domain = Domain("distinct" if distinct else "int", 0, shape[axis])
        tensors.append(operand(draw, own, domain))
        read |= own
    settings = {"place": ByAxis(place)}
    if not written:
        return Example((operand(draw, shape), *tensors), settings, ("picked",))
    own = {axis: read[axis] for axis in some(draw, list(read))}
    if draw(st.booleans()):
        own["wide"] = 2
    return Example((operand(draw, shape), operand(draw, own), *tensors), settings, ("picked",))


def record(place: dict[str, Any], tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    """Write a place in brackets."""
    parts: list[Any] = []
    for axis, wanted in place.items():
        if isinstance(wanted, slice):
            parts.append(Axis(axis)[wanted])
        else:
            parts.append(Axis(axis)(tensors[0] if wanted is None else wanted))
    return tuple(parts)


def filled(place: dict[str, Any], tensors: tuple[Any, ...]) -> dict[str, Any]:
    return {axis: tensors[0] if wanted is None else wanted for axis, wanted in place.items()}


@st.composite
def hot(draw: Draw) -> Example:
    size = draw(st.integers(0, 4))
    shape = shaped(draw, 0, 3)
    marks = operand(draw, shape, Domain("int", 0, size + 1))
    return Example((marks,), {"axis": "new", "size": size})


@st.composite
def to_scatter(draw: Draw) -> Example:
    """Numbers, and the place of each along one axis that either has."""
    shape = shaped(draw, 1, 3)
    axis = draw(st.sampled_from(list(shape)))
    size = draw(st.integers(1, 4))
    shared = some(draw, [a for a in shape if a != axis], 0, 1)
    owner = draw(st.sampled_from(["both", "numbers", "places"]))
    own = shared if owner == "numbers" else [axis, *shared]
    marks = indices(draw, {a: shape[a] for a in own}, size)
    if owner == "places":
        shape = {a: n for a, n in shape.items() if a != axis}
    return Example((operand(draw, shape), marks), {"axis": axis, "into": "new", "size": size})


MIXED = st.one_of(by_tensors(1), by_tensors(2), along_itself())

ROWS = [
    Row(
        "at",
        at_one(),
        lambda X, axis, index: X[Axis(axis)(index)],
        D["at"],
        ("at",),
    ),
    Row(
        "slice",
        of_a_range(),
        lambda X, axis, chosen: X[Axis(axis)[chosen]],
        D["slice"],
        ("slice",),
    ),
    Row(
        "index/list",
        of_a_list(),
        lambda X, axis, chosen: X[Axis(axis)[list(chosen)]],
        listed,
        ("index", "listed"),
    ),
    Row(
        "index/mask",
        of_a_mask(),
        lambda X, axis, mask: X[Axis(axis)[np.array(mask, dtype=bool)]],
        masked,
        ("index", "listed"),
    ),
    Row("index", MIXED, bracketed, picked, ("index",), meets=True, borrows=True),
    Row("index/prefix", MIXED, prefixed, picked, ("index",), meets=True, borrows=True),
    Row(
        "get",
        places(written=False, distinct=False),
        lambda X, *tensors, place: X[record(place, tensors)],
        lambda X, *tensors, place: D["get"](X, filled(place, tensors)),
        ("index", "at", "slice"),
    ),
    Row(
        "set_at",
        places(written=True, distinct=True),
        lambda X, Y, *tensors, place: X.at[record(place, tensors)].set(Y),
        lambda X, Y, *tensors, place: D["set_at"](X, Y, filled(place, tensors)),
        ("set_at",),
        fixed=(2,),
        meets=True,
        borrows=True,
    ),
    Row(
        "add_at",
        places(written=True, distinct=False),
        lambda X, Y, *tensors, place: X.at[record(place, tensors)].add(Y),
        lambda X, Y, *tensors, place: D["add_at"](X, Y, filled(place, tensors)),
        ("add_at",),
        fixed=(2,),
        meets=True,
        borrows=True,
    ),
    *[
        Row(
            f"{verb}_at",
            places(written=True, distinct=False),
            lambda X, Y, *tensors, place, verb=verb: getattr(X.at[record(place, tensors)], verb)(Y),
            lambda X, Y, *tensors, place, verb=verb: D[f"{verb}_at"](X, Y, filled(place, tensors)),
            (f"{verb}_at",),
            fixed=(2,),
            meets=True,
            borrows=True,
        )
        for verb in ("multiply", "min", "max")
    ],
    Row(
        "scatter",
        to_scatter(),
        lambda X, I, axis, into, size: nt.scatter[axis, Axis(into)[size]](X, I),
        D["scatter"],
        ("scatter",),
        kind="number",
        meets=True,
        borrows=True,
        fixed=(1,),
    ),
    Row(
        "set_at/number",
        at_one(),
        lambda X, axis, index: X.at[Axis(axis)(index)].set(7.0),
        lambda X, axis, index: D["set_at"](X, D["full"]({}, 7.0), {axis: index}),
        ("set_at",),
    ),
    Row(
        "one_hot",
        hot(),
        lambda I, axis, size: nt.one_hot(I, Axis(axis)[size]),
        D["one_hot"],
        ("one_hot",),
        kind="int",
        smooth=never,
        names=False,
    ),
]
