"""By positions: a one-hot tensor used as an index."""

from jaxtyping import Float
from torch import Tensor


def embed(X: Float[Tensor, "seq vocab"], E: Float[Tensor, "vocab emb"]) -> Float[Tensor, "seq emb"]:
    return E[X]
