"""EncoderDecoder against independent positional code and torch's own layers, float64."""

import pytest
import torch

import namedtensor as nt
from namedtensor import axes
from namedtensor.testing import assert_close, assert_same
from tests.decoding import positional
from transformer_named import encoder_decoder
from transformer_named.cached_attention import keys, recall, values
from transformer_named.encoder_decoder import EncoderDecoder, Sizes
from transformer_named.placement import PLACEMENTS
from transformer_named.the_transformer import MultiHead

batch, src, seq, emb, head, key, val = axes("batch src seq emb head key val")
seq_ = seq.prime
SIZES = Sizes(source=9, target=7, emb=12, hid=20, head=3, key=5, val=2, layers=2, dropout=0.1)
SQUARE = Sizes(source=9, target=7, emb=12, hid=20, head=3, key=4, val=4, layers=2, dropout=0.0)

SOURCE = torch.tensor([[3, 1, 4, 1], [5, 8, 2, 0], [6, 0, 0, 0]])
TARGET = torch.tensor([[1, 5, 3, 4, 6], [1, 3, 2, 0, 0], [1, 4, 4, 4, 0]])
X, Y = nt.tensor(SOURCE, batch, src), nt.tensor(TARGET, batch, seq)


def built(sizes=SIZES, placement="pre", tied=False):
    """Build a model in float64 whose norms and biases are not their initial ones and zeros."""
    torch.manual_seed(0)
    model = EncoderDecoder(sizes, placement=placement, tied=tied).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return model


