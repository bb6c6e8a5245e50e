"""Formulas called, asked and declared wrongly."""

import numpy as np
import pytest

import namedtensor as nt
from namedtensor import B, R, Z, axes, formula
from tests.errors.check import case, check
from tests.errors.operands import I, emb, seq

hid, height, width = axes("hid height width")
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
def layered(X: R[emb], *, proj: project) -> R[hid]:
    return proj(X)


def bundle_first(proj: project, X: R[emb]) -> R[hid]:
    return proj(X)


@formula
def undeclared(X: R[emb]):
    return X * nt.iota(hid[3])


@formula
def counted(X: R[emb]) -> R:
    return sum([X[emb(i)] for i in range(abs(emb))], 0.0)


@formula
def picked(X: R[seq], at: int) -> R:
    return X[seq(at)]


@formula
def scaled_by_size(X: R[emb]) -> R[emb]:
    return X / abs(emb)


@formula
def beside(X: R[seq], Y: R[emb]) -> R[seq, emb]:
    return X + Y


@formula
def image(X: R[height, width]) -> R[height, width]:
    return X


@formula
def summed(X: R[emb], Y: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ (X + Y)


summed_module = summed.module(emb[4], hid[5])
proj_module = project.module(emb[4], hid[5])

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
        "a parameter in another case",
        lambda: project(x, w=W),
        nt.NamedTensorError,
        """
project(...): it has no argument w; did you mean W?
  x : emb[4]
hint: project(X: R[emb]; W: R[emb, hid]) -> R[hid]
""",
    ),
    case(
        "a misspelt setting",
        lambda: chosen(x, q=0.1),
        nt.NamedTensorError,
        """
chosen(...): got an unexpected keyword argument 'q'
  x : emb[4]
hint: chosen(X: R[emb], p) -> R[emb]
""",
    ),
    case(
        "an array of more axes than are declared",
        lambda: project(np.ones((2, 4)), W=W),
        nt.BackendError,
        """
project(..., X, ...): X is an ndarray, and project takes a named tensor of R[emb]
hint: name its axes: nt.tensor(X, "ax emb")
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
hint: W is declared R[emb, hid]: give it an axis hid
""",
    ),
    case(
        "an axis that an argument lacks, beside one that every argument is lifted over",
        lambda: beside(nt.ones("batch[2] seq[3]"), nt.ones("batch[2]")),
        nt.AxisMissingError,
        """
beside(X, Y): Y has no axis emb, which beside declares
  X : batch[2] seq[3]   declared R[seq]
  Y : batch[2]   declared R[emb]
hint: Y is declared R[emb]: give it an axis emb
""",
    ),
    case(
        "an axis whose name was shortened",
        lambda: image(nt.ones("h[2] w[3]")),
        nt.AxisMissingError,
        """
image(X): X has no axis height, which image declares
  X : h[2] w[3]   declared R[height, width]
hint: rename the axis that you mean: X[h >> height]
""",
    ),
    case(
        "an axis with a prime in the place of one without",
        lambda: project(nt.ones("emb'[4]"), W=W),
        nt.AxisMissingError,
        """
project(X, W): X has no axis emb, which project declares
  X : emb'[4]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: rename the axis that you mean: X["emb' -> emb"]
""",
    ),
    case(
        "arguments of a module in the other library",
        lambda: summed_module(nt.ones(emb[4], backend="torch"), nt.ones(emb[4])),
        nt.BackendError,
        """
summed(X, Y, W): Y is a numpy tensor and X a torch tensor; data never changes library by itself
  X : emb[4]   declared R[emb]
  Y : emb[4]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: convert one of them: Y.to("torch")
""",
    ),
    case(
        "a size that is that of no parameter",
        lambda: summed_module(*[nt.ones(emb[3], backend="torch")] * 2),
        nt.AxisSizeError,
        """
summed(X, Y, W): axis emb is 3 in X and 4 in W
  X : emb[3]   declared R[emb]
  Y : emb[3]   declared R[emb]
  W : emb[4] hid[5]   declared R[emb, hid]
hint: one name has one size in a formula: make the module with emb[3], or give X emb[4]
""",
    ),
    case(
        "an axis that a parameter lacks, beside arguments that fit in their order",
        lambda: summed(x, x, W=x),
        nt.AxisMissingError,
        """
summed(X, Y, W): W has no axis hid, which summed declares
  X : emb[4]   declared R[emb]
  Y : emb[4]   declared R[emb]
  W : emb[4]   declared R[emb, hid]
hint: W is declared R[emb, hid]: give it an axis hid
""",
    ),
    case(
        "a parameter by its place",
        lambda: project(x, W),
        nt.NamedTensorError,
        """
project(...): too many positional arguments
  x : emb[4]
  W : emb[4] hid[5]
hint: parameters go by name: `project(x, W=W)`
""",
    ),
    case(
        "the module of a bundle by its place",
        lambda: layered(x, proj_module),
        nt.NamedTensorError,
        """
layered(...): too many positional arguments
  x : emb[4]
hint: parameters go by name: `layered(x, proj=proj_module)`
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
hint: one name has one size in a formula: select as many of both, W[emb[:3]]
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
hint: give a named tensor: nt.ones("emb[4]")
""",
    ),
    case(
        "nothing for a tensor",
        lambda: project(None, W=W),
        nt.BackendError,
        """
project(..., X, ...): X is None, and project takes a named tensor of R[emb]
hint: give a named tensor: nt.ones("emb[4]")
""",
    ),
    case(
        "a string for a number",
        lambda: scaled(x, "a"),
        nt.BackendError,
        """
scaled(..., a, ...): a is a str, and scaled takes a named tensor of R
hint: give a named tensor: nt.ones("ax[4]")
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
add(X, Y): Y is on the device meta and holds no numbers, X is on cpu
  X : emb[4]
  Y : emb[4]
hint: give all of them numbers: f.module(..., device="cpu"), or module.to_empty(device="cpu") and then \
nt.load(module, "model.pt"); for shapes alone X.to("meta")
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
hint: `tuple(p)`: a setting is a number, a string or a tuple; an array gets its axes declared
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
  File "test_formula_calls.py", line N, in layered
    return proj(X)
           ^^^^^^^
hint: one name has one size in a formula: select as many of both, X[emb[:3]]
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
hint: one name has one size in a formula: select as many of both, W[emb[:3]]
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
project.shape(3): axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
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
R[3]: axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
""",
    ),
    case(
        "an axis of the caller's beside the formula's own",
        lambda: undeclared(nt.ones("emb[4] hid[2]")),
        nt.AxisClashError,
        """
undeclared(X): the result would have two axes hid: the formula's own and the caller's
  X : emb[4] hid[2]   declared R[emb]
  File "test_formula_calls.py", line N, in undeclared
    return X * nt.iota(hid[3])
           ^^^^^^^^^^^^^^^^^^^
hint: declare what undeclared gives, or rename the argument's axis first
""",
    ),
    case(
        "a size that is asked for and open in a shape",
        lambda: counted.shape("emb"),
        nt.TraceError,
        """
emb: Python asks for the number of a size that is open here
  File "test_formula_calls.py", line N, in counted
    return sum([X[emb(i)] for i in range(abs(emb))], 0.0)
                                   ^^^^^^^^^^^^^^^
hint: give the size: f.shape("seq[5]") for f.shape("seq")
""",
    ),
    case(
        "a shape without a setting that has no default",
        lambda: picked.shape("seq[3]"),
        nt.KindError,
        """
picked.shape(...): at is a setting without a default, and the result may depend on it
hint: picked.shape(..., at=...)
""",
    ),
    case(
        "the size of an axis that only index-defined arguments have",
        lambda: scaled_by_size(nt.iota(emb)),
        nt.AxisSizeError,
        """
abs(emb): axis emb has no size yet: what has it is defined by its indices
  scaled_by_size : emb
  File "test_formula_calls.py", line N, in scaled_by_size
    return X / abs(emb)
               ^^^^^^^^
hint: give it one where the tensor is defined: emb[5]
""",
    ),
    case(
        "a bundle with an unknown parameter",
        lambda: layered(x, proj={"W": W, "V": W}),
        nt.BackendError,
        """
proj: project: project has no parameter V
hint: a dict with W
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)
