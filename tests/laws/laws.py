"""The laws: what holds for every operation, whatever it computes.

A law takes a row of the table and one generated example; it raises AssertionError where it is
broken. The paper's definitions are those of `namedtensor.testing`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from hypothesis import assume
from hypothesis import strategies as st

import namedtensor as nt
from namedtensor import Axis
from namedtensor.testing import RecordTensor, assert_close
from namedtensor.testing.calculus import derivative
from namedtensor.testing.contraction import dot
from namedtensor.testing.records import index_of
from namedtensor.testing.reductions import reduction
from namedtensor.testing.renaming import rename
from tests.laws.evaluate import LIBRARIES, WAYS, evaluate, in_formula, renamed, tensors
from tests.laws.examples import Example, Operand
from tests.laws.row import Row

Way = tuple[str, bool]


def held(X: Any, Y: Any, what: str, **limits: float) -> None:
    """Raise AssertionError unless X and Y agree, saying what was compared."""
    try:
        assert_close(X, Y, **limits)
    except AssertionError as error:
        raise AssertionError(f"{what}: {error}") from None


def written(way: Way) -> str:
    library, traced = way
    return f"X on {library}, {'traced' if traced else 'eager'}"


# ----------------------------------------------------------------------------- the paper's value


def value_is_the_paper_s(row: Row, example: Example) -> None:
    """Each way of running gives the definition's numbers, so all ways agree with one another."""
    expected = row.on_records(example)
    kind = row.result_kind(example)
    for way in WAYS:
        found = evaluate(row, example, *way)
        held(found, expected, f"{written(way)}, Y by definition")
        assert found.kind == kind, f"{written(way)} holds {found.kind} numbers, not {kind}"


# --------------------------------------------------------------------------------------- lifting


def widened(draw: Any, example: Example, places: list[int]) -> Example:
    """Give some of the operands at these places one axis more, called extra."""
    chosen = draw(st.lists(st.sampled_from(places), min_size=1, unique=True))
    size = draw(st.sampled_from([2, 3, 1, 0]))
    changed = {}
    for i, X in example.tensors():
        if i in chosen:
            order = draw(st.permutations([*X.axes, "extra"]))
            sizes = {**X.sizes, "extra": size}
            seed = draw(st.integers(0, 2**16))
            changed[i] = X.drawn_as({axis: sizes[axis] for axis in order}, seed)
    return example.with_operands(changed)


@st.composite
def lifted_examples(draw: Any, row: Row) -> tuple[Example, str, Way]:
    """An example some of whose operands have one axis more, which the call does not name."""
    example = draw(row.example)
    places = [i for i, _ in example.tensors() if i not in row.fixed]
    assume(places)
    return widened(draw, example, places), "extra", draw(st.sampled_from(WAYS))


def lifting_commutes_with_indexing(row: Row, case: tuple[Example, str, Way]) -> None:
    """[f(X)]_s = f([X]_s) for every index s of an axis that f does not name."""
    example, axis, way = case
    whole = evaluate(row, example, *way)
    size = next(X.sizes[axis] for _, X in example.tensors() if axis in X.axes)
    assert whole.size(axis) == size, f"{axis} is {size} before and {whole.size(axis)} after"
    for i in range(size):
        part = example.each(lambda X, i=i: X.at(axis, i) if axis in X.axes else X)
        held(
            whole[Axis(axis)(i)],
            evaluate(row, part, *way),
            f"{written(way)}, indexed after at {axis}({i}), Y before",
        )


# --------------------------------------------------------------------------------------- storage


@st.composite
def stored_examples(draw: Any, row: Row) -> tuple[Example, Example, Way]:
    """An example, and the same numbers with their axes stored in other orders."""
    example = draw(row.example)
    other = example.each(lambda X: X.stored_as(tuple(draw(st.permutations(X.axes)))))
    return example, other, draw(st.sampled_from(WAYS))


def storage_changes_nothing(row: Row, case: tuple[Example, Example, Way]) -> None:
    """Axes have no order, so that in which they are stored does not show in the result."""
    example, other, way = case
    held(
        evaluate(row, example, *way),
        evaluate(row, other, *way),
        f"{written(way)}, Y of the same tensors stored in another order",
    )


# -------------------------------------------------------------------------------------- renaming


@st.composite
def renamed_examples(draw: Any, row: Row) -> tuple[Example, dict[str, str], Way]:
    """An example, and other names for all axes that it speaks of, some of them swapped."""
    example = draw(row.example)
    names = sorted({*example.axes, *example.named_axes})
    after = draw(st.permutations([*names, "other", "other'", "another"]))
    return example, dict(zip(names, after, strict=False)), draw(st.sampled_from(WAYS))


