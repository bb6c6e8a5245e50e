"""Records, ranges, selections and integer tensors that do not fit."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import JT, I, J, K, T, X, emb, key, mask, seq, short, val, vocab

real = mask[emb(0)]

CASES = [
    case(
        "a position without a name",
        lambda: X[0],
        nt.AxisNameError,
        """
X[0]: an index names its axis
  X : seq[3] emb[4]
hint: `X[seq(0)]` or `X[emb(0)]`
""",
    ),
    case(
        "a range without a name",
        lambda: X[0:2],
        nt.AxisNameError,
        """
X[0:2]: an index names its axis
  X : seq[3] emb[4]
hint: `X[seq[0:2]]` or `X[emb[0:2]]`
""",
    ),
    case(
        "an axis alone",
        lambda: X[seq],
        nt.AxisNameError,
        """
X[seq]: seq alone says nothing to do
  X : seq[3] emb[4]
hint: `X[seq(0)]` is an index, `X[seq[2:5]]` a range and `X["seq -> seq'"]` a renaming
""",
    ),
    case(
        "nothing",
        lambda: X[None],
        nt.AxisNameError,
        """
X[None]: an index names its axis
  X : seq[3] emb[4]
hint: `X[seq(0)]` or `X[emb(0)]`
""",
    ),
    case(
        "an ellipsis",
        lambda: X[...],
        nt.AxisNameError,
        """
X[Ellipsis]: an index names its axis
  X : seq[3] emb[4]
hint: `X[seq(0)]` or `X[emb(0)]`
""",
    ),
    case(
        "a list",
        lambda: X[["seq(0)"]],
        nt.AxisNameError,
        """
X[list]: an index names its axis
  X : seq[3] emb[4]
hint: `X[seq(0)]` or `X[emb(0)]`
""",
    ),
    case(
        "an index outside its axis",
        lambda: X[seq(3)],
        nt.IndexRangeError,
        """
X[seq(3)]: index 3 lies outside axis seq, which is 3 in X
  X : seq[3] emb[4]
hint: X[seq(2)] is the last
""",
    ),
    case(
        "a negative index outside its axis",
        lambda: X[seq(-4)],
        nt.IndexRangeError,
        """
X[seq(-4)]: index -4 lies outside axis seq, which is 3 in X
  X : seq[3] emb[4]
hint: X[seq(2)] is the last
""",
    ),
    case(
        "an index into an empty axis",
        lambda: X[seq[0:0]][seq(0)],
        nt.IndexRangeError,
        """
A[seq(0)]: index 0 lies outside axis seq, which is 0 in A
  A : seq[0] emb[4]
hint: axis seq of A is empty
""",
    ),
    case(
        "an index that is a fraction",
        lambda: X[seq(1.0)],
        nt.KindError,
        """
X[seq(1.0)]: an index is a whole number or an integer named tensor, not a float
  X : seq[3] emb[4]
hint: X[seq(0)], X[seq(nt.tensor(..., seq))] or, to select, X[seq[[0, 2]]]
""",
    ),
    case(
        "an index that is a truth value",
        lambda: X[seq(True)],
        nt.KindError,
        """
X[seq(True)]: an index is a whole number or an integer named tensor, not a bool
  X : seq[3] emb[4]
hint: X[seq(0)], X[seq(nt.tensor(..., seq))] or, to select, X[seq[[0, 2]]]
""",
    ),
    case(
        "an index that is a string",
        lambda: X[seq("a")],
        nt.KindError,
        """
X[seq('a')]: an index is a whole number or an integer named tensor, not a str
  X : seq[3] emb[4]
hint: X[seq(0)], X[seq(nt.tensor(..., seq))] or, to select, X[seq[[0, 2]]]
""",
    ),
    case(
        "an index that is a list",
        lambda: X[seq([0, 1])],
        nt.KindError,
        """
X[seq(list)]: an index is a whole number or an integer named tensor, not a list
  X : seq[3] emb[4]
hint: X[seq(0)], X[seq(nt.tensor(..., seq))] or, to select, X[seq[[0, 2]]]
""",
    ),
    case(
        "an index that is a bare array",
        lambda: X[seq(np.array([0, 1]))],
        nt.KindError,
        """
X[seq(ndarray)]: an index is a whole number or an integer named tensor, not an ndarray
  X : seq[3] emb[4]
hint: X[seq(0)], X[seq(nt.tensor(..., seq))] or, to select, X[seq[[0, 2]]]
""",
    ),
    case(
        "an index that is a bare tensor of torch",
        lambda: X[seq(torch.tensor([0, 1]))],
        nt.KindError,
        """
X[seq(Tensor)]: an index is a whole number or an integer named tensor, not a Tensor
  X : seq[3] emb[4]
hint: X[seq(0)], X[seq(nt.tensor(..., seq))] or, to select, X[seq[[0, 2]]]
""",
    ),
    case(
        "a record with an unknown axis",
        lambda: X[key(0)],
        nt.AxisMissingError,
        """
