"""What people call torch and numpy with works on named tensors, or ends in an error saying what to type."""

import copy
import functools
import io
import itertools
import math
import operator
import pickle
import random
import warnings

import numpy as np
import pytest
import torch
import torch.utils.checkpoint
import torch.utils.data
from torch.nn import functional as F

import namedtensor as nt
from tests.errors.check import case, check

seq, emb = nt.axes("seq emb")
NEEDED = copy, functools, io, itertools, math, operator, pickle, random, F  # by the calls below

CALLS = """
torch.from_numpy(X)
torch.as_tensor(X)
torch.tensor(X)
torch.asarray(X)
torch.tensor([X, Y])
torch.tensor([s, s])
torch.as_tensor([X, Y])
torch.Tensor(X)
torch.FloatTensor(X)
torch.nn.Parameter(X)
torch.nn.Parameter(X, requires_grad=False)
torch.nn.Buffer(X)
torch.nn.Module().register_buffer("b", X)
torch.nn.Module().register_parameter("b", X)
setattr(torch.nn.Linear(3, 3), "weight", X)
torch.nn.ParameterList([X])
torch.nn.ParameterDict({"X": X})
torch.optim.SGD([X], 0.1)
torch.optim.Adam([{"params": [X]}], 0.1)
torch.optim.SGD(X, 0.1)
torch.utils.data.TensorDataset(X)
torch.utils.data.TensorDataset(X, Y)
torch.utils.data.default_collate([X, Y])
torch.utils.data.default_collate([(X, 1), (Y, 2)])
torch.utils.data.default_convert(X)
next(iter(torch.utils.data.DataLoader([X, Y], batch_size=2)))
next(iter(torch.utils.data.DataLoader(X, batch_size=2)))
torch.utils.data.random_split(X, [1, 1])
torch.utils.data.Subset(X, [0])[0]
torch.save(X, io.BytesIO())
torch.stack([X, Y])
torch.cat([X, Y])
torch.stack((X, Y), dim=-1)
torch.hstack([X, Y])
torch.nn.utils.rnn.pad_sequence([X, Y])
torch.nn.utils.rnn.pack_sequence([X, Y])
torch.nn.utils.clip_grad_norm_([X], 1.0)
torch.nn.utils.clip_grad_norm_(X, 1.0)
torch.nn.utils.parameters_to_vector([X])
torch.nn.init.normal_(X)
torch.nn.init.xavier_uniform_(X)
torch.nn.init.zeros_(X)
torch.nn.init.constant_(X, 1.0)
torch.allclose(X, Y)
torch.equal(X, Y)
torch.isclose(X, Y)
torch.testing.assert_close(X, Y)
torch.testing.assert_close(X, X)
torch.is_tensor(X)
torch.numel(X)
torch.is_floating_point(X)
torch.is_complex(X)
torch.zeros_like(X)
torch.rand_like(X)
torch.empty_like(X)
torch.full_like(X, 1.0)
torch.broadcast_tensors(X, Y)
torch.meshgrid(X, Y)
torch.cartesian_prod(X, Y)
torch.block_diag(X, Y)
torch.einsum("ij,ij->i", X, Y)
torch.gather(X, 0, I)
X.gather(0, I)
X.gather(1, index=I)
X.gather
X.scatter(0, I, Y)
X.scatter_add(0, I, Y)
X.index_select(0, I)
X.value
X.apply
X.apply_(abs)
X.module
X.signature
X.named_values
X.node
X.detach().numpy("seq emb")
X.detach_()
X.requires_grad_()
X.backward()
s.backward()
X.grad
X.register_hook(print)
X.retain_grad()
X.is_leaf
X.grad_fn
X.data_ptr()
X.storage()
X.element_size()
X.type()
X.type(torch.float64)
X.new_zeros(3)
X.is_cuda
X.requires_grad
X.pin_memory()
X.share_memory_()
X.sparse()
X.to_sparse()
X.map(abs)
X.fill_(0)
X.normal_()
X.T
X.mT
X.sum(0)
X.sum(dim=0)
X.mean()
X.max(0)
X.argmax(-1)
X.softmax(-1)
X.unbind(0)
X.chunk(2)
X.split(1)
X.tolist()
X.item()
X.cpu()
X.numpy()
X.nonzero()
X.where(X > 0, Y)
X.unique()
X.sort()
X.topk(2)
X.cumsum(0)
X.clamp(0)
X.clip(0, 1)
X.round()
X.pow(2)
X.matmul(Y)
X.add_(1)
X.shape[0]
X.size(0)
X.size()
len(X)
list(X)
X[0]
X[0, 1]
X[:, 1]
X[None]
X[..., 0]
X[X > 0]
X[I]
X[[0, 1]]
torch.func.grad(lambda x: nt.sum[...](x * x))(X)
torch.func.vmap(lambda x: x * x)(X)
torch.func.jacrev(lambda x: x * x)(X)
torch.func.jacfwd(lambda x: x * x)(X)
torch.func.hessian(lambda x: nt.sum[...](x * x))(X)
torch.func.jvp(lambda x: x * x, (X,), (Y,))
torch.func.vjp(lambda x: x * x, X)
torch.func.linearize(lambda x: x * x, X)
torch.vmap(lambda x: x * x)(X)
torch.func.functional_call(torch.nn.Linear(3, 4), {"weight": X}, (Y,))
torch.func.stack_module_state([X])
torch.autograd.grad(nt.sum[...](X * X), X)
torch.autograd.grad(s, [X])
torch.autograd.backward(s)
torch.autograd.backward([s])
torch.autograd.functional.jacobian(lambda x: x * x, X)
torch.autograd.functional.hessian(lambda x: nt.sum[...](x * x), X)
torch.utils.checkpoint.checkpoint(lambda x: x * x, X, use_reentrant=False)
torch.utils.checkpoint.checkpoint(lambda x: x * x, X, use_reentrant=True)
torch.distributions.Normal(X, 1.0)
torch.distributions.Categorical(logits=X)
torch.distributions.Normal(0.0, 1.0).log_prob(X)
torch.normal(X, 1.0)
torch.bernoulli(X)
torch.multinomial(X, 1)
torch.fft.fft(X)
torch.linalg.norm(X)
torch.linalg.inv(X)
torch.special.expit(X)
torch.sparse.mm(X, Y)
torch.nn.Linear(3, 4)(X)
torch.nn.LSTM(3, 4)(X)
torch.nn.GRU(3, 4)(X)
torch.nn.MultiheadAttention(3, 1)(X, X, X)
torch.nn.TransformerEncoderLayer(3, 1)(X)
torch.nn.Transformer(3, 1)(X, X)
torch.nn.BatchNorm1d(3)(X)
torch.nn.Embedding(3, 4)(I)
torch.nn.EmbeddingBag(3, 4)(I)
torch.nn.CrossEntropyLoss()(X, I)
torch.nn.MSELoss()(X, Y)
torch.nn.BCEWithLogitsLoss()(X, Y)
torch.nn.KLDivLoss()(X, Y)
torch.nn.Dropout()(X)
torch.nn.ReLU()(X)
torch.nn.GELU()(X)
torch.nn.Softmax(-1)(X)
torch.nn.Flatten()(X)
torch.nn.Identity()(X)
torch.nn.Sequential(torch.nn.ReLU())(X)
torch.ones(3) + X
torch.ones(2, 3) * X
X + torch.ones(2, 3)
torch.ones(2, 3) @ X
X @ torch.ones(3)
torch.ones(2, 3)[X > 0]
torch.ones(3)[I]
torch.ones(2, 3).copy_(X)
torch.ones(2, 3).add_(X)
torch.ones(2, 3).to(X)
torch.ones(2, 3).type_as(X)
torch.ones(2, 3).masked_fill(X > 0, 0.0)
torch.ones(2, 3).expand_as(X)
torch.ones(2, 3).new_tensor(X)
torch.zeros(2, 3).__setitem__(0, X)
torch.zeros(2, 3).__setitem__(X > 0, 1.0)
torch.ones(X)
torch.zeros(s)
torch.arange(s)
torch.full((2,), s)
torch.clamp(torch.ones(3), min=s)
torch.where(X > 0, torch.ones(2, 3), torch.zeros(2, 3))
torch.utils.data.TensorDataset(torch.ones(2), X)
torch.nn.functional.one_hot(I)
torch.linspace(0, s, 3)
torch.quantile(X, 0.5)
torch.histc(X)
torch.bucketize(X, torch.ones(3))
torch.searchsorted(torch.ones(3), X)
torch.unique(X)
torch.result_type(X, Y)
torch.get_device(X)
torch.nested.nested_tensor([X, Y])
torch.nested.as_nested_tensor([X, Y])
torch.utils.dlpack.to_dlpack(X)
torch.from_dlpack(X)
torch.utils.dlpack.from_dlpack(X)
torch.frombuffer(X)
torch.nn.Module().load_state_dict({"a": X}, strict=False)
torch.nn.Linear(3, 2, bias=False).load_state_dict({"weight": X})
torch.quantize_per_tensor(X, 0.1, 0, torch.qint8)
torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(3, 3), "weight", X)
np.array(X)
np.array(X, dtype=np.float32)
np.array([X, Y])
np.array([s, s])
np.array(s)
np.asarray(X)
np.asarray(X, dtype="float32")
np.ascontiguousarray(X)
np.asanyarray(X)
np.stack([X, Y])
np.concatenate([X, Y])
np.vstack([X, Y])
np.block([[X, Y]])
np.testing.assert_allclose(X, Y)
np.testing.assert_allclose(X, X)
np.testing.assert_array_equal(X, X)
np.testing.assert_almost_equal(X, X)
np.testing.assert_equal(X, X)
np.allclose(X, Y)
np.array_equal(X, Y)
np.isclose(X, Y)
np.sum(X, axis=0)
np.mean(X)
np.max(X)
np.exp(X)
np.add(X, Y)
np.add.reduce(X)
np.multiply.outer(X, Y)
np.add.at(X, 0, 1)
np.dot(X, Y)
np.matmul(X, Y)
np.einsum("ij,ij->i", X, Y)
np.where(X > 0, X, Y)
np.where(X > 0)
np.shape(X)
np.size(X)
np.ndim(X)
np.isnan(X)
np.isscalar(X)
np.iterable(X)
np.zeros_like(X)
np.full((2,), s)
np.zeros(2).__setitem__(0, s)
np.zeros((2, 3)).__setitem__(slice(None), X)
np.zeros((2, 3)) + X
np.zeros((2, 3)) @ X
X @ np.zeros((2, 3))
X + np.zeros((2, 3))
np.zeros(3)[I]
np.zeros((2, 3))[X > 0]
np.float64(2.0) * X
np.random.default_rng(0).permutation(X)
np.random.default_rng(0).shuffle(X)
np.random.default_rng(0).choice(X)
np.random.default_rng(0).normal(X)
np.linalg.norm(X)
np.linalg.inv(X)
np.fft.fft(X)
np.split(X, 2)
np.unique(X)
np.sort(X)
np.argmax(X)
np.percentile(X, 50)
np.transpose(X)
np.reshape(X, -1)
np.expand_dims(X, 0)
np.squeeze(X)
np.broadcast_to(X, (2, 2, 3))
np.broadcast_arrays(X, Y)
np.meshgrid(X, Y)
np.tile(X, 2)
np.pad(X, 1)
np.clip(X, 0, 1)
np.round(X)
np.copy(X)
np.copyto(X, Y)
np.copyto(np.zeros((2, 3)), X)
np.save(io.BytesIO(), X)
np.savez(io.BytesIO(), X=X)
np.savetxt(io.StringIO(), X)
np.ndenumerate(X)
np.vectorize(abs)(X)
np.apply_along_axis(abs, 0, X)
np.fromiter(X, float)
np.frombuffer(X)
np.from_dlpack(X)
np.interp(X, [0, 1], [0, 1])
np.digitize(X, [0, 1])
np.histogram(X)
np.average(X)
np.median(X)
np.cov(X)
np.corrcoef(X)
np.polyfit(X, Y, 1)
np.trapezoid(X)
np.piecewise(X, [X > 0], [1])
np.select([X > 0], [X])
np.may_share_memory(X, Y)
np.shares_memory(X, Y)
np.result_type(X)
np.min_scalar_type(X)
np.ma.array(X)
np.ma.masked_array(X, mask=False)
np.matrix(X)
np.char.add(X, Y)
np.float32(X)
np.float32(s)
np.int64(s)
np.bool_(X)
np.arange(s)
np.linspace(0, s, 3)
np.array2string(X)
np.array_repr(X)
np.array_str(X)
math.sqrt(s)
math.sqrt(X)
math.isclose(s, s)
math.fsum(X)
sum(X)
sum([X, Y])
max(X)
max(X, Y)
min([X, Y])
any(X)
all(X)
sorted([X, Y])
sorted(X)
abs(X)
round(X, 2)
reversed(X)
zip(X, Y)
enumerate(X)
dict(X)
tuple(X)
set([X])
bytes(X)
X in [Y]
X == None
not X
X and Y
X if X else Y
range(s)
range(I)
complex(s)
float(X)
int(X)
str(X)
f"{X:.2f}"
f"{s:.2f}"
"%f" % s
"%f" % X
pickle.loads(pickle.dumps(X))
copy.copy(X)
copy.deepcopy(X)
functools.reduce(operator.add, [X, Y])
random.choice(X)
itertools.chain(X)
iter(X)
X.name
X.foo
""".strip().splitlines()

