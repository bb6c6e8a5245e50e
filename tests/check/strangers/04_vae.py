"""A variational autoencoder's loss."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, pixel, latent = axes("batch pixel latent")


@formula
def kl(mu: R[batch, latent], logvar: R[batch, latent]) -> R[()]:
    per = -0.5 * nt.sum[latent](1 + logvar - mu * mu - nt.exp(logvar))
    return nt.mean[batch](per)


@formula
def rebuild(x: R[batch, pixel], y: R[batch, pixel]) -> R[()]:
    per = nt.sum[pixel]((x - y) ** 2)
    return nt.mean[pixel](per)  # fault
