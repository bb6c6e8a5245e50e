"""Formulas and modules called, written and made wrongly."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from tests.errors.check import case, check
from tests.errors.operands import I, col, emb, kernel, key, row, seq, val

hid = axes("hid")
CAPTURED = nt.tensor(np.arange(4.0), emb)
ARRAY = np.ones(4)
x = nt.tensor(np.arange(4.0), emb)
W = nt.ones("emb[4] hid[5]")


@formula
def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


@formula
def add(X: R[emb], Y: R[emb]) -> R[emb]:
    return X + Y


@formula
def fixed(X: R[emb[4]]) -> R[emb]:
    return X


@formula
def scaled(X: R[emb], a: R) -> R[emb]:
    return a * X


@formula
def lookup(X: R[emb], I: Z[seq]) -> R[seq]:
    return X[emb(I)]


@formula
def negate(M: B[seq]) -> B[seq]:
    return ~M


@formula
def chosen(X: R[emb], p: float = 0.5) -> R[emb]:
    return X * p


@formula
def renamed(X: R[emb]) -> R[emb]:
    return X[emb >> hid]


@formula
def widened(X: R[emb]) -> R[emb]:
    return X * nt.iota(hid[3])


@formula
def summed(X: R[emb]) -> R[emb]:
    return nt.sum[emb](X)


@formula
def halved(X: R[seq]) -> Z[seq]:
    return X * 0.5


@formula
def silent(X: R[emb]) -> R[emb]:
    X + 1.0


@formula
def constant(X: R[emb]) -> R:
    return 3.0


@formula
def half_pair(X: R[emb]) -> tuple[R[emb], R[emb]]:
    return X


@formula
def triple(X: R[emb]) -> tuple[R[emb], R[emb]]:
    return X, X, X


@formula
def doubled(X: R[emb]) -> R[emb]:
    return X, X


@formula
def fixed_result(X: R[emb]) -> R[emb]:
    return CAPTURED


@formula
def shifted(X: R[emb]) -> R[emb]:
    return X + CAPTURED


@formula
def shifted_by_array(X: R[emb]) -> R[emb]:
    return X + ARRAY


@formula
def branching(X: R[emb]) -> R[emb]:
    return X if nt.sum[emb](X) > 0 else -X


@formula
def measured(X: R[emb]) -> R[emb]:
    return X / nt.norm[emb](X).item()


@formula
def masked(X: R[emb]) -> R[emb]:
    return X[emb[X > 0]]


@formula
def numpied(X: R[emb]) -> R[emb]:
    return np.exp(X)


@formula
def sized(X: R[emb]) -> R[emb]:
    return X / abs(hid)


@formula
def misspelled(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ "ebm" @ X


@formula
def unseen(X: R[emb], *, W: R[emb, hid]) -> R[emb]:
    return W @ hid @ X


@formula
def outside(X: R[emb]) -> R:
    return X[emb(9)]


@formula
def halves(X: R[emb]) -> R[key, val]:
    return X[emb >> (key[2], val)]


@formula
def convolved(X: R[seq], W: R[kernel]) -> R[seq]:
    return W @ kernel @ nt.unroll[seq, kernel[abs(kernel)]](X)


@formula
def inverted(A: R[row, col]) -> R[row, col]:
    return nt.inv[row, col](A)


@formula
def layered(X: R[emb], *, proj: project) -> R[hid]:
    return proj(X)


def bundle_first(proj: project, X: R[emb]) -> R[hid]:
    return proj(X)


CASES = [
    case(
        "an axis that an argument lacks",
        lambda: project(nt.ones("seq[3]"), W=W),
        nt.AxisMissingError,
        """
project(X, W): X has no axis emb, which project declares
  X : seq[3]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: rename the axis that you mean: X[seq >> emb]
""",
    ),
    case(
        "a misspelled axis",
        lambda: project(nt.ones("ebm[4]"), W=W),
        nt.AxisMissingError,
        """
project(X, W): X has no axis emb, which project declares
  X : ebm[4]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: rename the axis that you mean: X[ebm >> emb]
""",
    ),
    case(
        "an axis that a parameter lacks",
        lambda: project(x, W=nt.ones("emb[4]")),
        nt.AxisMissingError,
        """
project(X, W): W has no axis hid, which project declares
  X : emb[4]   declared R[emb]
  W : emb[4]   declared R[emb, hid]
hint: W is declared R[emb, hid]
""",
    ),
    case(
        "an extra axis that the result declares",
        lambda: project(nt.ones("emb[4] hid[2]"), W=W),
        nt.AxisClashError,
        """
