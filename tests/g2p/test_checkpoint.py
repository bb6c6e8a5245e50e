import json

import pytest
import safetensors
import safetensors.torch
import torch
from torch import nn

from transformer_named.g2p.checkpoint import Checkpoint, Story, read_checkpoint, save_checkpoint
from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.settings import Settings


class Tied(nn.Module):
    """Two names for one parameter, and a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Linear(3, 3)
        self.outside = nn.Linear(3, 3)
        self.outside.weight = self.inside.weight
        self.register_buffer("count", torch.zeros(2))


def trained_once():
    module = Tied()
    optimizer = torch.optim.AdamW(module.parameters(), fused=True)
    module.outside(module.inside(torch.ones(2, 3))).sum().backward()
    optimizer.step()
    return module, optimizer


STORY = Story(Settings(), step=7, seconds=1.5, fingerprint="abc", test_words=("cab", "it's"))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    save_checkpoint(path, STORY, *trained_once())
    return path


def test_weights_optimiser_and_story_come_back(tmp_path):
    module, optimizer = trained_once()
    path = tmp_path / "checkpoint.safetensors"
    save_checkpoint(path, STORY, module, optimizer)
    checkpoint = read_checkpoint(path)
    assert checkpoint.story == STORY

    other = Tied()
    other_optimizer = torch.optim.AdamW(other.parameters(), fused=True)
    checkpoint.load_model(other)
    checkpoint.load_optimizer(other, other_optimizer)
    for ours, theirs in zip(module.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)
        assert optimizer.state[ours].keys() == other_optimizer.state[theirs].keys()
        for part, value in optimizer.state[ours].items():
            assert torch.equal(value, other_optimizer.state[theirs][part])


def refusal(path):
    with pytest.raises(G2PError) as error:
        read_checkpoint(path)
    return str(error.value)


def test_a_missing_checkpoint_is_refused(tmp_path):
    path = tmp_path / "checkpoint.safetensors"
    assert refusal(path) == (
        f"there is no checkpoint {path}; make one with: transformer-named g2p train"
    )


@pytest.mark.parametrize("kept", [0, 4, 100, -1])
def test_a_checkpoint_cut_short_is_refused(path, kept):
    path.write_bytes(path.read_bytes()[:kept])
    assert refusal(path).startswith(f"{path} is damaged or cut short (")
    assert "\n" not in refusal(path)


def test_another_safetensors_file_is_refused(path):
    safetensors.torch.save_file({"a": torch.zeros(2)}, path)
    assert refusal(path) == f"{path} is not a checkpoint of transformer-named g2p"


def test_unknown_settings_are_refused(path):
    with safetensors.safe_open(str(path), framework="pt") as file:
        metadata = file.metadata()
    story = json.loads(metadata["g2p"])
    story["settings"]["colour"] = "red"
    metadata["g2p"] = json.dumps(story)
    safetensors.torch.save_file({"a": torch.zeros(2)}, path, metadata)
    assert refusal(path).startswith(f"{path} does not fit this version's settings (")


def test_weights_of_another_model_are_refused(path):
    checkpoint = read_checkpoint(path)
    with pytest.raises(G2PError) as error:
        Checkpoint(path, STORY, checkpoint.tensors).load_model(nn.Linear(2, 2))
    assert str(error.value).startswith(f"{path} does not fit this version's model: ")
    assert "\n" not in str(error.value)


def told(path, **changes):
    """Write a checkpoint again with another story; None leaves a field out."""
    with safetensors.safe_open(str(path), framework="pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
        story = json.loads(file.metadata()["g2p"])
    settings = {**story["settings"], **changes.pop("settings", {})}
    story = {**story, "settings": settings, **changes}
    kept = {name: value for name, value in story.items() if value != "left out"}
    metadata = {"format": "transformer-named g2p 1", "g2p": json.dumps(kept)}
    path.write_bytes(safetensors.torch.save(tensors, metadata))
    return path


def test_a_story_told_again_as_it_was_is_read(path):
    assert read_checkpoint(told(path)).story == STORY


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"step": "left out"}, "'step'"),
        ({"step": "x"}, "step is 'x'"),
        ({"step": -1}, "step is -1"),
        ({"step": True}, "step is True"),
        ({"seconds": float("nan")}, "seconds is nan"),
        ({"seconds": float("inf")}, "seconds is inf"),
        ({"seconds": None}, "seconds is None"),
        ({"fingerprint": 3}, "fingerprint is 3"),
        ({"test_words": [1, 2]}, "test_words are no words"),
        ({"test_words": 5}, "'int' object is not iterable"),
        ({"settings": {"emb": 10**9}}, "--emb is 1,000,000,000; it must be at most 65,536"),
        ({"settings": {"emb": "64"}}, "--emb is '64', which is no whole number"),
        ({"settings": {"emb": True}}, "--emb is True, which is no whole number"),
        ({"settings": {"layers": 10**6}}, "--layers is 1,000,000; it must be at most 1,000"),
        ({"settings": {"threads": 10**6}}, "--threads is 1,000,000; it must be at most 1,024"),
        ({"settings": {"tied": 1}}, "--tied is 1, which is no truth value"),
        (
            {"settings": {"emb": 60_000, "hid": 200_000}},
            "a model of these sizes has 96,092,160,000 weights; at most 2,000,000,000 are trained: "
            "choose a smaller --emb, --hid or --layers",
        ),
    ],
)
def test_a_story_that_no_run_tells_is_refused(path, changes, why):
    assert refusal(told(path, **changes)) == (
        f"{path} does not fit this version's settings ({why})"
    )


@pytest.mark.parametrize("text", [None, "", "[" * 100_000, "{}", "[]", "3", "x" * 10_000])
def test_a_header_that_tells_no_story_is_refused_in_a_short_line(path, text):
    metadata = {"format": "transformer-named g2p 1"} | ({} if text is None else {"g2p": text})
    path.write_bytes(safetensors.torch.save({"a": torch.zeros(1)}, metadata))
    assert refusal(path).startswith(f"{path} does not fit this version's settings (")
    assert len(refusal(path)) < len(str(path)) + 260


def test_a_small_file_does_not_build_a_large_model(path):
    checkpoint = read_checkpoint(told(path, settings={"emb": 8192, "hid": 8192}))
    with pytest.raises(G2PError) as error:
        checkpoint.refuse_small()
    assert str(error.value) == (
        f"{path} holds 26 weights, and a model of its settings has over 549,453,824"
    )
