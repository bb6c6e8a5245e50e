"""Elementwise operations on operands that do not fit."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import T, X, b, emb, meta, one, other

small = nt.tensor(np.array([0, 5], "uint8"), "seq")
narrow = nt.tensor(torch.tensor([0, 5], dtype=torch.uint8), "seq")
I, J = nt.tensor([1, 2], "seq"), nt.tensor([-1, 1], "seq")
I_torch, J_torch = I.to("torch"), J.to("torch")

CASES = [
    case(
        "sizes that differ",
        lambda: X + other,
        nt.AxisSizeError,
        """
X + other: axis seq is 3 in X and 2 in other
  X     : seq[3] emb[4]
  other : seq[2] emb[5]
hint: select as many of both, `X[seq[:2]] + other`, or rename one: `other["seq -> seq'"]`
""",
    ),
    case(
        "a size of 1 that would repeat",
        lambda: X * one,
        nt.AxisSizeError,
        """
X * one: axis seq is 3 in X and 1 in one
  X   : seq[3] emb[4]
  one : seq[1] emb[4]
hint: a size of 1 is not repeated silently: drop it, `X * one[seq(0)]`
""",
    ),
    case(
        "a contraction over an axis that is 1 in one",
        lambda: X @ "seq" @ one,
        nt.AxisSizeError,
        """
dot[seq](X, one): axis seq is 3 in X and 1 in one
  X   : seq[3] emb[4]
  one : seq[1] emb[4]
hint: select as many of both, `nt.dot[seq](X[seq[:1]], one)`, or rename one: `one["seq -> seq'"]`
""",
    ),
    case(
        "sizes that differ in a choice",
        lambda: nt.where(X > 0, other, 0.0),
        nt.AxisSizeError,
        """
where(A, other, 0.0): axis seq is 3 in A and 2 in other
  A     : seq[3] emb[4]
  other : seq[2] emb[5]
hint: select as many of both, `nt.where(A[seq[:2]], other, 0.0)`, or rename one: `other["seq -> seq'"]`
""",
    ),
    case(
        "complex numbers where order matters",
        lambda: nt.maximum(X, 2j),
        nt.KindError,
        """
maximum(X, 2j): 2j holds complex numbers, bool or int or float is needed
  X : seq[3] emb[4]
hint: take a real part: nt.real(2j)
""",
    ),
    case(
        "a number that the dtype of a tensor does not hold",
        lambda: small + -1,
        nt.KindError,
        """
small + -1: small holds uint8 numbers, which cannot hold -1
  small : seq[2]
hint: give the tensor a wider dtype: small.to("int64")
""",
    ),
    case(
        "a number beyond the dtype on torch, which would wrap around",
        lambda: nt.where(narrow > 0, narrow, 300),
        nt.KindError,
        """
where(A, narrow, 300): narrow holds uint8 numbers, which cannot hold 300
  A      : seq[2]
  narrow : seq[2]
hint: give the tensor a wider dtype: narrow.to("int64")
""",
    ),
    case(
        "the negatives of numbers that are never below 0",
        lambda: -narrow,
        nt.KindError,
        """
-narrow: narrow holds uint8 numbers, which are never below 0
  narrow : seq[2]
hint: give the tensor a wider dtype: narrow.to("int64")
""",
    ),
    case(
        "whole numbers to powers below 0 on numpy",
        lambda: I**J,
        nt.KindError,
        """
I ** J: a whole number to a power below 0 is no whole number
  I : seq[2]
  J : seq[2]
hint: make the base real: `I.to("float64") ** J`
""",
    ),
    case(
        "whole numbers to a number below 0 on numpy",
        lambda: I**-1,
        nt.KindError,
        """
I ** -1: a whole number to a power below 0 is no whole number
  I : seq[2]
hint: make the base real: `I.to("float64") ** -1`
""",
    ),
    case(
        "a whole number to powers below 0 on numpy",
        lambda: 2**J,
        nt.KindError,
        """
2 ** J: a whole number to a power below 0 is no whole number
  J : seq[2]
hint: make the base real: `2.0 ** J`
""",
    ),
    case(
        "whole numbers to powers below 0 on torch, which would give 0",
        lambda: I_torch**J_torch,
        nt.KindError,
        """
I_torch ** J_torch: a whole number to a power below 0 is no whole number
  I_torch : seq[2]
  J_torch : seq[2]
hint: make the base real: `I_torch.to("float64") ** J_torch`
""",
    ),
    case(
        "whole numbers to a number below 0 on torch",
        lambda: I_torch**-1,
        nt.KindError,
        """
I_torch ** -1: a whole number to a power below 0 is no whole number
  I_torch : seq[2]
hint: make the base real: `I_torch.to("float64") ** -1`
""",
    ),
    case(
        "a whole number to powers below 0 on torch",
        lambda: 2**J_torch,
        nt.KindError,
        """