project(X, W): X has an extra axis hid, which project also gives to its result
  X : emb[4] hid[2]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: rename it first: X["hid -> hid'"]
""",
    ),
    case(
        "two sizes of one axis",
        lambda: project(nt.ones("emb[3]"), W=W),
        nt.AxisSizeError,
        """
project(X, W): axis emb is 3 in X and 4 in W
  X : emb[3]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: one name has one size in a formula: select, or rename one of them: W["emb -> emb'"]
""",
    ),
    case(
        "two sizes of an extra axis",
        lambda: add(nt.ones("emb[4] seq[2]"), nt.ones("emb[4] seq[3]")),
        nt.AxisSizeError,
        """
add(X, Y): axis seq is 2 in X and 3 in Y
  X : emb[4] seq[2]   declared R[emb]
  Y : emb[4] seq[3]   declared R[emb]
hint: one name has one size in a formula: select, or rename one of them: Y["seq -> seq'"]
""",
    ),
    case(
        "a size that is not the declared one",
        lambda: fixed(nt.ones("emb[3]")),
        nt.AxisSizeError,
        """
fixed(X): axis emb is 3 in X and 4 in the declaration
  X : emb[3]   declared R[emb[4]]
hint: fixed takes R[emb[4]] for X
""",
    ),
    case(
        "a bare array",
        lambda: project(np.ones(4), W=W),
        nt.BackendError,
        """
project(..., X, ...): X is an ndarray, and project takes a named tensor of R[emb]
hint: name its axes: nt.tensor(X, emb)
""",
    ),
    case(
        "a number for a tensor",
        lambda: project(3.0, W=W),
        nt.BackendError,
        """
project(..., X, ...): X is a float, and project takes a named tensor of R[emb]
hint: name its axes: nt.tensor(X, emb)
""",
    ),
    case(
        "nothing for a tensor",
        lambda: project(None, W=W),
        nt.BackendError,
        """
project(..., X, ...): X is None, and project takes a named tensor of R[emb]
hint: name its axes: nt.tensor(X, emb)
""",
    ),
    case(
        "a string for a number",
        lambda: scaled(x, "a"),
        nt.BackendError,
        """
scaled(..., a, ...): a is a str, and scaled takes a named tensor of R
hint: name its axes: nt.tensor(a)
""",
    ),
    case(
        "real numbers for whole numbers",
        lambda: lookup(x, x["emb -> seq"]),
        nt.KindError,
        """
lookup(X, I): I holds float numbers, and Z[seq] holds whole numbers
  X : emb[4]   declared R[emb]
  I : seq[4]   declared Z[seq]
hint: nt.cast(I, int)
""",
    ),
    case(
        "whole numbers for truth values",
        lambda: negate(I),
        nt.KindError,
        """
negate(M): M holds int numbers, and B[seq] holds truth values
  M : seq[3]   declared B[seq]
hint: nt.cast(M, bool)
""",
    ),
    case(
        "numpy and torch mixed",
        lambda: project(x.to("torch"), W=W),
        nt.BackendError,
        """
project(X, W): X is a torch tensor and W a numpy tensor; data never changes library by itself
  X : emb[4]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: convert one of them: W.to("torch")
""",
    ),
    case(
        "two devices mixed",
        lambda: add(x.to("torch"), x.to("meta")),
        nt.BackendError,
        """
X + Y: X is on cpu, Y is on meta
  X : emb[4]
  Y : emb[4]
hint: move one: Y.to("cpu")
""",
    ),
    case(
        "a tensor for a setting",
        lambda: chosen(x, x),
        nt.AxisNameError,
        """
chosen(..., p, ...): p is a named tensor, and chosen declares no axes for it
  p : emb[4]
hint: declare them: p: R[emb]
""",
    ),
    case(
        "a list for a setting",
        lambda: chosen(x, [1]),
        nt.KindError,
        """
chosen(..., p, ...): p is a list, which cannot tell one plan from another
hint: a setting is a number, a string or a tuple; an array gets its axes declared
""",
    ),
    case(
        "a body that gives another axis",
        lambda: renamed(x),
        nt.AxisMissingError,
        """
renamed(X): the body's result, over hid, lacks emb and has hid too; declared is R[emb]
  X : emb[4]   declared R[emb]
hint: rename it in the body: (...)[hid >> emb]
""",
    ),
    case(
        "a body that gives an axis too many",
        lambda: widened(x),
        nt.AxisClashError,
        """
