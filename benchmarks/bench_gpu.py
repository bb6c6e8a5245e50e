"""On a GPU, in bf16: attention at long lengths, and a training step of a GPT-2 of 124M.

Attention is causal, 16 heads of 64, forward and backward. The GPT-2 twin is written as nanoGPT is;
both are compiled, 16 lines of 1024 tokens under autocast, AdamW left out. The fraction of the card's
peak, where we know it, counts 6 parameters + 12 layers * width * length operations a token.
"""

from collections.abc import Callable, Iterator
from time import perf_counter

import torch
from torch import Tensor, nn
from torch.nn.functional import (
    cross_entropy,
    embedding,
    gelu,
    layer_norm,
    linear,
    scaled_dot_product_attention,
)

import namedtensor as nt
from benchmarks.pairwise import compare
from benchmarks.settings import Settings
from benchmarks.table import Line, Measure, Row, Skipped
from namedtensor import R, Z, axes, formula

batch, seq, emb, hid, head, key, val, vocab = axes("batch seq emb hid head key val vocab")
seq_ = seq.prime

LAYERS, EMB, HEADS, LENGTH, LINES, WORDS = 12, 768, 12, 1024, 16, 50_304
PEAKS = {"H100": 989e12, "H200": 989e12, "A100": 312e12, "L4": 121e12, "4090": 165e12}

past = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def Attention(Q: R[seq_, key], K: R[seq, key], V: R[seq, val]) -> R[seq_, val]:
    return nt.softmax[seq](Q @ key @ K / nt.sqrt(abs(key)) + past) @ seq @ V


@formula
def Norm(X: R[emb], *, gamma: R[emb], beta: R[emb]) -> R[emb]:
    return nt.standardize[emb](X) * gamma + beta


@formula
def Block(
    X: R[seq, emb],
    *,
    norm1: Norm,
    WQ: R[emb, head, key],
    WK: R[emb, head, key],
    WV: R[emb, head, val],
    WO: R[head, val, emb],
    norm2: Norm,
    W1: R[emb, hid],
    b1: R[hid],
    W2: R[hid, emb],
    b2: R[emb],
) -> R[seq, emb]:
    Y = norm1(X)
    heads = Attention((Y @ emb @ WQ)[seq >> seq_], Y @ emb @ WK, Y @ emb @ WV)
    X = X + (heads @ (head, val) @ WO)[seq_ >> seq]
    return X + nt.gelu(norm2(X) @ emb @ W1 + b1) @ hid @ W2 + b2


@formula
def Embed(x: Z[seq], *, E: R[vocab, emb], P: R[seq, emb]) -> R[seq, emb]:
    return E @ vocab @ nt.one_hot(x, vocab) + P


@formula
def surprise(X: R[emb], y: Z, *, E: R[vocab, emb]) -> R:
    return -(nt.log(nt.softmax[vocab](X @ emb @ E)) @ vocab @ nt.one_hot(y, vocab))


