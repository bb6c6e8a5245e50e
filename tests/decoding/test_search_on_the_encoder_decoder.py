"""Decoding with EncoderDecoder's caches against positional torch that never caches."""

import math
from dataclasses import replace

import pytest
import torch

import namedtensor as nt
from tests.decoding import positional
from tests.decoding.hashing import BEGIN, END, VOCAB, outputs
from transformer_named.decoding import beam_search, greedy, log_probability, sample
from transformer_named.encoder_decoder import EncoderDecoder, Sizes
from transformer_named.placement import PLACEMENTS

SIZES = Sizes(source=9, target=VOCAB, emb=8, hid=12, head=2, key=4, val=3, layers=2, dropout=0.5)
SOURCE = torch.tensor([[3, 1, 4, 1], [5, 8, 2, 0], [6, 0, 0, 0], [2, 7, 1, 8]])
X = nt.tensor(SOURCE, "batch src")
seq = nt.Axis("seq")
IDS = {"begin": BEGIN, "end": END}


def built(placement, **sizes):
    """Build a model in float64, in training mode, whose outputs are far from uniform."""
    torch.manual_seed(1)
    model = EncoderDecoder(replace(SIZES, **sizes), placement=placement).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.4 * torch.randn_like(parameter)
    return model


def gained(model, row, said):
    """Give log P(id | source, said) for every id, by a full forward of one row."""
    w = dict(model.named_parameters())
    ids = torch.tensor([[BEGIN, *said]])
    with torch.no_grad():
        Z, _ = positional.logits(w, SOURCE[row : row + 1], ids, SIZES.layers, model.placement)
    return torch.log_softmax(Z[0], -1)


def total(model, row, output):
    """Give log P(output, end | source)."""
    rows = gained(model, row, output)
    return sum(rows[place, id].item() for place, id in enumerate([*output, END]))


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_greedy_is_greedy_without_caches(placement):
    model = built(placement)
    found = greedy(model, X, **IDS, max_length=8)
    for row, output in enumerate(found):
        said = []
        while len(said) < 8:
            choices = gained(model, row, said)[-1].clone()
            choices[0] = -math.inf
            if choices.argmax() == END:
                break
            said.append(choices.argmax().item())
        assert output == said
    assert model.training


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_a_wide_beam_finds_the_best_of_all_outputs(placement, alpha):
    model, every = built(placement), outputs(3)
    found, scores = beam_search(
        model, X, **IDS, max_length=3, beams=len(every), length_penalty=alpha, scores=True
    )
    for row, (output, score) in enumerate(zip(found, scores, strict=True)):
        ranked = [(total(model, row, y) / ((6 + len(y)) / 6) ** alpha, y) for y in every]
        value, best = max(ranked)
        assert output == best
        assert score == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize("placement", PLACEMENTS)
def test_a_narrow_beam_scores_what_it_says(placement):
    model = built(placement)
    found, scores = beam_search(model, X, **IDS, max_length=7, beams=3, scores=True)
    for row, (output, score) in enumerate(zip(found, scores, strict=True)):
        exact = total(model, row, output) / ((6 + len(output)) / 6) ** 0.6
        assert score == pytest.approx(exact, abs=1e-10)


def test_log_probability_is_that_of_a_full_forward_and_has_its_gradient():
    model = built("pre").eval()
    rows = [[3, 4, 1], [], [4], [3, 3]]
    target = nt.tensor(torch.tensor([y + [0] * (3 - len(y)) for y in rows]), "batch seq")
    found = log_probability(model, X, target, **IDS)
    expected = [total(model, row, y) for row, y in enumerate(rows)]
    assert found.torch("batch").tolist() == pytest.approx(expected, abs=1e-10)
    nt.sum["batch"](found).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


def test_samples_of_the_first_id_are_as_frequent_as_they_are_probable():
    model, count = built("post"), 4_000
    chances = gained(model, 0, [])[-1].exp()
    chances[0] = 0.0
    chances /= chances.sum()
    many = nt.tensor(SOURCE[:1].expand(count, -1), "batch src")
    found = sample(model, many, **IDS, max_length=1, generator=torch.Generator().manual_seed(2))
    for id in range(1, VOCAB):
        seen = found.count([] if id == END else [id]) / count
        p = chances[id].item()
        assert seen == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / count))


