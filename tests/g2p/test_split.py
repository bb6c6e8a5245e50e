import pytest

from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.split import split_words, word_hash

WORDS = {f"word{'abcdefghij'[i // 10 % 10]}{'abcdefghij'[i % 10]}{'x' * (i // 100)}": ((),)
         for i in range(1000)}  # fmt: skip


def test_every_word_is_in_exactly_one_part():
    split = split_words(WORDS)
    assert sorted(split.train + split.validation + split.test) == sorted(WORDS)


def test_the_parts_have_their_shares():
    split = split_words(WORDS)
    assert 30 < len(split.test) < 70
    assert 12 < len(split.validation) < 40


def test_the_hash_is_the_same_everywhere():
    assert word_hash("transformer") == 0x361B904B27614818


def test_a_word_keeps_its_part_when_others_come_or_go():
    few = dict(list(WORDS.items())[::2])
    all_of_them, half = split_words(WORDS), split_words(few)
    assert set(half.test) == set(all_of_them.test) & few.keys()
    assert set(half.validation) == set(all_of_them.validation) & few.keys()


def test_listed_words_are_the_test_and_nothing_else_is():
    by_hash = split_words(WORDS)
    listed = [*by_hash.train[:5], *by_hash.validation[:2]]
    split = split_words(WORDS, listed)
    assert split.test == tuple(sorted(listed))
    assert not set(listed) & {*split.train, *split.validation}
    assert set(by_hash.test) <= set(split.train)


def test_unknown_test_words_are_listed():
    with pytest.raises(G2PError) as error:
        split_words(WORDS, ["wordaa", "zzz", "no", "nor", "not"])
    assert str(error.value) == "test words that the dictionary lacks: 'no', 'nor', 'not' and 1 more"


def test_a_split_without_training_words_is_refused():
    with pytest.raises(G2PError) as error:
        split_words(WORDS, list(WORDS))
    assert str(error.value) == "no words are left to train on; give a larger dictionary"
