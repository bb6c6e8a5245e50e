"""A name that a body reads and that is bound to something else later is seen by the next call."""

import threading
import types
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula, relu
from namedtensor.testing import assert_close

seq, emb = axes("seq emb")
X = nt.tensor(np.array([[1.0, -2.0, 4.0], [3.0, 5.0, -6.0]]), "seq emb")

ax: Any = seq
by_name: Any = relu


def double(Y: R[seq, emb]) -> R[seq, emb]:
    return Y * 2


def treble(Y: R[seq, emb]) -> R[seq, emb]:
    return Y * 3


helper: Any = double
part: Any = formula(double)
module_of_user = types.ModuleType("module_of_user")
module_of_user.f = double  # type: ignore[attr-defined]
space = types.SimpleNamespace(f=double)
chosen: Any = [double]


class Holder:
    f = staticmethod(double)


class Doubling:
    factor = 2

    def __call__(self, Y: Any) -> Any:
        return Y * self.factor


called: Any = Doubling()
held: Any = Holder
START = dict(
    ax=seq,
    by_name=relu,
    helper=helper,
    part=part,
    chosen=chosen,
    called=called,
    held=held,
    through=None,
    middle=None,
    double=double,
)


@formula
def by_helper(X: R[seq, emb]) -> R[seq, emb]:
    return helper(X)


def through(Y: Any) -> Any:
    return helper(Y) + 0


@formula
def by_helper_of_helper(X: R[seq, emb]) -> R[seq, emb]:
    return through(X)


@formula
def by_formula(X: R[seq, emb]) -> R[seq, emb]:
    return part(X)


@formula
def middle(X: R[seq, emb]) -> R[seq, emb]:
    return part(X) + 0


@formula
def by_formula_of_formula(X: R[seq, emb]) -> R[seq, emb]:
    return middle(X) * 1.0


@formula
def by_module(X: R[seq, emb]) -> R[seq, emb]:
    return module_of_user.f(X)


@formula
def by_space(X: R[seq, emb]) -> R[seq, emb]:
    return space.f(X)


@formula
def by_class(X: R[seq, emb]) -> R[seq, emb]:
    return held.f(X)


@formula
def by_list(X: R[seq, emb]) -> R[seq, emb]:
    return chosen[0](X)


@formula
def by_object(X: R[seq, emb]) -> R[seq, emb]:
    return called(X)


@formula
def weighted(X: R[seq, emb], *, W: R[emb]) -> R[seq, emb]:
    return helper(X * W)


@formula
def bundled(X: R[seq, emb], *, inner: weighted) -> R[seq, emb]:
    return inner(X)


@formula
def stack(X: R[seq, emb], *, layers: nt.each[weighted]) -> R[seq, emb]:
    for layer in layers:
        X = layer(X)
    return X


@formula
def two(X: R[seq, emb]) -> tuple[R[seq, emb], R[seq, emb]]:
    return X, helper(X)


@formula(trace=False)
def untraced(X: R[seq, emb]) -> R[seq, emb]:
    return helper(X)


START |= dict(through=through, middle=middle)
START_F = (double, double, Holder.__dict__["f"])


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    globals().update(START)
    module_of_user.f, space.f = START_F[:2]  # type: ignore[attr-defined]
    Holder.f = START_F[2]  # type: ignore[assignment]
    chosen[:] = [double]
    Doubling.factor = 2


class Trebling(Doubling):
    factor = 3


class Other:
    f = staticmethod(treble)


def put(**values: Any) -> Callable[[], None]:
    return lambda: globals().update(values)


def on(thing: Any) -> Callable[[], None]:
    return lambda: setattr(thing, "f", treble)


def as_if_run_again() -> None:
    """Define a formula anew, as a cell of a notebook that was edited does."""

    @formula
    def part(X: R[seq, emb]) -> R[seq, emb]:
        return X * 3

    globals()["part"] = part


