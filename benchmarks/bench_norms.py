"""Normalisations by their formulas, against torch's functions and module of the same name.

X is 32 x 64 x 32 x 32; gain and shift are by channel, and group norm has 8 groups of 8 channels. The goal of
batch norm with running statistics is 1.1 in training.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import batch_norm, group_norm, instance_norm

import namedtensor as nt
from benchmarks.pairwise import compare_runs
from benchmarks.settings import Settings
from benchmarks.table import Line, Row
from namedtensor import R, axes, formula

batch, group, chans, height, width = axes("batch group chans height width")


@formula
def Batch(
    X: R[batch, chans, height, width], gamma: R[chans], beta: R[chans]
) -> R[batch, chans, height, width]:
    return nt.standardize[batch, height, width](X) * gamma + beta


@formula
def Instance(
    X: R[chans, height, width], gamma: R[chans], beta: R[chans]
) -> R[chans, height, width]:
    return nt.standardize[height, width](X) * gamma + beta


@formula
def Group(
    X: R[group, chans, height, width], gamma: R[group, chans], beta: R[group, chans]
) -> R[group, chans, height, width]:
    return nt.standardize[chans, height, width](X) * gamma + beta


@formula
def Running(
    X: R[batch, chans, height, width],
    *,
    gamma: R[chans],
    beta: R[chans],
    mean: nt.State[R[chans]],
    var: nt.State[R[chans]],
) -> R[batch, chans, height, width]:
    if not nt.training():
        return (X - mean) / nt.sqrt(var + 1e-5) * gamma + beta, nt.update()
    places, n = (batch, height, width), abs(batch) * abs(height) * abs(width)
    return nt.standardize[places](X) * gamma + beta, nt.update(
        mean=0.9 * mean + 0.1 * nt.mean[places](X),
        var=0.9 * var + 0.1 * nt.var[places](X) * n / (n - 1),
    )


def rows(settings: Settings) -> Iterator[Line]:
    x = torch.randn(32, 64, 32, 32, requires_grad=True)
    gamma, beta = (torch.randn(64, requires_grad=True) for _ in range(2))
    given = [nt.tensor(x, batch, chans, height, width)]
    given += [nt.tensor(weight, chans) for weight in (gamma, beta)]
    groups = [X[chans >> (group[8], chans)] for X in given]
    pairs: dict[str, tuple[Callable[[], Tensor], Callable[[], Tensor]]] = {
        "batch": (
            lambda: Batch(*given).data,
            lambda: batch_norm(x, None, None, gamma, beta, training=True),
        ),
        "instance": (
            lambda: Instance(*given).data,
            lambda: instance_norm(x, weight=gamma, bias=beta),
        ),
        "group": (lambda: Group(*groups).data, lambda: group_norm(x, 8, gamma, beta)),
    }

    def trained(run: Callable[[], Tensor]) -> Callable[[], None]:
        def step() -> None:
            for leaf in (x, gamma, beta):
                leaf.grad = None
            run().sum().backward(retain_graph=True)

        return step

    for name, (ours, theirs) in pairs.items():
        torch.testing.assert_close(ours().flatten(), theirs().flatten(), rtol=1e-4, atol=1e-4)
        what = f"{name} norm as a formula / F.{name}_norm, "
        both = compare_runs(trained(ours), trained(theirs), settings.seconds(3))
        with torch.no_grad():
            forward = compare_runs(ours, theirs, settings.seconds(3))
        yield Row(f"{what}forward", forward)
        yield Row(f"{what}forward and backward", both)
    module, twin = Running.module(chans[64]), torch.nn.BatchNorm2d(64)
    step = trained(lambda: module(given[0]).data), trained(lambda: twin(x))
    yield Row(
        "batch norm with running statistics / nn.BatchNorm2d, training, forward and backward",
        compare_runs(*step, settings.seconds(3)),
    )
