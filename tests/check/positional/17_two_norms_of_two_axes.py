"""By positions: a layer whose second norm is over positions."""

import torch
from jaxtyping import Float
from torch import Tensor


def layer(
    X: Float[Tensor, "seq emb"],
    g1: Float[Tensor, "emb"],
    g2: Float[Tensor, "emb"],
    W: Float[Tensor, "emb hid"],
    U: Float[Tensor, "hid emb"],
) -> Float[Tensor, "seq emb"]:
    def norm(X, dim):
        return (X - X.mean(dim, keepdim=True)) / (X.var(dim, keepdim=True) + 1e-5).sqrt()

    Y = X + torch.relu(norm(X, 1) * g1 @ W) @ U
    return norm(Y, 0) * g2
