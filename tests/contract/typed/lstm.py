"""An LSTM over a sequence, as a user writes it; annotations are text."""

from __future__ import annotations

from typing import Literal

import namedtensor as nt
from namedtensor import R, Z, axes, formula

batch, seq, emb, hid, vocab = axes("batch seq emb hid vocab")
hid_ = hid.prime


@formula
def gate(x: R[emb], h: R[hid], *, U: R[emb, hid_], W: R[hid, hid_], b: R[hid_] = None) -> R[hid_]:
    """What a gate's non-linearity is applied to; the bias may be left out."""
    Y = U @ emb @ x + W @ hid @ h
    return Y if b is None else Y + b


@formula
def cell(
    x: R[emb],
    h: R[hid],
    c: R[hid],
    *,
    i: nt.one[gate],
    f: nt.one[gate],
    g: nt.one[gate],
    o: nt.one[gate],
) -> tuple[R[hid], R[hid]]:
    """One step of an LSTM: the next output and memory."""
    memory = nt.sigmoid(f(x, h))[hid_ >> hid] * c
    memory = memory + (nt.sigmoid(i(x, h)) * nt.tanh(g(x, h)))[hid_ >> hid]
    return nt.sigmoid(o(x, h))[hid_ >> hid] * nt.tanh(memory), memory


@formula
def LSTM(
    X: R[seq, emb],
    *,
    cell: nt.one[cell],
    h0: R[hid],
    c0: R[hid],
    gives: Literal["all", "last"] = "all",
) -> R[seq, hid]:
    """Run the cell along the sequence."""
    H, _ = nt.scan[seq](lambda carry, x: cell(x, *carry), (h0, c0), X)
    if gives == "last":
        return H[seq[-1:]]
    return H


@formula
def model(
    I: Z[seq], *, E: R[vocab, emb], lstm: nt.one[LSTM], O: R[hid, vocab], t: R | float = 1.0
) -> R[seq, vocab]:
    """Scores of the next word."""
    return O @ hid @ lstm(E[vocab(I)]) / t


@formula
def loss(I: Z[seq], J: Z[seq], *, m: nt.one[model]) -> R:
    """Cross entropy of the next words."""
    P = nt.log_softmax[vocab](m(I))
    return -nt.mean[seq](P @ vocab @ nt.one_hot(J, vocab[11]))


def main() -> None:
    sizes = (emb[8], hid[6], hid_[6], vocab[11])
    module = loss.module(*sizes)
    I = nt.randint(0, 11, batch[2], seq[5], backend="torch")
    J = nt.randint(0, 11, batch[2], seq[5], backend="torch")
    total = nt.sum[batch](module(I, J))
    total.backward()

    state = {"h0": nt.zeros(hid[6]), "c0": nt.zeros(hid[6])}
    x = nt.normal(emb[8])
    g = gate(x, state["h0"], U=nt.normal(emb[8], hid_[6]), W=nt.normal(hid[6], hid_[6]))
    print(g.shape, g.numpy("hid'"), total.item())
    last = nt.fold[seq](lambda h, y: 0.5 * h + y, nt.zeros(emb[8]), nt.ones(seq[3], emb[8]))
    print(nt.max[emb](last), nt.argmax_index[emb](last))


if __name__ == "__main__":
    main()
