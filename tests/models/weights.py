"""Random parameters for the formulas that several documents share, and their axes."""

from typing import Any

import torch

import namedtensor as nt
from tests.models.agreement import nested, real

ATTENTION = {"WQ": "head emb key", "WK": "head emb key", "WV": "head emb val", "WO": "head val emb"}
NETWORK = {"W1": "emb hid", "b1": "hid", "W2": "hid emb", "b2": "emb"}
NORM = {"gamma": "emb", "beta": "emb"}
AXES = ATTENTION | NETWORK | NORM


def draw(axes: dict[str, str], bundle: str = "", seed: int = 0, **sizes: int) -> dict[str, Any]:
    """Draw a formula's parameters; a bundle's name goes before theirs."""
    prefix = f"{bundle}__" if bundle else ""
    return {
        f"{prefix}{name}": real(own, seed + index, **sizes)
        for index, (name, own) in enumerate(axes.items(), start=1)
    }


def on_numpy(model: torch.nn.Module, **axes: str) -> dict[str, Any]:
    """Give a model's parameters as named numpy tensors, nested as its modules are."""
    known = AXES | axes
    return nested(
        {
            name: nt.tensor(p.detach().numpy(), known[name.rpartition(".")[2]])
            for name, p in model.named_parameters()
        }
    )
