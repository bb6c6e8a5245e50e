"""Letters and phonemes as integers, and back.

Both vocabularies keep 0 for padding. Spellings have no further marks; pronunciations are framed by
`BEGIN` and `END`.
"""

from transformer_named.g2p.errors import G2PError

LETTERS = "abcdefghijklmnopqrstuvwxyz'"
_ARPABET = (
    "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW "
    "V W Y Z ZH"
)
PHONEMES = tuple(_ARPABET.split())
PAD, BEGIN, END = 0, 1, 2
SPELLING_SIZE = 1 + len(LETTERS)
PHONEME_SIZE = 3 + len(PHONEMES)

_LETTER_IDS = {letter: i for i, letter in enumerate(LETTERS, start=1)}
_PHONEME_IDS = {phoneme: i for i, phoneme in enumerate(PHONEMES, start=3)}


def spelling_ids(word: str) -> list[int]:
    """Number the letters of a word.

    Raises: G2PError for the empty word and for a character other than a-z and '.

    >>> spelling_ids("cab")
    [3, 1, 2]
    """
    if not word:
        raise G2PError("the word is empty; a word is made of the letters a-z and '")
    for letter in word:
        if letter not in _LETTER_IDS:
            raise G2PError(
                f"the word {word!r} holds {letter!r}; a word is made of the letters a-z and '"
            )
    return [_LETTER_IDS[letter] for letter in word]


def phoneme_ids(phonemes: tuple[str, ...]) -> list[int]:
    """Number the phonemes of a pronunciation, framed by BEGIN and END.

    Raises: G2PError for a symbol that is not one of the 39 phonemes.

    >>> phoneme_ids(("K", "AE", "B"))
    [1, 22, 4, 9, 2]
    """
    for phoneme in phonemes:
        if phoneme not in _PHONEME_IDS:
            raise G2PError(f"{phoneme!r} is not one of the {len(PHONEMES)} phonemes of CMUdict")
    return [BEGIN, *(_PHONEME_IDS[phoneme] for phoneme in phonemes), END]


def phonemes_of(ids: list[int]) -> tuple[str, ...]:
    """Read ids back as phonemes, up to END and without the marks.

    >>> phonemes_of([1, 22, 4, 9, 2, 0])
    ('K', 'AE', 'B')
    """
    ended = ids[: ids.index(END)] if END in ids else ids
    return tuple(PHONEMES[i - 3] for i in ended if i > END)
