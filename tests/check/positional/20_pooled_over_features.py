"""By positions: a classifier of features that were averaged away."""

from jaxtyping import Float
from torch import Tensor


def classify(X: Float[Tensor, "seq emb"], W: Float[Tensor, "emb cls"]) -> Float[Tensor, "cls"]:
    return X.mean(1) @ W
