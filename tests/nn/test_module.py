"""Modules made from signatures: what torch users expect of any module."""

import copy
import io
import pickle

import pytest
import torch

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from namedtensor.testing import assert_close, assert_same

seq, emb, hid, key, val, head, vocab = axes("seq emb hid key val head vocab")
seq_ = seq.prime


@formula
def FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


@formula
def norm(X: R[emb], *, gamma: R[emb], beta: R[emb], eps: float = 1e-5) -> R[emb]:
    return nt.standardize[emb](X, eps) * gamma + beta


@formula
def layer(X: R[emb], *, ffn: FFN, before: norm, p: float = 0.0) -> R[emb]:
    return X + nt.dropout(ffn(before(X)), p)


@formula
def embed(I: Z, *, E: R[vocab, emb]) -> R[emb]:
    return E[vocab(I)] * nt.sqrt(abs(emb))


@pytest.fixture
def ffn():
    return FFN.module(emb[4], hid[6])


@pytest.fixture
def X():
    return nt.tensor(torch.randn(3, 4), seq, emb)


# ------------------------------------------------------------------------------------- parameters


def test_parameters_are_torch_parameters_in_declared_order(ffn):
    assert isinstance(ffn.W1, torch.nn.Parameter)
    assert [(n, tuple(p.shape)) for n, p in ffn.named_parameters()] == [
        ("W1", (4, 6)),
        ("b1", (6,)),
        ("W2", (6, 4)),
        ("b2", (4,)),
    ]


def test_nested_formulas_are_submodules():
    module = layer.module(emb[4], hid[6])
    assert sorted(dict(module.named_parameters())) == [
        "before.beta",
        "before.gamma",
        "ffn.W1",
        "ffn.W2",
        "ffn.b1",
        "ffn.b2",
    ]
    assert isinstance(module.ffn, torch.nn.Module)


def test_sizes_may_be_a_string_and_declared_sizes_need_none():
    assert FFN.module("emb[4] hid[6]").W1.shape == (4, 6)

    @formula
    def fixed(X: R[emb], *, W: R[emb[3], hid[2]]) -> R[hid]:
        return W @ emb @ X

    assert fixed.module().W.shape == (3, 2)


def test_dtype_and_device_are_those_asked_for():
    assert FFN.module(emb[4], hid[6], dtype=torch.float64).W1.dtype == torch.float64
    assert FFN.module(emb[4], hid[6], dtype="bfloat16").W1.dtype == torch.bfloat16
    assert FFN.module(emb[4], hid[6], device="meta").W1.device.type == "meta"
    assert FFN.module(emb[4], hid[6]).W1.dtype == torch.get_default_dtype()


def test_a_module_moves_and_changes_dtype_as_any_module(ffn, X):
    assert ffn.double()(X.to(torch.float64)).dtype == torch.float64
    assert ffn.half().W1.dtype == torch.float16


def test_a_module_shows_the_formula(ffn):
    assert repr(ffn) == (
        "FormulaModule(FFN(X: R[emb]; W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) "
        "-> R[emb])"
    )


# --------------------------------------------------------------------------------- initialisation


def test_weights_start_as_suits_their_role():
    torch.manual_seed(0)
    module = layer.module(emb[200], hid[300])
    bound = (6.0 / (200 + 300)) ** 0.5
    assert module.ffn.W1.abs().max() <= bound
    assert module.ffn.W1.std().item() == pytest.approx(bound / 3**0.5, rel=0.02)
    assert not module.ffn.b1.any()
    assert (module.before.gamma == 1).all()
    assert not module.before.beta.any()


def test_an_embedding_starts_with_unit_vectors_on_the_average():
    table = embed.module(vocab[500], emb[64]).E
    assert (table**2).sum(1).mean().item() == pytest.approx(1.0, rel=0.05)


def test_several_contracted_axes_count_together():
    @formula
    def merge(Y: R[head, val], *, W: R[head, val, emb]) -> R[emb]:
        return W @ (head, val) @ Y

    weight = merge.module(head[8], val[16], emb[100]).W
    assert weight.abs().max().item() == pytest.approx((6.0 / (128 + 100)) ** 0.5, rel=0.01)


def test_plain_factors_and_sums_of_weights_change_no_role():
    @formula
    def adapted(
        X: R[emb],
        *,
        W: R[emb, hid],
        A: R[emb, val],
        B: R[val, hid],
        g: R[hid],
        s: R[hid],
        b: R[hid],
        scale: float = 2.0,
    ) -> R[hid]:
        return ((W + scale * A @ val @ B) @ emb @ X * g - b / 2) * (1 + s)

    torch.manual_seed(0)
    module = adapted.module(emb[8], hid[6], val[4])
    bound = (6.0 / (8 + 6)) ** 0.5
    for name in "WAB":
        data = getattr(module, name)
        assert data.unique().numel() > 20
        assert data.abs().max() > 0.5 * bound
    assert module.g.tolist() == [1.0] * 6
    assert not module.s.any()
    assert not module.b.any()


