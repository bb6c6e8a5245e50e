"""What a corpus entry says: a name of a document, its arguments, and what it must give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

#: One array, or several where the formula gives several.
Expected = Callable[..., Any]


@dataclass(frozen=True)
class Entry:
    """A formula of a document, and an independent computation of what it gives.

    `given` stands before the semicolon, `after` behind it: "seq[3] emb[4]" for normal numbers of
    these axes, "seq[3] emb[4] ~ kind" for numbers of a kind below, or a Python number. `expected`
    takes the arrays in this order, each in the order of its axes, and gives an array over `result`.
    A mapping is a bundle of parameters.
    `chosen` chooses letters of the document (L=2); `member` is the index in a family.
    """

    name: str
    expected: Expected
    result: str
    given: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    chosen: Mapping[str, int] = field(default_factory=dict)
    member: int | tuple[int, ...] | None = None
    torch_only: bool = False
    gradients: bool = False

    @property
    def inputs(self) -> dict[str, Any]:
        return {**self.given, **self.after}

    def __str__(self) -> str:
        chosen = ",".join(f"{letter}={number}" for letter, number in self.chosen.items())
        return self.name + (f"[{self.member}]" if self.member else "") + (chosen and f"({chosen})")


def axes_of(space: str) -> list[tuple[str, int]]:
    """Read "seq[3] emb[4]"."""
    found = []
    for word in space.split("~")[0].split():
        name, size = word.rstrip("]").split("[")
        found.append((name, int(size)))
    return found


def draw(space: Any, random: np.random.Generator) -> Any:
    """Draw an argument, or all of a bundle; what is a number already stays."""
    if isinstance(space, Mapping):
        return {name: draw(inner, random) for name, inner in space.items()}
    if not isinstance(space, str):
        return space
    shape = tuple(size for _, size in axes_of(space))
    kind = space.split("~")[1].strip() if "~" in space else "normal"
    word, _, setting = kind.partition(" ")
    return np.asarray(KINDS[word](random, shape, setting, [name for name, _ in axes_of(space)]))


def _definite(random: Any, shape: Any, setting: str, names: Any) -> Any:
    """The last two axes are rows and columns of a positive definite matrix."""
    A = random.standard_normal(shape)
    n = shape[-1]
    return A @ A.swapaxes(-1, -2) / n + np.eye(n)


def _probability(random: Any, shape: Any, setting: str, names: list[str]) -> Any:
    """Positive numbers that sum to 1 over the axes of the setting."""
    p = random.uniform(0.2, 1.0, shape)
    return p / p.sum(tuple(names.index(name) for name in setting.split()), keepdims=True)


def _centres(random: Any, shape: Any, setting: str, names: Any) -> Any:
    """Points, in turn, near 3 and near -3 in each direction."""
    sides = np.where(np.arange(shape[0]) % 2, 3.0, -3.0)
    return sides[:, None] + random.uniform(-1, 1, shape)


def _one_hot(random: Any, shape: Any, setting: str, names: list[str]) -> Any:
    place = names.index(setting)
    index = random.integers(0, shape[place], [s for i, s in enumerate(shape) if i != place])
    return np.moveaxis(np.eye(shape[place])[index], -1, place)


KINDS: dict[str, Callable[..., Any]] = {
    "normal": lambda random, shape, setting, names: random.standard_normal(shape),
    "positive": lambda random, shape, setting, names: random.uniform(0.5, 2.0, shape),
    "whole": lambda random, shape, setting, names: random.integers(0, int(setting), shape),
    "counts": lambda random, shape, setting, names: random.integers(1, 5, shape) * 1.0,
    "ones": lambda random, shape, setting, names: np.ones(shape),
    "bits": lambda random, shape, setting, names: random.integers(0, 2, shape) * 1.0,
    "signs": lambda random, shape, setting, names: random.integers(-1, 2, shape) * 1.0,
    "first": lambda random, shape, setting, names: (np.arange(shape[0]) < int(setting)) * 1.0,
    "two": _centres,
    "definite": _definite,
    "probability": _probability,
    "one-hot": _one_hot,
}