2 ** J_torch: a whole number to a power below 0 is no whole number
  J_torch : seq[2]
hint: make the base real: `2.0 ** J_torch`
""",
    ),
    case(
        "an operand that is a bare array",
        lambda: X + np.ones(4),
        nt.BackendError,
        """
X + A: A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "a bare array in front",
        lambda: np.ones(4) + X,
        nt.BackendError,
        """
A + X: A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "a bare tensor of torch",
        lambda: torch.ones(4) + X,
        nt.BackendError,
        """
A + X: A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "a bare array without axes",
        lambda: X + torch.tensor(3.0),
        nt.BackendError,
        """
X + A: A is a bare array of sizes (); its axes have no names
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(A)
""",
    ),
    case(
        "an operand that is a string",
        lambda: X + "s",
        nt.BackendError,
        """
X + A: A is a str, neither a named tensor nor a number
  X : seq[3] emb[4]
hint: give a named tensor: nt.ones("ax[4]")
""",
    ),
    case(
        "an operand that is None",
        lambda: None + X,
        nt.BackendError,
        """
A + X: A is None, neither a named tensor nor a number
  X : seq[3] emb[4]
hint: give a named tensor: nt.ones("ax[4]")
""",
    ),
    case(
        "an operand that is a list",
        lambda: nt.exp([1.0]),
        nt.BackendError,
        """
exp(A): A is a list, neither a named tensor nor a number
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "numpy and torch mixed",
        lambda: X + T,
        nt.BackendError,
        """
X + T: X is a numpy tensor and T a torch tensor; data never changes library by itself
  X : seq[3] emb[4]
  T : seq[3] emb[4]
hint: convert one of them: T.to("numpy")
""",
    ),
    case(
        "two devices mixed",
        lambda: T + meta,
        nt.BackendError,
        """
T + meta: T is on cpu, meta is on meta
  T    : seq[3] emb[4]
  meta : seq[3] emb[4]
hint: meta holds sizes and no numbers: for shapes alone T.to("meta")
""",
    ),
    case(
        "two dtypes contracted",
        lambda: T @ emb @ b.to("torch", "float32"),
        nt.KindError,
        """
dot[emb](T, A): T is torch.float64, A is torch.float32
  T : seq[3] emb[4]
  A : emb[4]
hint: give both one dtype: A.to(torch.float64)
""",
    ),
    case(
        "real numbers as truth values",
        lambda: X & X,
        nt.KindError,
        """
X & X: X holds float numbers, bool is needed
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: compare first: X > 0
""",
    ),
    case(
        "a real condition",
        lambda: nt.where(X, X, X),
        nt.KindError,
        """
where(X, X, X): X holds float numbers, bool is needed
  X : seq[3] emb[4]
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: a condition is a comparison: nt.where(X > 0, X, 0)
""",
    ),
    case(
        "a number that is no truth value",
        lambda: nt.logical_not(3),
        nt.KindError,
        """
~3: 3 holds int numbers, bool is needed
hint: compare first: X > 0
""",
    ),
    case(
        "cases without a last row",
        lambda: nt.cases((1, X > 0)),
        nt.AxisNameError,
        """
cases(...) of 1: each row is (value, condition), and the last one a value alone
hint: nt.cases((0.0, j <= i), -nt.inf)
""",
    ),
    case(
        "cases with a row of three",
        lambda: nt.cases((1, X > 0, 2), 3),
        nt.AxisNameError,
        """
cases(...) of 2: each row is (value, condition), and the last one a value alone
hint: nt.cases((0.0, j <= i), -nt.inf)
""",
    ),
    case(
        "no cases",
        lambda: nt.cases(),
        nt.AxisNameError,
        """
cases(...) of 0: each row is (value, condition), and the last one a value alone
hint: nt.cases((0.0, j <= i), -nt.inf)
""",
    ),
    case(
        "a probability above 1",
        lambda: nt.dropout(X, 2.0),
        nt.KindError,
        """
dropout(X, 2.0): a probability is a number from 0 to 1
  X : seq[3] emb[4]
hint: nt.dropout(X, 0.1)
""",
    ),
    case(
        "a probability that is a tensor",
        lambda: nt.dropout(X, b),
        nt.KindError,
        """
dropout(X, b): a probability is a number from 0 to 1, not b
  X : seq[3] emb[4]
  b : emb[4]
hint: give a plain number
""",
    ),
    case(
        "dropout of a number",
        lambda: nt.dropout(3.0, 0.5),
        nt.BackendError,
        """
dropout(3.0, 0.5): dropout takes a named tensor, and only numbers are given
hint: make a tensor without axes: nt.tensor(3.0)
""",
    ),
    case(
        "a mode that is none",
        lambda: nt.training(1),
        nt.KindError,
        """
training(1): a mode is True or False
hint: with nt.training(False): ...
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
