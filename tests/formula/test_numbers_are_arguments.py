"""Floating settings that change from call to call are arguments of one plan, where the body allows."""

import importlib
import math
import warnings

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.formula.formula import MANY_KEYS, MANY_PLANS, MOST_KEYS, MOST_VALUES
from namedtensor.testing import assert_same

seq, emb, wave = axes("seq emb wave")


def plans(made):
    return sum(len(kept) for kept in made.plans.values())


def X():
    return nt.tensor([1.0, 2.0, 3.0], seq)


def values(Y):
    return Y.numpy("seq").tolist()


def test_a_setting_that_the_body_computes_with_makes_two_plans_for_all_its_values():
    @formula
    def scaled(X: R[seq], *, scale: float = 1.0, shift: float = 0.0) -> R[seq]:
        return X * scale + shift / 2

    for k in range(100):
        assert values(scaled(X(), scale=k / 3, shift=k * 1.5)) == pytest.approx(
            [x * k / 3 + k * 0.75 for x in (1.0, 2.0, 3.0)]
        )
    assert plans(scaled) <= 4
    assert "scale" in scaled.code(X(), scale=7.5).splitlines()[0]


def test_a_setting_before_the_star_and_a_number_for_a_space_are_arguments_too():
    @formula
    def scaled(X: R[seq], low=0.5, high: R = 1.0) -> R[seq]:
        return nt.minimum(nt.maximum(X, low), high)

    for k in range(50):
        low, high = 1 + k / 50, 2 + k / 25
        expected = np.clip([1.0, 2.0, 3.0], low, high).tolist()
        assert values(scaled(X(), low, high)) == pytest.approx(expected)
        assert values(scaled(X(), low=low, high=high)) == pytest.approx(expected)
    assert plans(scaled) <= 4


def test_a_body_that_compares_has_a_plan_for_each_answer():
    @formula
    def stepped(X: R[seq], *, low: float) -> R[seq]:
        return X + low if low > 0.5 else X - low

    for k in range(30):
        low = k / 29
        expected = [x + low if low > 0.5 else x - low for x in (1.0, 2.0, 3.0)]
        assert values(stepped(X(), low=low)) == pytest.approx(expected)
    assert plans(stepped) <= 4


TABLE = {0.0: 1.0, 0.25: 10.0, 0.5: 100.0}

