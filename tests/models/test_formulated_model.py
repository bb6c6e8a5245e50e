"""Document 000's whole model against torch: values, gradients, causality, loss, prediction."""

import math

import pytest
import torch
from torch import nn

import namedtensor as nt
from tests.models import positional
from tests.models.agreement import CLOSE, ids, model_agrees, randomize
from tests.models.weights import on_numpy
from transformer_named import forward_pass
from transformer_named.models import FormulatedTransformer
from transformer_named.placement import PLACEMENTS

EPS = 0.03
SIZES = {"s": 11, "d_model": 8, "d_ff": 9, "d_k": 5, "d_v": 4, "h": 3, "N": 2}


def embedded(x, We, form):
    X = nn.functional.embedding(x, We)
    if form == "published":
        return X * math.sqrt(We.shape[1]) + positional.sinusoids(x.shape[-1], We.shape[1])
    return X + positional.sinusoids(x.shape[-1], We.shape[1], first=1)


def encoder_layer(X, w, placement):
    parts = [positional.under(w, n) for n in ("multihead", "norm1", "ffn", "norm2")]
    multihead, norm1, ffn, norm2 = parts
    attend = lambda X: positional.multihead(X, X, X, multihead)
    X = positional.around(attend, norm1, X, placement, EPS)
    return positional.around(lambda X: positional.ffn(X, ffn), norm2, X, placement, EPS)


def literal_decoder_layer(Y, X, w):
    """The document's layer: its second residual is from before the first sub-layer."""
    masked, multihead, ffn = [positional.under(w, n) for n in ("masked", "multihead", "ffn")]
    norm1, norm2, norm3 = [positional.under(w, f"norm{i}") for i in (1, 2, 3)]
    mask = positional.future(Y.shape[-2], Y.shape[-2])
    Y1 = positional.norm(Y + positional.multihead(Y, Y, Y, masked, mask), norm1, EPS)
    Y2 = positional.norm(Y + positional.multihead(Y1, X, X, multihead), norm2, EPS)
    return positional.norm(Y2 + positional.ffn(Y2, ffn), norm3, EPS)


def literal(w, x, y):
    """The document's Transformer as it is printed."""
    We = w["embedding.We"]
    X, Y = embedded(x, We, "literal"), embedded(y, We, "literal")
    for i in range(SIZES["N"]):
        X = encoder_layer(X, positional.under(w, "encoder", i), "post")
    for i in range(SIZES["N"]):
        Y = literal_decoder_layer(Y, X, positional.under(w, "decoder", i))
    return Y @ We.T


def published(w, x, y, placement="post"):
    """The published Transformer, by torch's own layers; they have d_k = d_v = d_model / h."""
    We = w["embedding.We"]
    options = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64, "layer_norm_eps": EPS}
    shape = (8, 2, 9)
    first = placement == "pre"
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(*shape, norm_first=first, **options),
        2,
        nn.LayerNorm(8, EPS, dtype=torch.float64) if first else None,
        enable_nested_tensor=False,
    )
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(*shape, norm_first=first, **options),
        2,
        nn.LayerNorm(8, EPS, dtype=torch.float64) if first else None,
    )
    X = positional.torch_stack(encoder, w, "encoder", embedded(x, We, "published"))
    mask = positional.future(y.shape[-1], y.shape[-1])
    Y = positional.torch_stack(
        decoder, w, "decoder", embedded(y, We, "published"), X, tgt_mask=mask
    )
    return Y @ We.T


def named(x, y):
    return nt.tensor(x, "batch", "seq"), nt.tensor(y, "batch", "seq'")


def run(model, x, y):
    return model(*named(x, y)).torch("batch", "seq'", "vocab")


@pytest.fixture(scope="module")
def model():
    return randomize(FormulatedTransformer(**SIZES, eps=EPS, dtype=torch.float64))


@pytest.fixture(scope="module")
def xy():
    return ids("batch seq", 11)[0], ids("batch seq'", 11, seed=1)[0]


def test_the_literal_model(model, xy):
    model_agrees(model, run(model, *xy), lambda w: literal(w, *xy))


@pytest.mark.parametrize("placement", ["post", "pre"])
def test_the_published_model_is_torch_s(placement, xy):
    sizes = SIZES | {"h": 2, "d_k": 4, "d_v": 4}
    made = FormulatedTransformer(
        **sizes, form="published", placement=placement, eps=EPS, dtype=torch.float64
    )
    randomize(made)
    model_agrees(made, run(made, *xy), lambda w: published(w, *xy, placement))


