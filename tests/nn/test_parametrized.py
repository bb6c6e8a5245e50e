"""Modules of formulas under what torch does to modules: parametrizations, checkpoints, assignments."""

import pytest
import torch
from torch.nn.utils import parametrizations, parametrize
from torch.utils.checkpoint import checkpoint

import namedtensor as nt
from namedtensor import R, axes, formula

batch, emb, hid = axes("batch emb hid")


@formula
def lin(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return nt.tanh(W @ emb @ X + b)


@formula
def centred(X: R[batch, emb], *, gamma: R[emb], mean: nt.State[R[emb]]) -> R[batch, emb]:
    m = nt.mean[batch](X)
    return (X - m) * gamma, nt.update(mean=0.9 * mean + 0.1 * m)


@formula
def trailing(X: R[batch, emb], *, gamma: R[emb], mean: nt.State[R[emb]]) -> R[batch, emb]:
    return (X - mean) * gamma, nt.update(mean=0.9 * mean + 0.1 * nt.mean[batch](X))


@formula
def deep(X: R[batch, emb], *, layers: nt.each[centred], last: centred) -> R[batch, emb]:
    for layer in layers:
        X = layer(X)
    return last(X)


@formula
def deep_trailing(X: R[batch, emb], *, layers: nt.each[trailing]) -> R[batch, emb]:
    for layer in layers:
        X = layer(X)
    return X


@formula
def deeper(X: R[batch, emb], *, parts: nt.each[deep]) -> R[batch, emb]:
    for part in parts:
        X = part(X)
    return X


def test_a_parametrization_computes_and_learns_and_its_parts_have_axes():
    module = parametrizations.weight_norm(lin.module(emb[3], hid[4]), "W")
    X = nt.normal(batch[5], emb[3], backend="torch")
    Y = module(X).torch(batch, hid)
    torch.testing.assert_close(Y, torch.tanh(X.torch(batch, emb) @ module.W + module.b))
    Y.sum().backward()
    assert all(p.grad is not None for p in module.parameters())
    seen = {}
    nt.parameters(torch.nn.Sequential(module), lambda name, axes: seen.update({name: axes}) or {})
    assert seen == {
        "0.b": ("hid",),
        "0.parametrizations.W.original0": ("emb",),
        "0.parametrizations.W.original1": ("emb", "hid"),
    }
    parametrize.remove_parametrizations(module, "W")
    torch.testing.assert_close(module(X).torch(batch, hid), Y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: deep.module(emb[3], layers=3),
        lambda: deeper.module(emb[3], parts=[dict(layers=2), dict(layers=2)]),
    ],
)
def test_a_checkpoint_of_layers_that_update_states_they_do_not_read_is_computed_again(make):
    module, plain = make(), make()
    plain.load_state_dict(module.state_dict())
    X = nt.normal(batch[5], emb[3], backend="torch")
    for _ in range(2):
        (checkpoint(module, X, use_reentrant=False).torch(batch, emb) ** 2).sum().backward()
        (plain(X).torch(batch, emb) ** 2).sum().backward()
    for ours, theirs in zip(module.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)
    for ours, theirs in zip(module.buffers(), plain.buffers(), strict=True):
        assert torch.equal(ours, theirs)


def test_a_checkpoint_of_layers_that_read_the_states_they_update_is_refused():
    module = deep_trailing.module(emb[3], layers=2)
    Y = checkpoint(module, nt.normal(batch[5], emb[3], backend="torch"), use_reentrant=False)
    with pytest.raises(nt.BackendError, match=r"depends on layers\.0\.mean, layers\.1\.mean"):
        Y.torch(batch, emb).sum().backward()


def test_a_named_tensor_is_no_parameter_and_the_hint_makes_it_one():
    module = lin.module(emb[3], hid[4])
    X = nt.normal(hid[4], emb[3], backend="torch")
    with pytest.raises(nt.KindError) as caught:
        module.W = X
    assert str(caught.value) == (
        "lin.module(...).W = X: X is a named tensor, and W is stored as a tensor of torch\n"
        "  X : hid[4] emb[3]\n"
        "  W : R[emb, hid]\n"
        'hint: model.W = torch.nn.Parameter(X.torch("emb", "hid"))'
    )
    module.W = torch.nn.Parameter(X.torch("emb", "hid"))
    assert module(nt.ones(emb[3], backend="torch")).shape == nt.Shape("hid[4]")
    with pytest.raises(nt.KindError, match=r"model\.mean = X\.torch\(\"emb\"\)"):
        centred.module(emb[3]).mean = nt.ones(emb[3], backend="torch")


@formula
def shifted(X: R[emb], *, b: R[emb] = None) -> R[emb]:
    return X if b is None else X + b


@formula
def size(X: R[batch, emb], *, net: deep, shift: shifted) -> R[()]:
    return nt.sum[batch, emb](net(shift(X)) ** 2)


@pytest.mark.parametrize(
    ("by", "text"),
    [
        (
            "net.layers.2.gamma",
            'there are 2 in net.layers, and the last goes by "net.layers.1.gamma"',
        ),
        ("shift.b", "give it in shift: dict(..., b=...), or a module that has it: dict(b=True)"),
    ],
)
def test_a_derivative_by_what_is_not_given_says_how_it_goes(by, text):
    X = nt.normal(batch[5], emb[3], backend="torch")
    module = size.module(emb[3], net=dict(layers=2))
    with pytest.raises(nt.AxisNameError) as caught:
        nt.grad(size, by=by)(X, **module.named_values())
    assert str(caught.value) == (
        f"grad(size, {by!r})(...): {by} is not given, and the derivative is by it\nhint: {text}"
    )
    module = size.module(emb[3], net=dict(layers=2), shift=dict(b=True))
    for typed in ("net.layers.1.gamma", "shift.b"):
        gradient = nt.grad(size, by=typed)(X, **module.named_values())
        expected = torch.autograd.grad(module(X).torch(), dict(module.named_parameters())[typed])[0]
        torch.testing.assert_close(gradient.torch("emb"), expected)


def test_a_module_is_derived_by_a_name_through_its_formula():
    module = size.module(emb[3], net=dict(layers=2))
    with pytest.raises(nt.AxisNameError) as caught:
        nt.grad(module, by="net.last.gamma")
    assert str(caught.value) == (
        "grad(size.module(...), 'net.last.gamma'): a call of a module is given arguments alone, by "
        "their places, and no net.last.gamma\n"
        "hint: derive its formula: nt.grad(size, by='net.last.gamma')(X, **model.named_values())"
    )
