"""By positions: weights normalised over the heads."""

import torch
from jaxtyping import Float
from torch import Tensor


def mha(
    Q: Float[Tensor, "head q key"],
    K: Float[Tensor, "head k key"],
    V: Float[Tensor, "head k val"],
    WO: Float[Tensor, "head val emb"],
) -> Float[Tensor, "q emb"]:
    S = torch.einsum("hqd,hkd->hqk", Q, K) / K.shape[-1] ** 0.5
    Y = torch.softmax(S, dim=0) @ V
    return torch.einsum("hqv,hve->qe", Y, WO)