def ones() -> Any:
    return X[seq(0)] * 0 + 1


CASES: dict[str, tuple[Callable[[], Any], Callable[[], None]]] = {
    "a function": (lambda: by_helper(X), put(helper=treble)),
    "a function that a function calls": (lambda: by_helper_of_helper(X), put(helper=treble)),
    "the function that calls it": (lambda: by_helper_of_helper(X), put(through=treble)),
    "a formula for a function": (lambda: by_helper(X), put(helper=formula(treble))),
    "a formula": (lambda: by_formula(X), put(part=formula(treble))),
    "a formula that is written again": (lambda: by_formula(X), as_if_run_again),
    "a function for a formula": (lambda: by_formula(X), put(part=treble)),
    "a formula that a formula calls": (lambda: by_formula_of_formula(X), put(part=formula(treble))),
    "the formula that calls it": (lambda: by_formula_of_formula(X), put(middle=formula(treble))),
    "a module's": (lambda: by_module(X), on(module_of_user)),
    "an object's": (lambda: by_space(X), on(space)),
    "a class's": (lambda: by_class(X), on(Holder)),
    "another class": (lambda: by_class(X), put(held=Other)),
    "another list": (lambda: by_list(X), put(chosen=[treble])),
    "an object that is called": (lambda: by_object(X), put(called=Trebling())),
    "in a bundle": (lambda: bundled(X, inner={"W": ones()}), put(helper=treble)),
    "in a stack": (lambda: stack(X, layers=[{"W": ones()}]), put(helper=treble)),
    "one of two results": (lambda: two(X)[1], put(helper=treble)),
    "untraced": (lambda: untraced(X), put(helper=treble)),
    "more records": (lambda: by_helper(nt.stack["batch"](X, X)), put(helper=treble)),
}


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize(("call", "change"), CASES.values(), ids=CASES)
def test_what_a_name_stands_for_now_is_called(call: Any, change: Any, backend: str) -> None:
    globals()["X"], before = X.to(backend), X
    try:
        first = call()
        assert_close(call(), first)
        change()
        for _ in range(3):
            assert_close(call(), first * 1.5)
    finally:
        globals()["X"] = before


def test_it_comes_back() -> None:
    first = by_helper(X)
    for f, factor in ((treble, 1.5), (double, 1.0), (treble, 1.5)):
        globals()["helper"] = f
        assert_close(by_helper(X), first * factor)


def test_an_axis_is_seen() -> None:
    @formula
    def along(X: R[seq, emb]) -> R[seq, emb]:
        return nt.softmax[ax](X)

    assert_close(along(X), nt.softmax[seq](X))
    globals()["ax"] = emb
    assert_close(along(X), nt.softmax[emb](X))


def test_an_equal_axis_keeps_the_plan() -> None:
    @formula
    def along(X: R[seq, emb]) -> R[emb]:
        return nt.sum[ax](X)

    along(X)
    globals()["ax"] = nt.Axis("seq")
    along(X)
    assert along.planned == 1


def test_an_operation_is_seen() -> None:
    @formula
    def turned(X: R[seq, emb]) -> R[seq, emb]:
        return by_name(X)

    assert_close(turned(X), relu(X))
    globals()["by_name"] = nt.tanh
    assert_close(turned(X), nt.tanh(X))


def test_what_is_closed_over_is_seen() -> None:
    inner: Any = formula(double)
    plain: Any = double

    @formula
    def outer(X: R[seq, emb]) -> R[seq, emb]:
        return inner(plain(X))

    @formula
    def around(X: R[seq, emb]) -> R[seq, emb]:
        return outer(X)

    assert_close(around(X), X * 4)
    plain = treble
    assert_close(around(X), X * 6)
    inner = formula(treble)
    assert_close(outer(X), X * 9)
    assert_close(around(X), X * 9)


