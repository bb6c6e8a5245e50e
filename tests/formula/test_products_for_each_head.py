"""A weight stored as a matrix for each head is multiplied as it lies, and gives einsum's numbers."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import NamedTensor, R, axes, formula
from namedtensor.testing import assert_close

batch, seq, emb, head, key = axes("batch seq emb head key")


@formula
def project(X: R[seq, emb], *, W: R[head, emb, key]) -> R[seq, head, key]:
    return X @ emb @ W


def drawn(rows: int, backend: str) -> tuple[NamedTensor, NamedTensor]:
    random = np.random.default_rng(0)
    X = nt.tensor(random.standard_normal((2, rows, 64)), batch, seq, emb).to(backend)
    W = nt.tensor(random.standard_normal((3, 64, 16)), head, emb, key).to(backend)
    return X, W


@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("rows", [0, 1, 40, 200, 300])
def test_few_rows_and_many_rows_give_the_same_product(rows: int, backend: str) -> None:
    X, W = drawn(rows, backend)
    wanted = np.einsum("bse,hek->bshk", X.numpy(batch, seq, emb), W.numpy(head, emb, key))
    for recorded in (False, True):
        with torch.set_grad_enabled(recorded):
            found = project(X, W=W)
        np.testing.assert_allclose(found.numpy(batch, seq, head, key), wanted)


@pytest.mark.parametrize("rows", [1, 40, 200, 300])
def test_the_gradients_are_those_of_einsum(rows: int) -> None:
    X, W = (t.requires_grad_() for t in drawn(rows, "torch"))
    nt.sum[batch, seq, head, key](project(X, W=W) ** 2).backward()
    x, w = (t.data.detach().clone().requires_grad_() for t in (X, W))
    loss = torch.einsum("bse,hek->bshk", x, w).pow(2).sum()
    wanted = torch.autograd.grad(loss, (x, w))
    torch.testing.assert_close((X.data.grad, W.data.grad), wanted)
    assert W.data.grad.is_contiguous()


def test_a_compiled_formula_is_one_graph_for_few_rows_and_many() -> None:
    compiled = torch.compile(
        lambda X, W: project(X, W=W), backend="aot_eager", fullgraph=True, dynamic=True
    )
    for rows in (5, 200, 1000):
        X, W = drawn(rows, "torch")
        with torch._dynamo.config.patch(error_on_recompile=rows > 5):
            assert_close(compiled(X, W), project(X, W=W))


def test_the_weight_is_not_moved_before_the_product() -> None:
    X, W = drawn(4, "torch")
    assert "matmul_each(X, W)" in project.code(X, W=W)
