"""Ways that were tried where a goal is tight, beside the way that was taken.

Projections are those of multi-head attention, 512 wide with 8 heads, whose weights are declared
head x emb x key: the whole of it forward and backward, with a gradient for X, against three linear
maps whose weights are stored as linear wants them. Attention without a mask has 8 heads of 64 and 2048
positions.
Reading is what torch.compile does before inductor starts: a first step with the `eager` backend, in a
fresh process.
"""

import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention
from torch.nn.functional import embedding, linear, scaled_dot_product_attention

import namedtensor as nt
from benchmarks.bench_embedding import Embed, batch, emb, seq, vocab
from benchmarks.pairwise import compare, compare_bursts, compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Line, Row

EMB, HEADS = 512, 8
KEY = EMB // HEADS


# --------------------------------------------------------------------------------- projections


def by_linear(x: Tensor, weights: list[Tensor]) -> list[Tensor]:
    """Multiply with weights that are stored as (head key) x emb."""
    rows = x.shape[0]
    return [linear(x, W).view(rows, HEADS, KEY).transpose(0, 1) for W in weights]


def side_by_side(x: Tensor, weights: list[Tensor]) -> list[Tensor]:
    """Copy each weight to emb x (head key): what runs for many rows."""
    rows = x.shape[0]
    moved = [W.transpose(0, 1).reshape(EMB, HEADS * KEY) for W in weights]
    return [(x @ W).view(rows, HEADS, KEY).transpose(0, 1) for W in moved]


def for_each_head(x: Tensor, weights: list[Tensor]) -> list[Tensor]:
    """Multiply head by head, with the weights as they lie: what runs for few rows."""
    return [torch.bmm(x.expand(HEADS, *x.shape), W) for W in weights]


def in_one_product(x: Tensor, weights: list[Tensor]) -> list[Tensor]:
    """Copy all three side by side, and multiply once."""
    every = torch.cat([W.transpose(0, 1) for W in weights], 1).view(EMB, -1)
    product = (x @ every).view(x.shape[0], -1, KEY).transpose(0, 1)
    return list(product.split(HEADS))


class Own(torch.autograd.Function):
    """Multiply for each head, and move the weight only for the gradient of x."""

    @staticmethod
    def forward(ctx, x, W):
        ctx.save_for_backward(x, W)
        return torch.bmm(x.expand(HEADS, *x.shape), W)

    @staticmethod
    def backward(ctx, gradient):
        x, W = ctx.saved_tensors
        flat = gradient.transpose(0, 1).reshape(x.shape[0], HEADS * KEY)
        moved = W.transpose(0, 1).reshape(EMB, HEADS * KEY)
        return flat @ moved.t(), (x.t() @ flat).view(EMB, HEADS, KEY).transpose(0, 1)


def by_own_function(x: Tensor, weights: list[Tensor]) -> list[Tensor]:
    return [Own.apply(x, W) for W in weights]


def stored_for_the_product(x: Tensor, weights: list[Tensor]) -> list[Tensor]:
    """Multiply with weights whose memory is head x key x emb behind their declared shape."""
    return by_linear(x, [W.transpose(1, 2).reshape(HEADS * KEY, EMB) for W in weights])


def parameters(stored: Callable[[Tensor], Tensor]) -> list[Tensor]:
    """Make three weights, head x emb x key, from the same numbers for every way of storing them."""
    random = torch.Generator().manual_seed(0)
    drawn = [torch.randn(HEADS, EMB, KEY, generator=random) / math.sqrt(EMB) for _ in range(3)]
    return [nn.Parameter(stored(W)) for W in drawn]


