"""What is typed while code of torch is ported: our error, and a hint that runs as it is written."""

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.check import case, check

batch, seq, emb, hid = axes("batch seq emb hid")
X = nt.tensor(np.arange(6.0).reshape(2, 3) - 2, seq, emb)
I = nt.tensor([0, 2], batch)
T = nt.tensor(torch.ones(2, 3), seq, emb)
SHAPE = "  X : seq[2] emb[3]\n"


@formula
def lin(X: R[emb], *, W: R[emb, hid], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


def written(record, value):
    X[record] = value


#: A call, the code that its hint gives, and what this code is in numpy.
HINTS = [
    (lambda: nt.log(X + 9, 2), "nt.log(X + 9) / nt.log(2)", lambda x: np.log2(x + 9)),
    (lambda: nt.log(X + 9, base=10), "nt.log(X + 9) / nt.log(10)", lambda x: np.log10(x + 9)),
    (lambda: nt.norm[emb](X, 1), "nt.sum[emb](nt.abs(X))", lambda x: np.abs(x).sum(1)),
    (
        lambda: nt.norm[emb](X, p=3),
        "nt.sum[emb](nt.abs(X) ** 3) ** (1 / 3)",
        lambda x: np.linalg.norm(x, 3, axis=1),
    ),
    (
        lambda: nt.norm[emb](X - 1, ord=np.inf),
        "nt.max[emb](nt.abs(X - 1))",
        lambda x: np.linalg.norm(x - 1, np.inf, axis=1),
    ),
    (lambda: nt.round(X / 7, 2), "nt.round((X / 7) * 10**2) / 10**2", lambda x: np.round(x / 7, 2)),
    (
        lambda: nt.softmax[emb](X, temperature=2),
        "nt.softmax[emb](X / 2)",
        lambda x: torch.softmax(torch.tensor(x / 2), 1).numpy(),
    ),
    (
        lambda: nt.sort[emb](X, reverse=True),
        "nt.sort[emb](X, descending=True)",
        lambda x: -np.sort(-x, 1),
    ),
    (lambda: nt.softmax(emb)(X), "nt.softmax[emb](X)", None),
    (lambda: nt.sum("seq emb")(X), "nt.sum[seq, emb](X)", lambda x: x.sum()),
    (lambda: nt.sum[seq][X], "nt.sum[seq](X)", lambda x: x.sum(0)),
    (lambda: nt.sum[seq][emb](X), "nt.sum[seq, emb](X)", lambda x: x.sum()),
    (lambda: nt.sum[...][X], "nt.sum[...](X)", lambda x: x.sum()),
    (lambda: nt.maxk[emb, "k[2]"][X], 'nt.maxk["emb k[2]"](X)', lambda x: -np.sort(-x, 1)[:, :2]),
    (lambda: X.sizes["emb"], "X.size(emb)", lambda x: np.array(3)),
    (lambda: X.shape[-1], "X.size(emb)", lambda x: np.array(3)),
    (lambda: X[seq:1], "X[seq(1)]", lambda x: x[1]),
    (lambda: written(seq(1), 7.0), "X.at[seq(1)].set(7.0)", None),
    (lambda: written((seq(1), emb[1:]), 2), "X.at[seq(1), emb[1:]].set(2)", None),
    (lambda: nt.iota(5), 'nt.iota("ax[5]")', lambda x: np.arange(5)),
    (lambda: nt.one_hot(I, 5), 'nt.one_hot(I, "ax[5]")', lambda x: np.eye(5, dtype=int)[[0, 2]]),
    (lambda: nt.eye(4), 'nt.eye("ax[4] bx[4]")', lambda x: np.eye(4, dtype=int)),
    (lambda: nt.eye(emb[4]), 'nt.eye("emb[4] emb\'[4]")', lambda x: np.eye(4, dtype=int)),
    (lambda: nt.zeros("seq", 2), "nt.zeros('seq[2]')", lambda x: np.zeros(2)),
    (lambda: nt.zeros(seq, 2), "nt.zeros(seq[2])", lambda x: np.zeros(2)),
    (lambda: nt.normal(0, 1, seq[2]), "nt.normal(seq[2])", None),
    (lambda: nt.normal(seq[2], std=0.02), "0.02 * nt.normal(seq[2])", None),
    (
        lambda: nt.normal(seq[2], seed=0),
        "nt.normal(seq[2], generator=np.random.default_rng(0))",
        lambda x: np.random.default_rng(0).normal(size=2),
    ),
    (
        lambda: nt.ones(seq[2], requires_grad=True),
        'nt.ones(seq[2]).to("torch").requires_grad_()',
        lambda x: np.ones(2),
    ),
    (lambda: nt.dropout(X), "nt.dropout(X, 0.1)", None),
    (lambda: T.chunk(2), "nt.split[seq](T, [1, 1])", None),
    (lambda: torch.chunk(T, 2, dim=1), "nt.split[emb](T, [2, 1])", None),
    (lambda: torch.equal(T, T), "nt.all[...](T == T)", lambda x: np.array(True)),
    (lambda: torch.full_like(T, 3.0), "0 * T + 3.0", lambda x: 0 * x + 3),
    (lambda: torch.linalg.norm(T, dim=-1), "nt.norm[emb](T)", lambda x: np.full(2, 3**0.5)),
    (lambda: np.shape(X), "X.shape", None),
    (lambda: np.size(X), "X.shape.count", lambda x: np.array(6)),
    (lambda: T.register_hook, "T.data.register_hook", None),
    (lambda: T.is_cuda, "T.device", None),
    (lambda: T.type(torch.float64), 'T.to("float32")', None),
    (lambda: nt.float32, 'X.to("float32")', None),
    (lambda: torch.utils.data.TensorDataset(T), "X.torch(seq, emb)", None),
    (lambda: torch.distributions.Categorical(logits=T), "X.torch(seq, emb)", None),
]


@pytest.mark.parametrize(("call", "code", "numbers"), HINTS, ids=[row[1] for row in HINTS])
def test_the_hint_is_typed_and_gives_what_was_meant(call, code, numbers):
    with pytest.raises(nt.NamedTensorError) as caught:
        call()
    assert code in caught.value.hint
    known = {**globals(), "X": T if "X.torch" in code else X}
    found = eval(code, known)
    if numbers is not None:
        wanted = numbers(X.numpy(seq, emb))
        got = found.data if isinstance(found, nt.NamedTensor) else found
        got = got.detach().numpy() if isinstance(got, torch.Tensor) else np.asarray(got)
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


WHY = "torch takes positional tensors here, and is given a named one"
CASES = [
    case(
        "a gradient by torch.func of a function that gives a named tensor",
        lambda: torch.func.grad(lambda T: nt.sum[...](T**2))(T),
        nt.BackendError,
        f"""
torch.func.grad(lambda T: nt.sum[...](T**2))(T): {WHY}
  f(X) : () a single number
  X    : seq[2] emb[3]
hint: `nt.grad(f)(X)` takes named tensors; what torch.func is given has none: `lambda x: f(x).torch()`
""",
    ),
    case(
        "a Jacobian by torch.autograd of a named tensor",
        lambda: torch.autograd.functional.jacobian(lambda T: T**2, T),
        nt.BackendError,
        f"""
torch.autograd.functional.jacobian(lambda T: T**2, T): {WHY}
{SHAPE}hint: `nt.derivative(f)(X)` takes named tensors
""",
    ),
    case(
        "a comparison by torch.testing",
        lambda: torch.testing.assert_close(T, T),
        nt.BackendError,
        f"""
torch.testing.assert_close(T, T): {WHY}
{SHAPE}  Y : seq[2] emb[3]
hint: `nt.testing.assert_close(X, Y)` compares by name
""",
    ),
    case(
        "an optimiser of a named tensor",
        lambda: torch.optim.SGD([T], lr=0.1),
        nt.BackendError,
        f"""
torch.optim.SGD([T], lr=0.1): {WHY}
{SHAPE}hint: `X.data` is the tensor that torch holds; the parameters of a formula are those of its module
""",
    ),
    case(
        "a norm of the gradients of named tensors",
        lambda: torch.nn.utils.clip_grad_norm_([T], 1.0),
        nt.BackendError,
        f"""
torch.nn.utils.clip_grad_norm_([T], 1.0): {WHY}
{SHAPE}hint: `X.data` is the tensor that torch holds
""",
    ),
    case(
        "named tensors in a functional call",
        lambda: torch.func.functional_call(torch.nn.Linear(3, 3), {"weight": T}, (T,)),
        nt.BackendError,
        f"""
torch.func.functional_call(torch.nn.Linear(3, 3), {{"weight": T}}, (T,)): {WHY}
{SHAPE}hint: `X.torch(seq, emb)`
""",
    ),
    case(
        "sizes that are asked by name",
        lambda: X.sizes["sq"],
        nt.AxisNameError,
        f"""
X.sizes['sq']: sizes are pairs of a name and a number, and the tensor tells that of an axis
{SHAPE}hint: X.size(seq)
""",
    ),
    case(
        "tensors in square brackets",
        lambda: nt.sum[seq][X],
        nt.KindError,
        f"""
sum[seq][X]: sum[seq] has its axes, and takes tensors in round brackets
{SHAPE}hint: `nt.sum[seq](X)`
""",
    ),
    case(
        "axes in two pairs of brackets",
        lambda: nt.mean[seq][emb](X),
        nt.KindError,
        """
mean[seq][emb]: mean[seq] has its axes, and takes tensors in round brackets
hint: `nt.mean[seq, emb](X)`
""",
    ),
    case(
        "axes between the parentheses, and no tensor",
        lambda: nt.softmax(seq)(X),
        nt.AxisMissingError,
        """
softmax(seq): its axes stand in square brackets, and the tensor is missing
hint: nt.softmax[seq](X)
""",
    ),
    case(
        "a layer of torch",
        lambda: nt.nn.Linear(4, 5),
        nt.HabitError,
        """
nt.nn.Linear: namedtensor.nn has no Linear: a layer is a formula
hint: write it, as the tutorial does, or hold a module of torch as a parameter, net: \
nt.lift["seq emb -> seq hid"], and give it: f.module(net=torch.nn.Linear(...))
""",
    ),
    case(
        "a text for a truth value",
        lambda: T.requires_grad_("yes"),
        nt.KindError,
        """
X.requires_grad_('yes'): requires is True or False, and a str is given
hint: requires=True or requires=False
""",
    ),
    case(
        "a function of numpy that is lifted and given torch's data",
        lambda: nt.lift(np.sum, "emb ->")(T),
        nt.BackendError,
        """
lift(sum, 'emb ->')(A): sum refuses it: sum() got an unexpected keyword argument 'axis'
  A : seq[2] emb[3]
hint: sum is given emb, in this order; other axes pass through
""",
    ),
    case(
        "a parameter by another name",
        lambda: lin(X, W=nt.ones("emb[3] hid[2]"), bias=nt.ones("hid[2]")),
        nt.NamedTensorError,
        f"""
lin(...): it has no argument bias
{SHAPE}hint: lin(X: R[emb]; W: R[emb, hid], b: R[hid]) -> R[hid]
""",
    ),
    case(
        "a list as an operand",
        lambda: X * [1, 2],
        nt.BackendError,
        f"""
X * A: A is a list, neither a named tensor nor a number
{SHAPE}hint: name its axes: nt.tensor(A, "ax")
""",
    ),
    case(
        "a tensor in a data set of torch",
        lambda: torch.utils.data.TensorDataset(T),
        nt.AxisNameError,
        f"""
X.size(0): axes are named, not counted
{SHAPE}hint: it is torch's own code that asks, and takes positional data: `X.torch(seq, emb)`
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


def test_sizes_are_a_tuple_of_pairs():
    assert X.sizes == (("seq", 2), ("emb", 3))
    assert X.sizes[0] == ("seq", 2)
    assert dict(X.sizes) == {"seq": 2, "emb": 3}
    assert isinstance(X.sizes[:1], tuple)


def test_a_module_of_our_package_is_found_as_ever():
    from namedtensor.nn import groups

    assert groups is nt.nn.groups
    assert not hasattr(nt.nn, "Linear")


def test_only_those_functions_of_torch_are_answered_that_refuse_a_tensor():
    assert repr(nt.NamedTensor) == "<class 'namedtensor.tensor.named.NamedTensor'>"
    assert not hasattr(X, "__qualname__")
    assert f"{T}".startswith("NamedTensor(")
    assert T.grad is None
    with pytest.raises(nt.BackendError):
        torch.typename(T)
