"""Document 003's formulas against torch: attention, the recursions, the settings v1 and v2."""

import functools
import math

import pytest
import torch
from torch import nn
from torch.func import functional_call

import namedtensor as nt
from namedtensor.testing import assert_close, assert_same
from tests.models import positional
from tests.models.agreement import CLOSE, agree, ids, randomize, real
from tests.models.weights import NETWORK, NORM, draw
from transformer_named import introduction

ATTENTION = {"Wq": "key emb", "Wk": "key emb", "Wv": "emb' emb"}
SETTINGS = {"v1": "post", "v2": "pre"}
FORMS = ["literal", "published"]


def draw_attention(bundle="", seed=0, **sizes):
    return draw(ATTENTION, bundle, seed, **{"emb'": 8}, **sizes)


def weights(q, K, w, form, mask=None):
    """The general attention's weights, positional: q is (..., m, d) and K is (..., n, d)."""
    asked, offered = q @ w["Wq"].T, K @ w["Wk"].T
    if form == "literal":
        scores = asked.sum(-1)[..., :, None] + offered.sum(-1)[..., None, :]
    else:
        scores = asked @ offered.mT / math.sqrt(asked.shape[-1])
    return torch.softmax(scores if mask is None else scores + mask, -1)


def attention(q, K, V, w, form="published", mask=None):
    return weights(q, K, w, form, mask) @ (V @ w["Wv"].T)


def parts(w, *names):
    dotted = {name.replace("__", "."): x for name, x in w.items()}
    return [positional.under(dotted, name) for name in names]


def test_padding():
    x = torch.tensor([[3, 1, 0, 0], [2, 0, 5, 1]])
    found = introduction.padding(nt.tensor(x, "batch", "seq")).torch("batch", "seq")
    inf = math.inf
    assert found.tolist() == [[0.0, 0.0, -inf, -inf], [0.0, -inf, 0.0, 0.0]]


def test_padding_by_another_number():
    x = torch.tensor([3, 9, 0])
    found = introduction.padding(nt.tensor(x, "seq"), pad=9).torch("seq")
    assert found.tolist() == [0.0, -math.inf, 0.0]


@pytest.mark.parametrize("form", FORMS)
def test_attention_weights(form):
    agree(
        functools.partial(introduction.attention_weights, form=form),
        lambda q, K, **w: weights(q, K, w, form),
        "batch seq' seq",
        q=real("batch seq' emb"),
        K=real("batch seq emb"),
        **draw({name: ATTENTION[name] for name in ("Wq", "Wk")}),
    )


def test_the_literal_weights_are_proportional_to_exp_of_the_sum():
    """With key[1], W_q and W_k are rows, as exp(W_q q + W_k k_i) needs them to be."""
    q, K = real("emb")[0], real("seq emb")[0]
    Wq, Wk = real("key emb", 1, key=1)[0], real("key emb", 2, key=1)[0]
    alpha = introduction.attention_weights(
        nt.tensor(q, "emb"),
        nt.tensor(K, "seq emb"),
        Wq=nt.tensor(Wq, "key emb"),
        Wk=nt.tensor(Wk, "key emb"),
    ).torch("seq")
    unnormalised = torch.stack([torch.exp(Wq @ q + Wk @ k)[0] for k in K])
    torch.testing.assert_close(alpha, unnormalised / unnormalised.sum(), **CLOSE)


