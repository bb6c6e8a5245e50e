"""Joining, taking apart, and recurrences."""

import numpy as np
import pytest

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import X, emb, head, key, one, other, seq, step

CASES = [
    case(
        "one index among tensors of several",
        lambda: nt.concat[seq](X, nt.sum[seq](X)),
        nt.AxisMissingError,
        """
concat[seq](X, A): A has no axis seq
  X : seq[3] emb[4]
  A : emb[4]
hint: a tensor without seq is one index of it: `nt.concat[seq](X, nt.stack[seq](A))`
""",
    ),
    case(
        "an axis with a prime among those without",
        lambda: nt.concat[seq](X, X["seq -> seq'"]),
        nt.AxisMissingError,
        """
concat[seq](X, A): A has no axis seq
  X : seq[3] emb[4]
  A : seq'[3] emb[4]
hint: rename it: `nt.concat[seq](X, A["seq' -> seq"])`
""",
    ),
    case(
        "nothing to join",
        lambda: nt.concat[seq](),
        nt.AxisNameError,
        """
concat[seq](): there is nothing to join
hint: nt.concat[seq](A, B)
""",
    ),
    case(
        "nothing to stack",
        lambda: nt.stack[head]([]),
        nt.AxisNameError,
        """
stack[head](): there is nothing to join
hint: nt.stack[head](A, B)
""",
    ),
    case(
        "joining along an absent axis",
        lambda: nt.concat[key](X, X),
        nt.AxisMissingError,
        """
concat[key](X, X): X has no axis key
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: X has seq and emb: `nt.concat[seq](X, X)` or `nt.concat[emb](X, X)`
""",
    ),
    case(
        "joining tensors of different sizes",
        lambda: nt.concat[seq](X, other),
        nt.AxisSizeError,
        """
concat[seq](X, other): axis emb is 4 in X and 5 in other
  X     : seq[3] emb[4]
  other : seq[2] emb[5]
hint: select as many of both, `nt.concat[seq](X, other[emb[:4]])`, or rename one: `other["emb -> emb'"]`
""",
    ),
    case(
        "joining a number",
        lambda: nt.concat[seq](X, 3),
        nt.AxisMissingError,
        """
concat[seq](X, 3): 3 has no axis seq
  X : seq[3] emb[4]
hint: 3 is a number and has no axes
""",
    ),
    case(
        "joining along two axes",
        lambda: nt.concat[seq, emb](X, X),
        nt.AxisNameError,
        """
concat[seq, emb]: concat acts on 1 axis, and 2 are named
hint: nt.concat[seq](A, B)
""",
    ),
    case(
        "stacking along an axis that is there",
        lambda: nt.stack[seq](X, X),
        nt.AxisClashError,
        """
stack[seq](X, X): X already has an axis seq
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: nt.concat[seq] joins along an axis that is there
""",
    ),
    case(
        "stacking another number than the axis says",
        lambda: nt.stack[head[3]](X, X),
        nt.AxisSizeError,
        """
stack[head[3]](A, B): axis head is 3 in the call, and 2 tensors are given
hint: leave the size out: head
""",
    ),
    case(
        "joining an index-defined tensor without size",
        lambda: nt.concat[seq](nt.iota(seq), X),
        nt.AxisSizeError,
        """
index-defined tensor: an axis whose size is still open cannot be cut, merged or split
hint: give it a size where it is defined: nt.iota(seq[5])
""",
    ),
    case(
        "parts that do not add up",
        lambda: nt.split[seq](X, (1, 1)),
        nt.AxisSizeError,
        """
split[seq](X, (1, 1)): axis seq is 3 in X, and the parts are 1, 1
  X : seq[3] emb[4]
hint: give sizes of 0 or more that add up to 3
""",
    ),
    case(
        "a negative part",
        lambda: nt.split[seq](X, (4, -1)),
        nt.AxisSizeError,
        """
split[seq](X, (4, -1)): axis seq is 3 in X, and the parts are 4, -1
  X : seq[3] emb[4]
hint: give sizes of 0 or more that add up to 3
""",
    ),
    case(
        "parts that are a number",
        lambda: nt.split[seq](X, 2),
        nt.AxisSizeError,
        """
split[seq](X, 2): the parts are a tuple of whole numbers
  X : seq[3] emb[4]
hint: nt.split[seq](X, (1, 2))
""",
    ),
    case(
        "parts of a number",
        lambda: nt.split[seq](3, (1, 2)),
        nt.BackendError,
        """
split[seq](X): X is an int, and not a named tensor
hint: name its axes: nt.tensor(X)
""",
    ),
    case(
        "parts along an absent axis",
        lambda: nt.split[key](X, (1, 2)),
        nt.AxisMissingError,
        """
split[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: name one of them
""",
    ),
    case(
        "unstacking an absent axis",
        lambda: nt.unstack[key](X),
        nt.AxisMissingError,
        """
unstack[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: name one of them
""",
    ),
    case(
        "unstacking a bare array",
        lambda: nt.unstack[seq](np.ones(3)),
        nt.BackendError,
        """
unstack[seq](X): X is an ndarray, and not a named tensor
hint: name its axes: nt.tensor(X, "ax")
""",
    ),
    case(
        "a recurrence along nothing",
        lambda: nt.scan[seq](step, 0.0),
        nt.AxisNameError,
        """
scan[seq](step, h0): there is nothing to run along
hint: nt.scan[seq](step, h0, X)
""",
    ),
    case(
        "a recurrence along a number",
        lambda: nt.scan[seq](step, 0.0, 3),
        nt.BackendError,
        """
scan[seq](X): X is an int, and not a named tensor
hint: name its axes: nt.tensor(X)
""",
    ),
    case(
        "a recurrence along an absent axis",
        lambda: nt.scan[key](step, 0.0, X),
        nt.AxisMissingError,
        """
scan[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: name one of them
""",
    ),
    case(
        "a recurrence along two sizes",
        lambda: nt.scan[seq](step, 0.0, X, one),
        nt.AxisSizeError,
        """
scan[seq](X, Y): axis seq is 3 in X and 1 in Y
  X : seq[3] emb[4]
  Y : seq[1] emb[4]
hint: select as many of both, or rename one: Y["seq -> seq'"]
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
