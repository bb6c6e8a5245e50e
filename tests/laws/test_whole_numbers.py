"""Whole numbers are right or refused: nothing wraps around where a number can tell.

The oracle is Python's own arithmetic, which has no widths. Two tensors of one narrow dtype keep it when they
are added or multiplied, as numpy and torch have it (docs/promises.md); everything else is held here.
"""

import inspect
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import B, R, Z, formula
from tests.laws.evaluate import with_signature

DTYPES = ("uint8", "int8", "int16", "int32", "int64")
SIGNED = ("int8", "int16", "int32", "int64")
NUMBERS = (
    0,
    1,
    -1,
    3,
    127,
    128,
    -129,
    200,
    300,
    -300,
    40000,
    2**31,
    -(2**31) - 1,
    2**53 + 1,
    2**62,
)
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
#: How numbers are chosen: what is given for an element x and a number c.
CHOICES: dict[str, tuple[Callable[[Any, int], Any], Callable[[int, int], int]]] = {
    "where": (lambda X, c: nt.where(X > 5, X, c), lambda x, c: x if x > 5 else c),
    "where not": (lambda X, c: nt.where(X > 5, c, X), lambda x, c: c if x > 5 else x),
    "maximum": (lambda X, c: nt.maximum(X, c), max),
    "minimum": (lambda X, c: nt.minimum(c, X), min),
    "stack": (lambda X, c: nt.stack["k"](X, c)["k(1)"], lambda x, c: c),
    "pad": (lambda X, c: nt.pad["s"](X, 1, 0, c)["s(0)"] + 0 * X, lambda x, c: c),
    "set": (lambda X, c: X.at["s[0:9]"].set(c), lambda x, c: c),
    "max at": (lambda X, c: X.at["s[0:9]"].max(c), max),
    "min at": (lambda X, c: X.at["s[0:9]"].min(c), min),
}


def to(library: str, numbers: Any, dtype: str, axes: str) -> Any:
    data = np.array(numbers, dtype)
    return nt.tensor(torch.tensor(data) if library == "torch" else data, axes)


def ways(body: Callable[..., Any], *given: tuple[Any, str, str]) -> Any:
    """Give each way to run a body: eager and as a formula, with kernels and without, on both libraries."""
    spaces = {"b": B, "i": Z, "u": Z, "f": R}
    for library in ("numpy", "torch"):
        tensors = [to(library, numbers, dtype, axes) for numbers, dtype, axes in given]
        yield f"{library} eager", lambda tensors=tensors: body(*tensors)
        for fuse in (True, False):
            declared = {
                f"X{i}": spaces[np.dtype(dtype).kind][tuple(axes.split())]
                for i, (_, dtype, axes) in enumerate(given)
            }
            made = formula(with_signature(body, declared, inspect.Signature.empty), fuse=fuse)
            yield f"{library} formula {fuse}", lambda made=made, tensors=tensors: made(*tensors)


def held(body: Callable[..., Any], want: Any, *given: tuple[Any, str, str]) -> set[str]:
    """Every way gives these numbers, or a KindError that names the dtype; tell which happened."""
    found = set()
    for way, call in ways(body, *given):
        refused, got = "", None
        try:
            got = call()
        except nt.KindError as error:
            refused = str(error)
        if got is None:
            assert "which cannot hold" in refused or "never below 0" in refused, (way, refused)
            found.add("refused")
            continue
        got = got.numpy(*sorted(got.axes)).tolist()
        assert got == want, (way, got, want)
        found.add("right")
    return found


def draws(count: int, seed: int = 0) -> Any:
    draw = random.Random(seed)
    for _ in range(count):
        dtype = draw.choice(DTYPES)
        limits = np.iinfo(dtype)
        numbers = [draw.choice((limits.min, limits.max, 5, 7)) for _ in range(3)]
        yield dtype, limits, numbers, draw.choice(NUMBERS), draw


def test_a_comparison_with_any_number_is_right():
    for dtype, _, numbers, c, draw in draws(60):
        sign = draw.choice(list(COMPARISONS))
        compare = COMPARISONS[sign]
        want = [compare(x, c) for x in numbers]
        assert held(lambda X, c=c, f=compare: f(X, c), want, (numbers, dtype, "s")) == {"right"}


