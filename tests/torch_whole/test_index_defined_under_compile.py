"""Tensors that their indices define, made outside of formulas while torch.compile reads."""

import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")
seq_ = seq.prime
OUTSIDE = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))


@formula
def shifted(X: R[seq, emb], M: R[seq, emb]) -> R[seq, emb]:
    return X + M


CALLS = {
    "iota": lambda X: X * (nt.iota(seq) * 0.5 + 1),
    "iota renamed": lambda X: X + nt.iota(seq_)[seq_ >> seq] ** 2,
    "iota alone first": lambda X: nt.one_hot(nt.iota(seq), "emb[4]") * X,
    "eye": lambda X: X @ seq @ nt.eye(seq, seq_[4]),
    "define": lambda X: X + nt.define[seq, emb](lambda i, j: nt.where(i <= j, 0.0, -nt.inf)),
    "a size that is open": lambda X: X + nt.define[emb](lambda i: (i + 0.5) / abs(emb)),
    "a rule with data": lambda X: nt.define[seq](lambda i: 2.0 * i + X),
    "a rule of numbers": lambda X: (
        X + nt.define[seq](lambda i: True) + nt.define[emb](lambda j: 2.5)
    ),
    "made before": lambda X: nt.softmax[seq](X + OUTSIDE[seq_ >> emb]),
    "given to a formula": lambda X: shifted(X, nt.define[seq, emb](lambda i, j: i - j)),
}


def test_all_of_them_compile_in_one_graph_and_give_what_they_give_otherwise():
    def every(X):
        return tuple([call(X) for call in CALLS.values()])

    compiled = torch.compile(every, fullgraph=True, backend="eager")
    for rows in (3, 3, 5):
        X = nt.tensor(torch.randn(rows, 4, dtype=torch.float64), seq, emb)
        for name, found, expected in zip(CALLS, compiled(X), every(X), strict=True):
            assert found.axes == expected.axes, name
            assert torch.equal(found.data, expected.data), name


def test_abs_of_an_axis_has_no_size_after_a_rule_that_fails():
    with pytest.raises(ZeroDivisionError):
        nt.define["seq[3]"](lambda i: 1 // 0)
    with pytest.raises(nt.NamedTensorError, match="no size"):
        abs(seq)
