"""Formulas that cannot be written down."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, formula
from tests.errors.check import case, check
from tests.errors.operands import emb, seq

DATA = nt.tensor(np.arange(4.0), emb)


@formula
def scaled(X: R[emb], Y: R[emb]) -> R[emb]:
    return X * Y


@formula
def calls_with_data(X: R[emb]) -> R[emb]:
    return scaled(X, DATA)


@formula
def gives_data(X: R[emb]) -> R[emb]:
    return DATA


@formula
def powered(X: R[seq], k: int) -> R[seq]:
    return X**k


CASES = [
    case(
        "a call with a tensor that has data",
        calls_with_data.written,
        nt.TraceError,
        """
scaled(...): Y is a tensor with data, which a formula cannot be written with
  File "test_formula_written.py", line N, in calls_with_data
    return scaled(X, DATA)
           ^^^^^^^^^^^^^^^
hint: pass it as an argument of the formula that is written
""",
    ),
    case(
        "a result that has data",
        gives_data.written,
        nt.TraceError,
        """
gives_data(...): the body returned a NamedTensor with data, which cannot be written
hint: return what the formula computes from its arguments
""",
    ),
    case(
        "a setting without a default",
        powered.written,
        nt.KindError,
        """
powered.latex(): k is a setting without a default, and the formula depends on it
hint: powered.latex(k=...)
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_says_how_to_write_it(call, error, text):
    check(call, error, text)
