"""Functions with axes under them: reductions, ordering, windows."""

import pytest

import namedtensor as nt
from namedtensor.primitives import Type
from namedtensor.tensor import symbol
from tests.errors.check import case, check
from tests.errors.operands import I, X, emb, kernel, key, seq

CASES = [
    case(
        "the results of a formula of several",
        lambda: nt.sum[seq]((X, X)),
        nt.BackendError,
        """
sum[seq](A): A is a tuple of 2 named tensors
  A[0] : seq[3] emb[4]
  A[1] : seq[3] emb[4]
hint: take one of them, A[0]
""",
    ),
    case(
        "an axis that is counted",
        lambda: nt.sum[-1](X),
        nt.AxisNameError,
        """
sum[-1](X): axes are named, not counted
  X : seq[3] emb[4]
hint: `nt.sum[emb](X)`
""",
    ),
    case(
        "axes that are counted, and a setting",
        lambda: nt.norm[0, 1](X, p=1),
        nt.AxisNameError,
        """
norm[0, 1](X, p=1): axes are named, not counted
  X : seq[3] emb[4]
hint: `nt.norm[seq, emb](X, p=1)`
""",
    ),
    case(
        "a counted axis of nothing",
        lambda: nt.softmax[0],
        nt.AxisNameError,
        """
softmax[0]: axes are named, not counted
hint: nt.softmax[seq](X)
""",
    ),
    case(
        "an axis function without axes",
        lambda: nt.softmax(X),
        nt.AxisMissingError,
        """
softmax(X): the axes it acts on are not named
  X : seq[3] emb[4]
hint: nt.softmax[seq](X)
""",
    ),
    case(
        "an axis function of an absent axis",
        lambda: nt.softmax[key](X),
        nt.AxisMissingError,
        """
softmax[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: `nt.softmax[seq](X)` or `nt.softmax[emb](X)`
""",
    ),
    case(
        "an axis function of a misspelled axis",
        lambda: nt.sum["ebm"](X),
        nt.AxisMissingError,
        """
sum[ebm](X): X has no axis ebm
  X : seq[3] emb[4]
hint: did you mean emb? `nt.sum[emb](X)`
""",
    ),
    case(
        "an axis function of an axis twice",
        lambda: nt.softmax[seq, seq](X),
        nt.AxisNameError,
        """
softmax[seq, seq]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "an axis function with a wrong size",
        lambda: nt.softmax[emb[5]](X),
        nt.AxisSizeError,
        """
softmax[emb[5]](X): axis emb is 5 in the call and 4 in X
  X : seq[3] emb[4]
hint: leave the size out, emb, or give a new axis another name
""",
    ),
    case(
        "an axis function of a number",
        lambda: nt.sum[emb](3),
        nt.AxisMissingError,
        """
sum[emb](3): 3 has no axis emb
hint: 3 is a number and has no axes
""",
    ),
    case(
        "a reduction of a number over all axes",
        lambda: nt.sum[...](3),
        nt.BackendError,
        """
sum[...](X): X is an int, and not a named tensor
hint: name its axes: nt.tensor(X)
""",
    ),
    case(
        "a quantile above 1",
        lambda: nt.quantile[emb](X, 1.5),
        nt.KindError,
        """
quantile[emb](X, 1.5): a quantile is a number from 0 to 1, not 1.5
  X : seq[3] emb[4]
hint: give a plain number
""",
    ),
    case(
        "distinct numbers in a formula",
        lambda: nt.unique["value"](symbol("X", Type((("seq", 3), ("emb", 4))))),
        nt.TraceError,
        """
unique[value](X): the size of value is found from data, and a formula's body has none
  X : seq[3] emb[4]
hint: call nt.unique outside of the formula and pass what it gives
""",
    ),
    case(
        "the greatest of nothing",
        lambda: nt.max[emb](X[emb[0:0]]),
        nt.AxisSizeError,
        """
max[emb](A): axis emb has size 0 in A, and max needs at least one element
  A : seq[3] emb[0]
hint: check the size first: A.size(emb) > 0
""",
    ),
    case(
        "the place of the greatest of nothing",
        lambda: nt.argmax_index[emb](X[emb[0:0]]),
        nt.AxisSizeError,
        """
argmax_index[emb](A): axis emb has size 0 in A, and argmax_index needs at least one element
  A : seq[3] emb[0]
hint: check the size first: A.size(emb) > 0
""",
    ),
    case(
        "a one-hot greatest of nothing",
        lambda: nt.argmax[seq, emb](X[emb[0:0]]),
        nt.AxisSizeError,
        """
argmax[seq, emb](A): axis emb has size 0 in A, and argmax needs at least one element
  A : seq[3] emb[0]
hint: check the size first: A.size(emb) > 0
""",
    ),
    case(
        "an index over two axes",
        lambda: nt.argmax_index[seq, emb](X),
        nt.AxisNameError,
        """
argmax_index[seq, emb]: argmax_index acts on 1 axis, and 2 are named
hint: nt.argmax_index[seq](X)
""",
    ),
    case(
        "any of real numbers",
        lambda: nt.any[seq](X),
        nt.KindError,
        """
any[seq](X): X holds float numbers, bool is needed
  X : seq[3] emb[4]
hint: compare first: nt.any[seq](X > 0)
""",
    ),
    case(
        "a running sum over two axes",
        lambda: nt.cumsum[seq, emb](X),
        nt.AxisNameError,
        """
cumsum[seq, emb]: cumsum acts on 1 axis, and 2 are named
hint: nt.cumsum[seq](X)
""",
    ),
    case(
        "a shift by a fraction",
        lambda: nt.roll[seq](X, 1.5),
        nt.KindError,
        """
roll[seq](X, 1.5): a shift is a whole number, not 1.5
  X : seq[3] emb[4]
hint: give a plain number
""",
    ),
    case(
        "a shift by a tensor",
        lambda: nt.roll[seq](X, I),
        nt.KindError,
        """
roll[seq](X, I): a shift is a whole number, not I
  X : seq[3] emb[4]
  I : seq[3]
hint: give a plain number
""",
    ),
    case(
        "eps that is a tensor",
        lambda: nt.standardize[seq](X, X),
        nt.KindError,
        """
standardize[seq](X, X): eps is a number, not X
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: give a plain number
""",
    ),
    case(
        "a choice of how many without a size",
        lambda: nt.maxk[seq, key](X),
        nt.AxisSizeError,
        """
maxk[seq, key]: key has no size: how many?
hint: nt.maxk["seq key[3]"](X)
""",
    ),
    case(
        "a choice of more than there are",
        lambda: nt.maxk[seq, key[5]](X),
        nt.AxisSizeError,
        """
maxk[seq, key](X, 5): axis seq is 3 in X, which has no 5 to choose
  X : seq[3] emb[4]
hint: key[3] takes them all
""",
    ),
    case(
        "a choice over one axis",
        lambda: nt.argmaxk[seq](X),
        nt.AxisNameError,
        """
argmaxk[seq]: argmaxk acts on 2 axes, and 1 is named
hint: nt.argmaxk["seq k[3]"](X)
""",
    ),
    case(
        "a choice onto an axis that is there",
        lambda: nt.argmaxk_index[seq, emb[4]](X),
        nt.AxisClashError,
        """
argmaxk_index[seq, emb](X, 4): X already has an axis emb
  X : seq[3] emb[4]
hint: rename it first: X["emb -> emb'"]
""",
    ),
    case(
        "a window without a size",
        lambda: nt.unroll[seq, kernel](X),
        nt.AxisSizeError,
        """
unroll[seq, kernel](X): the window kernel has no size
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[3]](X)
""",
    ),
    case(
        "a window that does not fit",
        lambda: nt.unroll[seq, kernel[9]](X),
        nt.AxisSizeError,
        """
unroll[seq, kernel](X, 9): a window of 9 does not fit into axis seq, which is 3 in X
  X : seq[3] emb[4]
hint: pad first: nt.pad[seq](X, 4, 4)
""",
    ),
    case(
        "a window of nothing",
        lambda: nt.unroll[seq, kernel[0]](X),
        nt.AxisSizeError,
        """
unroll[seq, kernel[0]](X): a window holds 1 or more
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[3]](X)
""",
    ),
    case(
        "a window onto an axis that is there",
        lambda: nt.unroll[seq, emb[4]](X),
        nt.AxisClashError,
        """