@pytest.mark.parametrize("name", CHOICES)
def test_a_number_that_is_chosen_is_kept_or_refused(name):
    ours, theirs = CHOICES[name]
    seen = set()
    for dtype, limits, numbers, c, _ in draws(20, seed=len(name)):
        want = [theirs(x, c) for x in numbers]
        found = held(lambda X, c=c: ours(X, c), want, (numbers, dtype, "s"))
        assert len(found) == 1, "all ways agree"
        assert found == ({"right"} if limits.min <= c <= limits.max else {"refused"}), (dtype, c)
        seen |= found
    assert seen == {"right", "refused"}


def test_arithmetic_with_a_number_that_does_not_fit_is_refused():
    for dtype, limits, numbers, c, draw in draws(60, seed=3):
        f = draw.choice((operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod))
        if limits.min <= c <= limits.max:
            continue
        for turned in (False, True):
            body = (lambda X, f=f, c=c: f(c, X)) if turned else (lambda X, f=f, c=c: f(X, c))
            assert held(body, None, (numbers, dtype, "s")) == {"refused"}


def test_what_adds_up_adds_up_in_64_bits():
    for dtype in DTYPES:
        most = min(np.iinfo(dtype).max, 10**6)  # three of them fit in 64 bits
        x, y = [most, most, 3], [most, 2, most]
        X, Y = (x, dtype, "s"), (y, dtype, "s")
        both = sum(a * b for a, b in zip(x, y, strict=True))
        assert held(lambda X: nt.sum["s"](X) - 10**6, sum(x) - 10**6, X) == {"right"}
        assert held(lambda X: nt.cumsum["s"](X), [x[0], x[0] + x[1], sum(x)], X) == {"right"}
        assert held(lambda X, Y: X @ "s" @ Y, both, X, Y) == {"right"}
        assert held(lambda X, Y: nt.dot["s"](X, Y, Y[("s -> t")])["t(0)"], both * y[0], X, Y) == {
            "right"
        }
        assert held(
            lambda X, I: nt.scatter["s", "v[2]"](X, I), [3, x[0] + x[1]], X, ([1, 1, 0], dtype, "s")
        ) == {"right"}
        windows = ([[x[0], x[0]], [x[0], x[0]]], dtype, "s k")
        assert held(lambda W: nt.overlap_add["s", "k"](W), [x[0], 2 * x[0], x[0]], windows) == {
            "right"
        }
        square = ([[x[0], 0], [0, x[0]]], dtype, "r c")
        assert held(lambda A: nt.trace["r", "c"](A) - 10**6, 2 * x[0] - 10**6, square) == {"right"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_defined_by_its_indices_keeps_its_numbers_beside_narrow_data(dtype):
    X = ([5], dtype, "s")
    count = list(range(300))
    assert held(lambda X: X + nt.iota("t[300]"), [[5 + i for i in count]], X) == {"right"}
    assert held(lambda X: nt.iota("t[300]") == X, [[i == 5 for i in count]], X) == {"right"}
    assert held(lambda X: nt.where(X > 9, X, nt.iota("t[300]")), [count], X) == {"right"}
    assert held(lambda X: nt.define["s"](lambda i: i - 300) + X, [-295], X) == {"right"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_data_without_axes_counts_as_data(dtype):
    X, y = ([5, 7], dtype, "s"), (70000, "int64", "")
    assert held(lambda X, y: X + y, [70005, 70007], X, y) == {"right"}
    assert held(lambda X, y: y > X, [True, True], X, y) == {"right"}
    assert held(lambda X, y: nt.where(X > 5, X, y), [70000, 7], X, y) == {"right"}
    assert held(lambda X, y: nt.maximum(X, y), [70000, 70000], X, y) == {"right"}
    assert held(lambda X, y: nt.pad["s"](X, 1, 0, y), [70000, 5, 7], X, y) == {"right"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_an_update_holds_what_is_written(dtype):
    X, Y = ([5, 7], dtype, "s"), ([70000, -1], "int64", "s")
    assert held(lambda X, Y: X.at["s[0:2]"].set(Y), [70000, -1], X, Y) == {"right"}
    assert held(lambda X, Y: X.at["s[0:2]"].add(Y), [70005, 6], X, Y) == {"right"}
    assert held(lambda X, Y: X.at["s[0:2]"].min(Y), [5, -1], X, Y) == {"right"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_narrow_whole_numbers_are_indices_and_no_masks(dtype):
    X, I = ([1, 2, 3], "int64", "s"), ([1, 0, 1], dtype, "t")
    assert held(lambda X, I: nt.index["s"](X, I), [2, 1, 2], X, I) == {"right"}
    assert held(lambda X, I: X.at[nt.axes("s")(I)].add(10), [11, 22, 3], X, I) == {"right"}
    assert held(lambda X, I: X.at[nt.axes("s")(I)].set(10), [10, 10, 3], X, I) == {"right"}
    assert held(lambda X, I: X.at[nt.axes("s")(I)].max(10), [10, 10, 3], X, I) == {"right"}
    assert held(lambda X, I: X.at[nt.axes("s")(I)].multiply(10), [10, 200, 3], X, I) == {"right"}
    assert held(lambda I: nt.scatter["t", "v[3]"](1, I), [1, 2, 0], I) == {"right"}
    assert held(lambda I: nt.one_hot(I, "v[3]"), [[0, 1, 0], [1, 0, 0], [0, 1, 0]], I) == {"right"}


def test_negatives_are_right_or_refused():
    for dtype in SIGNED:
        assert held(lambda X: -X, [-5, 7], ([5, -7], dtype, "s")) == {"right"}
    assert held(lambda X: -X, None, ([5, 7], "uint8", "s")) == {"refused"}


def test_a_fraction_stays_one_beside_whole_numbers():
    for dtype in DTYPES:
        X = ([0, 1], dtype, "s")
        assert held(lambda X: nt.isclose(X, 0.5), [False, False], X) == {"right"}
        assert held(lambda X: nt.clip(X, 0.25, 0.5), [0.25, 0.5], X) == {"right"}
        assert held(lambda X: nt.where(X > 0, X, 0.5), [0.5, 1.0], X) == {"right"}


def test_the_law_can_fail():
    with pytest.raises(AssertionError):
        held(lambda X: X + X, [400], ([200], "uint8", "s"))  # two narrow tensors keep their dtype


def test_halves_are_averaged_in_more_than_half_the_digits():
    x = np.tile(np.array([0, 1000], "float16"), 500)
    for library in ("numpy", "torch"):
        X = nt.tensor(x, "s").to(library)
        assert nt.mean["s"](X).item() == nt.std["s"](X).item() == 500.0
        assert nt.norm["s"](X["s[0:50]"]).item() == 5000.0
        assert set(nt.standardize["s"](X).numpy("s").tolist()) == {-1.0, 1.0}
        ones = nt.tensor(np.ones(3000, "float16"), "s").to(library)
        assert nt.cumsum["s"](ones)["s(-1)"].item() == 3000.0


def test_complex_numbers_are_not_cast_to_real_ones():
    for library in ("numpy", "torch"):
        X = nt.tensor([1j], "s").to(library)
        one = nt.tensor([1.0], "s").to(library)
        for call in (
            lambda X=X: nt.cast(X, "float64"),
            lambda X=X: X.to("int64"),
            lambda X=X, one=one: nt.cast(X, like=one),
        ):
            with pytest.raises(nt.KindError, match=r"nt\.real"):
                call()
        assert nt.cast(X, "bool").numpy("s").tolist() == [True]

    s = nt.axes("s")

    @formula
    def cast(X: R[s]) -> R[s]:
        return nt.cast(X, "float64")

    with pytest.raises(nt.KindError, match=r"nt\.real"):
        cast(nt.tensor([1j], "s"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_recurrence_that_starts_with_a_number_has_room(dtype):
    most = int(np.iinfo(dtype).max) if dtype != "int64" else 7
    X, Y = ([most, 5], dtype, "s"), ([[most, 1], [5, 1]], dtype, "s t")
    assert held(lambda X: nt.fold["s"](lambda h, x: h + x, 0, X), most + 5, X) == {"right"}
    assert held(lambda X: nt.fold["s"](lambda h, x: h + x, 0, X), [most + 5, 2], Y) == {"right"}
    assert held(lambda X: nt.scan["s"](lambda h, x: x, 0, X), [most, 5], X) == {"right"}
    assert held(
        lambda X: nt.scan["s"](lambda h, x: nt.maximum(h, x), -5, X), [[most, 1], [most, 1]], Y
    ) == {"right"}
    assert held(
        lambda X: nt.fold["s"](lambda h, x: (h[0] + x, h[1] + 1), (-1, 0), X)[0], most + 4, X
    ) == {"right"}
