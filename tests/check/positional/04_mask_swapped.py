"""By positions: a causal mask whose query and key axes are swapped."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "q val"]:
    M = torch.full((K.shape[0], Q.shape[0]), -torch.inf, device=Q.device).triu(1)
    S = Q @ K.T / K.shape[-1] ** 0.5
    return torch.softmax(S + M.T, dim=-1) @ V
