"""An MLP mixer: one network over patches, one over channels."""

import namedtensor as nt
from namedtensor import R, axes, formula

patch, chan, hid = axes("patch chan hid")


@formula
def over_patches(X: R[patch], *, W: R[patch, hid], U: R[hid, patch]) -> R[patch]:
    return U @ hid @ nt.gelu(W @ patch @ X)


@formula
def over_chans(X: R[chan], *, W: R[chan, hid], U: R[hid, chan]) -> R[chan]:
    return U @ hid @ nt.gelu(W @ patch @ X)  # fault


@formula
def mixer(X: R[patch, chan], *, a: over_patches, b: over_chans) -> R[patch, chan]:
    X = X + a(nt.standardize[chan](X))
    return X + b(nt.standardize[chan](X))
