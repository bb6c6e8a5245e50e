"""By positions: a sum divided by the size of another axis."""

from jaxtyping import Float
from torch import Tensor


def pool(X: Float[Tensor, "seq emb"]) -> Float[Tensor, "emb"]:
    return X.sum(0) / X.shape[1]
