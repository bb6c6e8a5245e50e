"""Document 000, The Formulated Transformer: the forward pass, its loss, and its parameters.

| axis | size | what it runs over |
|---|---|---|
| `seq` | n | positions of the input x |
| `seq'` | m | positions of the output y |
| `emb` | d_model | features of a position |
| `vocab` | s | symbols |

The axes inside the modules are in `formulated`. `form` chooses "literal", the document, or
"published", Attention Is All You Need.
"""

from typing import Any

import namedtensor as nt
from namedtensor import R, Z, formula
from transformer_named.choice import FORMS, chosen
from transformer_named.formulated import (
    FFN,
    LayerNorm,
    MaskedMultiHead,
    MultiHead,
    OneHot,
    Softmax,
    emb,
    scores,
    seq,
    seq_,
    vocab,
)
from transformer_named.placement import around


def Wp(seq: Any = seq, emb: Any = emb, form: str = "literal") -> Any:
    """Define the positional encoding, kept symbolic until it is added to something.

        Wp_{pos, 2i}   = sin(pos / 10000^{2i/d_model})
        Wp_{pos, 2i+1} = cos(pos / 10000^{2i/d_model})

    Source: document 000, Hyperparameters.
    Departs: the literal form counts both axes from 1 as the document says, so that column 1 is
    2i+1 with i = 0 (a case its range of i leaves out). The published form counts both from 0.
    """
    first = 1 if chosen("form", form, FORMS) == "literal" else 0
    d_model = abs(emb)

    def wave(place: Any, column: Any) -> Any:
        pos, j = place + first, column + first
        sine = nt.sin(pos / 10000 ** (j / d_model))
        cosine = nt.cos(pos / 10000 ** ((j - 1) / d_model))
        return nt.where(j % 2 == 0, sine, cosine)

    return nt.define[seq, emb](wave)


@formula
def Embedding(x: Z[seq], form: str = "literal", *, We: R[vocab, emb]) -> R[seq, emb]:
    """Look up the embedding of each symbol and add where it stands.

        literal:    X_0 = OneHot(x) ._vocab We + Wp
        published:  X_0 = OneHot(x) ._vocab We * sqrt(d_model) + Wp

    Source: document 000, Forward pass.
    Departs: not in its literal form. The published one scales and counts positions from 0.
    """
    X = OneHot(x) @ vocab @ We
    if chosen("form", form, FORMS) == "published":
        X = X * nt.sqrt(abs(emb))
    return X + Wp(seq, emb, form)


@formula
def EncoderLayer(
    X: R[seq, emb],
    placement: str = "post",
    eps: float = 1e-5,
    *,
    multihead: MultiHead,
    norm1: LayerNorm,
    ffn: FFN,
    norm2: LayerNorm,
) -> R[seq, emb]:
    """Take one step of the encoder.

        X'_l = LayerNorm(X_{l-1} + MultiHead(X_{l-1}, X_{l-1}, X_{l-1}))
        X_l  = LayerNorm(X'_l + FFN(X'_l))

    Source: document 000, Forward pass, Encoder.
    """

    def attend(X: Any) -> Any:
        return multihead(X[seq >> seq_], X, X)[seq_ >> seq]

    X1 = around(attend, lambda X: norm1(X, eps=eps), X, placement)
    return around(ffn, lambda X: norm2(X, eps=eps), X1, placement)


@formula
def DecoderLayer(
    Y: R[seq_, emb],
    X: R[seq, emb],
    form: str = "literal",
    placement: str = "post",
    eps: float = 1e-5,
    *,
    masked: MaskedMultiHead,
    norm1: LayerNorm,
    multihead: MultiHead,
    norm2: LayerNorm,
    ffn: FFN,
    norm3: LayerNorm,
) -> R[seq_, emb]:
    """Take one step of the decoder over the encoder's last output X = X_N.

        Y'_l  = LayerNorm(Y_{l-1} + MaskedMultiHead(Y_{l-1}, Y_{l-1}, Y_{l-1}))
        Y''_l = LayerNorm(Y_{l-1} + MultiHead(Y'_l, X_N, X_N))     literal
                LayerNorm(Y'_l    + MultiHead(Y'_l, X_N, X_N))     published
        Y_l   = LayerNorm(Y''_l + FFN(Y''_l))

    Source: document 000, Forward pass, Decoder.
    Departs: not in its literal form, whose second sub-layer adds the residual from before the
    first.
    """

    def attend(Y: Any) -> Any:
        return masked(Y, Y[seq_ >> seq], Y[seq_ >> seq], form=form)

    def consult(Y: Any) -> Any:
        return multihead(Y, X, X)

    Y1 = around(attend, lambda Y: norm1(Y, eps=eps), Y, placement)
    residual = Y if chosen("form", form, FORMS) == "literal" else Y1
    Y2 = around(consult, lambda Y: norm2(Y, eps=eps), Y1, placement, residual)
    return around(ffn, lambda Y: norm3(Y, eps=eps), Y2, placement)


