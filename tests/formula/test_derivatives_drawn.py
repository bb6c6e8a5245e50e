"""Derivatives of what is drawn keep the noise; digamma has a derivative; numbers are stacked."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close

batch, seq, emb, one = axes("batch seq emb one")
LIBRARIES = ["numpy", "torch"]


@formula
def dropped(X: R[seq], *, W: R[seq, emb]) -> R:
    Y = nt.dropout(nt.tanh(X), 0.5)
    return nt.sum[seq, emb](Y * Y * W) + nt.sum[seq](Y)


def given(library="torch"):
    rng = np.random.default_rng(0)
    X = nt.tensor(rng.normal(size=40), seq).to(library)
    return X, nt.tensor(rng.normal(size=(40, 3)), seq, emb).to(library)


def test_the_gradient_of_dropout_draws_the_mask_that_torch_draws():
    X, W = given()
    torch.manual_seed(3)
    found = nt.grad(dropped)(X, W=W)
    x = X.torch(seq).clone().requires_grad_()
    torch.manual_seed(3)
    dropped(nt.tensor(x, seq), W=W).backward()
    torch.testing.assert_close(found.torch(seq), x.grad)
    assert 5 < (found.torch(seq) == 0).sum() < 35


@pytest.mark.parametrize("library", LIBRARIES)
def test_one_mask_serves_the_function_and_its_derivative(library):
    @formula
    def ratio(X: R[seq]) -> R:
        Y = nt.dropout(X, 0.5)
        return nt.sum[seq](Y * Y)

    X = nt.ones("seq[40]").to(library)
    found = nt.grad(ratio)(X)  # 2 m^2 x: 8 where the mask m is 2, else 0
    assert set(found.numpy().tolist()) == {0.0, 8.0}


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_record_that_lifts_has_its_own_mask(library):
    X = nt.ones("batch[6] seq[40]").to(library)
    W = nt.zeros("seq[40] emb[3]").to(library)
    masks = nt.grad(dropped)(X, W=W).numpy(batch, seq)
    assert len({tuple(row) for row in masks.tolist()}) == 6


@pytest.mark.parametrize("library", LIBRARIES)
def test_out_of_training_nothing_is_dropped(library):
    X, W = given(library)
    with nt.training(False):
        found = nt.grad(dropped)(X, W=W)
        again = nt.grad(dropped.function)(X, W=W) if library == "numpy" else found
    x = X.numpy()
    slope = (1 + 2 * np.tanh(x) * W.numpy(seq, emb).sum(1)) / np.cosh(x) ** 2
    np.testing.assert_allclose(found.numpy(), slope)
    np.testing.assert_allclose(again.numpy(), slope)
    assert not np.allclose(nt.grad(dropped)(X, W=W).numpy(), slope)


def test_a_differential_keeps_the_mask_too():
    dX = nt.ones("seq[40]")
    Y = nt.differential(formula(lambdas()))(nt.ones("seq[40]"), dX)
    assert set(Y.numpy().tolist()) == {0.0, 2.0}


def lambdas():
    def dropping(X: R[seq]) -> R[seq]:
        return nt.dropout(X, 0.5)

    return dropping


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_derivatives_of_lgamma_go_on(library):
    @formula
    def total(X: R[seq]) -> R:
        return nt.sum[seq](nt.lgamma(X))

    numbers = np.array([0.1, 0.5, 1.0, 3.7, 25.0])
    X = nt.tensor(numbers, seq).to(library)
    second = nt.grad(lambda X: nt.sum[seq](nt.digamma(X)))
    third = formula(summed(nt.grad(total)))
    expected = torch.polygamma(1, torch.tensor(numbers)).numpy()
    np.testing.assert_allclose(second(X).numpy(), expected, rtol=1e-8)  # torch's has 9 digits
    np.testing.assert_allclose(nt.grad(third)(X).numpy(), expected, rtol=1e-8)
    if library == "numpy":
        assert second(X).numpy()[2] == pytest.approx(np.pi**2 / 6, rel=1e-15)
    fourth = formula(summed(nt.grad(third)))
    expected = torch.polygamma(2, torch.tensor(numbers)).numpy()
    np.testing.assert_allclose(nt.grad(fourth)(X).numpy(), expected, rtol=1e-11)


def summed(g):
    def total(X: R[seq]) -> R:
        return nt.sum[seq](g(X))

    return total


def test_trigamma_of_negative_numbers_is_torch_s():
    numbers = np.array([-0.5, -1.3, -4.2])
    found = nt.grad(lambda X: nt.sum[seq](nt.digamma(X)))(nt.tensor(numbers, seq))
    np.testing.assert_allclose(found.numpy(), torch.polygamma(1, torch.tensor(numbers)).numpy())


@pytest.mark.parametrize("library", LIBRARIES)
def test_numbers_alone_are_stacked(library):
    @formula
    def shifted(X: R[seq]) -> R[seq, one]:
        return X + nt.stack[one](1.0, 2, True) * abs(seq)

    @formula
    def sizes(X: R[seq]) -> R[one]:
        return nt.stack[one](abs(seq), 0.5) * nt.sum[seq](X)

    X = nt.tensor([1.0, 2.0], seq).to(library)
    assert shifted(X).numpy(seq, one).tolist() == [[3, 5, 3], [4, 6, 4]]
    assert sizes(X).numpy().tolist() == [6, 1.5]
    assert nt.stack[one](1, 2.5).numpy().tolist() == [1, 2.5]
    assert_close(X * nt.stack[one](1, 2)[one >> seq], X * nt.tensor([1, 2], seq).to(library))
