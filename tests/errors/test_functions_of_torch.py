"""Functions of torch and numpy on named tensors: the hint names what exists, and it works when typed."""

import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.overrides import get_overridable_functions

import namedtensor as nt
from namedtensor.tensor.habits import in_our_words
from tests.errors.check import check

seq, emb, hid, vocab, key = nt.axes("seq emb hid vocab key")
X = nt.tensor(torch.randn(2, 3), "seq emb")
W = nt.tensor(torch.randn(4, 3), "hid emb")
E = nt.tensor(torch.randn(5, 3), "vocab emb")
I = nt.tensor(torch.tensor([1, 0]), "seq")
S = nt.tensor(torch.randn(2, 3), "seq emb")
weight = torch.randn(4, 3)
target = torch.tensor([1, 0])
P = nt.ones("batch[2] chans[3] height[8] width[6]", backend="torch")
K = nt.ones("chans'[4] chans[3] kh[3] kw[3]", backend="torch")
Q, V = nt.ones("seq'[5] emb[3]", backend="torch"), nt.ones("seq[2] val[4]", backend="torch")
U = nt.sigmoid(X)
M, shift = X > 0, nt.ones("hid[4]", backend="torch")
batch, chans, height, width, kh, kw = nt.axes("batch chans height width kh kw")
linear, norm, table = torch.nn.Linear(3, 4), torch.nn.LayerNorm(3), torch.nn.Embedding(4, 3)
conv = torch.nn.Conv2d(3, 4, 3, stride=2, padding=1)
network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())

TYPED = {
    "linear": lambda: F.linear(X, W),
    "a layer": lambda: linear(X),
    "matmul": lambda: torch.matmul(X, W),
    "einsum": lambda: torch.einsum("se,he->sh", X, W),
    "layer_norm": lambda: F.layer_norm(X, (3,)),
    "a norm": lambda: norm(X),
    "rms_norm": lambda: F.rms_norm(X, (3,)),
    "cross_entropy": lambda: F.cross_entropy(X, I),
    "cross_entropy of plain targets": lambda: F.cross_entropy(X, target),
    "nll_loss": lambda: F.nll_loss(X, I),
    "embedding": lambda: F.embedding(I, E),
    "a table": lambda: table(I),
    "mse_loss": lambda: F.mse_loss(X, S),
    "l1_loss": lambda: F.l1_loss(X, S),
    "smooth_l1_loss": lambda: F.smooth_l1_loss(X, S),
    "huber_loss": lambda: F.huber_loss(X, S, reduction="sum"),
    "binary_cross_entropy": lambda: F.binary_cross_entropy(U, U),
    "remainder": lambda: torch.remainder(X, S),
    "floor_divide": lambda: torch.floor_divide(X, S),
    "fmod": lambda: torch.fmod(X, S),
    "frac": lambda: torch.frac(X),
    "relu": lambda: F.relu(X),
    "gelu": lambda: torch.nn.GELU()(X),
    "softmax": lambda: torch.softmax(X, -1),
    "log_softmax": lambda: F.log_softmax(X, -1),
    "dropout": lambda: F.dropout(X),
    "cat": lambda: torch.cat([X, S]),
    "stack": lambda: torch.stack([X, S]),
    "sum": lambda: torch.sum(X),
    "argmax": lambda: torch.argmax(X, 1),
    "amax": lambda: torch.amax(X, 0),
    "add": lambda: torch.add(X, S),
    "maximum": lambda: torch.maximum(X, S),
    "max_pool1d": lambda: F.max_pool1d(K["(kh, kw) -> new"], 3),
    "max_pool2d": lambda: F.max_pool2d(P, 2),
    "avg_pool2d": lambda: F.avg_pool2d(P, 3, stride=2, padding=1),
    "conv2d": lambda: F.conv2d(P, K, padding=1),
    "a convolution": lambda: conv(P),
    "interpolate": lambda: F.interpolate(P, scale_factor=2),
    "attention": lambda: F.scaled_dot_product_attention(Q, X, V),
    "a linear map with its shift": lambda: F.linear(X, W, shift),
    "a layer in Sequential": lambda: network(X),
    "where": lambda: torch.where(M, X, 0.0),
    "roll": lambda: torch.roll(X, 1, 0),
    "pad": lambda: F.pad(X, (1, 2)),
    "topk": lambda: torch.topk(X, 2),
    "quantile": lambda: torch.quantile(X, 0.5),
    "lerp": lambda: torch.lerp(X, S, 0.5),
    "clamp": lambda: torch.clamp(X, 0, 1),
    "max of two": lambda: torch.max(X, S),
    "batch_norm": lambda: F.batch_norm(P, None, None, training=True),
    "normalize": lambda: F.normalize(X),
    "one_hot": lambda: F.one_hot(I),
    "numpy's matmul": lambda: np.matmul(X, W),
    "numpy's sum": lambda: np.sum(X),
    "numpy's concatenate": lambda: np.concatenate([X, S]),
}