@formula
def loss(Y: R[seq_, vocab], y: Z[seq_]) -> R:
    """Add up the cross entropy of each next symbol, from the scores Y = Y_N ._emb We.

        loss = sum_{j=2}^m CrossEntropy(OneHot(y_j), Softmax(Y)_{j-1})

    Source: document 000, Forward pass, Loss.
    Departs: the caller aligns Y (from `inputs`) and y (from `targets`); log(Softmax(.)) is one
    stable step.
    """
    return nt.sum[seq_](-(OneHot(y) @ vocab @ nt.log_softmax[vocab](Y)))


def targets(y: Any) -> Any:
    """Give the symbols to be predicted: y without its first.

        y_2, ..., y_m

    Source: document 000, Forward pass, Loss.
    """
    return y[seq_[1:]]


def inputs(y: Any) -> Any:
    """Give the symbols to predict from: y without its last.

        y_{-m} = y_1, ..., y_{m-1}

    Source: document 000, Forward pass, Target and its Embedding.
    """
    return y[seq_[:-1]]


@formula
def transformer_scores(
    x: Z[seq],
    y: Z[seq_],
    form: str = "literal",
    placement: str = "post",
    eps: float = 1e-5,
    *,
    embedding: Embedding,
    encoder: nt.each[EncoderLayer],
    encoder_norm: LayerNorm = None,
    decoder: nt.each[DecoderLayer],
    decoder_norm: LayerNorm = None,
) -> R[seq_, vocab]:
    """Score every next symbol of y, from x and the symbols of y before it.

        X_0 = Embedding(x);  X_l = EncoderLayer(X_{l-1}), l = 1 ... N
        Y_0 = Embedding(y);  Y_l = DecoderLayer(Y_{l-1}, X_N), l = 1 ... N;  Y_N ._emb We

    Source: document 000, Forward pass. The embeddings We are tied: one tensor for x, y and the output.
    Departs: all symbols given are used. The document's forward pass drops y's last one and still
    declares m rows; `training_loss` drops it. The norms come last where a placement leaves the sum
    unnormalised.
    """
    X = embedding(x, form=form)
    for layer in encoder:
        X = layer(X, placement=placement, eps=eps)
    Z = X if encoder_norm is None else encoder_norm(X, eps=eps)
    Y = embedding(y[seq_ >> seq], form=form)[seq >> seq_]
    for layer in decoder:
        Y = layer(Y, Z, form=form, placement=placement, eps=eps)
    return scores(Y if decoder_norm is None else decoder_norm(Y, eps=eps), We=embedding.We)


@formula
def Transformer(x: Z[seq], y: Z[seq_], *, model: transformer_scores) -> R[seq_, vocab]:
    """Give the probabilities of every next symbol of y.

        Transformer(x, y)_{seq'(i), vocab(j)} = P(y_{i+1} = j | x, y_1, ..., y_i)
        Transformer(x, y) = Softmax(Y_N ._emb We)

    Source: document 000, Definition, and Forward pass, Output.
    """
    return Softmax(model(x, y))


@formula
def training_loss(x: Z[seq], y: Z[seq_], *, model: transformer_scores) -> R:
    """Add up the cross entropies of y_2, ..., y_m, each from the symbols before it.

    Source: document 000, Forward pass, Loss, with Target's y_{-m}.
    """
    return loss(model(x, inputs(y)), targets(y))


def sample(Y: Any, generator: Any = None) -> Any:
    """Draw the next symbol from the last row of the scores.

        y_{m+1} ~ Softmax(Y)_{seq'(m)}

    Source: document 000, Forward pass, Prediction.
    """
    last = Y[seq_(Y.size(seq_) - 1)]
    return nt.categorical[vocab](Softmax(last), generator=generator)


def parameter_count(s: int, d_model: int, d_ff: int, d_k: int, d_v: int, h: int, N: int) -> int:
    """Count the Transformer's parameters from its sizes.

        lambda = s d_model + N (3 MultiHead + 2 FFN + 10 d_model)

    Source: document 000, Parameters.

    >>> parameter_count(s=37_000, d_model=512, d_ff=2048, d_k=64, d_v=64, h=8, N=6)
    63045632
    """
    multihead = h * (d_model * d_k + d_model * d_k + d_model * d_v) + h * d_v * d_model
    ffn = d_model * d_ff + d_ff + d_ff * d_model + d_model
    encoder_norms = 4 * d_model
    decoder_norms = 6 * d_model
    return s * d_model + N * (3 * multihead + 2 * ffn + encoder_norms + decoder_norms)
