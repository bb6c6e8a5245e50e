"""Document 002, The Transformer. Stacks, the three uses of attention, positional encoding.

| axis | size | what it runs over |
|---|---|---|
| `seq` | n | positions of the input x and of its representation z; those that answer |
| `seq'` | m | positions of the output y; those that ask |
| `emb` | d = 512 | features of a position |
| `hid` | d_ff | hidden units |
| `head` | h = 8 | attention heads |
| `key`, `val` | d_k = d_v = 64 | features of queries and keys, and of values |

Where the document and the published model differ, `form` chooses: "literal" is the document,
"published" is Attention Is All You Need. FFN is the one of document 000, and so is the norm, which
this document only names.
"""

from collections.abc import Callable
from typing import Any

import namedtensor as nt
from namedtensor import R, axes, formula
from transformer_named.choice import FORMS, chosen
from transformer_named.formulated import FFN as FFN
from transformer_named.formulated import LayerNorm as LayerNorm
from transformer_named.placement import around

seq, emb, hid, head, key, val = axes("seq emb hid head key val")
seq_ = seq.prime

Function = Callable[..., Any]

#: Positions in the decoder cannot attend to those after them: 0 if j <= i, -inf otherwise.
past = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def Attention(Q: R[key], K: R[seq, key], V: R[seq, val], M: R[seq] = None) -> R[val]:
    """Sum the values, weighted by how compatible the query and each key are.

        Attention(Q, K, V) = softmax_seq(Q ._key K / sqrt(d_k)) ._seq V

    Source: document 002, Attention, for one query; several are lifted over seq'. M, where there is
    one, is added to the scores.
    """
    compatibility = Q @ key @ K / nt.sqrt(abs(key))
    if M is not None:
        compatibility = compatibility + M
    return nt.softmax[seq](compatibility) @ seq @ V


@formula
def MultiHead(
    Q: R[emb],
    K: R[seq, emb],
    V: R[seq, emb],
    M: R[seq] = None,
    form: str = "published",
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
) -> R[emb]:
    """Project for each head, attend, and project the heads' results together.

        MultiHead(Q, K, V) = h ._{head, val} WO
        h = Attention(Q ._emb WQ, K ._emb WK, V ._emb WK_{key -> val})    literal
            Attention(Q ._emb WQ, K ._emb WK, V ._emb WV)                 published

    Source: document 002, Multi-Head Attention.
    Departs: the literal form projects the values by WK, as printed, and so leaves WV unused and
    needs d_k = d_v. Concat(h_1, ..., h_h) WO is one contraction over head and val.
    """
    values = WK[key >> val] if chosen("form", form, FORMS) == "literal" else WV
    heads = Attention(Q @ emb @ WQ, K @ emb @ WK, V @ emb @ values, M)
    return heads @ (head, val) @ WO


def encoder_decoder_attention(y: Any, z: Any, multihead: Function, M: Any = None) -> Any:
    """Let every position of the decoder attend to all positions of the input.

        MultiHead(y, z, z):  queries from the decoder, keys and values from the encoder

    Source: document 002, How is Attention Used?, first use.
    """
    return multihead(y, z, z, M)


def encoder_self_attention(x: Any, multihead: Function, M: Any = None) -> Any:
    """Let every position of the encoder attend to all positions of the layer before.

        MultiHead(x_{seq -> seq'}, x, x)_{seq' -> seq}

    Source: document 002, How is Attention Used?, second use.
    """
    return multihead(x[seq >> seq_], x, x, M)[seq_ >> seq]


def decoder_self_attention(y: Any, multihead: Function) -> Any:
    """Let every position of the decoder attend to itself and to those before it.

        MultiHead(y, y_{seq' -> seq}, y_{seq' -> seq}) with past added to the scores

    Source: document 002, How is Attention Used?, third use, and Stacks.
    Departs: the third use says "all positions in the decoder"; Stacks says that none may attend to
    subsequent ones, which the published model does and without which nothing could be generated.
    """
    x = y[seq_ >> seq]
    return multihead(y, x, x, past)


@formula
def EncoderLayer(
    x: R[seq, emb],
    M: R[seq] = None,
    form: str = "published",
    placement: str = "post",
    eps: float = 1e-5,
    *,
    multihead: MultiHead,
    norm1: LayerNorm,
    ffn: FFN,
    norm2: LayerNorm,
) -> R[seq, emb]:
    """Apply self-attention and the FC network, residual and norm around each.

        x' = LayerNorm(x + MultiHead(x, x, x)),  x'' = LayerNorm(x' + FFN(x'))

    Source: document 002, Stacks. M, where there is one, closes positions of x.
    """

    def attend(x: Any) -> Any:
        return encoder_self_attention(x, lambda *given: multihead(*given, form=form), M)

    x = around(attend, lambda x: norm1(x, eps=eps), x, placement)
    return around(ffn, lambda x: norm2(x, eps=eps), x, placement)


