"""The layers of an encoder-decoder that translates: padding, dropout, and one token at a time.

| axis | what it runs over |
|---|---|
| `src` | places of the source x |
| `seq` | places of the target y |
| `emb` | features of a place |
| `hid` | hidden units |
| `head` | attention heads |
| `depth` | layers |
| `key`, `val` | features of queries and keys, and of values |
| `vocab` | ids of the source, or of the target |

The sub-layers are those of documents 000 and 002. All layers add to them the dropout of each sub-layer's
result, with chance p (Attention Is All You Need, section 5.4).
"""

from collections.abc import Callable, Sequence
from typing import Any

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from transformer_named.cached_attention import keys, recall, values, weights
from transformer_named.decoding.cache import depth, keep
from transformer_named.formulated import FFN, LayerNorm
from transformer_named.placement import around
from transformer_named.the_transformer import PE, MultiHead, past

src, seq, emb, hid, head, key, val, vocab = axes("src seq emb hid head key val vocab")
seq_ = seq.prime

Function = Callable[..., Any]


@formula
def EmbedAt(x: Z, P: R[emb], p: float = 0.0, *, We: R[vocab, emb]) -> R[emb]:
    """Look up the embedding of an id, and add where it stands.

        EmbedAt(x, P) = dropout(We_{vocab(x)} sqrt(d_model) + P)

    Source: document 000, Forward pass, Embedding; document 001, embed.
    Departs: 000 has no factor sqrt(d_model), which is in Attention Is All You Need, section 3.4; and
    it multiplies by a one-hot vector, which gives the same as the index.
    """
    return nt.dropout(We[vocab(x)] * nt.sqrt(abs(emb)) + P, p)


@formula
def Embed(x: Z[seq], p: float = 0.0, *, We: R[vocab, emb]) -> R[seq, emb]:
    """Look up the embedding of each id of a sequence: EmbedAt(x, PE), with document 002's PE."""
    return EmbedAt(x, PE(seq, emb[abs(emb)]), p, We=We)


@formula
def EncoderLayer(
    X: R[src, emb],
    M: R[src],
    placement: str = "post",
    p: float = 0.0,
    *,
    att: MultiHead,
    norm1: LayerNorm,
    ffn: FFN,
    norm2: LayerNorm,
) -> R[src, emb]:
    """Run one layer of the encoder. M is -inf on the source's padding, and 0 elsewhere.

        X' = LayerNorm(X + MultiHead(X, X, X)),  X'' = LayerNorm(X' + FFN(X'))

    Source: document 002, Stacks; document 000, Encoder.
    """

    def attend(X: Any) -> Any:
        Y = X[src >> seq]
        return nt.dropout(att(X, Y, Y, M[src >> seq]), p)

    X = around(attend, norm1, X, placement)
    return around(lambda X: nt.dropout(ffn(X), p), norm2, X, placement)


@formula
def DecoderLayer(
    Y: R[seq, emb],
    X: R[src, emb],
    M: R[src],
    placement: str = "post",
    p: float = 0.0,
    *,
    att: MultiHead,
    norm1: LayerNorm,
    cross: MultiHead,
    norm2: LayerNorm,
    ffn: FFN,
    norm3: LayerNorm,
) -> R[seq, emb]:
    """Run one layer of the decoder, which reads the encoder's result X. M is -inf on the source's padding.

        Y'   = LayerNorm(Y   + MultiHead(Y, Y, Y)), where no place sees those after it
        Y''  = LayerNorm(Y'  + MultiHead(Y', X, X))
        Y''' = LayerNorm(Y'' + FFN(Y''))

    Source: document 002, Stacks; document 000, Decoder, in its published form.
    """

    def consult(Y: Any) -> Any:
        Z = X[src >> seq]
        return nt.dropout(cross(Y[seq >> seq_], Z, Z, M[src >> seq])[seq_ >> seq], p)

    sublayers = self_attention(att, p), consult, lambda Y: nt.dropout(ffn(Y), p)
    return stacked(Y, sublayers, (norm1, norm2, norm3), placement)


@formula
def DecoderStep(
    y: R[emb],
    KX: R[head, src, key],
    VX: R[head, src, val],
    M: R[src],
    K: R[head, seq, key],
    V: R[head, seq, val],
    placement: str = "post",
    *,
    att: MultiHead,
    norm1: LayerNorm,
    cross: MultiHead,
    norm2: LayerNorm,
    ffn: FFN,
    norm3: LayerNorm,
) -> R[emb]:
    """Run DecoderLayer for one more place, without dropout.

    K and V are the keys and values of all places. The last place is that of y: its key and its value are
    computed here, and written into K and V. KX and VX are the keys and values of the source.
    """

    def attend(y: Any) -> Any:
        k, v = nt.stack[seq_](keys(y, WK=att.WK)), nt.stack[seq_](values(y, WV=att.WV))
        return recall(y, *keep(K, k, V, v), WQ=att.WQ, WO=att.WO)

    def consult(y: Any) -> Any:
        past = KX[src >> seq], VX[src >> seq], M[src >> seq]
        return recall(y, *past, WQ=cross.WQ, WO=cross.WO)

    return stacked(y, (attend, consult, ffn), (norm1, norm2, norm3), placement)


@formula
def DecoderSteps(
    y: R[emb],
    KX: R[depth, head, src, key],
    VX: R[depth, head, src, val],
    M: R[src],
    K: R[depth, head, seq, key],
    V: R[depth, head, seq, val],
    *,
    layers: nt.each[DecoderStep],
) -> R[emb]:
    """Run all layers for one more place: each reads the result of the one before. See DecoderStep."""
    for i, layer in enumerate(layers):
        y = layer(y, KX[depth(i)], VX[depth(i)], M, K[depth(i)], V[depth(i)])
    return y


@formula
def DecoderAttention(
    Y: R[seq, emb],
    X: R[src, emb],
    M: R[src],
    placement: str = "post",
    *,
    att: MultiHead,
    norm1: LayerNorm,
    cross: MultiHead,
    norm2: LayerNorm,
) -> R[head, seq, src]:
    """Show which places of the source DecoderLayer reads, head by head."""
    seen: list[Any] = []

    def consult(Y: Any) -> Any:
        W = weights(Y[seq >> seq_], X[src >> seq], M[src >> seq], WQ=cross.WQ, WK=cross.WK)
        seen.append(W[seq >> src][seq_ >> seq])
        return Y

    stacked(Y, (self_attention(att), consult), (norm1, norm2), placement)
    return seen[0]


def self_attention(att: Function, p: float = 0.0) -> Function:
    """Let each place of the target attend to itself and those before it."""
    return lambda Y: nt.dropout(att(Y[seq >> seq_], Y, Y, past)[seq_ >> seq], p)


def stacked(
    Y: Any, sublayers: Sequence[Function], norms: Sequence[Function], placement: str
) -> Any:
    """Put sub-layers one after the other, residual and norm around each."""
    for sublayer, norm in zip(sublayers, norms, strict=True):
        Y = around(sublayer, norm, Y, placement)
    return Y