def weights_of(model):
    return dict(model.named_parameters())


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_logits_and_gradients_are_those_of_positional_torch(placement, tied):
    model = built(placement=placement, tied=tied)
    w = weights_of(model)
    Z = model(X, Y).torch(batch, seq, "vocab")
    expected, _ = positional.logits(w, SOURCE, TARGET, SIZES.layers, placement)
    torch.testing.assert_close(Z, expected, rtol=0, atol=1e-12)
    slope = torch.randn(Z.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    found = torch.autograd.grad((Z * slope).sum(), list(w.values()))
    wanted = torch.autograd.grad((expected * slope).sum(), list(w.values()))
    for name, one, other in zip(w, found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-11, msg=name)
        assert one.abs().max() > 0, name


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_logits_are_those_of_torchs_own_transformer(placement):
    model = built(SQUARE, placement)
    expected = positional.torch_logits(
        weights_of(model), SOURCE, TARGET, SQUARE.layers, SQUARE.head, placement
    )
    torch.testing.assert_close(model(X, Y).torch(batch, seq, "vocab"), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_attention_is_that_of_the_last_layer(placement):
    model = built(placement=placement)
    found = model.attention(X, Y)
    _, expected = positional.logits(weights_of(model), SOURCE, TARGET, SIZES.layers, placement)
    torch.testing.assert_close(found.torch(batch, head, seq, src), expected, rtol=0, atol=1e-12)
    assert not found.torch(batch, head, seq, src)[1, :, :, 3].any()


@pytest.mark.parametrize("places", [1, 64])
@pytest.mark.parametrize("placement", PLACEMENTS)
def test_cached_logits_are_those_of_the_full_forward(placement, places, monkeypatch):
    monkeypatch.setattr(encoder_decoder, "PLACES", places)  # the table grows, or suffices
    model = built(placement=placement)
    full = model(X, Y)
    cache = model.start(model.encode(X), X)
    for place in range(TARGET.shape[1]):
        logits, cache = model.step(Y[seq(place)], cache)
        assert_close(logits, full[seq(place)], rtol=0, atol=1e-10)


def test_a_step_lifts_over_axes_that_the_model_has_never_seen():
    model, beam = built(), nt.Axis("beam")
    start = model.start(model.encode(X), X)
    both = nt.stack[beam](Y, nt.flip[batch](Y))
    cache, logits = start, None
    for place in range(3):
        logits, cache = model.step(both[seq(place)], cache)
    for chosen, target in enumerate((Y, nt.flip[batch](Y))):
        expected = model(X, target[seq[:3]])[seq(2)]
        assert_close(logits[beam(chosen)], expected, rtol=0, atol=1e-10)


def test_a_cache_follows_the_hypotheses_that_are_selected():
    model, beam = built(), nt.Axis("beam")
    both = nt.stack[beam](Y, nt.flip[batch](Y))
    cache = model.start(model.encode(X), X)
    for place in range(2):
        _, cache = model.step(both[seq(place)], cache)
    swap = nt.tensor(torch.tensor([[1, 0], [0, 0], [1, 1]]), batch, beam)
    swapped = nt.index[beam](both, swap)
    logits, _ = model.step(swapped[seq(2)], cache.select(beam, swap))
    for chosen in range(2):
        expected = model(X, swapped[beam(chosen), seq[:3]])[seq(2)]
        assert_close(logits[beam(chosen)], expected, rtol=0, atol=1e-10)


def test_attention_taken_apart_is_multi_head_attention():
    generator = torch.Generator().manual_seed(3)

    def drawn(*shape):
        return nt.normal(*shape, dtype=torch.float64, generator=generator)

    Q, K = drawn(batch[2], seq_[3], emb[6]), drawn(batch[2], seq[4], emb[6])
    WQ, WK = (drawn(head[2], emb[6], key[5]) for _ in range(2))
    WV, WO = drawn(head[2], emb[6], val[3]), drawn(head[2], val[3], emb[6])
    M = nt.tensor(torch.tensor([[0.0, 0, 0, -torch.inf], [0, 0, 0, 0]]).double(), batch, seq)
    apart = recall(Q, keys(K, WK=WK), values(K, WV=WV), M, WQ=WQ, WO=WO)
    assert_close(apart, MultiHead(Q, K, K, M, WQ=WQ, WK=WK, WV=WV, WO=WO), atol=1e-12)


def test_padding_of_the_source_changes_nothing():
    model = built()
    longer = nt.pad[src](X, 0, 3, 0)
    assert_close(model(longer, Y), model(X, Y), rtol=0, atol=1e-12)


def test_a_place_of_the_target_does_not_see_those_after_it():
    model = built()
    changed = Y.at[seq(4)].set(2)
    before, after = model(X, Y), model(X, changed)
    assert_close(before[seq[:4]], after[seq[:4]], rtol=0, atol=1e-12)
    assert (before != after)[seq(4)].torch(batch, "vocab").all()


def test_dropout_acts_in_training_only():
    model = built()
    assert (model(X, Y).data == model(X, Y).data).all()
    model.train()
    torch.manual_seed(5)
    first, second = model(X, Y), model(X, Y)
    torch.manual_seed(5)
    again = model(X, Y)
    assert (first.data != second.data).any()
    assert (first.data == again.data).all()


def test_dropout_acts_on_the_result_of_every_sublayer():
    model = built().train()
    memory, M = model.encode(X), model.mask(X)
    Z = nt.normal(batch[3], seq[5], emb[12], dtype=torch.float64)
    everything = {"placement": "pre", "p": 1.0}
    assert_same(model.encoder[0](memory, M, **everything), memory)
    assert_same(model.decoder[0](Z, memory, M, **everything), Z)
    assert not model.target_embed(Y, p=1.0).data.any()


def test_tied_output_is_the_target_embedding():
    model = built(tied=True)
    assert "output.We" not in model.state_dict()
    free, tied = (sum(p.numel() for p in built(tied=t).parameters()) for t in (False, True))
    assert free - tied == SIZES.target * SIZES.emb


def test_a_state_dict_makes_the_same_model():
    model, other = built(), EncoderDecoder(SIZES, placement="pre").double().eval()
    other.load_state_dict(model.state_dict())
    assert_same(other(X, Y), model(X, Y))


def test_an_unknown_placement_is_refused():
    with pytest.raises(ValueError, match="placement is 'between', 'post' or 'pre', not 'after'"):
        EncoderDecoder(SIZES, placement="after")


def test_the_twins_can_tell_models_apart():
    model = built(placement="pre")
    w = weights_of(model)
    Z = model(X, Y).torch(batch, seq, "vocab")
    other, _ = positional.logits(w, SOURCE, TARGET, SIZES.layers, "between")
    assert (Z - other).abs().max() > 1e-3
    without = {**w, "decoder.1.cross.WO": 0 * w["decoder.1.cross.WO"]}
    other, _ = positional.logits(without, SOURCE, TARGET, SIZES.layers, "pre")
    assert (Z - other).abs().max() > 1e-3
