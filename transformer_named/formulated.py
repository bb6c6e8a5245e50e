"""Document 000, The Formulated Transformer: its modules; `forward_pass` puts them together.

| axis | size | what it runs over |
|---|---|---|
| `seq` | n (p in Attention) | positions of the input x; those that answer |
| `seq'` | m (n in Attention) | positions of the output y; those that ask |
| `emb` | d_model | features of a position |
| `hid` | d_ff | hidden units |
| `head` | h | attention heads |
| `key`, `val` | d_k, d_v | features of queries and keys, and of values |
| `concat` | h d_v | the heads' values, one head after the other |
| `vocab` | s | symbols |

Where the document and the published model differ, `form` chooses: "literal" is the document,
"published" is Attention Is All You Need.
"""

from typing import Any

import namedtensor as nt
from namedtensor import R, axes, formula
from transformer_named.choice import FORMS, chosen

seq, emb, hid, head, key, val, concat, vocab = axes("seq emb hid head key val concat vocab")
seq_ = seq.prime


def OneHot(x: Any, s: Any = vocab) -> Any:
    """Encode each symbol as a 1 among zeros.

        OneHot(x)_{seq(i), vocab(j)} = 1 if j = x_i, 0 otherwise

    Source: document 000, One-Hot Encoding.
    Departs: its second axis is vocab, of size s; the document declares d_model. Outside a formula
    give the size, OneHot(x, vocab[s]).
    """
    return nt.one_hot(x, s)


@formula
def Softmax(X: R[vocab]) -> R[vocab]:
    """Turn scores into probabilities.

        Softmax(X)_j = e^{X_j} / sum_k e^{X_k}

    Source: document 000, Softmax.
    Departs: its axis is vocab, where the output uses it; the document declares d_model. Attention
    takes the same function along seq.
    """
    return nt.softmax[vocab](X)


@formula
def Attention(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    """Average the values by the scaled product of query and key.

        Attention(Q, K, V) = Softmax_seq(Q ._key K / sqrt(d_k)) ._seq V

    Source: document 000, Scaled Dot-Product Attention.
    """
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key))) @ seq @ V


#: Where a position lies in the future: j > i at seq'(i), seq(j).
future = nt.define[seq_, seq](lambda i, j: j > i)


@formula
def Mask(X: R[seq_, seq]) -> R[seq_, seq]:
    """Close the future to every position.

        Mask(X)_{seq'(i), seq(j)} = -inf if j > i, X_{seq'(i), seq(j)} otherwise

    Source: document 000, Autoregressive Attention Mask.
    """
    return nt.where(future, -nt.inf, X)


@formula
def MaskedAttention(
    Q: R[seq_, key], K: R[seq, key], V: R[seq, val], form: str = "literal"
) -> R[seq_, val]:
    """Average the values of this position and those before it.

        literal:    Softmax_seq(Mask(Q ._key K) / sqrt(d_k)) ._seq V
        published:  Softmax_seq(Mask(Q ._key K / sqrt(d_k))) ._seq V

    Source: document 000, Masked Scaled Dot-Product Attention.
    Departs: the literal form masks and then scales, the published one scales and then masks. Both
    give the same numbers.
    """
    if chosen("form", form, FORMS) == "literal":
        S = Mask(Q @ key @ K) / nt.sqrt(abs(key))
    else:
        S = Mask(Q @ key @ K / nt.sqrt(abs(key)))
    return nt.softmax[seq](S) @ seq @ V


@formula
def Concat(X: R[head, seq, val]) -> R[seq, concat]:
    """Lay the heads' values one after the other.

        Concat(X_1, ..., X_h)_{seq, (k-1) d_v + 1 : k d_v} = X_k,  X_k = X_{head(k)}

    Source: document 000, Concatenation.
    """
    return X[(head, val) >> concat]


@formula
def MultiHead(
    Q: R[seq_, emb],
    K: R[seq, emb],
    V: R[seq, emb],
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
) -> R[seq_, emb]:
    """Attend in several heads, each to its own projection.

        MultiHead(Q, K, V) = head ._{head, val} WO
        head = Attention(Q ._emb WQ, K ._emb WK, V ._emb WV)

    Source: document 000, Multi-Head Attention.
    Departs: Concat(head_1, ..., head_h) WO is written as one contraction over head and val; WO
    keeps those two axes where the document has h d_v rows.
    """
    heads = Attention(Q @ emb @ WQ, K @ emb @ WK, V @ emb @ WV)
    return heads @ (head, val) @ WO


@formula
def MaskedMultiHead(
    Q: R[seq_, emb],
    K: R[seq, emb],
    V: R[seq, emb],
    form: str = "literal",
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
) -> R[seq_, emb]:
    """Attend in several heads, never to the future.

        MaskedMultiHead(Q, K, V) = head ._{head, val} WO
        head = MaskedAttention(Q ._emb WQ, K ._emb WK, V ._emb WV)

    Source: document 000, Masked Multi-Head Attention.
    Departs: as MultiHead does; `form` is MaskedAttention's.
    """
    heads = MaskedAttention(Q @ emb @ WQ, K @ emb @ WK, V @ emb @ WV, form=form)
    return heads @ (head, val) @ WO


@formula
def FFN(X: R[emb], *, W1: R[emb, hid], b1: R[hid], W2: R[hid, emb], b2: R[emb]) -> R[emb]:
    """Send every position through two linear maps with max(0, .) between them.

        FFN(X) = max(0, X ._emb W1 + b1) ._hid W2 + b2

    Source: document 000, Position-wise Feed-Forward Network (FFNet in its forward pass).
    """
    return nt.maximum(0.0, X @ emb @ W1 + b1) @ hid @ W2 + b2


@formula
def LayerNorm(X: R[emb], eps: float = 1e-5, *, gamma: R[emb], beta: R[emb]) -> R[emb]:
    """Bring each position to mean 0 and variance 1, then scale and shift it.

        LayerNorm(X) = gamma * (X - mu) / sqrt(sigma^2 + eps) + beta
        mu = 1/|emb| sum_emb X,  sigma^2 = 1/|emb| sum_emb (X - mu)^2

    Source: document 000, Layer normalization. It leaves eps open.
    """
    mu = nt.mean[emb](X)
    sigma2 = nt.mean[emb]((X - mu) ** 2)
    return gamma * ((X - mu) / nt.sqrt(sigma2 + eps)) + beta


@formula
def CrossEntropy(y: R[vocab], yhat: R[vocab]) -> R:
    """Measure how little the truth y expected the prediction yhat.

        CrossEntropy(y, yhat) = -sum_vocab y * log(yhat)

    Source: document 000, Cross Entropy.
    A yhat of exactly 0 gives nan even where y is 0; `forward_pass.loss` avoids it.
    """
    return -(y @ vocab @ nt.log(yhat))


@formula
def scores(Y: R[emb], *, We: R[vocab, emb]) -> R[vocab]:
    """Score every symbol against the decoder's output, by the embeddings themselves.

        Y_N ._emb We

    Source: document 000, Forward pass, Output.
    """
    return Y @ emb @ We