widened(X): the body's result, over emb, hid, has hid too; declared is R[emb]
  X : emb[4]   declared R[emb]
hint: sum over it or declare it: -> R[emb, hid]
""",
    ),
    case(
        "a body that gives an axis too few",
        lambda: summed(x),
        nt.AxisMissingError,
        """
summed(X): the body's result, over no axes, lacks emb; declared is R[emb]
  X : emb[4]   declared R[emb]
hint: declare what summed gives: -> R
""",
    ),
    case(
        "a body that gives real numbers for whole ones",
        lambda: halved(I),
        nt.KindError,
        """
halved(X): the body's result holds float numbers, and declared is Z[seq]
  X : seq[3]   declared R[seq]
hint: declare what it holds, or nt.cast the result of halved
""",
    ),
    case(
        "a body that returns nothing",
        lambda: silent(x),
        nt.NamedTensorError,
        """
silent(X): the body returned nothing, and a formula gives a named tensor
  X : emb[4]   declared R[emb]
hint: return the result of the formula's last line
""",
    ),
    case(
        "a body that returns a number",
        lambda: constant(x),
        nt.NamedTensorError,
        """
constant(X): the body returned a float, and a formula gives a named tensor
  X : emb[4]   declared R[emb]
hint: return the result of the formula's last line
""",
    ),
    case(
        "a body that returns one of two results",
        lambda: half_pair(x),
        nt.NamedTensorError,
        """
half_pair(X): the body returned one named tensor, and a tuple of 2 is declared
  X : emb[4]   declared R[emb]
hint: return as many named tensors as the signature declares
""",
    ),
    case(
        "a body that returns three of two results",
        lambda: triple(x),
        nt.NamedTensorError,
        """
triple(X): the body returned a tuple of 3, and a tuple of 2 is declared
  X : emb[4]   declared R[emb]
hint: return as many named tensors as the signature declares
""",
    ),
    case(
        "a body that returns two of one result",
        lambda: doubled(x),
        nt.NamedTensorError,
        """
doubled(X): the body returned a tuple of 2, and a formula gives a named tensor
  X : emb[4]   declared R[emb]
hint: return the result of the formula's last line
""",
    ),
    case(
        "a body that returns a captured tensor",
        lambda: fixed_result(x),
        nt.TraceError,
        """
fixed_result(X): the body returned a named tensor that is none of its arguments
  X : emb[4]   declared R[emb]
hint: pass it as an argument, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that uses a captured tensor",
        lambda: shifted(x),
        nt.TraceError,
        """
X + CAPTURED: the formula uses the named tensor CAPTURED, which is none of its arguments
  X        : emb[4]
  CAPTURED : emb[4]
hint: pass CAPTURED as an argument, as a parameter after the *, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that uses a captured array",
        lambda: shifted_by_array(x),
        nt.BackendError,
        """
X + ARRAY: ARRAY is a bare array of sizes (4); its axes have no names
  X : emb[4]
hint: name them: nt.tensor(ARRAY, ax)
""",
    ),
    case(
        "a body that asks for the truth of a tensor",
        lambda: branching(x),
        nt.TraceError,
        """
sum[emb](X) > 0: a formula's body runs on symbols, which have no numbers to look at
  sum[emb](X) > 0 : () a single number
hint: use nt.where(condition, X, Y) instead of if, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that asks for the number of a tensor",
        lambda: measured(x),
        nt.TraceError,
        """
norm[emb](X): a formula's body runs on symbols, which have no numbers to look at
  norm[emb](X) : () a single number
hint: use nt.where(condition, X, Y) instead of if, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that selects by a mask",
        lambda: masked(x),
        nt.TraceError,
        """
X > 0: a formula's body runs on symbols, which have no numbers to look at
  X > 0 : emb[4]
hint: use nt.where(condition, X, Y) instead of if, or leave the body untraced with @formula(trace=False)
""",
    ),
    case(
        "a body that calls numpy",
        lambda: numpied(x),
        nt.BackendError,
        """
np.exp(...): numpy's functions know no names
  X : emb[4]
hint: nt.exp(X)
""",
    ),
    case(
        "a body that asks for the size of an axis that is not declared",
        lambda: sized(x),
        nt.AxisSizeError,
        """
abs(hid): sized declares no axis hid
  sized : emb
hint: declare it, or ask a tensor: X.size(hid)
""",
    ),
    case(
        "a body that contracts a misspelled axis",
        lambda: misspelled(x, W=W),
        nt.AxisMissingError,
        """
