"""The search algorithms against exhaustive enumeration (see hashing.py)."""

import math
from collections import Counter

import pytest
import torch

import namedtensor as nt
from tests.decoding.hashing import BEGIN, END, Hashing, outputs
from transformer_named.decoding import beam_search, greedy, log_probability, sample

SOURCES = [[3, 1, 4], [1, 5, 0], [9, 2, 6], [5, 3, 5], [8, 0, 0], [9, 7, 9], [3, 2, 3], [8, 4, 6]]
IDS = {"begin": BEGIN, "end": END}
MANY = len(outputs(4))


def source(rows=SOURCES):
    return nt.tensor(torch.tensor(rows), "batch src")


def best(model, row, alpha, max_length):
    """Score every output and keep the best, in plain Python."""
    return max(
        (model.log_probability(row, [*y, END]) / ((5 + len(y) + 1) / 6) ** alpha, y)
        for y in outputs(max_length)
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.0, 0.6, 2.0])
def test_a_beam_as_wide_as_the_tree_finds_the_best_of_all_outputs(seed, alpha):
    model = Hashing(seed)
    found, scores = beam_search(
        model, source(), **IDS, max_length=4, beams=MANY, length_penalty=alpha, scores=True
    )
    for row, output, score in zip(SOURCES, found, scores, strict=True):
        value, expected = best(model, row, alpha, 4)
        assert output == expected
        assert score == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_beam_forgets_neither_scores_nor_parents(seed):
    model = Hashing(seed, spread=0.7)
    for beams in (2, 3, 5):
        found, scores = beam_search(
            model, source(), **IDS, max_length=6, beams=beams, length_penalty=0.6, scores=True
        )
        for row, output, score in zip(SOURCES, found, scores, strict=True):
            exact = model.log_probability(row, [*output, END]) / ((6 + len(output)) / 6) ** 0.6
            assert score == pytest.approx(exact, abs=1e-12)


def textbook(model, row, beams, alpha, max_length):
    """Search one source with Python lists: what ends keeps its place in the beam."""
    running, ended = [(0.0, [])], []
    for place in range(max_length + 1):
        grown = []
        for _, y in running:
            for id in [END] if place == max_length else [1, END, 3, 4]:
                said = [*y, id]
                grown.append((model.log_probability(row, said), said))
        grown.sort(reverse=True)
        grown = grown[: beams - len(ended)]
        ended += [(p / ((5 + len(y)) / 6) ** alpha, y[:-1]) for p, y in grown if y[-1] == END]
        running = [(p, y) for p, y in grown if y[-1] != END]
    return max(ended)[1]


@pytest.mark.parametrize("beams", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(4))
def test_beam_search_keeps_what_the_textbook_keeps(beams, seed):
    model = Hashing(seed)
    found = beam_search(model, source(), **IDS, max_length=5, beams=beams, length_penalty=1.0)
    assert found == [textbook(model, row, beams, 1.0, 5) for row in SOURCES]


@pytest.mark.parametrize("seed", range(5))
def test_one_beam_is_greedy(seed):
    model = Hashing(seed)
    expected = greedy(model, source(), **IDS, max_length=7)
    assert beam_search(model, source(), **IDS, max_length=7, beams=1) == expected
    assert any(len(y) == 7 for y in expected) or any(len(y) < 7 for y in expected)


@pytest.mark.parametrize("seed", range(3))
def test_greedy_takes_the_likeliest_id_at_each_place(seed):
    model = Hashing(seed)
    for row, output in zip(SOURCES, greedy(model, source(), **IDS, max_length=6), strict=True):
        said = []
        while len(said) < 6:
            said.append(1 + model.gained(row, said)[1:].argmax())
            if said[-1] == END:
                said.pop()
                break
        assert output == said


def test_a_row_does_not_depend_on_the_rows_beside_it():
    model = Hashing(3)
    for search in (greedy, beam_search):
        together = search(model, source(), **IDS, max_length=9)
        assert together == [search(model, source([row]), **IDS, max_length=9)[0] for row in SOURCES]


def test_log_probability_adds_the_steps_and_skips_the_padding():
    model = Hashing(5)
    rows = [[3, 4, 1], [], [4], [3, 3], [1, 4], [1], [4, 4, 4], [3]]
    padded = nt.tensor(torch.tensor([y + [0] * (3 - len(y)) for y in rows]), "batch seq")
    found = log_probability(model, source(), padded, **IDS).torch("batch")
    expected = [model.log_probability(x, [*y, END]) for x, y in zip(SOURCES, rows, strict=True)]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_the_probabilities_of_all_outputs_add_up():
    model = Hashing(2)
    model.table[:, 0] = -math.inf  # no padding
    model.table[:, END] += 4.0  # short outputs
    every = outputs(6)
    padded = nt.tensor(torch.tensor([y + [0] * (6 - len(y)) for y in every]), "batch seq")
    rows = source([SOURCES[0]] * len(every))
    total = log_probability(model, rows, padded, **IDS).torch("batch").exp().sum().item()
    assert 0.99 < total < 1.0


