"""Document 004, Transformer: a brief introduction. From similarity to attention.

| axis | size | what it runs over |
|---|---|---|
| `cls` | K | classes |
| `seq` | N | tokens; `seq'` those that give the queries |
| `emb` | D | features of a token |
| `key` | M | features of Q, K and V |
| `hid` | | features of an encoder's output Y; `hid'` those before |
| `kernel` | 3 | places in a convolution's window |
"""

import namedtensor as nt
from namedtensor import R, axes, formula
from transformer_named.choice import chosen

cls, seq, emb, key, hid, kernel = axes("cls seq emb key hid kernel")
seq_, hid_ = seq.prime, hid.prime


@formula
def softmax(z: R[cls]) -> R[cls]:
    """Turn K numbers into K probabilities, each proportional to the exponential of its input.

        sigma(z)_i = exp(z_i) / sum_{j=1}^K exp(z_j)

    Source: document 004, Softmax function.
    """
    return nt.exp(z) / nt.sum[cls](nt.exp(z))


@formula
def RNN_cell(Y: R[hid], X: R[emb], *, W: R[emb, hid], U: R[hid, hid_]) -> R[hid]:
    """Take one step of a recurrent network.

        Y_i = tanh(X_i ._emb W + (Y_{i-1} ._hid U)_{hid' -> hid})

    Source: document 004, RNN.
    """
    return nt.tanh(X @ emb @ W + (Y @ hid @ U)[hid_ >> hid])


@formula
def RNN(X: R[seq, emb], Y0: R[hid], *, W: R[emb, hid], U: R[hid, hid_]) -> R[seq, hid]:
    """Encode one token after the other.

        Y_0 -> Y_1 -> ... -> Y_N,  Y_i = RNN_cell(Y_{i-1}, X_i)

    Source: document 004, RNN.
    """
    return nt.scan[seq](lambda Y, X: RNN_cell(Y, X, W=W, U=U), Y0, X)


@formula
def CNN(X: R[seq, emb], *, W: R[kernel, emb, hid], b: R[hid]) -> R[seq, hid]:
    """Encode all tokens at once, each with its two neighbours.

        Y_i = ReLU((X_{i-1}, X_i, X_{i+1}) ._{kernel, emb} W + b),  X_0 = X_{N+1} = pad = 0

    Source: document 004, CNN. f is ReLU, the document's example.
    """
    windows = nt.unroll[seq, kernel[3]](nt.pad[seq](X, 1, 1))
    return nt.relu(windows @ (kernel, emb) @ W + b)


@formula
def cosine(X: R[emb], Y: R[emb]) -> R:
    """Measure how far two tokens point the same way.

        sim(X_i, X_j) = X_i ._emb X_j / (||X_i|| ||X_j||)

    Source: document 004, Attention score versus similarity.
    """
    return X @ emb @ Y / (nt.norm[emb](X) * nt.norm[emb](Y))


@formula
def normalized(s: R[seq]) -> R[seq]:
    """Divide scores by their sum; without softmax.

        score(Q_i, K_j) / sum_{j=1}^N score(Q_i, K_j)

    Source: document 004, Attention weights: normalized attention score. Scores may be negative, and
    so may these weights; a sum of 0 gives inf.
    """
    return s / nt.sum[seq](s)


@formula
def similarity_attention(X: R[seq, emb]) -> R[seq, emb]:
    """Average all tokens by their similarity to each; no parameters, no softmax.

        A(X_i) = sum_{j=1}^N sim(X_i, X_j) X_j / sum_{j=1}^N sim(X_i, X_j)

    Source: document 004, Transformer, with the cosine of Attention score versus similarity.
    """
    sim = cosine(X[seq >> seq_], X)
    return (normalized(sim) @ seq @ X)[seq_ >> seq]


@formula
def score(Q: R[key], K: R[key]) -> R:
    """Score a key against a query.

        score(Q_i, K_j) = Q_i ._key K_j / sqrt(M)

    Source: document 004, Single-head Attention formalization.
    """
    return Q @ key @ K / nt.sqrt(abs(key))


@formula
def attention_weights(Q: R[key], K: R[seq, key]) -> R[seq]:
    """Turn a query's scores into weights.

        alpha_{ij} = exp(score(Q_i, K_j)) / sum_{l=1}^N exp(score(Q_i, K_l))

    Source: document 004, Attention weights.
    """
    return nt.softmax[seq](score(Q, K))


@formula
def Attention(
    Q: R[seq_, key], K: R[seq, key], V: R[seq, key], form: str = "weights"
) -> R[seq_, key]:
    """Sum the values by their weights.

        weights:     A(X_i) = sum_{j=1}^N alpha_{ij} V_j = Softmax_seq(Q ._key K / sqrt(M)) ._seq V
        normalized:  A(X_i) = sum_{j=1}^N score(Q_i, K_j) V_j / sum_{l=1}^N score(Q_i, K_l)

    Source: document 004, Single-head Attention (weights) and its "final form" (normalized).
    Departs: the document's summary calls the normalized form scaled dot-product attention; the
    published one is that of weights.
    """
    chosen("form", form, ("weights", "normalized"))
    alpha = attention_weights(Q, K) if form == "weights" else normalized(score(Q, K))
    return alpha @ seq @ V


@formula
def self_attention(
    X: R[seq, emb], form: str = "weights", *, WQ: R[emb, key], WK: R[emb, key], WV: R[emb, key]
) -> R[seq, key]:
    """Let the tokens attend to each other.

        A(X) = Attention(Q, K, V),  Q = X ._emb WQ,  K = X ._emb WK,  V = X ._emb WV

    Source: document 004, Single-head Attention formalization. `form` is Attention's.
    """
    Q, K, V = X[seq >> seq_] @ emb @ WQ, X @ emb @ WK, X @ emb @ WV
    return Attention(Q, K, V, form=form)[seq_ >> seq]
