"""Other precisions, activations that are computed again, and tensors without data."""

from copy import deepcopy

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.torch_whole.model import SIZES, Model, batch, gradients, loss, words
from transformer_named.named_tensors import emb, layer, seq, vocab

gate, hid = axes("gate hid")
hid_ = hid.prime

#: bfloat16 keeps 8 bits; scores are about 1, through two layers
NEAR = dict(rtol=0.1, atol=0.1)


def test_autocast_runs_formulas_in_bfloat16():
    model, x = Model(), words()
    with torch.autocast("cpu", torch.bfloat16):
        Y = model(x)
    assert Y.dtype == torch.bfloat16
    nt.testing.assert_close(Y.to(torch.float32), model(x), **NEAR)
    assert all(p.dtype == torch.float32 for p in model.parameters())


@formula
def remembers(
    X: R[seq, emb],
    *,
    W: R[gate[4], emb, hid],
    U: R[gate[4], hid_, hid],
    b: R[gate[4], hid],
) -> R[seq, hid]:
    """An LSTM, for which not every CPU has a cell in bfloat16."""

    def step(carry, x):
        h, c = carry
        i, f, g, o = nt.unstack[gate](W @ emb @ x + U @ hid_ @ h[hid >> hid_] + b)
        c = nt.sigmoid(f) * c + nt.sigmoid(i) * nt.tanh(g)
        return nt.sigmoid(o) * nt.tanh(c), c

    start = nt.zeros(hid)
    return nt.scan[seq](step, (start, start), X)[0]


def test_recurrent_cells_run_under_autocast():
    torch.manual_seed(0)
    model = remembers.module(emb[3], hid[4], hid_[4])
    X = nt.tensor(torch.randn(2, 5, 3), batch, seq, emb)
    assert nt.explain(model, X).splitlines()[1].startswith("  lstm")
    with torch.autocast("cpu", torch.bfloat16):
        Y = model(X)
    nt.testing.assert_close(Y.to(torch.float32), model(X), **NEAR)


def test_gradients_under_autocast_are_of_the_parameters_dtype():
    model, x = Model(), words()
    with torch.autocast("cpu", torch.bfloat16):
        found = gradients(model, x)
    for name, expected in gradients(model, x).items():
        assert found[name].dtype == torch.float32
        assert (found[name] - expected).norm() < 0.05 * expected.norm() + 1e-3


def test_a_model_in_bfloat16_stays_there():
    model, x = Model(), words()
    half = deepcopy(model).to(torch.bfloat16)
    Y = half(x)
    assert Y.dtype == torch.bfloat16
    nt.testing.assert_close(Y.to(torch.float32), model(x), **NEAR)
    assert {g.dtype for g in gradients(half, x).values()} == {torch.bfloat16}


def test_formulas_of_two_dtypes_are_not_mixed_silently():
    module = layer.module(*SIZES).to(torch.float64)
    X = nt.normal(seq[5], emb[8], backend="torch")
    with pytest.raises(nt.KindError) as error:
        module(X)
    assert "WQ is torch.float64" in str(error.value)
    assert "is torch.float32" in str(error.value)


@pytest.mark.parametrize("where", ["a layer", "the whole model"])
def test_activations_computed_again_give_the_same_gradients(where):
    model, x = Model(dtype=torch.float64), words()
    expected = gradients(model, x)
    if where == "a layer":
        for module in model.layers:
            module.register_forward_pre_hook(lambda *_: runs.append(1))

        def again(x):
            X = model.embedding(x)
            for module in model.layers:
                X = checkpoint(module, X, use_reentrant=False)
            return model.scores(X)

    else:
        model.register_forward_pre_hook(lambda *_: runs.append(1))
        again = lambda x: checkpoint(model, x, use_reentrant=False)
    runs = []
    found = torch.autograd.grad(loss(again, x), list(model.parameters()))
    assert len(runs) == 2 * (2 if where == "a layer" else 1)
    for gradient, name in zip(found, expected, strict=True):
        torch.testing.assert_close(gradient, expected[name], rtol=0, atol=0)


def test_a_model_without_data_gives_shapes():
    model = Model(device="meta")
    Y = model(nt.tensor(torch.empty(2, 5, dtype=torch.int64, device="meta"), batch, seq))
    assert Y.shape == nt.Shape("batch[2] seq[5] vocab[11]")
    assert Y.device == torch.device("meta")


def test_a_model_made_without_data_is_filled_later():
    full, x = Model(), words()
    for empty in (Model(device="meta").to_empty(device="cpu"), Model().to(device="meta")):
        empty.load_state_dict(full.state_dict(), assign=empty.scores.W.is_meta)
        nt.testing.assert_same(empty(x), full(x))


def test_sizes_are_checked_without_data_too():
    model = Model(device="meta")
    X = nt.tensor(torch.empty(5, 7, device="meta"), seq, emb)
    with pytest.raises(nt.AxisSizeError) as error:
        model.layers[0](X)
    assert "axis emb is" in str(error.value)
    with pytest.raises(nt.AxisMissingError):
        model.scores(X[emb >> vocab])


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize("mask", ["none", "bias", "causal"])
def test_gradients_of_few_keys_in_bfloat16_are_those_of_float32(mask, autocast):
    """On a CPU such attention runs in float32: only what comes in and goes out is rounded."""
    seq_, key = nt.axes("seq' key")
    past = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))

    @nt.formula
    def attend(Q: nt.R[seq_, key], K: nt.R[seq, key], V: nt.R[seq, key], B: nt.R[seq_, seq]):
        scores = Q @ key @ K / nt.sqrt(abs(key))
        if mask != "none":
            scores = scores + (B if mask == "bias" else past)
        return nt.softmax[seq](scores) @ seq @ V

    generator = torch.Generator().manual_seed(0)
    *drawn, weight = [torch.randn(2, 8, 8, generator=generator).bfloat16() for _ in range(5)]
    rows = [("seq'", "key"), ("seq", "key"), ("seq", "key"), ("seq'", "seq")]

    def results(dtype):
        leaves = [x.detach().to(dtype).requires_grad_() for x in drawn]
        given = [nt.tensor(x, "head", *ax) for x, ax in zip(leaves, rows, strict=True)]
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast and dtype != torch.float32):
            Y = attend(*given).torch("head", "seq'", "key")
        assert Y.dtype == dtype
        (Y * weight).sum().backward()
        return [Y, *(x.grad for x in leaves if x.grad is not None)]

    found, exact = results(torch.bfloat16), results(torch.float32)
    assert len(found) == (5 if mask == "bias" else 4)
    for ours, expected in zip(found, exact, strict=True):
        torch.testing.assert_close(ours, expected.bfloat16(), rtol=0, atol=0)
