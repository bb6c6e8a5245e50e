"""By positions: a bias whose axis is misspelt, which lifts into the result."""

import torch
from jaxtyping import Float
from torch import Tensor


def dense(
    X: Float[Tensor, "emb"], W: Float[Tensor, "hid emb"], b: Float[Tensor, "hidd"]
) -> Float[Tensor, "..."]:
    return torch.relu(W @ X + b[:, None])