def test_init_overrides_by_name():
    module = layer.module(
        emb[4],
        hid[6],
        init={
            "ffn.W1": torch.nn.init.zeros_,
            "before.gamma": lambda data: torch.arange(4.0),
            "before.beta": lambda data: data.fill_(7.0),
        },
    )
    assert not module.ffn.W1.any()
    assert module.before.gamma.tolist() == [0, 1, 2, 3]
    assert module.before.beta.tolist() == [7, 7, 7, 7]
    assert module.ffn.W2.any()


def test_a_seed_repeats_the_start():
    def start():
        torch.manual_seed(5)
        return FFN.module(emb[4], hid[6])

    assert torch.equal(start().W1, start().W1)


# ---------------------------------------------------------------------------------------- calling


def test_a_module_computes_its_formula(ffn, X):
    found = ffn(X).detach().torch(seq, emb)
    expected = torch.relu(X.torch(seq, emb) @ ffn.W1 + ffn.b1) @ ffn.W2 + ffn.b2
    assert torch.allclose(found, expected, atol=1e-6)


def test_a_module_lifts_with_hygiene(ffn):
    X = nt.tensor(torch.randn(2, 4), hid, emb)
    expected = torch.relu(X.torch(hid, emb) @ ffn.W1 + ffn.b1) @ ffn.W2 + ffn.b2
    assert torch.allclose(ffn(X).torch(hid, emb), expected, atol=1e-6)


def test_a_submodule_is_a_module_of_its_own(X):
    module = layer.module(emb[4], hid[6])
    assert_close(module.ffn(X), FFN(X, **module.ffn.named_values()))


def test_settings_are_given_when_it_is_made_and_may_be_given_at_a_call(X):
    module = norm.module(emb[4], eps=1.0)
    expected = (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + 1.0)
    assert_close(module(X).detach(), expected, rtol=1e-5, atol=1e-5)
    sharper = (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + 4.0)
    assert_close(module(X, eps=4.0).detach(), sharper, rtol=1e-5, atol=1e-5)


def test_an_optional_parameter_is_left_out_unless_asked_for():
    @formula
    def linear(X: R[emb], *, W: R[emb, hid], b: R[hid] = None) -> R[hid]:
        return W @ emb @ X if b is None else W @ emb @ X + b

    assert set(dict(linear.module(emb[2], hid[3]).named_parameters())) == {"W"}
    assert set(dict(linear.module(emb[2], hid[3], b=True).named_parameters())) == {"W", "b"}
    filled = linear.module(emb[2], hid[3], init={"b": torch.nn.init.ones_})
    assert filled.b.tolist() == [1.0, 1.0, 1.0]
    X = nt.ones("batch[5] emb[2]", backend="torch")
    for _ in range(2):
        assert_same(filled(X), linear(X, W=nt.tensor(filled.W, emb, hid)) + 1.0)
        bare = linear.module(emb[2], hid[3])
        assert_same(bare(X), linear(X, W=nt.tensor(bare.W, emb, hid)))


# ------------------------------------------------------------------------------------- state, copy


def test_a_state_dict_goes_round(ffn, X):
    other = FFN.module(emb[4], hid[6])
    assert not torch.equal(other.W1, ffn.W1)
    other.load_state_dict(ffn.state_dict())
    assert_same(other(X).detach(), ffn(X).detach())
    assert set(ffn.state_dict()) == {"W1", "b1", "W2", "b2"}


def test_a_state_dict_of_nested_formulas_goes_round_a_file(X):
    module, other = layer.module(emb[4], hid[6]), layer.module(emb[4], hid[6])
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    assert_same(other(X).detach(), module(X).detach())


def test_a_deep_copy_has_its_own_parameters(X):
    module = layer.module(emb[4], hid[6])
    own = copy.deepcopy(module)
    before = module(X).detach()
    with torch.no_grad():
        own.ffn.W1.zero_()
    assert_same(module(X).detach(), before)
    assert own.formula is module.formula
    assert own.ffn.W1 is not module.ffn.W1


def test_a_module_of_formulas_that_no_program_finds_is_copied(X):
    @formula
    def scale(X: R[emb], *, gamma: R[emb]) -> R[emb]:
        return X * gamma

    @formula
    def twice(X: R[emb], *, scales: nt.each[scale], last: scale) -> R[emb]:
        for each in scales:
            X = each(X)
        return last(X)

    module = twice.module(emb[4], scales=2)
    for again in (
        copy.copy(module),
        copy.deepcopy(module),
        torch.optim.swa_utils.AveragedModel(module).module,
    ):
        assert again.formula is twice
        assert_same(again(X), module(X))


def test_a_module_survives_a_pickle(ffn, X):
    again = pickle.loads(pickle.dumps(ffn))
    assert_same(again(X).detach(), ffn(X).detach())


