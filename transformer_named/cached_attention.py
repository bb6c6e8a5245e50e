"""Multi-head attention, split into the steps that decoding runs separately.

Keys and values of earlier tokens do not change when a token is added, so they are projected once and kept:

    MultiHead(Q, K, V, M) = recall(Q, keys(K), values(V), M)

| axis | what it runs over |
|---|---|
| `seq` | places that give keys and values |
| `emb` | features of a place |
| `head` | attention heads |
| `key`, `val` | features of queries and keys, and of values |
"""

import namedtensor as nt
from namedtensor import R, axes, formula
from transformer_named.the_transformer import Attention

seq, emb, head, key, val = axes("seq emb head key val")


@formula
def keys(K: R[emb], *, WK: R[head, emb, key]) -> R[head, key]:
    """Project places to their keys, K ._emb WK (document 002, Multi-Head Attention)."""
    return K @ emb @ WK


@formula
def values(V: R[emb], *, WV: R[head, emb, val]) -> R[head, val]:
    """Project places to their values, V ._emb WV (document 002, Multi-Head Attention)."""
    return V @ emb @ WV


@formula
def recall(
    Q: R[emb],
    K: R[head, seq, key],
    V: R[head, seq, val],
    M: R[seq] = None,
    *,
    WQ: R[head, emb, key],
    WO: R[head, val, emb],
) -> R[emb]:
    """Attend to keys and values that are already projected.

        recall(Q, K, V, M) = Attention(Q ._emb WQ, K, V, M) ._{head, val} WO

    Source: document 002, Multi-Head Attention.
    """
    return Attention(Q @ emb @ WQ, K, V, M) @ (head, val) @ WO


@formula
def weights(
    Q: R[emb],
    K: R[seq, emb],
    M: R[seq] = None,
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
) -> R[head, seq]:
    """Show how much each head of a query looks at each place.

        softmax_seq((Q ._emb WQ) ._key (K ._emb WK) / sqrt(d_k) + M)

    Source: document 002, Attention and Multi-Head Attention.
    """
    compatibility = (Q @ emb @ WQ) @ key @ (K @ emb @ WK) / nt.sqrt(abs(key))
    if M is not None:
        compatibility = compatibility + M
    return nt.softmax[seq](compatibility)