BODIES = {
    "math": lambda X, low: X * math.sqrt(low),
    "float": lambda X, low: X * float(low),
    "int": lambda X, low: X * int(low * 8),
    "round": lambda X, low: X * round(low, 1),
    "format": lambda X, low: X * float(f"{low:.2f}"),
    "table": lambda X, low: X * TABLE[low],
    "table with a default": lambda X, low: X * TABLE.get(low, 7.0),
    "member": lambda X, low: X + 1.0 if low in (0.0, 0.5) else X - 1.0,
    "isinstance": lambda X, low: X * low if isinstance(low, float) else X,
    "type": lambda X, low: X * low if type(low) is float else X,
    "is": lambda X, low: X if low is None else X * low,
    "equal": lambda X, low: X + 1.0 if low == 0.25 else X - 1.0,
    "sign": lambda X, low: X * math.copysign(1.0, low),
    "power": lambda X, low: X * (2.0**low + low**2 - abs(-low) % 0.3),
    "array": lambda X, low: X * float(np.float64(low)),
    "max": lambda X, low: X * max(low, 0.2),
    "loop": lambda X, low: sum([X * low for _ in range(2)], X),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_looks_at_a_number_gets_that_number(name):
    def body(X: R[seq], *, low: float) -> R[seq]:
        return BODIES[name](X, low)

    traced, plain = formula(body), formula(body, trace=False)
    numbers = [0.75, 0.0, 0.25, 0.5, 0.25, 0.125, -0.0]
    for low in numbers:
        if name.startswith("table") and low not in TABLE and name == "table":
            continue
        assert values(traced(X(), low=low)) == pytest.approx(values(plain(X(), low=low))), low


def test_a_number_that_is_computed_in_many_steps_is_looked_at_once_a_step():
    @formula
    def doubled(X: R[seq], *, low: float) -> R[seq]:
        for _ in range(60):
            low = low + low
        return X * low if isinstance(low, float) else X

    for k in range(4):
        assert values(doubled(X(), low=k / 2)) == [x * k / 2 * 2.0**60 for x in (1.0, 2.0, 3.0)]


def test_a_check_in_the_body_sees_each_number():
    @formula
    def kept(X: R[seq], *, p: float) -> R[seq]:
        if isinstance(p, float) and not 0 <= p <= 1:
            raise ValueError(f"p is {p}")
        return X * p

    for k in range(5):
        kept(X(), p=k / 5)
    with pytest.raises(ValueError, match=r"p is 1\.5"):
        kept(X(), p=1.5)


def test_settings_that_are_equal_and_differ_have_their_own_plans():
    @formula
    def shown(X: R[seq], *, how: object) -> R[seq]:
        part = how[0] if isinstance(how, tuple) else how
        inner = part[0] if isinstance(part, tuple) else part
        kind = {bool: 1.0, int: 2.0, float: 3.0}[type(inner)]
        return X * kind

    cases = [(True, 1.0), (1, 2.0), (1.0, 3.0), (False, 1.0), (0, 2.0), (0.0, 3.0)]
    for value, kind in [*cases, *cases]:
        for how in (value, (value, 2), ((value,), 2)):
            assert values(shown(X(), how=how)) == [kind, 2 * kind, 3 * kind], how


def test_minus_zero_is_not_zero():
    @formula
    def divided(X: R[seq], *, by: float) -> R[seq]:
        return X / by

    @formula
    def sign(X: R[seq], *, of: float) -> R[seq]:
        return X * math.copysign(1.0, of)

    with np.errstate(divide="ignore"):
        for by in (0.0, -0.0, 2.0, 0.0, -0.0):
            with np.errstate(divide="ignore"):
                expected = (np.array([1.0, 2.0, 3.0]) / by).tolist()
            assert values(divided(X(), by=by)) == expected
            assert values(sign(X(), of=by)) == [math.copysign(x, by) for x in (1.0, 2.0, 3.0)]


def test_modules_keep_their_settings_in_their_plans():
    torch = pytest.importorskip("torch")

    @formula
    def scaled(X: R[emb], *, W: R[emb], scale: float = 1.0) -> R[emb]:
        return X * W * scale

    ones = {"init": {"W": torch.nn.init.ones_}}
    modules = [(s, scaled.module(emb[2], scale=s, **ones)) for s in (0.5, 2.0, 3.0)]
    Y = nt.tensor(torch.ones(2), emb)
    for k in range(6):
        for scale, module in modules:
            assert module(Y).torch("emb").tolist() == [scale, scale]
            assert scaled(Y, W=Y, scale=scale + k).torch("emb").tolist() == [scale + k] * 2


def test_a_storm_of_plans_is_said_once_and_names_what_changes():
    @formula
    def named(X: R[seq], *, tag: str = "") -> R[seq]:
        return X + len(tag) * 0.0

    def call(k):
        return named(X(), tag=f"tag {k}")

    for k in range(MANY_KEYS - 1):
        call(k)
    with pytest.warns(UserWarning, match=r"named was planned 64 times: tag differs .*'tag 0'"):
        call(MANY_KEYS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(2 * MOST_KEYS):
            call(-k)
    assert len(named.plans) <= MOST_KEYS


def test_the_plans_for_numbers_that_a_body_asks_for_are_bounded():
    @formula
    def asked(X: R[seq]) -> R[seq]:
        return X / float(abs(seq))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(1, 3 * MANY_PLANS):
            assert asked(nt.ones(seq[n])).numpy("seq")[0] == 1 / n
    assert plans(asked) <= MOST_VALUES


def test_plans_of_single_operations_are_bounded_and_what_is_forgotten_is_made_again(monkeypatch):
    apply = importlib.import_module("namedtensor.tensor.apply")
    monkeypatch.setattr(apply, "MOST_PLANS", 20)
    monkeypatch.setattr(apply, "_told", [])
    monkeypatch.setattr(apply, "_kept", type(apply._kept)())
    for k in range(20):
        nt.exp(nt.tensor([0.0], f"storm{k}"))
    with pytest.warns(UserWarning, match="single operations were planned 20 times, .* 'storm20'"):
        nt.exp(nt.tensor([0.0], "storm20"))
    for k in range(21, 30):
        nt.exp(nt.tensor([0.0], f"storm{k}"))
    assert len(apply._kept) == 20
    assert nt.exp(nt.tensor([0.0], "storm0")).numpy("storm0").tolist() == [1.0]


def test_a_number_that_one_branch_needs_fixed_is_fixed_again():
    """eps is an argument of the plan while nothing asks for it; then a formula takes it as a setting."""

    @formula
    def scaled(X: R[emb], eps: float = 1e-5, *, g: R[emb]) -> R[emb]:
        return nt.standardize[emb](X, eps) * g

    @formula
    def perhaps(X: R[emb], eps: float = 1e-5, *, scaled: scaled = None) -> R[emb]:
        return X if scaled is None else scaled(X, eps=eps)

    X = nt.tensor([1.0, 2.0, 4.0], "emb")
    for eps in (0.1, 0.2, 0.3):
        assert_same(perhaps(X, eps=eps), X)
    for eps in (0.1, 0.4, 0.5):
        assert_same(perhaps(X, eps=eps, scaled={"g": X}), scaled(X, eps, g=X))
        assert_same(perhaps(X, eps=eps), X)
    with pytest.raises(nt.AxisMissingError, match="emb"):
        perhaps(X["emb -> seq"], eps=0.7)


@pytest.mark.parametrize("t", [2, 0.5, np.float64(0.5), True])
def test_a_formula_calls_another_one_on_its_numbers_alone(t):
    @formula
    def ease(t: R) -> R:
        return 3 * t**2 - 2 * t**3

    @formula
    def path(X: R[emb], t: R) -> R[emb]:
        return X + ease(t) * X

    expected = [x * (1 + 3 * t**2 - 2 * t**3) for x in (1.0, 2.0, 3.0)]
    found = path(nt.tensor([1.0, 2.0, 3.0], "emb"), t)
    np.testing.assert_allclose(found.numpy("emb"), expected)


@pytest.mark.parametrize("t", [2, 0.5])
def test_a_formula_that_is_called_on_its_numbers_alone_keeps_its_settings(t):
    @formula
    def waves(t: R, count: int = 4) -> R[wave]:
        return t * nt.iota(wave[count])

    @formula
    def timed(X: R[emb], t: R, *, W: R[wave, emb]) -> R[emb]:
        return X + W @ wave @ waves(t, count=3)

    found = timed(nt.ones(emb[2]), t, W=nt.ones(wave[3], emb[2]))
    np.testing.assert_allclose(found.numpy("emb"), [1 + 3 * t] * 2)
