"""Families of Transformers, of which published models are members: the parts are chosen by arguments."""

from typing import Any

import torch

import namedtensor as nt
from transformer_named.published.formulas import (
    NORMS,
    Kinds,
    Places,
    Scores,
    Words,
    angles,
    answering,
    asking,
    half,
    past,
    seq,
    seq_,
)


class Cache:
    """Keys and values of each layer, of what was read so far. With `room` they are written in place."""

    def __init__(self, room: int | None = None) -> None:
        self.room = room
        self.length = 0
        self.held: list[tuple[Any, Any]] = []

    def add(self, layer: int, K: Any, V: Any) -> tuple[Any, Any]:
        """Put new keys and values behind those of a layer, and give all of them."""
        if self.room is None:
            if layer == len(self.held):
                self.held.append((K, V))
            else:
                before, after = self.held[layer]
                self.held[layer] = nt.concat[seq](before, K), nt.concat[seq](after, V)
            return self.held[layer]
        if layer == len(self.held):
            self.held.append((self._empty(K), self._empty(V)))
        whole, other = self.held[layer]
        return self._written(whole, K), self._written(other, V)

    def _empty(self, X: Any) -> Any:
        sizes = [self.room if name == "seq" else size for name, size in X.sizes]
        return nt.NamedTensor(X.data.new_empty(sizes), X.layout)

    def _written(self, whole: Any, X: Any) -> Any:
        """Write X behind what a layer has, and give all of it: a view, of which nothing is moved."""
        data = X.data if X.axes == whole.axes else X.torch(*whole.axes)
        at = whole.axes.index("seq")
        new = data.shape[at]
        if self.length + new > whole.data.shape[at]:
            raise nt.IndexRangeError(
                "cache.add(...)",
                f"the cache has room for {self.room} places, {self.length} are taken, and {new} come",
                hint=f"make a longer one: Cache(room={self.length + new})",
            )
        whole.data.narrow(at, self.length, new).copy_(data)
        return nt.NamedTensor(whole.data.narrow(at, 0, self.length + new), whole.layout)


class Layer(torch.nn.Module):
    """One layer: asking makes queries, keys and values; answering attends to keys and values."""

    def __init__(self, ask: Any, answer: Any) -> None:
        super().__init__()
        self.ask = ask
        self.answer = answer

    def forward(self, X: Any, M: Any, C: Any, S: Any, cache: Cache | None, number: int) -> Any:
        Q, K, V = self.ask(X, C, S)
        if cache is not None:
            K, V = cache.add(number, K, V)
        return self.answer(X, Q, K, V, M)


class Transformer(torch.nn.Module):
    """Read words: an encoder, or with `scores` a decoder that scores the next word of each place.

        X^0 = E_{vocab(I)} + P_{place(j)} + T_{kind(K)};  X^l = layer(X^{l-1});  norm(X^L)

    | argument | choices |
    |---|---|
    | `positions` | "learned", "rotary" |
    | `norm`, `pre` | "layer" or "rms"; before each part, or after |
    | `network`, `activation` | "plain" or "gated"; "gelu", "gelu_tanh", "relu", "silu" |
    | `bias` | whether linear maps have biases |
    | `kv`, `group` | heads of keys, and queries that share one |
    | `tied` | whether the scores are made by the words' own vectors |
    """

    def __init__(
        self,
        *,
        vocab: int,
        emb: int,
        hid: int,
        kv: int,
        group: int = 1,
        key: int,
        layers: int,
        positions: str = "learned",
        places: int = 512,
        kinds: int = 0,
        norm: str = "layer",
        pre: bool = True,
        network: str = "plain",
        activation: str = "gelu",
        bias: bool = True,
        scores: bool = True,
        tied: bool = True,
        eps: float = 1e-5,
        base: float = 10000.0,
        **where: Any,
    ) -> None:
        super().__init__()
        sizes = f"vocab[{vocab}] emb[{emb}]"
        self.causal, self.pre, self.rotary, self.key, self.base = (
            scores,
            pre,
            positions == "rotary",
            key,
            base,
        )
        self.tables: dict[Any, list[torch.Tensor]] = {}
        self.words = Words.module(sizes, **where)
        self.places = None if self.rotary else Places.module(f"place[{places}] emb[{emb}]", **where)
        self.kinds = Kinds.module(f"kind[{kinds}] emb[{emb}]", **where) if kinds else None
        self.norm = NORMS[norm].module(f"emb[{emb}]", eps=eps, **where)
        inner = f"emb[{emb}] kv[{kv}] group[{group}] key[{key}]"
        asks, answers = asking(norm, bias, pre), answering(norm, network, bias, pre, activation)
        self.layers = torch.nn.ModuleList(
            Layer(
                asks.module(f"{inner} val[{key}]", eps=eps, **where),
                answers.module(
                    f"emb[{emb}] kv[{kv}] group[{group}] val[{key}] hid[{hid}]", eps=eps, **where
                ),
            )
            for _ in range(layers)
        )
        self.scores = Scores.module(sizes, **where) if scores else None
        if self.scores is not None and tied:
            self.scores.E = self.words.E

    def states(self, I: Any, M: Any = None, K: Any = None, cache: Cache | None = None) -> list[Any]:
        """Give what each layer makes of words I over seq'; M over seq is added to the scores of attention."""
        start = 0 if cache is None else cache.length
        count = I.size(seq_)
        X = self.words(I)
        if self.places is not None:
            X = X + self.places(nt.iota(seq_[count]) + start if start else nt.iota(seq_[count]))
        if self.kinds is not None:
            X = X + self.kinds(I * 0 if K is None else K)
        if not self.pre:
            X = self.norm(X)
        C = S = None
        if self.rotary:
            C, S = self.turns(start, count, X.data)
        if self.causal and count > 1:
            M = past if M is None else past + M
        found = [X]
        for number, layer in enumerate(self.layers):
            found.append(layer(found[-1], M, C, S, cache, number))
        if cache is not None:
            cache.length += count
        return found

    def turns(self, start: int, count: int, like: torch.Tensor) -> list[Any]:
        """Give cos and sin of the angles of some places: made in float64, rounded, and kept."""
        known = self.tables.get((like.dtype, like.device))
        if known is None or known[0].shape[0] < start + count:
            sizes = seq_[2 ** (start + count).bit_length()], half[self.key // 2]
            angle = angles(self.base)
            made = [f(angle)(*sizes).numpy(seq_, half) for f in (nt.cos, nt.sin)]
            known = [torch.as_tensor(table).to(like.device, like.dtype) for table in made]
            self.tables[like.dtype, like.device] = known
        return [nt.tensor(table[start : start + count], seq_, half) for table in known]

    def forward(self, I: Any, M: Any = None, K: Any = None, cache: Cache | None = None) -> Any:
        """Take words in Z[seq'], give states in R[seq', emb], or of a decoder scores in R[seq', vocab]."""
        X = self.states(I, M, K, cache)[-1]
        if self.pre:
            X = self.norm(X)
        return X if self.scores is None else self.scores(X)


def generate(
    model: Any, ids: list[int], count: int, end: int | None = None, room: int | None = None
) -> Any:
    """Yield the most likely next words, one at a time, with a cache."""
    cache = Cache(room)
    device = next(model.parameters()).device
    given = list(ids)
    with torch.no_grad():
        for _ in range(count):
            scores = model(nt.tensor(torch.tensor(given, device=device), seq_), cache=cache)
            last = scores.torch("seq'", "vocab")[-1]
            given = [int(last.argmax())]
            if given[0] == end:
                return
            yield given[0]