def sampled(model, count, max_length=2, **options):
    rows = source([SOURCES[0]] * count)
    return [tuple(y) for y in sample(model, rows, **IDS, max_length=max_length, **options)]


@pytest.mark.parametrize(
    ("temperature", "top_k"), [(1.0, None), (0.5, None), (2.0, None), (1.3, 2)]
)
def test_samples_are_as_frequent_as_they_are_probable(temperature, top_k):
    model, count = Hashing(4), 20_000
    found = Counter(
        sampled(model, count, temperature=temperature, top_k=top_k,
                generator=torch.Generator().manual_seed(1))
    )  # fmt: skip
    chances = chances_of_outputs(model, SOURCES[0], temperature, top_k)
    assert set(found) <= set(chances)
    assert sum(chances.values()) == pytest.approx(1.0)
    surprise = sum((found[y] - count * p) ** 2 / (count * p) for y, p in chances.items())
    freedom = len(chances) - 1
    assert surprise < freedom + 4 * math.sqrt(2 * freedom) + 4


def chances_of_outputs(model, row, temperature, top_k):
    """Give P(output cut after two ids), from the table with plain torch."""
    chances = {}

    def walk(said, chance):
        logits = torch.tensor(model.gained(row, said))
        logits[0] = -math.inf
        if top_k is not None:
            logits[logits < logits.topk(top_k).values[-1]] = -math.inf
        for id, p in enumerate(torch.softmax(logits / temperature, -1).tolist()):
            if p == 0:
                continue
            if id == END:
                chances[tuple(said)] = chances.get(tuple(said), 0) + chance * p
            elif len(said) == 1:
                chances[(*said, id)] = chances.get((*said, id), 0) + chance * p
            else:
                walk([*said, id], chance * p)

    walk([], 1.0)
    return chances


def test_a_wrong_temperature_would_be_noticed():
    model, count = Hashing(4), 20_000
    found = Counter(sampled(model, count, generator=torch.Generator().manual_seed(1)))
    chances = chances_of_outputs(model, SOURCES[0], 1.1, None)
    surprise = sum((found[y] - count * p) ** 2 / (count * p) for y, p in chances.items())
    freedom = len(chances) - 1
    assert surprise > freedom + 4 * math.sqrt(2 * freedom) + 4


def test_sampling_repeats_itself_with_the_same_generator():
    model = Hashing(6)
    first, again, other = (
        sampled(model, 40, max_length=5, generator=torch.Generator().manual_seed(seed))
        for seed in (11, 11, 12)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    "options",
    [{"temperature": 0.0}, {"temperature": 1e-6}, {"top_k": 1}, {"temperature": 3.0, "top_k": 1}],
)
def test_the_limits_of_sampling_are_greedy(options):
    model = Hashing(8)
    expected = greedy(model, source(), **IDS, max_length=6)
    generator = torch.Generator().manual_seed(0)
    assert sample(model, source(), **IDS, max_length=6, generator=generator, **options) == expected


def test_padding_is_never_chosen():
    model = Hashing(9)
    model.table[:, 0] += 50.0
    generator = torch.Generator().manual_seed(0)
    for found in (
        greedy(model, source(), **IDS, max_length=5),
        sample(model, source(), **IDS, max_length=5, generator=generator),
        beam_search(model, source(), **IDS, max_length=5, beams=3),
    ):
        assert any(found)
        assert not any(0 in y for y in found)


def test_nothing_is_generated_at_length_zero():
    model = Hashing(1)
    for search in (greedy, sample, beam_search):
        assert search(model, source(), **IDS, max_length=0) == [[] for _ in SOURCES]


def test_decoding_ends_with_the_last_output():
    model = Hashing(4)
    model.table[:, END] += 2.0
    steps = []
    step = model.step
    model.step = lambda token, cache: steps.append(token) or step(token, cache)
    found = greedy(model, source(), **IDS, max_length=1000)
    longest = max(map(len, found))
    assert len(steps) == longest + 1
    said = torch.tensor([[BEGIN, *y, END, *[0] * longest][: longest + 1] for y in found])
    assert (torch.stack([token.torch("batch") for token in steps], 1) == said).all()
    assert min(map(len, found)) < longest - 1
    beam_search(model, source(), **IDS, max_length=1000, length_penalty=0.0)
    assert len(steps) < 100


def test_the_model_keeps_its_mode_and_records_no_gradient():
    model = Hashing(1)
    for mode in (True, False):
        model.train(mode)
        greedy(model, source(), **IDS, max_length=2)
        assert model.training is mode
    assert torch.is_grad_enabled()


@pytest.mark.parametrize(
    ("search", "options", "text"),
    [
        (beam_search, {"beams": 0}, "beams is 1 or more"),
        (beam_search, {"length_penalty": -1.0}, "length_penalty is 0 or more"),
        (sample, {"temperature": -0.1}, "temperature is 0 or more"),
        (sample, {"top_k": 0}, "top_k is 1 or more"),
    ],
)
def test_settings_out_of_range_are_refused(search, options, text):
    with pytest.raises(ValueError, match=text):
        search(Hashing(0), source(), **IDS, **options)