def renaming_commutes(row: Row, case: tuple[Example, dict[str, str], Way]) -> None:
    """Names have no meaning: renamed before or after, the result is the same."""
    example, names, way = case
    before = evaluate(row, example.renamed(names), *way)
    after = evaluate(row, example, *way)
    kept = [Axis(a) >> Axis(names[a]) for a in after.axes if names.get(a, a) != a]
    after = after[tuple(kept)] if kept else after
    held(before, after, f"{written(way)}, renamed before by {names}, Y renamed after")


# --------------------------------------------------------------------------------------- hygiene


@st.composite
def hidden_examples(draw: Any, row: Row) -> tuple[Example, list[str], str]:
    """An example, and axes that it lifts over, which the formula's signature will not name."""
    example, _, _ = draw(lifted_examples(row))
    free = example.free_axes
    hidden = draw(st.lists(st.sampled_from(free), min_size=1, unique=True))
    return example, hidden, draw(st.sampled_from(LIBRARIES))


def formulas_lift_over_what_they_do_not_name(
    row: Row, case: tuple[Example, list[str], str]
) -> None:
    """A formula gives the same whether its signature names an axis or lifts over it."""
    example, hidden, library = case
    found = in_formula(row, example, hidden)(*tensors(example, library))
    held(
        found,
        row.on_records(example),
        f"X by a formula on {library} that does not name {', '.join(hidden)}, Y by definition",
    )


@st.composite
def clashing_examples(draw: Any, row: Row) -> tuple[Example, str, str]:
    """An example with an extra axis, and the name of an axis that the body uses up elsewhere."""
    example = draw(row.example)
    result = row.on_records(example).shape
    takers = {
        axis: [i for i, X in example.tensors() if axis not in X.axes and i not in row.fixed]
        for axis in sorted({*example.axes, *example.named_axes} - {*result})
    }
    clashing = [axis for axis, places in takers.items() if places]
    assume(clashing)
    axis = draw(st.sampled_from(clashing))
    return widened(draw, example, takers[axis]), axis, draw(st.sampled_from(LIBRARIES))


def formulas_are_hygienic(row: Row, case: tuple[Example, str, str]) -> None:
    """An extra axis passes through a formula, even where the body uses its name for another."""
    example, clashing, library = case
    made = in_formula(row, example, ["extra"])
    outer = {"extra": clashing}
    given = [renamed(X, outer) for X in tensors(example, library)]
    held(
        made(*given),
        rename(row.on_records(example), outer),
        f"X by a formula on {library} whose body uses {clashing}, which its caller has too, "
        "Y by definition",
    )


# ------------------------------------------------------------------------------------- gradients


@st.composite
def smooth_examples(draw: Any, row: Row) -> tuple[Example, int, bool]:
    """An example without ties, at which the operation has a derivative."""
    example = draw(row.example)
    assume(row.smooth(example))
    seed = draw(st.integers(0, 2**16))
    continuous = example.with_operands(
        {
            i: X.drawn_as(X.sizes, seed + i, ties=False)
            for i, X in example.tensors()
            if X.array.dtype.kind == "f"
        }
    )
    assume(any(X.array.dtype.kind == "f" for _, X in continuous.tensors()))
    return continuous, seed, draw(st.booleans())


STEP = 1e-5


def gradients_are_finite_differences(row: Row, case: tuple[Example, int, bool]) -> None:
    """torch's gradient of a weighted sum of the result, along a direction, by the definition's change.

    sum_X <dL/dX, D> = (L(X + h D) - L(X - h D)) / 2h
    """
    example, seed, traced = case
    rng = np.random.default_rng(seed)
    directions = {
        i: rng.uniform(-1, 1, X.array.shape)
        for i, X in example.tensors()
        if X.array.dtype.kind == "f"
    }
    result = row.on_records(example)
    order = sorted(result.shape)
    weights = rng.uniform(-1, 1, [result.shape[axis] for axis in order])
    for r, number in result.entries.items():
        if not math.isfinite(number):
            weights[tuple(index_of(r, axis) for axis in order)] = 0.0

    def loss(far: float) -> float:
        moved = {
            i: replace(X, array=X.array + far * directions[i])
            for i, X in example.tensors()
            if i in directions
        }
        return weighted(row.on_records(example.with_operands(moved)), order, weights)

    expected = (loss(STEP) - loss(-STEP)) / (2 * STEP)
    found = directional(row, example, directions, order, weights, traced)
    assert abs(found - expected) <= 1e-6 + 1e-5 * abs(expected), (
        f"torch, {'traced' if traced else 'eager'}: the gradient gives {found} "
        f"along the direction, finite differences {expected}"
    )


def weighted(T: RecordTensor, order: list[str], weights: Any) -> float:
    """Sum the finite numbers, each with its weight."""
    places = {r: tuple(index_of(r, axis) for axis in order) for r in T.entries}
    return float(sum(weights[places[r]] * n for r, n in T.entries.items() if math.isfinite(n)))


