"""Gradients as formulas: against the function itself, and against torch's autograd.

float32, losses of models of `transformer_named`: cross entropy of a network's scores, multi-head attention,
a layer of the stack, cross entropy of the words of a small decoder, and a recurrence. The gradient is by
all parameters, so that it holds all that a training step needs; autograd's share is the function and its
backward pass.
Times are the processor's, and a ratio is that of the fastest runs: the machine was busy with other work.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import torch

import namedtensor as nt
from benchmarks.pairwise import Comparison, Program, compare
from benchmarks.settings import Settings
from benchmarks.table import Row
from namedtensor import R, Z, axes, formula
from transformer_named.named_tensors import FFN, MHA, layer

THREADS = 1
SIZES = {
    "batch": 8,
    "seq": 64,
    "emb": 128,
    "hid": 512,
    "head": 4,
    "key": 32,
    "key'": 32,
    "val": 32,
    "vocab": 512,
}

batch, seq, emb, hid, head, key, val, vocab = axes("batch seq emb hid head key val vocab")
other = axes("key'")


@formula
def network(X: R[batch, seq, emb], y: Z[batch, seq], *, ffn: FFN, W: R[vocab, emb]) -> R:
    scores = W @ emb @ ffn(X)
    return nt.mean[batch, seq](-nt.log(nt.softmax[vocab](scores))[vocab(y)])


@formula
def attention(X: R[batch, seq, emb], Y: R[batch, seq, emb], *, mha: MHA) -> R:
    D = mha(X) - Y
    return nt.mean[batch, seq, emb](D * D)


@formula
def stack(X: R[batch, seq, emb], Y: R[batch, seq, emb], *, step: layer) -> R:
    D = step(X) - Y
    return nt.mean[batch, seq, emb](D * D)


@formula
def words(
    I: Z[batch, seq], y: Z[batch, seq], *, E: R[vocab, emb], step: layer, W: R[vocab, emb]
) -> R:
    scores = W @ emb @ step(E[vocab(I)])
    return nt.mean[batch, seq](-nt.log_softmax[vocab](scores)[vocab(y)])


@formula
def recurrence(
    X: R[batch, seq, emb], *, W: R[emb, key], U: R[other, key], b: R[key], V: R[key, emb]
) -> R:
    H = nt.scan[seq](
        lambda h, x: nt.tanh(x @ emb @ W + h[key >> other] @ other @ U + b), nt.zeros(key), X
    )
    D = H @ key @ V - X
    return nt.mean[batch, seq, emb](D * D)


def drawn(f: Any, seed: int) -> dict[str, Any]:
    """Draw a value for each tensor of a signature, those of bundles in dicts."""
    generator = torch.Generator().manual_seed(seed)
    found: dict[str, Any] = {}
    for p in f.signature.parameters:
        if p.bundle is not None:
            own = {q.name for q in p.bundle.signature.parameters if q.after}
            found[p.name] = {n: x for n, x in drawn(p.bundle, seed + 1).items() if n in own}
        elif p.space is not None:
            shape = [SIZES[a.name] for a in p.space.axes]
            if p.space.letter == "Z":
                data = torch.randint(0, SIZES["vocab"], shape, generator=generator)
            else:
                data = torch.randn(shape, generator=generator) / 10
            found[p.name] = nt.tensor(data, *p.space.axes)
    return found


def leaves(found: dict[str, Any], prefix: str = "") -> dict[str, nt.NamedTensor]:
    """List the tensors by path."""
    listed: dict[str, nt.NamedTensor] = {}
    for name, x in found.items():
        listed |= leaves(x, f"{prefix}{name}.") if isinstance(x, dict) else {prefix + name: x}
    return listed


def programs(f: Any) -> tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]:
    """Give the function, its gradient by all parameters, and autograd's, with the same numbers."""
    given = drawn(f, 0)
    own = [p.name for p in f.signature.parameters if p.after]
    parameters = leaves({name: given[name] for name in own})
    gradient = nt.grad(f, tuple(parameters))
    tensors = [x.data for x in parameters.values()]

    def function() -> Any:
        return f(**given)

    def ours() -> Any:
        return gradient(**given)

    def theirs() -> Any:
        for x in tensors:
            x.requires_grad_()
        try:
            return torch.autograd.grad(f(**given).data, tensors)
        finally:
            for x in tensors:
                x.requires_grad_(False)

    for found, expected, x in zip(ours(), theirs(), parameters.values(), strict=True):
        torch.testing.assert_close(found.torch(*x.axes), expected, rtol=1e-3, atol=1e-6)
    return function, ours, theirs


LOSSES = {
    "FFN and cross entropy": network,
    "multi-head attention": attention,
    "one layer": stack,
    "words, one layer, words": words,
    "a recurrence of 64 steps": recurrence,
}


def spent(run: Program) -> Callable[[], float]:
    """Say how long the processor worked on one run."""

    def seconds() -> float:
        start = process_time()
        run()
        return process_time() - start

    return seconds


def against(ours: Program, theirs: Program, seconds: float) -> Comparison:
    once = compare(spent(ours), spent(theirs), pairs=1, warm=2)
    pairs = max(7, round(seconds / (once.ours[0] + once.theirs[0])))
    return compare(spent(ours), spent(theirs), min(1000, pairs))


def rows(settings: Settings) -> list[Row]:
    found = []
    for name, f in LOSSES.items():
        function, ours, theirs = programs(f)
        time = settings.seconds(3)
        found += [
            Row(f"{name}: nt.grad / the function", against(ours, function, time), 5.0, True),
            Row(f"{name}: nt.grad / autograd", against(ours, theirs, time), None, True),
        ]
    return found