def projections(rows: int, seconds: float) -> Iterator[Line]:
    x = torch.randn(rows, EMB, requires_grad=True)
    plain = parameters(Tensor.contiguous)
    flat = parameters(lambda W: W.transpose(1, 2).flatten(0, 1).contiguous())
    behind = parameters(lambda W: W.transpose(1, 2).contiguous().transpose(1, 2))
    WO = nn.Parameter(torch.randn(HEADS * KEY, EMB) / math.sqrt(EMB))

    def step(way: Callable[..., list[Tensor]], weights: list[Tensor]) -> None:
        for leaf in (x, WO, *weights):
            leaf.grad = None
        q, k, v = [projected[None] for projected in way(x, weights)]
        heads = scaled_dot_product_attention(q, k, v)
        (heads.transpose(1, 2).reshape(rows, HEADS * KEY) @ WO).sum().backward()

    twin = partial(step, by_linear, flat)
    ways = {
        "copied side by side": (side_by_side, plain),
        "a product for each head": (for_each_head, plain),
        "one product for all three": (in_one_product, plain),
        "an autograd function": (by_own_function, plain),
        "stored head x key x emb": (stored_for_the_product, behind),
    }
    for name, (way, weights) in ways.items():
        torch.testing.assert_close(way(x, weights), by_linear(x, flat), rtol=1e-4, atol=1e-5)
        comparison = compare_runs(partial(step, way, weights), twin, seconds)
        yield Row(f"projections of {rows} rows, {name} / linear", comparison)


# ------------------------------------------------------------------------ attention without a mask


def unmasked(seconds: float) -> Iterator[Line]:
    q, k, v = torch.randn(3, 1, HEADS, 2048, KEY)

    def kernel() -> Tensor:
        return scaled_dot_product_attention(q, k, v)

    block, result = torch.empty(256, 2048), torch.empty(256, KEY)

    def products() -> None:
        """Multiply as often as the kernel does, in memory that stays in the cache, without softmax."""
        for Q, K, V in zip(q[0], k[0], v[0], strict=True):
            for rows in Q.split(256):
                torch.mm(rows, K.t(), out=block)
                torch.mm(block, V, out=result)

    flex = torch.compile(flex_attention)
    torch.testing.assert_close(flex(q, k, v), kernel(), rtol=1e-4, atol=1e-5)
    what = "attention without a mask, "
    yield Row(f"{what}the kernel / its products alone", compare_runs(kernel, products, seconds))
    yield Row(
        f"{what}compiled FlexAttention / the kernel",
        compare_runs(lambda: flex(q, k, v), kernel, seconds),
    )


# -------------------------------------------------------------------------------------- embedding


@torch.no_grad()
def one_call(seconds: float) -> Iterator[Line]:
    """Take apart what a call of one lookup costs, on one id and so almost without data."""
    E = torch.randn(1000, 512)
    ids = torch.randint(1000, (1, 1))
    x, named = nt.tensor(ids, batch, seq), nt.tensor(E, vocab, emb)
    module = Embed.module(vocab[1000], emb[512])
    torchs = nn.Embedding(1000, 512)
    Embed(x, E=named)
    ((_, plan),) = Embed.plans[(x.layout, named.layout)]
    pairs = {
        "the positional code / F.embedding": (
            partial(plan.run, ids, E),
            partial(embedding, ids, E),
        ),
        "the formula / F.embedding": (partial(Embed, x, E=named), partial(embedding, ids, E)),
        "the formula's module / nn.Embedding": (partial(module, x), partial(torchs, ids)),
    }
    for name, (ours, theirs) in pairs.items():
        comparison = compare_bursts(ours, theirs, seconds)
        yield Row(f"a lookup of one id, {name}", comparison, fastest=True)


# ------------------------------------------------------------------------------------ compile time

READING = """
import torch
from time import perf_counter
from benchmarks import bench_encoder_decoder as bench
named, twin = bench.pair(bench.SMALL)
given = bench.sentences()
torch.compile(lambda x: x * 2 + 1, backend="eager")(torch.ones(3))
run = torch.compile({model}, backend="eager")
start = perf_counter()
run(*given)
print(perf_counter() - start)
"""


def seconds_to_read(model: str) -> float:
    program = [sys.executable, "-c", READING.format(model=model)]
    return float(subprocess.run(program, check=True, capture_output=True, text=True).stdout)


def reading(pairs: int) -> Line:
    found = compare(
        lambda: seconds_to_read("named"), lambda: seconds_to_read("twin"), pairs, warm=0
    )
    return Row("compile time, reading alone", found)


def rows(settings: Settings) -> Iterator[Line]:
    for count in (128, 256):
        yield from projections(count, settings.seconds(6))
    yield from unmasked(settings.seconds(6))
    yield from one_call(settings.seconds(1))
    yield reading(7 if settings.long else 3)