dot[ebm](W, X): W has no axis ebm
  W : emb[4] hid[5]
  X : emb[4]
hint: did you mean emb?
""",
    ),
    case(
        "a body that contracts an axis of the caller's",
        lambda: unseen(nt.ones("emb[4] hid[2]"), W=W),
        nt.AxisMissingError,
        """
dot[hid](W, X): X has no axis hid
  W : emb[4] hid[5]
  X : emb[4] hid[2]
hint: the hid that X shows is the caller's, and passes through a formula that does not declare it for X
""",
    ),
    case(
        "a body that indexes outside",
        lambda: outside(x),
        nt.IndexRangeError,
        """
X[emb(9)]: index 9 lies outside axis emb, which is 4 in X
  X : emb[4]
hint: X[emb(3)] is the last
""",
    ),
    case(
        "a body that looks up outside",
        lambda: lookup(x, I + 90),
        nt.IndexRangeError,
        """
x[emb(I)]: index 92 in I lies outside axis emb, which is 4 in x
  x : emb[4]
  I : seq[3]
hint: indices count from 0 to 3
""",
    ),
    case(
        "a body that looks up outside on torch",
        lambda: lookup(x.to("torch"), I.to("torch") + 90),
        nt.IndexRangeError,
        """
X[emb(I)]: index 92 in I lies outside axis emb, which is 4 in X
  X : emb[4]
  I : seq[3]
hint: indices count from 0 to 3
""",
    ),
    case(
        "a body that splits what does not divide",
        lambda: halves(nt.ones("emb[3]")),
        nt.AxisSizeError,
        """
X[emb >> (key[2], val)]: axis emb is 3 in X, which does not split into parts of 2
  X : emb[3]
hint: the sizes of the new axes multiply to 3
""",
    ),
    case(
        "a body that slides a window that does not fit",
        lambda: convolved(nt.ones("seq[2]"), nt.ones("kernel[3]")),
        nt.AxisSizeError,
        """
unroll[seq, kernel](X, 3): a window of 3 does not fit into axis seq, which is 2 in X
  X : seq[2]
hint: pad first: nt.pad[seq](X, 1, 1)
""",
    ),
    case(
        "a body that inverts a singular matrix",
        lambda: inverted(nt.ones("row[2] col[2]")),
        nt.NamedTensorError,
        """
inv[row, col](A): inv has no value for some matrix in A
  A : row[2] col[2]
hint: inv and solve need det other than 0, and nt.pinv takes any matrix; cholesky needs a positive definite one
""",
    ),
    case(
        "an empty bundle",
        lambda: layered(x, proj={}),
        nt.BackendError,
        """
proj: project: proj has no parameter W
hint: project.module(...), or a dict with W
""",
    ),
    case(
        "a bundle that is a number",
        lambda: layered(x, proj=3),
        nt.BackendError,
        """
proj: project: proj is an int, which holds no parameters of project
hint: project.module(...), or a dict with W
""",
    ),
    case(
        "a bundle with a wrong size",
        lambda: layered(x, proj={"W": nt.ones("emb[3] hid[5]")}),
        nt.AxisSizeError,
        """
project(X, W): axis emb is 4 in X and 3 in W
  X : emb[4]   declared R[emb]
  W : emb[3] hid[5]   declared R[emb, hid]
hint: one name has one size in a formula: select, or rename one of them: W["emb -> emb'"]
""",
    ),
    case(
        "a bundle with a wrong axis",
        lambda: layered(x, proj={"W": nt.ones("emb[4] key[5]")}),
        nt.AxisMissingError,
        """
layered(X, proj.W): proj.W has no axis hid, which layered declares
  X      : emb[4]   declared R[emb]
  proj.W : emb[4] key[5]   declared R[emb, hid]
hint: rename the axis that you mean: proj.W[key >> hid]
""",
    ),
    case(
        "a shape without a declared axis",
        lambda: project.shape("seq[3]"),
        nt.AxisMissingError,
        """
project.shape(X, W): X has no axis emb, which project.shape declares
  X : seq[3]   declared R[emb]
  W : emb hid   declared R[emb, hid]
hint: rename the axis that you mean: X[seq >> emb]
""",
    ),
    case(
        "shapes with two sizes of one axis",
        lambda: project.shape("emb[3]", W="emb[4] hid[5]"),
        nt.AxisSizeError,
        """
project.shape(X, W): axis emb is 3 in X and 4 in W
  X : emb[3]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: one name has one size in a formula: select, or rename one of them: W["emb -> emb'"]
