"""Index-defined tensors: their numbers can be looked at, and they may depend on sizes still open."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_same

seq, emb = axes("seq emb")
seq_, emb_ = seq.prime, emb.prime
LIBRARIES = ["numpy", "torch"]
causal = nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
MASK = [[0, -np.inf, -np.inf], [0, 0, -np.inf]]


def test_the_numbers_of_a_mask_are_given_for_the_sizes_that_it_is_called_with():
    M = causal(seq_[2], seq[3])
    assert_same(M, nt.tensor(MASK, seq_, seq))
    assert type(M) is nt.NamedTensor
    assert_same(causal("seq[3] seq'[2]"), M)
    np.testing.assert_array_equal(causal(seq[3], seq_[2]).data, np.transpose(MASK))


@pytest.mark.parametrize(
    ("X", "given", "expected"),
    [
        (nt.iota(seq), "seq[3]", [0, 1, 2]),
        (nt.iota("seq[3]"), "", [0, 1, 2]),
        (nt.iota("seq[3]"), "seq", [0, 1, 2]),
        (nt.iota(seq)[seq >> emb] * 2, "emb[2]", [0, 2]),
        (nt.eye(seq, seq_), "seq[2] seq'[2]", [[1, 0], [0, 1]]),
        (nt.define[seq](lambda i: 1.5), "seq[2]", [1.5, 1.5]),
    ],
)
def test_every_index_defined_tensor_can_be_looked_at(X, given, expected):
    assert X(given).data.tolist() == expected


def part(i):
    return (i + 0.5) / abs(emb)


@pytest.mark.parametrize(
    ("X", "given", "expected"),
    [
        (nt.define[emb](part), "emb[2]", [0.25, 0.75]),
        (nt.define["emb[2]"](part), "", [0.25, 0.75]),
        (nt.define[emb](part)[emb >> emb_], "emb'[2]", [0.25, 0.75]),
        (nt.define[emb, seq](lambda i, j: j < abs(emb)), "emb[1] seq[2]", [[1, 0]]),
        (nt.define[seq, emb](lambda j, i: abs(emb) * abs(seq)), "seq[1] emb[2]", [[2, 2]]),
        (nt.define[emb](lambda i: nt.where(abs(emb) > 1, i, -1)), "emb[2]", [0, 1]),
    ],
    ids=["alone", "given", "renamed", "one axis of two", "of both", "the size alone"],
)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_size_is_open_in_a_definition_and_comes_from_what_the_tensor_meets(
    X, given, expected, library
):
    assert X(given).data.tolist() == expected
    met = X(given)
    zeros = nt.zeros(*[axis[n] for axis, n in zip(axes_of(met), met.data.shape, strict=True)])
    assert (X * 1.0 + zeros.to(library)).numpy(*met.axes).tolist() == expected


def axes_of(X):
    return [nt.Axis(name) for name in X.axes]


def test_an_open_size_is_that_of_its_own_axis_where_another_has_its_old_name():
    A = nt.define[emb](part)[emb >> emb_] + nt.zeros("emb'[2] emb[5]")
    assert A[emb(0)].numpy().tolist() == [0.25, 0.75]


def test_a_formula_takes_a_tensor_whose_size_is_open():
    @formula
    def shifted(X: R[emb, seq], P: R[emb]) -> R[emb, seq]:
        return X + P

    P = nt.define[emb](part)
    for library in LIBRARIES:
        for n in (2, 4):
            found = shifted(nt.zeros(emb[n], seq[1]).to(library), P)
            assert found[seq(0)].numpy().tolist() == [(i + 0.5) / n for i in range(n)]


def test_a_definition_in_a_body_may_measure_an_axis_that_only_it_has():
    @formula
    def ramp(X: R[emb]) -> R[emb]:
        return X + nt.define[seq](lambda j: j / abs(seq))[seq >> emb]

    assert ramp(nt.zeros("emb[4]")).numpy().tolist() == [0, 0.25, 0.5, 0.75]
