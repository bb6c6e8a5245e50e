"""Named operations, one at a time, against the same torch operations on tiny tensors.

Sizes are 3 to 5, so that all of the time is overhead. The ratio is that of the fastest bursts.
"""

from collections.abc import Callable

import torch

import namedtensor as nt
from benchmarks.pairwise import compare_bursts
from benchmarks.settings import Settings
from benchmarks.table import Row
from namedtensor import axes

THREADS = 1

batch, seq, emb, hid = axes("batch seq emb hid")

x, b, w = torch.randn(3, 4), torch.randn(4), torch.randn(4, 5)
X, B, W = nt.tensor(x, seq, emb), nt.tensor(b, emb), nt.tensor(w, emb, hid)

CASES: list[tuple[str, Callable[[], nt.NamedTensor], Callable[[], torch.Tensor], float]] = [
    ("X + B / x + b, with broadcast", lambda: X + B, lambda: x + b, 1.5),
    ("softmax[emb](X) / torch.softmax", lambda: nt.softmax[emb](X), lambda: x.softmax(1), 1.5),
    ("mean[emb](X) / torch.mean", lambda: nt.mean[emb](X), lambda: x.mean(1), 1.5),
    ("X @ emb @ W / torch.matmul", lambda: X @ emb @ W, lambda: torch.matmul(x, w), 1.5),
    ("X @ emb @ W / torch.einsum", lambda: X @ emb @ W, lambda: torch.einsum("se,eh->sh", x, w), 0.5),
]  # fmt: skip


def rows(settings: Settings) -> list[Row]:
    found = []
    for what, ours, theirs, goal in CASES:
        torch.testing.assert_close(ours().data, theirs())
        comparison = compare_bursts(ours, theirs, settings.seconds(2))
        found.append(Row(what, comparison, goal, fastest=True))
    return found