#: What looks for the class of a tensor itself, and asks a named tensor nothing that it could answer.
THEIRS = {
    "torch.from_numpy(X)": TypeError,
    "torch.Tensor(X)": RuntimeError,
    "torch.FloatTensor(X)": RuntimeError,
    "torch.nested.as_nested_tensor([X, Y])": TypeError,
    "torch.utils.dlpack.to_dlpack(X)": TypeError,
    "torch.frombuffer(X)": TypeError,
    'torch.nn.Linear(3, 2, bias=False).load_state_dict({"weight": X})': RuntimeError,
    "np.frombuffer(X)": TypeError,
    "torch.distributions.Normal(0.0, 1.0).log_prob(X)": ValueError,
}
#: The same of numpy data: transforms of torch take its own.
OF_NUMPY = {
    "torch.nn.utils.parameters_to_vector([X])": AttributeError,
    **{
        call: (ValueError, RuntimeError, AttributeError)
        for call in CALLS
        if call.startswith(("torch.func.", "torch.vmap"))
        and "module" not in call
        and "_call" not in call
    },
}


def drawn(library):
    """Give what the calls name, on one library."""
    rng = np.random.default_rng(0)
    given = {
        "X": nt.tensor(rng.normal(size=(2, 3)), seq, emb),
        "Y": nt.tensor(rng.normal(size=(2, 3)), seq, emb),
        "I": nt.tensor(np.array([[0, 1, 1], [1, 0, 1]]), seq, emb),
        "s": nt.tensor(np.array(1.5)),
    }
    return {name: X.to(library) for name, X in given.items()}


