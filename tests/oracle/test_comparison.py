"""Equality of named tensors: what counts, what does not, and the text of each failure."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor.testing import assert_close, assert_same, from_named, record, to_named
from tests.oracle.tensors import array, of


def failure(check, *operands, **limits) -> str:
    with pytest.raises(AssertionError) as caught:
        check(*operands, **limits)
    return str(caught.value)


@pytest.mark.parametrize("check", [assert_same, assert_close])
def test_the_order_of_axes_does_not_count(check):
    check(nt.tensor([[1.0, 2.0]], "a b"), nt.tensor([[1.0], [2.0]], "b a"))


@pytest.mark.parametrize("check", [assert_same, assert_close])
def test_the_library_does_not_count(check):
    check(nt.tensor([1.0, 2.0], "a"), nt.tensor(torch.tensor([1.0, 2.0]).double(), "a"))


@pytest.mark.parametrize("check", [assert_same, assert_close])
def test_nan_is_nan_and_inf_is_inf(check):
    X = nt.tensor([float("nan"), float("inf"), -float("inf")], "a")
    check(X, X)
    assert "differ" in failure(check, X, -X)


@pytest.mark.parametrize("check", [assert_same, assert_close])
def test_another_shape_is_told_with_both_shapes(check):
    X, Y = nt.tensor([[1.0]], "a b"), nt.tensor([[1.0]], "a c")
    assert failure(check, X, Y) == "X is a[1] x b[1] and Y is a[1] x c[1]"


def test_the_first_record_that_differs_is_named():
    X, Y = nt.tensor([[1.0, 2.0], [3.0, 4.0]], "b a"), nt.tensor([[1.0, 2.0], [3.5, 6.0]], "b a")
    assert failure(assert_same, X, Y) == (
        "X and Y differ at {a(0), b(1)}: 3.0 in X and 3.5 in Y\n"
        "  2 of 4 records differ, by 2 at most"
    )
    assert failure(assert_close, X, Y, rtol=0, atol=1) == (
        "X and Y differ at {a(1), b(1)}: 4.0 in X and 6.0 in Y (rtol 0, atol 1)\n"
        "  1 of 4 records differ, by 2 at most"
    )


def test_numbers_of_another_kind_are_not_the_same():
    whole, real = nt.tensor([1, 2], "a"), nt.tensor([1.0, 2.0], "a")
    assert failure(assert_same, whole, real) == "X holds int64 and Y float64 numbers"
    assert_close(whole, real)


def test_closeness_is_as_fine_as_the_coarser_dtype():
    X = nt.tensor(np.array([1.0]), "a")
    nearly = nt.tensor(np.array([1.0 + 1e-5]), "a")
    assert "differ" in failure(assert_close, X, nearly)
    assert_close(X, nt.tensor(np.array([1.0 + 1e-5], dtype=np.float32), "a"))
    assert_close(X, nt.tensor(torch.tensor([1.01], dtype=torch.bfloat16), "a"))


def test_tensors_that_record_gradients_are_compared_by_their_numbers():
    X = nt.tensor(torch.ones(2, dtype=torch.float64, requires_grad=True), "a")
    assert_same(X, nt.tensor([1.0, 1.0], "a"))


def test_tensors_without_records_are_the_same():
    assert_same(nt.tensor(np.zeros((0, 2)), "a b"), nt.tensor(np.zeros((2, 0)), "b a"))
    assert_same(nt.tensor(np.zeros((0,), dtype=int), "a"), of(np.zeros(0), "a"))


@pytest.mark.parametrize("library", [np.array, torch.tensor])
def test_the_boundary_keeps_numbers_and_their_kind(library):
    for numbers in ([[1, 2], [3, 4]], [[1.5, 2.5]], [[True], [False]]):
        X = nt.tensor(library(numbers), "a b")
        T = from_named(X)
        assert array(T, "a b") == numbers
        assert type(T[record(a=0, b=0)]) is type(numbers[0][0])
        assert_same(to_named(T), X)


def test_the_boundary_keeps_single_numbers_and_empty_shapes():
    assert from_named(nt.tensor(5.0)) == of(5.0, "")
    assert from_named(nt.tensor(np.zeros((0, 3)), "a b")).shape == {"a": 0, "b": 3}
    assert to_named(of(np.zeros((0, 3)), "a b")).shape == "a[0] b[3]"


def test_an_index_defined_tensor_has_numbers_too():
    assert array(from_named(nt.iota("seq[3]")), "seq") == [0, 1, 2]
