"""Stacks of 64 layers, against stacks of one and against torch's own encoder of as many layers.

Layers are document 001's, 8 wide. A first call plans; its formulas are made anew each time. Compiling is what
torch.compile does before a backend starts (the backend "eager"), for a second model in one process.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch

import namedtensor as nt
from benchmarks.pairwise import compare, timed
from benchmarks.settings import Settings
from benchmarks.table import Line, Row
from transformer_named import named_tensors
from transformer_named.named_tensors import emb, layer, seq

THREADS = 1
SIZES = "emb[8] hid[16] head[2] key[4] val[4]"


def stack(layers: int) -> Any:
    """Make a stack of a formula that has no plans yet."""

    @nt.formula
    def stacked(X: nt.R[seq, emb], *, layers: nt.each[layer]) -> nt.R[seq, emb]:
        for each in layers:
            X = each(X)
        return X

    return stacked.module(SIZES, layers=layers)


def compiled(model: Any, given: Any) -> Callable[[], None]:
    """Give what compiles a model from the start."""
    model(given)

    def run() -> None:
        torch._dynamo.reset()
        torch.compile(model, fullgraph=True, backend="eager")(given)

    return run


def rows(settings: Settings) -> Iterator[Line]:
    X = nt.normal("seq[5]", emb[8], backend="torch")
    named_tensors.layer.module(SIZES)(X)

    def first(layers: int) -> float:
        model = stack(layers)
        return timed(lambda: model(X))()

    pairs = max(3, round(settings.seconds(5)))
    planned = compare(lambda: first(64), lambda: first(1), pairs, warm=1)
    yield Row("the first call of 64 layers / of one", planned, 3.0)

    def theirs(layers: int) -> Any:
        one = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        return torch.nn.TransformerEncoder(one, layers, enable_nested_tensor=False)

    Y = torch.randn(1, 5, 8)
    many = timed(compiled(stack(64), X))
    one = timed(compiled(stack(1), X))
    yield Row("compiling 64 layers / compiling one", compare(many, one, 2, warm=0))
    their_many, their_one = [timed(compiled(theirs(n), Y)) for n in (64, 1)]
    yield Row(
        "compiling torch's encoder of 64 layers / of one", compare(their_many, their_one, 2, warm=0)
    )
    yield Row("compiling 64 layers / torch's encoder of 64", compare(many, their_many, 2, warm=0))
