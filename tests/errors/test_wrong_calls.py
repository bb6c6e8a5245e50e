"""Calls that do not fit a public function are answered in our words, with the call that fits."""

import inspect
import pickle
import re
from contextlib import suppress

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.operations.axis_functions import AxisFunction
from namedtensor.tensor import wrong_calls
from tests.errors.check import case, check
from tests.laws.test_the_table_is_complete import public_functions

batch, seq, emb, hid, row, col = axes("batch seq emb hid row col")
seq_ = seq.prime
X = nt.tensor(np.arange(6.0).reshape(2, 3), seq, emb)
W = nt.tensor(np.ones((3, 4)), emb, hid)
A = nt.tensor(np.eye(3), row, col)
v = nt.tensor(np.ones(3), row)
I = nt.tensor([0, 1], batch)


@formula
def loss(X: R[seq, emb]) -> R[()]:
    return nt.sum[seq, emb](X * X)


@formula
def lin(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


module = lin.module(emb[3], hid[4])
CASES = [
    case(
        "an order that is neither",
        lambda: nt.sort[seq](X, "down"),
        nt.KindError,
        """
sort[seq](X, ...): descending is True or False, and a str is given
hint: descending=True or descending=False
""",
    ),
    case(
        "an order by an array",
        lambda: nt.argsort[seq](X, descending=np.ones(3)),
        nt.KindError,
        """
argsort[seq](X, ...): descending is True or False, and an ndarray is given
hint: descending=True or descending=False
""",
    ),
    case(
        "a direction that is neither",
        lambda: nt.scan[seq](lambda h, x: h + x, 0.0, X, reverse="yes"),
        nt.KindError,
        """
scan[seq](...): reverse is True or False, and a str is given
hint: reverse=True or reverse=False
""",
    ),
    case(
        "a decorator's setting that is neither",
        lambda: formula(fuse="no")(lambda X: X),
        nt.KindError,
        """
@formula(...): fuse is True or False, and a str is given
hint: fuse=True or fuse=False
""",
    ),
    case(
        "a comparison with None",
        lambda: X == None,
        nt.BackendError,
        """
X == B: B is None, neither a named tensor nor a number
  X : seq[2] emb[3]
hint: `X is None` asks whether there is a tensor
""",
    ),
    case(
        "another comparison with None",
        lambda: X != None,
        nt.BackendError,
        """
X != B: B is None, neither a named tensor nor a number
  X : seq[2] emb[3]
hint: `X is not None` asks whether there is a tensor
""",
    ),
    case(
        "a product with the name of an axis",
        lambda: X * "seq",
        nt.BackendError,
        """
X * B: B is a str, neither a named tensor nor a number
  X : seq[2] emb[3]
hint: an axis stands between two @, X @ seq @ Y, or in brackets, nt.sum[seq](X)
""",
    ),
    case(
        "a tensor where an axis belongs",
        lambda: nt.sum[X],
        nt.AxisNameError,
        """
sum[X]: axes are given as Axis objects or as names, not as a NamedTensor
hint: seq, (seq, emb) or "seq emb"
""",
    ),
    case(
        "comparisons that a word joins",
        lambda: nt.where(X > 0 and X < 1, X, 0.0),
        nt.AxisSizeError,
        """
X > 0 and X < 1: Python asks which of two tensors it takes, and each record has its own answer
  the comparison : seq[2] emb[3]
hint: `(X > 0) & (X < 1)`
""",
    ),
    case(
        "an exchange of two names",
        lambda: X["seq emb -> emb seq"],
        nt.AxisNameError,
        """
(seq, emb) >> (emb, seq): only one to one, many to one and one to many make sense
  X : seq[2] emb[3]
hint: rename one by one, X["seq -> emb, emb -> seq"]
""",
    ),
    case(
        "ends in the wrong order",
        lambda: nt.clip(X, 1.0, -1.0),
        nt.KindError,
        """
clip(X, 1.0, -1.0): no number lies between 1.0 and -1.0
  X : seq[2] emb[3]
hint: the lower end comes first: nt.clip(X, -1.0, 1.0)
""",
    ),
    case(
        "no end to clip at",
        lambda: nt.clip(X),
        nt.KindError,
        """
clip(X): it brings numbers between two ends, and both are left out
  X : seq[2] emb[3]
hint: nt.clip(X, 0.0, 1.0), or one of them: nt.clip(X, high=1.0)
""",
    ),
    case(
        "a text for examples",
        lambda: nt.collate[batch]("abc"),
        nt.KindError,
        """
collate[batch](a str): a batch is made of a list of examples, and a str is given
hint: nt.collate[batch]([X, Y])
""",
    ),
    case(
        "one example for a list of them",
        lambda: nt.collate[batch]({"X": X}),
        nt.KindError,
        """
collate[batch](a dict): a batch is made of a list of examples, and a dict is given
hint: nt.collate[batch]([X, Y])
""",
    ),
    case(
        "a word for a case",
        lambda: nt.cases("positive"),
        nt.AxisNameError,
        """
cases(...) of 1: each row is (value, condition), and the last one a value alone
hint: nt.cases((0.0, j <= i), -nt.inf)
""",
    ),
    case(
        "a dtype of no numbers",
        lambda: nt.ones(seq[2], dtype=list),
        nt.BackendError,
        """
ones(seq[2], ...): numpy cannot make it: it has no numbers of dtype <class 'list'>
hint: dtype, device and generator belong to one library; backend="numpy" or backend="torch" chooses it
""",
    ),
    case(
        "an array for axes",
        lambda: nt.ones(torch.ones(3)),
        nt.AxisNameError,
        """
ones(torch.ones(3)): axes are given as Axis objects or as names, not as a Tensor
hint: seq, (seq, emb) or "seq emb"
""",
    ),
    case(
        "an array for a factor",
        lambda: nt.upsample[seq](X, np.ones(3)),
        nt.KindError,
        """
upsample[seq](X, factor=array([1., 1., 1.])): factor is a whole number, not an ndarray
  X : seq[2] emb[3]
hint: nt.upsample[seq](X, factor=1)
""",
    ),
    case(
        "an axis given twice over",
        lambda: nt.softmax[seq](X, dim=1),
        nt.KindError,
        """
softmax[seq](X, dim=1): the axes of softmax stand in its brackets, and dim is none of its arguments; it takes (X)
  X : seq[2] emb[3]
hint: `nt.softmax[seq](X)`
""",
    ),
    case(
        "a place where an axis function takes none",
        lambda: nt.softmax[seq](X, -1),
        nt.KindError,
        """
softmax[seq](X, -1): softmax takes 1 argument without a name, and 2 are given; it takes (X)
  X : seq[2] emb[3]
hint: `nt.softmax[seq](X)`
""",
    ),
    case(
        "nothing to act on",
        lambda: nt.softmax[seq](),
        nt.KindError,
        """
softmax[seq](): softmax needs X; it takes (X)
hint: `nt.softmax[seq](X)`
""",
    ),
    case(
        "a reduction that keeps its axis",
        lambda: nt.sum[seq](X, keepdim=True),
        nt.KindError,
        """
sum[seq](X, keepdim=True): sum has no argument keepdim, since what is reduced is gone, and other tensors lift over it; it takes (X)
  X : seq[2] emb[3]
hint: `nt.sum[seq](X)`
""",
    ),
    case(
        "a quantile of no number",
        lambda: nt.quantile[seq](X),
        nt.KindError,
        """
quantile[seq](X): quantile needs q; it takes (X, q)
  X : seq[2] emb[3]
hint: `nt.quantile[seq](X, 0.75)`
""",
    ),
    case(
        "a word of another library",
        lambda: nt.clip(X, min=0),
        nt.KindError,
        """
clip(X, min=0): clip has no argument min; it takes (X, low=None, high=None)
  X : seq[2] emb[3]
hint: `nt.clip(X, low=0)`
""",
    ),
    case(
        "an operation in place",
        lambda: nt.relu(X, inplace=True),
        nt.KindError,
        """
relu(X, inplace=True): relu has no argument inplace, since no operation changes a tensor, each makes a new one; it takes (X)
  X : seq[2] emb[3]
hint: `nt.relu(X)`
""",
    ),
    case(
        "two where one is taken",
        lambda: nt.relu(X, X),
        nt.KindError,
        """
relu(X, X): relu takes 1 argument without a name, and 2 are given; it takes (X)
  X : seq[2] emb[3]
  X : seq[2] emb[3]
hint: `nt.relu(X)`
""",
    ),
    case(
        "one where two are taken",
        lambda: nt.maximum(X),
        nt.KindError,
        """
maximum(X): maximum needs Y; it takes (X, Y)
  X : seq[2] emb[3]
hint: `nt.maximum(X, 2.0)`
""",
    ),
    case(
        "a choice with one branch",
        lambda: nt.where(X > 0, X),
        nt.KindError,
        """
where(X > 0, X): where needs Y; it takes (condition, X, Y)
  B : seq[2] emb[3]
  X : seq[2] emb[3]
hint: `nt.where(X > 0, X, 0.0)`
""",
    ),
    case(
        "a dtype of data",
        lambda: nt.tensor([1, 2], "seq", dtype="float32"),
        nt.KindError,
        """
tensor([1, 2], 'seq', dtype='float32'): tensor has no argument dtype; it takes (data, *axes)
hint: `nt.tensor([1, 2], 'seq').to('float32')`
""",
    ),
    case(
        "a library of an index-defined tensor",
        lambda: nt.iota(seq[3], backend="torch"),
        nt.KindError,
        """
iota(seq[3], backend='torch'): iota has no argument backend; it takes (axis)
hint: `nt.iota(seq[3]).to('torch')`
""",
    ),
    case(
        "names of axes one by one",
        lambda: nt.axes("a", "b"),
        nt.KindError,
        """
axes('a', 'b'): axes takes 1 argument without a name, and 2 are given; it takes (names)
hint: `nt.axes("a b")`
""",
    ),
    case(
        "sizes without names",
        lambda: nt.zeros(3, 4),
        nt.AxisNameError,
        """
zeros(3, 4, ...): sizes are those of axes, which have names
hint: `nt.zeros("ax[3] bx[4]")`
""",
    ),
    case(
        "a size by the name of its axis",
        lambda: nt.zeros(seq=3),
        nt.KindError,
        """
zeros(seq=3): zeros has no argument seq; it takes (*axes, dtype=None, device=None, backend=None)
hint: `nt.zeros("seq[3]")`
""",
    ),
    case(
        "sizes by keyword",
        lambda: nt.ones(size=(3, 4)),
        nt.KindError,
        """
ones(size=(3, 4)): ones has no argument size; it takes (*axes, dtype=None, device=None, backend=None)
hint: `nt.ones("ax[3] bx[4]")`
""",
    ),
    case(
        "the size of no axis",
        lambda: X.size(),
        nt.KindError,
        """
X.size(): size needs axis; it takes (axis)
  X : seq[2] emb[3]
hint: `X.size(seq)`
""",
    ),
    case(
        "the size of the first axis",
        lambda: X.size(0),
        nt.AxisNameError,
        """
X.size(0): axes are named, not counted
  X : seq[2] emb[3]
hint: `X.size(seq)`
""",
    ),
    case(
        "an order that is counted",
        lambda: X.numpy(1, 0),
        nt.AxisNameError,
        """
X.numpy(1, 0): axes are named, not counted
  X : seq[2] emb[3]
hint: `X.numpy(emb, seq)`
""",
    ),
    case(
        "a keyword of torch",
        lambda: X.to("float32", non_blocking=True),
        nt.KindError,
        """
X.to('float32', non_blocking=True): to has no argument non_blocking; it takes (*targets, device=None, dtype=None)
  X : seq[2] emb[3]
hint: `X.to('float32')`
""",
    ),
    case(
        "an update with nothing",
        lambda: X.at[seq(0)].set(),
        nt.KindError,
        """
X.at[seq(0)].set(): set needs Y; it takes (Y)
hint: `X.at[seq(0)].set(7.0)`
""",
    ),
    case(
        "an update that does nothing",
        lambda: X.at[seq(0)] + 1,
        nt.AxisNameError,
        """
X.at[seq(0)]: an update says what is written at its place: set, add, multiply, min or max
  X : seq[2] emb[3]
hint: `X.at[seq(0)].set(1.0)`, `X.at[seq(0)].add(1.0)`, `X.at[seq(0)].multiply(1.0)` or `X.at[seq(0)].max(1.0)`
""",
    ),
    case(
        "an update by a name that is none",
        lambda: X.at[seq(0)].subtract(1.0),
        nt.AxisNameError,
        """
X.at[seq(0)]: an update says what is written at its place: set, add, multiply, min or max
  X : seq[2] emb[3]
hint: `X.at[seq(0)].set(1.0)`, `X.at[seq(0)].add(1.0)`, `X.at[seq(0)].multiply(1.0)` or `X.at[seq(0)].max(1.0)`
""",
    ),
    case(
        "arithmetic with an axis",
        lambda: seq + 1,
        nt.KindError,
        """
seq: seq is an axis, which has a name and is no number
hint: its size is a number: `X.size(seq)` of a tensor X, `abs(seq[64])`, or abs(seq) in a formula
""",
    ),
    case(
        "two indices of one axis",
        lambda: X[seq(0, 1)],
        nt.AxisNameError,
        """
seq(0, 1): an index of seq is one number, and 2 are given
hint: `X[seq(0)]` is one index, and `X[seq[[0, 1]]]` selects several
""",
    ),
    case(
        "a number that is looked for in a tensor",
        lambda: 3 in X,
        nt.AxisNameError,
        """
value in X: whether a number is among those of X is a question of truth values
  X : seq[2] emb[3]
hint: nt.any[...](X == value)
""",
    ),
    case(
        "a rounded tensor",
        lambda: round(X),
        nt.KindError,
        """
round(X): functions of named tensors are those of nt
  X : seq[2] emb[3]
hint: `nt.round(X)`
""",
    ),
    case(
        "a tensor rounded to digits",
        lambda: round(X, 2),
        nt.KindError,
        """
round(X, 2): functions of named tensors are those of nt
  X : seq[2] emb[3]
hint: `nt.round(X * 100) / 100`
""",
    ),
    case(
        "a quotient and a rest",
        lambda: divmod(X, 2),
        nt.KindError,
        """
divmod(X, Y): it would be two tensors
  X : seq[2] emb[3]
hint: `X // Y` and `X % Y`
""",
    ),
    case(
        "what torch asks of a tensor of another library",
        lambda: torch.tensor(X),
        nt.BackendError,
        """
from_dlpack(X): the other library would have to guess the order of the axes
  X : seq[2] emb[3]
hint: say it: `X.torch(seq, emb)` or `X.numpy(seq, emb)`
""",
    ),
    case(
        "groups without options",
        lambda: nt.parameters(module),
        nt.KindError,
        """
parameters(module): parameters needs options; it takes (module, options)
hint: `nt.parameters(module, lambda name, axes: {"weight_decay": 0.1})`
""",
    ),
    case(
        "groups of what holds no parameters",
        lambda: nt.parameters(3, dict),
        nt.KindError,
        """
parameters(module, options): module is an int, which holds no parameters
hint: nt.parameters(f.module(emb[512]), lambda name, axes: {"weight_decay": 0.1})
""",
    ),
    case(
        "the gradient of a number",
        lambda: nt.grad(3),
        nt.KindError,
        """
grad(f): f is an int, and not a formula or a function of named tensors
hint: nt.grad(f)(X), with f a formula
""",
    ),
    case(
        "a gradient by a tensor",
        lambda: nt.grad(loss, X),
        nt.KindError,
        """
grad(f, by): by is a NamedTensor, and an argument goes by its place or its name
hint: nt.grad(f)(X), or nt.grad(f, by="X")(X) by a name
""",
    ),
    case(
        "a text that is lifted",
        lambda: nt.lift("seq"),
        nt.KindError,
        """
lift(f): f is a str, and not a function of arrays
hint: nt.lift(np.linalg.inv, 'row col -> row col')
""",
    ),
    case(
        "a function lifted by a number",
        lambda: nt.lift(np.sum, 3),
        nt.AxisNameError,
        """
lift(sum, ...): a pattern is a text, and this is an int
hint: nt.lift(np.linalg.inv, 'row col -> row col')
""",
    ),
    case(
        "sizes of a number",
        lambda: nt.sizes(3),
        nt.AxisNameError,
        """
sizes(...): names are a text, not an int
hint: nt.sizes("n m")
""",
    ),
    case(
        "a scan whose step is missing",
        lambda: nt.scan[seq](None, 0.0, X),
        nt.KindError,
        """
scan[seq](step, h0, X): step is None, and not a function
hint: the function comes first: nt.scan[seq](step, h0, X)
""",
    ),
    case(
        "an associative scan of things in the wrong order",
        lambda: nt.associative_scan[seq](X, max),
        nt.KindError,
        """
associative_scan[seq](combine, X): combine is a NamedTensor, and not a function
hint: the function comes first: nt.associative_scan[seq](combine, X)
""",
    ),
    case(
        "a fold by other words",
        lambda: nt.fold[seq](nt.maximum, init=0.0, xs=X),
        nt.KindError,
        """
fold[seq](nt.maximum, init=0.0, xs=X): fold has no argument init; it takes (step, carry, *sequences, reverse=False)
hint: `nt.fold[seq](nt.maximum, 0.0, X)`
""",
    ),
    case(
        "a batch of one tensor",
        lambda: nt.collate[batch](X),
        nt.KindError,
        """
collate[batch](X): X is one example, and a batch is made of a list of them
  X : seq[2] emb[3]
hint: nt.collate[batch]([X])
""",
    ),
    case(
        "a batch that is filled with a number",
        lambda: nt.collate[batch]([X, X], pad=0),
        nt.KindError,
        """
collate[batch](examples, pad): pad is an int, and says a number for each axis that is filled
hint: nt.collate[batch](examples, pad={seq: 0})
""",
    ),
    case(
        "a batch that is filled by another word",
        lambda: nt.collate[batch]([X, X], padding_value=0),
        nt.KindError,
        """
collate[batch]([X, X], padding_value=0): collate has no argument padding_value; it takes (examples, pad=None, mask=False)
hint: `nt.collate[batch]([X, X])`
""",
    ),
    case(
        "labels without axes",
        lambda: nt.show(X, labels=["a", "b"]),
        nt.KindError,
        """
nt.show(X, ...): labels is a list, and says words for each axis
  X : seq[2] emb[3]
hint: nt.show(X, labels={"seq": ["the", "cat"]})
""",
    ),
    case(
        "parameters on a device that is none",
        lambda: lin.module(emb[3], hid[4], device="nowhere"),
        nt.BackendError,
        """
lin.module(...): 'nowhere' is no device of torch
hint: `torch.device("cpu")`, or "cuda", "meta" and others by their names
""",
    ),
    case(
        "a determinant as numpy writes it",
        lambda: nt.det(A),
        nt.AxisMissingError,
        """
det(A): the axes it acts on are not named
  A : row[3] col[3]
hint: nt.det[row, col](A)
""",
    ),
    case(
        "a sum over a counted axis",
        lambda: nt.sum(X, 1),
        nt.AxisMissingError,
        """
sum(X, 1): the axes it acts on are not named
  X : seq[2] emb[3]
hint: nt.sum[emb](X)
""",
    ),
    case(
        "a product of two",
        lambda: nt.dot(X, W),
        nt.AxisMissingError,
        """
dot(X, W): the axes it acts on are not named
  X : seq[2] emb[3]
  W : emb[3] hid[4]
hint: nt.dot[emb](X, W)
""",
    ),
    case(
        "all as numpy writes it",
        lambda: nt.all(X > 0, axis=-1),
        nt.AxisMissingError,
        """
all(X > 0, axis=-1): the axes it acts on are not named
  B : seq[2] emb[3]
hint: nt.all[emb](X > 0)
""",
    ),
    case(
        "places of nothing in particular",
        lambda: nt.nonzero(X > 0),
        nt.AxisMissingError,
        """
nonzero(X > 0): the axes it acts on are not named
  B : seq[2] emb[3]
hint: nt.nonzero["seq emb found"](X > 0)
""",
    ),
    case(
        "a diagonal as numpy writes it",
        lambda: nt.diag(v),
        nt.AxisMissingError,
        """
diag(v): the axes it acts on are not named
  v : row[3]
hint: nt.diag["row col diagonal"](v)
""",
    ),
    case(
        "a stack as torch writes it",
        lambda: nt.stack([X, X], dim=0),
        nt.AxisMissingError,
        """
stack([X, X], dim=0): the axes it acts on are not named
  X : seq[2] emb[3]
  X : seq[2] emb[3]
hint: nt.stack["head"]([X, X])
""",
    ),
]

CASES += [
    case(
        "axes under a function of single numbers",
        lambda: nt.relu[seq](X),
        nt.KindError,
        """
relu[seq](X): relu takes no axes; it takes (X)
hint: `nt.relu(X)`
""",
    ),
    case(
        "axes under a choice, on several lines",
        lambda: nt.where["seq"](
            nt.logical_and(X > 0, X < 1), X, nt.exp(X + 1) * nt.exp(X - 1) / nt.exp(X) ** 0.5
        ),
        nt.KindError,
        """
where['seq'](nt.logical_and(X > 0, X < 1), X, nt.exp(X + 1) * nt.exp(X - 1) / nt.exp(X) ** 0.5): where takes no axes; it takes (condition, X, Y)
hint: `nt.where(nt.logical_and(X > 0, X < 1), X, nt.exp(X + 1) * nt.exp(X - 1) / nt.exp(X) ** 0.5)`
""",
    ),
    case(
        "a new tensor in brackets",
        lambda: nt.zeros[seq[3], "emb[2]"],
        nt.KindError,
        """
zeros[seq[3], 'emb[2]']: zeros takes its axes between the parentheses; it takes (*axes, dtype=None, device=None, backend=None)
hint: `nt.zeros(seq[3], 'emb[2]')`
""",
    ),
    case(
        "a number in the place of an axis, and no place for it",
        lambda: nt.exp[0],
        nt.KindError,
        """
exp[0]: exp takes no axes; it takes (X)
hint: `nt.exp(1.0)`
""",
    ),
    case(
        "a new axis in brackets",
        lambda: nt.one_hot[hid[3]](I),
        nt.KindError,
        """
one_hot[hid[3]](I): one_hot takes its axes between the parentheses; it takes (I, axis)
hint: `nt.one_hot(I, hid[3])`
""",
    ),
    case(
        "names in brackets",
        lambda: nt.axes["seq emb"],
        nt.KindError,
        """
axes['seq emb']: axes takes its axes between the parentheses; it takes (names)
hint: `nt.axes('seq emb')`
""",
    ),
    case(
        "the axes of data in brackets",
        lambda: nt.tensor[seq](np.ones(3)),
        nt.KindError,
        """
tensor[seq](np.ones(3)): tensor takes its axes between the parentheses; it takes (data, *axes)
hint: `nt.tensor(np.ones(3), seq)`
""",
    ),
]

WITH_HINTS = [case for case in CASES if "`" in case.values[2]]
Y = X + 1.0


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


@pytest.mark.parametrize(("call", "error", "text"), WITH_HINTS)
def test_the_hint_runs_as_it_is_typed(call, error, text):
    for code in re.findall("`([^`]+)`", text.split("hint: ")[1]):
        eval(code, {**globals()})


#: They take any word, or are context managers.
TAKE_ANY_WORD = {"diagram", "explain", "steps", "update", "formula", "collate", "checks", "debug"}


@pytest.mark.parametrize("name", sorted(public_functions() - TAKE_ANY_WORD))
def test_every_public_function_answers_a_word_that_it_does_not_know(name):
    function = getattr(nt, name)
    with pytest.raises(nt.NamedTensorError) as caught:
        function(surely_unknown=1)
    assert "hint: " in str(caught.value)
    if isinstance(function, AxisFunction):
        example = re.search(r"\[(.*?)\]\(", str(caught.value).split("hint: ")[1])[1].strip('"')
        with pytest.raises(nt.NamedTensorError, match="surely_unknown") as caught:
            function[example](surely_unknown=1)
        assert isinstance(caught.value, TypeError)


def test_without_a_source_the_names_of_variables_are_typed():
    scope = {"nt": nt, "seq": seq, "mine": X}
    with pytest.raises(nt.KindError) as caught:
        exec("nt.softmax[seq](mine, dim=1)", scope)
    assert str(caught.value).startswith("softmax[seq](mine, dim=1): ")
    assert str(caught.value).endswith("hint: `nt.softmax[seq](mine)`")


@pytest.mark.parametrize("name", sorted(public_functions()))
def test_every_public_function_answers_brackets_or_takes_them(name):
    function = getattr(nt, name)
    if isinstance(function, AxisFunction) or name in ("lift", "each", "one", "collate", "checks"):
        return
    with pytest.raises(nt.KindError, match=rf"^{name}\[seq\]: {name} takes ") as caught:
        function[seq]
    assert "hint: `nt." in str(caught.value)


def test_brackets_without_a_source_are_answered_too():
    with pytest.raises(nt.KindError) as caught:
        eval("nt.relu[seq](X)", {"nt": nt, "seq": seq, "X": X})
    assert str(caught.value).startswith("relu[seq]: relu takes no axes")


def test_a_type_error_inside_of_a_function_stays_what_it_is():
    def step(h, x):
        return (lambda: h)(x)

    with pytest.raises(TypeError, match=r"positional arguments? but 1 was given") as caught:
        nt.scan[seq](step, 0.0, X)
    assert not isinstance(caught.value, nt.NamedTensorError)


def test_what_is_called_keeps_its_name_its_page_and_its_signature():
    assert nt.relu.__name__ == "relu"
    assert list(inspect.signature(nt.clip).parameters) == ["X", "low", "high"]
    assert nt.relu.__doc__.startswith("Set negative numbers to 0.")
    assert pickle.loads(pickle.dumps(nt.exp)) is nt.exp
    assert repr(nt.zeros) == "nt.zeros(*axes, dtype=None, device=None, backend=None)"
    assert pickle.loads(pickle.dumps(nt.softmax[seq]))(X).shape == X.shape


def test_the_short_way_is_taken_by_what_only_applies_an_operation():
    short = [nt.relu, nt.exp, nt.maximum]
    assert {type(f).__call__.__code__.co_name for f in short} == {"own", "own_two"}
    assert nt.softmax[seq].func is wrong_calls.applied
    assert nt.roll[seq].func is wrong_calls.any_operands


def test_the_words_of_a_call_are_not_those_of_another():
    assert wrong_calls.word_of("nt.softmax[seq]") == "softmax"
    assert wrong_calls.word_of('X.at[seq[0:1], emb(nt.sum["a[2]"](I))].set') == "set"


@pytest.mark.parametrize(
    "given", [module, lin, torch.nn.Linear(3, 4)], ids=["ours", "a formula", "torch's"]
)
@pytest.mark.parametrize("name", sorted(public_functions() - {"debug", "define", "parameters"}))
def test_every_public_function_takes_a_module_or_refuses_it_in_our_words(name, given):
    function = getattr(nt, name)
    if isinstance(function, AxisFunction):
        with pytest.raises(nt.NamedTensorError) as caught:
            function(surely_unknown=1)
        example = re.search(r"\[(.*?)\]\(", str(caught.value).split("hint: ")[1])[1].strip('"')
        function = function[example]
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    places = [p for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    with suppress(nt.NamedTensorError):  # what else is raised fails
        function(*[given] * max(1, len(places)))


@pytest.mark.parametrize("given", [module, lin], ids=["a module", "a formula"])
def test_a_module_in_the_place_of_a_tensor_is_refused_by_operators_and_calls(given):
    for call in (
        lambda: given + X,
        lambda: X * given,
        lambda: X @ emb @ given,
        lambda: given @ emb @ X,
        lambda: X.at[emb(0)].set(given),
        lambda: X[emb(given)],
        lambda: lin(X, W=given),
        lambda: nt.lift(np.sin, "emb -> emb")(given),
    ):
        with pytest.raises(nt.NamedTensorError):
            call()


def test_a_single_number_is_rounded_as_python_rounds():
    one = nt.tensor(2.345)
    assert (round(one), round(one, 1)) == (2, 2.3)

    @formula
    def thirds(X: R[emb]) -> R[emb]:
        return X * round(abs(emb) / 3)

    for n in (3, 7):
        assert thirds(nt.ones(emb[n])).numpy(emb).tolist() == [round(n / 3)] * n
