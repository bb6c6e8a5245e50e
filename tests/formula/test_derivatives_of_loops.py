"""Recurrences are derived on symbols: what comes out is a loop, and torch gives the same numbers."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.operations.calculus import starred

batch, seq, time, emb, hid = axes("batch seq time emb hid")
hid_ = nt.Axis("hid'")


@formula
def recurrent(X: R[seq, emb], h0: R[hid], *, W: R[emb, hid], U: R[hid_, hid]) -> R:
    H = nt.scan[seq](lambda h, x: nt.tanh(x @ emb @ W + h[hid >> hid_] @ hid_ @ U), h0, X)
    return nt.sum[seq, hid](H * H)


@formula
def last(X: R[seq, emb], h0: R[hid], *, W: R[emb, hid], U: R[hid_, hid]) -> R:
    h = nt.fold[seq](lambda h, x: nt.sin(x @ emb @ W + h[hid >> hid_] @ hid_ @ U), h0, X)
    return nt.sum[hid](h * h)


@formula
def counting(X: R[seq, emb], h0: R[emb], *, w: R[emb]) -> R:
    """Two carries, one of whole numbers, and what is emitted; from the end to the start."""
    (h, n), E = nt.scan[seq](
        lambda s, x: (nt.tanh(s[0] * w + x) / (s[1] + 1), s[1] + 1),
        (h0, 0),
        X,
        emit=lambda s, x: s[0] * x * s[1],
        reverse=True,
    )
    return nt.sum[seq, emb](E * E * h) + n * nt.sum[seq, emb](X)


@formula
def nested(X: R[seq, time], h0: R, *, w: R) -> R:
    def outer(h, x):
        return nt.tanh(h * w + nt.fold[time](lambda k, y: nt.sin(k * h + y * w), h, x))

    H = nt.scan[seq](outer, h0, X)
    return nt.sum[seq](H * H)


def combined(reverse):
    """An associative scan of what is not associative: for one or two steps there is one order."""

    @formula
    def associated(a: R[seq], b: R[seq, emb], *, w: R[emb]) -> R:
        def combine(p, q):
            return p[0] * q[0], p[1] * q[0] + nt.sin(q[1]) * w - q[1] * nt.sin(p[1])

        A, B = nt.associative_scan[seq](combine, (a, b), reverse=reverse)
        return nt.sum[seq, emb](A * B * B)

    return associated


SIZES = {"seq": 2, "time": 2, "emb": 2, "hid": 2, "hid'": 2, "batch": 2}
FORMULAS = [recurrent, last, counting, nested, combined(False), combined(True)]
NAMES = ["recurrent", "last", "counting", "nested", "combined", "combined backwards"]


def drawn(f, **sizes):
    random = np.random.default_rng(0)
    found = {}
    for p in f.signature.parameters:
        shape = [(SIZES | sizes)[a.name] for a in p.space.axes]
        found[p.name] = nt.tensor(random.normal(size=shape), *p.space.axes)
    return found


def positional(f, given):
    def function(*arrays):
        named = {n: nt.tensor(t, *X.axes) for t, (n, X) in zip(arrays, given.items(), strict=True)}
        return f(**named).torch()

    return function, tuple([torch.tensor(X.numpy(*X.axes)) for X in given.values()])


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("f", FORMULAS, ids=NAMES)
def test_gradients_are_torch_s(f, library, steps):
    given = drawn(f, seq=steps)
    expected = torch.autograd.functional.jacobian(*positional(f, given))
    for (name, X), wanted in zip(given.items(), expected, strict=True):
        found = nt.grad(f, by=name)(**{n: Y.to(library) for n, Y in given.items()})
        np.testing.assert_allclose(found.numpy(*X.axes), wanted.numpy(), 1e-9, 1e-10)
        change = nt.differential(f, by=name)(**given, **{f"d{name}": nt.cos(X)})
        np.testing.assert_allclose(
            change.numpy(), (wanted.numpy() * np.cos(X.numpy(*X.axes))).sum(), 1e-9, 1e-10
        )


@pytest.mark.parametrize(
    "f", [recurrent, counting, nested], ids=["recurrent", "counting", "nested"]
)
def test_second_derivatives_are_torch_s(f):
    given = drawn(f)
    expected = torch.autograd.functional.hessian(*positional(f, given))
    names = list(given)
    for i, j in [(0, 0), (0, 2), (2, 1), (2, 2)]:
        X, Y = given[names[i]], given[names[j]]
        found = nt.derivative(nt.grad(f, by=names[i]), by=names[j])(**given)
        order = (*X.axes, *starred(Y.axes, X.axes).values())
        np.testing.assert_allclose(found.numpy(*order), expected[i][j].numpy(), 1e-8, 1e-9)


@pytest.mark.parametrize("f", FORMULAS, ids=NAMES)
def test_of_no_steps_what_it_starts_with_is_all(f):
    given = drawn(f, seq=0)
    for name, X in given.items():
        assert nt.grad(f, by=name)(**given).shape == X.shape


@pytest.mark.parametrize("f", [recurrent, counting], ids=["recurrent", "counting"])
def test_further_axes_lift_over_the_gradient(f):
    given, other = drawn(f), {n: X * 0.5 for n, X in drawn(f).items()}
    for lifted in given:
        together = given | {lifted: nt.stack[batch](given[lifted], other[lifted])}
        for name, X in given.items():
            found = nt.grad(f, by=name)(**together)
            for b, alone in enumerate((given, given | {lifted: other[lifted]})):
                wanted = nt.grad(f, by=name)(**alone).numpy(*X.axes)
                np.testing.assert_allclose(found[batch(b)].numpy(*X.axes), wanted, 1e-9, 1e-12)


def test_one_plan_serves_all_lengths_and_one_loop_finds_all_gradients():
    gradients = nt.grad(recurrent, by=("X", "W", "U"))
    code = gradients.code(**drawn(recurrent))
    assert code == gradients.code(**drawn(recurrent, seq=5))
    assert code.count("reverse=True") == 1


def test_a_gradient_compiles():
    gradient = nt.grad(recurrent, by="W")
    given = {n: X.to("torch") for n, X in drawn(recurrent).items()}
    compiled = torch.compile(lambda **k: gradient(**k), fullgraph=True, backend="eager")
    np.testing.assert_allclose(
        compiled(**given).numpy("emb", "hid"), gradient(**given).numpy("emb", "hid")
    )


def test_a_gradient_prints_as_the_recurrence_that_it_is():
    text = nt.grad(recurrent, by="W").latex()
    assert r"\name{seq}(t + 1)" in text
    assert "sumW" in text


def test_a_step_that_draws_anew_has_no_derivative():
    @formula
    def noisy(X: R[seq, emb]) -> R:
        H = nt.scan[seq](lambda h, x: h * nt.normal(emb) + x, nt.zeros(emb), X)
        return nt.sum[seq, emb](H)

    with pytest.raises(nt.DerivativeError, match="scan has no rule"):
        nt.grad(noisy)(nt.ones("seq[2] emb[2]"))
