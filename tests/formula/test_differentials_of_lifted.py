"""A lifted function may bring the rule of its derivative: it serves nt.grad and its like, and is checked."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close

batch, seq, emb, hid = axes("batch seq emb hid")
LIBRARIES = ["numpy", "torch"]


def gated(A, B):
    return A * A * B, A + B.sum(-1, keepdims=True)


def change(A, B, dA, dB):
    return 2 * A * B * dA + A * A * dB, dA + nt.sum[emb](dB)


seen = nt.lift(gated, "emb, emb -> emb, emb", over="emb", differential=change)


@formula
def unseen(X: R[seq, emb], *, W: R[emb, hid]) -> R:
    P, Q = seen(X, nt.sum[hid](W))
    return nt.sum[seq, emb](nt.sin(P) * Q)


@formula
def spelled(X: R[seq, emb], *, W: R[emb, hid]) -> R:
    B = nt.sum[hid](W)
    return nt.sum[seq, emb](nt.sin(X * X * B) * (X + nt.sum[emb](B)))


def draw(shape, library="numpy", seed=0):
    made = nt.zeros(shape)
    numbers = np.random.default_rng(seed).normal(size=made.numpy(*made.axes).shape)
    return nt.tensor(numbers, *made.axes).to(library)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("by", ["X", "W"])
def test_gradients_through_a_lifted_function_are_those_of_what_it_computes(library, by):
    X, W = draw("batch[2] seq[3] emb[4]", library), draw("emb[4] hid[2]", library, 1)
    assert_close(nt.grad(unseen, by)(X, W=W), nt.grad(spelled, by)(X, W=W))
    dX = {f"d{by}": draw("seq[3] emb[4]" if by == "X" else "emb[4] hid[2]", library, 2)}
    found = nt.differential(unseen, by)(X, W=W, **dX)
    assert_close(found, nt.differential(spelled, by)(X, W=W, **dX))


@pytest.mark.parametrize("library", LIBRARIES)
def test_second_derivatives_go_through_the_rule(library):
    X, W = draw("seq[3] emb[4]", library), draw("emb[4] hid[2]", library, 1)
    found = nt.derivative(nt.grad(unseen))(X, W=W)
    assert_close(found, nt.derivative(nt.grad(spelled))(X, W=W))


def test_a_loop_whose_step_is_lifted_is_derived():
    wave = nt.lift(np.sin, "->", differential=lambda X, dX: nt.cos(X) * dX)

    def looped(f):
        @formula
        def loop(X: R[seq, emb]) -> R:
            return nt.sum[emb](nt.fold[seq](lambda h, x: f(h + x), 0.0 * X[seq(0)], X))

        return loop

    X = draw("seq[5] emb[3]")
    assert_close(nt.grad(looped(wave))(X), nt.grad(looped(nt.sin))(X))


def test_a_formula_s_differential_is_a_rule_for_the_kernel_that_computes_it():
    @formula
    def glu(A: R[hid], B: R[hid]) -> R[hid]:
        return nt.silu(A) * B

    fused = nt.lift(
        lambda a, b: torch.nn.functional.silu(a) * b,
        "hid, hid -> hid",
        over="hid",
        differential=nt.differential(glu, ("A", "B")),
    )

    @formula
    def with_kernel(A: R[hid], B: R[hid]) -> R:
        return nt.sum[hid](fused(A, B) * A)

    @formula
    def without(A: R[hid], B: R[hid]) -> R:
        return nt.sum[hid](glu(A, B) * A)

    A, B = draw("batch[2] hid[3]", "torch"), draw("hid[3]", "torch", 1)
    for found, wanted in zip(
        nt.grad(with_kernel, ("A", "B"))(A, B), nt.grad(without, ("A", "B"))(A, B), strict=True
    ):
        assert_close(found, wanted)


def test_a_rule_that_leaves_a_change_out_gives_other_numbers():
    wrong = nt.lift(gated, "emb, emb -> emb, emb", differential=lambda A, B, dA, dB: (dA, dB))

    @formula
    def loss(X: R[emb]) -> R:
        P, Q = wrong(X, X)
        return nt.sum[emb](P + Q)

    X = draw("emb[4]")
    assert_close(nt.grad(loss)(X), nt.tensor(np.full(4, 2.0), emb))


def test_whole_numbers_among_the_operands_have_no_change():
    rule = lambda X, n, dX, dn: n * X ** (n - 1) * dX
    power = nt.lift(lambda x, n: x**n, ", ->", differential=rule)

    @formula
    def loss(X: R[emb], n: nt.Z[emb]) -> R:
        return nt.sum[emb](power(X, n))

    X, n = draw("emb[3]"), nt.tensor(np.array([1, 2, 3]), emb)
    assert_close(nt.grad(loss)(X, n), n * X ** (n - 1))


def test_a_part_that_stays_0_is_linear_too():
    rule = lambda X, dX: nt.concat[hid](dX[emb >> hid], nt.zeros("hid[2]"))
    filled = nt.lift(lambda x: np.concatenate([x, np.ones(2)]), "emb -> hid[5]", differential=rule)

    @formula
    def loss(X: R[emb]) -> R:
        return nt.sum[hid](filled(X) * filled(X))

    X = draw("emb[3]")
    assert_close(nt.grad(loss)(X), 2 * X)
