"""Write what is pickled in one environment, and read it in another: tests/versions.py runs both.

python -m tests.project.stored.exchange write FOLDER
python -m tests.project.stored.exchange read FOLDER
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import torch

import namedtensor as nt
from tests.project.stored import write


def store(folder: Path) -> None:
    """Pickle axes, tensors of both libraries and a formula, and save a state dict both ways."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "things.pickle").write_bytes(pickle.dumps(write.things()))
    (folder / "tensor.pickle").write_bytes(pickle.dumps(write.torch_tensor()))
    (folder / "state.pickle").write_bytes(pickle.dumps(write.module().state_dict()))
    torch.save(write.torch_tensor(), folder / "tensor.pt")
    torch.save(write.module().state_dict(), folder / "state.pt")


def same(X: nt.NamedTensor, Y: nt.NamedTensor) -> bool:
    """Say whether two tensors have the same axes, dtype and numbers."""
    alike = X.axes == Y.axes and X.dtype == Y.dtype
    return alike and bool((X.data == Y.data).all())


def check(folder: Path) -> None:
    """Read what was stored, and compare it with what is made here."""
    things, here = pickle.loads((folder / "things.pickle").read_bytes()), write.things()
    for name in ("axis", "shape", "formula"):
        assert things[name] == here[name], f"{name} differs"
    for name in ("space", "error", "defined"):
        assert str(things[name]) == str(here[name]), f"{name} differs"
    tensor = write.torch_tensor()
    for name, read in {
        "floats": things["floats"],
        "bools": things["bools"],
        "tensor.pickle": pickle.loads((folder / "tensor.pickle").read_bytes()),
        "tensor.pt": torch.load(folder / "tensor.pt", weights_only=True),
    }.items():
        assert same(read, here.get(name, tensor)), f"{name} differs"
    X = nt.tensor(torch.ones(3), "emb")
    for state in (
        pickle.loads((folder / "state.pickle").read_bytes()),
        torch.load(folder / "state.pt", weights_only=True),
    ):
        made = write.project.module("emb[3] hid[2]")
        made.load_state_dict(state)
        assert same(made(X), write.module()(X)), "the module differs"


if __name__ == "__main__":
    {"write": store, "read": check}[sys.argv[1]](Path(sys.argv[2]))