def test_modules_stand_in_lists_and_sequences(X):
    layers = torch.nn.ModuleList([FFN.module(emb[4], hid[6]) for _ in range(2)])
    assert len(list(layers.parameters())) == 8
    stack = torch.nn.Sequential(*layers)
    assert_close(stack(X), layers[1](layers[0](X)))


def test_parameters_may_be_tied(X):
    first, second = FFN.module(emb[4], hid[6]), FFN.module(emb[4], hid[6])
    second.W1 = first.W1
    both = torch.nn.ModuleList([first, second])
    assert len(list(both.parameters())) == 7
    nt.sum[...](first(X) + second(X)).backward()
    assert first.W1.grad is second.W1.grad


# --------------------------------------------------------------------------------------- training


@pytest.mark.parametrize(
    "optimiser",
    [
        lambda p: torch.optim.SGD(p, lr=0.1),
        lambda p: torch.optim.Adam(p, lr=0.01),
        lambda p: torch.optim.AdamW(p, lr=0.01),
    ],
)
def test_steps_of_an_optimiser_lower_the_loss(X, optimiser):
    torch.manual_seed(0)
    module = layer.module(emb[4], hid[6])
    before = {name: p.detach().clone() for name, p in module.named_parameters()}
    step = optimiser(module.parameters())
    target = nt.tensor(torch.randn(4, 3), emb, seq)
    losses = []
    for _ in range(30):
        step.zero_grad()
        loss = nt.mean[...]((module(X) - target) ** 2)
        loss.backward()
        step.step()
        losses.append(loss.item())
    assert losses[-1] < 0.9 * losses[0]
    assert all(not torch.equal(p, before[name]) for name, p in module.named_parameters())


def test_gradients_of_a_module_are_those_of_positional_torch(ffn, X):
    nt.sum[...](ffn(X) ** 2).backward()
    x = X.torch(seq, emb)
    weights = [p.detach().clone().requires_grad_() for p in ffn.parameters()]
    w1, b1, w2, b2 = weights
    ((torch.relu(x @ w1 + b1) @ w2 + b2) ** 2).sum().backward()
    for ours, theirs in zip(ffn.parameters(), weights, strict=True):
        assert torch.allclose(ours.grad, theirs.grad, atol=1e-5)


def test_a_frozen_parameter_stays(ffn, X):
    ffn.W1.requires_grad_(False)
    nt.sum[...](ffn(X)).backward()
    assert ffn.W1.grad is None
    assert ffn.W2.grad is not None


def test_parameters_count_as_the_signature_says():
    count = sum(p.numel() for p in layer.module(emb[4], hid[6]).parameters())
    assert count == 4 * 6 + 6 + 6 * 4 + 4 + 4 + 4


def scaled_by(X, eps):
    return (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + eps)


def test_settings_count_at_each_call_however_they_were_changed(X):
    module = norm.module(emb[4], eps=1.0)
    for _ in range(2):
        assert_close(module(X).detach(), scaled_by(X, 1.0), rtol=1e-5, atol=1e-5)
    module.eps = 2.0
    assert_close(module(X).detach(), scaled_by(X, 2.0), rtol=1e-5, atol=1e-5)
    module.settings["eps"] = 3.0  # in place
    assert_close(module(X).detach(), scaled_by(X, 3.0), rtol=1e-5, atol=1e-5)
    module.settings = {"eps": 4.0}
    assert_close(module(X).detach(), scaled_by(X, 4.0), rtol=1e-5, atol=1e-5)
    del module.settings["eps"]
    assert_close(module(X).detach(), scaled_by(X, 1e-5), rtol=1e-5, atol=1e-5)


def test_settings_of_many_modules_of_one_formula_are_kept_apart(X):
    modules = [norm.module(emb[4], eps=1.0 + i) for i in range(8)]
    modules += [copy.deepcopy(modules[2]), pickle.loads(pickle.dumps(modules[5]))]
    modules[8].eps = 20.0
    sizes = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 20.0, 6.0]
    for _ in range(3):
        for module, eps in zip(modules, sizes, strict=True):
            assert_close(module(X).detach(), scaled_by(X, eps), rtol=1e-5, atol=1e-5)


def test_settings_are_weighed_again_where_others_follow_other_numbers_of_arguments():
    @formula
    def mixed(X: R[emb], Y: R[emb] = None, power: int = 1, *, W: R[emb]) -> R[emb]:
        return (X if Y is None else X + Y) * W**power

    module = mixed.module(emb[3], power=2)
    one, two = nt.tensor(torch.arange(3.0), emb), nt.tensor(torch.ones(3), emb)
    W = nt.tensor(module.W.detach(), emb)
    for _ in range(2):
        assert_close(module(one).detach(), one * W**2)
        assert_close(module(one, two).detach(), (one + two) * W**2)
        assert_close(module(one, power=3).detach(), one * W**3)
