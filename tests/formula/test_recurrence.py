"""Recurrences: one plan for all lengths, what a carry may be, and what runs beside the loop."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close

batch, seq, emb, hid, key = axes("batch seq emb hid key")
state_, state, time = axes("state' state time")
hid_ = hid.prime


@formula
def spread(X: R[time, state], A: R[state_, state]) -> R[time, state_, state]:
    """Start from an identity whose sizes are those of the formula's axes."""
    P0 = 1.0 * nt.eye(state_, state)
    return nt.scan[time](lambda P, x: 0.5 * P + x * A, P0, X)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_carry_that_is_defined_by_its_indices_has_the_sizes_that_the_formula_declares(library):
    x, a = np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3)
    X, A = nt.tensor(x, time, state).to(library), nt.tensor(a, state_, state).to(library)
    expected = np.eye(3)
    for row in x:
        expected = 0.5 * expected + row * a
    found = spread(X, A)[time(-1)].to("numpy").numpy(state_, state)
    np.testing.assert_allclose(found, expected)


@formula
def RNN(X: R[seq, emb], h: R[hid], *, W: R[emb, hid], U: R[hid, hid_]) -> R[seq, hid]:
    def step(h, x):
        return nt.tanh(W @ emb @ x + (U @ hid @ h)[hid_ >> hid])

    return nt.scan[seq](step, h, X)


def weights(*shapes):
    generator = torch.Generator().manual_seed(0)
    return [nt.normal(s, generator=generator, dtype=torch.float64) for s in shapes]


SHAPES = ("batch[2] seq[5] emb[3]", "hid[4]", "emb[3] hid[4]", "hid[4] hid'[4]")


def by_hand(X, h, W, U):
    """The recurrence over indices, in torch."""
    x, h = X.torch(batch, seq, emb), h.torch().expand(2, 4)
    W, U = W.torch(emb, hid), U.torch(hid, hid_)
    states = []
    for i in range(x.shape[1]):
        h = torch.tanh(x[:, i] @ W + h @ U)
        states.append(h)
    return nt.tensor(torch.stack(states, 1), batch, seq, hid)


def test_a_formula_plans_its_recurrence_once_for_all_lengths():
    X, h, W, U = weights(*SHAPES)
    for n in (5, 3, 1, 0):
        found = RNN(X[seq[:n]], h, W=W, U=U)
        assert found.size(seq) == n
        if n:
            assert_close(found, by_hand(X[seq[:n]], h, W, U))
    known = [plans for key, plans in RNN.plans.items() if len(plans) > 1]
    assert not known


def test_the_code_is_a_function_for_the_step_and_a_loop():
    X, h, W, U = weights(*SHAPES)
    code = RNN.code(X, h, W=W, U=U)
    assert code.startswith("def step(")
    assert code.count("loop(step, ") == 1
    assert "def RNN(X, h, W, U):" in code


def test_what_needs_the_elements_alone_is_computed_for_all_at_once():
    X, h, W, U = weights(*SHAPES)
    step, whole = RNN.code(X, h, W=W, U=U).split("def RNN")
    assert step.count("@") + step.count("matmul") + step.count("linear") == 1
    assert "W" in whole.partition("loop(")[0].partition("):")[2].replace("W.shape", "")


def test_gradients_are_those_of_the_steps():
    given = [X.torch(*X.axes).requires_grad_() for X in weights(*SHAPES)]
    named = [nt.tensor(x, *X.axes) for x, X in zip(given, weights(*SHAPES), strict=True)]
    X, h, W, U = named
    found = RNN(X, h, W=W, U=U).torch(batch, seq, hid)
    wanted = by_hand(*named).torch(batch, seq, hid)
    for a, b in zip(
        torch.autograd.grad(found.square().sum(), given),
        torch.autograd.grad(wanted.square().sum(), given),
        strict=True,
    ):
        torch.testing.assert_close(a, b)


def test_a_step_that_uses_data_from_outside_runs_outside_of_formulas_too():
    X, h, W, U = weights(*SHAPES)
    runs = []

    def step(h, x):
        runs.append(1)
        return nt.tanh(W @ emb @ x + (U @ hid @ h)[hid_ >> hid])

    assert_close(nt.scan[seq](step, h, X), by_hand(X, h, W, U))
    assert len(runs) == 2  # once more where the carry gets the axis batch


def test_a_step_that_looks_at_numbers_runs_at_each_index():
    X = nt.tensor([1.0, -2.0, 3.0], seq)
    found = nt.scan[seq](lambda h, x: h + x if x.item() > 0 else h, 0.0, X)
    assert_close(found, nt.tensor([1.0, 1.0, 4.0], seq))


