"""Operations on operands that do not fit."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import (
    I,
    T,
    X,
    b,
    batch,
    col,
    emb,
    head,
    kernel,
    key,
    meta,
    negative,
    one,
    other,
    row,
    seq,
    singular,
    step,
)

CASES = [
    case(
        "sizes that differ",
        lambda: X + other,
        nt.AxisSizeError,
        """
X + other: axis seq is 3 in X and 2 in other
  X     : seq[3] emb[4]
  other : seq[2] emb[5]
hint: select as many of both, X[seq[:2]], or rename one: other["seq -> seq'"]
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
hint: a size of 1 is not repeated silently: drop it with one[seq(0)], and it meets every seq of X
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
hint: select as many of both, A[seq[:2]], or rename one: other["seq -> seq'"]
""",
    ),
    case(
        "an operand that is a bare array",
        lambda: X + np.ones(4),
        nt.BackendError,
        """
X + A: A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name them: nt.tensor(A, ax)
""",
    ),
    case(
        "a bare array in front",
        lambda: np.ones(4) + X,
        nt.BackendError,
        """
A + X: A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name them: nt.tensor(A, ax)
""",
    ),
    case(
        "a bare tensor of torch",
        lambda: torch.ones(4) + X,
        nt.BackendError,
        """
A + X: A is a bare array of sizes (4); its axes have no names
  X : seq[3] emb[4]
hint: name them: nt.tensor(A, ax)
""",
    ),
    case(
        "a bare array without axes",
        lambda: X + torch.tensor(3.0),
        nt.BackendError,
        """
X + A: A is a bare array of sizes (); its axes have no names
  X : seq[3] emb[4]
hint: name them: nt.tensor(A)
""",
    ),
    case(
        "an operand that is a string",
        lambda: X + "s",
        nt.BackendError,
        """
X + A: A is a str, neither a named tensor nor a number
hint: make a named tensor of it: nt.tensor(A, ...)
""",
    ),
    case(
        "an operand that is None",
        lambda: None + X,
        nt.BackendError,
        """
A + X: A is None, neither a named tensor nor a number
hint: make a named tensor of it: nt.tensor(A, ...)
""",
    ),
    case(
        "an operand that is a list",
        lambda: nt.exp([1.0]),
        nt.BackendError,
        """
exp(A): A is a list, neither a named tensor nor a number
hint: make a named tensor of it: nt.tensor(A, ...)
""",
    ),
    case(
        "a contraction without its second half",
        lambda: (X @ emb) + X,
        nt.BackendError,
        """
