"""Lifted functions, derivatives and einops patterns."""

import warnings

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, formula
from tests.errors.check import case, check
from tests.errors.operands import (
    I,
    T,
    X,
    emb,
    first_two,
    nothing,
    other,
    seq,
)

seq_ = seq.prime


def halved(x):
    return x[::2]


def choosy(x):
    return {2: x}[x.shape[0] // x.max()]


def added(x, y):
    return x + y


@formula
def thinned(X: R[seq]) -> R[seq_]:
    return nt.lift(halved, "seq -> seq'")(X)


@formula
def refused(X: R[seq]) -> R[seq_]:
    return nt.lift(choosy, "seq -> seq'")(X)


@formula
def plus_number(X: R[seq]) -> R[seq]:
    return nt.lift(added, "seq, -> seq")(X, 3.0)


@formula
def five(X: R[seq]) -> R[seq]:
    return nt.lift(np.cumsum, "seq[5] -> seq")(X)


@formula
def crossed(X: R[seq, seq_]) -> R[seq, seq_]:
    return nt.lift(np.outer, "seq, seq -> seq seq'")(X, X)


ROW, TWO = nt.ones("seq[3]"), nt.ones("seq[3] seq'[3]")

LINEAR = torch.nn.Linear(3, 3)


@formula
def called(X: R[seq], *, f: nt.lift["seq -> seq"]) -> R[seq]:
    return f(X)


@formula
def closes_over(X: R[seq]) -> R[seq]:
    return nt.lift(LINEAR, "seq -> seq")(X)


def declared_before_the_star():
    @formula
    def early(X: R[seq], f: nt.lift["seq -> seq"]) -> R[seq]:
        return f(X)


def twice(x):
    return x, x


def counted(x):
    return np.arange(3)


@formula
def doubled(X: R[seq]) -> R[seq]:
    return nt.lift(twice, "seq -> seq")(X)


CASES = [
    *[
        case(
            f"a lifted function that gives two arrays for one, on {library}",
            lambda library=library: doubled(nt.ones("seq[3]", backend=library)),
            nt.AxisNameError,
            """
lift(twice, 'seq -> seq'): twice gave 2 results, and the pattern names 1
  File "test_lifting.py", line N, in doubled
    return nt.lift(twice, "seq -> seq")(X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: one group of axes for each result, with commas between
""",
        )
        for library in ("numpy", "torch")
    ],
    case(
        "a lifted function that gives an array of another library",
        lambda: nt.lift(counted, "seq -> seq")(nt.ones("seq[3]", backend="torch")),
        nt.KindError,
        """
lift(counted, 'seq -> seq')(A): counted gave an ndarray for tensors of torch
  A : seq[3]
hint: return a tensor of torch: torch.as_tensor(...)
""",
    ),
    case(
        "a function that is declared before the star",
        declared_before_the_star,
        nt.AxisNameError,
        """
@formula early: f is a function and stands before the *
hint: def early(X: R[seq], *, f: nt.lift['seq -> seq'])
""",
    ),
    case(
        "a parameter that is no function",
        lambda: called(ROW, f=3),
        nt.KindError,
        """
f: nt.lift['seq -> seq']: f is an int, and not a function or a module of arrays
hint: f(..., f=torch.nn.Linear(4, 4)), or f.module(..., f=...)
""",
    ),
    case(
        "a module without its function",
        lambda: called.module(),
        nt.BackendError,
        """
called.module(...): f is a function of arrays, and none is given
  f : nt.lift['seq -> seq']
hint: called.module(..., f=torch.nn.Linear(4, 4))
""",
    ),
    case(
        "a module whose body closes over parameters",
        lambda: closes_over.module(),
        nt.BackendError,
        """
closes_over.module(...): the body closes over LINEAR, a Linear whose parameters the module would not hold
hint: declare it after the *: LINEAR: nt.lift["seq -> seq"], and give it: closes_over.module(..., LINEAR=LINEAR)
""",
    ),
    case(
        "a size that a lifted function chooses and no call tells",
        lambda: thinned.shape("seq"),
        nt.AxisSizeError,
        """
lift(halved, "seq -> seq'")(A): the size of seq' depends on that of seq, which is open here
  A : seq
  File "test_lifting.py", line N, in thinned
    return nt.lift(halved, "seq -> seq'")(X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: say it in the pattern: ... -> seq'[5]
""",
    ),
    case(
        "a size that a lifted function chooses by its numbers",
        lambda: refused(ROW),
        nt.AxisSizeError,
        """
lift(choosy, "seq -> seq'")(A): what size seq' has is not known before choosy runs
  A : seq[3]
  File "test_lifting.py", line N, in refused
    return nt.lift(choosy, "seq -> seq'")(X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: say it in the pattern: ... -> seq'[5]
""",
    ),
    case(
        "a function lifted in a body and called with a number",
        lambda: plus_number(ROW),
        nt.BackendError,
        """
lift(added, 'seq, -> seq')(A, B): B is a float, and not a named tensor
  A : seq[3]
  File "test_lifting.py", line N, in plus_number
    return nt.lift(added, "seq, -> seq")(X, 3.0)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: name its axes: nt.tensor(B)
""",
    ),
    case(
        "a function lifted in a body for another size",
        lambda: five(ROW),
        nt.AxisSizeError,
        """
cumsum(X): axis seq is 3 in X and 5 in the pattern
  X : seq[3]
  File "test_lifting.py", line N, in five
    return nt.lift(np.cumsum, "seq[5] -> seq")(X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: leave the size out: seq
""",
    ),
    case(
        "a lifted number",
        lambda: nt.lift(3, "seq -> emb"),
        nt.KindError,
        """
lift(f, 'seq -> emb'): f is an int, and not a function of arrays
hint: nt.lift(np.linalg.inv, 'row col -> row col')
""",
    ),
    case(
        "a pattern without an arrow",
        lambda: nt.lift(np.sum, "row col"),
        nt.AxisNameError,
        """
lift(sum, 'row col'): a pattern has an arrow
hint: "row col -> row"
""",
    ),
    case(
        "a pattern with a number",
        lambda: nt.lift(np.sum, "3 -> seq"),
        nt.AxisNameError,
        """
'3 ': cannot read axes from '3'
hint: names are words, with primes and sizes: "seq seq' emb[512]"
""",
    ),
    case(
        "too few operands for a pattern",
        lambda: nt.lift(np.add, "seq, seq -> seq")(X),
        nt.AxisNameError,
        """
lift(add, 'seq, seq -> seq')(A): the pattern has 2 operand(s), and 1 are given
  A : seq[3] emb[4]
hint: one group of axes for each operand, with commas between
""",
    ),
    case(
        "a bare array for a pattern",
        lambda: nt.lift(np.sum, "seq ->")(np.ones(3)),
        nt.BackendError,
        """
lift(sum, 'seq ->')(A): A is an ndarray, and not a named tensor
hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "two libraries for a pattern",
        lambda: nt.lift(np.add, "seq, seq -> seq")(X, T),
        nt.BackendError,
        """
lift(add, 'seq, seq -> seq')(A, B): A is a numpy tensor and B a torch tensor; data never changes library by itself
  A : seq[3] emb[4]
  B : seq[3] emb[4]
hint: convert one of them: B.to("numpy")
""",
    ),
    case(
        "an axis of the pattern that X lacks",
        lambda: nt.lift(np.sum, "row ->")(X),
        nt.AxisMissingError,
        """
lift(sum, 'row ->')(A): A has no axis row
  A : seq[3] emb[4]
hint: rename the axis of A that you mean: A[ax >> row]
""",
    ),
    case(
        "a size that is not the pattern's",
        lambda: nt.lift(np.sum, "seq[4] ->")(X),
        nt.AxisSizeError,
        """
lift(sum, 'seq[4] ->')(A): axis seq is 3 in A and 4 in the pattern
  A : seq[3] emb[4]
hint: leave the size out: seq
""",
    ),
    case(
        "operands of two sizes",
        lambda: nt.lift(np.add, "seq, seq -> seq")(X, other),
        nt.AxisSizeError,
        """
lift(add, 'seq, seq -> seq')(A, B): axis seq is 3 in A and 2 in B
  A : seq[3] emb[4]
  B : seq[2] emb[5]
hint: select as many of both, or rename one: B["seq -> seq'"]
""",
    ),
    case(
        "a result with other axes than the pattern",
        lambda: nt.lift(np.sum, "seq -> hid")(X),
        nt.AxisSizeError,
        """
lift(sum, 'seq -> hid')(A): sum gave an array of sizes (), and the pattern names hid
  A : seq[3] emb[4]
hint: name each axis of the result, in its order
""",
    ),
    case(
        "a result that changes a size",
        lambda: nt.lift(first_two, "seq -> seq")(X),
        nt.AxisSizeError,
        """
lift(first_two, 'seq -> seq')(A): axis seq is 3 before first_two and 2 after it
  A : seq[3] emb[4]
hint: give the new axis its own name: ... -> seq'
""",
    ),
    case(
        "a result that is no number",
        lambda: nt.lift(nothing, "seq ->")(X),
        nt.KindError,
        """
lift(nothing, 'seq ->')(A): nothing gave None, and not numbers
  A : seq[3] emb[4]
hint: return an array of numbers
""",
    ),
    case(
        "fewer results than the pattern",
        lambda: nt.lift(np.negative, "seq -> seq, seq")(X),
        nt.AxisNameError,
        """
lift(negative, 'seq -> seq, seq'): negative gave one result, and the pattern names 2
hint: one group of axes for each result, with commas between
""",
    ),
    case(
        "tensors of two sizes over a hidden axis",
        lambda: nt.lift(np.add, over=seq)(X, other[emb(0)]),
        nt.AxisSizeError,
        """
lift(add, over=seq)(X, Y): axis seq is 3 in X and 2 in Y
  X : seq[3] emb[4]
  Y : seq[2]
hint: select as many of both, or rename one: Y["seq -> seq'"]
""",
    ),
    case(
        "a derivative by whole numbers",
        lambda: nt.derivative(nt.exp)(I.to("torch")),
        nt.KindError,
        """
derivative(f)(X): X holds int numbers, and derivatives are by real ones
  X : seq[3]
hint: X.to("float32")
""",
    ),
    case(
        "a derivative by an argument that is not there",
        lambda: nt.derivative(nt.exp, 1)(T),
        nt.AxisNameError,
        """
derivative(f, 1): f is given 1 argument(s), and argument 1 is asked for
hint: arguments count from 0
""",
    ),
    case(
        "a derivative of what gives no tensor",
        lambda: nt.derivative(nothing)(T),
        nt.BackendError,
        """
derivative(f)(X): f gave None, and not a named tensor
  X : seq[3] emb[4]
hint: return a named tensor
""",
    ),
    case(
        "a gradient of a tensor with axes",
        lambda: nt.grad(nt.exp)(T),
        nt.AxisSizeError,
        """
grad(f)(X): f(X) has axes, and a gradient is of a single number
  X    : seq[3] emb[4]
  f(X) : seq[3] emb[4]
hint: nt.sum[...](f(X)) reduces all axes; nt.derivative(f)(X) keeps them
""",
    ),
    case(
        "a gradient of a bare array",
        lambda: nt.grad(nt.exp)(np.ones(3)),
        nt.BackendError,
        """
grad(f)(X): X is an ndarray, and not a named tensor
hint: name its axes: nt.tensor(X, "ax")
""",
    ),
    case(
        "a differential along another shape",
        lambda: nt.differential(nt.exp)(T, nt.ones("seq[3]", backend="torch")),
        nt.AxisNameError,
        """
differential(f)(X, dX): dX is no tensor of X's shape
  X  : seq[3] emb[4]
  dX : seq[3]
hint: give dX that shape
""",
    ),
    case(
        "a differential along a number",
        lambda: nt.differential(nt.exp)(T, 1.0),
        nt.AxisNameError,
        """
differential(f)(X, dX): dX is no tensor of X's shape
  X : seq[3] emb[4]
hint: give dX that shape
""",
    ),
    case(
        "a differential without a change",
        lambda: nt.differential(nt.exp)(),
        nt.NamedTensorError,
        """
differential(f)(X, dX): dX is None, and a change is asked for
hint: nt.differential(f, by=0)(X, dX=dX)
""",
    ),
    case(
        "a differential with more changes than arguments",
        lambda: nt.differential(nt.exp, by=(0,))(T, dX=(T, T)),
        nt.NamedTensorError,
        """
differential(f)(X, dX): dX is a tuple of 2, and a tuple of 1 is asked for
hint: nt.differential(f, by=(0,))(X, dX=(dX0,))
""",
    ),
    case(
        "a differential by a tuple with one change",
        lambda: nt.differential(nt.exp, by=(0,))(T, dX=T),
        nt.NamedTensorError,
        """
differential(f)(X, dX): dX is a NamedTensor, and a tuple of 1 is asked for
hint: nt.differential(f, by=(0,))(X, dX=(dX0,))
""",
    ),
    case(
        "a gradient by nothing",
        lambda: nt.grad(nt.exp, by=()),
        nt.KindError,
        """
grad(f, by): by is an empty tuple, and an argument goes by its place or its name
hint: nt.grad(f)(X), or nt.grad(f, by="X")(X) by a name
""",
    ),
    case(
        "a gradient by name of a call that lacks an argument",
        lambda: nt.grad(lambda X, W: X, by="X")(T),
        nt.KindError,
        """
grad(f, 'X')(X): f is given 1 argument(s), and it takes (X, W): missing a required argument: 'W'
  X : seq[3] emb[4]
hint: `lambda X: ...` takes as many
""",
    ),
    case(
        "a gradient of what takes nothing",
        lambda: nt.grad(lambda: 1.0)(X),
        nt.KindError,
        """
grad(f)(X): f is given 1 argument(s), and it takes (): too many positional arguments
  X : seq[3] emb[4]
hint: `lambda X: ...` takes as many
""",
    ),
    case(
        "a derivative of what takes more",
        lambda: nt.derivative(lambda X, W: X)(T),
        nt.KindError,
        """
derivative(f)(X): f is given 1 argument(s), and it takes (X, W): missing a required argument: 'W'
  X : seq[3] emb[4]
hint: `lambda X: ...` takes as many
""",
    ),
    case(
        "a gradient by a name of what tells none",
        lambda: nt.grad(dict, by="X")(X),
        nt.AxisNameError,
        """
grad(f, 'X'): f does not tell the names of its arguments
hint: count them from 0: nt.grad(f, by=0)
""",
    ),
    case(
        "a function of nothing, lifted",
        lambda: nt.lift(lambda: 1.0, "seq -> seq"),
        nt.KindError,
        """
lift(<lambda>, 'seq -> seq'): f is given 1 array, and it takes (): too many positional arguments
hint: `lambda A: ...` takes as many
""",
    ),
    case(
        "a module of one array for a pattern of two",
        lambda: nt.lift(torch.nn.Linear(4, 2), "emb, emb -> hid"),
        nt.KindError,
        """
lift(f, 'emb, emb -> hid'): f is given 2 arrays, and it takes (input: torch.Tensor) -> torch.Tensor: too many positional arguments
hint: `lambda A, B: ...` takes as many
""",
    ),
    case(
        "a function of two tensors lifted over an axis of one",
        lambda: nt.lift(lambda X, Y: X, over=seq)(X),
        nt.KindError,
        """
lift(<lambda>, over=seq): f is given 1 tensor, and it takes (X, Y): missing a required argument: 'Y'
hint: `lambda A: ...` takes as many
""",
    ),
    case(
        "an einops pattern without an arrow",
        lambda: X.rearrange("seq emb"),
        nt.AxisNameError,
        """
X.rearrange('seq emb'): a pattern has axes, an arrow, and axes
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops pattern that is no string",
        lambda: X.rearrange(3),
        nt.AxisNameError,
        """
X.rearrange(3): a pattern is a string, not an int
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops pattern without axes",
        lambda: X.rearrange("->"),
        nt.AxisNameError,
        """
X.rearrange('->'): a pattern has axes, an arrow, and axes
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops pattern with a name on one side",
        lambda: X.rearrange("seq (a b) -> seq a", a=2),
        nt.AxisNameError,
        """
X.rearrange('seq (a b) -> seq a'): b stands on one side only
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops pattern with a name twice",
        lambda: X.rearrange("seq seq -> seq"),
        nt.AxisNameError,
        """
X.rearrange('seq seq -> seq'): seq stands twice on one side
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops pattern with an absent axis",
        lambda: X.rearrange("key -> key"),
        nt.AxisMissingError,
        """
X.rearrange('key -> key'): X has no axis key
  X : seq[3] emb[4]
hint: name axes of X on the left
""",
    ),
    case(
        "an einops pattern with a misspelled axis",
        lambda: X.rearrange("sqe -> sqe"),
        nt.AxisMissingError,
        """
X.rearrange('sqe -> sqe'): X has no axis sqe
  X : seq[3] emb[4]
hint: did you mean seq?
""",
    ),
    case(
        "an einops group that is not closed",
        lambda: X.rearrange("(seq emb -> key"),
        nt.AxisNameError,
        """
X.rearrange('(seq emb -> key'): a group is not closed
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops group that was never opened",
        lambda: X.rearrange("seq emb) -> key"),
        nt.AxisNameError,
        """
X.rearrange('seq emb) -> key'): a group closes that never opened
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops group in a group",
        lambda: X.rearrange("((seq) emb) -> key"),
        nt.AxisNameError,
        """
X.rearrange('((seq) emb) -> key'): groups do not nest
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops group that may stand for two axes",
        lambda: X.rearrange("(a b) -> a b", a=2),
        nt.AxisNameError,
        """
X.rearrange('(a b) -> a b'): (a b) may stand for any of seq, emb
  X : seq[3] emb[4]
hint: name every other axis, or split by name: X[seq >> (a[8], b)]
""",
    ),
    case(
        "an einops group that stands for none",
        lambda: X.rearrange("seq emb (a b) -> seq emb a b", a=2),
        nt.AxisNameError,
        """
X.rearrange('seq emb (a b) -> seq emb a b'): (a b) stands for no axis that is left
  X : seq[3] emb[4]
hint: name every other axis, or split by name: X[layer >> (a[8], b)]
""",
    ),
    case(
        "an einops group of two open sizes",
        lambda: X.rearrange("seq (a b) -> seq a b"),
        nt.AxisSizeError,
        """
X.rearrange("seq (a b) -> seq a b"): the sizes of a, b are all open
  X : seq[3] emb[4]
hint: give all but one: a=2
""",
    ),
    case(
        "an einops group that does not divide",
        lambda: X.rearrange("seq (a b) -> seq a b", a=3),
        nt.AxisSizeError,
        """
X.rearrange("seq (a b) -> seq a b"): axis emb is 4 in X, which does not split into parts of 3
  X : seq[3] emb[4]
hint: the sizes of the new axes multiply to 4; lengthen it, `nt.pad[emb](X, 0, 2)`, or shorten it, `X[emb[:3]]`
""",
    ),
    case(
        "an einops group of another product",
        lambda: X.rearrange("seq (a b) -> seq a b", a=2, b=3),
        nt.AxisSizeError,
        """
X.rearrange("seq (a b) -> seq a b"): axis emb is 4 in X, which does not split into parts of 6
  X : seq[3] emb[4]
hint: the sizes of the new axes multiply to 4
""",
    ),
    case(
        "an einops size of a name that is not there",
        lambda: X.rearrange("seq (a b) -> seq a b", a=2, c=3),
        nt.AxisNameError,
        """
X.rearrange('seq (a b) -> seq a b'): a size is given for c, which it does not name
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops size that is a fraction",
        lambda: X.rearrange("seq (a b) -> seq a b", a=1.5),
        nt.AxisNameError,
        """
X.rearrange('seq (a b) -> seq a b'): the size of a is a whole number, not 1.5
  X : seq[3] emb[4]
hint: X.rearrange("batch (head key) -> batch head key", head=8)
""",
    ),
    case(
        "an einops pattern onto an axis that is there",
        lambda: nt.ones("seq_emb[6] seq[4]").rearrange("(seq emb) -> seq emb", seq=2),
        nt.AxisClashError,
        """
A.rearrange("(seq emb) -> seq emb"): A would have two axes seq
  A : seq_emb[6] seq[4]
hint: rename the one that is there first: `A["seq -> seq'"]`
""",
    ),
    case(
        "an axis that passes through and that a result also gets",
        lambda: nt.lift(np.outer, "seq, seq -> seq seq'")(TWO, TWO),
        nt.AxisClashError,
        """
lift(outer, "seq, seq -> seq seq'")(A, B): A has an axis seq' that passes through, and outer gives one of that name
  A : seq[3] seq'[3]
  B : seq[3] seq'[3]
hint: rename it first: A["seq' -> seq''"]
""",
    ),
    case(
        "the same in a body",
        lambda: crossed(TWO),
        nt.AxisClashError,
        """
outer(X, X): X has an axis seq' that passes through, and outer gives one of that name
  X : seq[3] seq'[3]
  X : seq[3] seq'[3]
  File "test_lifting.py", line N, in crossed
    return nt.lift(np.outer, "seq, seq -> seq seq'")(X, X)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: rename it first: X["seq' -> seq''"]
""",
    ),
    case(
        "a pattern that names an axis twice",
        lambda: nt.lift(np.outer, "seq, seq -> seq seq"),
        nt.AxisNameError,
        """
lift(outer, 'seq, seq -> seq seq'): seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a differential of a function of named tensors",
        lambda: nt.lift(first_two, over=emb, differential=lambda X, dX: dX),
        nt.KindError,
        """
lift(first_two, differential=...): what has no pattern is a function of named tensors, and is derived by what it does
hint: leave differential out, or say which axes f takes and gives: nt.lift(np.sin, '->', differential=lambda X, dX: nt.cos(X) * dX)
""",
    ),
    case(
        "a differential that is no function",
        lambda: nt.lift(added, "seq, seq -> seq", differential=X),
        nt.KindError,
        """
lift(added, 'seq, seq -> seq', differential=...): differential is a NamedTensor
hint: a function of named tensors: differential=lambda A, B, dA, dB: ...
""",
    ),
    case(
        "a differential that takes no changes",
        lambda: nt.lift(added, "seq, seq -> seq", differential=lambda X, Y: X),
        nt.KindError,
        """
lift(added, 'seq, seq -> seq', differential=...): differential takes other arguments than 2 operand(s) and as many changes
hint: a function of named tensors: differential=lambda A, B, dA, dB: ...
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def warns(x):
    warnings.warn("the numbers are all zero", stacklevel=1)
    return x[: 2 + len(x) // int(3 * x.max())]


def test_what_a_function_says_of_zeros_that_nobody_gave_is_kept_to_ourselves():
    @formula
    def body(X: R[seq]) -> R[seq_]:
        return nt.lift(warns, "seq -> seq'")(X)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with pytest.raises(nt.AxisSizeError):
            body(ROW)
    assert told == []
