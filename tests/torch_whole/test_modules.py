"""A formula's module is a torch module: saved, copied, tied and parametrised as any other."""

import pickle
from copy import deepcopy

import pytest
import torch
from safetensors.torch import load_model, save_model
from torch.nn.utils.parametrizations import orthogonal, weight_norm

import namedtensor as nt
from tests.torch_whole.model import SIZES, WORDS, Model, embedding, gradients, loss, words
from transformer_named.named_tensors import FFN, emb, hid, layer, seq


def test_parameters_have_the_names_of_the_formulas():
    names = set(Model().layers[0].state_dict())
    assert names == {
        *(f"mha.{name}" for name in ("WQ", "WK", "WV", "WO")),
        *(f"ffn.{name}" for name in ("W1", "b1", "W2", "b2")),
        *(f"{norm}.{name}" for norm in ("mha_norm", "ffn_norm") for name in ("gamma", "beta")),
    }


def test_a_state_dict_survives_torch_save(tmp_path):
    model, other, x = Model(), Model(), words()
    torch.save(model.state_dict(), tmp_path / "model.pt")
    other.load_state_dict(torch.load(tmp_path / "model.pt"))
    nt.testing.assert_same(other(x), model(x))


def test_a_state_dict_of_other_sizes_names_the_parameter_and_the_axis():
    small = FFN.module(emb[8], hid[4])
    with pytest.raises(nt.AxisSizeError) as error:
        small.load_state_dict(FFN.module(emb[8], hid[16]).state_dict())
    assert "axis hid is 16 in W1 of the state dict and 4 in the module" in str(error.value)


def test_a_model_survives_safetensors(tmp_path):
    model, other, x = Model(), Model(), words()
    save_model(model, tmp_path / "model.safetensors")
    load_model(other, tmp_path / "model.safetensors")
    nt.testing.assert_same(other(x), model(x))


def test_named_tensors_are_loaded_without_trusting_the_file(tmp_path):
    X = nt.normal(seq[5], emb[8], backend="torch")
    torch.save({"X": X}, tmp_path / "X.pt")
    nt.testing.assert_same(torch.load(tmp_path / "X.pt", weights_only=True)["X"], X)


def test_a_whole_module_is_pickled_with_its_formula():
    module, X = layer.module(*SIZES), nt.normal(seq[5], emb[8], backend="torch")
    again = pickle.loads(pickle.dumps(module))
    assert again.formula is layer
    nt.testing.assert_same(again(X), module(X))


def test_a_deep_copy_shares_nothing_but_the_formula():
    model, x = Model(), words()
    copy = deepcopy(model)
    before = model(x)
    nt.testing.assert_same(copy(x), before)
    with torch.no_grad():
        for parameter in copy.parameters():
            parameter.zero_()
    nt.testing.assert_same(model(x), before)
    assert copy.layers[0].formula is model.layers[0].formula


def test_a_copy_keeps_its_hooks_and_its_mode():
    module, calls = layer.module(*SIZES).eval(), []
    module.register_forward_hook(lambda *_: calls.append(1))
    copy = deepcopy(module)
    assert not copy.training
    copy(nt.normal(seq[5], emb[8], backend="torch"))
    assert calls == [1]


def test_tied_weights_stay_tied_and_collect_both_gradients():
    model, x = Model(dtype=torch.float64), words()
    model.scores.W = model.embedding.E
    apart = deepcopy(model)
    assert apart.scores.W is apart.embedding.E
    apart.scores.W = torch.nn.Parameter(model.embedding.E.detach().clone())
    tied, untied = gradients(model, x), gradients(apart, x)
    assert "scores.W" not in tied
    both = untied["embedding.E"] + untied["scores.W"]
    torch.testing.assert_close(tied["embedding.E"], both)


def test_a_parametrised_weight_is_computed_at_each_call():
    module, X = FFN.module(*SIZES[:2]), nt.normal(seq[5], emb[8], backend="torch")
    before = module(X)
    weight_norm(module, "W1")
    nt.testing.assert_close(module(X), before, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        module.parametrizations.W1.original0.mul_(2)  # its magnitude; both biases start at zero
    nt.testing.assert_close(module(X), 2 * before, rtol=1e-5, atol=1e-6)
    nt.testing.assert_same(deepcopy(module)(X), module(X))
    nt.sum[...](module(X)).backward()
    assert module.parametrizations.W1.original1.grad.abs().max() > 0


def test_a_parametrised_weight_inside_a_bundle_is_used():
    module = layer.module(*SIZES)
    orthogonal(module.ffn, "W1")
    X = nt.normal(seq[5], emb[8], backend="torch")
    nt.sum[...](module(X) * X).backward()
    assert module.ffn.parametrizations.W1.original.grad is not None
    torch.testing.assert_close(module.ffn.W1 @ module.ffn.W1.T, torch.eye(8))


def test_a_frozen_formula_gets_no_gradient():
    model, x = Model(), words()
    model.embedding.requires_grad_(False)
    loss(model, x).backward()
    assert model.embedding.E.grad is None
    assert model.scores.W.grad is not None


def test_a_training_step_lowers_the_loss():
    model, x = Model(), words()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        losses.append(loss(model, x))
        losses[-1].backward()
        optimizer.step()
    assert losses[-1] < losses[0]


def test_a_start_for_an_unknown_parameter_is_refused():
    with pytest.raises(nt.AxisNameError) as error:
        embedding.module(*WORDS, init={"W": torch.nn.init.zeros_})
    assert str(error.value) == (
        "embedding.module(...): init names W, which is no parameter\nhint: the parameters are E"
    )


def test_the_weights_of_a_compiled_module_are_named_as_they_were():
    module = FFN.module(emb[2], hid[3])
    state = {}
    nt.save(torch.compile(module, backend="eager"), state)
    assert set(state) == {"W1", "b1", "W2", "b2"}
    assert nt.load(torch.compile(module, backend="eager"), state).unused == ()
