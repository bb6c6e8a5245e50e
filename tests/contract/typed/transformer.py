"""A Transformer's decoder with stacks of layers and a lifted module, as a user writes it."""

from typing import Literal

import torch

import namedtensor as nt
from namedtensor import NamedTensor, R, Z, axes, formula

batch, seq, emb, head, key, val, hid, vocab = axes("batch seq emb head key val hid vocab")
seq_ = seq.prime

causal = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def attention(
    Q: R[head, key, seq_], K: R[head, key, seq], V: R[head, val, seq], M: R[seq_, seq] = None
) -> R[head, val, seq_]:
    """Attention, with a mask or without."""
    S = Q @ key @ K / nt.sqrt(abs(key))
    if M is not None:
        S = S + M
    return V @ seq @ nt.softmax[seq](S)


@formula
def norm(X: R[emb], *, gamma: R[emb]) -> R[emb]:
    """Divide by the root of the mean square."""
    return X / nt.sqrt(nt.mean[emb](X * X) + 1e-6) * gamma


@formula
def block(
    X: R[seq, emb],
    *,
    before: nt.one[norm],
    WQ: R[head, key, emb],
    WK: R[head, key, emb],
    WV: R[head, val, emb],
    WO: R[head, val, emb],
    between: nt.one[norm],
    W1: R[emb, hid],
    W2: R[hid, emb],
    activation: Literal["relu", "silu"] = "relu",
) -> R[seq, emb]:
    """Masked self-attention and a feed-forward network."""
    Y = before(X)
    heads = attention(WQ @ emb @ Y[seq >> seq_], WK @ emb @ Y, WV @ emb @ Y, causal)
    X = X + (WO @ (head, val) @ heads)[seq_ >> seq]
    H = W1 @ emb @ between(X)
    H = nt.relu(H) if activation == "relu" else nt.silu(H)
    return X + W2 @ hid @ nt.dropout(H, 0.1)


@formula
def decoder(
    I: Z[seq],
    *,
    E: R[vocab, emb],
    first: nt.each[block],
    rest: nt.each[block, "stacked"],  # type: ignore[name-defined]
    mix: nt.lift["emb -> emb"],
    p: float = 0.0,
) -> R[seq, vocab]:
    """Scores of the next word."""
    X = E[vocab(I)]
    for layer in first:
        X = layer(X)
    X = mix(rest(X))
    return E @ emb @ nt.dropout(X, p)


def step(model: nt.Module[NamedTensor], I: NamedTensor, J: NamedTensor) -> float:
    """Train one step and give the loss."""
    scores = model(I)
    loss = -nt.mean[...](nt.log_softmax[vocab](scores) @ vocab @ nt.one_hot(J, vocab[11]))
    loss.backward()
    return float(loss)


def main() -> None:
    sizes = "emb[8] head[2] key[4] val[4] hid[16] vocab[11]"
    model = decoder.module(sizes, first=2, rest=2, mix=torch.nn.Linear(8, 8))
    I = nt.randint(0, 11, batch[2], seq[5], backend="torch")
    print(step(model, I, I), model.shape("batch[2] seq[5]"), len(list(model.parameters())))
    layer = block.module("emb[8] head[2] key[4] val[4] hid[16]", activation="silu")
    X = nt.normal("batch[2] seq[5] emb[8]", backend="torch")
    Y: NamedTensor = layer(X)
    print(Y.rearrange("batch seq emb -> (batch seq) emb").shape, nt.steps(layer, X).rows[0].text)
    compiled = torch.compile(model, backend="eager")
    print(compiled(I).shape)


if __name__ == "__main__":
    main()