def directional(
    row: Row,
    example: Example,
    directions: dict[int, Any],
    order: list[str],
    weights: Any,
    traced: bool,
) -> float:
    """Let torch differentiate the weighted sum of the result, and go along the directions."""
    named = example.named("torch")
    for i in directions:
        named[i] = nt.tensor(named[i].data.clone().requires_grad_(), *named[i].axes)
    if traced:
        given = [named[i] for i, _ in example.tensors()]
        result = in_formula(row, example)(*given)
    else:
        result = row.call(*named, **example.settings)
    loss = (result.torch(*order) * torch.from_numpy(np.asarray(weights))).sum()
    if not loss.requires_grad:
        return 0.0  # the result depends on no number: a window of nothing, an empty axis
    loss.backward()
    along = [
        0.0 if X.grad is None else float((X.grad.data.numpy() * directions[i]).sum())
        for i, X in enumerate(named)
        if i in directions
    ]
    return sum(along)


# ----------------------------------------------------------------------------------- derivatives


def of_one(
    call: Callable[..., Any], given: list[Any], place: int, settings: Any
) -> Callable[..., Any]:
    """Make a call a function of one of its operands."""
    return lambda X: call(*given[:place], X, *given[place + 1 :], **settings)


def derivatives_have_starred_axes(row: Row, case: tuple[Example, int, bool]) -> None:
    """(df/dX)_{t, s*} by torch is that of finite differences, for one operand X of f.

    The differential along a direction is the derivative contracted with it, and the gradient of the
    sum is the derivative summed over the axes of the result.
    """
    example, seed, _ = case
    place = next(i for i, X in example.tensors() if X.array.dtype.kind == "f")
    records, named = example.records(), example.named("torch")
    assume(all(map(math.isfinite, row.on_records(example).values())))
    f = of_one(row.call, named, place, example.settings)
    expected = derivative(of_one(row.define, records, place, example.settings), records[place])
    limits = {"rtol": 1e-5, "atol": 1e-6}
    held(nt.derivative(f)(named[place]), expected, "X by nt.derivative, Y by differences", **limits)
    X = example.operands[place]
    assert isinstance(X, Operand)
    direction = X.drawn_as(X.sizes, seed + 1, ties=False)
    along = {axis: axis + "*" for axis in X.axes}
    held(
        nt.differential(f)(named[place], direction.named("torch")),
        dot(expected, rename(direction.records(), along), axes=list(along.values())),
        "X by nt.differential, Y by differences",
        **limits,
    )
    inputs = list(along.values())
    total = reduction(sum)(expected, [axis for axis in expected.shape if axis not in inputs])
    held(
        nt.grad(lambda X: nt.sum[...](f(X)))(named[place]),
        rename(total, {star: axis for axis, star in along.items()}),
        "X by nt.grad of the sum, Y by differences",
        **limits,
    )


# -------------------------------------------------------------------------------------- refusals


@st.composite
def mistyped_examples(draw: Any, row: Row) -> tuple[Example, str, str]:
    """An example whose settings name an axis that the operands do not have."""
    example = draw(row.example)
    named = [axis for axis in example.axes if axis in example.named_axes]
    assume(named)
    axis = draw(st.sampled_from(named))
    wrong = example.renamed({axis: "absent"}).settings
    return replace(example, settings=wrong), axis, draw(st.sampled_from(LIBRARIES))


def an_absent_axis_is_refused(row: Row, case: tuple[Example, str, str]) -> None:
    example, axis, library = case
    refused(
        lambda: row.on_named(example, library),
        nt.NamedTensorError,
        f"the operands have an axis {axis} and none called absent",
    )


@st.composite
def torn_examples(draw: Any, row: Row) -> tuple[Example, str, str]:
    """An example in which a shared axis has one index more in one operand than in the others."""
    example, _, _ = draw(lifted_examples(row))
    shared = [
        (axis, i)
        for i, X in example.tensors()
        for axis in X.axes
        if axis in example.free_axes and sum(axis in Y.axes for _, Y in example.tensors()) > 1
    ]
    assume(shared)
    axis, i = draw(st.sampled_from(shared))
    X = example.operands[i]
    larger = X.drawn_as({**X.sizes, axis: X.sizes[axis] + 1}, 0)
    return example.with_operands({i: larger}), axis, draw(st.sampled_from(LIBRARIES))


def another_size_is_refused(row: Row, case: tuple[Example, str, str]) -> None:
    """Sizes are compared by name: not even a size of 1 is repeated silently."""
    example, axis, library = case
    refused(
        lambda: row.on_named(example, library),
        nt.AxisSizeError,
        f"the operands have different sizes of the axis {axis}",
    )


def refused(call: Callable[[], Any], error: type[Exception], why: str) -> None:
    try:
        found = call()
    except error:
        return
    raise AssertionError(f"{why}, and the call gave {found!r}")
