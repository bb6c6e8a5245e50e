import pytest
import torch

from transformer_named.g2p.checkpoint import read_checkpoint
from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.folders import RunFolder
from transformer_named.g2p.log import read_log
from transformer_named.g2p.progress import Progress
from transformer_named.g2p.run import build
from transformer_named.g2p.training import Training, Watch


def run(settings, corpus, folder, *, stop_after=None, resume=None):
    """Train in a folder, from scratch or from its checkpoint, up to a step."""
    folder.mkdir(exist_ok=True)
    speller = build(settings)
    files = RunFolder(folder)
    checkpoint = read_checkpoint(files.checkpoint) if resume else None
    if checkpoint:
        checkpoint.load_model(speller.module)
    training = Training(speller, settings, corpus.examples(), files, resume=checkpoint)
    watch = Watch(stop=lambda: training.step == stop_after)
    with Progress(silent=True) as progress:
        training.run(watch, progress)
    return training


def tensors(folder):
    return read_checkpoint(RunFolder(folder).checkpoint).tensors


def test_a_resumed_run_equals_one_that_was_not_interrupted(tmp_path, tiny, corpus):
    run(tiny, corpus, tmp_path / "straight")
    stopped = run(tiny, corpus, tmp_path / "resumed", stop_after=3)
    assert not stopped.finished
    torch.rand(7)  # whatever else drew random numbers in between
    run(tiny, corpus, tmp_path / "resumed", resume=True)
    straight, resumed = tensors(tmp_path / "straight"), tensors(tmp_path / "resumed")
    assert straight.keys() == resumed.keys()
    assert all(torch.equal(straight[name], resumed[name]) for name in straight)


def test_another_seed_gives_another_run(tmp_path, tiny, corpus):
    run(tiny, corpus, tmp_path / "one")
    run(tiny.with_given({"seed": 1}), corpus, tmp_path / "two")
    one, two = tensors(tmp_path / "one"), tensors(tmp_path / "two")
    assert any(not torch.equal(one[name], two[name]) for name in one)


def test_the_loss_falls_and_is_logged(tmp_path, tiny, corpus):
    settings = tiny.with_given({"steps": 60, "learning_rate": 0.01, "dropout": 0.0})
    training = run(settings, corpus, tmp_path)
    entries = read_log(training.log.path)
    assert [entry.step for entry in entries] == [20, 40, 60]
    assert entries[0].loss > entries[1].loss > entries[2].loss
    assert all(entry.examples_per_second > 0 for entry in entries)
    assert entries[-1].learning_rate < entries[0].learning_rate


def test_label_smoothing_raises_the_loss_of_a_sure_model(tmp_path, tiny, corpus):
    speller = build(tiny)
    source, target = corpus.examples().batch(torch.arange(8))
    speller.module.eval()
    plain, smooth = (float(speller.loss(source, target, s).detach()) for s in (0.0, 0.1))
    assert plain != smooth


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_the_checkpoint(tmp_path, tiny, corpus):
    run(tiny.with_given({"steps": 20}), corpus, tmp_path, stop_after=2)
    before = (tmp_path / "checkpoint.safetensors").read_bytes()
    broken = build(tiny)
    with torch.no_grad():
        for parameter in broken.module.parameters():
            parameter.fill_(float("nan"))
    training = Training(broken, tiny, corpus.examples(), RunFolder(tmp_path))
    with pytest.raises(G2PError) as error, Progress(silent=True) as progress:
        training.run(Watch(), progress)
    assert str(error.value) == ("the loss is nan at step 6; lower --learning-rate (it is 0.006)")
    assert (tmp_path / "checkpoint.safetensors").read_bytes() == before


def test_validation_is_logged_at_each_checkpoint(tmp_path, tiny, corpus):
    training = Training(build(tiny), tiny, corpus.examples(), RunFolder(tmp_path))
    with Progress(silent=True) as progress:
        training.run(Watch(save_seconds=0.0, validate=lambda: 0.25), progress)
    assert [entry.validation_per for entry in read_log(training.log.path)] == [0.25] * 6


def test_bf16_trains_too(tmp_path, tiny, corpus):
    training = run(tiny.with_given({"precision": "bf16"}), corpus, tmp_path)
    assert training.finished
    assert all(p.dtype == torch.float32 for p in training.speller.module.parameters())