A + X: A is a Contraction, neither a named tensor nor a number
hint: A lacks its right operand: (X @ emb) waits for its right operand: X @ emb @ Y
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
hint: move one: meta.to("cpu")
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
        "a contraction over an axis that one lacks",
        lambda: X @ seq @ b,
        nt.AxisMissingError,
        """
dot[seq](X, b): b has no axis seq
  X : seq[3] emb[4]
  b : emb[4]
hint: b has only the axes that its shape shows
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
hint: did you mean emb?
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
hint: select as many of both, X[seq[:2]], or rename one: other["seq -> seq'"]
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
A @ B: a contraction names its axes between the operands
  A : seq[3] emb[4]
  B : emb[4]
hint: A @ emb @ B
""",
    ),
    case(
        "a contraction over a number",
        lambda: X @ 3 @ b,
        nt.AxisNameError,
        """
axes(3): axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb"
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
hint: name them: nt.tensor(A, ax)
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
hint: nt.sum[ax](X) reduces one
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
hint: rename the axis of X that you mean: X[emb >> key]
""",
    ),
    case(
        "an axis function of a misspelled axis",
        lambda: nt.sum["ebm"](X),
        nt.AxisMissingError,
        """
sum[ebm](X): X has no axis ebm
  X : seq[3] emb[4]
hint: did you mean emb?
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
hint: name its axes: nt.tensor(X, seq, emb)
""",
    ),
    case(
        "the greatest of nothing",
        lambda: nt.max[emb](X[emb[0:0]]),
        nt.AxisSizeError,
        """
max[emb](A): axis emb is 0 in A, and nothing has no max
  A : seq[3] emb[0]
hint: check the size first: X.size(ax) > 0
""",
    ),
    case(
        "the place of the greatest of nothing",
        lambda: nt.argmax_index[emb](X[emb[0:0]]),
        nt.AxisSizeError,
        """
argmax_index[emb](A): axis emb is 0 in A, and nothing has no argmax_index
  A : seq[3] emb[0]
hint: check the size first: X.size(ax) > 0
""",
    ),
    case(
        "a one-hot greatest of nothing",
        lambda: nt.argmax[seq, emb](X[emb[0:0]]),
        nt.AxisSizeError,
        """
argmax[seq, emb](A): axis emb is 0 in A, and nothing has no argmax
  A : seq[3] emb[0]
hint: check the size first: X.size(ax) > 0
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
        "a choice of how many without a size",
        lambda: nt.maxk[seq, key](X),
        nt.AxisSizeError,
        """
maxk[seq, key]: key has no size: how many?
hint: nt.maxk[seq, key[5]](X)
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
hint: nt.argmaxk[ax, k[5]](X)
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
unroll[seq, kernel]: the window kernel has no size
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
unroll[seq, kernel](X, 0): a window of 0 does not fit into axis seq, which is 3 in X
  X : seq[3] emb[4]
hint: a window holds 1 or more: kernel[3]
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
unroll[seq]: unroll acts on 2 axes, and 1 is named
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
pool[seq, kernel](X, 0): axis seq is 3 in X, which windows of 0 do not fill
  X : seq[3] emb[4]
hint: a window holds 1 or more: kernel[2]
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
    case(
        "a matrix that is not square",
        lambda: nt.det[seq, emb](X),
        nt.AxisSizeError,
        """
det[seq, emb](X): X is not square: axis seq is 3 and axis emb is 4
  X : seq[3] emb[4]
hint: nt.pinv takes any matrix
""",
    ),
    case(
        "a matrix without columns",
        lambda: nt.det[row, col](X),
        nt.AxisMissingError,
        """
det[row, col](X): X has no axis row
  X : seq[3] emb[4]
hint: rename the axis of X that you mean: X[emb >> row]
""",
    ),
    case(
        "a matrix with one axis",
        lambda: nt.inv[seq](X),
        nt.AxisNameError,
        """
inv[seq]: inv acts on 2 axes, and 1 is named
hint: nt.inv[row, col](A)
""",
    ),
    case(
        "a matrix that cannot be inverted",
        lambda: nt.inv[row, col](singular),
        nt.NamedTensorError,
        """
inv[row, col](singular): inv has no value for some matrix in singular
  singular : row[2] col[2]
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "a matrix of torch that cannot be inverted",
        lambda: nt.inv[row, col](singular.to("torch")),
        nt.NamedTensorError,
        """
inv[row, col](A): inv has no value for some matrix in A
  A : row[2] col[2]
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "a matrix that is not positive",
        lambda: nt.cholesky[row, col](negative),
        nt.NamedTensorError,
        """
cholesky[row, col](negative): cholesky has no value for some matrix in negative
  negative : row[2] col[2]
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "a diagonal with one axis",
        lambda: nt.diag[seq](X),
        nt.AxisNameError,
        """
diag[seq]: diag acts on 3 axes, and 1 is named
hint: nt.diag[row, col, ax](A)
""",
    ),
    case(
        "a diagonal of an axis with itself",
        lambda: nt.diag[seq, seq](X),
        nt.AxisNameError,
        """
diag[seq, seq]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a diagonal onto an axis that is there",
        lambda: nt.diag[row, col, batch](nt.ones("row[2] col[2] batch[3]")),
        nt.AxisClashError,
        """
diag[row, col, batch](A): A already has an axis batch
  A : row[2] col[2] batch[3]
hint: rename it first: A["batch -> batch'"]
""",
    ),
    case(
        "a spectrum without a name",
        lambda: nt.svdvals[seq, emb](X),
        nt.AxisNameError,
        """
svdvals[seq, emb]: svdvals acts on 3 axes, and 2 are named
hint: nt.svdvals[row, col, value](A)
""",
    ),
    case(
        "equations whose right side lacks the rows",
        lambda: nt.solve[row, col](singular, b),
        nt.AxisMissingError,
        """
solve[row, col](singular, b): b has no axis row
  singular : row[2] col[2]
  b        : emb[4]
hint: rename the axis of b that you mean: b[emb >> row]
""",
    ),
    case(
        "equations whose right side has the columns",
        lambda: nt.solve[row, col](singular, singular),
        nt.AxisClashError,
        """
solve[row, col](singular, singular): singular already has an axis col
  singular : row[2] col[2]
  singular : row[2] col[2]
hint: rename it first: singular["col -> col'"]
""",
    ),
    case(
        "equations of another size",
        lambda: nt.solve[row, col](singular, nt.ones("row[3]")),
        nt.AxisSizeError,
        """
solve[row, col](singular, A): axis row is 2 in singular and 3 in A
  singular : row[2] col[2]
  A        : row[3]
hint: select as many of both, singular[row[:2]], or rename one: A["row -> row'"]
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
hint: X has only the axes that its shape shows
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
hint: select as many of both, X[emb[:4]], or rename one: other["emb -> emb'"]
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
hint: name its axes: nt.tensor(X, seq, emb)
""",
    ),
    case(
        "parts along an absent axis",
        lambda: nt.split[key](X, (1, 2)),
        nt.AxisMissingError,
        """
split[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has only the axes that its shape shows
""",
    ),
    case(
        "unstacking an absent axis",
        lambda: nt.unstack[key](X),
        nt.AxisMissingError,
        """
unstack[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has only the axes that its shape shows
""",
    ),
    case(
        "unstacking a bare array",
        lambda: nt.unstack[seq](np.ones(3)),
        nt.BackendError,
        """
unstack[seq](X): X is an ndarray, and not a named tensor
hint: name its axes: nt.tensor(X, seq, emb)
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
hint: name its axes: nt.tensor(X, seq, emb)
""",
    ),
    case(
        "a recurrence along an absent axis",
        lambda: nt.scan[key](step, 0.0, X),
        nt.AxisMissingError,
        """
scan[key](X): X has no axis key
  X : seq[3] emb[4]
hint: X has only the axes that its shape shows
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
    case(
        "a recurrence along an empty axis without a state",
        lambda: nt.scan[seq](step, 0.0, X[seq[0:0]]),
        nt.AxisSizeError,
        """
scan[seq](step, h0, X): axis seq is 0 in X, and h0 is a float without axes to give
  X : seq[0] emb[4]
hint: start with a named tensor: nt.zeros(hid[4])
""",
    ),
    case(
        "a recurrence whose state has the axis",
        lambda: nt.scan[seq](step, X, X),
        nt.AxisClashError,
        """
stack[seq](A, B, C): A already has an axis seq
  A : seq[3] emb[4]
  B : seq[3] emb[4]
  C : seq[3] emb[4]
hint: nt.concat[seq] joins along an axis that is there
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
