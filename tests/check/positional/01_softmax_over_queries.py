"""By positions: attention whose weights are normalised over the queries."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "q val"]:
    S = Q @ K.T / K.shape[-1] ** 0.5
    return torch.softmax(S, dim=0) @ V
