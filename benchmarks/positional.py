"""The encoder-decoder by hand: positional torch as a specialist writes it, post-norm.

It shares no code with the named model, only its weights, which it keeps as torch's own layers do:
output features first.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, embedding, layer_norm, linear
from torch.nn.functional import scaled_dot_product_attention as attend

LONGEST = 512

Past = tuple[Tensor, Tensor]


def positions(length: int, width: int) -> Tensor:
    """Sinusoids, sine in the even columns and cosine in the odd ones."""
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    angle = torch.arange(length)[:, None] * rate
    return torch.stack((angle.sin(), angle.cos()), -1).flatten(1)


class Attention(nn.Module):
    def __init__(self, named: nn.Module) -> None:
        super().__init__()
        self.heads = named.WQ.shape[0]
        q, k, v = (
            W.detach().transpose(1, 2).flatten(0, 1).clone() for W in (named.WQ, named.WK, named.WV)
        )
        self.q, self.k, self.v = nn.Parameter(q), nn.Parameter(k), nn.Parameter(v)
        self.o = nn.Parameter(named.WO.detach().flatten(0, 1).T.clone())

    def split(self, x: Tensor) -> Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def project(self, memory: Tensor) -> Past:
        return self.split(linear(memory, self.k)), self.split(linear(memory, self.v))

    def recall(self, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, causal: bool) -> Tensor:
        y = attend(self.split(linear(x, self.q)), k, v, mask, is_causal=causal)
        return linear(y.transpose(1, 2).flatten(2), self.o)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, causal: bool = False
    ) -> Tensor:
        return self.recall(x, *self.project(memory), mask, causal)


class FeedForward(nn.Module):
    def __init__(self, named: nn.Module) -> None:
        super().__init__()
        self.w1 = nn.Parameter(named.W1.detach().T.clone())
        self.w2 = nn.Parameter(named.W2.detach().T.clone())
        self.b1 = nn.Parameter(named.b1.detach().clone())
        self.b2 = nn.Parameter(named.b2.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        return linear(linear(x, self.w1, self.b1).relu(), self.w2, self.b2)


class Norm(nn.Module):
    def __init__(self, named: nn.Module) -> None:
        super().__init__()
        self.gamma = nn.Parameter(named.gamma.detach().clone())
        self.beta = nn.Parameter(named.beta.detach().clone())

    def forward(self, x: Tensor) -> Tensor:
        return layer_norm(x, self.gamma.shape, self.gamma, self.beta)


class EncoderLayer(nn.Module):
    def __init__(self, named: nn.Module, p: float) -> None:
        super().__init__()
        self.p = p
        self.att, self.ffn = Attention(named.att), FeedForward(named.ffn)
        self.norm1, self.norm2 = Norm(named.norm1), Norm(named.norm2)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.norm1(x + dropout(self.att(x, x, mask), self.p, self.training))
        return self.norm2(x + dropout(self.ffn(x), self.p, self.training))


class DecoderLayer(nn.Module):
    def __init__(self, named: nn.Module, p: float) -> None:
        super().__init__()
        self.p = p
        self.att, self.cross = Attention(named.att), Attention(named.cross)
        self.ffn = FeedForward(named.ffn)
        self.norm1, self.norm2, self.norm3 = (
            Norm(norm) for norm in (named.norm1, named.norm2, named.norm3)
        )

    def forward(self, y: Tensor, x: Tensor, mask: Tensor) -> Tensor:
        y = self.norm1(y + dropout(self.att(y, y, causal=True), self.p, self.training))
        y = self.norm2(y + dropout(self.cross(y, x, mask), self.p, self.training))
        return self.norm3(y + dropout(self.ffn(y), self.p, self.training))

    def step(self, y: Tensor, memory: Past, mask: Tensor, past: Past | None) -> tuple[Tensor, Past]:
        k, v = self.att.project(y)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        y = self.norm1(y + self.att.recall(y, k, v, None, False))
        y = self.norm2(y + self.cross.recall(y, *memory, mask, False))
        return self.norm3(y + self.ffn(y)), (k, v)


@dataclass(frozen=True)
class Cache:
    past: tuple[Past | None, ...]
    memory: tuple[Past, ...]
    mask: Tensor
    length: int


class EncoderDecoder(nn.Module):
    """The twin of a named EncoderDecoder, with a copy of its weights."""

    def __init__(self, named: nn.Module) -> None:
        super().__init__()
        self.p = named.sizes.dropout
        self.source = nn.Parameter(named.source_embed.We.detach().clone())
        self.target = nn.Parameter(named.target_embed.We.detach().clone())
        self.output = nn.Parameter(named.output.We.detach().clone())
        self.encoder = nn.ModuleList(EncoderLayer(layer, self.p) for layer in named.encoder)
        self.decoder = nn.ModuleList(DecoderLayer(layer, self.p) for layer in named.decoder)
        self.scale = math.sqrt(named.sizes.emb)
        self.register_buffer("positions", positions(LONGEST, named.sizes.emb))

    def embed(self, table: Tensor, ids: Tensor) -> Tensor:
        x = embedding(ids, table) * self.scale + self.positions[: ids.shape[1]]
        return dropout(x, self.p, self.training)

    def mask(self, source: Tensor) -> Tensor:
        return (source != 0)[:, None, None]

    def encode(self, source: Tensor, mask: Tensor) -> Tensor:
        x = self.embed(self.source, source)
        for layer in self.encoder:
            x = layer(x, mask)
        return x

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        mask = self.mask(source)
        x, y = self.encode(source, mask), self.embed(self.target, target)
        for layer in self.decoder:
            y = layer(y, x, mask)
        return linear(y, self.output)

    def start(self, source: Tensor) -> Cache:
        mask = self.mask(source)
        x = self.encode(source, mask)
        memory = tuple(layer.cross.project(x) for layer in self.decoder)
        return Cache((None,) * len(self.decoder), memory, mask, 0)

    def step(self, token: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        y = embedding(token[:, None], self.target) * self.scale + self.positions[cache.length]
        past = []
        for layer, memory, before in zip(self.decoder, cache.memory, cache.past, strict=True):
            y, grown = layer.step(y, memory, cache.mask, before)
            past.append(grown)
        new = Cache(tuple(past), cache.memory, cache.mask, cache.length + 1)
        return linear(y[:, 0], self.output), new
