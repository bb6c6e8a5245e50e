"""Contractions of operands that do not fit."""

import numpy as np
import pytest

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import X, b, emb, key, other, seq

CASES = [
    case(
        "a bare array before the axis",
        lambda: np.ones((3, 4)) @ emb @ X,
        nt.BackendError,
        """
A @ emb: A is a bare array of sizes (3, 4); its axes have no names
hint: name its axes: nt.tensor(A, "ax bx")
""",
    ),
    case(
        "a contraction without its second half",
        lambda: (X @ emb) + X,
        nt.AxisNameError,
        """
X @ emb: (X @ emb) waits for its right operand, and is no tensor yet
  X : seq[3] emb[4]
hint: `X @ emb @ b` or `X @ emb @ other`
""",
    ),
    case(
        "a contraction over an axis that one lacks",
        lambda: X @ seq @ b,
        nt.AxisMissingError,
        """
dot[seq](X, b): b has no axis seq
  X : seq[3] emb[4]
  b : emb[4]
hint: both have emb: `X @ emb @ b`
""",
    ),
    case(
        "a contraction over a misspelled axis",
        lambda: X @ "ebm" @ b,
        nt.AxisMissingError,
        """
dot[ebm](X, b): X has no axis ebm
  X : seq[3] emb[4]
  b : emb[4]
hint: both have emb: `X @ emb @ b`
""",
    ),
    case(
        "a contraction over an axis that none has",
        lambda: nt.dot[key](X, X, b),
        nt.AxisMissingError,
        """
dot[key](X, X, b): no operand has axis key, and a contraction needs two
  X : seq[3] emb[4]
  X : seq[3] emb[4]
  b : emb[4]
hint: nt.sum[key](X) sums over an axis of one tensor
""",
    ),
    case(
        "a contraction over an axis that only one has",
        lambda: nt.dot[seq](X, b, b),
        nt.AxisMissingError,
        """
dot[seq](X, b, b): only X has axis seq, and a contraction needs two
  X : seq[3] emb[4]
  b : emb[4]
  b : emb[4]
hint: nt.sum[seq](X) sums over an axis of one tensor
""",
    ),
    case(
        "a contraction of sizes that differ",
        lambda: X @ emb @ other,
        nt.AxisSizeError,
        """
dot[emb](X, other): axis seq is 3 in X and 2 in other
  X     : seq[3] emb[4]
  other : seq[2] emb[5]
hint: select as many of both, `nt.dot[emb](X[seq[:2]], other)`, or rename one: `other["seq -> seq'"]`
""",
    ),
    case(
        "a contraction with a wrong size",
        lambda: X @ emb[5] @ b,
        nt.AxisSizeError,
        """
A @ emb[5] @ B: axis emb is 5 in the call and 4 in A
  A : seq[3] emb[4]
  B : emb[4]
hint: leave the size out: A @ emb @ B
""",
    ),
    case(
        "a contraction over an axis twice",
        lambda: X @ (emb, emb) @ b,
        nt.AxisNameError,
        """
A @ (emb, emb) @ B: emb is named twice
hint: name it once; "emb'" is a second copy
""",
    ),
    case(
        "a contraction over no axes",
        lambda: X @ b,
        nt.AxisNameError,
        """
X @ b: a contraction names its axes between the operands
  X : seq[3] emb[4]
  b : emb[4]
hint: both have emb: `X @ emb @ b`
""",
    ),
    case(
        "a contraction over a number",
        lambda: X @ 3 @ b,
        nt.AxisNameError,
        """
X @ 3 @ b: axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
""",
    ),
    case(
        "a contraction with a bare array in the middle",
        lambda: X @ np.ones(4),
        nt.BackendError,
        """
A @ B: B is a bare array of sizes (4), and a contraction names its axes
  A : seq[3] emb[4]
hint: A @ ax @ nt.tensor(B, ...), with ax an axis of both
""",
    ),
    case(
        "a contraction with a bare array at the end",
        lambda: X @ emb @ np.ones(4),
        nt.BackendError,
        """
dot[emb](X, A): A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "a contraction with a bare array in front",
        lambda: np.ones((3, 4)) @ X,
        nt.BackendError,
        """
np.matmul(...): numpy's functions know no names
  X : seq[3] emb[4]
hint: X.numpy(seq, emb)
""",
    ),
    case(
        "a contraction read from the right",
        lambda: X @ (emb @ b),
        nt.AxisNameError,
        """
A @ B: A is an Axis; a contraction is read from the left, tensor @ axes @ tensor
  B : emb[4]
hint: A @ emb @ B, with A a named tensor
""",
    ),
    case(
        "a contraction with a number",
        lambda: X @ emb @ 3,
        nt.AxisMissingError,
        """
dot[emb](X, 3): 3 has no axis emb
  X : seq[3] emb[4]
hint: 3 is a number and has no axes
""",
    ),
    case(
        "a contraction of one",
        lambda: nt.dot[emb](X),
        nt.NamedTensorError,
        """
dot[emb](X): a contraction takes two operands or more
  X : seq[3] emb[4]
hint: `nt.sum[emb](X)` reduces one
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