X[key(0)]: X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: `X[seq(0)]` or `X[emb(0)]`
""",
    ),
    case(
        "a record with a misspelled axis",
        lambda: X["sqe(0)"],
        nt.AxisMissingError,
        """
X[sqe(0)]: X has no axis sqe
  X : seq[3] emb[4]
hint: did you mean seq? `X[seq(0)]`
""",
    ),
    case(
        "a record that names an axis twice",
        lambda: X[seq(0), seq(1)],
        nt.AxisNameError,
        """
X[seq(0), seq(1)]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "an index and a range of one axis",
        lambda: X[seq(0), seq[0:1]],
        nt.AxisNameError,
        """
X[seq(0), seq[0:1]]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a string that cannot be read",
        lambda: X["seq(a)"],
        nt.AxisNameError,
        """
X['seq(a)']: cannot read 'seq(a)'
  X : seq[3] emb[4]
hint: X["seq(0), emb[2:5]"] indexes, X["seq -> seq'"] renames
""",
    ),
    case(
        "a string that names an axis alone",
        lambda: X["seq"],
        nt.AxisNameError,
        """
X['seq']: cannot read 'seq'
  X : seq[3] emb[4]
hint: X["seq(0), emb[2:5]"] indexes, X["seq -> seq'"] renames
""",
    ),
    case(
        "a step of zero",
        lambda: X[seq[0:2:0]],
        nt.AxisNameError,
        """
X[seq[0:2:0]]: a step of 0 never ends
  X : seq[3] emb[4]
hint: X[seq[::1]]
""",
    ),
    case(
        "a bound that is a fraction",
        lambda: X[seq[1.5:]],
        nt.KindError,
        """
X[seq[1.5:]]: bounds are whole numbers, not a float
  X : seq[3] emb[4]
hint: X[seq[2:5]]
""",
    ),
    case(
        "a list of indices outside the axis",
        lambda: X[seq[[0, 5]]],
        nt.IndexRangeError,
        """
X[seq(A)]: index 5 in A lies outside axis seq, which is 3 in X
  X : seq[3] emb[4]
  A : seq[2]
hint: indices count from 0 to 2
""",
    ),
    case(
        "a list of fractions",
        lambda: X[seq[[0.5]]],
        nt.KindError,
        """
X[seq(A)]: A holds float numbers, int is needed
  X : seq[3] emb[4]
  A : seq[1]
hint: nt.cast(A, int)
""",
    ),
    case(
        "a mask of another size",
        lambda: X[seq[[True, False]]],
        nt.AxisSizeError,
        """
X[seq[mask]]: axis seq is 3 in X and 2 in mask
  X : seq[3] emb[4]
hint: a mask has one truth value for each index
""",
    ),
    case(
        "a selection by a matrix",
        lambda: X[seq[np.array([[0, 1]])]],
        nt.AxisNameError,
        """
X[seq[...]]: a selection from seq is a list of indices or a mask, not an array of sizes (1, 2)
  X : seq[3] emb[4]
hint: X[seq[[0, 2]]], or X[seq(I)] with I an integer named tensor
""",
    ),
    case(
        "a selection by a tensor of other axes",
        lambda: X[seq[X]],
        nt.AxisNameError,
        """
X[seq[X]]: a selection from seq is a tensor over seq alone
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: X[seq(X)] indexes by a tensor of any shape
""",
    ),
    case(
        "an integer tensor outside the axis",
        lambda: X[emb(J)],
        nt.IndexRangeError,
        """
X[emb(J)]: index 7 in J lies outside axis emb, which is 4 in X
  X : seq[3] emb[4]
  J : seq[3]
hint: indices count from 0 to 3
""",
    ),
    case(
        "an integer tensor below the axis",
        lambda: X[emb(K)],
        nt.IndexRangeError,
        """
X[emb(K)]: index -5 in K lies outside axis emb, which is 4 in X
  X : seq[3] emb[4]
  K : seq[3]
hint: indices count from 0 to 3
""",
    ),
    case(
        "an integer tensor of torch outside the axis",
        lambda: T[emb(JT)],
        nt.IndexRangeError,
        """
T[emb(JT)]: index 7 in JT lies outside axis emb, which is 4 in T
  T  : seq[3] emb[4]
  JT : seq[3]
hint: indices count from 0 to 3
""",
    ),
    case(
        "a real tensor as an index",
        lambda: X[seq(X)],
        nt.KindError,
        """
X[seq(X)]: X holds float numbers, int is needed
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: nt.cast(X, int)
""",
    ),
    case(
        "a mask as an index",
        lambda: X[seq(mask)],
        nt.KindError,
        """
X[seq(mask)]: mask holds bool numbers, int is needed
  X    : seq[3] emb[4]
  mask : seq[3] emb[4]
hint: a mask over several axes keeps them: nt.where(mask, X, 0.0)
""",
    ),
    case(
        "a mask over several axes as a selection",
        lambda: X[seq[mask]],
        nt.AxisNameError,
        """
X[seq[mask]]: a selection from seq is a tensor over seq alone
  X    : seq[3] emb[4]
  mask : seq[3] emb[4]
