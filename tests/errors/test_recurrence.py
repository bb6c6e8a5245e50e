"""What recurrences refuse, in full."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import R, Z, axes, formula
from tests.errors.check import case, check

seq, emb, hid = axes("seq emb hid")

X = nt.tensor(np.ones((3, 4)), seq, emb)
one = nt.tensor(np.ones((1, 4)), seq, emb)
I = nt.tensor(np.ones((3, 4), int), seq, emb)
f32 = nt.tensor(np.ones(4, np.float32), emb)


def step(h, x):
    return h + x


def total(X: R[seq, emb], h: R[emb]) -> R[seq, emb]:
    return nt.scan[seq](lambda h, x: nt.sum[emb](h + x), h, X)


@formula
def noisy(X: R[seq, emb]) -> R[seq, emb]:
    return nt.scan[seq](lambda h, x: x + nt.categorical[emb](x), 0.0, X)


@formula
def counted(X: R[seq, emb]) -> R[seq, emb]:
    return nt.scan[seq](lambda h, x: x * int(x.size(emb)), 0.0, X)


@formula
def unsized(X: R[seq, emb]) -> R[seq, emb, hid]:
    return nt.scan[seq](step, nt.define[hid](lambda i: 0.0), X)


@formula
def unread(X: Z[seq]) -> Z[seq]:
    return nt.scan[seq](lambda h, x: x, 0.5, X)


@formula
def unread_nan(X: Z[seq]) -> Z[seq]:
    return nt.scan[seq](lambda h, x: x, float("nan"), X)


CASES = [
    case(
        "a combination that loses an axis",
        lambda: nt.associative_scan[seq](lambda a, b: nt.sum[emb](a + b), X),
        nt.AxisMissingError,
        """
associative_scan[seq](combine, X): the next a, over no axes, has lost emb
  a : seq[3] emb[4]
hint: a carry keeps its axes: start without emb, or keep it in the step
""",
    ),
    case(
        "emit that is no function",
        lambda: nt.scan[seq](step, 0.0, X, emit="last"),
        nt.KindError,
        """
scan[seq](step, h0, X, emit): emit is a str, and not a function
hint: nt.scan[seq](step, h0, X, emit=lambda h, x: h)
""",
    ),
    case(
        "what is emitted and no tensor",
        lambda: nt.scan[seq](step, 0.0, X, emit=lambda h, x: {"h": h}),
        nt.NamedTensorError,
        """
scan[seq](step, h0, X): emit gives a dict, and what is emitted is a named tensor
  X : seq[3] emb[4]
hint: give a named tensor or a tuple of them
""",
    ),
    case(
        "a start whose sizes are open",
        lambda: unsized(X),
        nt.AxisSizeError,
        """
