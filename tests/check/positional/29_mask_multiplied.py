"""By positions: a mask of 0 and -inf that is multiplied, not added."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "q val"]:
    M = torch.full((Q.shape[0], K.shape[0]), -torch.inf, device=Q.device).triu(1)
    S = Q @ K.T / K.shape[-1] ** 0.5
    return torch.softmax(S * M, dim=-1) @ V
