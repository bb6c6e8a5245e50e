"""By positions: self-attention where nobody renamed the axis of the queries."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "k key"], K: Float[Tensor, "k key"], V: Float[Tensor, "k val"]
) -> Float[Tensor, "val"]:
    S = (Q * K).sum(-1) / K.shape[-1] ** 0.5
    return torch.softmax(S, dim=-1) @ V
