"""By positions: weights normalised over queries and keys together."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "q val"]:
    S = Q @ K.T / K.shape[-1] ** 0.5
    return torch.softmax(S.flatten(), dim=0).view_as(S) @ V
