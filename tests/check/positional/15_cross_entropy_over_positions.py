"""By positions: a cross-entropy of probabilities over positions, not words."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def loss(Z: Float[Tensor, "seq vocab"], y: Int[Tensor, "seq"]) -> Float[Tensor, ""]:
    logp = torch.log_softmax(Z, dim=0)
    return -logp.gather(1, y[:, None]).mean()
