"""Document 003's whole model: translation of padded batches, held to positional torch."""

import pytest
import torch
from torch import nn

import namedtensor as nt
from tests.models import positional
from tests.models.agreement import CLOSE, ids, model_agrees, randomize
from tests.models.test_introduction import EPS, decoder_layer, encoder_layer
from tests.models.weights import on_numpy
from transformer_named import introduction
from transformer_named.models import IntroductionTransformer

SIZES = {"source": 11, "target": 10, "d": 8, "d_ff": 9, "d_k": 5, "L": 2}
SETTINGS = ["v1", "v2"]
FORMS = ["literal", "published"]


def whole(w, x, y, setting="v1", form="published"):
    """The document's translation model, positional; 0 is padding."""
    mask = torch.zeros(x.shape, dtype=torch.float64).masked_fill(x == 0, -torch.inf)[:, None]
    H, S = w["source.E"][x], w["target.E"][y]
    for i in range(SIZES["L"]):
        H = encoder_layer(H, positional.under(w, "encoder", i), setting, form, mask)
    if (setting, form) == ("v2", "published"):
        H = positional.norm(H, positional.under(w, "encoder_norm"), EPS)
    for i in range(SIZES["L"]):
        S = decoder_layer(S, H, positional.under(w, "decoder", i), setting, form, mask)
    if (setting, form) == ("v2", "published"):
        S = positional.norm(S, positional.under(w, "decoder_norm"), EPS)
    return S @ w["output.W"].T


def padded_batch():
    """Sources of 4 and 6 words, targets of 7 and 3."""
    x, y = ids("batch seq", 11, start=1)[0], ids("batch seq'", 10, seed=1, start=1)[0]
    x[0, 4:] = 0
    y[1, 3:] = 0
    return x, y


X, Y = padded_batch()


def named(x, y):
    return nt.tensor(x, "batch", "seq"), nt.tensor(y, "batch", "seq'")


def run(model, x, y):
    return model(*named(x, y)).torch("batch", "seq'", "vocab'")


def make(**choices):
    return randomize(IntroductionTransformer(**SIZES, eps=EPS, dtype=torch.float64, **choices))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("setting", SETTINGS)
def test_the_whole_model(setting, form):
    model = make(setting=setting, form=form)
    model_agrees(model, run(model, X, Y), lambda w: whole(w, X, Y, setting, form))


@pytest.mark.parametrize("setting", SETTINGS)
def test_padding_of_the_source_changes_nothing(setting):
    model = make(setting=setting)
    in_batch = run(model, X, Y)
    alone = run(model, X[:1, :4], Y[:1])
    torch.testing.assert_close(in_batch[:1], alone, **CLOSE)


@pytest.mark.parametrize("setting", SETTINGS)
def test_padding_of_the_target_changes_nothing(setting):
    model = make(setting=setting)
    in_batch = run(model, X, Y)
    alone = run(model, X[1:], Y[1:, :3])
    torch.testing.assert_close(in_batch[1:, :3], alone, **CLOSE)


@pytest.mark.parametrize("form", FORMS)
def test_the_future_does_not_change_the_past(form):
    model = make(form=form)
    changed = Y.clone()
    changed[0, 4:] = changed[0, 4:] % 9 + 1
    before, after = run(model, X, Y), run(model, X, changed)
    torch.testing.assert_close(after[:, :4], before[:, :4], rtol=0, atol=1e-13)
    assert not torch.allclose(after[0, 4:], before[0, 4:])


def test_the_loss():
    model = make()
    found = nt.sum["batch"](introduction.training_loss(*named(X, Y), model=model)).torch()

    def loss(w):
        scores = whole(w, X, Y[:, :-1])
        return sum(
            nn.functional.cross_entropy(scores[i], Y[i, 1:], ignore_index=0) for i in range(2)
        )

    model_agrees(model, found, loss)


def test_dropout_acts_in_training_only():
    model = make(p=0.5)
    torch.manual_seed(0)
    first, second = run(model.train(), X, Y), run(model, X, Y)
    assert not torch.equal(first, second)
    model.eval()
    assert torch.equal(run(model, X, Y), run(model, X, Y))
    model_agrees(model, run(model, X, Y), lambda w: whole(w, X, Y))


def test_dropout_reaches_every_layer():
    """In v2 with dropout 1 the stacks give back the embeddings."""
    model = make(setting="v2", form="literal", p=1.0).train()
    own = dict(model.named_parameters())
    torch.testing.assert_close(run(model, X, Y), own["target.E"][Y] @ own["output.W"].T, **CLOSE)


def test_the_model_runs_on_numpy():
    model = make()
    axes = {"Wq": "key emb", "Wk": "key emb", "Wv": "emb' emb", "W": "vocab' emb"}
    own = dict(model.named_parameters())
    w = on_numpy(model, E="vocab emb", **axes)
    target = nt.tensor(own["target.E"].detach().numpy(), "vocab' emb")
    stacks = {name: list(w[name].values()) for name in ("encoder", "decoder")}
    found = introduction.translation_scores(
        *named(X.numpy(), Y.numpy()),
        eps=EPS,
        source=w["source"],
        target={"E": target},
        output=w["output"],
        **stacks,
    )
    scores = found.numpy("batch", "seq'", "vocab'")
    torch.testing.assert_close(torch.as_tensor(scores), run(model, X, Y).detach(), **CLOSE)