def test_random_numbers_are_drawn_at_each_index():
    X = nt.zeros("seq[4] emb[50]")
    found = nt.scan[seq](lambda h, x: x + nt.normal(emb[50]), nt.zeros(emb[50]), X)
    assert not np.allclose(found.numpy(seq, emb)[0], found.numpy(seq, emb)[1])
    dropped = nt.scan[seq](lambda h, x: nt.dropout(x, 0.5), nt.zeros(emb[50]), X + 1)
    assert not np.allclose(dropped.numpy(seq, emb)[0], dropped.numpy(seq, emb)[1])


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_carry_is_a_tensor_a_tuple_or_none(library):
    X = nt.tensor([[1.0, 2.0], [3.0, 4.0]], seq, emb).to(library)
    H, C = nt.scan[seq](lambda s, x: (s[0] + x, s[1] * x), (0.0, nt.ones(emb[2]).to(library)), X)
    assert_close(H, nt.cumsum[seq](X))
    assert_close(C, nt.cumprod[seq](X))
    none, Y = nt.scan[seq](lambda h, x: None, None, X, emit=lambda h, x: 2 * x)
    assert none is None
    assert_close(Y, 2 * X)
    last, (Y, Z) = nt.scan[seq](lambda h, x: h + x, 0.0, X, emit=lambda h, x: (h, x))
    assert_close(last, nt.sum[seq](X))
    assert_close(Y, nt.cumsum[seq](X))
    assert_close(Z, X)
    assert_close(nt.fold[seq](lambda h, x: h * x, 1.0, X), nt.prod[seq](X))


def test_it_runs_backwards_too():
    X = nt.tensor([1.0, 2.0, 3.0], seq)
    found = nt.scan[seq](lambda h, x: 2 * h + x, 0.0, X, reverse=True)
    assert_close(found, nt.tensor([17.0, 8.0, 3.0], seq))
    assert nt.fold[seq](lambda h, x: 2 * h + x, 0.0, X, reverse=True).item() == 17.0


def test_the_axes_of_a_carry_widen():
    @formula
    def f(X: R[seq, emb], h: R[hid], g: R[key]) -> R[seq, emb, hid, key]:
        A, B = nt.scan[seq](lambda s, x: (s[1] + x, s[0] + g), (h, 0.0), X)
        return A + B

    X, h, g = nt.ones("seq[3] emb[2] batch[2]"), nt.ones("hid[2]"), nt.ones("key[3]")
    assert f(X, h, g).shape == nt.Shape("seq[3] emb[2] hid[2] key[3] batch[2]")


def test_one_recurrence_runs_inside_of_another():
    @formula
    def f(X: R[seq, emb], U: R[emb]) -> R[seq]:
        def outer(h, x):
            return h + nt.fold[emb](lambda h, x, u: h * u + x, h, x, U)

        return nt.scan[seq](outer, 0.0, X)

    x, u = np.arange(6.0).reshape(3, 2), np.array([0.5, 2.0])
    h, states = 0.0, []
    for row in x:
        inner = h
        for a, b in zip(row, u, strict=True):
            inner = inner * b + a
        h = h + inner
        states.append(h)
    X, U = nt.tensor(x, seq, emb), nt.tensor(u, emb)
    assert_close(f(X, U), nt.tensor(states, seq))
    assert_close(f(X.to("torch"), U.to("torch")), nt.tensor(states, seq).to("torch"))


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_recurrences_inside_of_two_others_are_two_functions(library):
    @formula
    def f(X: R[seq, emb, hid], h: R[hid]) -> R[seq, hid]:
        def products(h, x):
            return nt.fold[emb](lambda s, y: s * y, h, x)

        def sums(h, x):
            return nt.fold[emb](lambda s, y: s + y, h, x)

        return nt.scan[seq](products, h, X) - nt.scan[seq](sums, h, X)

    A, h = np.arange(1.0, 25.0).reshape(3, 2, 4), np.array([1.0, 2.0, 0.5, 3.0])
    expected = np.cumprod(A.prod(1), 0) * h - (np.cumsum(A.sum(1), 0) + h)
    given = nt.tensor(A, seq, emb, hid).to(library), nt.tensor(h, hid).to(library)
    np.testing.assert_allclose(f(*given).numpy(seq, hid), expected)


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_a_step_may_run_code_of_others(library):
    twice = nt.lift(lambda t: 2 * t, "emb -> emb")

    @formula
    def f(X: R[seq, emb], h: R[emb]) -> R[seq, emb]:
        return nt.scan[seq](lambda h, x: twice(h) + x, h, X)

    A = np.arange(6.0).reshape(3, 2)
    given = nt.tensor(A, seq, emb).to(library), nt.tensor([1.0, 2.0], emb).to(library)
    expected = [[2.0, 5.0], [6.0, 13.0], [16.0, 31.0]]
    np.testing.assert_allclose(f(*given).numpy(seq, emb), expected)


def test_a_step_may_ask_for_sizes():
    @formula
    def f(X: R[seq, emb]) -> R[seq, emb]:
        return nt.scan[seq](lambda h, x: h + x / abs(emb) + x.size(emb), 0.0, X)

    X = nt.ones("seq[3] emb[2]")
    assert_close(f(X), nt.cumsum[seq](X / 2 + 2))


