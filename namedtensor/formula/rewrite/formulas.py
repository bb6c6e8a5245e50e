"""What each rule looks for, as a function in our own language; the engine makes formulas of them.

Rules know the same formula in another order, under other names and with further axes too.
"""

# mypy: disable-error-code="valid-type, misc, name-defined"
from __future__ import annotations

from math import inf
from typing import Any

from namedtensor.axes import axes
from namedtensor.formula.signature import R, Z
from namedtensor.operations.elementwise import exp, log, maximum, sigmoid, sqrt, tanh, where
from namedtensor.operations.elementwise import relu as rectified
from namedtensor.operations.index_defined import eye, one_hot
from namedtensor.operations.recurrence import scan
from namedtensor.operations.reductions import max as greatest
from namedtensor.operations.reductions import mean, var
from namedtensor.operations.reductions import sum as total
from namedtensor.operations.vectors import dropout, log_softmax, standardize
from namedtensor.operations.vectors import softmax as weights
from namedtensor.operations.windows import overlap_add, unroll

seq, key, val, emb, hid, vocab, chans, kernel, out = axes(
    "seq key val emb hid vocab chans kernel out"
)
seq_, hid_ = seq.prime, hid.prime


# ---------------------------------------------------------------------------------- plainer forms


def softmax(X: R[emb]) -> R[emb]:
    return exp(X) / total[emb](exp(X))


def log_of_softmax(X: R[emb]) -> R[emb]:
    return log(weights[emb](X))


def logsumexp(X: R[emb]) -> R:
    return log(total[emb](exp(X)))


def identity(X: R[seq]) -> R[seq_]:
    return eye(seq[abs(seq)], seq_[abs(seq)]) @ seq @ X


def lookup(E: R[vocab, emb], I: Z) -> R[emb]:
    return E @ vocab @ one_hot(I, vocab)


def variance(X: R[emb]) -> R:
    return mean[emb]((X - mean[emb](X)) ** 2)


def relu(X: R) -> R:
    return maximum(0, X)


def standardized(X: R[emb], eps: float = 1e-5) -> R[emb]:
    return (X - mean[emb](X)) / sqrt(var[emb](X) + eps)


# ----------------------------------------------------------------------------------------- kernels


def attention(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq_, seq]) -> R[seq_, val]:
    return V @ seq @ weights[seq](Q @ key @ K / sqrt(abs(key)) + M)


def cross_entropy(X: R[vocab], y: Z) -> R:
    return -log_softmax[vocab](X) @ vocab @ one_hot(y, vocab)


def layer_norm(X: R[emb], gamma: R[emb], beta: R[emb]) -> R[emb]:
    return standardize[emb](X) * gamma + beta


def channel_norm(X: R[chans, seq], gamma: R[chans], beta: R[chans]) -> R[chans, seq]:
    return standardize[seq](X) * gamma + beta


def group_norm(X: R[chans, seq], gamma: R[chans], beta: R[chans]) -> R[chans, seq]:
    groups = X[chans >> (out[1], chans)]
    return standardize[chans, seq](groups)[(out, chans) >> chans] * gamma + beta


def rms_norm(X: R[emb], gamma: R[emb], eps: float = 1e-6) -> R[emb]:
    return X / sqrt(mean[emb](X * X) + eps) * gamma


def convolution(X: R[chans, seq], W: R[out, chans, kernel], b: R[out]) -> R[out, seq]:
    return W @ (chans, kernel) @ unroll[seq, kernel](X, stride=2, padding=1) + b


def transposed_convolution(X: R[chans, seq], W: R[chans, out, kernel], b: R[out]) -> R[out, seq]:
    return overlap_add[seq, kernel](W @ chans @ X, stride=2) + b


def pooling(X: R[emb]) -> R[emb]:
    return greatest[kernel](unroll[emb, kernel[2]](X, stride=2, padding=1, value=-inf))


def lstm(
    X: R[seq, emb], h: R[hid], c: R[hid], W: R[key, emb, hid], U: R[key, hid, hid_], b: R[key, hid]
) -> R[seq, hid]:
    def step(state: Any, x: Any) -> Any:
        h, c = state
        gates = W @ emb @ x + (U @ hid @ h)[hid_ >> hid] + b
        i, f, g, o = [gates[key(k)] for k in range(4)]
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return sigmoid(o) * tanh(c), c

    H, _ = scan[seq](step, (h, c), X)
    return H


def gru(
    X: R[seq, emb],
    h: R[hid],
    W: R[chans, emb, hid],
    U: R[chans, hid, hid_],
    b: R[chans, hid],
    a: R[hid],
) -> R[seq, hid]:
    def step(h: Any, x: Any) -> Any:
        x, u = W @ emb @ x + b, (U @ hid @ h)[hid_ >> hid]
        r, z = [sigmoid(x[chans(k)] + u[chans(k)]) for k in range(2)]
        n = tanh(x[chans(2)] + r * (u[chans(2)] + a))
        return (1 - z) * n + z * h

    return scan[seq](step, h, X)


def accumulated(X: R[seq, emb], h: R[emb], A: R[emb], B: R[emb]) -> R[seq, emb]:
    return scan[seq](lambda h, x: A * h + B * x, h, X)


def dropped(X: R[emb]) -> R[emb]:
    return dropout(X, 0.5)


def relu_gradient(X: R[emb], Y: R[emb]) -> R[emb]:
    return where(X > 0, rectified(X) * Y, 0.0)


def linear(X: R[emb], W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


def chain(A: R[emb, hid], B: R[hid, vocab], C: R[vocab]) -> R[emb]:
    return A @ hid @ B @ vocab @ C
