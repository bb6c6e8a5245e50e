"""Functional updates at places, and by values, that do not fit."""

import numpy as np
import pytest

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import JT, I, J, T, X, Y, emb, key, mask, seq

CASES = [
    case(
        "an update of a position",
        lambda: X.at[0].set(0),
        nt.AxisNameError,
        """
X[0]: an index names its axis
  X : seq[3] emb[4]
hint: `X[seq(0)]` or `X[emb(0)]`
""",
    ),
    case(
        "an update of an unknown axis",
        lambda: X.at[key(0)].set(0),
        nt.AxisMissingError,
        """
X[key(0)]: X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: `X[seq(0)]` or `X[emb(0)]`
""",
    ),
    case(
        "an update at a renaming",
        lambda: X.at[seq >> key].set(0),
        nt.AxisNameError,
        """
X.at[...]: an update is at indices, and a renaming is none
  X : seq[3] emb[4]
hint: X.at[seq(0)].set(Y)
""",
    ),
    case(
        "an update outside the axis",
        lambda: X.at[seq(5)].set(0),
        nt.IndexRangeError,
        """
X.at[seq(5)].set(0): index 5 lies outside axis seq, which is 3 in X
  X : seq[3] emb[4]
hint: X[seq(2)] is the last
""",
    ),
    case(
        "an update at a fraction",
        lambda: X.at[seq(0.5)].set(0),
        nt.KindError,
        """
X[seq(0.5)]: an index is a whole number or an integer named tensor, not a float
  X : seq[3] emb[4]
hint: X[seq(0)], X[seq(nt.tensor(..., seq))] or, to select, X[seq[[0, 2]]]
""",
    ),
    case(
        "an update with a step of zero",
        lambda: X.at[seq[::0]].set(0),
        nt.AxisNameError,
        """
X[seq[::0]]: a step of 0 never ends
  X : seq[3] emb[4]
hint: X[seq[::1]]
""",
    ),
    case(
        "an update at indices outside the axis",
        lambda: X.at[emb(J)].set(0),
        nt.IndexRangeError,
        """
X.at[emb(J)].set(0): index 7 in J lies outside axis emb, which is 4 in X
  X : seq[3] emb[4]
  J : seq[3]
hint: indices count from 0 to 3
""",
    ),
    case(
        "an update of torch at indices outside the axis",
        lambda: T.at[emb(JT)].add(0),
        nt.IndexRangeError,
        """
T.at[emb(JT)].add(0): index 7 in JT lies outside axis emb, which is 4 in T
  T  : seq[3] emb[4]
  JT : seq[3]
hint: indices count from 0 to 3
""",
    ),
    case(
        "an update at real indices",
        lambda: X.at[emb(X)].set(0),
        nt.KindError,
        """
X.at[emb(X)].set(0): X holds float numbers, int is needed
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: an index is an integer tensor
""",
    ),
    case(
        "an update by a tensor with the axis that the index uses up",
        lambda: X.at[seq(0)].set(Y),
        nt.AxisClashError,
        """
X.at[seq(0)].set(Y): Y has axis seq, which the index uses up
  X : seq[3] emb[4]
  Y : seq[3] emb[4]
hint: rename it: Y["seq -> seq'"]
""",
    ),
    case(
        "an update by a tensor of another size",
        lambda: X.at[seq[0:2]].set(Y),
        nt.AxisSizeError,
        """
X.at[seq[0:2]].set(Y): axis seq is 2 at the place in X and 3 in Y
  X : seq[3] emb[4]
  Y : seq[3] emb[4]
hint: write a tensor with seq[2]
""",
    ),
    case(
        "an update by a bare array",
        lambda: X.at[seq(0)].set(np.ones(4)),
        nt.BackendError,
        """
X.at[seq(0)].set(A): A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "an update by a tensor of another library",
        lambda: X.at[seq[0:3]].set(T),
        nt.BackendError,
        """
X.at[seq[0:3]].set(T): X is a numpy tensor and T a torch tensor; data never changes library by itself
  X : seq[3] emb[4]
  T : seq[3] emb[4]
hint: convert one of them: T.to("numpy")
""",
    ),
    case(
        "an update of whole numbers by a fraction",
        lambda: I.at[seq(0)].set(0.5),
        nt.KindError,
        """
I.at[seq(0)].set(0.5): I holds int numbers, which cannot hold 0.5, a float value
  I : seq[3]
hint: nt.cast(I, float) first
""",
    ),
    case(
        "an update of truth values by a number",
        lambda: mask.at[seq(0)].add(3),
        nt.KindError,
        """
mask.at[seq(0)].add(3): mask holds bool numbers, which cannot hold 3, an int value
  mask : seq[3] emb[4]
hint: nt.cast(mask, int) first
""",
    ),
    case(
        "an update of real numbers by a complex one",
        lambda: T.at[seq(0)].set(2j),
        nt.KindError,
        """
T.at[seq(0)].set(2j): T holds float numbers, which cannot hold 2j, a complex value
  T : seq[3] emb[4]
hint: nt.cast(T, complex) first
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
