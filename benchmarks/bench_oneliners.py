"""One line of a model, run eagerly, against the positional line that a careful person writes.

Float32 and small sizes (4 batches, 5 beams, 8 positions, 16 features, 30 words), so that most of the time is
overhead; "many" are 8 x 32,000 scores, 64 x 1,000 indices of 1,000, and 1,024 of 32,000 words. The ratio
is that of the fastest bursts; "and backward" adds the gradient of the sum of the result.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

import namedtensor as nt
from benchmarks.pairwise import compare_bursts
from benchmarks.settings import Settings
from benchmarks.table import Line, Row
from namedtensor import R, Z, axes, formula

THREADS = 1

batch, beam, seq, emb, hid, vocab, group, kernel, k = axes(
    "batch beam seq emb hid vocab group kernel k"
)
beam_, emb_, seq_ = beam.prime, emb.prime, seq.prime

g = torch.Generator().manual_seed(0)


def leaf(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=g, requires_grad=True)


h, z, x, s = leaf(4, 5, 16), leaf(4, 8, 30), leaf(4, 8, 16), leaf(4, 8, 8)
e, w, v = leaf(30, 16), leaf(16, 6), leaf(6, 16)
a, b = leaf(4, 8), leaf(4, 6)
image, gain, shift = leaf(4, 16, 12), leaf(16), leaf(16)
par = torch.randint(5, (4, 5), generator=g)
y = torch.randint(30, (4, 8), generator=g)
kept = torch.arange(8) < torch.tensor([8, 3, 5, 1])[:, None]
each, later = torch.arange(4)[:, None], torch.ones(8, 8, dtype=torch.bool).triu(1)

H, Par = nt.tensor(h, batch, beam, hid), nt.tensor(par, batch, beam_)
Scores, Y, Kept = (
    nt.tensor(z, batch, seq, vocab),
    nt.tensor(y, batch, seq),
    nt.tensor(kept, batch, seq),
)
X, S, E = nt.tensor(x, batch, seq, emb), nt.tensor(s, batch, seq, seq_), nt.tensor(e, vocab, emb)
W, V = nt.tensor(w, emb, hid), nt.tensor(v, hid, emb_)
many_z, many_a, many_e = leaf(8, 32_000), leaf(64, 1000), leaf(32_000, 64)
many_i = torch.randint(1000, (64, 1000), generator=g)
many_y = torch.randint(32_000, (8, 128), generator=g)
Many, ManyA = nt.tensor(many_z, batch, vocab), nt.tensor(many_a, batch, seq)
ManyE, ManyY = nt.tensor(many_e, vocab, emb), nt.tensor(many_y, batch, seq)
ManyI = nt.tensor(many_i, batch, seq_)
A, B = nt.tensor(a, batch, seq), nt.tensor(b, batch, hid)
Image, Gain, Shift = nt.tensor(image, batch, emb, seq), nt.tensor(gain, emb), nt.tensor(shift, emb)
causal = nt.define[seq, seq_](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def grouped(X: R[emb, seq], gamma: R[emb], beta: R[emb]) -> R[emb, seq]:
    parts = X[emb >> (group[4], emb)]
    centred = parts - nt.mean[emb, seq](parts)
    normed = centred / nt.sqrt(nt.var[emb, seq](parts) + 1e-5)
    return normed[(group, emb) >> emb] * gamma + beta


@formula
def loss(scores: R[vocab], y: Z) -> R:
    return -nt.log_softmax[vocab](scores)[vocab(y)]


def nucleus() -> nt.NamedTensor:
    """Keep the most likely words that have 0.9 of the probability."""
    ordered = nt.sort[vocab](Scores, descending=True)
    p = nt.softmax[vocab](ordered)
    return nt.where(nt.cumsum[vocab](p) - p < 0.9, ordered, -nt.inf)


def positional_nucleus() -> Tensor:
    ordered = z.sort(-1, descending=True).values
    p = ordered.softmax(-1)
    return ordered.masked_fill(p.cumsum(-1) - p >= 0.9, -torch.inf)


def similarity() -> nt.NamedTensor:
    """Give the cosine between each two positions."""
    other, n = X[seq >> seq_], nt.norm[emb](X)
    return X @ emb @ other / (n * n[seq >> seq_])


def positional_similarity() -> Tensor:
    n = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x @ x.mT / (n * n.mT)


def written() -> Tensor:
    found: Tensor = x.clone()
    found[:, 0] = 0.0
    return found


@dataclass(frozen=True)
class Case:
    """A line in both ways, the order of the twin's axes, and what has a gradient, if anything."""

    what: str
    ours: Callable[[], nt.NamedTensor]
    theirs: Callable[[], Tensor]
    order: str
    leaf: Tensor | None = None


