"""Derivatives have starred axes; gradients line up; differentials are never built as matrices."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import axes
from namedtensor.testing import assert_close

seq, emb, hid = axes("seq emb hid")


@pytest.fixture
def X():
    return nt.tensor(torch.randn(3, 4, dtype=torch.float64), seq, emb)


def test_a_derivative_has_a_starred_axis_for_each_axis_of_the_input(X):
    found = nt.derivative(nt.softmax[emb])(X)
    assert found.shape == nt.Shape("seq[3] emb[4] seq*[3] emb*[4]")
    expected = torch.func.jacrev(lambda x: torch.softmax(x, 1))(X.torch(seq, emb))
    assert torch.allclose(found.torch(seq, emb, "seq*", emb.star), expected)


def test_a_derivative_of_a_derivative_has_another_star(X):
    second = nt.derivative(nt.derivative(lambda X: nt.sum[seq, emb](X * X)))(X)
    assert second.shape == nt.Shape("seq*[3] emb*[4] seq**[3] emb**[4]")
    expected = 2 * torch.eye(12, dtype=torch.float64).reshape(3, 4, 3, 4)
    assert torch.allclose(second.torch("seq* emb* seq** emb**"), expected)


def test_a_derivative_may_be_by_another_argument(X):
    W = nt.tensor(torch.randn(4, 2, dtype=torch.float64), emb, hid)
    found = nt.derivative(lambda X, W: X @ emb @ W, 1)(X, W)
    expected = torch.einsum("se,hk->shek", X.torch(seq, emb), torch.eye(2, dtype=torch.float64))
    assert torch.allclose(found.torch("seq hid emb* hid*"), expected)


def test_a_gradient_lines_up_with_its_input(X):
    def loss(X):
        return nt.sum[...](nt.exp(X) * X)

    gradient = nt.grad(loss)(X)
    assert gradient.shape == X.shape
    x = X.torch(seq, emb)
    assert torch.allclose(gradient.torch(seq, emb), x.exp() * x + x.exp())
    assert (X + gradient).shape == X.shape
    assert (X - 0.1 * gradient).shape == X.shape


def test_a_gradient_lines_up_however_the_input_is_stored(X):
    turned = nt.tensor(X.torch(emb, seq).contiguous(), emb, seq)
    assert_close(nt.grad(lambda X: nt.sum[...](X**3))(turned), 3 * X**2)


def test_a_differential_is_the_derivative_times_a_change(X):
    dX = nt.tensor(torch.randn(4, 3, dtype=torch.float64), emb, seq)
    found = nt.differential(nt.softmax[emb])(X, dX)
    jacobian = nt.derivative(nt.softmax[emb])(X)
    expected = jacobian @ (seq.star, emb.star) @ dX[seq >> seq.star, emb >> emb.star]
    assert_close(found, expected)


def test_backward_leaves_gradients_with_the_axes_of_their_tensor():
    W = nt.tensor(torch.randn(4, 2, dtype=torch.float64), emb, hid).requires_grad_()
    assert W.grad is None
    nt.sum[...](W * W).backward()
    assert_close(W.grad, 2 * W.detach())
    assert W.requires_grad
    assert not W.detach().requires_grad


def test_backward_takes_a_gradient_of_the_result(X):
    W = X.detach().requires_grad_()
    (W * W).backward(nt.tensor(torch.ones(4, 3, dtype=torch.float64), emb, seq))
    assert_close(W.grad, 2 * X)


def test_a_step_down_the_gradient_lowers_the_loss(X):
    def loss(X):
        return nt.sum[...]((X - 1.0) ** 2)

    assert loss(X - 0.1 * nt.grad(loss)(X)).item() < loss(X).item()
    assert np.isfinite(loss(X).item())
