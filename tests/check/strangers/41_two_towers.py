"""CLIP's loss: similarities normalised both ways, one direction over the wrong axis."""

import namedtensor as nt
from namedtensor import R, axes, formula

image, text, emb = axes("image text emb")


@formula
def clip(I: R[image, emb], T: R[text, emb], t: R[()]) -> R[image, text]:
    a = I / nt.norm[emb](I)
    b = T / nt.norm[text](T)  # fault
    return nt.exp(t) * (a @ emb @ b)