@formula
def DecoderLayer(
    y: R[seq_, emb],
    z: R[seq, emb],
    M: R[seq] = None,
    form: str = "published",
    placement: str = "post",
    eps: float = 1e-5,
    *,
    masked: MultiHead,
    norm1: LayerNorm,
    multihead: MultiHead,
    norm2: LayerNorm,
    ffn: FFN,
    norm3: LayerNorm,
) -> R[seq_, emb]:
    """Apply the decoder's three sub-layers, residual and norm around each.

        literal:    self-attention, FC network, attention to the encoder's output z
        published:  self-attention, attention to the encoder's output z, FC network

    Source: document 002, Stacks. M, where there is one, closes positions of z.
    Departs: not in its literal form, which takes the sub-layers in the order listed.
    """

    def attend(y: Any) -> Any:
        return decoder_self_attention(y, lambda *given: masked(*given, form=form))

    def consult(y: Any) -> Any:
        return encoder_decoder_attention(y, z, lambda *given: multihead(*given, form=form), M)

    def norm(norm: Function) -> Function:
        return lambda y: norm(y, eps=eps)

    y = around(attend, norm(norm1), y, placement)
    rest = [(consult, norm2), (ffn, norm3)]
    for sublayer, after in reversed(rest) if chosen("form", form, FORMS) == "literal" else rest:
        y = around(sublayer, norm(after), y, placement)
    return y


def PE(seq: Any = seq, emb: Any = emb, form: str = "formula") -> Any:
    """Define the positional encoding, a sinusoid for each feature, kept symbolic until used.

        PE_{pos, 2i}   = sin(pos / 10000^{2i/d_model})
        PE_{pos, 2i+1} = cos(pos / 10000^{2i/d_model})

    Source: document 002, Positional Encoding.
    Departs: the sentence below the formula has wavelengths "from 2 pi to 10000 * 2 pi". The formula
    stops one step short of that, at 10000^{1 - 2/d_model} * 2 pi. `form="wavelengths"` reaches it:
    2i/(d_model - 2) for 2i/d_model.
    """
    chosen("form", form, ("formula", "wavelengths"))
    last = abs(emb) if form == "formula" else abs(emb) - 2

    def wave(pos: Any, column: Any) -> Any:
        two_i = column - column % 2
        angle = pos / 10000 ** (two_i / last)
        return nt.where(column % 2 == 0, nt.sin(angle), nt.cos(angle))

    return nt.define[seq, emb](wave)


@formula
def encoder(
    x: R[seq, emb],
    M: R[seq] = None,
    form: str = "published",
    placement: str = "post",
    eps: float = 1e-5,
    *,
    layers: nt.each[EncoderLayer],
    norm: LayerNorm = None,
) -> R[seq, emb]:
    """Map symbol representations (x_1, ..., x_n) to (z_1, ..., z_n).

        z^0 = x + PE;  z^l = EncoderLayer(z^{l-1}), l = 1 ... N, with N = 6

    Source: document 002, Model Architecture. `norm` comes last where a placement leaves the sum
    unnormalised.
    """
    z = x + PE(seq, emb)
    for layer in layers:
        z = layer(z, M, form=form, placement=placement, eps=eps)
    return z if norm is None else norm(z, eps=eps)


@formula
def decoder(
    y: R[seq_, emb],
    z: R[seq, emb],
    M: R[seq] = None,
    form: str = "published",
    placement: str = "post",
    eps: float = 1e-5,
    *,
    layers: nt.each[DecoderLayer],
    norm: LayerNorm = None,
) -> R[seq_, emb]:
    """Map (z_1, ..., z_n), and the output so far, to the output (y_1, ..., y_m).

        Y^0 = y + PE;  Y^l = DecoderLayer(Y^{l-1}, z), l = 1 ... N, with N = 6

    Source: document 002, Model Architecture.
    Departs: the document's arrow has only z; its Stacks feed the output so far as well.
    """
    Y = y + PE(seq_, emb)
    for layer in layers:
        Y = layer(Y, z, M, form=form, placement=placement, eps=eps)
    return Y if norm is None else norm(Y, eps=eps)


@formula
def transformer(
    x: R[seq, emb],
    y: R[seq_, emb],
    M: R[seq] = None,
    form: str = "published",
    placement: str = "post",
    eps: float = 1e-5,
    *,
    encoder: encoder,
    decoder: decoder,
) -> R[seq_, emb]:
    """Map representations x, and those of the output so far y, to representations of the output.

        z = encoder(x);  decoder(y, z)

    Source: document 002, Model Architecture. M, where there is one, closes positions of x.
    """
    z = encoder(x, M, form=form, placement=placement, eps=eps)
    return decoder(y, z, M, form=form, placement=placement, eps=eps)
