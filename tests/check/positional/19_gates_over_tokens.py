"""By positions: gates of experts that are normalised over the tokens."""

import torch
from jaxtyping import Float
from torch import Tensor


def moe(
    X: Float[Tensor, "seq emb"], G: Float[Tensor, "emb expert"], W: Float[Tensor, "expert emb hid"]
) -> Float[Tensor, "seq hid"]:
    gates = torch.softmax(X @ G, dim=0)
    return torch.einsum("sx,sxh->sh", gates, torch.einsum("se,xeh->sxh", X, W))
