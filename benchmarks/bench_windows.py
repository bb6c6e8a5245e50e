"""Convolutions and poolings as their formulas, against torch's functions of the same name.

X is 16 x 32 x 32 x 32. The residual block has two 3 x 3 convolutions, the first with a stride of 2, and a
1 x 1 convolution with that stride beside them.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

import namedtensor as nt
from benchmarks.pairwise import compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Line, Row
from namedtensor import R, axes, formula

THREADS = 1

batch, chans, out, height, width, kh, kw = axes("batch chans out height width kh kw")


@formula
def Strided(
    X: R[chans, height, width], *, W: R[out, chans, kh, kw], b: R[out]
) -> R[out, height, width]:
    return W @ (chans, kh, kw) @ nt.unroll[height, kh, width, kw](X, stride=2, padding=1) + b


@formula
def Depthwise(
    X: R[chans, height, width], *, W: R[chans, kh, kw], b: R[chans]
) -> R[chans, height, width]:
    return W @ (kh, kw) @ nt.unroll[height, kh, width, kw](X, padding="same") + b


@formula
def Transposed(
    X: R[chans, height, width], *, W: R[chans, out, kh, kw], b: R[out]
) -> R[out, height, width]:
    windows = W @ chans @ X
    return nt.overlap_add[height, kh, width, kw](windows, stride=2, padding="same") + b


@formula
def MaxPool(X: R[height, width]) -> R[height, width]:
    windows = nt.pool[height, kh[3], width, kw[3]](X, stride=2, padding=1, value=-nt.inf)
    return nt.max[kh, kw](windows)


@formula
def Conv(
    X: R[chans, height, width], *, W: R[out, chans, kh, kw], b: R[out], stride: int = 1
) -> R[out, height, width]:
    return (
        W @ (chans, kh, kw) @ nt.unroll[height, kh, width, kw](X, stride=stride, padding="same") + b
    )


@formula
def Residual(
    X: R[chans, height, width], *, first: Conv, second: Conv, beside: Conv
) -> R[chans, height, width]:
    Y = nt.relu(first(X, stride=2)[out >> chans])
    return nt.relu((second(Y) + beside(X, stride=2))[out >> chans])


def rows(settings: Settings) -> Iterator[Line]:
    draw = lambda *sizes: torch.randn(sizes, requires_grad=True)
    x, b, w, deep = draw(16, 32, 32, 32), draw(32), draw(32, 32, 3, 3), draw(32, 3, 3)
    X, B = nt.tensor(x, batch, chans, height, width), nt.tensor(b, out)
    W = nt.tensor(w, out, chans, kh, kw)
    turned = nt.tensor(w, chans, out, kh, kw)
    V, own = nt.tensor(deep, chans, kh, kw), nt.tensor(b, chans)
    w2, w1 = draw(64, 32, 3, 3), draw(64, 32, 1, 1)
    v, b2, b1, b3 = draw(64, 64, 3, 3), draw(64), draw(64), draw(64)
    block = {
        "first": {"W": nt.tensor(w2, out, chans, kh, kw), "b": nt.tensor(b2, out)},
        "second": {"W": nt.tensor(v, out, chans, kh, kw), "b": nt.tensor(b1, out)},
        "beside": {"W": nt.tensor(w1, out, chans, kh, kw), "b": nt.tensor(b3, out)},
    }

    def residual() -> Tensor:
        y = F.relu(F.conv2d(F.pad(x, (0, 1, 0, 1)), w2, b2, 2))
        return F.relu(F.conv2d(y, v, b1, 1, 1) + F.conv2d(x, w1, b3, 2))

    order = (batch, out, height, width)
    same = (batch, chans, height, width)
    pairs: dict[str, tuple[Callable[[], Tensor], Callable[[], Tensor], Sequence[Tensor]]] = {
        "strided convolution": (
            lambda: Strided(X, W=W, b=B).torch(*order),
            lambda: F.conv2d(x, w, b, 2, 1),
            (x, w, b),
        ),
        "depthwise convolution": (
            lambda: Depthwise(X, W=V, b=own).torch(*same),
            lambda: F.conv2d(x, deep[:, None], b, 1, 1, groups=32),
            (x, deep, b),
        ),
        "transposed convolution": (
            lambda: Transposed(X, W=turned, b=B).torch(*order),
            lambda: F.conv_transpose2d(x, w, b, 2, 0, 0)[..., :64, :64],
            (x, w, b),
        ),
        "max pooling with padding": (
            lambda: MaxPool(X).torch(*same),
            lambda: F.max_pool2d(x, 3, 2, 1),
            (x,),
        ),
        "residual block": (
            lambda: Residual(X, **block).torch(*same),
            residual,
            (x, w2, w1, v, b1, b2, b3),
        ),
    }

    def trained(run: Callable[[], Tensor], leaves: Sequence[Tensor]) -> Callable[[], None]:
        def step() -> None:
            for leaf in leaves:
                leaf.grad = None
            run().sum().backward()

        return step

    for name, (ours, theirs, leaves) in pairs.items():
        torch.testing.assert_close(ours(), theirs(), rtol=1e-3, atol=1e-3)
        both = compare_runs(trained(ours, leaves), trained(theirs, leaves), settings.seconds(3))
        with torch.no_grad():
            forward = compare_runs(ours, theirs, settings.seconds(2))
        yield Row(f"{name}, forward", forward, 1.1)
        yield Row(f"{name}, forward and backward", both, 1.1)