CASES = [
    Case(
        "reordered beams / h[arange, par]",
        lambda: H[beam(Par)],
        lambda: h[each, par],
        "batch beam' hid",
        h,
    ),
    Case(
        "scores of targets / gather",
        lambda: Scores[vocab(Y)],
        lambda: z.gather(-1, y[..., None])[..., 0],
        "batch seq",
        z,
    ),
    Case(
        "cross entropy by index / gather",
        lambda: -nt.log_softmax[vocab](Scores)[vocab(Y)],
        lambda: -z.log_softmax(-1).gather(-1, y[..., None])[..., 0],
        "batch seq",
        z,
    ),
    Case(
        "cross entropy by index as a formula / F.cross_entropy",
        lambda: loss(Scores, Y),
        lambda: F.cross_entropy(z.flatten(0, 1), y.flatten(), reduction="none").view(4, 8),
        "batch seq",
        z,
    ),
    Case(
        "embedding / F.embedding",
        lambda: E[vocab(Y)],
        lambda: F.embedding(y, e),
        "batch seq emb",
        e,
    ),
    Case(
        "bag of words / F.embedding, sum",
        lambda: nt.sum[seq](E[vocab(Y)]),
        lambda: F.embedding(y, e).sum(1),
        "batch emb",
        e,
    ),
    Case(
        "argsort and index / argsort, gather",
        lambda: A[seq(nt.argsort[seq](A))],
        lambda: a.gather(1, a.argsort(dim=1, stable=True)),
        "batch seq",
        a,
    ),
    Case(
        "maxk / topk",
        lambda: nt.maxk[vocab, k[5]](Scores),
        lambda: z.topk(5).values,
        "batch seq k",
        z,
    ),
    Case(
        "argmaxk_index / topk",
        lambda: nt.argmaxk_index[vocab, k[5]](Scores),
        lambda: z.topk(5).indices,
        "batch seq k",
    ),
    Case(
        "argmaxk / topk, F.one_hot",
        lambda: nt.argmaxk[vocab, k[5]](Scores),
        lambda: F.one_hot(z.topk(5).indices, 30),
        "batch seq k vocab",
    ),
    Case(
        "top-p filtering / sort, cumsum, masked_fill",
        nucleus,
        positional_nucleus,
        "batch seq vocab",
        z,
    ),
    Case(
        "one_hot / F.one_hot",
        lambda: nt.one_hot(Y, vocab[30]),
        lambda: F.one_hot(y, 30),
        "batch seq vocab",
    ),
    Case(
        "where(Kept, 0, A) / masked_fill",
        lambda: nt.where(Kept, 0, A),
        lambda: a.masked_fill(kept, 0),
        "batch seq",
        a,
    ),
    Case(
        "where(Kept, A, -inf) / torch.where",
        lambda: nt.where(Kept, A, -nt.inf),
        lambda: torch.where(kept, a, -torch.inf),
        "batch seq",
        a,
    ),
    Case(
        "masked mean / where, sum",
        lambda: nt.sum[seq](nt.where(Kept, X, 0.0)) / nt.sum[seq](Kept),
        lambda: torch.where(kept[..., None], x, 0.0).sum(1) / kept.sum(1, keepdim=True),
        "batch emb",
        x,
    ),
    Case(
        "causal softmax / masked_fill, softmax",
        lambda: nt.softmax[seq_](S + causal),
        lambda: s.masked_fill(later, -torch.inf).softmax(-1),
        "batch seq seq'",
        s,
    ),
    Case(
        "group norm as a formula / F.group_norm",
        lambda: grouped(Image, Gain, Shift),
        lambda: F.group_norm(image, 4, gain, shift),
        "batch emb seq",
        image,
    ),
    Case(
        "standardize / F.layer_norm",
        lambda: nt.standardize[emb](X, 1e-5),
        lambda: F.layer_norm(x, (16,)),
        "batch seq emb",
        x,
    ),
    Case(
        "dot of three / torch.einsum",
        lambda: nt.dot[emb, hid](X, W, V),
        lambda: torch.einsum("bse,eh,hf->bsf", x, w, v),
        "batch seq emb'",
        x,
    ),
    Case(
        "cosine similarity / matmul, vector_norm",
        similarity,
        positional_similarity,
        "batch seq seq'",
        x,
    ),
    Case(
        "distances / broadcast",
        lambda: nt.sum[emb]((X - X[seq >> seq_]) ** 2),
        lambda: ((x[:, :, None] - x[:, None]) ** 2).sum(-1),
        "batch seq seq'",
        x,
    ),
    Case(
        "outer sum / broadcast",
        lambda: A + B,
        lambda: a[:, :, None] + b[:, None],
        "batch seq hid",
        a,
    ),
    Case("sum of squares", lambda: nt.sum[emb](X * X), lambda: (x * x).sum(-1), "batch seq", x),
    Case("cumsum", lambda: nt.cumsum[seq](X), lambda: x.cumsum(1), "batch seq emb", x),
    Case(
        "clip / clamp",
        lambda: nt.clip(X, -1.0, 1.0),
        lambda: x.clamp(-1.0, 1.0),
        "batch seq emb",
        x,
    ),
    Case("pad / F.pad", lambda: nt.pad[seq](A, 1, 0), lambda: F.pad(a, (1, 0)), "batch seq", a),
    Case("roll", lambda: nt.roll[seq](X, 1), lambda: x.roll(1, 1), "batch seq emb", x),
    Case(
        "concat / cat",
        lambda: nt.concat[seq](X, X),
        lambda: torch.cat((x, x), 1),
        "batch seq emb",
        x,
    ),
    Case("stack", lambda: nt.stack[k](A, A), lambda: torch.stack((a, a)), "k batch seq", a),
    Case(
        "unroll / unfold, a view",
        lambda: nt.unroll[seq, kernel[3]](X),
        lambda: x.unfold(1, 3, 1),
        "batch seq emb kernel",
        x,
    ),
    Case(
        "max of a pool / F.max_pool1d",
        lambda: nt.max[kernel](nt.pool[seq, kernel[2]](Image)),
        lambda: F.max_pool1d(image, 2),
        "batch emb seq",
        image,
    ),
    Case("the last position, a view", lambda: X[seq(-1)], lambda: x[:, -1], "batch emb", x),
    Case(
        "all but the first position, a view",
        lambda: X[seq[1:]],
        lambda: x[:, 1:],
        "batch seq emb",
        x,
    ),
    Case(
        "heads split / unflatten, a view",
        lambda: X[emb >> (group[4], emb)],
        lambda: x.unflatten(-1, (4, 4)),
        "batch seq group emb",
        x,
    ),
    Case(
        "heads merged / flatten, a view",
        lambda: X[(seq, emb) >> hid],
        lambda: x.flatten(1),
        "batch hid",
        x,
    ),
    Case("at(0).set / clone, set", lambda: X.at[seq(0)].set(0.0), written, "batch seq emb", x),
    Case(
        "scatter / zeros.index_add",
        lambda: nt.scatter[batch, seq, vocab[30]](X, Y),
        lambda: torch.zeros(30, 16).index_add(0, y.flatten(), x.flatten(0, 1)),
        "vocab emb",
        x,
    ),
    Case(
        "scatter in each batch / zeros.scatter_add",
        lambda: nt.scatter[seq, vocab[30]](A, Y),
        lambda: torch.zeros(4, 30).scatter_add(1, y, a),
        "batch vocab",
        a,
    ),
    Case(
        "maxk of many / topk",
        lambda: nt.maxk[vocab, k[5]](Many),
        lambda: many_z.topk(5).values,
        "batch k",
        many_z,
    ),
    Case(
        "argmaxk_index of many / topk",
        lambda: nt.argmaxk_index[vocab, k[5]](Many),
        lambda: many_z.topk(5).indices,
        "batch k",
    ),
    Case(
        "many indices / gather",
        lambda: ManyA[seq(ManyI)],
        lambda: many_a.gather(1, many_i),
        "batch seq'",
        many_a,
    ),
    Case(
        "embedding of many / F.embedding",
        lambda: ManyE[vocab(ManyY)],
        lambda: F.embedding(many_y, many_e),
        "batch seq emb",
        many_e,
    ),
]


def back(run: Callable[[], Tensor], to: Tensor) -> Callable[[], tuple[Tensor, ...]]:
    return lambda: torch.autograd.grad(run().sum(), to)


def rows(settings: Settings) -> Iterator[Line]:
    for case in CASES:
        torch.testing.assert_close(case.ours().torch(case.order), case.theirs())
        with torch.no_grad():
            forward = compare_bursts(case.ours, case.theirs, settings.seconds(0.5))
        yield Row(case.what, forward, 2.0, fastest=True)
        if case.leaf is not None:
            ours = back(lambda run=case.ours: run().data, case.leaf)  # type: ignore[misc]
            theirs = back(case.theirs, case.leaf)
            torch.testing.assert_close(ours(), theirs())
            both = compare_bursts(ours, theirs, settings.seconds(0.5))
            yield Row(f"{case.what}, and backward", both, 2.0, fastest=True)
