"""Document 001 against torch: each formula, then the whole model."""

import functools
import math

import pytest
import torch
from torch import nn
from torch.func import functional_call

import namedtensor as nt
from tests.models import positional
from tests.models.agreement import CLOSE, agree, ids, model_agrees, randomize, real
from tests.models.weights import ATTENTION, NETWORK, NORM, draw, on_numpy
from transformer_named import named_tensors
from transformer_named.models import NamedTensorsTransformer
from transformer_named.placement import PLACEMENTS

SIZES = {"b": 11, "d_model": 8, "d_ff": 9, "d_k": 5, "d_v": 4, "h": 3, "L": 2}


def test_FFN():
    agree(
        named_tensors.FFN,
        lambda X, **w: positional.ffn(X, w),
        "batch seq emb",
        X=real("batch seq emb"),
        **draw(NETWORK),
    )


def test_att_with_any_mask():
    agree(
        named_tensors.att,
        lambda Q, K, V, M: nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=M.T),
        "batch head seq' val",
        Q=real("batch head seq' key"),
        K=real("batch head seq key"),
        V=real("batch head seq val"),
        M=real("seq seq'"),
    )


def test_att_with_the_causal_cases():
    agree(
        functools.partial(named_tensors.att, M=named_tensors.M),
        lambda Q, K, V: nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True),
        "batch head seq' val",
        Q=real("batch head seq' key"),
        K=real("batch head seq key"),
        V=real("batch head seq val"),
    )


def test_MHA():
    agree(
        named_tensors.MHA,
        lambda X, **w: positional.multihead(X, X, X, w, positional.future(6, 6)),
        "batch seq emb",
        X=real("batch seq emb"),
        **draw(ATTENTION),
    )


def test_MHA_is_torch_MultiheadAttention():
    module = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)

    def attend(X, **w):
        weights = positional.torch_attention(w)
        mask = {"attn_mask": positional.future(6, 6), "need_weights": False}
        return functional_call(module, weights, (X, X, X), mask)[0]

    agree(
        named_tensors.MHA,
        attend,
        "batch seq emb",
        X=real("batch seq emb"),
        **draw(ATTENTION, head=2, key=4, val=4),
    )


def test_lnorm():
    agree(
        functools.partial(named_tensors.lnorm, eps=0.1),
        lambda X, gamma, beta: nn.functional.layer_norm(X, (8,), gamma, beta, 0.1),
        "batch seq emb",
        X=real("batch seq emb"),
        **draw(NORM),
    )


@pytest.mark.parametrize("d_model", [8, 7])
def test_position_encoding(d_model):
    P = named_tensors.P(named_tensors.seq[6], named_tensors.emb[d_model])
    found = P + nt.tensor(torch.zeros(6, d_model, dtype=torch.float64), "seq", "emb")
    expected = positional.sinusoids(6, d_model)
    torch.testing.assert_close(found.torch("seq", "emb"), expected, **CLOSE)


def test_embed():
    def embed(I, E):
        return nn.functional.embedding(I, E) * math.sqrt(8) + positional.sinusoids(6, 8)

    agree(
        lambda I, E: named_tensors.embed(nt.one_hot(I, named_tensors.vocab[11]), E=E),
        embed,
        "batch seq emb",
        I=ids("batch seq", 11),
        E=real("vocab emb"),
    )


def test_embed_takes_one_hot_numbers():
    one_hot = nn.functional.one_hot(ids("batch seq", 11)[0], 11).double()
    agree(
        named_tensors.embed,
        lambda X, E: X @ E * math.sqrt(8) + positional.sinusoids(6, 8),
        "batch seq emb",
        X=(one_hot, "batch seq vocab"),
        E=real("vocab emb"),
    )


def test_output():
    agree(
        named_tensors.output,
        lambda X, W: torch.softmax(X @ W.T, -1),
        "batch seq vocab",
        X=real("batch seq emb"),
        W=real("vocab emb"),
    )


def layer(X, w, placement, eps):
    """One layer of the document's Transformer, positional."""
    mha, ffn, *norms = [positional.under(w, n) for n in ("mha", "ffn", "mha_norm", "ffn_norm")]
    mask = positional.future(X.shape[-2], X.shape[-2])
    attend = lambda X: positional.multihead(X, X, X, mha, mask)
    T = positional.around(attend, norms[0], X, placement, eps)
    return positional.around(lambda X: positional.ffn(X, ffn), norms[1], T, placement, eps)


def whole(w, I, placement="between", eps=1e-5):
    """The document's Transformer, positional."""
    X = w["embed.E"][I] * math.sqrt(8) + positional.sinusoids(I.shape[-1], 8)
    for index in range(SIZES["L"]):
        X = layer(X, positional.under(w, "layers", index), placement, eps)
    if placement == "pre":
        X = positional.norm(X, positional.under(w, "norm"), eps)
    return torch.softmax(X @ w["output.W"].T, -1)


@pytest.fixture(scope="module", params=PLACEMENTS)
def model(request):
    made = NamedTensorsTransformer(**SIZES, placement=request.param, eps=0.01, dtype=torch.float64)
    made.placement_of_test = request.param
    return randomize(made)


def named_ids(I):
    return nt.one_hot(nt.tensor(I, "batch", "seq"), named_tensors.vocab[11])


def test_the_whole_transformer(model):
    I, _ = ids("batch seq", 11)
    found = model(named_ids(I)).torch("batch", "seq", "vocab")
    model_agrees(model, found, lambda w: whole(w, I, model.placement_of_test, 0.01))


def test_the_future_does_not_change_the_past(model):
    I, _ = ids("batch seq", 11)
    changed = I.clone()
    changed[:, 4:] = (changed[:, 4:] + 3) % 11
    before = model(named_ids(I)).torch("batch", "seq", "vocab")
    after = model(named_ids(changed)).torch("batch", "seq", "vocab")
    torch.testing.assert_close(after[:, :4], before[:, :4], rtol=0, atol=1e-14)
    assert not torch.allclose(after[:, 4:], before[:, 4:])


def test_the_whole_transformer_runs_on_numpy():
    model = randomize(NamedTensorsTransformer(**SIZES, dtype=torch.float64))
    I, _ = ids("batch seq", 11)
    arrays = on_numpy(model, E="vocab emb", W="vocab emb")
    found = named_tensors.transformer(
        nt.one_hot(nt.tensor(I.numpy(), "batch", "seq"), named_tensors.vocab[11]),
        **arrays | {"layers": list(arrays["layers"].values())},
    )
    expected = whole(dict(model.named_parameters()), I).detach()
    array = torch.as_tensor(found.numpy("batch", "seq", "vocab"))
    torch.testing.assert_close(array, expected, **CLOSE)