@pytest.mark.parametrize("library", ["torch", "numpy"])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_works_or_is_explained(call, library):
    theirs = (OF_NUMPY.get(call) if library == "numpy" else None) or THEIRS.get(call)
    scope = {**globals(), **drawn(library)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if theirs is not None:
            with pytest.raises(theirs):
                eval(call, scope)
            return
        try:
            eval(call, scope)
            parts = ["it works"]
        except nt.NamedTensorError as error:
            parts = [error.call, error.why, error.hint]
        assert all(parts)


X, Y, I = (drawn("torch")[name] for name in "XYI")
CASES = [
    case(
        "torch.nn.Parameter(X)",
        lambda: torch.nn.Parameter(X),
        nt.BackendError,
        """
torch.nn.Parameter(X): torch keeps positional tensors, and names the axes of none
  X : seq[2] emb[3]
hint: torch.nn.Parameter(X.torch(seq, emb)), or declare it in a formula and make its module
""",
    ),
    case(
        "torch.nn.Buffer(X)",
        lambda: torch.nn.Buffer(X),
        nt.BackendError,
        """
torch.nn.Buffer(X): torch keeps positional tensors, and names the axes of none
  X : seq[2] emb[3]
hint: torch.nn.Buffer(X.torch(seq, emb)), or declare it in a formula and make its module
""",
    ),
    case(
        "torch.from_dlpack(X)",
        lambda: torch.from_dlpack(X),
        nt.BackendError,
        """
from_dlpack(X): the other library would have to guess the order of the axes
  X : seq[2] emb[3]
hint: say it: `X.torch(seq, emb)` or `X.numpy(seq, emb)`
""",
    ),
    case(
        "torch.utils.data.default_collate([X, Y])",
        lambda: torch.utils.data.default_collate([X, Y]),
        nt.BackendError,
        """
torch.utils.data.default_collate(batch): the examples are joined along a new axis, which needs a name
  batch[0] : seq[2] emb[3]
  batch[1] : seq[2] emb[3]
hint: nt.collate["batch"](batch), in a loader DataLoader(..., collate_fn=nt.collate["batch"])
""",
    ),
    case(
        "X.gather(0, I)",
        lambda: X.gather(0, I),
        nt.HabitError,
        """
X.gather: an index stands in brackets, beside its axis
  X : seq[2] emb[3]
hint: `X[seq(0)]`, with 0 or with named integers
""",
    ),
    case(
        "np.array(X, dtype=np.float32)",
        lambda: np.array(X, dtype=np.float32),
        nt.BackendError,
        """
numpy(X): numpy would have to guess the order of the axes
  X : seq[2] emb[3]
hint: say it: X.numpy(seq, emb)
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_what_is_commonly_tried_is_explained_in_full(call, error, text):
    check(call, error, text)


def test_an_error_that_another_library_makes_again_from_its_text_stays_ours():
    with pytest.raises(nt.NamedTensorError) as caught:
        torch.load(drawn("torch")["X"])  # which adds a sentence, as the workers of a loader do
    assert "X.seek: a named tensor has no seek" in str(caught.value)
    again = nt.AxisMissingError("a whole text")
    assert str(again) == "a whole text"


def every_word():
    """List what a named tensor may be asked for by those who know others."""
    words = {*dir(torch.Tensor), *dir(np.ndarray), *dir(nt)} - {*dir(nt.NamedTensor)}
    return sorted(word for word in words if not word.startswith("_"))


def test_the_calls_in_the_hint_for_any_attribute_of_others_run_as_typed():
    scope = {**globals(), **drawn("torch")}
    X = scope["X"]
    faults, count = [], 0
    for word in every_word():
        with pytest.raises(nt.HabitError) as caught:
            getattr(X, word)
        codes = caught.value.hint.split("`")[1::2]
        for code in codes:
            count += 1
            try:
                eval(code, scope)
            except nt.NamedTensorError:
                faults.append(code)
    assert count > 400
    assert len(faults) == 1  # X holds real numbers here
    assert faults[0].startswith("nt.one_hot(X, ")
