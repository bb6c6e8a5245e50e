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
