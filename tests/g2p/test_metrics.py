import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_named.g2p.metrics import Score, edit_distance, nearest, score

phonemes = st.lists(st.sampled_from("ABC"), max_size=5)


def definition(a, b):
    """The recursive definition of the edit distance, exponential and obviously right."""
    if not a or not b:
        return len(a) + len(b)
    return min(
        definition(a[1:], b) + 1,
        definition(a, b[1:]) + 1,
        definition(a[1:], b[1:]) + (a[0] != b[0]),
    )


@given(phonemes, phonemes)
def test_edit_distance_is_its_definition(a, b):
    assert edit_distance(a, b) == definition(a, b)


def test_the_nearest_reference_counts():
    assert nearest(("A", "B"), [("C",), ("A", "C"), ("A", "B", "C")]) == (1, ("A", "C"))


def test_rates_are_sums_over_sums_with_the_nearest_reference():
    pairs = [
        (("A", "B"), [("A", "B")]),  # right: 0 of 2
        (("A",), [("C", "C", "C"), ("A", "B")]),  # one deleted: 1 of 2
        ((), [("A", "B", "C")]),  # nothing said: 3 of 3
    ]
    total = score(pairs)
    assert total == Score(words=3, wrong_words=2, phonemes=7, wrong_phonemes=4)
    assert total.per == pytest.approx(4 / 7)
    assert total.wer == pytest.approx(2 / 3)
