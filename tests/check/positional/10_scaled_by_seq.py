"""By positions: scores scaled by the length of the sequence."""

import torch
from jaxtyping import Float
from torch import Tensor


def weights(Q: Float[Tensor, "q key"], K: Float[Tensor, "k key"]) -> Float[Tensor, "q k"]:
    return torch.softmax(Q @ K.T / K.shape[0] ** 0.5, dim=-1)
