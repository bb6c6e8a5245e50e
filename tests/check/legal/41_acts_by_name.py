"""Unusual style: match statement, walrus, keyword-only setting, helper lambdas, early returns."""

from typing import Literal

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")

ACT = {"relu": nt.relu, "tanh": nt.tanh, "none": lambda x: x}


@formula
def act(
    X: R[seq, emb], *, g: R[emb], kind: Literal["relu", "tanh", "none"] = "relu", norm: bool = True
) -> R[seq, emb]:
    f = ACT[kind]
    if not norm:
        return f(X)
    if (ms := nt.mean[emb](X * X)) is not None:
        X = X / nt.sqrt(ms + 1e-6)
    match kind:
        case "none":
            return g * X
        case _:
            return f(g * X)