def test_rows_do_not_depend_on_each_other():
    model = built("pre")
    for search in (greedy, beam_search):
        together = search(model, X, **IDS, max_length=6)
        alone = [
            search(model, nt.tensor(SOURCE[row : row + 1], "batch src"), **IDS, max_length=6)[0]
            for row in range(len(SOURCE))
        ]
        assert together == alone


def test_decoding_no_words_gives_no_outputs():
    model = built("pre")
    none = nt.tensor(SOURCE[:0], "batch src")
    for search in (greedy, sample, beam_search):
        assert search(model, none, **IDS, max_length=3) == []


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("room", [8, 11])
def test_caches_that_are_written_in_place_give_what_growing_ones_give(placement, room):
    model = built(placement)
    assert greedy(model, X, **IDS, max_length=8, room=room) == greedy(model, X, **IDS, max_length=8)
    how = {**IDS, "max_length": 7, "beams": 3, "scores": True}
    found, scores = beam_search(model, X, **how, room=room)
    wanted, others = beam_search(model, X, **how)
    assert found == wanted
    assert scores == pytest.approx(others, abs=1e-10)


def test_keys_and_values_stay_where_they_are_written():
    model = built("post").eval()
    with torch.no_grad():
        cache = model.start(model.encode(X), X, room=3)
        token = nt.ones("batch[4]", dtype="int64", backend="torch") * BEGIN
        _, cache = model.step(token, cache)
        before = [K.data.data_ptr() for pair in cache.past for K in pair]
        _, cache = model.step(token, cache)
    assert [K.data.data_ptr() for pair in cache.past for K in pair] == before
    assert {K.size("seq") for pair in cache.past for K in pair} == {3}


def test_a_cache_without_room_is_told():
    model = built("post")
    with pytest.raises(
        nt.IndexRangeError, match="room for 2 places, 2 are taken, and 1 come"
    ) as told:
        greedy(model, X, begin=BEGIN, end=END + 99, max_length=9, room=2)
    assert "hint: make a longer one: room=3" in str(told.value)
    assert model.training


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("room", [None, 4, 9])
def test_gradients_pass_through_caches(placement, room):
    model = built(placement, val=4).eval()  # torch's own kernel keeps keys and values for gradients
    target = nt.tensor(torch.tensor([[1, 3, 4, 2]] * len(SOURCE)), "batch seq")
    whole = model(X, target)
    cache = model.start(model.encode(X), X, room=room)
    steps = []
    for place in range(4):
        logits, cache = model.step(target[seq(place)], cache)
        steps.append(logits)
    found = nt.stack[seq](*steps)
    weight = torch.randn(whole.torch(*whole.axes).shape, generator=torch.Generator().manual_seed(3))
    parameters = list(model.parameters())
    wanted, gained = [
        torch.autograd.grad((weight * Z.torch(*whole.axes)).sum(), parameters)
        for Z in (whole, found)
    ]
    torch.testing.assert_close(gained, wanted, rtol=1e-9, atol=1e-10)


def test_memory_that_cannot_be_written_is_told():
    model = built("post").eval()
    cache = model.start(model.encode(X), X, room=3)
    token = nt.ones("batch[4]", dtype="int64", backend="torch") * BEGIN
    _, cache = model.step(token, cache)
    [(K, V)] = cache.past
    leaf = nt.tensor(K.data.detach().requires_grad_(), *K.axes)
    with pytest.raises(nt.BackendError) as told:
        model.step(token, replace(cache, past=[(leaf, V)]))
    assert "keep(K, k, V, v): torch does not write into K and V: a view of a leaf" in str(
        told.value
    )
    assert "hint: give it copies: K * 1, V * 1" in str(told.value)
    model.step(token, replace(cache, past=[(leaf * 1, V * 1)]))
