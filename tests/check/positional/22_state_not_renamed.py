"""By positions: a recurrent cell whose new state keeps two axes."""

import torch
from jaxtyping import Float
from torch import Tensor


def cell(
    x: Float[Tensor, "emb"],
    h: Float[Tensor, "hid"],
    W: Float[Tensor, "emb hid"],
    U: Float[Tensor, "hid hid"],
    b: Float[Tensor, "hid"],
) -> Float[Tensor, "hid"]:
    return torch.tanh((x @ W)[:, None] + (h @ U) + b[:, None])
