"""By positions: probabilities that go through a softmax again."""

import torch
from jaxtyping import Float
from torch import Tensor


def loss(Z: Float[Tensor, "vocab"], Y: Float[Tensor, "vocab"]) -> Float[Tensor, ""]:
    P = torch.softmax(Z, dim=-1)
    return -(Y * torch.log_softmax(P, dim=-1)).sum()
