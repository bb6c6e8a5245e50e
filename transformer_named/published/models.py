"""Families of Transformers, of which published models are members: the parts are chosen by arguments."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch

import namedtensor as nt
from namedtensor import Axis
from namedtensor.compilers import constant_for_compilers, keep
from namedtensor.errors import kind_of_thing
from namedtensor.shape import shapes
from namedtensor.tensor.wrong_calls import answered
from transformer_named.choice import chosen
from transformer_named.decoding.cache import arranged, empty, first, of_layer, with_room
from transformer_named.decoding.sampling import chooser
from transformer_named.published.formulas import (
    ACTIVATIONS,
    NETWORKS,
    NORMS,
    POSITIONS,
    Answering,
    Asking,
    Consulting,
    Kinds,
    Layer,
    Layers,
    Norm,
    Places,
    ReadingLayer,
    Scores,
    Telling,
    Words,
    angles,
    emb,
    half,
    joined,
    key,
    past,
    place,
    seq,
    seq_,
    src,
    waves,
)


class Cache:
    """Keep the keys and values of the words that were read so far, `length` of them.

    `held` has one pair for each layer, or one pair for all layers, along depth. With `room`, they have so
    many places from the start, and new ones are written in place. `memory` has the keys and values of
    another text, which a decoder reads at each word, and `closed` is -inf on its padding. `skipped` counts
    the padding before each text.
    """

    def __init__(
        self,
        room: int | None = None,
        memory: Sequence[Any] | None = None,
        closed: Any = None,
        skipped: Any = None,
    ) -> None:
        self.room = room
        self.memory = memory
        self.closed = closed
        self.skipped = skipped
        self.length = 0
        self.held: Sequence[tuple[Any, Any]] = []

    def select(self, ax: Axis, chosen: Any) -> "Cache":
        """Keep the hypotheses `chosen`, integers along ax. Tensors without this axis stay as they are."""

        def followed(X: Any) -> Any:
            return nt.index[ax](X, chosen) if X is not None and ax in X.shape else X

        found = Cache(self.room, self.memory, self.closed, followed(self.skipped))
        found.length = self.length
        found.held = [(followed(K), followed(V)) for K, V in self.held]
        return found


_TABLES: dict[Any, torch.Tensor] = {}


@constant_for_compilers
def tables(
    positions: str, base: float, rows: int, width: int, dtype: torch.dtype, device: torch.device
) -> torch.Tensor:
    """Give the tables of `turn`, or sinusoids: computed in float64, stored in `dtype`, and kept for later."""
    kind = positions, base, rows, width, dtype, device
    if kind in _TABLES:
        return _TABLES[kind]
    if positions == "rotary":
        angle = angles(base)
        C, S = [f(angle)(seq_[rows], half[width]) for f in (nt.cos, nt.sin)]
        made = [X.numpy(seq_, key) for X in (joined(C, C), joined(-S, S))]
    else:
        made = [waves(positions, base)(seq_[rows], emb[width]).numpy(seq_, emb)]
    with torch.inference_mode(False):  # they may be read in training later
        found = torch.stack([torch.from_numpy(each) for each in made]).to(device, dtype)
    # a mode of torch may make other things than tensors
    return keep(_TABLES, kind, found, 16) if type(found) is torch.Tensor else found


def counted(name: str, size: Any, least: int) -> None:
    """Raise AxisSizeError unless a size is a whole number, and not below `least`."""
    if isinstance(size, bool) or not isinstance(size, int) or size < least:
        raise nt.AxisSizeError(
            f"Transformer({name}={size!r})",
            f"{name} is a whole number of {least} at least",
            hint=f"{name}={max(least, 1)}",
        )


def over(call: str, label: str, words: Any, ax: Axis) -> None:
    """Raise BackendError unless words are a named tensor, and AxisMissingError if it lacks the axis."""
    axes = words.axes if hasattr(words, "sizes") else None
    if axes is not None and ax.name in axes:
        return
    if axes is None:
        raise nt.BackendError(
            call,
            f"{label} is {kind_of_thing(words)}, and not a named tensor of words along {ax}",
            hint=f'name its axes, of which {ax} is that of the words: nt.tensor({label}, "batch {ax}")',
        )
    known = next((name for name in (seq.name, src.name, seq_.name) if name in axes), None)
    old = known or (axes[-1] if axes else "")
    raise nt.AxisMissingError(
        call,
        f"{label} has no axis {ax}, along which its words stand",
        shapes(words, labels=[label]),
        f'rename the axis of its words: {label}["{old} -> {ax}"]'
        if old
        else f'one word stands along it too: nt.stack["{ax}"]({label})',
    )


def one_word(token: Any) -> None:
    """Raise AxisClashError if a token has an axis of words: a step takes one word of each text."""
    for name in getattr(token, "axes", ()):
        if name in (seq.name, seq_.name, src.name):
            raise nt.AxisClashError(
                "model.step(token, cache)",
                f"token has an axis {name}, and a step takes the next word of each text",
                shapes(token, labels=["token"]),
                f'take one of them: token["{name}(-1)"]',
            )


def latex_of(parts: Iterable[Any], dialect: str) -> str:
    """Print the formulas of the parts of a model, each formula once."""
    texts = [part.latex(dialect) for part in parts if part is not None]
    return "\n\n".join(dict.fromkeys(block for text in texts for block in text.split("\n\n")))


@answered
class Transformer(torch.nn.Module):
    """Read words: an encoder, or with `scores` a decoder, which scores the word after each place.

        X^0 = E_{vocab(I)} + P_{place(j)} + T_{kind(K)};  X^l = layer(X^{l-1});  norm(X^L)

    | argument | choices |
    |---|---|
    | `positions` | "learned", "rotary", "sinusoidal", or "sinusoidal halves" (sines first) |
    | `norm`, `pre` | "layer" or "rms"; before each part, or after |
    | `normed` | whether there is one more norm: at the end with `pre`, else before the first layer |
    | `network`, `activation` | "plain" or "gated"; "gelu", "gelu_tanh", "relu", "silu" |
    | `bias` | whether linear maps have biases |
    | `kv`, `group` | how many heads keys have, and how many heads of queries share one of them |
    | `scale` | whether words are multiplied by sqrt|emb| |
    | `first`, `base` | the place of the first word; the base of sinusoids' and rotations' wavelengths |
    | `tied`, `biased` | whether scores read the table of the words; whether they have a bias |
    | `causal`, `cross` | whether no place sees those after it; whether layers read another text |
    | `padding` | the id that fills up shorter texts on the left; None: every id is a word |
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
        first: int = 0,
        kinds: int = 0,
        norm: str = "layer",
        pre: bool = True,
        normed: bool = True,
        network: str = "plain",
        activation: str = "gelu",
        bias: bool = True,
        scale: bool = False,
        scores: bool = True,
        tied: bool = True,
        biased: bool = False,
        causal: bool | None = None,
        cross: bool = False,
        eps: float = 1e-5,
        base: float = 10000.0,
        padding: int | None = None,
        **where: Any,
    ) -> None:
        super().__init__()
        for name, size in dict(vocab=vocab, emb=emb, hid=hid, kv=kv, group=group, key=key).items():
            counted(name, size, 1)
        for name, size in dict(layers=layers, places=places, first=first, kinds=kinds).items():
            counted(name, size, 0)
        if positions == "rotary" and key % 2:
            raise nt.AxisSizeError(
                f"Transformer(positions={positions!r}, key={key})",
                "rotations turn pairs of features, and key is odd",
                hint=f"key={key + 1}",
            )
        self.padding = padding
        sizes = f"vocab[{vocab}] emb[{emb}]"
        self.positions = chosen("positions", positions, POSITIONS)
        self.pre, self.kv, self.key, self.base, self.first = pre, kv, key, base, first
        self.causal, self.cross = scores if causal is None else causal, cross
        self.scale = float(emb) ** 0.5 if scale else None
        self.words = Words.module(sizes, **where)
        learned = positions == "learned"
        self.places = Places.module(f"place[{places}] emb[{emb}]", **where) if learned else None
        self.kinds = Kinds.module(f"kind[{kinds}] emb[{emb}]", **where) if kinds else None
        choice = {"kind": chosen("norm", norm, NORMS), "eps": eps}
        one = {"beta": norm == "layer"}
        self.norm = Norm.module(f"emb[{emb}]", **choice, **one, **where) if normed else None
        gated = chosen("network", network, NETWORKS) == "gated"
        inner = f"emb[{emb}] kv[{kv}] group[{group}] key[{key}] val[{key}]"
        outer = f"emb[{emb}] kv[{kv}] group[{group}] val[{key}]"
        before, after = one if pre else None, None if pre else one
        rest = {
            "activation": chosen("activation", activation, tuple(ACTIVATIONS)),
            "norm": before,
            "norm2": after,
            "network": {"b1": bias, "b2": bias, "W3": gated},
        }
        known = {"together": {"bO": bias}, "norm1": after, **choice, **where}
        heads = {"bQ": bias, "bK": bias, "bV": bias}

        def layer() -> Any:
            ask = Asking.module(inner, heads=heads, norm=before, **choice, **where)
            if not cross:
                answer = Answering.module(f"{outer} hid[{hid}]", **known, **rest)
                return Layer.module(ask=ask, answer=answer)
            return ReadingLayer.module(
                ask=ask,
                answer=Answering.module(outer, **known),
                consult=Consulting.module(
                    inner.rpartition(" ")[0], bQ=bias, norm=before, **choice, **where
                ),
                tell=Telling.module(
                    inner.replace(f" group[{group}]", ""), bK=bias, bV=bias, **where
                ),
                reply=Answering.module(f"{outer} hid[{hid}]", **known, **rest),
            )

        self.layers = torch.nn.ModuleList(layer() for _ in range(layers))
        self.scores = Scores.module(sizes, b=biased, **where) if scores else None
        if self.scores is not None and tied:
            self.scores.E = self.words.E

    def states(self, I: Any, M: Any = None, K: Any = None, cache: Cache | None = None) -> list[Any]:
        """Give the vectors of words I over seq', and then the result of each layer.

        M over seq is -inf on places that nobody sees. K is the kind of each word's text.
        """
        return self._through(I, M, K, cache, at_once=False)

    def _through(self, I: Any, M: Any, K: Any, cache: Cache | None, at_once: bool) -> list[Any]:
        """Give the vectors of words, and then the result of each layer, or of all if they run at once."""
        over("Transformer(...)(I)", "I", I, seq_)
        start, skipped = (0, None) if cache is None else (cache.length, cache.skipped)
        count = I.size(seq_)
        X = self.words(I)
        if self.scale is not None:
            X = X * self.scale
        if self.positions != "rotary":
            # as data: a number in a formula would be a plan for each word
            at = nt.tensor(torch.arange(start, start + count, device=I.data.device), seq_)
            at = at + self.first if skipped is None else nt.maximum(at - skipped, 0) + self.first
            if self.places is not None:
                X = X + self.places(at)
            else:
                table = self.table(0, self.first + start + count, X)[0][seq_ >> place]
                X = X + table[place(at)]
        if self.kinds is not None:
            X = X + self.kinds(I * 0 if K is None else K)
        if not self.pre and self.norm is not None:
            X = self.norm(X)
        C, S = self.table(start, count, X) if self.positions == "rotary" else (None, None)
        given = C, S, self.mask(start, count, X, skipped), M
        kept = [] if cache is None else self._kept(X, I, cache)
        known = [(first(K, start + count), first(V, start + count)) for K, V in kept]
        found = [X]
        if at_once:
            found.append(Layers(X, *given, *(known[0] if known else ()), layers=list(self.layers)))
        else:
            for i, (layer, read) in enumerate(zip(self.layers, self._read(X, cache), strict=True)):
                found.append(layer(found[-1], *read, *given, *of_layer(i, known)))
        if cache is not None:
            cache.held, cache.length = kept, start + count
        return found

    def _at_once(self) -> bool:
        """Say whether all layers may run as one formula: without gradients, a compiler, or hooks on them."""
        if torch.is_grad_enabled() or torch.compiler.is_compiling() or not len(self.layers):
            return False
        return all(
            [
                getattr(layer, "formula", None) is Layer
                and not (layer._forward_hooks or layer._forward_pre_hooks)
                and "forward" not in vars(layer)
                for layer in self.layers
            ]
        )

    def _kept(self, X: Any, words: Any, cache: Cache) -> Any:
        """Give what a cache holds, with room for more words."""
        held = cache.held
        if not held:
            none = empty(X, kv=self.kv, key=self.key), empty(X, kv=self.kv, val=self.key)
            held = [none] * len(self.layers)
        held = arranged(held, own=self.cross or torch.is_grad_enabled())
        return with_room(held, cache.room, cache.length, words, words.size(seq_))

    def _read(self, X: Any, cache: Cache | None) -> list[tuple[Any, ...]]:
        """Give what each layer reads of another text: its keys, values and padding.

        Raises: NamedTensorError where there is none.
        """
        if not self.cross or not len(self.layers):
            return [()] * len(self.layers)
        if cache is None or cache.memory is None:
            raise nt.NamedTensorError(
                "Transformer(..., cross=True)(I)",
                "its layers read another text, and none is given",
                shapes(X),
                hint="EncoderDecoder(...)(source, target), whose `start` reads the other text",
            )
        return [(*told, cache.closed) for told in cache.memory]

    def mask(self, start: int, count: int, like: Any, skipped: Any) -> Any:
        """Make the mask: no place sees later places, or the padding before a text, except its own place."""
        if skipped is None and (start == 0 or count == 1):
            return past if self.causal and count > 1 else None
        device = like.data.device
        seen = nt.tensor(torch.arange(start + count, device=device), seq)
        at = nt.tensor(torch.arange(start, start + count, device=device), seq_)
        open_ = seen <= at if self.causal else seen == seen
        if skipped is not None:
            open_ = open_ & ((seen >= skipped) | (seen == at))
        return nt.cast(nt.where(open_, 0.0, -nt.inf), like.dtype)

    def table(self, start: int, count: int, like: Any) -> list[Any]:
        """Give what depends on the place: the tables of `turn`, or sinusoids."""
        rotary = self.positions == "rotary"
        rows = 64
        while rows < start + count:  # a compiler may not know the length itself
            rows = 2 * rows
        width = self.key // 2 if rotary else like.size(emb)
        given = self.positions, self.base, rows, width, like.data.dtype, like.data.device
        known = tables(*given)[:, start : start + count]
        return [nt.tensor(X, seq_, key if rotary else emb) for X in known]

    def forward(self, I: Any, M: Any = None, K: Any = None, cache: Cache | None = None) -> Any:
        """Take words in Z[seq'], give states in R[seq', emb], or of a decoder scores in R[seq', vocab]."""
        X = self._through(I, M, K, cache, self._at_once())[-1]
        if self.pre and self.norm is not None:
            X = self.norm(X)
        return X if self.scores is None else self.scores(X)

    def latex(self, dialect: str = "macros") -> str:
        """Print the formulas of its parts, each once and as this member has them."""
        inside = [part for layer in self.layers[:1] for part in layer.children()]
        return latex_of(
            [self.words, self.places, self.kinds, *inside, self.norm, self.scores], dialect
        )

    # ---------------------------------------------------------------------------- decoding

    def begin(self, prompt: Any, room: int | None = None) -> tuple[Any, Cache]:
        """Read all words of Z[src] but the last; give the last word, and the cache.

        Raises: NamedTensorError where padding stands elsewhere than on the left, or a text has no word.
        """
        over("model.begin(prompt)", "prompt", prompt, src)
        cache = Cache(room)
        if self.padding is not None:
            cache.skipped = self._skipped(prompt)
        if prompt.size(src) > 1:
            self(prompt[src[:-1]][src >> seq_], cache=cache)
        return prompt[src(-1)], cache

    def _skipped(self, prompt: Any) -> Any:
        """Count the padding before each text."""
        closed = nt.cast(prompt == self.padding, int)
        found = nt.sum[src](nt.cumprod[src](closed))
        if nt.any[...]((found != nt.sum[src](closed)) | (found == prompt.size(src))).item():
            raise nt.NamedTensorError(
                "model.begin(prompt)",
                f"padding, {self.padding}, stands after a word, or a text has no word",
                shapes(prompt, labels=["prompt"]),
                hint="fill up on the left: texts of unequal lengths end at one place",
            )
        return found

    def step(self, token: Any, cache: Cache) -> tuple[Any, Cache]:
        """Score the next word after one more, and give the cache that has it."""
        one_word(token)
        return self(nt.stack[seq_](token), cache=cache)[seq_(-1)], cache


