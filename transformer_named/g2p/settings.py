"""The settings of a training run: sizes, budget, optimiser, device."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from transformer_named.g2p.errors import G2PError
from transformer_named.placement import PLACEMENTS

PRECISIONS = ("float32", "bf16")

#: The limit of each count: larger ones are mistakes, which would fill the memory or crash torch.
MOST = {
    "emb": 1 << 16,
    "hid": 1 << 18,
    "head": 1 << 10,
    "key": 1 << 14,
    "val": 1 << 14,
    "layers": 1_000,
    "batch": 1 << 20,
    "steps": 10**12,
    "threads": 1 << 10,
}
_REAL = (float, float | None)
MOST_WEIGHTS = 2_000_000_000


@dataclass(frozen=True)
class Settings:
    """Settings of one run, kept in its checkpoints.

    The budget is `steps`, or `seconds` of training where steps is None. `layers` counts those of
    the encoder, and the decoder has as many. `warmup` is a fraction of the budget. `threads`
    of the CPU are, where not given, as many as are fastest at the time.

    Raises: G2PError for a value out of range.
    """

    emb: int = 64
    hid: int = 256
    head: int = 4
    key: int = 16
    val: int = 16
    layers: int = 2
    dropout: float = 0.0
    placement: str = "pre"
    tied: bool = False
    steps: int | None = None
    seconds: float | None = 150.0
    batch: int = 128
    learning_rate: float = 6e-3
    warmup: float = 0.05
    weight_decay: float = 0.01
    smoothing: float = 0.0
    precision: str = "float32"
    device: str = "cpu"
    threads: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            allowed = field.type | int if field.type in _REAL else field.type
            if not isinstance(value, allowed) or isinstance(value, bool) != (field.type is bool):
                raise G2PError(
                    f"{option(field.name)} is {value!r}, which is no {_kind(field.type)}"
                )
        for name, most in MOST.items():
            value = getattr(self, name)
            if value is not None and value < 1:
                raise G2PError(f"{option(name)} is {value}; it must be at least 1")
            if value is not None and value > most:
                raise G2PError(f"{option(name)} is {value:,}; it must be at most {most:,}")
        if self.weights > MOST_WEIGHTS:
            raise G2PError(
                f"a model of these sizes has {self.weights:,} weights; at most {MOST_WEIGHTS:,} are "
                "trained: choose a smaller --emb, --hid or --layers"
            )
        if self.emb % 2:
            raise G2PError(f"--emb is {self.emb}; it must be even, half sines and half cosines")
        for name in ("dropout", "warmup", "smoothing"):
            value = getattr(self, name)
            if not 0 <= value < 1:
                raise G2PError(f"{option(name)} is {value}; it must be at least 0 and below 1")
        for name in ("learning_rate", "seconds"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise G2PError(f"{option(name)} is {value}; it must be a number above 0")
        if not 0 <= self.weight_decay < float("inf"):
            raise G2PError(f"--weight-decay is {self.weight_decay}; it must be at least 0")
        if (self.steps is None) == (self.seconds is None):
            raise G2PError("the budget is either --steps or --seconds; give one of them")
        for name, allowed in (("precision", PRECISIONS), ("placement", PLACEMENTS)):
            value = getattr(self, name)
            if value not in allowed:
                raise G2PError(f"{option(name)} is {value!r}; it is one of {', '.join(allowed)}")

    @property
    def weights(self) -> int:
        """Count the weights of the layers' matrices, which are nearly all that a model has."""
        attention = 2 * self.head * self.emb * (self.key + self.val)
        return self.layers * (3 * attention + 2 * 2 * self.emb * self.hid)

    def with_given(self, given: dict[str, Any]) -> "Settings":
        """Replace the settings that are given; a budget replaces the other kind of budget."""
        if "steps" in given and "seconds" not in given:
            given = {**given, "seconds": None}
        if "seconds" in given and "steps" not in given:
            given = {**given, "steps": None}
        return dataclasses.replace(self, **given)

    def fraction(self, step: int, seconds: float) -> float:
        """Tell how much of the budget is used, from 0 to 1."""
        used = step / self.steps if self.steps is not None else seconds / self._seconds
        return min(used, 1.0)

    def left(self, step: int, seconds: float) -> float:
        """Estimate the seconds of training that are left, after the first step."""
        if self.steps is None:
            return max(self._seconds - seconds, 0.0)
        return seconds / max(step, 1) * (self.steps - step)

    @property
    def _seconds(self) -> float:
        assert self.seconds is not None
        return self.seconds


def _kind(wanted: Any) -> str:
    """Name the kind of a setting's values in words."""
    words = {int: "whole number", float: "number", str: "word", bool: "truth value"}
    return " or ".join(
        words[kind] for kind in getattr(wanted, "__args__", (wanted,)) if kind in words
    )


def option(name: str) -> str:
    """Spell a setting as the command line's option.

    >>> option("learning_rate")
    '--learning-rate'
    """
    return "--" + name.replace("_", "-")


PRESETS = {
    "small": Settings(),
    "medium": Settings(
        emb=128,
        hid=512,
        head=4,
        key=32,
        val=32,
        layers=4,
        dropout=0.15,
        steps=None,
        seconds=7200.0,
        batch=128,
        learning_rate=2e-3,
        warmup=0.04,
        smoothing=0.1,
        precision="bf16",
    ),
    "large": Settings(
        emb=256,
        hid=1024,
        head=4,
        key=64,
        val=64,
        layers=4,
        dropout=0.3,
        steps=None,
        seconds=1200.0,
        batch=512,
        learning_rate=1e-3,
        warmup=0.05,
        smoothing=0.1,
        precision="bf16",
        device="cuda",
    ),
}
"""Settings by name.

small: 0.24 million parameters, two cores, 150 seconds; medium: 1.9 million, two cores and two
hours; large: a GPU and 20 minutes.
"""