class Named(nn.Module):
    """A GPT-2 by formulas; gives the loss of each next token."""

    def __init__(self) -> None:
        super().__init__()
        sizes = emb[EMB], hid[4 * EMB], head[HEADS], key[EMB // HEADS], val[EMB // HEADS]
        self.embed = Embed.module(vocab[WORDS], emb[EMB], seq[LENGTH])
        self.blocks = nn.ModuleList(Block.module(*sizes) for _ in range(LAYERS))
        self.norm = Norm.module(emb[EMB])

    def forward(self, ids: Tensor) -> Tensor:
        X = self.embed(nt.tensor(ids[:, :-1], batch, seq))
        for block in self.blocks:
            X = block(X)
        E = nt.tensor(self.embed.E, vocab, emb)
        y = nt.tensor(ids[:, 1:], batch, seq)
        return nt.mean[batch, seq](surprise(self.norm(X), y, E=E)).data


class TwinBlock(nn.Module):
    def __init__(self, named: nn.Module) -> None:
        super().__init__()
        W = [getattr(named, name).detach().flatten(1) for name in ("WQ", "WK", "WV")]
        self.qkv = nn.Parameter(torch.cat(W, 1).T.contiguous())
        self.out = nn.Parameter(named.WO.detach().flatten(0, 1).T.contiguous())
        self.up = nn.Parameter(named.W1.detach().T.contiguous())
        self.down = nn.Parameter(named.W2.detach().T.contiguous())
        self.b1, self.b2 = (nn.Parameter(b.detach().clone()) for b in (named.b1, named.b2))
        for name in ("norm1", "norm2"):
            norm = getattr(named, name)
            self.register_parameter(f"{name}_gamma", nn.Parameter(norm.gamma.detach().clone()))
            self.register_parameter(f"{name}_beta", nn.Parameter(norm.beta.detach().clone()))

    def forward(self, x: Tensor) -> Tensor:
        b, n, e = x.shape
        y = layer_norm(x, (e,), self.norm1_gamma, self.norm1_beta)
        q, k, v = (
            part.view(b, n, HEADS, e // HEADS).transpose(1, 2)
            for part in linear(y, self.qkv).split(e, dim=2)
        )
        y = scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(y.transpose(1, 2).reshape(b, n, e), self.out)
        y = layer_norm(x, (e,), self.norm2_gamma, self.norm2_beta)
        return x + linear(gelu(linear(y, self.up, self.b1)), self.down, self.b2)


class Twin(nn.Module):
    """The same by positions, with a copy of the named one's weights."""

    def __init__(self, named: Named) -> None:
        super().__init__()
        self.E, self.P, self.gamma, self.beta = (
            nn.Parameter(p.detach().clone())
            for p in (named.embed.E, named.embed.P, named.norm.gamma, named.norm.beta)
        )
        self.blocks = nn.ModuleList(TwinBlock(block) for block in named.blocks)

    def forward(self, ids: Tensor) -> Tensor:
        x = embedding(ids[:, :-1], self.E) + self.P
        for block in self.blocks:
            x = block(x)
        logits = linear(layer_norm(x, (EMB,), self.gamma, self.beta), self.E)
        return cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def awaited(run: Callable[[], object], repeats: int) -> Callable[[], float]:
    """Time a program on the GPU, and wait for it."""

    def seconds() -> float:
        torch.cuda.synchronize()
        start = perf_counter()
        for _ in range(repeats):
            run()
        torch.cuda.synchronize()
        return (perf_counter() - start) / repeats

    return seconds


def attention(length: int, pairs: int) -> Row:
    q, k, v, slope = torch.randn(4, 16, length, 64, device="cuda", dtype=torch.bfloat16)
    given = [x.requires_grad_() for x in (q, k, v)]

    def ours() -> Tensor:
        Q, K, V = (
            nt.tensor(x, head, s, f)
            for x, s, f in zip(given, (seq_, seq, seq), (key, key, val), strict=True)
        )
        return Attention(Q, K, V).torch(head, seq_, val)

    def theirs() -> Tensor:
        return scaled_dot_product_attention(*(x[None] for x in given), is_causal=True)[0]

    torch.testing.assert_close(ours(), theirs(), rtol=2e-2, atol=2e-2)
    programs = [
        awaited(lambda f=f: torch.autograd.grad(f(), given, slope), max(1, 65_536 // length))
        for f in (ours, theirs)
    ]
    what = f"causal attention formula, {length} positions, forward and backward"
    return Row(what, compare(*programs, pairs, warm=3), goal=1 / 0.98)


def gpt2(pairs: int) -> Iterator[Line]:
    torch.manual_seed(0)
    named = Named().cuda()
    with torch.no_grad():
        for parameter in named.parameters():
            if parameter.ndim > 1:
                parameter.normal_(std=0.02)
    twin = Twin(named).cuda()
    ids = torch.randint(WORDS, (LINES, LENGTH + 1), device="cuda")

    def trained(model: nn.Module) -> Callable[[], Tensor]:
        compiled = torch.compile(model)

        def step() -> Tensor:
            model.zero_grad(set_to_none=True)
            with torch.autocast("cuda", torch.bfloat16):
                loss = compiled(ids)
            loss.backward()
            return loss.detach()

        return step

    ours, theirs = trained(named), trained(twin)
    torch.testing.assert_close(ours(), theirs(), rtol=1e-2, atol=1e-2)
    comparison = compare(awaited(ours, 5), awaited(theirs, 5), pairs, warm=2)
    yield Row("GPT-2 124M training step, compiled", comparison, goal=1.0)
    yield throughput(named, min(comparison.ours), min(comparison.theirs))


def throughput(named: Named, ours: float, theirs: float) -> Measure:
    tokens = LINES * LENGTH
    card = torch.cuda.get_device_name()
    peak = next((peak for name, peak in PEAKS.items() if name in card), None)
    operations = 6 * sum(p.numel() for p in named.parameters()) + 12 * LAYERS * EMB * LENGTH

    def rate(seconds: float) -> str:
        done = f"{tokens / seconds:,.0f} tokens/s"
        return f"{done}, {tokens * operations / seconds / peak:.1%} of the peak" if peak else done

    return Measure(
        "GPT-2 124M tokens", rate(ours), "at least as many", ours <= theirs, rate(theirs)
    )


def rows(settings: Settings) -> Iterator[Line]:
    if not torch.cuda.is_available():
        yield Skipped("attention and GPT-2 in bf16", "no GPU here", "at most 1.02, 1.00")
        return
    torch.set_float32_matmul_precision("high")
    for length in (2048, 8192, 32_768):
        yield attention(length, 60 if settings.long else 20)
    yield from gpt2(40 if settings.long else 12)
