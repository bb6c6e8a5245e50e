"""Recurrences against loops written by positions, and against torch's own cells.

Forwards and backwards, 100 steps of 8 rows, 32 features in and out, float32. A plan is the first call's
work for a new formula, without the call. Compiling is Dynamo's and AOT autograd's share, which reads
every step; what a backend makes of the graph is not measured. Outside of a formula each call runs the step
on symbols first, which takes as long for any number of steps.
A ratio is that of the fastest runs: the machine was busy with other work.
"""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import torch

import namedtensor as nt
from benchmarks.pairwise import compare, compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Row
from namedtensor import Formula, R, axes, formula

THREADS = 1
Program = Callable[[], torch.Tensor]
STEPS, ROWS, WIDTH = 100, 8, 32

batch, seq, emb, hid, gate = axes("batch seq emb hid gate")
hid_ = hid.prime


@formula
def RNN(X: R[seq, emb], h: R[hid], *, W: R[emb, hid], U: R[hid, hid_]) -> R[seq, hid]:
    def step(h: Any, x: Any) -> Any:
        return nt.tanh(W @ emb @ x + (U @ hid @ h)[hid_ >> hid])

    return nt.scan[seq](step, h, X)


@formula
def LSTM(
    X: R[seq, emb], h: R[hid], *, W: R[gate, emb, hid], U: R[gate, hid, hid_], b: R[gate, hid]
) -> R[seq, hid]:
    def step(carry: Any, x: Any) -> Any:
        h, c = carry
        gates = W @ emb @ x + (U @ hid @ h)[hid_ >> hid] + b
        i, f, g, o = [gates[gate(k)] for k in range(4)]
        c = nt.sigmoid(f) * c + nt.sigmoid(i) * nt.tanh(g)
        return nt.sigmoid(o) * nt.tanh(c), c

    H, _ = nt.scan[seq](step, (h, h), X)
    return H


@formula
def GRU(
    X: R[seq, emb], h: R[hid], *, W: R[gate, emb, hid], U: R[gate, hid, hid_], b: R[gate, hid]
) -> R[seq, hid]:
    def step(h: Any, x: Any) -> Any:
        x = W @ emb @ x + b
        u = (U @ hid @ h)[hid_ >> hid]
        r, z = [nt.sigmoid(x[gate(k)] + u[gate(k)]) for k in range(2)]
        n = nt.tanh(x[gate(2)] + r * u[gate(2)])
        return (1 - z) * n + z * h

    return nt.scan[seq](step, h, X)


@formula
def states(a: R[seq, hid], b: R[seq, hid]) -> R[seq, hid]:
    return nt.associative_scan[seq](lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b))[1]


def drawn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape))
    return (torch.randn(shape, generator=generator) / 6).requires_grad_()


x, h0 = drawn(STEPS, ROWS, WIDTH), drawn(ROWS, WIDTH)
w, u = drawn(WIDTH, WIDTH), drawn(WIDTH, WIDTH)
X, H0 = nt.tensor(x, seq, batch, emb), nt.tensor(h0, batch, hid)
W, U = nt.tensor(w, emb, hid), nt.tensor(u, hid, hid_)


def by_hand(x: torch.Tensor) -> torch.Tensor:
    h, found = h0, []
    for now in (x @ w).unbind(0):
        h = torch.tanh(now + h @ u)
        found.append(h)
    return torch.stack(found)


def hand() -> torch.Tensor:
    return by_hand(x)


def outside_of_a_formula() -> torch.Tensor:
    return nt.scan[seq](
        lambda h, x: nt.tanh(W @ emb @ x + (U @ hid @ h)[hid_ >> hid]), H0, X
    ).torch(seq, batch, hid)


def trained(run: Callable[[], torch.Tensor]) -> Callable[[], None]:
    return lambda: run().sum().backward()


def against(
    what: str,
    ours: Callable[[], torch.Tensor],
    theirs: Callable[[], torch.Tensor],
    goal: float | None,
    seconds: float,
) -> Row:
    torch.testing.assert_close(ours(), theirs(), rtol=1e-4, atol=1e-5)
    return Row(what, compare_runs(trained(ours), trained(theirs), seconds), goal, True)


def cell(f: Formula, module: torch.nn.Module, gates: int) -> tuple[Program, Program]:
    """Give a formula with the weights of torch's module, and the module."""
    W, U, b, a = [p.reshape(gates, WIDTH, -1) for p in module.parameters()]
    with torch.no_grad():
        a.zero_()
    given = dict(
        W=nt.tensor(W, gate, hid, emb),
        U=nt.tensor(U, gate, hid_, hid),
        b=nt.tensor(b[:, :, 0], gate, hid),
    )
    start = nt.zeros(hid[WIDTH], dtype=torch.float32)
    return (
        lambda: f(X, start, **given).torch(seq, batch, hid),
        lambda: module(x)[0],
    )


def seconds_to_plan(steps: int) -> Callable[[], float]:
    given = nt.tensor(torch.ones(steps, ROWS, WIDTH), seq, batch, emb)

    def seconds() -> float:
        fresh = Formula(RNN.function, RNN.signature)
        start = perf_counter()
        fresh.code(given, H0, W=W, U=U)
        return perf_counter() - start

    return seconds


def seconds_to_compile(run: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[], float]:
    def seconds() -> float:
        torch.compiler.reset()
        start = perf_counter()
        torch.compile(run, fullgraph=True, backend="aot_eager")(x).sum().backward()
        return perf_counter() - start

    return seconds


def named(x: torch.Tensor) -> torch.Tensor:
    return RNN(nt.tensor(x, seq, batch, emb), H0, W=W, U=U).torch(seq, batch, hid)


def rows(settings: Settings) -> list[Row]:
    time = settings.seconds(4)
    found = [
        against(what, ours, theirs, goal, time)
        for what, (ours, theirs), goal in (
            (f"tanh RNN of {STEPS} steps, a formula / a loop", (lambda: named(x), hand), 1.1),
            ("the same outside of a formula / a loop", (outside_of_a_formula, hand), None),
            ("LSTM formula / nn.LSTM", cell(LSTM, torch.nn.LSTM(WIDTH, WIDTH), 4), 1.2),
            ("GRU formula / nn.GRU", cell(GRU, torch.nn.GRU(WIDTH, WIDTH), 3), 1.2),
        )
    ]
    for steps in (100, 1000):
        comparison = compare(seconds_to_plan(steps), seconds_to_plan(10), 15)
        found.append(Row(f"planning for {steps} steps / for 10", comparison, 1.2, fastest=True))
    comparison = compare(seconds_to_compile(named), seconds_to_compile(by_hand), 3)
    found.append(
        Row(f"torch.compile of {STEPS} steps, formula / loop", comparison, 1.5, fastest=True)
    )
    found.append(associative(time))
    return found


def associative(seconds: float) -> Row:
    """A state-space model of 1000 steps by log steps, against one step after the other."""
    a, b = torch.rand(1000, WIDTH).requires_grad_(), drawn(1000, WIDTH)
    A, B = nt.tensor(a, seq, hid), nt.tensor(b, seq, hid)

    def one_by_one() -> torch.Tensor:
        h, found = torch.zeros(WIDTH), []
        for p, q in zip(a.unbind(0), b.unbind(0), strict=True):
            h = p * h + q
            found.append(h)
        return torch.stack(found)

    return against(
        "h = a h + b, 1000 steps: associative scan / a loop",
        lambda: states(A, B).torch(seq, hid),
        one_by_one,
        1.0,
        seconds,
    )
