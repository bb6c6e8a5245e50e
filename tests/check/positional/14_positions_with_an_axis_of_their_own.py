"""By positions: a table of positions that never meets the sequence."""

from jaxtyping import Float
from torch import Tensor


def embed(
    X: Float[Tensor, "seq vocab"], E: Float[Tensor, "vocab emb"], P: Float[Tensor, "pos emb"]
) -> Float[Tensor, "..."]:
    return (X @ E)[:, None] + P
