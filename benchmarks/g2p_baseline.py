"""The main job with a plain torch model of the same size: positional axes, no names.

Run `python benchmarks/g2p_baseline.py --help` for its options. It shares data, order of examples,
optimiser, schedule and scoring with `transformer-named g2p train`; only the model differs.
"""

import argparse
import math
import tempfile
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, dropout, scaled_dot_product_attention

from transformer_named.g2p.dictionary import cmudict_file, read_dictionary, read_word_list
from transformer_named.g2p.evaluation import evaluate
from transformer_named.g2p.examples import encode
from transformer_named.g2p.folders import RunFolder
from transformer_named.g2p.progress import Progress
from transformer_named.g2p.settings import Settings
from transformer_named.g2p.split import split_words
from transformer_named.g2p.symbols import BEGIN, END, PAD, PHONEME_SIZE, SPELLING_SIZE
from transformer_named.g2p.training import Training, Watch

LONGEST = 64


class Attention(nn.Module):
    def __init__(self, s: Settings) -> None:
        super().__init__()
        self.head = s.head
        self.query = nn.Linear(s.emb, s.head * s.key, bias=False)
        self.keys = nn.Linear(s.emb, s.head * s.key, bias=False)
        self.values = nn.Linear(s.emb, s.head * s.val, bias=False)
        self.out = nn.Linear(s.head * s.val, s.emb, bias=False)

    def forward(self, x: Tensor, memory: Tensor, allowed: Tensor | None) -> Tensor:
        q, k, v = (
            f(y).unflatten(-1, (self.head, -1)).transpose(1, 2)
            for f, y in ((self.query, x), (self.keys, memory), (self.values, memory))
        )
        y = scaled_dot_product_attention(q, k, v, allowed, is_causal=allowed is None)
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, s: Settings, cross: bool) -> None:
        super().__init__()
        self.attention = Attention(s)
        self.cross = Attention(s) if cross else None
        self.ffn = nn.Sequential(nn.Linear(s.emb, s.hid), nn.ReLU(), nn.Linear(s.hid, s.emb))
        self.norms = nn.ModuleList(nn.LayerNorm(s.emb) for _ in range(2 + cross))
        self.p = s.dropout

    def forward(
        self, x: Tensor, allowed: Tensor | None, memory=None, memory_allowed=None
    ) -> Tensor:
        y = self.norms[0](x)
        x = x + dropout(self.attention(y, y, allowed), self.p, self.training)
        if self.cross is not None:
            y = self.cross(self.norms[1](x), memory, memory_allowed)
            x = x + dropout(y, self.p, self.training)
        return x + dropout(self.ffn(self.norms[-1](x)), self.p, self.training)


class Plain(nn.Module):
    """A pre-norm encoder-decoder."""

    def __init__(self, s: Settings) -> None:
        super().__init__()
        self.source = nn.Embedding(SPELLING_SIZE, s.emb)
        self.target = nn.Embedding(PHONEME_SIZE, s.emb)
        for embedding in (self.source, self.target):
            nn.init.normal_(embedding.weight, std=s.emb**-0.5)
        self.encoder = nn.ModuleList(Layer(s, cross=False) for _ in range(s.layers))
        self.decoder = nn.ModuleList(Layer(s, cross=True) for _ in range(s.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(s.emb) for _ in range(2))
        self.logits = nn.Linear(s.emb, PHONEME_SIZE, bias=False)
        self.p = s.dropout
        angle = torch.arange(LONGEST)[:, None] * 10000 ** (-torch.arange(0, s.emb, 2) / s.emb)
        self.register_buffer("positions", torch.stack((angle.sin(), angle.cos()), -1).flatten(1))

    def embed(self, embedding: nn.Embedding, ids: Tensor) -> Tensor:
        x = embedding(ids) * math.sqrt(embedding.embedding_dim) + self.positions[: ids.shape[1]]
        return dropout(x, self.p, self.training)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        allowed = (source != PAD)[:, None, None]
        x = self.embed(self.source, source)
        for layer in self.encoder:
            x = layer(x, allowed)
        return self.norms[0](x), allowed

    def decode(self, memory: Tensor, allowed: Tensor, target: Tensor) -> Tensor:
        x = self.embed(self.target, target)
        for layer in self.decoder:
            x = layer(x, None, memory, allowed)
        return self.logits(self.norms[1](x))


class PlainSpeller:
    """The plain model behind the door that training and evaluation use."""

    def __init__(self, s: Settings) -> None:
        self.module = Plain(s).to(s.device)

    def loss(self, source: Tensor, target: Tensor, smoothing: float) -> Tensor:
        logits = self.module.decode(*self.module.encode(source), target[:, :-1])
        return cross_entropy(
            logits.flatten(0, 1).float(),
            target[:, 1:].flatten(),
            ignore_index=PAD,
            label_smoothing=smoothing,
        )

    def pronounce(self, source: Tensor, beams: int) -> list[list[int]]:
        if beams != 1:
            raise NotImplementedError("the baseline is greedy")
        memory, allowed = self.module.encode(source)
        ids = torch.full((len(source), 1), BEGIN, device=source.device)
        while ids.shape[1] < source.shape[1] + 12 and not (ids == END).any(1).all():
            step = self.module.decode(memory, allowed, ids)[:, -1].argmax(-1, keepdim=True)
            ids = torch.cat((ids, step), 1)
        return ids.tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("emb", "hid", "head", "key", "val", "layers", "steps", "batch", "seed"):
        parser.add_argument(f"--{name}", type=int, default=argparse.SUPPRESS)
    for name in ("seconds", "learning-rate", "dropout", "warmup", "smoothing", "weight-decay"):
        parser.add_argument(f"--{name}", type=float, default=argparse.SUPPRESS)
    parser.add_argument("--device", default=argparse.SUPPRESS)
    parser.add_argument("--precision", default=argparse.SUPPRESS)
    parser.add_argument("--test-words", type=Path)
    parser.add_argument(
        "--evaluate", type=int, default=None, help="test words to score, default all"
    )
    given = vars(parser.parse_args())
    test_file, count = given.pop("test_words"), given.pop("evaluate")
    settings = Settings().with_given(given)

    dictionary = read_dictionary(cmudict_file())
    split = split_words(dictionary, read_word_list(test_file) if test_file else None)
    torch.manual_seed(settings.seed)
    speller = PlainSpeller(settings)
    print(f"{sum(p.numel() for p in speller.module.parameters()):,} parameters, {settings}")
    with tempfile.TemporaryDirectory() as folder, Progress() as progress:
        training = Training(
            speller, settings, encode(split.train, dictionary), RunFolder(Path(folder))
        )
        training.run(Watch(), progress)
    score, _ = evaluate(speller, split.test[:count], dictionary, device=settings.device)
    print(f"{score} after {training.step} steps in {training.seconds:.0f} s")


if __name__ == "__main__":
    main()
