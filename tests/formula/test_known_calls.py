"""A call whose plan is known takes a short path, and does what the first call did."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.errors import NamedTensorError
from namedtensor.formula.keys import gather
from namedtensor.testing import assert_close
from tests.python_calls import python_calls

seq, emb, hid = axes("seq emb hid")


@formula
def project(X: R[emb], scale: float = 1.0, b: R[hid] = None, *, W: R[emb, hid]) -> R[hid]:
    Y = W @ emb @ X * scale
    return Y if b is None else Y + b


@formula
def twice(X: R[emb], *, first: project, eps: R = 0.0) -> R[hid]:
    return first(X) * 2 + eps


@formula
def linear(X: R[emb], W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def mixed(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def both(X: R[emb], *, first: mixed, last: mixed) -> R[hid]:
    return first(X) + last(X)


@formula
def block(X: R[emb], p: float = 0.5, *, W: R[emb, hid], b: R[hid] = None) -> R[emb]:
    Y = nt.relu(W @ emb @ X * p)
    return W @ hid @ (Y if b is None else Y + b)


@formula
def other_block(X: R[emb], *, V: R[emb, hid]) -> R[emb]:
    return V @ hid @ (V @ emb @ X)


@formula
def several(X: R[emb], *, layers: nt.each[block], last: block = None) -> R[emb]:
    for layer in layers:
        X = layer(X)
    return X if last is None else last(X)


WORDS = ("one", "other")
mask = nt.define[seq](lambda i: nt.where(i < 2, 0.0, -nt.inf))


@formula
def leading(X: R[emb], *, first: project, b: R[hid]) -> R[hid]:
    return first(X) + b


@formula
def holding(X: R[emb], *, inner: leading) -> R[hid]:
    return inner(X)


@formula
def chosen(X: R[emb], word: str = "one", *, W: R[emb, hid]) -> tuple[R[hid], R[emb]]:
    return (W @ emb @ X) * WORDS.index(word), X


@formula
def hidden(X: R[seq, emb], M: R[seq]) -> R[seq, emb]:
    return nt.softmax[seq](X + M)


X = nt.normal("seq[3] emb[4]", backend="torch")
plain_module = mixed.module(emb[4], hid[5])
module_of_modules = both.module(emb[4], hid[5])
W = nt.normal("emb[4] hid[5]", backend="torch")
b = nt.normal("hid[5]", backend="torch")
choosing = chosen.module(emb[4], hid[5], word="other")
module = project.module(emb[4], hid[5])
scaled = project.module(emb[4], hid[5], scale=0.5)
nested = twice.module(emb[4], hid[5])
same = several.module(emb[4], hid[5], layers=2)
others = several.module(emb[4], hid[5], layers=[dict(p=0.25), other_block], last=True)
others.layers[0].eval()
unmarked = holding.module(emb[4], hid[5], inner=dict(first=dict(scale=0.5)))

CALLS: dict[str, Callable[[], Any]] = {
    "positions": lambda: project(X, 2.0, b, W=W),
    "names": lambda: project(W=W, b=b, scale=2.0, X=X),
    "defaults": lambda: project(X, W=W),
    "a dict": lambda: twice(X, first={"W": W}),
    "a module": lambda: twice(X, first=module, eps=1),
    "a module's call": lambda: module(X, 3.0),
    "a module's call by name": lambda: module(X, b=b, scale=2.0),
    "another weight": lambda: module(X, W=W),
    "a module's setting": lambda: scaled(X),
    "a setting over a module's": lambda: scaled(X, scale=4.0),
    "a bundle": lambda: nested(X),
}


#: What formulas are called with, as the long path and the short ones read it.
READ: dict[str, tuple[Any, dict[str, Any]]] = {
    "tensors and numbers": (project, {"X": X, "scale": -0.0, "b": b, "W": W}),
    "what is left out": (project, {"X": X, "W": W}),
    "numbers for tensors": (twice, {"X": X, "first": module, "eps": 1}),
    "a tensor that is defined by its indices": (hidden, {"X": X, "M": mask}),
    "a module": (twice, {"X": X, "first": module}),
    "a module with a setting": (twice, {"X": X, "first": scaled}),
    "modules within a module": (both, {"X": X, **module_of_modules.named_values()}),
    "settings of the first bundle of a bundle": (holding, {"X": X, **unmarked.named_values()}),
    "settings": (chosen, {"X": X, "word": "other", "W": W}),
    "a module of another formula": (several, {"X": X, **others.named_values()}),
    "a stack, and a bundle that is left out": (several, {"X": X, **same.named_values()}),
    "dicts": (several, {"X": X, "layers": [{"W": W, "b": b}, {"W": W, "b": b}], "last": None}),
}


@pytest.mark.parametrize("mode", [True, False])
@pytest.mark.parametrize("name", READ)
def test_all_ways_to_read_a_call_give_one_key(name: str, mode: bool) -> None:
    f, named = READ[name]
    values = f.arguments.bind((), named)
    given = f.arguments.read(values, mode, every=True)
    key: list[Any] = [mode]
    arrays: list[Any] = []
    found = gather(f.door.every, list(values.values()), key, arrays, modes=True, indexed=True)
    if found is not None:
        assert (*key, *given.key[len(key) :]) == given.key
        assert list(map(id, arrays)) == list(map(id, given.data))
    assert (found is None) is (name in ("dicts", "a module of another formula"))
    back = f.arguments.of_key(given.key)
    assert f.arguments.read(back.values, back.mode, every=True).key == given.key


@pytest.mark.parametrize("name", READ)
def test_a_key_says_in_words_what_it_says_with_modes(name: str) -> None:
    f, named = READ[name]
    f(**named)
    with_modes = f.arguments.read(f.arguments.bind((), named), True, every=True).key
    wanted = dict(f.arguments.parts_of(with_modes))
    found = [dict(f.arguments.parts_of(key)) for key in f.plans]
    assert {n: w for n, w in wanted.items() if "training" not in n} in found


@pytest.mark.parametrize("held", [module, nested, scaled, module_of_modules, others, same])
def test_a_module_is_read_as_what_it_holds_is(held: Any) -> None:
    f = held.formula
    values = {p.name: 1.0 if p.setting else X for p in f.signature.before}
    values |= {p.name: p.default for p in f.signature.after} | held.named_values()
    given = f.arguments.read(values, True, every=True)
    key: list[Any] = []
    arrays: list[Any] = []
    assert held.gather(key, arrays, modes=True)
    assert given.key[len(given.key) - len(key) :] == tuple(key)
    assert list(map(id, arrays)) == list(map(id, given.data))[-len(arrays) :]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_second_call_gives_what_the_first_gave(call: Callable[[], Any]) -> None:
    project.plans.clear()
    twice.plans.clear()
    first = call()
    assert_close(call(), first, rtol=0.0, atol=0.0)


def known_calls(call: Callable[[], Any]) -> int:
    """Count the Python functions that run inside of a call whose plan is known."""
    call()
    return python_calls(call) - 1


#: The most Python calls of a known call, the plan's own among them; two of a module's are torch's.
MOST = {
    "a formula": (lambda: linear(X, W), 4),
    "a formula by names": (lambda: linear(X, W=W), 5),
    "a formula with a number": (lambda: project(X, 2.0, b, W=W), 6),
    "a module": (lambda: plain_module(X), 7),
    "a module of modules": (lambda: module_of_modules(X), 7),
    "a module's call by name": (lambda: plain_module(X=X), 8),
    "a bundle": (lambda: twice(X, first=module), 14),
    "a bundle with a setting": (lambda: twice(X, first=scaled), 23),
    "a module with a setting that reads from outside": (lambda: choosing(X), 10),
    # eight of them find what the mask is for these sizes
    "an argument defined by its indices": (lambda: hidden(X, mask), 13),
}


@pytest.mark.parametrize("name", MOST)
def test_a_known_call_takes_few_python_calls(name: str) -> None:
    call, most = MOST[name]
    project.plans.clear()  # of other numbers, which other tests gave
    assert known_calls(call) <= most


def test_more_python_calls_are_counted() -> None:
    def once() -> None:
        return None

    assert known_calls(lambda: [once() for _ in range(9)]) in (9, 10)  # a list counts before 3.12


MISTAKES: dict[str, Callable[[], Any]] = {
    "too many": lambda: project(X, 1.0, b, W, W=W),
    "twice": lambda: project(X, X=X, W=W),
    "unknown": lambda: project(X, V=W, W=W),
    "missing": lambda: project(X),
    "a setting twice": lambda: scaled(X, 4.0),
    "sizes": lambda: project(X, W=nt.ones("emb[3] hid[5]", backend="torch")),
    "not a tensor": lambda: project(X, b=torch.ones(5), W=W),
    "a tensor as setting": lambda: project(X, X, W=W),
    "a list as setting": lambda: project(X, [1.0], W=W),
}


@pytest.mark.parametrize("call", MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_has_the_words_that_it_has_before_any_plan(call: Callable[[], Any]) -> None:
    project.plans.clear()
    with pytest.raises(NamedTensorError) as first:
        call()
    project(X, W=W), project(X, b=b, W=W), scaled(X)
    with pytest.raises(NamedTensorError) as second:
        call()
    assert str(first.value) == str(second.value)


def test_a_module_calls_with_the_parameters_that_it_has_now() -> None:
    own = project.module(emb[4], hid[5])
    own(X), own(X)
    own.W = torch.nn.Parameter(W.data.clone())
    assert_close(own(X), project(X, W=W))
    own.double()
    assert own(X.to("float64")).dtype == torch.float64
    torch.nn.utils.parametrizations.weight_norm(own, "W")
    assert_close(own(X.to("float64")), project(X, W=W).to("float64"), rtol=1e-5, atol=1e-5)
    swapped = torch.func.functional_call(module, {"W": W.data}, (X,))
    assert_close(swapped, project(X, W=W))


def test_a_bundle_of_another_formula_s_body_is_read_by_name() -> None:
    held: list[Any] = []

    @formula(trace=False)
    def keep(X: R[emb], *, first: project) -> R[hid]:
        held.append(first)
        return first(X)

    keep(X, first={"W": W})
    for _ in range(2):
        assert_close(twice(X, first=held[0]), twice(X, first={"W": W}))


def test_names_that_run_into_each_other_are_told_apart() -> None:
    @formula
    def inner(X: R[emb], *, b: R[emb], held: R[emb]) -> R[emb]:
        return X * b - held

    @formula
    def outer(X: R[emb], *, a: inner, a_b: R[emb], a_1: R[emb], module: R[emb]) -> R[emb]:
        return a(X) * a_b + a_1 / (2 + nt.abs(module))

    held = outer.module(emb[4])
    for parameter in held.parameters():
        torch.nn.init.normal_(parameter)
    expected = outer(X, **held.named_values())
    for _ in range(2):
        assert_close(held(X), expected)
    compiled = torch.compile(held, fullgraph=True, backend="eager")
    assert_close(compiled(X), expected)


def test_a_setting_that_is_missing_is_asked_for_compiled_or_not() -> None:
    @formula
    def powered(X: R[emb], *, W: R[emb], n: int) -> R[emb]:
        return X * W**n

    held = powered.module(emb[4])
    for call in (held, torch.compile(held, fullgraph=True, backend="eager")):
        with pytest.raises(Exception, match="missing a required argument: 'n'"):
            call(X)
        assert_close(call(X, n=2), powered(X, W=held.named_values()["W"], n=2))


def test_settings_that_are_equal_and_of_other_types_are_other_plans() -> None:
    @formula
    def times(X: R[emb], k: Any = 1) -> R[emb]:
        return X * k[0]

    whole = nt.tensor(torch.arange(4), emb)
    found = [times(whole, k).dtype for k in ((1, 2), (1.0, 2.0), (1, 2))]
    assert found == [torch.int64, torch.float32, torch.int64]


def test_a_graph_compiler_may_be_the_first_to_name_an_axis():
    X = nt.tensor(torch.tensor([1.0, 2.0]), "named_first_here")

    def f(X):
        return nt.softmax["named_first_here"](X) + nt.flip["named_first_here"](X)

    assert_close(torch.compile(f, fullgraph=True, backend="eager")(X), f(X))
