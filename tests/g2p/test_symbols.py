import pytest

from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.symbols import (
    LETTERS,
    PHONEME_SIZE,
    PHONEMES,
    SPELLING_SIZE,
    phoneme_ids,
    phonemes_of,
    spelling_ids,
)


def test_letters_fill_their_vocabulary_above_padding():
    assert spelling_ids(LETTERS) == list(range(1, SPELLING_SIZE))


def test_pronunciations_go_to_ids_and_back():
    ids = phoneme_ids(PHONEMES)
    assert ids == [1, *range(3, PHONEME_SIZE), 2]
    assert phonemes_of(ids) == PHONEMES
    assert phonemes_of([*ids, 0, 0]) == PHONEMES
    assert phonemes_of(ids[1:-1]) == PHONEMES


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("naïve", "the word 'naïve' holds 'ï'; a word is made of the letters a-z and '"),
        ("Rome", "the word 'Rome' holds 'R'; a word is made of the letters a-z and '"),
        ("", "the word is empty; a word is made of the letters a-z and '"),
    ],
)
def test_a_word_of_other_characters_is_refused(word, why):
    with pytest.raises(G2PError) as error:
        spelling_ids(word)
    assert str(error.value) == why


def test_an_unknown_phoneme_is_refused():
    with pytest.raises(G2PError) as error:
        phoneme_ids(("K", "AE1"))
    assert str(error.value) == "'AE1' is not one of the 39 phonemes of CMUdict"