@pytest.mark.parametrize("name", TYPED)
def test_the_hint_works_when_it_is_typed(name):
    call = TYPED[name]
    with pytest.raises(nt.BackendError) as caught:
        call()
    hint = str(caught.value).rpartition("hint: ")[2]
    scope = {**globals(), "A": K["(kh, kw) -> new"], "new": nt.axes("new")}
    assert isinstance(eval(hint, scope), nt.NamedTensor)


@pytest.mark.parametrize(
    ("call", "scale"),
    [
        (lambda X, S: F.smooth_l1_loss(X, S), 4),
        (lambda X, S: F.huber_loss(X, S, reduction="sum"), 4),
        (lambda X, S: F.binary_cross_entropy(X, S), 1),
        (lambda X, S: torch.remainder(X, S), -3),
        (lambda X, S: torch.floor_divide(X, S), -3),
        (lambda X, S: torch.fmod(X, S), -3),
        (lambda X, S: torch.frac(X), -3),
    ],
)
def test_what_is_typed_gives_torch_s_numbers(call, scale):
    X, S = nt.tensor(scale * torch.rand(20), seq), nt.tensor(torch.rand(20), seq)
    with pytest.raises(nt.BackendError) as caught:
        call(X, S)
    found = eval(str(caught.value).rpartition("hint: ")[2], {**globals(), "X": X, "S": S})
    torch.testing.assert_close(found.torch(*found.axes), call(X.torch(seq), S.torch(seq)))


SAME = {
    "linear": (lambda: linear(X.torch(seq, emb)), "seq hid"),
    "norm": (lambda: norm(X.torch(seq, emb)), "seq emb"),
    "conv": (lambda: conv(P.torch(batch, chans, height, width)), "batch hid height width"),
    "network[0]": (lambda: network[0](X.torch(seq, emb)), "seq hid"),
    "F.layer_norm": (
        lambda: F.layer_norm(X.torch(seq, emb), (3,), weight[0], weight[1]),
        "seq emb",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_what_is_typed_for_a_layer_has_its_gain_and_its_shift(name):
    call, order = SAME[name]
    layer = eval(name)
    Y, Z = (nt.tensor(weight[i], emb) for i in (0, 1))
    with pytest.raises(nt.BackendError) as caught:
        layer(P) if name == "conv" else layer(X, *([(3,), Y, Z] if name.startswith("F.") else []))
    hint = str(caught.value).rpartition("hint: ")[2]
    found = eval(hint, {**globals(), "Y": Y, "Z": Z})
    torch.testing.assert_close(found.torch(order), call())


def test_a_class_of_modules_among_the_variables_is_no_module_that_holds_parameters():
    class Linear(torch.nn.Linear):
        pass

    layer = Linear(3, 2, bias=False)
    with pytest.raises(nt.BackendError) as caught:
        F.linear(X, layer.weight)
    assert str(caught.value).endswith('nt.tensor(layer.weight, "hid emb")')


def test_what_is_typed_for_one_hot_has_as_many_classes_as_torch_makes():
    for given, count in (((I,), 2), ((I, 7), 7)):
        with pytest.raises(nt.BackendError) as caught:
            F.one_hot(*given)
        found = eval(str(caught.value).rpartition("hint: ")[2])
        assert found.size("hid") == count
        assert found.torch("seq", "hid").tolist() == F.one_hot(target, count).tolist()


OTHERS = """einsum matmul linear arange linspace randn rand gather topk outer allclose cat concatenate vstack
 transpose reshape squeeze unsqueeze expand layer_norm rms_norm clamp amax bmm cross_entropy mse_loss
 ones_like zeros_like randn_like take_along_axis segment_sum scatter_max""".split()


@pytest.mark.parametrize("name", OTHERS)
def test_what_others_call_so_is_told_where_the_package_is_asked_for_it(name):
    assert not hasattr(nt, name)
    with pytest.raises(AttributeError) as caught:
        getattr(nt, name)
    hint = str(caught.value).rpartition("hint: ")[2]
    code = re.search("`(.+?)`", hint)
    scope = {"nt": nt, "seq": seq, "emb": emb, "X": X}
    scope["Y"] = nt.tensor(torch.tensor([[0, 1, 1], [1, 0, 1], [0, 0, 1]]), "emb hid")
    assert isinstance(eval(code[1] if code else hint, scope), nt.NamedTensor)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("tensr", "did you mean nt.tensor?"),
        ("sofmax", "did you mean nt.softmax?"),
        ("tril", "dir(nt) lists what there is"),
        ("hessian", "nt.derivative(nt.grad(f))(X)"),
        ("array", '`nt.tensor([[1.0, 2.0]], "seq emb")`'),
    ],
)
def test_a_name_that_the_package_lacks_is_answered_in_our_words(name, hint):
    check(
        lambda: getattr(nt, name),
        nt.HabitError,
        f"nt.{name}: namedtensor has no {name}\nhint: {hint}",
    )


