"""By positions: scores scaled by the size of an axis that was not contracted."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "q val"]:
    S = Q @ K.T / V.shape[-1] ** 0.5
    return torch.softmax(S, dim=-1) @ V
