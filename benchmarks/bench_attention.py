"""Attention as a formula: against positional torch, against itself unfused, and its memory.

Multi-head attention is 512 wide with 8 heads and one batch; the twin is what a specialist writes,
three linear maps and scaled_dot_product_attention. Both have the same numbers.
"""

import math
import subprocess
import sys
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

import namedtensor as nt
from benchmarks.pairwise import compare_bursts, compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Line, Measure, Row
from namedtensor import R, axes, formula

batch, seq, emb, head, key, val = axes("batch seq emb head key val")
seq_ = seq.prime

EMB, HEADS = 512, 8
KEY = EMB // HEADS


@formula
def Attention(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key))) @ seq @ V


@formula(fuse=False)
def Unfused(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key))) @ seq @ V


past = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def Causal(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + past) @ seq @ V


@formula(fuse=False)
def UnfusedCausal(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + past) @ seq @ V


@formula
def MultiHead(
    X: R[seq, emb],
    *,
    WQ: R[head, emb, key],
    WK: R[head, emb, key],
    WV: R[head, emb, val],
    WO: R[head, val, emb],
) -> R[seq, emb]:
    heads = Attention((X @ emb @ WQ)[seq >> seq_], X @ emb @ WK, X @ emb @ WV)
    return (heads @ (head, val) @ WO)[seq_ >> seq]


@formula
def MultiHeadStored(
    X: R[seq, emb],
    *,
    WQ: R[head, key, emb],
    WK: R[head, key, emb],
    WV: R[head, val, emb],
    WO: R[head, val, emb],
) -> R[seq, emb]:
    """Compute MultiHead; the weights are declared in the order in which torch's linear stores them."""
    return MultiHead(X, WQ=WQ, WK=WK, WV=WV, WO=WO)


class Positional(nn.Module):
    """Multi-head attention by positions, with the weights of a named one."""

    def __init__(self, named: nn.Module) -> None:
        super().__init__()
        W = named.named_values()
        into = [W["WQ"].torch(head, key, emb), W["WK"].torch(head, key, emb)]
        into.append(W["WV"].torch(head, val, emb))
        self.WQ, self.WK, self.WV = (nn.Parameter(w.detach().flatten(0, 1).clone()) for w in into)
        self.WO = nn.Parameter(W["WO"].torch(emb, head, val).detach().flatten(1).clone())

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        q = linear(x, self.WQ).view(b, n, HEADS, KEY).transpose(1, 2)
        k = linear(x, self.WK).view(b, n, HEADS, KEY).transpose(1, 2)
        v = linear(x, self.WV).view(b, n, HEADS, KEY).transpose(1, 2)
        y = scaled_dot_product_attention(q, k, v)
        return linear(y.transpose(1, 2).reshape(b, n, EMB), self.WO)


def multi_head(
    length: int, seconds: float, formula: nt.Formula = MultiHead, note: str = ""
) -> list[Row]:
    named = formula.module(emb[EMB], head[HEADS], key[KEY], val[KEY])
    twin = Positional(named)
    x = torch.randn(1, length, EMB)
    X = nt.tensor(x, batch, seq, emb)
    torch.testing.assert_close(named(X).torch(batch, seq, emb), twin(x), rtol=1e-4, atol=1e-5)

    def trained(run: Callable[[], Tensor], module: nn.Module) -> Callable[[], None]:
        def step() -> None:
            module.zero_grad(set_to_none=True)
            run().sum().backward()

        return step

    def ours() -> Tensor:
        return named(X).data

    def theirs() -> Tensor:
        return twin(x)

    tiny = length < 64
    compare = compare_bursts if tiny else compare_runs
    what = f"multi-head attention{note}, {length} positions, "
    both = compare(trained(ours, named), trained(theirs, twin), seconds)
    with torch.no_grad():
        forward = compare(ours, theirs, seconds)
    goal = 1.10 if tiny else 1.03
    return [
        Row(f"{what}forward", forward, goal, fastest=tiny),
        Row(f"{what}forward and backward", both, goal, fastest=tiny),
    ]


