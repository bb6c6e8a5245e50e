"""X.detach() in a body: the same numbers, by which nothing is derived."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import namedtensor as nt
from namedtensor import R, axes, formula

batch, seq, emb, code = axes("batch seq emb code")


@formula
def quantised(X: R[emb], *, E: R[code, emb]) -> tuple[R[emb], R]:
    """The nearest vector of a codebook, whose gradient goes straight through, and how far it is."""
    Q = E[code(nt.argmin_index[code](nt.sum[emb]((X - E) ** 2)))]
    loss = nt.sum[emb]((X.detach() - Q) ** 2)
    return X + (Q - X).detach(), loss


def positional(x, e):
    q = e[torch.cdist(x, e).argmin(-1)]
    return x + (q - x).detach(), ((x.detach() - q) ** 2).sum(-1)


@pytest.fixture
def given():
    torch.manual_seed(0)
    return [torch.randn(n, 4, dtype=torch.float64, requires_grad=True) for n in (3, 5)]


@pytest.mark.parametrize("way", ["as it is", "compiled", "step by step"])
def test_values_and_gradients_are_torch_s(given, way):
    x, e = given
    call = torch.compile(quantised, backend="eager") if way == "compiled" else quantised
    with nt.debug() if way == "step by step" else nt.training(True):
        Y, L = call(nt.tensor(x, batch, emb), E=nt.tensor(e, code, emb))
    found, wanted = (Y.torch(batch, emb), L.torch(batch)), positional(x, e)
    torch.testing.assert_close(found, wanted)
    weight = torch.randn(3, 4, dtype=torch.float64)
    mine, theirs = [
        torch.autograd.grad((y * weight).sum() + 2 * loss.sum(), given)
        for y, loss in (found, wanted)
    ]
    torch.testing.assert_close(mine, theirs)


def test_numpy_gives_the_same_numbers(given):
    x, e = [g.detach().numpy() for g in given]
    Y, _ = quantised(nt.tensor(x, batch, emb), E=nt.tensor(e, code, emb))
    np.testing.assert_allclose(Y.numpy(batch, emb), positional(*given)[0].detach().numpy())
    X = nt.tensor(x, batch, emb)
    assert X.detach() is X


@formula
def halved(X: R[emb]) -> R:
    return nt.sum[emb](X * X.detach())


def test_a_gradient_that_is_a_formula_knows_it_too():
    X = nt.tensor([1.0, 2.0], emb)
    np.testing.assert_array_equal(nt.grad(halved)(X).numpy(), [1.0, 2.0])
    assert nt.grad(halved).latex("underset").splitlines()[2].endswith(r"= \text{sg}(X)")


def test_a_printed_one_is_read_as_it_was():
    document = nt.latex.read(halved.latex())
    assert not document.check()
    assert "nt.sum[emb](X * X.detach())" in document.python()
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    document["halved"](nt.tensor(x, emb)).backward()
    assert x.grad.tolist() == [1.0, 2.0]


@formula
def spectral(X: R[emb], *, W: R[emb, code], v: nt.State[R[emb]]) -> R[code]:
    """A linear map by its largest singular value, whose vectors are not derived by."""
    u = (W @ emb @ v).detach()
    u = u / nt.norm[code](u)
    v = (W @ code @ u).detach()
    v = v / nt.norm[emb](v)
    return (W / (v @ emb @ W @ code @ u)) @ emb @ X, nt.update(v=v)


def test_spectral_norm_is_torch_s_own():
    theirs = torch.nn.utils.parametrizations.spectral_norm(
        torch.nn.Linear(4, 5, bias=False)
    ).double()
    held = theirs.parametrizations.weight
    ours = spectral.module(emb[4], code[5]).double()
    ours.load_state_dict({"W": held.original.detach().T, "v": held[0]._v})
    x = torch.randn(3, 4, dtype=torch.float64)
    weight = torch.randn(3, 5, dtype=torch.float64)
    for _ in range(3):
        found, wanted = ours(nt.tensor(x, batch, emb)).torch(batch, code), theirs(x)
        torch.testing.assert_close(found, wanted)
        mine = torch.autograd.grad((found * weight).sum(), ours.W)[0]
        torch.testing.assert_close(
            mine.T, torch.autograd.grad((wanted * weight).sum(), held.original)[0]
        )
    torch.testing.assert_close(ours.v, held[0]._v)


def test_a_gumbel_softmax_is_torch_s_own():
    @formula
    def chosen(X: R[emb], G: R[emb]) -> R[emb]:
        P = nt.softmax[emb](X + G)
        return P + (nt.argmax[emb](P) - P).detach()

    x = torch.randn(3, 4, requires_grad=True)
    torch.manual_seed(1)
    wanted = F.gumbel_softmax(x, hard=True)
    torch.manual_seed(1)
    noise = -torch.empty_like(x).exponential_().log()
    found = chosen(nt.tensor(x, batch, emb), nt.tensor(noise, batch, emb)).torch(batch, emb)
    torch.testing.assert_close(found, wanted)
    weight = torch.randn(3, 4)
    mine, theirs = [torch.autograd.grad((y * weight).sum(), x)[0] for y in (found, wanted)]
    torch.testing.assert_close(mine, theirs)