scan[seq](step, h0, X): axis hid has no size yet
  full(hid, 0.0) : hid
  File "test_recurrence.py", line N, in unsized
    return nt.scan[seq](step, nt.define[hid](lambda i: 0.0), X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: give it one where the tensor is defined, hid[5], or combine the tensor with one that has an axis hid
""",
    ),
    case(
        "an index that is drawn once for all steps",
        lambda: noisy(X),
        nt.TraceError,
        """
categorical[emb](P): the step of a recurrence runs once, on symbols, and categorical draws from data
  File "test_recurrence.py", line N, in noisy
    return nt.scan[seq](lambda h, x: x + nt.categorical[emb](x), 0.0, X)
                                         ^^^^^^^^^^^^^^^^^^^^^^
hint: draw uniform numbers in the step, and compare them with nt.cumsum of P
""",
    ),
    case(
        "the number of a size that is open",
        lambda: counted.latex(),
        nt.TraceError,
        """
emb: Python asks for the number of a size that is open here
  File "test_recurrence.py", line N, in counted
    return nt.scan[seq](lambda h, x: x * int(x.size(emb)), 0.0, X)
                                         ^^^^^^^^^^^^^^^^
hint: give the size: f.shape("seq[5]") for f.shape("seq")
""",
    ),
    case(
        "nothing to run along",
        lambda: nt.scan[seq](step, 0.0),
        nt.AxisNameError,
        """
scan[seq](step, h0): there is nothing to run along
hint: nt.scan[seq](step, h0, X)
""",
    ),
    case(
        "two sequences as one",
        lambda: nt.scan[seq](lambda h, x: x[0] * h + x[1], 0.0, (X, X)),
        nt.KindError,
        """
scan[seq](step, h0, X): a sequence is a tuple, and each is given by itself
hint: nt.scan[seq](step, h0, X, Y), with step(h, x, y)
""",
    ),
    case(
        "a carry that has the axis",
        lambda: nt.scan[seq](step, X, X),
        nt.AxisClashError,
        """
scan[seq](step, h0, X): h has the axis seq, along which the steps are taken
  h : seq[3] emb[4]
  X : seq[3] emb[4]
hint: start with one index of it: h0[seq(0)]
""",
    ),
    case(
        "a carry that is a list of arrays",
        lambda: nt.scan[seq](step, np.ones(3), X),
        nt.KindError,
        """
scan[seq](step, h0, X): h starts as an ndarray, and a carry is a named tensor, a tuple of them, or None
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(h0, "ax")
""",
    ),
    case(
        "no carry, and nothing to emit",
        lambda: nt.scan[seq](lambda h, x: None, None, X),
        nt.AxisNameError,
        """
scan[seq](step, None, X): there is neither a carry nor anything to emit
  X : seq[3] emb[4]
hint: nt.scan[seq](step, None, X, emit=g)
""",
    ),
    case(
        "another structure",
        lambda: nt.scan[seq](lambda h, x: (h, x), 0.0, X),
        nt.NamedTensorError,
        """
scan[seq](step, h0, X): the carry is a float, and the step gives a tuple of 2
  X : seq[3] emb[4]
hint: a step gives the next carry, of the same structure; emit=g gives other things along seq
""",
    ),
    case(
        "something that is no tensor",
        lambda: nt.scan[seq](lambda h, x: "h", 0.0, X),
        nt.NamedTensorError,
        """
scan[seq](step, h0, X): the step gives a str, and a carry is made of named tensors
  X : seq[3] emb[4]
hint: give the next carry, a named tensor or a tuple of them
""",
    ),
    case(
        "a carry that loses an axis",
        lambda: nt.scan[seq](lambda h, x: nt.sum[emb](h + x), nt.zeros(emb[4]), X),
        nt.AxisMissingError,
        """
scan[seq](step, h0, X): the next h, over no axes, has lost emb
  h : emb[4]
  X : seq[3] emb[4]
hint: a carry keeps its axes: start without emb, or keep it in the step
""",
    ),
    case(
        "a carry that loses an axis in a formula",
        lambda: formula(total)(X, nt.zeros(emb[4])),
        nt.AxisMissingError,
        """
scan[seq](step, h0, X): the next h, over no axes, has lost emb
  h : emb[4]
  X : seq[3] emb[4]
  File "test_recurrence.py", line N, in total
    return nt.scan[seq](lambda h, x: nt.sum[emb](h + x), h, X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: a carry keeps its axes: start without emb, or keep it in the step
""",
    ),
    case(
        "a number that is asked for an axis",
        lambda: nt.scan[seq](lambda h, x: h + h @ emb @ x, 0.0, X),
        nt.AxisMissingError,
        """
dot[emb](h, x): h has no axis emb
  h : () a single number
  x : emb
hint: h starts without emb: start with all axes that the step needs, such as nt.zeros(emb[4])
""",
    ),
    case(
        "a carry that gets the axis",
        lambda: nt.scan[seq](lambda h, x: h + X, 0.0, X),
        nt.AxisClashError,
        """
scan[seq](step, h0, X): the next h has the axis seq, along which the steps are taken
  X : seq[3] emb[4]
hint: reduce or rename that axis in the step
""",
    ),
    case(
        "a carry of another kind",
        lambda: nt.scan[seq](step, nt.tensor([1, 2, 3, 4], emb), X),
        nt.KindError,
        """
scan[seq](step, h0, X): h holds int numbers, and the next h float numbers
  h : emb[4]
  X : seq[3] emb[4]
hint: start with float numbers: nt.cast(h0, float)
""",
    ),
    case(
        "a carry of a narrower kind",
        lambda: nt.scan[seq](lambda h, x: nt.cast(h, int), X[seq(0)], X),
        nt.KindError,
        """
scan[seq](step, h0, X): h holds float numbers, and the next h int numbers
  h : emb[4]
  X : seq[3] emb[4]
hint: keep float numbers in the step: nt.cast(h, float)
""",
    ),
    case(
        "a step that does not take the elements",
        lambda: nt.scan[seq](lambda h: h, 0.0, X),
        nt.KindError,
        """
scan[seq](step, h0, X): the step is given 2 arguments, and it takes (h): too many positional arguments
  X : seq[3] emb[4]
hint: lambda h, x: ...
""",
    ),
    case(
        "an emission that does not take the elements",
        lambda: nt.scan[seq](step, 0.0, X, emit=lambda h: h),
        nt.KindError,
        """
scan[seq](step, h0, X): emit is given 2 arguments, and it takes (h): too many positional arguments
  X : seq[3] emb[4]
hint: lambda h, x: ...
""",
    ),
    case(
        "a combination of one element",
        lambda: nt.associative_scan[seq](lambda a: a, X),
        nt.KindError,
        """
associative_scan[seq](combine, X): combine is given 2 arguments, and it takes (a): too many positional arguments
  x : seq[3] emb[4]
hint: lambda h, x: ...
""",
    ),
    case(
        "tensors that are combined, one by one",
        lambda: nt.associative_scan[seq](lambda a, b: b, X, X),
        nt.KindError,
        """
associative_scan[seq](combine, X, Y): several tensors are combined as one tuple
  X : seq[3] emb[4]
  Y : seq[3] emb[4]
hint: nt.associative_scan[seq](combine, (X, Y))
""",
    ),
    case(
        "a number of another kind, which no step reads",
        lambda: unread(nt.tensor([1, 2, 3], seq)),
        nt.KindError,
        """
scan[seq](step, h0, X): a carry starts as 0.5, and the step gives int numbers
  X : seq[3]
  File "test_recurrence.py", line N, in unread
    return nt.scan[seq](lambda h, x: x, 0.5, X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: start with int numbers
""",
    ),
    case(
        "nan where the step gives whole numbers",
        lambda: unread_nan(nt.tensor([1, 2, 3], seq)),
        nt.KindError,
        """
scan[seq](step, h0, X): a carry starts as nan, and the step gives int numbers
  X : seq[3]
  File "test_recurrence.py", line N, in unread_nan
    return nt.scan[seq](lambda h, x: x, float("nan"), X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: start with int numbers
""",
    ),
    case(
        "a carry of another dtype",
        lambda: nt.scan[seq](step, f32, X),
        nt.KindError,
        """
scan(step, h0, X): a carry starts as float32, and the step gives float64; a carry keeps its dtype
hint: start with float64: h0.to("float64")
""",
    ),
    case(
        "a carry of another size",
        lambda: nt.scan[seq](
            lambda h, x: nt.concat[hid](h, x), nt.ones(hid[2]), nt.ones("seq[3] hid[1]")
        ),
        nt.AxisSizeError,
        """
scan[seq](step, h0, X): axis hid is 2 in h and 3 in the next h
  h : hid[2]
  X : seq[3] hid[1]
hint: a carry keeps its sizes: the step may not join to it, or cut it
""",
    ),
]

CASES += [
    case(
        "nothing to combine",
        lambda: nt.associative_scan[seq](step, ()),
        nt.AxisNameError,
        """
associative_scan[seq](combine, X): there is nothing to combine
hint: nt.associative_scan[seq](combine, X)
""",
    ),
    case(
        "elements of different lengths",
        lambda: nt.associative_scan[seq](step, (X, one)),
        nt.AxisSizeError,
        """
associative_scan[seq](X, Y): axis seq is 3 in X and 1 in Y
  X : seq[3] emb[4]
  Y : seq[1] emb[4]
hint: select as many of both, or rename one: Y["seq -> seq'"]
""",
    ),
    case(
        "a combination of another structure",
        lambda: nt.associative_scan[seq](lambda x, y: x[0] + y[0], (X, X)),
        nt.NamedTensorError,
        """
associative_scan[seq](combine, X): the carry is a tuple of 2, and the step gives one named tensor
  x1 : seq[3] emb[4]
  x2 : seq[3] emb[4]
hint: a step gives the next carry, of the same structure; emit=g gives other things along seq
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
