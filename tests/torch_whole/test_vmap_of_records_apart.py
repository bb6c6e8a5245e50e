"""Records of torch.func.vmap may lie apart in memory, each of them dense."""

import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close

batch, chans, width = axes("batch chans width")


@formula
def normed(X: R[batch, chans, width], gamma: R[chans]) -> R[batch, chans, width]:
    return nt.standardize[width](X) * gamma


def test_groups_are_normed() -> None:
    every = torch.randn(6, 1, 4, 3)
    gamma = nt.tensor(torch.randn(4), chans)
    assert "group_norm" in normed.code(nt.tensor(every[0], batch, chans, width), gamma)
    for x in (every[::2], every[:, :, :, ::3], every.transpose(0, 1)[:, ::2].transpose(0, 1)):
        found = torch.func.vmap(
            lambda a: normed(nt.tensor(a, batch, chans, width), gamma).torch(batch, chans, width)
        )(x)
        for a, y in zip(x, found, strict=True):
            assert_close(
                nt.tensor(y, batch, chans, width), normed(nt.tensor(a, batch, chans, width), gamma)
            )
