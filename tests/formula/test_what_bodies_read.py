"""What a body reads from outside belongs to its plan: a number that changes is another plan."""

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close

seq, emb = axes("seq emb")

scale: Any = 2.0
flag = True
how = "double"
pair: Any = (1.0, 2.0)
listed = [2.0]
table = {"scale": 2.0}
config = types.SimpleNamespace(scale=2.0, inner=types.SimpleNamespace(scale=2.0))
optional: float | None = None
settings_module = types.ModuleType("settings_module")
settings_module.scale = 2.0  # type: ignore[attr-defined]
calls = 0


class Settings:
    scale = 2.0


X = nt.tensor(np.array([1.0, 2.0]), "seq")
START = dict(scale=2.0, flag=True, how="double", pair=(1.0, 2.0), optional=None)


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    globals().update(START)
    listed[:], table["scale"], Settings.scale = [2.0], 2.0, 2.0
    config.scale = config.inner.scale = settings_module.scale = 2.0


@formula
def scaled(X: R[seq]) -> R[seq]:
    return X * scale


@formula
def weighted(X: R[seq], *, W: R[seq]) -> R[seq]:
    return X * W * scale


@formula
def by_flag(X: R[seq]) -> R[seq]:
    return X * 2 if flag else X * 3


@formula
def by_word(X: R[seq]) -> R[seq]:
    return X * {"double": 2, "treble": 3}[how]


@formula
def by_pair(X: R[seq]) -> R[seq]:
    return X * pair[1]


@formula
def by_list(X: R[seq]) -> R[seq]:
    return X * listed[0]


@formula
def by_table(X: R[seq]) -> R[seq]:
    return X * table["scale"]


@formula
def by_object(X: R[seq]) -> R[seq]:
    return X * config.scale


@formula
def by_object_of_object(X: R[seq]) -> R[seq]:
    return X * config.inner.scale


@formula
def by_module(X: R[seq]) -> R[seq]:
    return X * settings_module.scale


@formula
def by_class(X: R[seq]) -> R[seq]:
    return X * Settings.scale


@formula
def by_none(X: R[seq]) -> R[seq]:
    return X * (2 if optional is None else optional)


@formula
def in_nested(X: R[seq]) -> R[seq]:
    def inside(Y: Any) -> Any:
        return (lambda Z: Z * scale)(Y)

    return inside(X)


def helper(X: Any) -> Any:
    return X * scale


@formula
def by_helper(X: R[seq]) -> R[seq]:
    return helper(X)


@formula
def calls_it(X: R[seq]) -> R[seq]:
    return scaled(X)


@formula
def calls_what_calls_it(X: R[seq]) -> R[seq]:
    return calls_it(X) + 0


@formula
def bundled(X: R[seq], *, part: weighted) -> R[seq]:
    return part(X)


@formula
def stack(X: R[seq], *, parts: nt.each[weighted]) -> R[seq]:
    for part in parts:
        X = part(X)
    return X


@formula
def with_setting(X: R[seq], k: int = 1) -> R[seq]:
    return X * k * scale


@formula
def two(X: R[seq]) -> tuple[R[seq], R[seq]]:
    return X, X * scale


@formula(trace=False)
def untraced(X: R[seq]) -> R[seq]:
    return X * scale


@formula
def calls_untraced(X: R[seq]) -> R[seq]:
    return untraced(X)


ones = nt.ones("seq[2]")


def put(**values: Any) -> Callable[[], None]:
    return lambda: globals().update(values)


def set_part(held: Any, name: str) -> Callable[[], None]:
    return lambda: setattr(held, name, 3.0)


CASES: dict[str, tuple[Callable[[], Any], Callable[[], None]]] = {
    "a number": (lambda: scaled(X), put(scale=3.0)),
    "a whole number": (lambda: scaled(X), put(scale=3)),
    "a number of numpy": (lambda: scaled(X), put(scale=np.float32(3.0))),
    "a truth value": (lambda: by_flag(X), put(flag=False)),
    "a word": (lambda: by_word(X), put(how="treble")),
    "a tuple": (lambda: by_pair(X), put(pair=(1.0, 3.0))),
    "a list": (lambda: by_list(X), lambda: listed.__setitem__(0, 3.0)),
    "a dict": (lambda: by_table(X), lambda: table.update(scale=3.0)),
    "an object's": (lambda: by_object(X), set_part(config, "scale")),
    "an object's object's": (lambda: by_object_of_object(X), set_part(config.inner, "scale")),
    "another module's": (lambda: by_module(X), set_part(settings_module, "scale")),
    "a class's": (lambda: by_class(X), set_part(Settings, "scale")),
    "None": (lambda: by_none(X), put(optional=3.0)),
    "nested functions": (lambda: in_nested(X), put(scale=3.0)),
    "a helper": (lambda: by_helper(X), put(scale=3.0)),
    "a formula called": (lambda: calls_it(X), put(scale=3.0)),
    "a formula called by one called": (lambda: calls_what_calls_it(X), put(scale=3.0)),
    "a bundle": (lambda: bundled(X, part={"W": ones}), put(scale=3.0)),
    "a stack": (lambda: stack(X, parts=[{"W": ones}]), put(scale=3.0)),
    "a setting beside it": (lambda: with_setting(X, k=1), put(scale=3.0)),
    "one of two results": (lambda: two(X)[1], put(scale=3.0)),
    "an untraced formula called": (lambda: calls_untraced(X), put(scale=3.0)),
    "many records": (lambda: scaled(nt.ones("emb[2] seq[2]")), put(scale=3.0)),
}


@pytest.mark.parametrize(("call", "change"), CASES.values(), ids=CASES)
def test_what_changes_outside_is_seen(call: Any, change: Any) -> None:
    first = call()
    assert_close(call(), first)
    change()
    for _ in range(2):
        assert_close(call(), first * 1.5)


