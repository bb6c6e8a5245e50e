"""By positions: a boolean mask that lets queries see the future alone."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "q val"]:
    i = torch.arange(Q.shape[0], device=Q.device)[:, None]
    j = torch.arange(K.shape[0], device=Q.device)
    S = Q @ K.T / K.shape[-1] ** 0.5
    return torch.softmax(torch.where(j >= i, S, -torch.inf), dim=-1) @ V
