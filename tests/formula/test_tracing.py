"""A body runs once for each layout of its arguments; a plan serves all sizes unless Python asked one."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close, assert_same

seq, emb, hid, key, val, kernel = axes("seq emb hid key val kernel")
seq_ = seq.prime


def plans(formula):
    """Count the plans that a formula keeps."""
    return sum(len(kept) for kept in formula.plans.values())


def counted(**options):
    """Make a formula that counts how often its body runs."""
    runs = []

    def decorate(function):
        def body(X: R[emb], p: float = 2.0) -> R[emb]:
            runs.append(1)
            return function(X, p)

        return formula(**options)(body)

    return decorate, runs


@pytest.fixture(params=["numpy", "torch"])
def library(request):
    return request.param


# ---------------------------------------------------------------------------------- when it traces


def test_a_second_call_does_not_run_the_body(library):
    decorate, runs = counted()
    double = decorate(lambda X, p: X * p)
    X = nt.ones("emb[3]").to(library)
    assert_same(double(X), 2 * X)
    assert_same(double(3 * X), 6 * X)
    assert len(runs) == plans(double) == 1


def test_another_size_does_not_run_the_body(library):
    decorate, runs = counted()
    scale = decorate(lambda X, p: X / abs(emb))
    for size in (1, 2, 5, 0):
        X = nt.ones(emb[size]).to(library)
        assert_close(scale(X), X / max(size, 1))
    assert len(runs) == plans(scale) == 1


def test_other_axes_another_order_or_another_library_run_it_again():
    decorate, runs = counted()
    double = decorate(lambda X, p: X * p)
    for X in (
        nt.ones("emb[3]"),
        nt.ones("emb[3] seq[2]"),
        nt.ones("seq[2] emb[3]"),
        nt.ones("emb[3]").to("torch"),
        nt.full("emb[3]", 1),
    ):
        assert_same(double(X), X * 2.0)
    assert len(runs) == plans(double) == 5


def test_another_dtype_of_one_kind_does_not_run_it_again():
    decorate, runs = counted()
    double = decorate(lambda X, p: X * p)
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        assert double(nt.ones("emb[3]", dtype=dtype)).dtype == dtype
    assert len(runs) == 1


def test_a_setting_is_part_of_the_plan():
    decorate, runs = counted()
    scale = decorate(lambda X, p: X * p)
    X = nt.ones("emb[3]")
    assert_same(scale(X, 3.0), 3 * X)
    assert_same(scale(X, p=0.5), 0.5 * X)
    assert_same(scale(X, 3.0), 3 * X)
    assert_same(scale(X), 2 * X)
    assert len(runs) == 3


def test_a_setting_of_another_type_is_another_plan():
    @formula
    def chosen(X: R[emb], flag: object = False) -> R[emb]:
        return X * 2 if flag is True else X * 3

    X = nt.ones("emb[3]")
    assert_same(chosen(X, True), 2 * X)
    assert_same(chosen(X, 1), 3 * X)
    assert_same(chosen(X, 1.0), 3 * X)
    assert plans(chosen) == 3


def test_a_failed_call_leaves_no_plan():
    @formula
    def wrong(X: R[emb]) -> R[hid]:
        return X

    for _ in range(2):
        with pytest.raises(nt.AxisMissingError):
            wrong(nt.ones("emb[3]"))
    assert plans(wrong) == 0


def test_a_wrong_size_after_a_good_call_is_explained():
    @formula
    def project(X: R[emb], W: R[emb, hid]) -> R[hid]:
        return W @ emb @ X

    W = nt.ones("emb[3] hid[2]")
    project(nt.ones("emb[3]"), W)
    with pytest.raises(nt.AxisSizeError) as caught:
        project(nt.ones("emb[4]"), W)
    assert caught.value.why == "axis emb is 4 in X and 3 in W"
    assert_same(project(nt.ones("emb[3]"), W), nt.full("hid[2]", 3.0))


# ---------------------------------------------------------------------------- sizes that Python asks


def test_a_size_that_python_asks_for_specialises_the_plan():
    runs = []

    @formula
    def running(X: R[seq]) -> R:
        runs.append(1)
        total = 0.0
        for i in range(abs(seq)):
            total = total + X[seq(i)] * i
        return total

    for size in (3, 5, 3, 5, 1):
        X = nt.ones(seq[size])
        assert running(X).item() == sum(range(size))
    assert len(runs) == plans(running) == 3


def test_a_condition_on_a_size_specialises_the_plan():
    runs = []

    @formula
    def shortened(X: R[seq]) -> R[seq]:
        runs.append(1)
        return X[seq[:2]] if abs(seq) > 2 else X

    assert shortened(nt.ones("seq[5]")).shape == nt.Shape("seq[2]")
    assert shortened(nt.ones("seq[1]")).shape == nt.Shape("seq[1]")
    assert shortened(nt.ones("seq[4]")).shape == nt.Shape("seq[2]")
    assert len(runs) == 2


def test_a_scan_in_a_formula_has_one_plan_for_all_lengths():
    @formula
    def cumulative(X: R[seq, emb], h: R[emb]) -> R[seq, emb]:
        return nt.scan[seq](lambda h, x: h + x, h, X)

    for size in (2, 4, 1, 0):
        X = nt.tensor(np.arange(3.0 * size).reshape(size, 3), seq, emb)
        assert_close(cumulative(X, nt.zeros("emb[3]")), nt.cumsum[seq](X))
    assert plans(cumulative) == 1


def test_sizes_compute_like_numbers_without_specialising(library):
    @formula
    def scaled(X: R[seq, emb]) -> R[seq, emb]:
        return X * nt.sqrt(abs(seq)) / (2 * abs(emb) - 1) ** 0.5 + abs(seq) // 2 - abs(seq) % 2

    for rows, columns in ((2, 3), (5, 1)):
        X = nt.ones(seq[rows], emb[columns]).to(library)
        expected = rows**0.5 / (2 * columns - 1) ** 0.5 + rows // 2 - rows % 2
        assert_close(scaled(X), X * expected)
    assert plans(scaled) == 1


def test_sizes_make_axes_slices_windows_and_splits():
    @formula
    def convolved(X: R[seq], W: R[kernel]) -> R[seq]:
        return W @ kernel @ nt.unroll[seq, kernel[abs(kernel)]](X)

    @formula
    def halves(X: R[seq]) -> tuple[R[seq], R[seq]]:
        return X[seq[: abs(seq) // 2]], X[seq[abs(seq) // 2 :]]

    @formula
    def split(X: R[emb], Y: R[key]) -> R[key, val]:
        return X[emb >> (key[abs(key)], val)] * Y

    x, w = np.arange(7.0), np.array([1.0, -2.0, 0.5])
    found = convolved(nt.tensor(x, seq), nt.tensor(w, kernel))
    assert_close(found, nt.tensor(np.correlate(x, w, "valid"), seq))
    first, second = halves(nt.tensor(x, seq))
    assert (first.numpy().tolist(), second.numpy().tolist()) == ([0, 1, 2], [3, 4, 5, 6])
    assert split(nt.ones("emb[6]"), nt.ones("key[3]")).shape == nt.Shape("key[3] val[2]")
    assert [plans(f) for f in (convolved, halves, split)] == [1, 1, 1]


def test_a_size_says_where_to_update(library):
    @formula
    def cleared(X: R[seq]) -> R[seq]:
        return X.at[seq[: abs(seq) // 2]].set(0.0).at[seq(abs(seq) - 1)].add(1.0)

    for size in (2, 5):
        expected = np.ones(size)
        expected[: size // 2] = 0.0
        expected[-1] += 1.0
        found = cleared(nt.ones(seq[size]).to(library))
        assert_same(found.to("numpy"), nt.tensor(expected, seq))
    assert plans(cleared) == 1


def test_index_defined_tensors_take_the_sizes_of_each_call(library):
    @formula
    def masked(X: R[seq_, seq]) -> R[seq_, seq]:
        return X + nt.define[seq_, seq](lambda i, j: nt.where(j <= i, 0.0, -1.0))

    for rows, columns in ((2, 3), (4, 4)):
        found = masked(nt.zeros(seq_[rows], seq[columns]).to(library))
        assert np.array_equal(found.numpy(seq_, seq), np.tri(rows, columns) - 1.0)
    assert plans(masked) == 1


def test_index_defined_arguments_have_sizes_or_take_them(library):
    @formula
    def scaled(X: R[seq], M: R[seq]) -> R[seq]:
        return X + M * abs(seq)

    X = nt.ones("seq[3]").to(library)
    assert scaled(X, nt.iota(seq)).numpy().tolist() == [1, 4, 7]
    assert scaled(nt.iota(seq), X).numpy().tolist() == [3, 4, 5]
    assert scaled(nt.iota(seq[3]), nt.iota(seq)).numpy().tolist() == [0, 4, 8]


def test_an_index_defined_argument_holds_the_others_to_its_size():
    @formula
    def first(X: R[seq], M: R[seq]) -> R[seq]:
        return X + abs(seq)

    M = nt.iota(seq[3])
    assert_same(first(nt.ones("seq[3]"), M), nt.full("seq[3]", 4.0))
    with pytest.raises(nt.AxisSizeError) as caught:
        first(nt.ones("seq[4]"), M)
    assert caught.value.why == "axis seq is 4 in X and 3 in M"


# ------------------------------------------------------------------------------------ not traced


def test_an_untraced_body_sees_numbers_and_runs_each_time(library):
    decorate, runs = counted(trace=False)
    signed = decorate(lambda X, p: X if nt.sum[emb](X) > 0 else -X)
    X = nt.ones("emb[3]").to(library)
    assert_same(signed(X), X)
    assert_same(signed(-X), X)
    assert len(runs) == 2
    assert plans(signed) == 0


def test_an_untraced_body_is_checked_and_lifted_all_the_same(library):
    @formula(trace=False)
    def FFN(X: R[emb], *, W: R[emb, hid], U: R[hid, emb]) -> R[emb]:
        return U @ hid @ (W @ emb @ X)

    W, U = nt.ones("emb[3] hid[2]").to(library), nt.ones("hid[2] emb[3]").to(library)
    found = FFN(nt.ones("emb[3] hid[4]").to(library), W=W, U=U)
    assert_same(found.to("numpy"), nt.full("emb[3] hid[4]", 6.0))
    with pytest.raises(nt.AxisSizeError):
        FFN(nt.ones("emb[2]").to(library), W=W, U=U)
