"""Images and texts that belong together."""

import namedtensor as nt
from namedtensor import R, axes, formula

image, text, emb = axes("image text emb")


@formula
def clip(I: R[image, emb], T: R[text, emb], temperature: float = 0.07) -> R[image, text]:
    I = I / nt.norm[emb](I)
    T = T / nt.norm[text](T)  # fault
    return I @ emb @ T / temperature
