import time

import torch
from torch import nn

from transformer_named.g2p.evaluation import chunks, evaluate, pronounce, sample
from transformer_named.g2p.symbols import BEGIN, END


class Parrot:
    """A speller that says the phoneme numbered as each letter, framed or not."""

    def __init__(self) -> None:
        self.module = nn.Dropout()
        self.batches: list[tuple[int, ...]] = []

    def pronounce(self, source, beams):
        assert not self.module.training
        assert not torch.is_grad_enabled()
        self.batches.append(tuple(source.shape))
        return [[BEGIN, *(i + 2 for i in row if i), END, 9] for row in source.tolist()]


def test_words_of_similar_sizes_go_together_and_come_back_in_their_order(monkeypatch):
    monkeypatch.setattr("transformer_named.g2p.evaluation.BATCH", 2)
    parrot = Parrot()
    spoken = pronounce(parrot, ["abcab", "a", "abcd", "b"], device="cpu")
    assert list(spoken) == ["abcab", "a", "abcd", "b"]
    assert spoken["abcd"] == ("AA", "AE", "AH", "AO")
    assert parrot.batches == [(2, 1), (2, 5)]


def test_words_are_scored_against_the_dictionary():
    dictionary = {"ab": (("AA",), ("AA", "AE")), "b": (("AA",),)}
    score, predicted = evaluate(Parrot(), ["ab", "b"], dictionary, device="cpu")
    assert predicted == {"ab": ("AA", "AE"), "b": ("AE",)}
    assert (score.words, score.wrong_words) == (2, 1)
    assert (score.phonemes, score.wrong_phonemes) == (3, 1)


def test_a_smaller_sample_is_a_part_of_a_larger_one():
    words = [f"word{'a' * i}" for i in range(50)]
    assert sample(words, 10) == sample(list(reversed(words)), 20)[:10]
    assert sample(words, 10) != words[:10]


def test_chunks_end_with_the_words_or_before_the_time_is_over(monkeypatch):
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    assert list(chunks("abcdefg", 2, seconds=1000)) == ["ab", "cd", "ef", "g"]
    assert list(chunks("abcdefg", 2, seconds=35)) == ["ab", "cd", "ef"]
    assert list(chunks("abcdefg", 2, seconds=0)) == ["ab"]
