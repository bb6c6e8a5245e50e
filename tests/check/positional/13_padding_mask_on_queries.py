"""By positions: a padding mask over the queries has no effect on a softmax over the keys."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"],
    K: Float[Tensor, "k key"],
    V: Float[Tensor, "k val"],
    pad: Float[Tensor, "q"],
) -> Float[Tensor, "q val"]:
    S = Q @ K.T / K.shape[-1] ** 0.5
    return torch.softmax(S + pad[:, None], dim=-1) @ V
