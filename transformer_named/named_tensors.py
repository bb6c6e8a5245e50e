"""Document 001, Named Tensors: Transformer. A decoder-only Transformer, formula by formula.

| axis | size | what it runs over |
|---|---|---|
| `seq`, `seq'` | n | positions; seq' those that ask, seq those that answer |
| `emb` | d_model | features of a position |
| `hid` | d_ff | hidden units |
| `head` | h | attention heads |
| `key`, `val` | d_k, d_v | features of queries and keys, and of values |
| `vocab` | b | words |
"""

from typing import Any

import namedtensor as nt
from namedtensor import R, axes, formula
from transformer_named.placement import around

seq, emb, hid, key, val, head, vocab = axes("seq emb hid key val head vocab")
seq_ = seq.prime

#: M_{seq'(i), seq(j)} = 0 if j <= i, -inf otherwise.
M = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    """Send every position through two linear maps with a ReLU between them.

        FFN(X; W, b) = W2 ._hid ReLU(W1 ._emb X + b1) + b2

    Source: document 001, FFN.
    Departs: b2 runs over emb. The document declares it over hid, and the result would gain that.
    """
    return W2 @ hid @ nt.relu(W1 @ emb @ X + b1) + b2


@formula
def att(Q: R[key, seq_], K: R[key, seq], V: R[seq, val], M: R[seq, seq_]) -> R[seq_, val]:
    """Average the values by how well their keys answer each query.

        att(Q, K, V, M) = V ._seq softmax_seq(Q ._key K / sqrt(d_k) + M)

    Source: document 001, Masked Attention.
    """
    return V @ seq @ nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + M)


@formula
def MHA(
    X: R[seq, emb],
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
) -> R[seq, emb]:
    """Let every position attend to itself and to those before it, in several heads.

        MHA(X; W) = [WO ._{head, val} att(Q, K, V, M)]_{seq' -> seq}
        Q = WQ ._emb X_{seq -> seq'},  K = WK ._emb X,  V = WV ._emb X

    Source: document 001, Multiheaded Self Attention.
    Departs: val has its own size d_v, as att declares it; the document gives WV and WO val:d_k.
    """
    Q = WQ @ emb @ X[seq >> seq_]
    K = WK @ emb @ X
    V = WV @ emb @ X
    return (WO @ (head, val) @ att(Q, K, V, M))[seq_ >> seq]


@formula
def lnorm(X: R[emb], eps: float = 1e-5, *, gamma: R[emb], beta: R[emb]) -> R[emb]:
    """Bring each position to mean 0 and variance 1, then scale and shift it.

        lnorm(X; gamma, beta) = (X - mean_emb(X)) / sqrt(var_emb(X) + eps) * gamma + beta

    Source: document 001, Layer Norm.
    Departs: emb stands under mean and var; the document writes it under the minus sign.
    """
    return (X - nt.mean[emb](X)) / nt.sqrt(nt.var[emb](X) + eps) * gamma + beta


def P(seq: Any = seq, emb: Any = emb) -> Any:
    """Define the position encoding, kept symbolic until it is added to something.

        P_{emb(i), seq(p)} = sin((p-1) / 10000^((i-1)/d_model))   i odd
                             cos((p-1) / 10000^((i-2)/d_model))   i even

    Source: document 001, Position Encoding.
    Departs: emb for its axis hidden. Counts from 0: the document's p-1 is p, its odd i are even.
    """
    d_model = abs(emb)

    def wave(p: Any, i: Any) -> Any:
        sine = nt.sin(p / 10000 ** (i / d_model))
        cosine = nt.cos(p / 10000 ** ((i - 1) / d_model))
        return nt.where(i % 2 == 0, sine, cosine)

    return nt.define[seq, emb](wave)


@formula
def embed(X: R[seq, vocab], *, E: R[vocab, emb]) -> R[seq, emb]:
    """Look up the embedding of each one-hot word and add where it stands.

        embed(X; E) = (E ._vocab X) sqrt(d_model) + P,  sum_vocab X = 1

    Source: document 001, Position Encoding.
    Departs: E is over vocab and emb; the document's `vocab x v` is read as vocab:b.
    """
    return (E @ vocab @ X) * nt.sqrt(abs(emb)) + P(seq, emb)


@formula
def layer(
    X: R[seq, emb],
    placement: str = "between",
    eps: float = 1e-5,
    *,
    mha: MHA,
    mha_norm: lnorm,
    ffn: FFN,
    ffn_norm: lnorm,
) -> R[seq, emb]:
    """Take one step of the stack: attention, then the network of each position.

        T^l = lnorm(MHA(X^{l-1})) + X^{l-1}
        X^l = lnorm(FFN(T^l)) + T^l

    Source: document 001, Transformer.
    Departs: not by itself. This normalises before it adds (`between`); the published model adds
    first, T = lnorm(X + MHA(X)), and that is `placement="post"`.
    """

    def attend_norm(X: Any) -> Any:
        return mha_norm(X, eps=eps)

    def hidden_norm(X: Any) -> Any:
        return ffn_norm(X, eps=eps)

    T = around(mha, attend_norm, X, placement)
    return around(ffn, hidden_norm, T, placement)


@formula
def output(X: R[emb], *, W: R[vocab, emb]) -> R[vocab]:
    """Turn each position into the probabilities of the next word.

        O = softmax_vocab(W ._emb X^L)

    Source: document 001, Transformer.
    Departs: the document contracts over vocab, which X^L lacks, puts emb below X^L, gives softmax
    no axis and never declares W. Here W is in R^{vocab, emb} and the contraction is over emb.
    """
    return nt.softmax[vocab](W @ emb @ X)


@formula
def transformer(
    I: R[seq, vocab],
    placement: str = "between",
    eps: float = 1e-5,
    *,
    embed: embed,
    layers: nt.each[layer],
    norm: lnorm = None,
    output: output,
) -> R[seq, vocab]:
    """Give the probabilities of every next word, from the words before it.

        X^0 = embed(I);  X^l = layer(X^{l-1}), l = 1 ... L;  O = output(X^L)

    Source: document 001, Transformer.
    Departs: the parameters that the document leaves out follow the star. It writes `sum_vocab X = 1`
    where `sum_vocab I = 1` is meant. `norm` comes last where a placement leaves the sum unnormalised.
    """
    X = embed(I)
    for layer in layers:
        X = layer(X, placement=placement, eps=eps)
    return output(X if norm is None else norm(X, eps=eps))
