"""Nested formulas meet extra axes that are named like the inner axes of any of them."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close

seq, emb, hid, key, val = axes("seq emb hid key val")
seq_ = seq.prime


@formula
def att(Q: R[key], K: R[key, seq], V: R[seq, val]) -> R[val]:
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


@formula
def FFN(X: R[emb], *, W: R[emb, hid], U: R[hid, emb]) -> R[emb]:
    return U @ hid @ nt.relu(W @ emb @ X)


@formula
def block(X: R[seq, emb], Y: R[seq_, emb], *, ffn: FFN) -> R[seq, emb]:
    keys, values = Y["emb -> key, seq' -> seq"], Y["emb -> val, seq' -> seq"]
    Z = att(X["emb -> key"], keys, values)["val -> emb"]
    return ffn(Z) + X


def positional_block(x, y, w, u):
    score = x @ np.swapaxes(y, -1, -2) / np.sqrt(x.shape[-1])
    weight = np.exp(score - score.max(-1, keepdims=True))
    z = weight / weight.sum(-1, keepdims=True) @ y
    return np.maximum(z @ w, 0) @ u + x


@pytest.fixture
def drawn():
    """Arrays of X (seq emb), Y (seq' emb), W (emb hid) and U (hid emb), two of each."""
    generator = np.random.default_rng(0)
    return [generator.standard_normal((2, *s)) for s in ((4, 3), (6, 3), (3, 5), (5, 3))]


@pytest.fixture(params=["numpy", "torch"])
def library(request):
    return request.param


def run(library, X, Y, W, U):
    found = block(X.to(library), Y.to(library), ffn={"W": W.to(library), "U": U.to(library)})
    return found.to("numpy")


@pytest.mark.parametrize("extra", ["hid", "key", "val", "seq'", "batch"])
def test_an_extra_axis_of_the_first_argument_passes_through_all(drawn, library, extra):
    x, (y, _), (w, _), (u, _) = drawn[0], *drawn[1:]
    X = nt.tensor(x, extra, seq, emb)
    rest = nt.tensor(y, seq_, emb), nt.tensor(w, emb, hid), nt.tensor(u, hid, emb)
    expected = nt.tensor(positional_block(x, y, w, u), extra, seq, emb)
    assert_close(run(library, X, *rest), expected)


@pytest.mark.parametrize("extra", ["hid", "key", "val", "batch"])
def test_an_extra_axis_of_two_arguments_is_one_axis(drawn, library, extra):
    x, y, (w, _), (u, _) = drawn
    X, Y = nt.tensor(x, extra, seq, emb), nt.tensor(y, extra, seq_, emb)
    found = run(library, X, Y, nt.tensor(w, emb, hid), nt.tensor(u, hid, emb))
    assert_close(found, nt.tensor(positional_block(x, y, w, u), extra, seq, emb))


@pytest.mark.parametrize("extra", ["key", "val", "seq'", "batch"])
def test_an_extra_axis_of_a_bundle_passes_through_all(drawn, library, extra):
    (x, _), (y, _), w, (u, _) = drawn
    X, Y = nt.tensor(x, seq, emb), nt.tensor(y, seq_, emb)
    found = run(library, X, Y, nt.tensor(w, extra, emb, hid), nt.tensor(u, hid, emb))
    expected = np.stack([positional_block(x, y, each, u) for each in w])
    assert_close(found, nt.tensor(expected, extra, seq, emb))


def test_the_order_of_stored_axes_means_nothing(drawn, library):
    (x, _), (y, _), (w, _), (u, _) = drawn
    turned = [
        nt.tensor(a.T.copy(), *reversed(names))
        for a, names in ((x, (seq, emb)), (y, (seq_, emb)), (w, (emb, hid)), (u, (hid, emb)))
    ]
    assert_close(run(library, *turned), nt.tensor(positional_block(x, y, w, u), seq, emb))