def fused(length: int, causal: bool, seconds: float) -> Row:
    """Compare the formula with itself as written, 8 heads of 64."""
    ours, theirs = (Causal, UnfusedCausal) if causal else (Attention, Unfused)
    Q = nt.normal(head[HEADS], seq_[length], key[KEY], backend="torch")
    K = nt.normal(head[HEADS], seq[length], key[KEY], backend="torch")
    V = nt.normal(head[HEADS], seq[length], val[KEY], backend="torch")
    nt.testing.assert_close(ours(Q, K, V), theirs(Q, K, V), rtol=1e-4, atol=1e-5)
    comparison = compare_runs(lambda: ours(Q, K, V), lambda: theirs(Q, K, V), seconds)
    name = "causal attention formula" if causal else "attention formula"
    what = f"{name} / the same unfused, {length} positions, 4x faster"
    return Row(what, comparison, goal=1 / 4)


def brief(seconds: float) -> Row:
    """Compare words of 16 letters, 4 heads of 32 features, with gradients in bfloat16, with torch's own."""
    count = dict(batch=128, head=4)
    rows = [(seq_, key), (seq, key), (seq, val)]
    given = [
        nt.tensor(torch.randn(*count.values(), 16, 32, dtype=torch.bfloat16), *count, *axes_)
        for axes_ in rows
    ]
    leaves = [X.data.requires_grad_() for X in given]

    def trained(run: Callable[[], Tensor]) -> Callable[[], None]:
        def step() -> None:
            for leaf in leaves:
                leaf.grad = None
            run().sum().backward()

        return step

    both = compare_runs(
        trained(lambda: Attention(*given).torch(*count, seq_, val)),
        trained(lambda: scaled_dot_product_attention(*leaves)),
        seconds,
    )
    what = "attention of 128 x 16 positions in bfloat16, forward and backward / torch's own"
    return Row(what, both, goal=1.0)


PEAK = """
import resource
import torch
import namedtensor as nt
from benchmarks.bench_attention import {formula} as attention
torch.set_num_threads(1)
def inputs(n):
    return [nt.zeros("head[8]", f"{{ax}}[{{n}}]", f"{{f}}[64]", backend="torch")
            for ax, f in (("seq'", "key"), ("seq", "key"), ("seq", "val"))]
attention(*inputs(16))
given = inputs({length})
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
imported, ballast = peak(), []
while peak() < imported + 4096:
    ballast.append(torch.ones(2 ** 18))
before = peak()
attention(*given)
print(peak() - before)
"""


def peak(formula: str, length: int) -> float:
    """Say by how many MiB one call raises a fresh process's peak memory.

    The ballast fills what the imports took and gave back, which would hide the call.
    """
    program = PEAK.format(formula=formula, length=length)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    return int(done.stdout) / 1024


def memory() -> Line:
    """Fit the power of the length with which memory grows: 1 is linear, 2 is the square."""
    lengths = (1024, 2048, 4096)
    ours, theirs = ([peak(name, n) for n in lengths] for name in ("Attention", "Unfused"))
    powers = [math.log2(mib[-1] / mib[0]) / 2 for mib in (ours, theirs)]
    return Measure(
        "peak memory of a call at 1024, 2048, 4096 positions / the same unfused",
        ", ".join(f"{mib:.0f}" for mib in ours) + f" MiB, length^{powers[0]:.1f}",
        "at most length^1.1",
        powers[0] <= 1.1,
        theirs=", ".join(f"{mib:.0f}" for mib in theirs) + f" MiB, length^{powers[1]:.1f}",
    )


def rows(settings: Settings) -> Iterator[Line]:
    for length in (4, 128, 512, 2048):
        yield from multi_head(length, settings.seconds(6))
    note = " with weights declared head x key x emb"
    yield from multi_head(128, settings.seconds(6), MultiHeadStored, note)
    for causal in (False, True):
        yield fused(2048, causal, settings.seconds(6))
    yield brief(settings.seconds(6))
    yield memory()
