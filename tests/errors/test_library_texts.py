"""Refusals whose last words are Python's, numpy's or torch's, and change with their versions."""

import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.operands import T, X, emb, seq

hid = axes("hid")


@formula
def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def measured(X: R[seq], *, net: nt.lift["seq -> seq'"]) -> R["seq'"]:
    return net(X)


@formula
def choosy(X: R[seq]) -> R["seq'"]:
    return nt.lift(lambda x: x @ torch.ones(99, 2), "seq -> seq'")(X)


@formula
def sized(X: R[seq]) -> R["seq'"]:
    return nt.lift(lambda x: x @ torch.ones(99, 2), "seq -> seq'[2]")(X)


HALF = nt.tensor(torch.eye(3).half(), seq, emb)

CASES = [
    (
        lambda: nt.det[seq, emb](HALF),
        nt.KindError,
        "det[seq, emb](HALF): torch cannot compute it: ",
    ),
    (lambda: nt.log(0), nt.NamedTensorError, "log(0): "),
    (lambda: nt.exp(10_000), nt.NamedTensorError, "exp(10000): "),
    (lambda: nt.sqrt(-1.0), nt.NamedTensorError, "sqrt(-1.0): "),
    (lambda: T.to("cuda:99"), nt.BackendError, "X.to('cuda:99'): torch cannot give it: "),
    (
        lambda: torch.autograd.grad(nt.sum[...](T), T),
        nt.BackendError,
        "torch.autograd.grad(...): torch has no gradient here: ",
    ),
    (
        lambda: nt.categorical[emb](-1.0 * T),
        nt.NamedTensorError,
        "categorical[emb](P): torch cannot draw: ",
    ),
    (
        lambda: nt.zeros(seq[2], device="nowhere"),
        nt.BackendError,
        "zeros(seq[2], ...): torch cannot make it: ",
    ),
    (
        lambda: measured.module(net=torch.nn.Linear(99, 2))(T),
        nt.BackendError,
        'lift(net, "seq -> seq\'")(A): net refuses it: ',
    ),
    (
        lambda: choosy(T),
        nt.AxisSizeError,
        "lift(<lambda>, \"seq -> seq'\")(A): what size seq' has is not known before <lambda> runs, and of "
        "zeros it says: ",
    ),
    (
        lambda: sized(T),
        nt.BackendError,
        'lift(<lambda>, "seq -> seq\'[2]")(A): <lambda> refuses it: ',
    ),
    (
        lambda: nt.lift(torch.linalg.inv, "seq emb -> seq emb")(T),
        nt.BackendError,
        "lift(linalg_inv, 'seq emb -> seq emb')(A): linalg_inv refuses it: ",
    ),
    (lambda: project(X), nt.NamedTensorError, "project(...): missing a required "),
    (lambda: project(X, X, W=X), nt.NamedTensorError, "project(...): too many positional "),
    (lambda: project(X, W=X, V=X), nt.NamedTensorError, "project(...): got an unexpected "),
]


@pytest.mark.parametrize(("call", "error", "start"), CASES, ids=[start for _, _, start in CASES])
def test_what_a_library_refuses_comes_with_the_call_and_a_hint(call, error, start):
    with pytest.raises(nt.NamedTensorError) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value).startswith(start)
    assert len(str(caught.value).removeprefix(start)) > 10
    assert caught.value.hint


def test_the_refusal_of_a_library_stays_the_cause():
    with pytest.raises(nt.KindError) as caught:
        nt.det[seq, emb](HALF)
    assert isinstance(caught.value.__cause__, NotImplementedError)


def test_a_lack_of_memory_is_no_refusal_and_passes():
    wide = nt.tensor(torch.empty(1).expand(2**50), seq)
    with pytest.raises(RuntimeError) as caught:
        nt.exp(wide)
    assert type(caught.value) is RuntimeError
