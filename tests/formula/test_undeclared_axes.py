"""An axis that a formula does not declare passes through `...` and through updates, as through all else."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from namedtensor.operations.axis_functions import AxisFunction
from namedtensor.testing import assert_same
from tests.laws import agreement, programs

seq, emb, batch, vocab = axes("seq emb batch vocab")
RNG = np.random.default_rng(0)
X = nt.tensor(RNG.normal(size=(3, 4)), seq, emb)
I = nt.tensor([[0, 1, 2], [4, 4, 0]], batch, seq)
WAYS = [{}, {"fuse": False}, {"trace": False}]


def on(library, *tensors):
    return [Y.to(library) for Y in tensors]


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.parametrize(
    "name", ["sum", "mean", "max", "norm", "logsumexp", "argmax", "softmax", "standardize", "std"]
)
def test_three_dots_are_the_axes_that_the_formula_knows(name, how, library):
    function = getattr(nt, name)

    def body(Y):
        return function[...](Y)

    body.__annotations__ = {"Y": R[emb]}
    (given,) = on(library, X)
    assert_same(formula(**how)(body)(given), function[emb](given))
    assert_same(body(given), function[seq, emb](given))


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_tensor_without_axes_of_its_own_is_left_as_it_is(how):
    @formula(**how)
    def number(Y: R) -> R:
        return nt.sum[...](Y) + nt.max[...](Y)

    assert_same(number(X), 2 * X)


@pytest.mark.parametrize("how", WAYS, ids=str)
def test_a_formula_within_knows_its_own_axes(how):
    @formula(**how)
    def largest(Y: R[emb]) -> R:
        return nt.max[...](Y)

    @formula(**how)
    def total(Y: R[seq, emb]) -> R:
        return nt.sum[...](largest(Y))

    assert_same(total(X), nt.sum[seq](nt.max[emb](X)))
    wide = nt.stack[batch](X, 2 * X)
    assert_same(total(wide), nt.sum[seq](nt.max[emb](wide)))


def test_a_step_of_a_scan_knows_no_axis_that_it_runs_along():
    @formula
    def summed(Y: R[seq, emb]) -> R[seq]:
        return nt.scan[seq](lambda h, y: h + nt.sum[...](y), 0.0, Y)

    wide = nt.stack[batch](X, 2 * X)
    assert_same(summed(wide), nt.cumsum[seq](nt.sum[emb](wide)))


def test_a_gradient_is_of_each_index_of_an_undeclared_axis():
    @formula
    def loss(Y: R[emb]) -> R:
        return nt.sum[...](Y * Y)

    assert_same(nt.grad(loss)(X), 2 * X)


def test_all_and_any_and_count_lift_too():
    @formula
    def every(M: B[emb]) -> B:
        return nt.all[...](M)

    @formula
    def counted(M: B[emb]) -> Z:
        return nt.count[...](M)

    assert_same(every(X > -1.0), nt.all[emb](X > -1.0))
    assert_same(counted(X > 0.0), nt.count[emb](X > 0.0))


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("how", WAYS, ids=str)
@pytest.mark.parametrize("word", ["set", "add", "multiply", "min", "max"])
@pytest.mark.parametrize("wide", ["I", "v", "both"])
def test_an_update_lifts_over_what_only_its_indices_or_numbers_have(wide, word, how, library):
    def body(Y, J, v):
        return getattr(Y.at[vocab(J)], word)(v)

    body.__annotations__ = {"Y": R[vocab], "J": Z[seq], "v": R[seq], "return": R[vocab]}
    E = nt.tensor(RNG.normal(size=5), vocab)
    J, v = I, nt.tensor(RNG.normal(size=(2, 3)), batch, seq)
    if word == "set":  # of two numbers for one place, neither is the right one
        J = nt.tensor([[0, 1, 2], [4, 3, 0]], batch, seq)
    J = J[batch(0)] if wide == "v" else J
    v = v[batch(0)] if wide == "I" else v
    E, J, v = on(library, E, J, v)
    found = formula(**how)(body)(E, J, v)
    for i in range(2):
        parts = [T[batch(i)] if "batch" in T.axes else T for T in (J, v)]
        assert_same(found[batch(i)], body(E, *parts))


def test_an_update_adds_up_what_the_formula_declares():
    @formula
    def counted(Y: R[vocab], J: Z[batch, seq]) -> R[vocab]:
        return Y.at[vocab(J)].add(1.0)

    assert_same(counted(nt.zeros("vocab[5]"), I), nt.tensor([2.0, 1.0, 1.0, 0.0, 2.0], vocab))


def test_rearranging_lifts_over_an_axis_beside_one_of_any_name():
    @formula
    def merged(Y: R["seq x0"]) -> R[nt.Axis("seq_x0")]:
        return Y.rearrange("seq x0 -> (seq x0)")

    Y = nt.tensor(RNG.normal(size=(2, 3, 2)), "seq", "x0", "emb'")
    assert merged(Y).shape == nt.Shape("seq_x0[6] emb'[2]")


def test_the_law_sees_three_dots_that_reduce_what_is_not_declared(monkeypatch):
    def over_all(self, X, *rest, **named):
        return self[getattr(X, "_order", X.axes)](X, *rest, **named)

    monkeypatch.setattr(AxisFunction, "_over_all", over_all)
    drawn = ((seed, programs.program(seed)) for seed in range(4000))
    seed, program = next(
        (seed, program)
        for seed, program in drawn
        if not program.faulty and any("[...]" in step.text for step in program.steps)
    )
    with pytest.raises(agreement.Disagreement, match="lifted over another axis"):
        agreement.over_another(program, agreement.Runs(program), seed)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("how", WAYS[:2], ids=str)
@pytest.mark.parametrize(
    ("body", "plain"),
    [
        (lambda Y: nt.softmax[Y.axes](Y), lambda Y: nt.softmax[emb](Y)),
        (lambda Y: nt.softmax[Y.shape.names](Y), lambda Y: nt.softmax[emb](Y)),
        (lambda Y: Y / Y.shape.count, lambda Y: Y / 4),
        (lambda Y: Y * len(Y.axes), lambda Y: Y),
        (lambda Y: Y * sum([size for _, size in Y.sizes]), lambda Y: Y * 4),
    ],
    ids=["axes", "names", "count", "how many", "sizes"],
)
def test_a_body_is_told_the_axes_that_the_formula_knows(body, plain, how, library):
    def asking(Y):
        return body(Y)

    asking.__annotations__ = {"Y": R[emb]}
    (given,) = on(library, X)
    nt.testing.assert_close(formula(**how)(asking)(given), plain(given))
    with nt.debug():
        nt.testing.assert_close(formula(**how)(asking)(given), plain(given))


def test_noise_for_the_shape_of_an_argument_is_drawn_for_what_lifts_too():
    @formula
    def noisy(Y: R[emb]) -> R[emb]:
        return Y + nt.normal(Y.shape)

    drawn = noisy(nt.zeros(seq[3], emb[4])).numpy(seq, emb)
    assert len(set(drawn.ravel().tolist())) == 12