def test_in_the_literal_form_the_query_has_no_say():
    K = nt.tensor(real("seq emb")[0], "seq emb")
    w = {name: nt.tensor(*real(ATTENTION[name], key=5)) for name in ("Wq", "Wk")}
    alphas = [
        introduction.attention_weights(nt.tensor(real("emb", seed)[0], "emb"), K, **w)
        for seed in (1, 2)
    ]
    assert_close(*alphas, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_phi_A(form):
    agree(
        functools.partial(introduction.phi_A, form=form),
        lambda q, K, V, **w: attention(q, K, V, w, form),
        "batch seq' emb",
        q=real("batch seq' emb"),
        K=real("batch seq emb", 1),
        V=real("batch seq emb", 2),
        **draw_attention(),
    )


def test_the_published_phi_A_is_torch_s_attention_with_one_head():
    module = nn.MultiheadAttention(8, 1, batch_first=True, dtype=torch.float64)

    def attend(q, K, V, M, Wq, Wk, Wv):
        zeros = torch.zeros(24, dtype=torch.float64)
        named = {
            "in_proj_weight": torch.cat([Wq, Wk, Wv]),
            "in_proj_bias": zeros,
            "out_proj.weight": torch.eye(8, dtype=torch.float64),
            "out_proj.bias": zeros[:8],
        }
        return functional_call(module, named, (q, K, V), {"key_padding_mask": M})[0]

    agree(
        functools.partial(introduction.phi_A, form="published"),
        attend,
        "batch seq' emb",
        q=real("batch seq' emb"),
        K=real("batch seq emb", 1),
        V=real("batch seq emb", 2),
        M=real("batch seq", 3),
        **draw_attention(key=8),
    )


def test_F_N():
    agree(
        introduction.F_N,
        lambda x, **w: positional.ffn(x, w),
        "batch seq emb",
        x=real("batch seq emb"),
        **draw(NETWORK),
    )


@pytest.mark.parametrize("form", FORMS)
def test_the_encoder_s_recursion(form):
    def step(H, M, **w):
        F_S, F_N = parts(w, "F_S", "F_N")
        return positional.ffn(attention(H, H, H, F_S, form, M[:, None]), F_N)

    agree(
        functools.partial(introduction.phi_E, form=form),
        step,
        "batch seq emb",
        H=real("batch seq emb"),
        M=real("batch seq"),
        **draw_attention("F_S", 1),
        **draw(NETWORK, "F_N", 2),
    )


@pytest.mark.parametrize("form", FORMS)
def test_the_decoder_s_recursion(form):
    def step(S, H, M, **w):
        F_S, F_C, F_N = parts(w, "F_S", "F_C", "F_N")
        own = attention(S, S, S, F_S, form, positional.future(7, 7))
        return positional.ffn(attention(own, H, H, F_C, form, M[:, None]), F_N)

    agree(
        functools.partial(introduction.phi_D, form=form),
        step,
        "batch seq' emb",
        S=real("batch seq' emb"),
        H=real("batch seq emb"),
        M=real("batch seq"),
        **draw_attention("F_S", 1),
        **draw_attention("F_C", 2),
        **draw(NETWORK, "F_N", 3),
    )


EPS = 0.02


def encoder_layer(H, w, setting, form, mask, eps=EPS):
    F_S, norm_S, F_N, norm_N = parts(w, "F_S", "norm_S", "F_N", "norm_N")
    placement = SETTINGS[setting]
    H = positional.around(lambda X: attention(X, X, X, F_S, form, mask), norm_S, H, placement, eps)
    return positional.around(lambda X: positional.ffn(X, F_N), norm_N, H, placement, eps)


def decoder_layer(S, H, w, setting, form, mask, eps=EPS):
    F_S, norm_S, F_C, norm_C = parts(w, "F_S", "norm_S", "F_C", "norm_C")
    F_N, norm_N = parts(w, "F_N", "norm_N")
    placement, past = SETTINGS[setting], positional.future(S.shape[-2], S.shape[-2])
    S = positional.around(lambda X: attention(X, X, X, F_S, form, past), norm_S, S, placement, eps)
    S = positional.around(lambda X: attention(X, H, H, F_C, form, mask), norm_C, S, placement, eps)
    return positional.around(lambda X: positional.ffn(X, F_N), norm_N, S, placement, eps)


def layer_parameters(*attentions):
    drawn = draw(NETWORK, "F_N", 1) | draw(NORM, "norm_N", 2)
    for seed, letter in enumerate(attentions, start=3):
        drawn |= draw_attention(f"F_{letter}", seed) | draw(NORM, f"norm_{letter}", seed)
    return drawn


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_encoder_layer(setting, form):
    agree(
        functools.partial(introduction.encoder_layer, setting=setting, form=form, eps=EPS),
        lambda H, M, **w: encoder_layer(H, w, setting, form, M[:, None]),
        "batch seq emb",
        H=real("batch seq emb"),
        M=real("batch seq"),
        **layer_parameters("S"),
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_decoder_layer(setting, form):
    agree(
        functools.partial(introduction.decoder_layer, setting=setting, form=form, eps=EPS),
        lambda S, H, M, **w: decoder_layer(S, H, w, setting, form, M[:, None]),
        "batch seq' emb",
        S=real("batch seq' emb"),
        H=real("batch seq emb"),
        M=real("batch seq"),
        **layer_parameters("S", "C"),
    )


@pytest.mark.parametrize(("setting", "linked"), [("v1", False), ("v2", True)])
def test_only_v2_has_a_shortcut_from_input_to_output(setting, linked):
    """With every sub-layer's result 0, the shortcut is all that is left."""
    H = nt.tensor(real("seq emb")[0], "seq emb")
    layer = introduction.encoder_layer.module(
        "emb[8] emb'[8] hid[9] key[5]", setting=setting, dtype=torch.float64
    )
    for name, parameter in layer.named_parameters():
        if name.startswith("F_"):
            parameter.data.zero_()
    found, given = layer(H).torch("seq", "emb"), H.torch("seq", "emb")
    assert torch.equal(found, given) == linked


def test_dropout_of_everything_leaves_the_shortcut_alone():
    """In v2 with p = 1 every sub-layer is dropped, and the input comes out."""
    sizes, options = "emb[8] emb'[8] hid[9] key[5]", {"setting": "v2", "dtype": torch.float64}
    H, S = [nt.tensor(*real(axes)) for axes in ("batch seq emb", "batch seq' emb")]
    encoder = randomize(introduction.encoder_layer.module(sizes, **options))
    decoder = randomize(introduction.decoder_layer.module(sizes, **options))
    assert_same(encoder(H, p=1.0), H)
    assert_same(decoder(S, H, p=1.0), S)


def test_an_unknown_setting_is_refused():
    H = nt.tensor(real("seq emb")[0], "seq emb")
    layer = introduction.encoder_layer.module("emb[8] emb'[8] hid[9] key[5]", dtype=torch.float64)
    with pytest.raises(ValueError) as caught:
        layer(H, setting="v3")
    assert str(caught.value) == "setting is 'v1' or 'v2', not 'v3'"


def test_dropout_leaves_the_mean_and_drops_its_share():
    """In v2 with a last layer that is constant, what dropout does can be counted."""
    layer = introduction.encoder_layer.module("emb[50] emb'[50] hid[9] key[5]", setting="v2")
    for parameter in layer.parameters():
        parameter.data.zero_()
    layer.F_N.b2.data.fill_(1.0)
    torch.manual_seed(0)
    H = nt.tensor(torch.zeros(400, 50), "seq", "emb")
    found = layer(H, p=0.25).torch("seq", "emb")
    assert sorted(found.unique().tolist()) == pytest.approx([0.0, 4 / 3])
    assert float((found == 0).double().mean()) == pytest.approx(0.25, abs=0.01)


def test_the_embeddings_look_words_up():
    agree(
        introduction.source_embedding,
        lambda x, E: nn.functional.embedding(x, E),
        "batch seq emb",
        x=ids("batch seq", 11),
        E=real("vocab emb"),
    )
    agree(
        introduction.target_embedding,
        lambda y, E: nn.functional.embedding(y, E),
        "batch seq' emb",
        y=ids("batch seq'", 10),
        E=real("vocab' emb", **{"vocab'": 10}),
    )


def test_word_scores():
    agree(
        introduction.word_scores,
        lambda s, W: s @ W.T,
        "batch seq' vocab'",
        s=real("batch seq' emb"),
        W=real("vocab' emb", **{"vocab'": 10}),
    )


def test_the_loss_leaves_padding_out():
    y = ids("seq'", 10, start=1)[0]
    y[5:] = 0
    agree(
        introduction.translation_loss,
        lambda Y, y: nn.functional.cross_entropy(Y, y, ignore_index=0),
        "",
        Y=real("seq' vocab'", **{"vocab'": 10}),
        y=(y, "seq'"),
    )
