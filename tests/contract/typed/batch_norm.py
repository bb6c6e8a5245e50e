"""Batch normalisation with running means, as a user writes it."""

import torch

import namedtensor as nt
from namedtensor import NamedTensor, R, axes, formula

batch, chans, height, width = axes("batch chans height width")
kh, kw = axes("kh kw")
chans_ = chans.prime


@formula
def batch_norm(
    X: R[batch, chans],
    *,
    gamma: R[chans],
    beta: R[chans],
    mean: nt.State[R[chans]],
    var: nt.State[R[chans]],
    rate: float = 0.1,
) -> R[batch, chans]:
    """Standardize over the batch in training, by running values afterwards."""
    if nt.training():
        m, v = nt.mean[batch](X), nt.var[batch](X)
        new = (1 - rate) * mean + rate * m
        Y = gamma * (X - m) / nt.sqrt(v + 1e-5) + beta
        return Y, nt.update(mean=new, var=(1 - rate) * var + rate * v)
    return gamma * (X - mean) / nt.sqrt(var + 1e-5) + beta, nt.update()


@formula
def conv(
    X: R[chans, height, width], *, W: R[chans, chans_, kh, kw], b: "R[chans_]"
) -> "R[chans_, height, width]":
    """Convolve with a padded window."""
    U = nt.unroll[(height, kh), (width, kw)](X, padding="same")
    return W @ (chans, kh, kw) @ U + b


@formula
def block(
    X: R[batch, chans, height, width], *, conv: nt.one[conv], bn: nt.one[batch_norm]
) -> R[batch, chans, height, width]:
    """Convolution, normalisation, relu, and a residual connection."""
    Y = conv(X)[chans_ >> chans]
    Y = bn(Y[(batch, height, width) >> batch])
    Y = Y[batch >> (batch[abs(batch)], height[abs(height)], width[abs(width)])]
    return X + nt.relu(Y)


def track(X: NamedTensor, m: NamedTensor) -> tuple[NamedTensor, NamedTensor]:
    """Call without a module: the new states come beside the result."""
    ones = nt.ones(chans[3])
    Y, new = batch_norm(X, gamma=ones, beta=nt.zeros(chans[3]), mean=m, var=ones)
    return Y, new["mean"]


def main() -> None:
    Y, m = track(nt.normal(batch[5], chans[3]), nt.zeros(chans[3]))
    print(Y.shape, m.numpy())
    norm = batch_norm.module(chans[3])
    X = nt.tensor(torch.randn(5, 3), batch, chans)
    Z = norm(X)
    norm.eval()
    print(Z.torch(batch, chans).mean(), norm(X).shape)
    optimizer = torch.optim.SGD(norm.parameters(), lr=0.1)
    nt.sum[...](Z * Z).backward()
    optimizer.step()


if __name__ == "__main__":
    main()