@answered
class EncoderDecoder(torch.nn.Module):
    """Read one text and write another: an encoder, and a decoder whose layers read what it gives.

    `padding` is the id that fills up sources; nobody sees it. `shared` makes both sides look words up in
    one table. All other arguments are those of Transformer, for both sides.
    """

    def __init__(self, *, padding: int = 0, shared: bool = True, **sizes: Any) -> None:
        super().__init__()
        if own := {"scores", "cross"} & sizes.keys():
            raise TypeError(f"EncoderDecoder chooses {min(own)} of each side: leave it out")
        self.padding = padding
        self.encoder = Transformer(**sizes, scores=False)
        self.decoder = Transformer(**sizes, cross=True)
        if shared:
            tied = self.decoder.scores.E is self.decoder.words.E
            self.decoder.words.E = self.encoder.words.E
            if tied:
                self.decoder.scores.E = self.encoder.words.E

    def encode(self, source: Any) -> Any:
        """Z[src] -> R[src, emb]."""
        over("EncoderDecoder(...).encode(source)", "source", source, src)
        return self.encoder(source[src >> seq_], self._closed(source)[src >> seq])[seq_ >> src]

    def start(self, memory: Any, source: Any, room: int | None = None) -> Cache:
        """Project the source's keys and values once, before the first word."""
        over("EncoderDecoder(...).start(memory, source)", "source", source, src)
        over("EncoderDecoder(...).start(memory, source)", "memory", memory, src)
        told = [layer.tell(memory) for layer in self.decoder.layers]
        return Cache(room, told, self._closed(source))

    def step(self, token: Any, cache: Cache) -> tuple[Any, Cache]:
        """Score the next word after one more, and give the cache that has it."""
        return self.decoder.step(token, cache)

    def forward(self, source: Any, target: Any) -> Any:
        """Z[src], Z[seq] -> R[seq, vocab]: the scores of every next word of the target."""
        over("EncoderDecoder(...)(source, target)", "source", source, src)
        over("EncoderDecoder(...)(source, target)", "target", target, seq)
        cache = self.start(self.encode(source), source)
        return self.decoder(target[seq >> seq_], cache=cache)[seq_ >> seq]

    def latex(self, dialect: str = "macros") -> str:
        """Print the formulas of both sides, each once and as this member has them."""
        return latex_of([self.encoder, self.decoder], dialect)

    def _closed(self, source: Any) -> Any:
        closed = nt.where(source == self.padding, -nt.inf, 0.0)
        return nt.cast(closed, self.encoder.words.E.dtype)


@torch.no_grad()  # around each word, and not around what is done with it
def generate(
    model: Any,
    ids: list[int],
    count: int,
    end: int | None = None,
    room: int | None = None,
    *,
    temperature: float = 0.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Iterator[int]:
    """Yield the next words, one at a time, with a cache: the most likely ones, or drawn by chance."""
    choose = chooser(temperature, top_k, top_p, generator)
    device = next(model.parameters()).device
    token, cache = model.begin(
        nt.tensor(torch.tensor(ids, dtype=torch.int64, device=device), src), room=room
    )
    for _ in range(count):
        scores, cache = model.step(token, cache)
        token = choose(scores)
        word = int(token.item())
        if word == end:
            return
        yield word