def test_empty_sequences_give_results_of_the_right_shape():
    X = nt.zeros("seq[0] emb[2]")
    H = nt.scan[seq](lambda h, x: h + x, 0.0, X)
    assert H.shape == nt.Shape("seq[0] emb[2]")
    last, Y = nt.scan[seq](lambda h, x: h + x, nt.ones(hid[3]), X, emit=lambda h, x: h > 0)
    assert last.shape == nt.Shape("hid[3] emb[2]")
    assert Y.shape == nt.Shape("seq[0] hid[3] emb[2]")
    assert Y.kind == "bool"


def test_autocast_keeps_the_dtype_of_the_carry():
    X, h, W, U = [x.to("float32") for x in weights(*SHAPES)]
    with torch.autocast("cpu", torch.bfloat16):
        assert RNN(X, h, W=W, U=U).dtype == torch.float32


def test_graph_compilers_read_it():
    X, h, W, U = weights(*SHAPES)
    compiled = torch.compile(
        lambda X, h, W, U: RNN(X, h, W=W, U=U), fullgraph=True, backend="eager"
    )
    assert_close(compiled(X, h, W, U), by_hand(X, h, W, U))

    def eager(X, h, W, U):
        return nt.scan[seq](lambda h, x: nt.tanh(W @ emb @ x + (U @ hid @ h)[hid_ >> hid]), h, X)

    assert_close(
        torch.compile(eager, fullgraph=True, backend="eager")(X, h, W, U), by_hand(X, h, W, U)
    )


def test_torch_func_goes_through():
    X, h, W, U = weights(*SHAPES)

    def loss(w):
        return RNN(X, h, W=nt.tensor(w, emb, hid), U=U).torch(batch, seq, hid).sum()

    w = W.torch(emb, hid)
    torch.testing.assert_close(
        torch.func.vmap(torch.func.grad(loss))(torch.stack([w, w]))[0], torch.func.grad(loss)(w)
    )


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_an_associative_scan_is_the_scan_of_its_combination(library):
    @formula
    def states(a: R[seq, emb], b: R[seq, emb, hid]) -> R[seq, emb, hid]:
        return nt.associative_scan[seq](lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b))[1]

    generator = np.random.default_rng(0)
    for n in (1, 2, 3, 7, 8, 9, 0):
        a = nt.uniform(seq[n], emb[2], generator=generator).to(library)
        b = nt.normal(seq[n], emb[2], hid[3], batch[2], generator=generator).to(library)
        wanted = nt.scan[seq](lambda h, a, b: a * h + b, 0.0, a, b)
        assert_close(states(a, b), wanted)
    assert len(states.plans) == 1
    assert not any(guards for plans in states.plans.values() for guards, _ in plans)


def test_an_associative_scan_has_logarithmic_depth():
    X = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    Y = nt.associative_scan[seq](lambda x, y: x * y, nt.tensor(X, seq)).torch()

    def depth(function, seen):
        if function is None:
            return 0
        if function not in seen:
            inner = [depth(f, seen) for f, _ in function.next_functions]
            seen[function] = max(inner, default=0) + (function.name() == "MulBackward0")
        return seen[function]

    assert depth(Y.grad_fn, {}) <= 20
    Y.sum().backward()
    torch.testing.assert_close(X.grad, torch.arange(1000, 0, -1, dtype=torch.float64))


def test_a_combination_may_widen_and_may_look_at_numbers():
    X, g = nt.tensor([1.0, 2.0, 3.0], seq), nt.ones(hid[2])
    found = nt.associative_scan[seq](lambda x, y: x + y * g, X)
    assert found.shape == nt.Shape("seq[3] hid[2]")
    larger = nt.associative_scan[seq](lambda x, y: x if x.item() > y.item() else y, X)
    assert_close(larger, X)


def test_a_combination_cannot_see_the_axis():
    X = nt.ones("seq[3]")
    with pytest.raises(nt.AxisMissingError):
        nt.associative_scan[seq](lambda x, y: nt.sum[seq](x) + y, X)


def test_a_number_widens_where_sizes_are_known_too():
    @formula
    def sums(X: R[seq, emb]) -> R[seq, emb]:
        return nt.scan[seq](lambda h, x: h + x, 0.0, X)

    assert sums.shape("seq[3] emb[2]") == nt.Shape("seq[3] emb[2]")


def test_a_recurrence_is_derived_by_the_table_and_by_torch():
    def loss(X):
        return nt.sum[seq](nt.scan[seq](lambda h, x: nt.tanh(h + x), 0.0, X))

    X = nt.tensor([0.5, -1.0, 2.0], seq)
    x = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    h = torch.tanh(x[0])
    total = h + (g := torch.tanh(h + x[1])) + torch.tanh(g + x[2])
    (wanted,) = torch.autograd.grad(total, x)
    for given in (X, X.to("torch")):
        assert_close(nt.grad(loss)(given), nt.tensor(wanted, seq))
