"""Operations take any number of operands, and so do formulas: no table of names runs out."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, axes, formula

seq, emb = axes("seq emb")
MANY = 300
LIBRARIES = ["numpy", "torch"]


def rows(library):
    numbers = np.arange(MANY * 3.0).reshape(MANY, 3) / (MANY * 3)
    return numbers, [nt.tensor(row, emb).to(library) for row in numbers]


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_tensors_are_joined(library):
    numbers, Xs = rows(library)
    np.testing.assert_array_equal(nt.stack[seq](*Xs).numpy(seq, emb), numbers)
    np.testing.assert_array_equal(nt.concat[emb](Xs).numpy(), numbers.ravel())


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_tensors_are_contracted(library):
    _, Xs = rows(library)
    ones = [nt.ones("emb[3]").to(library) for _ in range(MANY)]
    assert nt.dot[emb](*ones, Xs[-1]).item() == pytest.approx(Xs[-1].numpy().sum())


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_formula_adds_and_joins_many_parts(library):
    @formula
    def total(X: R[seq, emb]) -> R[emb]:
        return sum([X[seq(i)] * 2.0 for i in range(abs(seq))], 0.0)

    @formula
    def again(X: R[seq, emb]) -> R[seq, emb]:
        return nt.stack[seq]([X[seq(i)] for i in range(abs(seq))])

    numbers, Xs = rows(library)
    X = nt.stack[seq](*Xs)
    np.testing.assert_allclose(total(X).numpy(), 2.0 * numbers.sum(0))
    np.testing.assert_array_equal(again(X).numpy(seq, emb), numbers)


def test_a_sum_deeper_than_pythons_stack_meets_the_kernels():
    @formula
    def total(X: R[seq, emb]) -> R[emb]:
        return sum([X[seq(i)] for i in range(abs(seq))], 0.0)

    X = nt.ones("seq[1100] emb[2]").to("torch")
    np.testing.assert_array_equal(total(X).numpy(), [1100.0, 1100.0])


def test_an_error_among_many_operands_names_the_one_at_fault():
    _, Xs = rows("numpy")
    with pytest.raises(nt.AxisMissingError, match=r"A27\d has no axis emb"):
        nt.concat[emb](*Xs[:-1], nt.ones("seq[3]"))