""",
    ),
    case(
        "too many shapes",
        lambda: project.shape("emb", "emb hid"),
        nt.NamedTensorError,
        """
project.shape(...): 2 shapes are given, and project has 1 argument(s)
hint: project.shape(X)
""",
    ),
    case(
        "a shape of an argument that is not declared",
        lambda: project.shape("emb", V="emb"),
        nt.NamedTensorError,
        """
project.shape(...): project has no argument V
hint: project(X: R[emb]; W: R[emb, hid]) -> R[hid]
""",
    ),
    case(
        "a shape that is a number",
        lambda: project.shape(3),
        nt.AxisNameError,
        """
axes(3): axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb"
""",
    ),
    case(
        "a module without a size",
        lambda: project.module(emb[4]),
        nt.AxisSizeError,
        """
project.module(...): axis hid of the parameter W has no size
  W : R[emb, hid]
hint: project.module(emb[4], hid[512])
""",
    ),
    case(
        "a module with an axis without size",
        lambda: project.module(emb[4], hid),
        nt.AxisSizeError,
        """
project.module(hid): hid has no size
hint: give it one: hid[512]
""",
    ),
    case(
        "a module whose init names no parameter",
        lambda: project.module(emb[4], hid[5], init={"V": torch.nn.init.zeros_}),
        nt.AxisNameError,
        """
project.module(...): init names V, which is no parameter
hint: the parameters are W
""",
    ),
    case(
        "a module whose init is no function",
        lambda: project.module(emb[4], hid[5], init={"W": 3}),
        nt.KindError,
        """
project.module(...): init['W'] is an int, and not a function that fills a tensor
hint: init={'W': torch.nn.init.zeros_}
""",
    ),
    case(
        "a module whose init gives another size",
        lambda: project.module(emb[4], hid[5], init={"W": lambda data: torch.ones(3)}),
        nt.AxisSizeError,
        """
project.module(...): init['W'] gave sizes (3,), and W has (4, 5)
hint: fill the tensor that it is given, or give one of its shape
""",
    ),
    case(
        "a module with an unknown setting",
        lambda: project.module(emb[4], hid[5], rate=0.5),
        nt.AxisNameError,
        """
project.module(...): project has no setting rate
hint: project(X: R[emb]; W: R[emb, hid]) -> R[hid]
""",
    ),
    case(
        "a module of whole numbers",
        lambda: project.module(emb[4], hid[5], dtype=torch.int64),
        nt.KindError,
        """
project.module(...): parameters hold real numbers, and dtype is torch.int64
hint: dtype=torch.float32
""",
    ),
    case(
        "a module called with numpy data",
        lambda: project.module(emb[4], hid[5])(x),
        nt.BackendError,
        """
project(X, W): X is a numpy tensor and W a torch tensor; data never changes library by itself
  X : emb[4]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: convert one of them: W.to("numpy")
""",
    ),
    case(
        "a module called with another dtype",
        lambda: project.module(emb[4], hid[5])(x.to("torch")),
        nt.KindError,
        """
dot[emb](W, X): W is torch.float32, X is torch.float64
  W : emb[4] hid[5]
  X : emb[4]
hint: give both one dtype: X.to(torch.float32)
""",
    ),
    case(
        "a module called with a bare tensor",
        lambda: project.module(emb[4], hid[5])(torch.ones(4)),
        nt.BackendError,
        """
project(..., X, ...): X is a Tensor, and project takes a named tensor of R[emb]
hint: name its axes: nt.tensor(X, emb)
""",
    ),
    case(
        "a formula of arguments without number",
        lambda: formula(lambda *tensors: tensors[0]),
        nt.AxisNameError,
        """
@formula <lambda>: *tensors has no declared axes
hint: name each argument: tensors1: R[seq], tensors2: R[seq]
""",
    ),
    case(
        "a formula that is a number",
        lambda: formula(3),
        nt.KindError,
        """
@formula: a formula is made of a Python function, not of an int
hint: write it with def, and declare its axes: def f(X: R[seq]) -> R[seq]
""",
    ),
    case(
        "a formula with a bundle before the star",
        lambda: formula(bundle_first),
        nt.AxisNameError,
        """
@formula bundle_first: proj is a bundle of parameters and stands before the *
hint: def bundle_first(X: R[seq], *, proj: project)
""",
    ),
    case(
        "a space that names an axis twice",
        lambda: R[seq, seq],
        nt.AxisNameError,
        """
R[seq, seq]: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a space of a number",
        lambda: R[3],
        nt.AxisNameError,
        """
axes(3): axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb"
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