def test_what_protocols_ask_the_package_for_is_answered_as_python_does():
    with pytest.raises(AttributeError) as caught:
        _ = nt._private
    assert type(caught.value) is AttributeError
    with pytest.raises(ImportError, match="cannot import name 'softmx'"):
        from namedtensor import softmx  # noqa: F401


def test_a_door_to_files_is_no_hint():
    check(
        lambda: np.save("X.npy", X),
        nt.BackendError,
        """
np.save(...): numpy's functions know no names
  X : seq[2] emb[3]
hint: X.numpy(seq, emb)
""".strip(),
    )


def test_a_linear_layer_is_a_contraction():
    check(
        lambda: F.linear(X, W),
        nt.BackendError,
        """
torch.linear(...): torch would have to guess the order of the axes
  X : seq[2] emb[3]
  W : hid[4] emb[3]
hint: X @ emb @ W
""".strip(),
    )
    check(
        lambda: linear(X),
        nt.BackendError,
        """
torch.linear(...): torch would have to guess the order of the axes
  X : seq[2] emb[3]
hint: X @ emb @ nt.tensor(linear.weight, "hid emb") + nt.tensor(linear.bias, "hid")
""".strip(),
    )


def test_a_function_is_named_where_torch_has_it():
    with pytest.raises(nt.BackendError, match=r"or nt.lift\(torch.nn.functional.linear, ...\)"):
        F.linear(X, nt.ones("left[2] right[3]", backend="torch"))
    with pytest.raises(nt.BackendError, match=r"or nt.lift\(torch.cdist, ...\)"):
        torch.cdist(X, X)


def names_in(hint):
    return re.findall(r"\bnt\.(\w+)", hint)


@pytest.mark.filterwarnings("ignore")
def test_every_name_in_every_hint_exists():
    words = {
        f.__name__
        for fs in get_overridable_functions().values()
        for f in fs
        if hasattr(f, "__name__")
    }
    words |= {name for module in (np, np.linalg, F) for name in dir(module)}
    assert {"linear", "softmax", "cross_entropy", "matmul"} <= words
    found = set()
    for word in sorted(words):
        for operands in ([], [X], [X, W], [X, S], [X, S, W], [I, E], [nt.tensor(1.0)]):
            hint = in_our_words(word, operands) or ""
            found |= {(word, name) for name in names_in(hint)}
    assert len(found) > 150
    assert [(word, name) for word, name in sorted(found) if not hasattr(nt, name)] == []


def test_a_name_that_does_not_exist_would_be_seen():
    assert [
        name for name in names_in("use nt.linear, or nt.dot[emb](X, Y)") if not hasattr(nt, name)
    ] == ["linear"]


SUM = nt.sum[...](X)


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.stack([SUM, SUM]),
        lambda: torch.sum(SUM, 0),
        lambda: torch.softmax(SUM, 0),
        lambda: torch.sort(SUM),
        lambda: torch.unbind(SUM),
        lambda: np.stack([SUM, SUM]),
    ],
)
def test_a_function_of_a_single_number_along_a_dimension_is_answered(call):
    with pytest.raises(nt.BackendError, match="SUM : \\(\\) a single number"):
        call()


def test_gradients_that_torch_gives_have_the_axes_of_what_they_are_of():
    x = torch.randn(2, 3, dtype=torch.float64, requires_grad=True)
    w = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    A = nt.tensor(x, seq, emb)
    Y = nt.tanh(A @ emb @ nt.tensor(w, emb, hid))
    (first,) = torch.autograd.grad(nt.sum[...](Y), A, create_graph=True)
    (other,) = torch.autograd.grad(torch.tanh(x @ w).sum(), x, create_graph=True)
    torch.testing.assert_close(first.torch(seq, emb), other)
    penalty = nt.mean[seq]((nt.norm[emb](first) - 1) ** 2)
    wanted = torch.autograd.grad(((other.norm(dim=1) - 1) ** 2).mean(), w)
    torch.testing.assert_close(torch.autograd.grad(penalty, w, retain_graph=True), wanted)
    start = nt.normal(hid[4], seq[2], backend="torch", dtype=torch.float64)
    found = torch.autograd.grad([Y], [A, w], start)
    wanted = torch.autograd.grad(torch.tanh(x @ w), [x, w], start.torch(seq, hid))
    torch.testing.assert_close((found[0].torch(seq, emb), found[1]), wanted)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda A: torch.autograd.grad(A, A), nt.AxisSizeError, "reduce first: nt.sum"),
        (lambda A: torch.autograd.grad(SUM.to("numpy"), A), nt.BackendError, "gradients are torch"),
        (lambda A: torch.autograd.grad(nt.sum[...](A), X), nt.BackendError, "X.requires_grad_()"),
        (
            lambda A: torch.autograd.grad(A, A, SUM),
            nt.AxisNameError,
            "no tensor of outputs's shape",
        ),
    ],
)
def test_gradients_that_torch_does_not_give_are_answered(call, error, text):
    A = nt.ones(seq[2], emb[3], backend="torch").requires_grad_()
    with pytest.raises(error) as caught:
        call(A)
    assert text in str(caught.value)
