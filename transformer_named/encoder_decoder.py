"""The encoder-decoder of documents 000 and 002: source in, the logits of every next token out.

| axis | what it runs over |
|---|---|
| `batch` | sentences or words that are worked on together; passes through untouched |
| `src` | places of the source x |
| `seq` | places of the target y |
| `emb` | features of a place |
| `vocab` | ids of the source, or of the target |

Ids are integers and 0 is padding, which stands at the end. `translation` has the layers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch

import namedtensor as nt
from namedtensor import NamedTensor, axes
from namedtensor.shape import shapes
from namedtensor.tensor.wrong_calls import answered
from transformer_named.cached_attention import keys, values
from transformer_named.choice import chosen
from transformer_named.decoding.cache import (
    Cache,
    arranged,
    at,
    empty,
    first,
    places_of,
    with_room,
)
from transformer_named.decoding.model import PADDING, evaluating
from transformer_named.formulated import LayerNorm, scores
from transformer_named.placement import PLACEMENTS, open_ended
from transformer_named.the_transformer import PE
from transformer_named.translation import (
    DecoderAttention,
    DecoderLayer,
    DecoderStep,
    DecoderSteps,
    Embed,
    EmbedAt,
    EncoderLayer,
)

src, seq, emb, hid, head, key, val, vocab = axes("src seq emb hid head key val vocab")

PLACES = 64  # so many encodings are computed before the first token, and more when they are needed


@dataclass(frozen=True)
class Sizes:
    """Give the size of each axis, the number of layers on each side, and the chance of dropout."""

    source: int
    target: int
    emb: int = 64
    hid: int = 256
    head: int = 4
    key: int = 16
    val: int = 16
    layers: int = 2
    dropout: float = 0.1


@answered
class EncoderDecoder(torch.nn.Module):
    """Give the logits of every next token of y, from x and the tokens of y before it.

        Z[batch, src], Z[batch, seq] -> R[batch, seq, vocab]
        softmax_vocab(EncoderDecoder(x, y))_{seq(i), vocab(j)} = P(y_{i+1} = j | x, y_1, ..., y_i)

    Source: documents 000 and 002; `placement` is one of PLACEMENTS, `post` being the published one.
    Departs: the two sides have their own vocabularies, so the embeddings of the source are never
    tied; `tied` makes the output read the embeddings of the target. Each source needs an id.
    """

    def __init__(self, sizes: Sizes, placement: str = "post", tied: bool = False) -> None:
        super().__init__()
        self.sizes = sizes
        self._known: list[Any] = []  # a list, so that torch does not list it among the parts
        self.placement = chosen("placement", placement, PLACEMENTS)
        self.width = emb[sizes.emb]
        words = vocab[sizes.target], self.width
        p = sizes.dropout
        layer = self.width, hid[sizes.hid], head[sizes.head], key[sizes.key], val[sizes.val]
        last = LayerNorm.module if open_ended(placement) else torch.nn.Identity
        each = range(sizes.layers)
        self.source_embed = Embed.module(vocab[sizes.source], self.width, p=p)
        self.target_embed = Embed.module(*words, p=p)
        self.encoder = torch.nn.ModuleList(
            [EncoderLayer.module(*layer, placement=placement, p=p) for _ in each]
        )
        self.encoder_norm = last(self.width)
        self.decoder = torch.nn.ModuleList(
            [DecoderLayer.module(*layer, placement=placement, p=p) for _ in each]
        )
        self.decoder_norm = last(self.width)
        self.output = None if tied else scores.module(*words)

    def forward(self, source: NamedTensor, target: NamedTensor) -> NamedTensor:
        """Z[batch, src], Z[batch, seq] -> R[batch, seq, vocab]."""
        return self.decode(target, self.encode(source), source)

    def encode(self, source: NamedTensor) -> NamedTensor:
        """Z[batch, src] -> R[batch, src, emb]: x to z, the representation of the source."""
        X = self.source_embed(source[src >> seq])[seq >> src]
        M = self.mask(source)
        for layer in self.encoder:
            X = layer(X, M)
        return self.encoder_norm(X)

    def decode(self, target: NamedTensor, memory: NamedTensor, source: NamedTensor) -> NamedTensor:
        """Z[batch, seq], R[batch, src, emb], Z[batch, src] -> R[batch, seq, vocab]."""
        return self.logits(self.decoded(target, memory, self.mask(source), self.decoder))

    def decoded(
        self, target: NamedTensor, memory: NamedTensor, M: NamedTensor, layers: Iterable[Any]
    ) -> NamedTensor:
        """Run the target through some of the decoder's layers."""
        Y = self.target_embed(target)
        for layer in layers:
            Y = layer(Y, memory, M)
        return Y

    def logits(self, Y: NamedTensor) -> NamedTensor:
        """R[emb] -> R[vocab]: score every token against the decoder's result."""
        Y = self.decoder_norm(Y)
        if self.output is None:
            return scores(Y, We=nt.tensor(self.target_embed.We, vocab, emb))
        return self.output(Y)

    def attention(self, source: NamedTensor, target: NamedTensor) -> NamedTensor:
        """Show which of the source's places each head of the last layer reads at each place.

        Z[batch, src], Z[batch, seq] -> R[batch, head, seq, src], without dropout or gradient.
        """
        if not self.sizes.layers:
            raise nt.NamedTensorError(
                "EncoderDecoder.attention(source, target)",
                "the model has no layers, and reads nothing of the source",
                shapes(source, target, labels=["source", "target"]),
                hint="Sizes(..., layers=1)",
            )
        with evaluating(self):
            memory, M = self.encode(source), self.mask(source)
            *layers, last = self.decoder
            Y = self.decoded(target, memory, M, layers)
            parts = {name: getattr(last, name) for name in ("att", "norm1", "cross", "norm2")}
            seen: NamedTensor = DecoderAttention(Y, memory, M, self.placement, **parts)
            return seen

    def start(self, memory: NamedTensor, source: NamedTensor, room: int | None = None) -> Cache:
        """Project the source's keys and values once, before the first token; see Cache for `room`."""
        each = [layer.cross.named_values() for layer in self.decoder]
        told = [(keys(memory, WK=W["WK"]), values(memory, WV=W["WV"])) for W in each]
        return Cache(
            past=(),
            memory=arranged(told, own=False),
            mask=self.mask(source),
            places=self.places(PLACES),
            steps=self._steps(),
            length=0,
            room=room,
        )

    def _steps(self) -> Any:
        """Give the module that takes a token through all layers, and shares their parameters.

        It is made once, and again where a part was replaced.
        """
        parts = [dict(layer.named_children()) for layer in self.decoder]
        known = [dict(step.named_children()) for steps in self._known for step in steps.layers]
        if known != parts:
            made = [DecoderStep.module(placement=self.placement, **part) for part in parts]
            self._known = [DecoderSteps.module(layers=made)]
        return self._known[0] if parts else None

    def step(self, token: NamedTensor, cache: Cache) -> tuple[NamedTensor, Cache]:
        """Z[batch] -> R[batch, vocab]: the logits after one more token, and the next cache."""
        if cache.length == places_of(cache.places):
            cache = replace(cache, places=self.places(2 * cache.length))
        We = self.target_embed.named_values()["We"]
        y = EmbedAt(token, at(cache.places, cache.length), We=We)
        taken, past, n = cache.length + 1, cache.past, self.sizes
        if not past:
            none = empty(y, head=n.head, key=n.key), empty(y, head=n.head, val=n.val)
            past = [none] * n.layers
        past = with_room(arranged(past, own=False), cache.room, cache.length, token, 1)
        for K, V in past:  # one pair, which holds those of all layers
            held = first(K, taken), first(V, taken)
            y = cache.steps(y, *cache.memory[0], cache.mask, *held)
        return self.logits(y), replace(cache, past=past, length=taken)

    def places(self, count: int) -> NamedTensor:
        """R[seq, emb]: the positional encodings of the first places, as numbers."""
        We = self.target_embed.We
        found: NamedTensor = nt.zeros((), dtype=We.dtype, device=We.device, backend="torch") + PE(
            seq[count], self.width
        )
        return found

    def mask(self, source: NamedTensor) -> NamedTensor:
        """Close the source's padding: 0 on its ids, -inf elsewhere."""
        closed: NamedTensor = nt.where(source == PADDING, -nt.inf, 0.0)
        return nt.cast(closed, self.target_embed.We.dtype)