unroll[seq, emb](X, 4): X already has an axis emb
  X : seq[3] emb[4]
hint: rename it first: X["emb -> emb'"]
""",
    ),
    case(
        "a window without a name",
        lambda: nt.unroll[seq](X),
        nt.AxisNameError,
        """
unroll[seq]: unroll acts on axes, each with that of its windows, and 1 is named
hint: nt.unroll[seq, kernel[3]](X)
""",
    ),
    case(
        "windows that do not fill",
        lambda: nt.pool[seq, kernel[2]](X),
        nt.AxisSizeError,
        """
pool[seq, kernel](X, 2): axis seq is 3 in X, which windows of 2 do not fill
  X : seq[3] emb[4]
hint: select what they fill: X[seq[:2]]
""",
    ),
    case(
        "windows of nothing",
        lambda: nt.pool[seq, kernel[0]](X),
        nt.AxisSizeError,
        """
pool[seq, kernel[0]](X): a window holds 1 or more
  X : seq[3] emb[4]
hint: nt.pool[seq, kernel[3]](X)
""",
    ),
    case(
        "a window that reaches too far",
        lambda: nt.unroll[seq, kernel[3]](X, dilation=4),
        nt.AxisSizeError,
        """
unroll[seq, kernel](X, 3, 1, 4): a window of 3, which reaches over 9, does not fit into axis seq, which is 3 in X
  X : seq[3] emb[4]