def test_every_placement_runs(xy):
    results = []
    for placement in PLACEMENTS:
        made = FormulatedTransformer(**SIZES, placement=placement, dtype=torch.float64)
        results.append(run(randomize(made), *xy))
    between, post, pre = results
    assert not torch.allclose(between, post)
    assert not torch.allclose(post, pre)


def test_the_literal_and_the_published_form_differ(model, xy):
    other = FormulatedTransformer(**SIZES, form="published", dtype=torch.float64)
    other.load_state_dict(model.state_dict())
    assert not torch.allclose(run(model, *xy), run(other, *xy))


def test_the_model_runs_on_numpy(model, xy):
    w = on_numpy(model, We="vocab emb")
    stacks = {name: list(w[name].values()) for name in ("encoder", "decoder")}
    x, y = named(*[ids.numpy() for ids in xy])
    Y = forward_pass.transformer_scores(x, y, eps=EPS, embedding=w["embedding"], **stacks)
    found = torch.as_tensor(Y.numpy("batch", "seq'", "vocab"))
    torch.testing.assert_close(found, run(model, *xy).detach(), **CLOSE)


def test_the_future_of_y_does_not_change_its_past(model, xy):
    x, y = xy
    changed = y.clone()
    changed[:, 3:] = (changed[:, 3:] + 5) % 11
    before, after = run(model, x, y), run(model, x, changed)
    torch.testing.assert_close(after[:, :3], before[:, :3], rtol=0, atol=1e-13)
    assert not torch.allclose(after[:, 3:], before[:, 3:])


def test_every_position_of_y_sees_all_of_x(model, xy):
    x, y = xy
    changed = x.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 11
    difference = (run(model, changed, y) - run(model, x, y)).abs().amax(-1)
    assert (difference > 1e-6).all()


def test_probabilities_sum_to_1(model, xy):
    P = forward_pass.Transformer(*named(*xy), model=model).torch("batch", "seq'", "vocab")
    torch.testing.assert_close(P.sum(-1), torch.ones(2, 7, dtype=torch.float64), **CLOSE)


def test_the_loss(model, xy):
    x, y = xy
    found = forward_pass.training_loss(*named(x, y), model=model).torch("batch")

    def loss(w):
        scores = literal(w, x, y[:, :-1]).transpose(1, 2)
        return nn.functional.cross_entropy(scores, y[:, 1:], reduction="none").sum(-1)

    model_agrees(model, found, loss)


def test_a_prediction_is_drawn_from_the_last_probabilities(model, xy):
    x, y = [ids[:1].expand(4000, -1) for ids in xy]
    scores = model(*named(x, y))
    drawn = forward_pass.sample(scores, torch.Generator().manual_seed(0)).torch("batch")
    share = torch.bincount(drawn, minlength=11) / len(drawn)
    expected = torch.softmax(run(model, *[ids[:1] for ids in xy])[0, -1], -1).detach()
    torch.testing.assert_close(share, expected, check_dtype=False, rtol=0, atol=0.03)


@pytest.mark.parametrize(
    "sizes",
    [
        SIZES,
        {"s": 37_000, "d_model": 512, "d_ff": 2048, "d_k": 64, "d_v": 64, "h": 8, "N": 6},
    ],
    ids=["small", "published"],
)
def test_the_model_has_as_many_parameters_as_the_document_counts(sizes):
    made = FormulatedTransformer(**sizes)
    count = sum(p.numel() for p in made.parameters())
    assert count == forward_pass.parameter_count(**sizes)
    if sizes["s"] == 37_000:
        assert count == 63_045_632


def test_the_published_form_has_the_same_parameters():
    literal, published = (FormulatedTransformer(**SIZES, form=f) for f in ("literal", "published"))
    shapes = [{n: p.shape for n, p in m.named_parameters()} for m in (literal, published)]
    assert shapes[0] == shapes[1]


def test_a_few_steps_of_training_lower_the_loss(model, xy):
    made = FormulatedTransformer(**SIZES, form="published", dtype=torch.float64)
    optimizer = torch.optim.Adam(made.parameters(), lr=0.01)
    losses = []
    for _ in range(20):
        loss = nt.sum["batch"](forward_pass.training_loss(*named(*xy), model=made))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
