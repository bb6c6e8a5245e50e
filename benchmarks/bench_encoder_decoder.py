"""The encoder-decoder of transformer_named against a hand-written positional twin.

d = 512, 6 + 6 layers, dropout 0.1, 8 pairs of 32 tokens; a training step is forward, loss and
backward, without the optimiser, which is the same for both. Decoding adds the 17th token to one
sentence. Compile times are those of a 1 + 1 layer model's first step by inductor, in fresh processes
with empty caches. `--compiled` compiles the big model and takes minutes.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

import namedtensor as nt
from benchmarks import positional
from benchmarks.pairwise import compare, compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Line, Row, Skipped
from namedtensor import R, Z, axes, formula
from transformer_named.encoder_decoder import EncoderDecoder, Sizes

batch, src, seq, vocab = axes("batch src seq vocab")

WORDS = 1000
BIG = Sizes(WORDS, WORDS, emb=512, hid=2048, head=8, key=64, val=64, layers=6, dropout=0.1)
SMALL = Sizes(WORDS, WORDS, emb=64, hid=128, head=4, key=16, val=16, layers=1, dropout=0.1)


@formula
def surprise(scores: R[vocab], y: Z) -> R:
    """Measure how little the truth was expected: -log(softmax(scores)) ._vocab onehot(y)."""
    return -(nt.log(nt.softmax[vocab](scores)) @ vocab @ nt.one_hot(y, vocab))


class Named(torch.nn.Module):
    """The loss of the named model, behind a positional door."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.model = EncoderDecoder(sizes)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        y = nt.tensor(target[:, 1:], batch, seq)
        scores = self.model(nt.tensor(source, batch, src), nt.tensor(target[:, :-1], batch, seq))
        return nt.mean[batch, seq](surprise(scores, y)).data


class Twin(torch.nn.Module):
    """The loss of the twin."""

    def __init__(self, named: Named) -> None:
        super().__init__()
        self.model = positional.EncoderDecoder(named.model)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        scores = self.model(source, target[:, :-1])
        return cross_entropy(scores.flatten(0, 1), target[:, 1:].flatten())


def pair(sizes: Sizes) -> tuple[Named, Twin]:
    torch.manual_seed(0)
    named = Named(sizes)
    return named, Twin(named)


def sentences(count: int = 8, length: int = 32) -> tuple[Tensor, Tensor]:
    """Make source and target, the source ending in padding that is longer from line to line."""
    source, target = torch.randint(1, WORDS, (2, count, length))
    for line in range(count):
        source[line, length - line :] = 0
    return source, torch.cat((target, target[:, :1]), 1)


def trained(
    model: torch.nn.Module, run: Callable[..., Tensor], *given: Tensor
) -> Callable[[], None]:
    def step() -> None:
        model.zero_grad(set_to_none=True)
        run(*given).backward()

    return step


def training(compiled: bool, seconds: float) -> Line:
    what = f"training step, {'compiled' if compiled else 'eager'}"
    named, twin = pair(BIG)
    given = sentences()
    with torch.no_grad():
        torch.testing.assert_close(named.eval()(*given), twin.eval()(*given), rtol=1e-4, atol=1e-4)
    ours, theirs = (torch.compile(m) if compiled else m for m in (named.train(), twin.train()))
    comparison = compare_runs(trained(named, ours, *given), trained(twin, theirs, *given), seconds)
    return Row(what, comparison, goal=1.02)


@torch.no_grad()
def decoding(what: str, sizes: Sizes, goal: float, seconds: float) -> Line:
    named, twin = (model.model.eval() for model in pair(sizes))
    source, target = sentences(1, 17)
    X, Y = nt.tensor(source, batch, src), nt.tensor(target, batch, seq)
    cache, twins = named.start(named.encode(X), X), twin.start(source)
    for place in range(16):
        _, cache = named.step(Y[seq(place)], cache)
        _, twins = twin.step(target[:, place], twins)
    token, last = Y[seq(16)], target[:, 16]
    torch.testing.assert_close(
        named.step(token, cache)[0].torch(batch, vocab), twin.step(last, twins)[0],
        rtol=1e-4, atol=1e-4,
    )  # fmt: skip
    comparison = compare_runs(
        lambda: named.step(token, cache), lambda: twin.step(last, twins), seconds
    )
    return Row(what, comparison, goal)


FIRST_STEP = """
import torch
from time import perf_counter
from benchmarks import bench_encoder_decoder as bench
named, twin = bench.pair(bench.SMALL)
given = bench.sentences()
torch.compile(lambda x: x * 2 + 1)(torch.ones(3))
model = {model}
run = torch.compile(model)
start = perf_counter()
run(*given).backward()
print(perf_counter() - start)
"""


def seconds_to_compile(model: str) -> float:
    """Take the first step of a compiled model in a fresh process with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", FIRST_STEP.format(model=model)],
            env={**os.environ, "TORCHINDUCTOR_CACHE_DIR": folder},
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    return float(done.stdout)


def compiling(pairs: int) -> Line:
    comparison = compare(
        lambda: seconds_to_compile("named"), lambda: seconds_to_compile("twin"), pairs, warm=0
    )
    return Row("compile time", comparison, goal=1.2)


def rows(settings: Settings) -> Iterator[Line]:
    yield training(False, settings.seconds(40))
    if settings.compiled:
        yield training(True, settings.seconds(40))
    else:
        yield Skipped("training step, compiled", "only with --compiled", "at most 1.02")
    yield decoding("one more token, with caches", BIG, 1.1, settings.seconds(10))
    yield compiling(7 if settings.long else 3)
