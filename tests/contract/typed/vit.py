"""A Vision Transformer, as a user writes it."""

import namedtensor as nt
from namedtensor import R, axes, formula

batch, height, width, chans, rows, cols, patch = axes("batch height width chans rows cols patch")
seq, emb, head, key, val, hid, classes = axes("seq emb head key val hid classes")
seq_ = seq.prime


@formula
def patches(X: R[height, width, chans], *, size: int = 4) -> R[seq, patch]:
    """Cut an image into squares, each a vector."""
    X = X[height >> (rows, height[size]), width >> (cols, width[size])]
    return X[(rows, cols) >> seq, (height, width, chans) >> patch]


@formula
def att(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    """Attention."""
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)))


@formula
def MHA(
    X: R[seq, emb],
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
) -> R[seq, emb]:
    """Multi-head self-attention."""
    Y = att(WQ @ emb @ X[seq >> seq_], WK @ emb @ X, WV @ emb @ X)
    return (WO @ (head, val) @ Y)[seq_ >> seq]


@formula
def FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    """Feed-forward network."""
    return W2 @ hid @ nt.gelu(W1 @ emb @ X + b1) + b2


@formula
def norm(X: R[emb], *, gamma: R[emb], beta: R[emb]) -> R[emb]:
    """Layer normalisation."""
    return nt.standardize[emb](X) * gamma + beta


@formula
def layer(
    X: R[seq, emb], *, a: nt.one[norm], mha: nt.one[MHA], b: nt.one[norm], ffn: nt.one[FFN]
) -> R[seq, emb]:
    """One layer, normalised first."""
    X = X + mha(a(X))
    return X + ffn(b(X))


@formula
def ViT(
    X: R[height, width, chans],
    *,
    E: R[patch, emb],
    P: R[seq, emb],
    layers: nt.each[layer],
    last: nt.one[norm],
    W: R[emb, classes],
    c: R[classes],
    p: float = 0.1,
) -> R[classes]:
    """Class scores of an image."""
    Y = nt.dropout(E @ patch @ patches(X) + P, p)
    for one in layers:
        Y = one(Y)
    return W @ emb @ nt.mean[seq](last(Y)) + c


def make(depth: int) -> nt.Module[nt.NamedTensor]:
    """Make a model for images of 8 x 8."""
    return ViT.module(
        *(patch[48], seq[4], emb[16], head[2], key[8], val[8], hid[32], classes[5]), layers=depth
    )


def main() -> None:
    model = make(2)
    X = nt.normal(batch[3], height[8], width[8], chans[3], backend="torch")
    scores = model(X)
    target = nt.randint(0, 5, batch[3], backend="torch")
    loss = -nt.mean[batch](nt.log_softmax[classes](scores)[classes(target)])
    loss.backward()
    print(float(loss), scores.shape, model.axes["layers.0.mha.WQ"])
    print(ViT.latex(), nt.explain(model, X), nt.summary(model))


if __name__ == "__main__":
    main()
