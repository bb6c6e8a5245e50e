"""The model in axis names behind its positional door."""

import pytest
import torch
from torch.nn.functional import cross_entropy

import namedtensor as nt
from transformer_named.g2p.named import MORE_PHONEMES, NamedSpeller
from transformer_named.g2p.symbols import BEGIN, END, PAD, PHONEME_SIZE, SPELLING_SIZE, phonemes_of


@pytest.fixture
def speller(tiny):
    torch.manual_seed(1)
    return NamedSpeller(tiny)


@pytest.fixture
def ids():
    source = torch.randint(1, SPELLING_SIZE, (5, 6))
    target = torch.randint(END + 1, PHONEME_SIZE, (5, 7))
    target[:, 0] = BEGIN
    target[2, 4:] = PAD
    source[2, 3:] = PAD
    return source, target


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_is_torchs_over_the_phonemes_that_are_not_padding(speller, ids, smoothing):
    speller.module.eval()
    source, target = ids
    Z = speller.module(nt.tensor(source, "batch src"), nt.tensor(target[:, :-1], "batch seq"))
    expected = cross_entropy(
        Z.torch("batch", "vocab", "seq"),
        target[:, 1:],
        ignore_index=PAD,
        label_smoothing=smoothing,
        reduction="none",
    )
    expected = expected.sum() / (target[:, 1:] != PAD).sum()
    torch.testing.assert_close(speller.loss(source, target, smoothing), expected)


def test_padding_changes_nothing(speller, ids):
    speller.module.eval()
    source, target = ids
    wider = [torch.cat((x, torch.zeros(5, 3, dtype=torch.long)), 1) for x in (source, target)]
    torch.testing.assert_close(speller.loss(*wider, 0.0), speller.loss(source, target, 0.0))


def test_one_beam_takes_the_likeliest_phoneme_each_time(speller, ids):
    source, _ = ids
    speller.module.eval()
    spoken = torch.full((5, 1), BEGIN)
    with torch.no_grad():
        for _ in range(source.shape[1] + MORE_PHONEMES):
            Z = speller.module(nt.tensor(source, "batch src"), nt.tensor(spoken, "batch seq"))
            last = Z.torch("batch", "seq", "vocab")[:, -1]
            best = 1 + last[:, 1:].argmax(-1, keepdim=True)  # padding is never said
            spoken = torch.cat((spoken, best), 1)
        predicted = speller.pronounce(source, beams=1)
    assert [phonemes_of(ids) for ids in predicted] == [phonemes_of(ids) for ids in spoken.tolist()]


def test_more_beams_pronounce_each_word_too(speller, ids):
    source, _ = ids
    speller.module.eval()
    with torch.no_grad():
        greedy, searched = (speller.pronounce(source, beams) for beams in (1, 4))
    assert len(greedy) == len(searched) == len(source)


def test_attention_weighs_the_letters_of_each_phoneme(speller, ids):
    weights = speller.attention(*ids)
    assert weights.shape == (5, 2, 7, 6)
    torch.testing.assert_close(weights.sum(-1), torch.ones(5, 2, 7))
    assert weights[2, :, :, 3:].eq(0).all()


def test_nothing_is_made_on_another_device_than_the_models(tiny):
    speller = NamedSpeller(tiny.with_given({"device": "meta"}))
    source = torch.empty(3, 4, dtype=torch.long, device="meta")
    target = torch.empty(3, 5, dtype=torch.long, device="meta")
    speller.loss(source, target, 0.1).backward()
    assert {p.grad.device.type for p in speller.module.parameters()} == {"meta"}
    assert speller.attention(source, target).device.type == "meta"
