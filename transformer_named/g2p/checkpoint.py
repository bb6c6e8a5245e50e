"""Checkpoints: one safetensors file with the weights, the optimiser's state and the run's story.

Random numbers need no state of their own: those of step n are drawn from a seed made of the run's
seed and n.
"""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from transformer_named.g2p.errors import G2PError, reason
from transformer_named.g2p.files import write_whole
from transformer_named.g2p.settings import Settings

FORMAT = "transformer-named g2p 1"
_KEY = "g2p"


@dataclass(frozen=True)
class Story:
    """The progress and the settings of a run: all that a checkpoint holds besides its tensors.

    test_words are those of --test-words, None for the split by hash. fingerprint identifies the training
    examples.
    """

    settings: Settings
    step: int
    seconds: float
    fingerprint: str
    test_words: tuple[str, ...] | None


def save_checkpoint(
    path: Path, story: Story, module: nn.Module, optimizer: torch.optim.Optimizer
) -> None:
    """Write a checkpoint; a kill at any moment leaves the earlier one or this one.

    Raises: G2PError when it cannot be written; an earlier checkpoint stays.
    """
    tensors = {f"model.{name}": value for name, value in module.state_dict().items()}
    for name, parameter in module.named_parameters():
        for part, value in optimizer.state[parameter].items():
            tensors[f"optimizer.{part}.{name}"] = torch.as_tensor(value)
    # Tied parameters share memory, which safetensors refuses: each name gets its own copy.
    owned = {name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}
    metadata = {"format": FORMAT, _KEY: json.dumps(asdict(story))}
    write_whole(path, safetensors.torch.save(owned, metadata))


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint that was read."""

    path: Path
    story: Story
    tensors: dict[str, Tensor]

    def refuse_small(self) -> None:
        """Raise G2PError where a model of the settings has more weights than the file holds."""
        held = sum(tensor.numel() for tensor in self._part("model.").values())
        wanted = self.story.settings.weights
        if held < wanted:
            raise G2PError(
                f"{self.path} holds {held:,} weights, and a model of its settings has over {wanted:,}"
            )

    def load_model(self, module: nn.Module) -> None:
        """Put the weights into a module.

        Raises: G2PError when names or sizes differ.
        """
        try:
            module.load_state_dict(self._part("model."))
        except RuntimeError as error:
            line = " ".join(str(error).split())
            raise G2PError(f"{self.path} does not fit this version's model: {line}") from None

    def load_optimizer(self, module: nn.Module, optimizer: torch.optim.Optimizer) -> None:
        """Put the optimiser's state into an optimiser over the module's parameters."""
        names = [name for name, _ in module.named_parameters()]
        state: dict[int, dict[str, Tensor]] = {i: {} for i in range(len(names))}
        for key, value in self._part("optimizer.").items():
            part, _, name = key.partition(".")
            state[names.index(name)][part] = value
        optimizer.load_state_dict({**optimizer.state_dict(), "state": state})

    def _part(self, prefix: str) -> dict[str, Tensor]:
        return {
            name.removeprefix(prefix): value
            for name, value in self.tensors.items()
            if name.startswith(prefix)
        }


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises: G2PError when it is missing, cut short, or not a checkpoint of this program.
    """
    if not path.exists():
        raise G2PError(f"there is no checkpoint {path}; make one with: transformer-named g2p train")
    try:
        with safetensors.safe_open(str(path), framework="pt") as file:
            metadata: dict[str, str] = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except OSError as error:
        raise G2PError(f"cannot read {path}: {reason(error)}") from None
    except safetensors.SafetensorError as error:
        raise G2PError(f"{path} is damaged or cut short ({error})") from None
    if metadata.get("format") != FORMAT:
        raise G2PError(f"{path} is not a checkpoint of transformer-named g2p")
    return Checkpoint(path, _story(path, metadata.get(_KEY, "")), tensors)


def _story(path: Path, text: str) -> Story:
    """Read the story of a run, every field of which is of its kind."""
    try:
        fields: dict[str, Any] = json.loads(text)
        words, step, seconds = fields["test_words"], fields["step"], fields["seconds"]
        settings = Settings(**fields["settings"])
        if type(step) is not int or step < 0:
            raise ValueError(f"step is {step!r}")
        if type(seconds) not in (int, float) or not 0 <= seconds < math.inf:
            raise ValueError(f"seconds is {seconds!r}")
        if not isinstance(fields["fingerprint"], str):
            raise ValueError(f"fingerprint is {fields['fingerprint']!r}")
        if words is not None and not all(isinstance(word, str) for word in words):
            raise ValueError("test_words are no words")
        return Story(
            settings=settings,
            step=step,
            seconds=seconds,
            fingerprint=fields["fingerprint"],
            test_words=None if words is None else tuple(words),
        )
    except (ValueError, TypeError, KeyError, RecursionError, G2PError) as error:
        raise G2PError(f"{path} does not fit this version's settings ({_short(error)})") from None


def _short(error: Exception) -> str:
    """Write an error on one short line."""
    text = " ".join(str(error).split())
    return text if len(text) <= 200 else text[:197] + "..."
