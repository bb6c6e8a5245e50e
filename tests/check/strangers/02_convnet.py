"""A small convolutional classifier."""

import namedtensor as nt
from namedtensor import R, axes, formula

height, width, chan, out, kh, kw, label = axes("height width chan out kh kw label")


@formula
def conv(
    img: R[chan, height, width], *, w: R[out, chan, kh, kw], b: R[out]
) -> R[out, height, width]:
    patches = nt.unroll[(height, kh), (width, kw)](img, padding="same")
    return w @ (chan, kh, kw) @ patches + b


@formula
def classify(img: R[chan, height, width], *, c: conv, w: R[label, out], b: R[label]) -> R[label]:
    features = nt.relu(c(img))
    pooled = nt.mean[height](features)  # fault
    return nt.softmax[label](w @ out @ pooled + b)
