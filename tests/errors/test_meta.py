"""Tensors on the device meta have sizes and no numbers: torch may compute with them and give what is in memory."""

import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.check import case, check

seq, emb, hid = axes("seq emb hid")
X = nt.tensor(torch.ones(2, 3), seq, emb)
W = nt.tensor(torch.ones(3, 4, device="meta"), emb, hid)


@formula
def lin(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def scaled(X: R[emb], *, W: R[emb, hid], s: R) -> R[hid]:
    return s * (W @ emb @ X)


empty, full = lin.module(emb[3], hid[4], device="meta"), lin.module(emb[3], hid[4])

NEW = X["seq -> unplanned"]  # nothing is asked of what was planned before

CASES = [
    case(
        "a module without numbers",
        lambda: empty(X),
        nt.BackendError,
        """
lin(X, W): W is on the device meta and holds no numbers, X is on cpu
  X : seq[2] emb[3]
  W : emb[3] hid[4]
hint: give all of them numbers: f.module(..., device="cpu"), or module.to_empty(device="cpu") and then \
nt.load(module, "model.pt"); for shapes alone X.to("meta")
""",
    ),
    case(
        "a product with what holds no numbers",
        lambda: NEW @ emb @ W,
        nt.BackendError,
        """
dot[emb](NEW, W): NEW is on cpu, W is on meta
  NEW : unplanned[2] emb[3]
  W   : emb[3] hid[4]
hint: meta holds sizes and no numbers: for shapes alone NEW.to("meta")
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def test_what_is_all_on_meta_has_shapes():
    Y = empty(X.to("meta"))
    assert (str(Y.device), Y.shape) == ("meta", nt.Shape("seq[2] hid[4]"))
    assert (X.to("meta") @ emb @ W).shape == Y.shape
    assert empty.shape("seq[2] emb[3]") == Y.shape


def test_it_is_refused_after_a_good_call_too():
    assert full(X).shape == nt.Shape("seq[2] hid[4]")
    with pytest.raises(nt.BackendError, match="X is on the device meta"):
        full(X.to("meta"))
    assert empty(X.to("meta")).shape == nt.Shape("seq[2] hid[4]")
    with pytest.raises(nt.BackendError, match="W is on the device meta"):
        empty(X)
    with pytest.raises(nt.BackendError, match="W is on the device meta"):
        lin(X, W=W)


def test_a_single_number_has_no_sizes_to_be_without():
    Y = scaled(X.to("meta"), W=W, s=nt.tensor(torch.tensor(2.0)))
    assert Y.shape == nt.Shape("seq[2] hid[4]")
