"""Tensors made, asked and converted wrongly."""

import warnings

import numpy as np
import pytest
import torch

import namedtensor as nt
from tests.errors.check import case, check
from tests.errors.operands import I, T, X, b, emb, key, mask, meta, seq

nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)


def quantized():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's own: these dtypes will go
        return torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)


CASES = [
    case(
        "torch's sparse data",
        lambda: nt.tensor(torch.eye(3).to_sparse(), "row col"),
        nt.BackendError,
        """
tensor(data, row, col): data is of layout sparse_coo, and named tensors hold arrays
hint: convert it before: data.to_dense()
""",
    ),
    case(
        "a tensor made by its class",
        lambda: nt.NamedTensor(np.ones(3)),
        nt.AxisNameError,
        """
NamedTensor(data): the axes of data have no names
hint: name its axes: nt.tensor(data, "ax")
""",
    ),
    case(
        "a tensor made by its class with axes",
        lambda: nt.NamedTensor(np.ones((3, 4)), seq, emb),
        nt.AxisNameError,
        """
NamedTensor(data, ...): nt.tensor names axes
hint: nt.tensor(data, seq, emb)
""",
    ),
    case(
        "axes of the class",
        lambda: nt.NamedTensor[seq, emb],
        nt.AxisNameError,
        """
NamedTensor[...]: a class of tensors has no axes, and a space has them
hint: `nt.R["seq emb"]` declares them in a formula, def f(X: R["seq emb"])
""",
    ),
    case(
        "an argument of detach",
        lambda: X.detach(1),
        nt.KindError,
        """
X.detach(1): detach takes no argument without a name, and 1 is given; it takes ()
  X : seq[3] emb[4]
hint: `X.detach()`
""",
    ),
    case(
        "a number in the place of a document",
        lambda: nt.latex.read(3),
        nt.KindError,
        """
read(text=...): text is a text, and an int is given
hint: nt.latex.read("$f(x) = x + 1$"), or nt.latex.read_file("notes.md")
""",
    ),
    case(
        "a comparison with a number",
        lambda: nt.testing.assert_close(X, 3),
        nt.KindError,
        """
assert_close(X, Y): named tensors are compared, and an int is given
hint: name its axes: nt.tensor(Y)
""",
    ),
    case(
        "nested data",
        lambda: nt.tensor(nested, "seq emb"),
        nt.BackendError,
        """
tensor(data, seq, emb): data is nested, and its parts differ in size
hint: convert it before: data.to_padded_tensor(0.0)
""",
    ),
    case(
        "quantized data",
        lambda: nt.tensor(quantized(), "seq"),
        nt.BackendError,
        """
tensor(data, seq): data is quantized, and holds codes of its numbers
hint: convert it before: data.dequantize()
""",
    ),
    case(
        "a gradient asked for by an assignment",
        lambda: setattr(T, "requires_grad", True),
        nt.HabitError,
        """
X.requires_grad = ...: named tensors are values, and what is asked of one is not assigned
  X : seq[3] emb[4]
hint: `T = T.requires_grad_()`
""",
    ),
    case(
        "a gradient forgotten by an assignment",
        lambda: setattr(T, "grad", None),
        nt.HabitError,
        """
X.grad = ...: named tensors are values, and what is asked of one is not assigned
  X : seq[3] emb[4]
hint: `T.data.grad = None`
""",
    ),
    case(
        "axes by an assignment",
        lambda: setattr(X, "axes", ("a", "b")),
        nt.HabitError,
        """
X.axes = ...: named tensors are values, and what is asked of one is not assigned
  X : seq[3] emb[4]
hint: `X = X["seq -> seq'"]`
""",
    ),
    case(
        "data that are deleted",
        lambda: delattr(X, "data"),
        nt.HabitError,
        """
X.data = ...: named tensors are values, and what is asked of one is not assigned
  X : seq[3] emb[4]
hint: `X = nt.tensor(X.data, 'seq', 'emb')`
""",
    ),
    case(
        "torch's function of a single number",
        lambda: torch.exp(nt.tensor(torch.tensor(2.0))),
        nt.BackendError,
        """
torch.exp(...): torch's functions know no names
  A : () a single number
hint: nt.exp(A)
""",
    ),
    case(
        "an array of one axis",
        lambda: np.asarray(b),
        nt.BackendError,
        """
numpy(b): numpy's arrays have no names
  b : emb[4]
hint: say it: b.numpy(emb)
""",
    ),
    case(
        "a masked array, whose mask would be dropped",
        lambda: nt.tensor(np.ma.array([1, 2], mask=[0, 1]), "seq"),
        nt.KindError,
        """
tensor(data, seq): data is a masked array, and a named tensor has no mask
hint: fill what is masked: data.filled(0)
""",
    ),
    case(
        "fewer names than the data has axes",
        lambda: nt.tensor(np.ones((2, 3)), seq),
        nt.AxisNameError,
        """
tensor(data, seq): data has sizes (2, 3), 2 in all, and 1 axis is named
hint: give one name for each, in the order in which data holds them
""",
    ),
    case(
        "more names than the data has axes",
        lambda: nt.tensor(np.ones(3), seq, emb),
        nt.AxisNameError,
        """
tensor(data, seq, emb): data has sizes (3), 1 in all, and 2 axes are named
hint: give one name for each, in the order in which data holds them
""",
    ),
    case(
        "no names",
        lambda: nt.tensor(np.ones(3)),
        nt.AxisNameError,
        """
tensor(data): data has sizes (3), 1 in all, and 0 axes are named
hint: give one name for each, in the order in which data holds them
""",
    ),
    case(
        "one name twice",
        lambda: nt.tensor(np.ones((3, 3)), seq, seq),
        nt.AxisNameError,
        """
tensor(data, seq, seq): seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "a size that the data has not",
        lambda: nt.tensor(np.ones(3), seq[4]),
        nt.AxisSizeError,
        """
tensor(data, seq[4]): axis seq is 4 in the call and 3 in data
hint: leave the size out: seq
""",
    ),
    case(
        "a name that is a number",
        lambda: nt.tensor(np.ones(3), 3),
        nt.AxisNameError,
        """
tensor(np.ones(3), 3): axes are given as Axis objects or as names, not as an int
hint: seq, (seq, emb) or "seq emb", and with a size "seq[3]"
""",
    ),
    case(
        "a named tensor",
        lambda: nt.tensor(X, seq, emb),
        nt.BackendError,
        """
tensor(X, ...): X has names already
  X : seq[3] emb[4]
hint: rename its axes: X[seq >> seq_]
""",
    ),
    case(
        "lists of different lengths",
        lambda: nt.tensor([[1], [1, 2]], seq, emb),
        nt.AxisSizeError,
        """
tensor(data, seq, emb): the lists are not all of one length, so they make no array
hint: pad the shorter ones, or make a tensor of each
""",
    ),
    case(
        "strings",
        lambda: nt.tensor(["a"], seq),
        nt.KindError,
        """
tensor(data, seq): data of dtype <U1 does not hold numbers
hint: use numbers or booleans
""",
    ),
    case(
        "a generator",
        lambda: nt.tensor((i for i in range(3)), seq),
        nt.KindError,
        """
tensor(data, seq): data is a generator, and not numbers
hint: make a list of it: `list(data)`
""",
    ),
    case(
        "a dict",
        lambda: nt.tensor({"a": 1}, seq),
        nt.KindError,
        """
tensor(data, seq): data is a dict, and not numbers
hint: use numbers or booleans
""",
    ),
    case(
        "whole numbers beyond 64 bits",
        lambda: nt.tensor(10**30),
        nt.KindError,
        """
tensor(data): data of dtype object does not hold numbers
hint: use numbers or booleans
""",
    ),
    case(
        "a list of named tensors",
        lambda: nt.tensor([X, X], "batch", seq, emb),
        nt.BackendError,
        """
tensor(data, batch, seq, emb): data is a list of named tensors, whose axes have names already
hint: join them along a new axis: nt.stack[batch](*data), with data the list
""",
    ),
    case(
        "the number of a tensor on the meta device",
        lambda: float(nt.sum[...](meta)),
        nt.BackendError,
        """
float(X): X is on the device meta and holds no numbers
  X : () a single number
hint: make it where numbers are: nt.zeros("seq[3]", device="cpu")
""",
    ),
    case(
        "a single number taken apart",
        lambda: list(nt.sum[...](X)),
        nt.AxisNameError,
        """
iter(X): a named tensor has no first axis to run along
  X : () a single number
hint: a single number is one value: Y = X, or Y = X.item() in Python; torch's classes, such as GradScaler, \
take X.torch()
""",
    ),
    case(
        "a module for a dtype",
        lambda: X.to(np),
        nt.BackendError,
        """
X.to(a module): a module is no library, device or dtype
  X : seq[3] emb[4]
hint: X.to("torch"), X.to("cuda"), X.to("float32")
""",
    ),
    case(
        "no data",
        lambda: nt.tensor(None),
        nt.KindError,
        """
tensor(data): data is None, and not numbers
hint: use numbers or booleans
""",
    ),
    case(
        "an axis that X lacks",
        lambda: X.size(key),
        nt.AxisMissingError,
        """
X.size(key): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: name one of them
""",
    ),
    case(
        "a misspelled axis",
        lambda: X.size("ebm"),
        nt.AxisMissingError,
        """
X.size(ebm): X has no axis ebm
  X : seq[3] emb[4]
hint: did you mean emb?
""",
    ),
    case(
        "two axes for one size",
        lambda: X.size("seq emb"),
        nt.AxisNameError,
        """
X.size('seq emb'): one axis is wanted here, and 2 are given
hint: seq or "seq"
""",
    ),
    case(
        "positions without an order",
        lambda: X.numpy(),
        nt.AxisNameError,
        """
X.numpy(): axes have no order until you give one
  X : seq[3] emb[4]
hint: X.numpy(seq, emb)
""",
    ),
    case(
        "an order that leaves out an axis",
        lambda: X.numpy(seq),
        nt.AxisMissingError,
        """
X.numpy(seq): the order leaves out emb
  X : seq[3] emb[4]
hint: X.numpy(seq, emb)
""",
    ),
    case(
        "an order with an axis that X lacks",
        lambda: X.torch(seq, key),
        nt.AxisMissingError,
        """
X.torch(seq, key): X has no axis key
  X : seq[3] emb[4]
hint: X has seq and emb: name one of them
""",
    ),
    case(
        "an order that names an axis twice",
        lambda: X.numpy(seq, seq),
        nt.AxisNameError,
        """
X.numpy: seq is named twice
hint: name it once; "seq'" is a second copy
""",
    ),
    case(
        "an order with a wrong size",
        lambda: X.numpy(seq[4], emb),
        nt.AxisSizeError,
        """
X.numpy(seq[4], emb): axis seq is 3 in X and 4 in the call
  X : seq[3] emb[4]
hint: leave the size out: seq
""",
    ),
    case(
        "one number of a tensor with axes",
        lambda: X.item(),
        nt.AxisSizeError,
        """
X.item(): X has axes, and this is asked of a single number
  X : seq[3] emb[4]
hint: reduce the axes, nt.sum[...](X), or index them, X[seq(0), emb(0)]
""",
    ),
    case(
        "the truth of a tensor with axes",
        lambda: bool(X),
        nt.AxisSizeError,
        """
bool(X): X has axes, and this is asked of a single number
  X : seq[3] emb[4]
hint: reduce the axes, nt.sum[...](X), or index them, X[seq(0), emb(0)]
""",
    ),
    case(
        "the length of a tensor",
        lambda: len(X),
        nt.AxisNameError,
        """
len(X): a named tensor has no first axis to measure
  X : seq[3] emb[4]
hint: `X.size(seq)` for one axis, `X.shape.count` for all records; an array in an order is \
`X.torch(seq, emb)` or `X.numpy(seq, emb)`
""",
    ),
    case(
        "a walk along a tensor",
        lambda: list(X),
        nt.AxisNameError,
        """
iter(X): a named tensor has no first axis to run along
  X : seq[3] emb[4]
hint: name the axis: for Y in nt.unstack[seq](X)
""",
    ),
    case(
        "deletion",
        lambda: X.__delitem__(seq(0)),
        nt.AxisNameError,
        """
del X[...]: named tensors are values; those without some records are new ones
  X : seq[3] emb[4]
hint: select those to keep: X[seq[1:]], or X[seq[[0, 2]]]
""",
    ),
    case(
        "assignment",
        lambda: X.__setitem__(seq(0), 1.0),
        nt.AxisNameError,
        """
X[...] = Y: named tensors are values; an update makes a new one
  X : seq[3] emb[4]
hint: X = X.at[seq(0)].set(1.0)
""",
    ),
    case(
        "a real number as an index of a list",
        lambda: [1, 2][X[seq(0), emb(0)]],
        nt.KindError,
        """
operator.index(X): X holds a float number, and an index is a whole number
  X : () a single number
hint: int(X) rounds towards zero
""",
    ),
    case(
        "an index by a tensor with axes",
        lambda: [1, 2][I],
        nt.AxisSizeError,
        """
operator.index(I): I has axes, and this is asked of a single number
  I : seq[3]
hint: reduce the axes, nt.sum[...](I), or index them, I[seq(0)]
""",
    ),
    case(
        "numpy's array of a tensor",
        lambda: np.asarray(X),
        nt.BackendError,
        """
numpy(X): numpy would have to guess the order of the axes
  X : seq[3] emb[4]
hint: say it: X.numpy(seq, emb)
""",
    ),
    case(
        "a function of numpy",
        lambda: np.exp(X),
        nt.BackendError,
        """
np.exp(...): numpy's functions know no names
  X : seq[3] emb[4]
hint: nt.exp(X)
""",
    ),
    case(
        "a function of numpy without a namesake",
        lambda: np.transpose(X),
        nt.BackendError,
        """
np.transpose(...): numpy's functions know no names
  X : seq[3] emb[4]
hint: leave it out, `X`; an array in an order is `X.numpy(emb, seq)`, and another name for an axis `X["emb -> emb'"]`
""",
    ),
    case(
        "a ufunc without a namesake",
        lambda: np.arctan2.outer(X, X),
        nt.BackendError,
        """
np.arctan2.outer(...): numpy's functions know no names
  X : seq[3] emb[4]
  X : seq[3] emb[4]
hint: X.numpy(seq, emb)
""",
    ),
    case(
        "a function of torch",
        lambda: torch.exp(T),
        nt.BackendError,
        """
torch.exp(...): torch would have to guess the order of the axes
  T : seq[3] emb[4]
hint: nt.exp(T)
""",
    ),
    case(
        "a function of torch without a namesake",
        lambda: torch.take(T, T),
        nt.BackendError,
        """
torch.take(...): torch would have to guess the order of the axes
  T : seq[3] emb[4]
  T : seq[3] emb[4]
hint: T.torch(seq, emb), or nt.lift(torch.take, ...)
""",
    ),
    case(
        "a library that is none",
        lambda: X.to("bogus"),
        nt.BackendError,
        """
X.to('bogus'): 'bogus' is no library, device or dtype
  X : seq[3] emb[4]
hint: X.to("torch"), X.to("cuda"), X.to("float32")
""",
    ),
    case(
        "a target that is a number",
        lambda: T.to(3.5),
        nt.BackendError,
        """
X.to(3.5): 3.5 is no library, device or dtype
  X : seq[3] emb[4]
hint: X.to("torch"), X.to("cuda"), X.to("float32")
""",
    ),
    case(
        "a target that is nothing",
        lambda: X.to(None),
        nt.BackendError,
        """
X.to(None): None is no library, device or dtype
  X : seq[3] emb[4]
hint: X.to("torch"), X.to("cuda"), X.to("float32")
""",
    ),
    case(
        "a dtype that holds no numbers",
        lambda: X.to(object),
        nt.BackendError,
        """
X.to(<class 'object'>): <class 'object'> is no library, device or dtype
  X : seq[3] emb[4]
hint: X.to("torch"), X.to("cuda"), X.to("float32")
""",
    ),
    case(
        "torch's gradient of a tensor with axes",
        lambda: torch.autograd.grad(T, T),
        nt.AxisSizeError,
        """
torch.autograd.grad(...): T has axes, and a gradient starts from a single number
  T : seq[3] emb[4]
hint: reduce first: nt.sum[...](T)
""",
    ),
    case(
        "gradients of numpy data",
        lambda: X.requires_grad_(),
        nt.BackendError,
        """
X.requires_grad_(): gradients are torch's, and X holds numpy data
  X : seq[3] emb[4]
hint: X.to("torch")
""",
    ),
    case(
        "gradients of whole numbers",
        lambda: I.to("torch").requires_grad_(),
        nt.KindError,
        """
X.requires_grad_(): X holds int numbers, and gradients are of real ones
  X : seq[3]
hint: X.to("float32")
""",
    ),
    case(
        "the gradient that numpy data lacks",
        lambda: X.grad,
        nt.BackendError,
        """
X.grad: gradients are torch's, and X holds numpy data
  X : seq[3] emb[4]
hint: X.to("torch")
""",
    ),
    case(
        "backward from numpy data",
        lambda: X.backward(),
        nt.BackendError,
        """
X.backward(): gradients are torch's, and X holds numpy data
  X : seq[3] emb[4]
hint: X.to("torch")
""",
    ),
    case(
        "backward from a tensor with axes",
        lambda: nt.ones("seq[3]", backend="torch").requires_grad_().backward(),
        nt.AxisSizeError,
        """
X.backward(): X has axes, and a gradient starts from a single number
  X : seq[3]
hint: reduce first: nt.sum[...](X).backward()
""",
    ),
    case(
        "backward through nothing recorded",
        lambda: nt.sum[...](T).backward(),
        nt.BackendError,
        """
X.backward(): no operation that led to X was recorded
  X : () a single number
hint: ask for it before: W.requires_grad_()
""",
    ),
    case(
        "backward along a gradient of another shape",
        lambda: T.detach().requires_grad_().backward(nt.ones("seq[3]", backend="torch")),
        nt.AxisNameError,
        """
X.backward(gradient): gradient is no tensor of X's shape
  X        : seq[3] emb[4]
  gradient : seq[3]
hint: give gradient that shape
""",
    ),
    case(
        "backward along a bare array",
        lambda: T.detach().requires_grad_().backward(torch.ones(3, 4)),
        nt.AxisNameError,
        """
X.backward(gradient): gradient is no tensor of X's shape
  X : seq[3] emb[4]
hint: give gradient that shape
""",
    ),
    case(
        "the truth of truth values",
        lambda: bool(mask),
        nt.AxisSizeError,
        """
bool(mask): mask has axes, and this is asked of a single number
  mask : seq[3] emb[4]
hint: `nt.all[...](mask)` or `nt.any[...](mask)`
""",
    ),
    case(
        "a whole number of a tensor with axes",
        lambda: int(X),
        nt.AxisSizeError,
        """
int(X): X has axes, and this is asked of a single number
  X : seq[3] emb[4]
hint: reduce the axes, nt.sum[...](X), or index them, X[seq(0), emb(0)]
""",
    ),
    case(
        "numpy's array of bfloat16",
        lambda: T.to(torch.bfloat16).numpy(seq, emb),
        nt.KindError,
        """
X.numpy(...): numpy cannot hold torch.bfloat16
hint: X.to("float32").numpy(...)
""",
    ),
    case(
        "numpy's array of data on the meta device",
        lambda: meta.numpy(seq, emb),
        nt.KindError,
        """
X.numpy(...): numpy cannot hold data on the meta device
hint: make it where numbers are: nt.zeros("seq[3]", device="cpu")
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def test_arrays_that_are_only_read_are_copied_for_torch():
    array = np.ones(3)
    array.flags.writeable = False
    found = nt.tensor(array, "seq").to("torch").torch()
    found += 1.0
    assert array.tolist() == [1.0, 1.0, 1.0]
    assert nt.tensor(np.broadcast_to(2.0, ()), ()).torch().item() == 2.0


def test_every_attribute_of_a_tensor_answers_an_assignment():
    words = [word for word in dir(nt.NamedTensor) if word[0] != "_" and word != "persistent"]
    asked = [word for word in words if isinstance(getattr(nt.NamedTensor, word), property)]
    assert {"data", "layout", "sizes", "dtype", "grad"} <= {*asked}
    for word in asked:
        for tensor in (X, T, nt.iota("seq[3]"), nt.tensor(2.0)):
            with pytest.raises(nt.HabitError, match="is not assigned"):
                setattr(tensor, word, None)