def test_modules_see_it() -> None:
    data = X.to("torch").to(torch.float32)
    whole = stack.module(emb[3], layers=2)
    first = whole(data)
    assert_close(whole(data), first)
    globals()["helper"] = treble
    assert_close(whole(data), first * 1.5**2)
    assert_close(whole(data), first * 1.5**2)


def test_derivatives_and_looks_see_it() -> None:
    slope = nt.differential(by_helper)
    dX = X * 0 + 1
    assert_close(slope(X, dX), dX * 2)
    assert "* 2" in by_helper.code(X)
    globals()["helper"] = treble
    assert_close(slope(X, dX), dX * 3)
    assert "* 3" in by_helper.code(X)
    assert "* 3" in str(nt.steps(by_helper, X))


def test_a_name_that_is_gone_is_told_by_python() -> None:
    globals()["passing"] = double

    @formula
    def brief(X: R[seq, emb]) -> R[seq, emb]:
        return passing(X)  # type: ignore[name-defined]  # noqa: F821

    brief(X)
    del globals()["passing"]
    with pytest.raises(NameError, match="passing"):
        brief(X)


def test_a_list_that_is_written_to_makes_no_new_plans() -> None:
    seen: list[Any] = []

    @formula
    def noted(X: R[seq, emb]) -> R[seq, emb]:
        seen.append(1)
        return X * 2

    for _ in range(3):
        noted(X)
    assert (noted.planned, len(seen)) == (1, 1)


def test_a_tensor_whose_axes_are_asked_for_is_seen() -> None:
    like: Any = X

    @formula
    def along(X: R[seq, emb]) -> R[seq, emb]:
        return nt.softmax[like.axes[0]](X)

    assert_close(along(X), nt.softmax[seq](X))
    like = nt.ones("seq[2] emb[3]")
    assert_close(along(X), nt.softmax[seq](X))
    like = nt.ones("emb[3] seq[2]")
    assert_close(along(X), nt.softmax[emb](X))


def test_compiled_again_it_is_seen() -> None:
    data = X.to("torch")

    def run(X: Any) -> Any:
        return by_helper(X)

    assert_close(torch.compile(run, fullgraph=True, backend="eager")(data), data * 2)
    globals()["helper"] = treble
    torch.compiler.reset()
    assert_close(torch.compile(run, fullgraph=True, backend="eager")(data), data * 3)
    assert_close(by_helper(data), data * 3)


def test_what_is_bound_anew_for_each_call_is_told_once() -> None:
    turning: Any = double

    @formula
    def turned(X: R[seq, emb]) -> R[seq, emb]:
        return turning(X)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for i in range(200):
            turning = lambda Y, i=i: Y * i
            assert_close(turned(X), X * i)
    (one,) = told
    assert "turned was planned 64 times: turning stands for something else" in str(one.message)


