"""By positions: the output projection forgets the heads."""

import torch
from jaxtyping import Float
from torch import Tensor


def merge(
    Y: Float[Tensor, "head seq val"], WO: Float[Tensor, "head val emb"]
) -> Float[Tensor, "seq emb"]:
    return torch.einsum("hsv,hve->hse", Y, WO)
