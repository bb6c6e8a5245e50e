"""The whole models of the documents as torch modules, with sizes in their documents' letters.

| model | document |
|---|---|
| `NamedTensorsTransformer` | 001: decoder only |
| `FormulatedTransformer` | 000: encoder and decoder, tied embeddings |
| `TheTransformer` | 002: encoder and decoder stacks |
| `IntroductionTransformer` | 003: translation with padding, v1 and v2 |
"""

from typing import Any

import torch

import namedtensor as nt
from transformer_named import formulated, forward_pass, introduction, named_tensors, the_transformer
from transformer_named.placement import open_ended


def _sizes(**sizes: int) -> list[Any]:
    return [nt.axes(f"{name}[{size}]") for name, size in sizes.items()]


def _stack(formula: Any, layers: int, sizes: list[Any], **settings: Any) -> torch.nn.ModuleList:
    return torch.nn.ModuleList([formula.module(*sizes, **settings) for _ in range(layers)])


def _last_norm(formula: Any, d: int, placement: str, **settings: Any) -> torch.nn.Module:
    if not open_ended(placement):
        return torch.nn.Identity()
    norm: torch.nn.Module = formula.module(*_sizes(emb=d), **settings)
    return norm


class NamedTensorsTransformer(torch.nn.Module):
    """Give the probabilities of every next word, from the words before it.

        X^0 = embed(I);  T^l = lnorm(MHA(X^{l-1})) + X^{l-1};  X^l = lnorm(FFN(T^l)) + T^l
        O = softmax_vocab(W ._emb X^L)

    Source: document 001, Transformer.
    """

    def __init__(
        self,
        *,
        b: int,
        d_model: int,
        d_ff: int,
        d_k: int,
        d_v: int,
        h: int,
        L: int,
        placement: str = "between",
        eps: float = 1e-5,
        **where: Any,
    ) -> None:
        super().__init__()
        words = _sizes(vocab=b, emb=d_model)
        sizes = _sizes(emb=d_model, hid=d_ff, key=d_k, val=d_v, head=h)
        norms = {"placement": placement, "eps": eps}
        self.vocab = named_tensors.vocab[b]
        self.embed = named_tensors.embed.module(*words, **where)
        self.layers = _stack(named_tensors.layer, L, sizes, **norms, **where)
        self.norm = _last_norm(named_tensors.lnorm, d_model, **norms, **where)
        self.output = named_tensors.output.module(*words, **where)

    def forward(self, I: Any) -> Any:
        """Take words I in Z[seq], give probabilities in R[seq, vocab]."""
        layers = [*self.layers, self.norm]
        return named_tensors.transformer(nt.one_hot(I, self.vocab), self.embed, layers, self.output)


class FormulatedTransformer(torch.nn.Module):
    """Give the scores of every next symbol of y, from x and the symbols of y before it.

        X_N = EncoderLayers(Embedding(x));  Y_N = DecoderLayers(Embedding(y), X_N);  Y_N ._emb We
        Transformer(x, y)_{seq'(i), vocab(j)} = P(y_{i+1} = j | x, y_1, ..., y_i) = Softmax(scores)

    Source: document 000, Definition and Forward pass. The embeddings We are tied: one tensor for x,
    for y and for the output.
    Departs: all symbols given are used. The document's forward pass drops y's last one and still
    declares m rows; `loss` drops it.
    """

    def __init__(
        self,
        *,
        s: int,
        d_model: int,
        d_ff: int,
        d_k: int,
        d_v: int,
        h: int,
        N: int,
        form: str = "literal",
        placement: str = "post",
        eps: float = 1e-5,
        **where: Any,
    ) -> None:
        super().__init__()
        words = _sizes(vocab=s, emb=d_model)
        sizes = _sizes(emb=d_model, hid=d_ff, head=h, key=d_k, val=d_v)
        norms = {"placement": placement, "eps": eps}
        self.embedding = forward_pass.Embedding.module(*words, form=form, **where)
        self.encoder = _stack(forward_pass.EncoderLayer, N, sizes, **norms, **where)
        self.encoder_norm = _last_norm(formulated.LayerNorm, d_model, **norms, **where)
        self.decoder = _stack(forward_pass.DecoderLayer, N, sizes, form=form, **norms, **where)
        self.decoder_norm = _last_norm(formulated.LayerNorm, d_model, **norms, **where)

    def scores(self, Y: Any) -> Any:
        """Score every symbol by the tied embeddings."""
        We = nt.tensor(self.embedding.We, formulated.vocab, formulated.emb)
        return formulated.scores(Y, We=We)

    def forward(self, x: Any, y: Any) -> Any:
        """Take symbols x in Z[seq] and y in Z[seq'], give scores in R[seq', vocab]."""
        X = self.encoder_norm(forward_pass.encode(x, self.embedding, self.encoder))
        Y = self.decoder_norm(forward_pass.decode(y, X, self.embedding, self.decoder))
        return self.scores(Y)

    def probabilities(self, x: Any, y: Any) -> Any:
        """Give P(y_{i+1} = j | x, y_1, ..., y_i) at seq'(i), vocab(j)."""
        return formulated.Softmax(self(x, y))

    def loss(self, x: Any, y: Any) -> Any:
        """Add up the cross entropies of y_2, ..., y_m."""
        return forward_pass.loss(self(x, forward_pass.inputs(y)), forward_pass.targets(y))

    def predict(self, x: Any, y: Any, generator: torch.Generator | None = None) -> Any:
        """Draw the symbol that follows y."""
        return forward_pass.sample(self(x, y), generator)