hint: nt.where(mask, X, 0.0) keeps the axes
""",
    ),
    case(
        "a mask over its axis as an index",
        lambda: X[seq(real)],
        nt.KindError,
        """
X[seq(real)]: real holds bool numbers, int is needed
  X    : seq[3] emb[4]
  real : seq[3]
hint: a mask selects in square brackets: X[seq[real]]
""",
    ),
    case(
        "a tensor of indices without their axis",
        lambda: X[J],
        nt.AxisNameError,
        """
X[J]: an index names its axis
  X : seq[3] emb[4]
hint: `X[seq(J)]` or `X[emb(J)]`
""",
    ),
    case(
        "a tensor of indices at an axis that X lacks",
        lambda: X[key(J), emb(0)],
        nt.AxisMissingError,
        """
X[key(J), emb(0)]: X has no axis key
  X : seq[3] emb[4]
hint: X has seq: `X[seq(J), emb(0)]`
""",
    ),
    case(
        "an index with another size than the data",
        lambda: X[emb(short)],
        nt.AxisSizeError,
        """
X[emb(short)]: axis seq is 3 in X and 2 in short
  X     : seq[3] emb[4]
  short : seq[2]
hint: select as many of both, `X[seq[:2]][emb(short)]`, or rename one: `short["seq -> seq'"]`
""",
    ),
    case(
        "data and index in two libraries",
        lambda: T[emb(I)],
        nt.BackendError,
        """
T[emb(I)]: T is a torch tensor and I a numpy tensor; data never changes library by itself
  T : seq[3] emb[4]
  I : seq[3]
hint: convert one of them: I.to("torch")
""",
    ),
    case(
        "nt.index with an axis that X lacks",
        lambda: nt.index[vocab](X, I),
        nt.AxisMissingError,
        """
X[vocab(I)]: X has no axis vocab
  X : seq[3] emb[4]
  I : seq[3]
hint: X has seq and emb: `X[seq(I)]` or `X[emb(I)]`
""",
    ),
    case(
        "nt.index without indices",
        lambda: nt.index[emb](X),
        nt.AxisNameError,
        """
index[emb](X): 1 to index by, and 0 tensors of indices
  X : seq[3] emb[4]
hint: one integer tensor for each axis: nt.index[row, col](X, I, J)
""",
    ),
    case(
        "nt.index with too many indices",
        lambda: nt.index[emb](X, I, I),
        nt.AxisNameError,
        """
index[emb](X, I, J): 1 to index by, and 2 tensors of indices
  X : seq[3] emb[4]
hint: one integer tensor for each axis: nt.index[row, col](X, I, J)
""",
    ),
    case(
        "nt.index with a bare array",
        lambda: nt.index[emb](X, np.array([0])),
        nt.BackendError,
        """
X[emb(A)]: A is a bare array of sizes (1); its axes have no names
  X : seq[3] emb[4]
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "a renaming of an absent axis",
        lambda: X[key >> val],
        nt.AxisMissingError,
        """
X[key >> val]: X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: `X[seq >> val]` or `X[emb >> val]`
""",
    ),
    case(
        "a renaming of a misspelled axis",
        lambda: X["ebm -> key"],
        nt.AxisMissingError,
        """
X[ebm >> key]: X has no axis ebm
  X : seq[3] emb[4]
hint: did you mean emb? `X[emb >> key]`
""",
    ),
    case(
        "a renaming with a wrong size before",
        lambda: X[seq[4] >> key],
        nt.AxisSizeError,
        """
X[seq[4] >> key]: axis seq is 4 in the call and 3 in X
  X : seq[3] emb[4]
hint: leave the size out: seq
""",
    ),
    case(
        "a renaming with a wrong size after",
        lambda: X[seq >> key[4]],
        nt.AxisSizeError,
        """
X[seq >> key[4]]: axis key is 4 in the call and 3 in X
  X : seq[3] emb[4]
hint: leave the size out: key
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("made", [lambda f: f, nt.formula], ids=["eager", "formula"])
def test_indices_may_be_numbers(library, made):
    Y = nt.tensor(np.arange(6.0).reshape(2, 3), "seq emb").to(library)
    i = nt.tensor([0, 2], "k").to(library)

    @made
    def one(X: nt.R[seq, emb]) -> nt.R[emb]:
        return nt.index["seq"](X, -1)

    @made
    def both(X: nt.R[seq, emb]) -> nt.R:
        return nt.index["seq", "emb"](X, 1, 2)

    @made
    def mixed(X: nt.R[seq, emb], i: nt.Z["k"]) -> nt.R["k"]:  # noqa: F821
        return nt.index["seq", "emb"](X, 1, i)

    @made
    def far(X: nt.R[seq, emb]) -> nt.R[emb]:
        return nt.index["seq"](X, 10**30)

    for _ in range(2):
        assert one(Y).numpy("emb").tolist() == [3.0, 4.0, 5.0]
        assert both(Y).item() == 5.0
        assert mixed(Y, i).numpy("k").tolist() == [3.0, 5.0]
        with pytest.raises(nt.NamedTensorError):
            far(Y)