def test_derivatives_see_it() -> None:
    slope = nt.differential(scaled)
    dX = nt.ones("seq[2]")
    assert_close(slope(X, dX), dX * 2.0)
    globals()["scale"] = 3.0
    assert_close(slope(X, dX), dX * 3.0)


def test_modules_see_it() -> None:
    whole = stack.module(seq[2], parts=2)
    data = nt.ones("seq[2]", backend="torch")
    plain = weighted.module(seq[2])
    first, plain_first = whole(data), plain(data)
    assert_close(whole(data), first)
    globals()["scale"] = 3.0
    assert_close(whole(data), first * 1.5**2)
    assert_close(plain(data), plain_first * 1.5)


def test_stacks_held_together_see_it() -> None:
    @formula
    def together(X: R[seq], *, parts: nt.each[weighted, "stacked"]) -> R[seq]:  # noqa: F821
        return parts(X)

    (axis,) = [a.name for a in together.signature["parts"].bundle.signature["W"].space.axes[:1]]
    parts = {"W": nt.ones(f"{axis}[2] seq[2]")}
    first = together(X, parts=parts)
    globals()["scale"] = 3.0
    assert_close(together(X, parts=parts), first * 1.5**2)


def test_what_is_closed_over_is_seen() -> None:
    factor = 2.0

    @formula
    def inner(X: R[seq]) -> R[seq]:
        return X * factor

    @formula
    def outer(X: R[seq]) -> R[seq]:
        return inner(X)

    assert_close(outer(X), X * 2.0)
    factor = 3.0
    assert_close(outer(X), X * 3.0)
    assert_close(inner(X), X * 3.0)


def test_what_is_closed_over_may_be_assigned_after_the_formula() -> None:
    @formula
    def late(X: R[seq]) -> R[seq]:
        return X * factor

    for factor in (2.0, 3.0):
        assert_close(late(X), X * factor)


def test_a_formula_that_stands_in_a_bundle_is_seen() -> None:
    @formula
    def declared(X: R[seq], *, W: R[seq]) -> R[seq]:
        return X * W

    @formula
    def whole(X: R[seq], *, part: declared) -> R[seq]:
        return part(X)

    module = whole.module(seq[2], part=weighted.module(seq[2]))
    data = nt.ones("seq[2]", backend="torch")
    first = module(data)
    globals()["scale"] = 3.0
    assert_close(module(data), first * 1.5)


def test_a_value_that_comes_back_needs_no_new_plan() -> None:
    @formula
    def own(X: R[seq]) -> R[seq]:
        return X * scale

    for number in (2.0, 3.0, 2.0, 3.0):
        globals()["scale"] = number
        assert_close(own(X), X * number)
    assert own.planned == 2


def test_equal_values_of_other_types_are_other_plans() -> None:
    whole = nt.tensor(np.arange(3), "seq")
    found = []
    for number in (1, 1.0, True, 1):
        globals()["scale"] = number
        found.append(scaled(whole).kind)
    assert [*found[:2], found[3]] == ["int", "float", "int"]


def test_what_a_body_writes_itself_makes_no_new_plans() -> None:
    @formula
    def counted(X: R[seq]) -> R[seq]:
        global calls
        calls += 1
        return X * 2

    for _ in range(3):
        counted(X)
    assert (counted.planned, calls) == (1, 1)


def test_what_library_modules_hold_is_no_part_of_plans() -> None:
    import math

    @formula
    def turned(X: R[seq]) -> R[seq]:
        return X * math.pi * torch.pi * np.pi

    turned(X)
    assert not turned.door.outside


def test_an_index_defined_tensor_that_is_made_anew_is_seen() -> None:
    def below(number: float) -> Any:
        return nt.define[seq, emb](lambda i, j: nt.where(i <= j, number, 0.0))

    @formula
    def masked(X: R[seq, emb]) -> R[seq, emb]:
        return X * mask

    data = nt.ones("seq[2] emb[2]")
    mask = below(1.0)
    first = masked(data)
    mask = below(1.0)
    assert_close(masked(data), first)
    mask = below(2.0)
    assert_close(masked(data), first * 2.0)


def test_code_and_many_plans_tell_of_it() -> None:
    @formula
    def own(X: R[seq]) -> R[seq]:
        return X * scale

    assert "2.0" in own.code(X)
    globals()["scale"] = 7.5
    assert "7.5" in own.code(X)
    for number in range(62):
        globals()["scale"] = float(number)
        own(X)
    globals()["scale"] = 80.0
    with pytest.warns(UserWarning, match="planned 64 times: scale differs from call to call"):
        own(X)


def test_a_number_that_becomes_something_else_is_seen() -> None:
    scaled(X)
    globals()["scale"] = object()
    with pytest.raises(nt.errors.NamedTensorError):
        scaled(X)
    globals()["scale"] = 3.0
    assert_close(scaled(X), X * 3.0)


def test_a_compiled_graph_holds_what_was_read_when_it_was_compiled() -> None:
    @formula
    def own(X: R[seq]) -> R[seq]:
        return X * scale

    data = nt.ones("seq[2]", backend="torch")
    first = torch.compile(lambda X: own(X), fullgraph=True, backend="eager")
    assert_close(first(data), data * 2.0)
    globals()["scale"] = 3.0
    second = torch.compile(lambda X: own(X) + 0, fullgraph=True, backend="eager")
    assert_close(second(data), data * 3.0)
    assert_close(own(data), data * 3.0)
    assert_close(first(data), data * 2.0)
    torch.compiler.reset()
    assert_close(first(data), data * 3.0)
