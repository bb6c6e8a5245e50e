"""By positions: a table of biases cut to the sizes of the wrong axes."""

import torch
from jaxtyping import Float
from torch import Tensor


def att(
    Q: Float[Tensor, "q key"],
    K: Float[Tensor, "k key"],
    V: Float[Tensor, "k val"],
    B: Float[Tensor, "row col"],
) -> Float[Tensor, "q val"]:
    S = Q @ K.T / K.shape[-1] ** 0.5 + B[: K.shape[0], : Q.shape[0]]
    return torch.softmax(S, dim=-1) @ V
