"""A formula as a document spells it out gets the same kernel as one with our own words."""

import torch

import namedtensor as nt
from namedtensor import R, axes, formula

emb, hid = axes("emb hid")


@formula
def layer_norm(X: R[emb], gamma: R[emb], beta: R[emb]) -> R[emb]:
    mu = nt.mean[emb](X)
    variance = nt.mean[emb]((X - mu) ** 2)
    return gamma * ((X - mu) / nt.sqrt(variance + 1e-5)) + beta


@formula
def rectified(X: R[emb], W: R[emb, hid], b: R[hid]) -> R[hid]:
    return nt.maximum(0, W @ emb @ X + b)


@formula
def mean_of_another_axis(X: R[emb, hid]) -> R[hid]:
    return nt.mean[emb]((X - nt.mean[hid](X)) ** 2)


def drawn(*shape):
    return nt.normal(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def as_written(f):
    return nt.Formula(f.function, f.signature, fuse=False)


def test_document_000_s_layer_norm_is_one_kernel():
    given = drawn("batch[3] emb[4]"), drawn(emb[4]), drawn(emb[4])
    code = layer_norm.code(*given)
    assert "layer_norm(X, (emb,), gamma, beta, 1e-05)" in code
    assert "mean" not in code
    nt.testing.assert_close(layer_norm(*given), as_written(layer_norm)(*given), rtol=1e-12)


def test_the_greater_of_0_and_x_is_relu():
    given = drawn("batch[3] emb[4]"), drawn(emb[4], hid[5]), drawn(hid[5])
    assert "relu(" in rectified.code(*given)
    nt.testing.assert_close(rectified(*given), as_written(rectified)(*given), rtol=1e-12)


def test_the_distance_from_another_mean_is_no_variance():
    X = drawn(emb[4], hid[5])
    assert "var(" not in mean_of_another_axis.code(X)
    found = as_written(mean_of_another_axis)(X)
    nt.testing.assert_close(mean_of_another_axis(X), found, rtol=1e-12)
