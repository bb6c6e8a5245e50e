"""By positions: attention that averages the keys."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "q key"]:
    S = Q @ K.T / K.shape[-1] ** 0.5
    return torch.softmax(S, dim=-1) @ K
