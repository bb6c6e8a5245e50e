"""Emitted code asks torch for no more than careful positional code does: counted, not timed."""

from collections import Counter
from functools import partial

import pytest
import torch

import namedtensor as nt
from benchmarks.bench_published import LENGTH, SIZES, Twin
from namedtensor import R, axes, formula
from tests.counted import kernels, most_numbers
from tests.models import test_architectures
from tests.models.architectures import MODELS
from transformer_named.published.formulas import seq_
from transformer_named.published.models import Cache
from transformer_named.published.smollm import decoder

LAYERS = 2
COUNTED = ["U-Net", "ViT", "CLIP loss", "windowed attention", "linear attention", "rotary", "LoRA",
           "LSTM", "state space", "Gaussian process", "Tucker"]  # fmt: skip


def trained(run):
    return lambda: torch.autograd.backward([result.sum() for result in run()])


@pytest.mark.parametrize("name", COUNTED)
def test_a_model_computes_no_more_than_its_twin(name):
    (model,) = [model for model in MODELS if model.name == name]
    arrays = model.drawn(test_architectures.SIZES, torch.float32)
    ours, theirs = partial(model.ours, model.named(arrays)), partial(model.theirs, arrays)
    for steps in (lambda run: run, trained):
        found, wanted = kernels(steps(ours)), kernels(steps(theirs))
        assert found.total() <= wanted.total(), (found - wanted, wanted - found)


@pytest.fixture(scope="module")
def decoders():
    torch.manual_seed(0)
    model = decoder(**{**SIZES, "vocab": 100, "layers": LAYERS})
    ids = torch.randint(100, (LENGTH,))
    return model, Twin(model), ids, nt.tensor(ids, seq_), nt.tensor(ids[:1], seq_)


#: What a layer computes beyond the twin: the twin holds WQ, WK, WV as one matrix and W1, W3 as another.
#: It joins halves of keys by cat, where the formula stacks them.
APART = {"mm": 3, "stack": 2}


def more_than(found, wanted):
    assert found["_scaled_dot_product_flash_attention_for_cpu"] == LAYERS
    assert found["clone"] == 0, "nothing is copied to another order"
    wanted = wanted + Counter(index_select=wanted["index"])  # E[ids] is one look-up by either
    return {name: count / LAYERS for name, count in (found - wanted).items()}


def test_a_cached_step_computes_what_its_twin_does(decoders):
    model, twin, ids, words, word = decoders
    cache = Cache(2 * LENGTH)

    def step():
        cache.length = LENGTH
        return model(word, cache=cache).torch(seq_, "vocab")

    with torch.no_grad():
        model(words, cache=cache), twin(ids, 0)
        torch.testing.assert_close(step(), twin(ids[:1], LENGTH), rtol=1e-3, atol=1e-3)
        assert more_than(kernels(step), kernels(lambda: twin(ids[:1], LENGTH))) == APART


def test_reading_a_prompt_computes_what_its_twin_does(decoders):
    model, twin, ids, words, _ = decoders
    with torch.no_grad():
        found = kernels(lambda: model(words, cache=Cache(2 * LENGTH)))
        more = more_than(found, kernels(lambda: twin(ids, 0)))
    # the two caches of all layers: made of none, put together, and given room
    caches = dict.fromkeys(("new_empty", "constant_pad_nd"), 2 / LAYERS)
    assert more == {**APART, **caches, "stack": APART["stack"] + 2 / LAYERS}


def test_a_batch_is_read_by_the_same_kernels(decoders):
    model, _, ids, _, _ = decoders
    batch = nt.tensor(torch.stack([ids, ids]), "batch", seq_)
    with torch.no_grad():
        found = kernels(lambda: model(batch))
    assert found["_scaled_dot_product_flash_attention_for_cpu"] == LAYERS


# ------------------------------------------------------------------------------------ memory

seq, emb = axes("seq emb")


@formula
def deep(X: R[emb]) -> R[emb]:
    for _ in range(12):
        X = nt.exp(nt.tanh(X))
    return X


def by_hand(x):
    for _ in range(12):
        x = torch.exp(torch.tanh(x))
    return x


def test_a_formula_holds_no_more_numbers_at_once_than_its_longest_step_needs(monkeypatch):
    x = torch.randn(10, 5)
    X = nt.tensor(x, seq, emb)
    with torch.no_grad():
        assert most_numbers(lambda: deep(X)) == 3 * x.numel()
        assert most_numbers(lambda: by_hand(x)) == 3 * x.numel()
        monkeypatch.setattr("namedtensor.plans.compile.released", lambda function: function)
        other = nt.Formula(deep.function, deep.signature)
        assert most_numbers(lambda: other(X)) == 24 * x.numel()


def test_more_numbers_are_counted():
    x = torch.randn(4)
    assert most_numbers(lambda: [torch.exp(x), torch.exp(x), torch.exp(x)]) == 12


def test_more_kernels_are_counted():
    x = torch.randn(4, 4)
    assert kernels(lambda: torch.exp(x).T.reshape(2, 8).T + 1) == Counter(exp=1, clone=1, add=1)
