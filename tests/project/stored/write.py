"""Write the stored files: a pickle of axes, shapes and tensors, torch's own file, a state dict."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import torch

import namedtensor as nt
from namedtensor import R, axes, formula

HERE = Path(__file__).parent
seq, emb, hid = axes("seq emb hid")


@formula
def project(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


def things() -> dict[str, Any]:
    """What is pickled, by name; none of it needs torch."""
    return {
        "axis": emb[3].prime,
        "shape": nt.zeros("seq[2] emb[3]").shape,
        "space": R[seq, emb[3]],
        "floats": nt.tensor(np.arange(6, dtype=np.float32).reshape(2, 3), seq, emb),
        "bools": nt.tensor([True, False], seq),
        "defined": nt.define[seq[3], hid[3]](lambda i, j: nt.where(j <= i, 0.0, -1.0)),
        "formula": project,
        "error": nt.AxisMissingError("f(X)", "X has no axis a", [("X", "b[3]")], "f(Y)"),
    }


def torch_tensor() -> Any:
    return nt.tensor(torch.arange(6.0).reshape(2, 3), seq, emb)


def module() -> Any:
    made = project.module(emb[3], hid[2])
    with torch.no_grad():
        for k, parameter in enumerate(made.parameters()):
            parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape) + k)
    return made


def write_all() -> None:
    (HERE / "things.pickle").write_bytes(pickle.dumps(things(), protocol=4))
    torch.save(torch_tensor(), HERE / "tensor.pt")
    torch.save(module().state_dict(), HERE / "module.pt")