hint: pad first: nt.pad[seq](X, 4, 4)
""",
    ),
    case(
        "a window longer than the padded axis",
        lambda: nt.unroll[seq, kernel[9]](X, padding=1),
        nt.AxisSizeError,
        """
unroll[seq, kernel[9]](X, padding=1): a window of 9 does not fit into axis seq, which is 5 with its padding
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[9]](X, padding=3)
""",
    ),
    case(
        "a window that reaches beyond the padded axis",
        lambda: nt.unroll[(seq, kernel[1]), (emb, "k[3]")](X, padding={emb: 1}, dilation=4),
        nt.AxisSizeError,
        """
unroll[seq, kernel[1], emb, k[3]](X, padding={emb: 1}, dilation=4): a window of 3, which reaches over 9, does not fit into axis emb, which is 6 with its padding
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[1], emb, k[3]](X, padding={'emb': 3}, dilation=4)
""",
    ),
    case(
        "windows that do not fill the padded axis",
        lambda: nt.pool[seq, kernel[2]](X, padding=1),
        nt.AxisSizeError,
        """
pool[seq, kernel[2]](X, padding=1): windows of 2 do not fill axis seq, which is 5 with its padding
  X : seq[3] emb[4]
hint: nt.pool[seq, kernel[2]](X, padding=1, stride=2)
""",
    ),
    case(
        "a stride of nothing",
        lambda: nt.unroll[seq, kernel[2]](X, stride=0),
        nt.AxisSizeError,
        """
unroll[seq, kernel[2]](X, stride=0): stride is 1 or more, not 0
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[2]](X, stride=1)
""",
    ),
    case(
        "a stride of no whole number",
        lambda: nt.pool[seq, kernel[2]](X, stride=1.5),
        nt.KindError,
        """
pool[seq, kernel[2]](X, stride=1.5): stride is a whole number, not 1.5
  X : seq[3] emb[4]
hint: nt.pool[seq, kernel[2]](X, stride=1)
""",
    ),
    case(
        "a negative padding",
        lambda: nt.unroll[seq, kernel[2]](X, padding=(0, -1)),
        nt.AxisSizeError,
        """
unroll[seq, kernel[2]](X, padding=(0, -1)): padding is 0 or more, not -1
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[2]](X, padding=0)
""",
    ),
    case(
        "a padding of another word",
        lambda: nt.unroll[seq, kernel[2]](X, padding="valid"),
        nt.KindError,
        """
unroll[seq, kernel[2]](X, padding='valid'): there is no padding 'valid'
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[2]](X, padding='same')
""",
    ),
    case(
        "a padding of three ends",
        lambda: nt.unroll[seq, kernel[2]](X, padding=(1, 2, 3)),
        nt.AxisSizeError,
        """
unroll[seq, kernel[2]](X, padding=(1, 2, 3)): an axis has 2 ends, and padding (1, 2, 3)
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[2]](X, padding=1)
""",
    ),
    case(
        "a pair of paddings for two axes",
        lambda: nt.unroll[(seq, kernel[2]), (emb, "k[2]")](X, padding=(1, 0)),
        nt.AxisSizeError,
        """