def test_threads_see_it() -> None:
    own: Any = double

    @formula
    def shared(X: R[seq, emb]) -> R[seq, emb]:
        return own(X) + X

    wrong = []

    def run(factor: int) -> None:
        for _ in range(50):
            found = shared(X)
            if not np.allclose(found.data, X.data * factor):
                wrong.append(factor)

    for f, factor in ((double, 3), (treble, 4), (double, 3)):
        own = f
        threads = [threading.Thread(target=run, args=(factor,)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


few: Any = None


@formula
def by_get(X: R[seq, emb]) -> R[seq, emb]:
    return X * few.get("k")


@formula
def by_items(X: R[seq, emb]) -> R[seq, emb]:
    for _, factor in few.items():
        X = X * factor
    return X


@formula
def by_count(X: R[seq, emb]) -> R[seq, emb]:
    return X * few.count(1)


@formula
def by_members(X: R[seq, emb]) -> R[seq, emb]:
    return X * sum(few)


@formula
def by_first(X: R[seq, emb]) -> R[seq, emb]:
    return X * float(few[0])


@formula
def by_sum(X: R[seq, emb]) -> R[seq, emb]:
    return X * float(few.sum())


READ: dict[str, tuple[Any, Any, Callable[[Any], Any]]] = {
    "get of a dict": (by_get, {"k": 2.0}, lambda own: own.update(k=3.0)),
    "items of a dict": (by_items, {"k": 2.0}, lambda own: own.update(k=3.0)),
    "count of a list": (by_count, [1, 1], lambda own: own.append(1)),
    "a set": (by_members, {2.0}, lambda own: own.add(1.0)),
    "a deque": (by_first, deque([2.0]), lambda own: own.appendleft(3.0)),
    "a small array": (by_first, np.array([2.0]), lambda own: own.fill(3.0)),
    "a method of a small array": (by_sum, np.array([2.0]), lambda own: own.fill(3.0)),
}


@pytest.mark.parametrize(("f", "value", "change"), READ.values(), ids=READ)
def test_a_container_of_few_numbers_is_read_as_it_is_now(f: Any, value: Any, change: Any) -> None:
    globals()["few"] = value
    assert_close(f(X), X * 2)
    change(value)
    assert_close(f(X), X * 3)
    assert_close(f(X), X * 3)


class Scaling:
    def __init__(self) -> None:
        self.factor = 2.0
        self.parts = {"k": 2.0}
        self.called = 0

    @formula
    def __call__(self, X: R[seq, emb]) -> R[seq, emb]:
        return X * self.factor

    @formula
    def by_part(self, X: R[seq, emb]) -> R[seq, emb]:
        return X * self.parts.get("k", 1.0)


@formula
def by_setting(X: R[seq, emb], own: Any) -> R[seq, emb]:
    return X * own.factor


@formula
def scaled(X: R[emb], own: Any = None, *, W: R[emb]) -> R[emb]:
    return X * own.factor * W


@formula
def scaled_late(X: R[emb], *, W: R[emb], own: Any = None) -> R[emb]:
    return X * own.factor * W


@formula
def bundle_scaled(X: R[emb], *, part: scaled_late) -> R[emb]:
    return part(X)


def test_an_object_in_a_setting_is_read_as_it_is_now() -> None:
    own = Scaling()
    for f in (own, own.by_part, lambda X: by_setting(X, own), lambda X: by_setting(X, own=own)):
        own.factor = own.parts["k"] = 2.0
        assert_close(f(X), X * 2)  # type: ignore[operator]
        own.factor = own.parts["k"] = 3.0
        assert_close(f(X), X * 3)  # type: ignore[operator]
        assert_close(f(X), X * 3)  # type: ignore[operator]


def test_an_object_in_a_setting_of_a_module_is_read_as_it_is_now() -> None:
    data = X.to("torch").to("float32")
    for make in (
        lambda own: scaled.module(emb[3], own=own),
        lambda own: scaled_late.module(emb[3], own=own),
        lambda own: bundle_scaled.module(emb[3], part=dict(own=own)),
    ):
        own = Scaling()
        module = make(own)
        first = module(data)
        assert_close(module(data), first)
        own.factor = 3.0
        assert_close(module(data), first * 1.5)
        assert_close(module(data), first * 1.5)


def test_what_a_body_does_not_read_of_an_object_makes_no_new_plans() -> None:
    own = Scaling()
    before = Scaling.__dict__["__call__"].planned
    for _ in range(3):
        own.called += 1
        own(X)
    assert Scaling.__dict__["__call__"].planned == before + 1


@formula
def by_table(X: R[seq, emb]) -> R[seq, emb]:
    return X * {3: 2.0, 2: 4.0}.get(abs(emb), 0.0) * (1.0 if abs(seq) in {2, 5} else 3.0)


def test_a_table_and_a_set_find_the_size_of_each_call() -> None:
    assert_close(by_table(X), X * 2)
    short = X[emb[:2]]
    assert_close(by_table(short), short * 4)
    assert_close(by_table(nt.concat[seq](X, X)), nt.concat[seq](X, X) * 6)
