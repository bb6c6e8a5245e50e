"""By positions: an RMS norm whose mean is over positions."""

from jaxtyping import Float
from torch import Tensor


def rms(X: Float[Tensor, "seq emb"], gamma: Float[Tensor, "emb"]) -> Float[Tensor, "seq emb"]:
    return X / ((X * X).mean(0, keepdim=True) + 1e-6).sqrt() * gamma