unroll[seq, kernel[2], emb, k[2]](X, padding=(1, 0)): padding (1, 0) may mean each axis or each end, and windows move along seq, emb
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[2], emb, k[2]](X, padding={'seq': 1, 'emb': 0})
""",
    ),
    case(
        "strides of more axes",
        lambda: nt.unroll[(seq, kernel[2]), (emb, "k[2]")](X, stride=(1, 2, 3)),
        nt.AxisSizeError,
        """
unroll[seq, kernel[2], emb, k[2]](X, stride=(1, 2, 3)): stride has 3 parts, and windows move along seq, emb
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[2], emb, k[2]](X, stride={'seq': 1, 'emb': 1})
""",
    ),
    case(
        "a stride of another axis",
        lambda: nt.unroll[seq, kernel[2]](X, stride={emb: 2}),
        nt.AxisMissingError,
        """
unroll[seq, kernel[2]](X, stride={emb: 2}): stride names axis emb, and windows move along seq
  X : seq[3] emb[4]
hint: nt.unroll[seq, kernel[2]](X, stride=2)
""",
    ),
    case(
        "a value that the numbers cannot hold",
        lambda: nt.unroll[seq, kernel[2]](nt.tensor([1, 2, 3], seq), padding=1, value=-nt.inf),
        nt.KindError,
        """
unroll[seq, kernel[2]](X, padding=1, value=-inf): X holds int numbers, which cannot hold -inf
  X : seq[3]
hint: nt.cast(X, float) first
""",
    ),
    case(
        "slots without a number",
        lambda: nt.dispatch[seq, "slot"](X > 0),
        nt.AxisNameError,
        """
dispatch[seq, slot](M): axis slot is to be made and has no size
  M : seq[3] emb[4]
hint: nt.dispatch[seq, slot[8]](M)
""",
    ),
    case(
        "a choice by numbers",
        lambda: nt.dispatch[seq, "slot[2]"](X),
        nt.KindError,
        """
dispatch[seq, slot[2]](M): M holds float numbers, and a choice is a truth value
  M : seq[3] emb[4]
hint: nt.dispatch[seq, slot[2]](M > 0)
""",
    ),
    case(
        "a factor of nothing",
        lambda: nt.upsample[seq, emb](X, 0),
        nt.AxisSizeError,
        """
upsample[seq, emb](X, factor=0): factor is 1 or more, not 0
  X : seq[3] emb[4]
hint: nt.upsample[seq, emb](X, factor=1)
""",
    ),
    case(
        "a factor of a half",
        lambda: nt.upsample[seq](X, 0.5),
        nt.KindError,
        """
upsample[seq](X, factor=0.5): factor is a whole number, not 0.5
  X : seq[3] emb[4]
hint: nt.upsample[seq](X, factor=1)
""",
    ),
    case(
        "lines between whole numbers",
        lambda: nt.upsample[seq](nt.tensor([1, 2, 3], seq), 2, linear=True),
        nt.KindError,
        """
upsample[seq](A, 2): A holds int numbers, float is needed
  A : seq[3]
hint: nt.cast(A, float) first
""",
    ),
    case(
        "sums of another size",
        lambda: nt.overlap_add[seq, emb](X, stride=2, size=10),
        nt.AxisSizeError,
        """
overlap_add[seq, emb](X, 2, 1, 0, 0, 10): 3 windows in steps of 2 give 8 to 9 of axis seq, and not 10
  X : seq[3] emb[4]
hint: nt.overlap_add[seq, emb](X, stride=2, padding=(0, 0), dilation=1)
""",
    ),
    case(
        "a width that cuts",
        lambda: nt.pad[seq](X, -1, 0),
        nt.AxisSizeError,
        """
pad[seq](X, -1, 0, 0): a negative width would cut
  X : seq[3] emb[4]
hint: select: X[seq[1:]]
""",
    ),
    case(
        "a width that is a fraction",
        lambda: nt.pad[seq](X, 1.5, 0),
        nt.KindError,
        """
pad[seq](X, 1.5, 0, 0): a width is a whole number
  X : seq[3] emb[4]
hint: nt.pad[seq](X, 1, 1)
""",
    ),
    case(
        "a padding that would be rounded",
        lambda: nt.pad[seq](I, 1, 1, 0.5),
        nt.KindError,
        """
pad[seq](X, 1, 1, 0.5): X holds int numbers, which cannot hold 0.5
  X : seq[3]
hint: nt.cast(X, float) first
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
