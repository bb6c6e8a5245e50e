"""The loss of a diffusion model."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, step, pixel = axes("batch step pixel")


@formula
def noised(x: R[batch, pixel], e: R[batch, pixel], t: R[batch, step]) -> R[batch, pixel]:
    beta = nt.iota(step[100]) * 2e-4
    alpha = nt.exp(nt.cumsum[step](nt.log(1 - beta)))
    a = alpha @ step @ t
    return nt.sqrt(a) * x + nt.sqrt(1 - a) * e


@formula
def loss(guess: R[batch, pixel], e: R[batch, pixel]):
    return nt.mean[batch]((guess - e) ** 2)  # fault
