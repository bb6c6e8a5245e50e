"""Document 004 against torch: softmax, similarity, attention, and the encoders before it."""

import functools

import pytest
import torch
from torch import nn
from torch.func import functional_call

import namedtensor as nt
from tests.models.agreement import CLOSE, agree, real
from transformer_named import attention_notes

PROJECTIONS = {
    "WQ": real("emb key", 1),
    "WK": real("emb key", 2),
    "WV": real("emb key", 3),
}


def test_softmax():
    agree(
        attention_notes.softmax,
        lambda z: torch.softmax(z, -1),
        "batch cls",
        z=real("batch cls", cls=10),
    )


def test_softmax_is_proportional_to_the_exponential():
    z = torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64)
    sigma = attention_notes.softmax(nt.tensor(z, "cls")).torch("cls")
    torch.testing.assert_close(sigma / sigma[0], z.exp(), **CLOSE)
    assert float(sigma.sum()) == pytest.approx(1.0)


def test_RNN_cell():
    cell = nn.RNNCell(8, 9, bias=False, dtype=torch.float64)
    agree(
        attention_notes.RNN_cell,
        lambda Y, X, W, U: functional_call(cell, {"weight_ih": W.T, "weight_hh": U.T}, (X, Y)),
        "batch hid",
        Y=real("batch hid"),
        X=real("batch emb"),
        W=real("emb hid"),
        U=real("hid hid'", **{"hid'": 9}),
    )


def test_RNN():
    rnn = nn.RNN(8, 9, bias=False, batch_first=True, dtype=torch.float64)

    def run(X, Y0, W, U):
        weights = {"weight_ih_l0": W.T, "weight_hh_l0": U.T}
        return functional_call(rnn, weights, (X, Y0[None]))[0]

    agree(
        attention_notes.RNN,
        run,
        "batch seq hid",
        X=real("batch seq emb"),
        Y0=real("batch hid"),
        W=real("emb hid"),
        U=real("hid hid'", **{"hid'": 9}),
    )


def test_CNN():
    def convolve(X, W, b):
        Y = nn.functional.conv1d(X.mT, W.permute(2, 1, 0), b, padding=1)
        return torch.relu(Y).mT

    agree(
        attention_notes.CNN,
        convolve,
        "batch seq hid",
        X=real("batch seq emb"),
        W=real("kernel emb hid", kernel=3),
        b=real("hid"),
    )


def test_CNN_depends_on_no_more_than_its_window():
    X, W, b = real("seq emb")[0], real("kernel emb hid", kernel=3)[0], real("hid")[0]
    encode = functools.partial(
        attention_notes.CNN, W=nt.tensor(W, "kernel emb hid"), b=nt.tensor(b, "hid")
    )
    changed = X.clone()
    changed[2] += 1
    before, after = [encode(nt.tensor(x, "seq emb")).torch("seq", "hid") for x in (X, changed)]
    assert (before != after).any(-1).tolist() == [False, True, True, True, False, False]


def test_cosine():
    agree(
        attention_notes.cosine,
        lambda X, Y: nn.functional.cosine_similarity(X, Y, -1, eps=0.0),
        "batch seq",
        X=real("batch seq emb"),
        Y=real("batch seq emb", 1),
    )


def test_cosine_of_all_pairs():
    agree(
        attention_notes.cosine,
        lambda X, Y: nn.functional.cosine_similarity(X[:, None], Y[None], -1, eps=0.0),
        "seq' seq",
        X=real("seq' emb"),
        Y=real("seq emb"),
    )


def test_normalized():
    agree(
        attention_notes.normalized,
        lambda s: s / s.sum(-1, keepdim=True),
        "batch seq",
        s=real("batch seq"),
    )


def test_attention_by_similarity():
    def attend(X):
        unit = nn.functional.normalize(X, dim=-1, eps=0.0)
        sim = unit @ unit.mT
        return sim @ X / sim.sum(-1, keepdim=True)

    agree(
        attention_notes.similarity_attention,
        attend,
        "batch seq emb",
        X=real("batch seq emb"),
    )


def test_score():
    agree(
        attention_notes.score,
        lambda Q, K: Q @ K.mT / 5**0.5,
        "batch seq' seq",
        Q=real("batch seq' key"),
        K=real("batch seq key"),
    )


def test_attention_weights():
    agree(
        attention_notes.attention_weights,
        lambda Q, K: torch.softmax(Q @ K.mT / 5**0.5, -1),
        "batch seq' seq",
        Q=real("batch seq' key"),
        K=real("batch seq key"),
    )


def normalized_attention(Q, K, V):
    scores = Q @ K.mT / 5**0.5
    return scores @ V / scores.sum(-1, keepdim=True)


FORMS = {
    "weights": nn.functional.scaled_dot_product_attention,
    "normalized": normalized_attention,
}


@pytest.mark.parametrize("form", FORMS)
def test_Attention(form):
    agree(
        functools.partial(attention_notes.Attention, form=form),
        lambda Q, K, V: FORMS[form](Q, K, V),
        "batch seq' key",
        Q=real("batch seq' key"),
        K=real("batch seq key"),
        V=real("batch seq key", 1),
    )


@pytest.mark.parametrize("form", FORMS)
def test_self_attention(form):
    agree(
        functools.partial(attention_notes.self_attention, form=form),
        lambda X, WQ, WK, WV: FORMS[form](X @ WQ, X @ WK, X @ WV),
        "batch seq key",
        X=real("batch seq emb"),
        **PROJECTIONS,
    )


def test_every_token_depends_on_every_other():
    X = real("seq emb")[0].requires_grad_()
    w = {name: nt.tensor(x, axes) for name, (x, axes) in PROJECTIONS.items()}
    Y = attention_notes.self_attention(nt.tensor(X, "seq emb"), **w).torch("seq", "key")
    for i in range(6):
        (gradient,) = torch.autograd.grad(Y[i].sum(), X, retain_graph=True)
        assert (gradient.abs().sum(-1) > 0).all()
