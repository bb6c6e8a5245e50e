"""Normalisation in torch, with its gain and its shift in the same kernel.

The kernels want weights of the data's own dtype; others are multiplied and added as the formula says,
whose result has the wider dtype. Under autocast torch decides.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

Array = Any
Dims = tuple[int, ...]


def layer_norm(x: Array, shape: Dims, gamma: Array, beta: Array | None, eps: float) -> Array:
    """Normalise over the last axes, which the weights have."""
    if alike(x, gamma, beta):
        return F.layer_norm(x, shape, gamma, beta, eps)
    return _weighed(F.layer_norm(x, shape, None, None, eps), gamma, beta)


def rms_norm(x: Array, shape: Dims, gamma: Array, eps: float) -> Array:
    """Divide by the root of the mean square over the last axes, which gamma has."""
    if alike(x, gamma):
        return torch.rms_norm(x, shape, gamma, eps)
    return _weighed(F.rms_norm(x, shape, None, eps), gamma, None)


def group_norm(x: Array, groups: int, gamma: Array, beta: Array | None, eps: float) -> Array:
    """Normalise batch x channels x ... over ... and the channels of a group; weights are by channel."""
    if x.numel() and alike(x, gamma, beta):
        return _group_norm(x, groups, gamma, beta, eps)
    plain = _group_norm(x, groups, None, None, eps) if x.numel() else x
    return _weighed(plain, *_by_channel(x, gamma, beta))


def _group_norm(
    x: Array, groups: int, gamma: Array | None, beta: Array | None, eps: float
) -> Array:
    try:
        return torch.group_norm(x, groups, gamma, beta, eps)
    except RuntimeError as error:
        # under vmap torch takes dense records for a dense batch, also where they lie apart
        if "is_contiguous" not in str(error):
            raise
        dense = x.clone(memory_format=torch.contiguous_format)
        return torch.group_norm(dense, groups, gamma, beta, eps)


def batch_norm(x: Array, gamma: Array, beta: Array | None, eps: float) -> Array:
    """Normalise batch x channels x ... over all axes but the channels, which the weights have."""
    if x.numel() and alike(x, gamma, beta):
        return torch.batch_norm(x, gamma, beta, None, None, True, 0.0, eps, True)
    plain = torch.batch_norm(x, None, None, None, None, True, 0.0, eps, True) if x.numel() else x
    return _weighed(plain, *_by_channel(x, gamma, beta))


def batch_norm_told(
    x: Array, gamma: Array, beta: Array | None, eps: float
) -> tuple[Array, Array, Array]:
    """Give batch_norm(x), and the means and variances that it was computed with, without gradients."""
    count = x.numel() // max(x.shape[1], 1)
    if count < 2 or not alike(x, gamma, beta):
        places = [i for i in range(x.ndim) if i != 1]
        var, mean = torch.var_mean(x.detach(), places, correction=0)
        return batch_norm(x, gamma, beta, eps), mean, var
    mean, var = (x.detach().new_zeros(x.shape[1]) for _ in range(2))
    y = torch.batch_norm(x, gamma, beta, mean, var, True, 1.0, eps, True)
    return y, mean, var * ((count - 1) / count)


def alike(x: Array, *weights: Array | None) -> bool:
    """Say whether one kernel takes the data and the weights."""
    for w in weights:
        if w is not None and w.dtype != x.dtype:
            return torch.is_autocast_enabled(x.device.type)
    return True


def _by_channel(x: Array, *weights: Array | None) -> list[Array | None]:
    shape = (-1,) + (1,) * (x.ndim - 2)
    return [w if w is None else torch.reshape(w, shape) for w in weights]


def _weighed(x: Array, gamma: Array, beta: Array | None) -> Array:
    return x * gamma if beta is None else x * gamma + beta