class TheTransformer(torch.nn.Module):
    """Map representations x, and those of the output so far y, to representations of the output.

        z = encoder(x);  decoder(y, z)

    Source: document 002, Model Architecture; its sizes are the defaults, d_ff the published one's.
    """

    def __init__(
        self,
        *,
        d: int = 512,
        d_ff: int = 2048,
        d_k: int = 64,
        d_v: int = 64,
        h: int = 8,
        N: int = 6,
        form: str = "published",
        placement: str = "post",
        eps: float = 1e-5,
        **where: Any,
    ) -> None:
        super().__init__()
        sizes = _sizes(emb=d, hid=d_ff, head=h, key=d_k, val=d_v)
        norms = {"placement": placement, "eps": eps}
        self.encoder = _stack(the_transformer.EncoderLayer, N, sizes, form=form, **norms, **where)
        self.encoder_norm = _last_norm(the_transformer.LayerNorm, d, **norms, **where)
        self.decoder = _stack(the_transformer.DecoderLayer, N, sizes, form=form, **norms, **where)
        self.decoder_norm = _last_norm(the_transformer.LayerNorm, d, **norms, **where)

    def forward(self, x: Any, y: Any, M: Any = None) -> Any:
        """Take x in R[seq, emb], y in R[seq', emb], give R[seq', emb]; M closes positions of x."""
        z = self.encoder_norm(the_transformer.encoder(x, self.encoder, M))
        return self.decoder_norm(the_transformer.decoder(y, z, self.decoder, M))


class IntroductionTransformer(torch.nn.Module):
    """Score the words of a translation y of x; both may be padded at their end.

        H^l = phi_E^l(H^{l-1});  S^l = phi_D^l(S^{l-1}, H^L);  W ._emb S^L

    Source: document 003, Encoder, Decoder, Transformer v1 and Transformer v2.
    Departs: `form="published"` ends a v2 stack in a norm; the document speaks of layers only.
    """

    def __init__(
        self,
        *,
        source: int,
        target: int,
        d: int,
        d_ff: int,
        d_k: int,
        L: int,
        setting: str = "v1",
        form: str = "published",
        dropout: float = 0.0,
        pad: int = 0,
        eps: float = 1e-5,
        **where: Any,
    ) -> None:
        super().__init__()
        self.pad = pad
        words = [introduction.vocab_[target], introduction.emb[d]]
        sizes = [*_sizes(emb=d, hid=d_ff, key=d_k), introduction.emb_[d]]
        settings = {"setting": setting, "form": form, "p": dropout, "eps": eps, **where}
        last = introduction.SETTINGS[setting] if form == "published" else "post"
        norm = introduction.LayerNorm
        self.source = introduction.source_embedding.module(*_sizes(vocab=source, emb=d), **where)
        self.target = introduction.target_embedding.module(*words, **where)
        self.encoder = _stack(introduction.encoder_layer, L, sizes, **settings)
        self.encoder_norm = _last_norm(norm, d, last, eps=eps, **where)
        self.decoder = _stack(introduction.decoder_layer, L, sizes, **settings)
        self.decoder_norm = _last_norm(norm, d, last, eps=eps, **where)
        self.output = introduction.word_scores.module(*words, **where)

    def forward(self, x: Any, y: Any) -> Any:
        """Take words x in Z[seq] and y in Z[seq'], give scores in R[seq', vocab']."""
        H = self.encoder_norm(introduction.encode(x, self.source, self.encoder, self.pad))
        S = introduction.decode(y, H, x, self.target, self.decoder, self.pad)
        return self.output(self.decoder_norm(S))

    def loss(self, x: Any, y: Any) -> Any:
        """Average the negative log-probability of y's words after its first, padding left out."""
        seq_ = introduction.seq_
        Y = self(x, y[seq_[:-1]])
        return introduction.translation_loss(Y, y[seq_[1:]], pad=self.pad)
