"""Slices of every kind, read and written, on numpy and torch; and the rule for integer tensors."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import axes
from namedtensor.testing import assert_same

seq, emb, batch, head, beam = axes("seq emb batch head beam")

SLICES = [
    np.s_[2:5],
    np.s_[:3],
    np.s_[4:],
    np.s_[:],
    np.s_[-3:],
    np.s_[:-2],
    np.s_[-5:-2],
    np.s_[1:6:2],
    np.s_[::3],
    np.s_[::-1],
    np.s_[5:1:-2],
    np.s_[-1::-1],
    np.s_[3:3],
    np.s_[5:2],
    np.s_[2:100],
    np.s_[-100:2],
    np.s_[100:],
    np.s_[np.int64(1) : np.int32(4)],
]
CHOICES = [
    [0, 2],
    [2, 2, 0],
    [-1, 0],
    [],
    np.array([3, 1]),
    np.array([], dtype=np.int64),
    [True, False, True, False, False, True, False],
    np.array([False] * 7),
    np.array([True] * 7),
]


@pytest.fixture(params=["numpy", "torch"])
def library(request):
    return request.param


@pytest.fixture
def array():
    return np.arange(28.0).reshape(7, 4)


@pytest.fixture
def X(array, library):
    return nt.tensor(array, seq, emb).to(library)


def positions(chosen):
    """Say as numpy does what a selection selects: an empty list has no integers of its own."""
    return np.array([], dtype=np.int64) if isinstance(chosen, list) and not chosen else chosen


# --------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize("chosen", SLICES + CHOICES, ids=repr)
def test_a_selection_reads_what_numpy_reads(X, array, chosen):
    expected = nt.tensor(array[positions(chosen)], seq, emb)
    assert_same(X[seq[chosen]].to("numpy"), expected)


@pytest.mark.parametrize("chosen", SLICES, ids=repr)
def test_slices_of_several_axes_are_independent(X, array, chosen):
    found = X[seq[chosen], emb[::-1]]
    assert_same(found.to("numpy"), nt.tensor(array[chosen, ::-1].copy(), seq, emb))


def test_lists_on_two_axes_are_independent(X, array):
    expected = nt.tensor(array[np.ix_([0, 2, 3], [1, 3])], seq, emb)
    assert_same(X[seq[[0, 2, 3]], emb[[1, 3]]].to("numpy"), expected)


@pytest.mark.parametrize("index", [0, 6, -1, -7, np.int64(3), np.int8(-2)])
def test_an_index_may_be_negative_and_of_numpy(X, array, index):
    assert_same(X[seq(index)].to("numpy"), nt.tensor(array[index], emb))


def test_a_number_that_is_a_tensor_indexes(X, array, library):
    at = nt.tensor(np.array(2)).to(library)
    assert_same(X[seq(at)].to("numpy"), nt.tensor(array[2], emb))


def test_a_mask_that_is_a_tensor_selects(X, array):
    kept = X[seq[X[emb(0)] > 9.0]]
    assert_same(kept.to("numpy"), nt.tensor(array[array[:, 0] > 9.0], seq, emb))


def test_numbers_ranges_and_tensors_mix(X, array, library):
    I = nt.tensor(np.array([3, 0]), batch).to(library)
    found = X[seq[1:6:2], emb(I)]
    assert_same(found.to("numpy"), nt.tensor(array[1:6:2][:, [3, 0]], seq, batch))


# --------------------------------------------------------------------------------------- writing


@pytest.mark.parametrize("chosen", SLICES + CHOICES, ids=repr)
@pytest.mark.parametrize("verb", ["set", "add"])
def test_a_selection_is_written_where_it_is_read(X, array, chosen, verb):
    expected = array.copy()
    if verb == "set":
        expected[positions(chosen)] = 0.5
    else:
        np.add.at(expected, positions(chosen), 0.5)
    found = getattr(X.at[seq[chosen]], verb)(0.5)
    assert_same(found.to("numpy"), nt.tensor(expected, seq, emb))
    assert_same(X.to("numpy"), nt.tensor(array, seq, emb))


@pytest.mark.parametrize("chosen", SLICES, ids=repr)
def test_a_written_tensor_meets_the_place_by_name(X, array, chosen, library):
    count = len(range(*chosen.indices(7)))
    value = -np.arange(4.0 * count).reshape(4, count)
    expected = array.copy()
    expected[chosen] = value.T
    found = X.at[seq[chosen]].set(nt.tensor(value, emb, seq).to(library))
    assert_same(found.to("numpy"), nt.tensor(expected, seq, emb))


def test_a_written_tensor_lifts_over_the_axes_that_it_lacks(X, array, library):
    expected = array.copy()
    expected[1:3] = [1.0, 2.0, 3.0, 4.0]
    value = nt.tensor(np.array([1.0, 2.0, 3.0, 4.0]), emb).to(library)
    assert_same(X.at[seq[1:3]].set(value).to("numpy"), nt.tensor(expected, seq, emb))


def test_a_written_tensor_may_bring_axes_that_the_place_lacks(X, array, library):
    expected = np.stack([array, array])
    expected[:, 2] = [[1.0], [2.0]]
    value = nt.tensor(np.array([1.0, 2.0]), batch).to(library)
    assert_same(X.at[seq(2)].set(value).to("numpy"), nt.tensor(expected, batch, seq, emb))


def test_one_record_is_written(X, array):
    expected = array.copy()
    expected[2, 3] = -1.0
    assert_same(X.at[seq(2), emb(3)].set(-1.0).to("numpy"), nt.tensor(expected, seq, emb))
    assert_same(X.at["seq(2), emb(3)"].set(-1.0).to("numpy"), nt.tensor(expected, seq, emb))


def test_an_integer_tensor_says_where_to_write(X, array, library):
    i = np.array([3, 0, 1, 2, 0, 1, 3])
    expected = array.copy()
    expected[np.arange(7), i] = 0.0
    I = nt.tensor(i, seq).to(library)
    assert_same(X.at[emb(I)].set(0.0).to("numpy"), nt.tensor(expected, seq, emb))


def test_repeated_indices_add_up(X, array, library):
    expected = array.copy()
    expected[1] += 3.0
    I = nt.tensor(np.array([1, 1, 1]), batch).to(library)
    assert_same(X.at[seq(I)].add(1.0).to("numpy"), nt.tensor(expected, seq, emb))


def test_an_update_has_gradients():
    X = nt.ones("seq[3] emb[2]", dtype=torch.float64).requires_grad_()
    Y = nt.full("emb[2]", 5.0, dtype=torch.float64).requires_grad_()
    nt.sum[...](X.at[seq(1)].set(Y) ** 2).backward()
    assert_same(
        X.grad, nt.tensor(torch.tensor([[2.0] * 2, [0.0] * 2, [2.0] * 2]).double(), seq, emb)
    )
    assert_same(Y.grad, nt.full("emb[2]", 10.0, dtype=torch.float64))


# ----------------------------------------------------------- the index rule: gather without ceremony


def test_an_index_lifts_over_axes_that_only_the_data_has(library):
    data = np.arange(24.0).reshape(2, 3, 4)
    X = nt.tensor(data, batch, seq, emb).to(library)
    I = nt.tensor(np.array([1, 0]), batch).to(library)
    assert_same(X[seq(I)].to("numpy"), nt.tensor(data[np.arange(2), [1, 0]], batch, emb))


def test_an_index_lifts_over_axes_that_only_it_has(library):
    data = np.arange(3.0)
    I = nt.tensor(np.array([[1, 0], [2, 2]]), batch, head).to(library)
    found = nt.tensor(data, seq).to(library)[seq(I)]
    assert_same(found.to("numpy"), nt.tensor(data[[[1, 0], [2, 2]]], batch, head))


def test_an_index_may_have_the_axis_that_it_uses_up(library):
    data = np.arange(6.0).reshape(2, 3)
    X = nt.tensor(data, batch, beam).to(library)
    I = nt.tensor(np.array([[2, 0, 0], [1, 1, 2]]), batch, beam).to(library)
    expected = np.take_along_axis(data, np.array([[2, 0, 0], [1, 1, 2]]), 1)
    assert_same(X[beam(I)].to("numpy"), nt.tensor(expected, batch, beam))


def test_two_indices_of_one_axis_pick_pairs(library):
    data = np.arange(12.0).reshape(3, 4)
    X = nt.tensor(data, seq, emb).to(library)
    I, J = [nt.tensor(np.array(n), batch).to(library) for n in ([2, 0], [3, 1])]
    assert_same(X[seq(I), emb(J)].to("numpy"), nt.tensor(data[[2, 0], [3, 1]], batch))


def test_two_indices_of_different_axes_span_both(library):
    data = np.arange(12.0).reshape(3, 4)
    X = nt.tensor(data, seq, emb).to(library)
    I = nt.tensor(np.array([2, 0]), batch).to(library)
    J = nt.tensor(np.array([3, 1, 1]), head).to(library)
    expected = nt.tensor(data[np.ix_([2, 0], [3, 1, 1])], batch, head)
    assert_same(X[seq(I), emb(J)].to("numpy"), expected)
