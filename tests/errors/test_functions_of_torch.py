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

TYPED = {
    "linear": (lambda: F.linear(X, W), (X, W)),
    "a layer": (lambda: torch.nn.Linear(3, 4)(X), (X,)),
    "matmul": (lambda: torch.matmul(X, W), (X, W)),
    "einsum": (lambda: torch.einsum("se,he->sh", X, W), (X, W)),
    "layer_norm": (lambda: F.layer_norm(X, (3,)), (X,)),
    "a norm": (lambda: torch.nn.LayerNorm(3)(X), (X,)),
    "rms_norm": (lambda: F.rms_norm(X, (3,)), (X,)),
    "cross_entropy": (lambda: F.cross_entropy(X, I), (X, I)),
    "cross_entropy of plain targets": (lambda: F.cross_entropy(X, target), (X,)),
    "nll_loss": (lambda: F.nll_loss(X, I), (X, I)),
    "embedding": (lambda: F.embedding(I, E), (I, E)),
    "a table": (lambda: torch.nn.Embedding(4, 3)(I), (I,)),
    "mse_loss": (lambda: F.mse_loss(X, S), (X, S)),
    "l1_loss": (lambda: F.l1_loss(X, S), (X, S)),
    "relu": (lambda: F.relu(X), (X,)),
    "gelu": (lambda: torch.nn.GELU()(X), (X,)),
    "softmax": (lambda: torch.softmax(X, -1), (X,)),
    "log_softmax": (lambda: F.log_softmax(X, -1), (X,)),
    "dropout": (lambda: F.dropout(X), (X,)),
    "cat": (lambda: torch.cat([X, S]), (X, S)),
    "stack": (lambda: torch.stack([X, S]), (X, S)),
    "sum": (lambda: torch.sum(X), (X,)),
    "argmax": (lambda: torch.argmax(X), (X,)),
    "amax": (lambda: torch.amax(X, 0), (X,)),
    "add": (lambda: torch.add(X, S), (X, S)),
    "maximum": (lambda: torch.maximum(X, S), (X, S)),
    "max_pool1d": (lambda: F.max_pool1d(nt.ones("seq[2] emb[4]", backend="torch"), 2), None),
    "normalize": (lambda: F.normalize(X), (X,)),
    "one_hot": (lambda: F.one_hot(I), (I,)),
    "numpy's matmul": (lambda: np.matmul(X, W), (X, W)),
    "numpy's sum": (lambda: np.sum(X), (X,)),
    "numpy's concatenate": (lambda: np.concatenate([X, S]), (X, S)),
}


@pytest.mark.parametrize("name", TYPED)
def test_the_hint_works_when_it_is_typed(name):
    call, operands = TYPED[name]
    with pytest.raises(nt.BackendError) as caught:
        call()
    hint = str(caught.value).rpartition("hint: ")[2]
    if operands is None:
        operands = (nt.ones("seq[2] emb[4]", backend="torch"),)
    scope = {"nt": nt, "weight": weight, "target": target}
    scope |= {str(axis): axis for axis in (seq, emb, hid, vocab, key)}
    scope |= dict(zip("XYZ", operands, strict=False))
    assert isinstance(eval(hint, scope), nt.NamedTensor)


OTHERS = """einsum matmul linear arange linspace randn rand gather topk outer allclose cat concatenate vstack
 transpose reshape squeeze unsqueeze expand layer_norm rms_norm clamp amax bmm cross_entropy mse_loss
 ones_like zeros_like take_along_axis""".split()


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


def test_a_name_of_nobody_has_no_hint():
    for name in ("tensr", "_private", "tril"):
        with pytest.raises(AttributeError) as caught:
            getattr(nt, name)
        assert str(caught.value) == f"module 'namedtensor' has no attribute {name!r}"


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
  Y : hid[4] emb[3]
hint: X @ emb @ Y
""".strip(),
    )
    check(
        lambda: torch.nn.Linear(3, 4)(X),
        nt.BackendError,
        """
torch.linear(...): torch would have to guess the order of the axes
  X : seq[2] emb[3]
hint: X @ emb @ nt.tensor(weight, "hid emb")
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
