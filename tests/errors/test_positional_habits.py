"""What numpy and torch users type by habit is answered with what to type here."""

import copy
import pickle
import re
import sys

import numpy as np
import pytest
import torch

import namedtensor as nt
from namedtensor import R, axes, formula
from tests.errors.check import case, check

seq, emb = axes("seq emb")
X = nt.tensor(np.ones((2, 3)), seq, emb)
SHAPE = "  X : seq[2] emb[3]\n"
HABITS = {
    "T": (
        "axes have no order, so that nothing is transposed",
        "leave it out, `X`; an array in an order is `X.numpy(emb, seq)`, and another name for an axis "
        '`X["emb -> emb\'"]`',
    ),
    "transpose": (
        "axes have no order, so that nothing is transposed",
        "leave it out, `X`; an array in an order is `X.numpy(emb, seq)`, and another name for an axis "
        '`X["emb -> emb\'"]`',
    ),
    "reshape": (
        "axes are merged and split by name",
        'X["(seq, emb) -> layer"]',
    ),
    "sum": (
        "functions name the axes they act on",
        "`nt.sum[seq](X)`, `nt.sum[emb](X)` or `nt.sum[...](X)`",
    ),
    "mean": (
        "functions name the axes they act on",
        "`nt.mean[seq](X)`, `nt.mean[emb](X)` or `nt.mean[...](X)`",
    ),
    "softmax": (
        "functions name the axes they act on",
        "`nt.softmax[seq](X)`, `nt.softmax[emb](X)` or `nt.softmax[...](X)`",
    ),
    "exp": ("operations are functions", "`nt.exp(X)`"),
    "unsqueeze": (
        "an axis that a tensor lacks needs no place: operations lift over it",
        "X + Y",
    ),
    "squeeze": ("an axis of size 1 is dropped by its index", "X[seq(0)]"),
    "ndim": ("axes are named, not counted", "len(X.axes)"),
    "clone": (
        "no operation changes a named tensor, so that nobody needs a copy",
        "leave it out, `X`",
    ),
    "contiguous": ("how numbers are stored is no part of a named tensor", "leave it out, `X`"),
    "dims": ("axes are a tensor's own", "X.axes"),
    "bool": ("a dtype is given by name", 'X.to("bool")'),
    "tolist": ("axes have no order until you give one", "X.numpy(seq, emb).tolist()"),
}


def local():
    @formula
    def inside(X: R[seq]) -> R[seq]:
        return X

    return inside


def replaced(X: R[seq]) -> R[seq]:
    return X


CASES = [
    case(
        "a shape indexed by place",
        lambda: X.shape[0],
        nt.AxisNameError,
        """
shape[0]: a shape is a set of axes, and none is the first
  shape : seq[2] emb[3]
hint: X.size(seq)
""",
    ),
    case(
        "a shape indexed by an axis",
        lambda: X.shape["emb"],
        nt.AxisNameError,
        """
shape['emb']: the size of an axis is asked of the tensor
  shape : seq[2] emb[3]
hint: X.size(emb)
""",
    ),
    case(
        "a pickle of a formula inside a function",
        lambda: pickle.dumps(local()),
        nt.NamedTensorError,
        """
pickle(inside): inside is defined inside a function, where no other program finds it
hint: define it at the top of a module
""",
    ),
    case(
        "a pickle of a formula under another's name",
        lambda: pickle.dumps(formula(replaced)),
        nt.NamedTensorError,
        """
pickle(replaced): tests.errors.test_positional_habits has another replaced
hint: define it at the top of a module, under its own name
""",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), CASES)
def test_the_error_is_explained(call, error, text):
    check(call, error, text)


@pytest.mark.parametrize("word", HABITS)
def test_a_positional_habit_is_answered(word):
    why, hint = HABITS[word]
    with pytest.raises(nt.NamedTensorError) as caught:
        getattr(X, word)
    assert str(caught.value) == f"X.{word}: {why}\n{SHAPE}hint: {hint}"
    assert isinstance(caught.value, AttributeError)
    assert not hasattr(X, word)


@pytest.mark.parametrize("word", HABITS)
def test_a_hint_runs_as_it_stands(word):
    scope = {"nt": nt, "X": X, "Y": nt.tensor(np.ones(4), "other"), "seq": seq, "emb": emb}
    for code in re.findall("`([^`]+)`", HABITS[word][1]) or HABITS[word][1].split(", or "):
        eval(code, scope)


def test_a_name_that_nobody_knows_is_told_the_nearest():
    with pytest.raises(AttributeError) as caught:
        X.shap
    assert (
        str(caught.value)
        == f"X.shap: a named tensor has no shap\n{SHAPE}hint: did you mean X.shape?"
    )
    with pytest.raises(AttributeError) as caught:
        X.frobnicate
    assert str(caught.value) == (
        f"X.frobnicate: a named tensor has no frobnicate\n{SHAPE}"
        "hint: operations are functions: dir(nt) lists them"
    )


def test_protocols_still_find_nothing():
    for word in (
        "__array_interface__",
        "__len_hint__",
        "_repr_png_",
        "__torch_dispatch__",
    ):
        with pytest.raises(AttributeError):
            getattr(X, word)
    assert copy.deepcopy(X).shape == X.shape
    assert pickle.loads(pickle.dumps(X)).shape == X.shape


def test_a_symbol_is_asked_the_same():
    @formula
    def f(X: R[seq, emb]) -> R[seq, emb]:
        return X.T

    with pytest.raises(nt.NamedTensorError) as caught:
        f(X)
    assert "X.T: axes have no order, so that nothing is transposed" in str(caught.value)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda half: half + 1,
        lambda half: 1 + half,
        lambda half: half * X,
        lambda half: X - half,
        lambda half: -half,
        lambda half: half[seq(0)],
        lambda half: half > 0,
        lambda half: nt.exp(half),
        lambda half: half.shape,
        lambda half: abs(half),
    ],
)
def test_half_a_contraction_is_no_tensor(spoil):
    with pytest.raises(nt.NamedTensorError) as caught:
        spoil(X @ emb)
    assert "(X @ emb) waits for its right operand" in str(caught.value)
    assert "  X : seq[2] emb[3]" in str(caught.value)
    assert "hint: end it with a tensor that has emb: X @ emb @ Y" in str(caught.value)


def test_torch_that_is_not_installed_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(nt.BackendError) as caught:
        X.to("torch")
    assert str(caught.value) == (
        'X.to("torch"): torch is not installed\n'
        "  X : seq[2] emb[3]\n"
        "hint: pip install 'namedtensor-notation[torch]'"
    )
    with pytest.raises(nt.BackendError):
        X.torch(seq, emb)


def test_torch_data_has_the_same_answers():
    with pytest.raises(nt.NamedTensorError) as caught:
        nt.tensor(torch.ones(2), seq).view
    assert "axes are merged and split by name" in str(caught.value)


def test_axes_among_the_arguments_are_put_into_the_brackets():
    calls = {
        "X, 'emb'": lambda: nt.sum(X, "emb"),
        "X, emb": lambda: nt.sum(X, emb),
        "X, dim='emb'": lambda: nt.sum(X, dim="emb"),
        "X, axis=-1": lambda: nt.sum(X, axis=-1),
    }
    for typed, call in calls.items():
        check(
            call,
            nt.AxisMissingError,
            f"sum({typed}): the axes it acts on are not named\n{SHAPE}hint: nt.sum[emb](X)",
        )


def test_a_mask_in_the_brackets_is_put_at_its_axis():
    keep = nt.tensor([True, False, True], emb)
    check(
        lambda: X[keep],
        nt.AxisNameError,
        f"X[keep]: an index names its axis\n{SHAPE}hint: `X[emb[keep]]`",
    )
    assert X[emb[keep]].shape == nt.Shape("seq[2] emb[2]")


def test_as_many_axes_are_named_as_the_function_acts_on():
    for name, over in {
        "sum": "seq",
        "det": "seq, emb",
        "trace": "seq, emb",
        "cumsum": "seq",
    }.items():
        check(
            lambda name=name: getattr(nt, name)(X),
            nt.AxisMissingError,
            f"{name}(X): the axes it acts on are not named\n{SHAPE}hint: nt.{name}[{over}](X)",
        )
    check(
        lambda: nt.maxk(X),
        nt.AxisMissingError,
        f'maxk(X): the axes it acts on are not named\n{SHAPE}hint: nt.maxk["seq k[2]"](X)',
    )


@pytest.mark.parametrize(
    ("asks", "said"),
    [
        (lambda X, Y: 0 < X < 1, "(0 < X) & (X < 1)"),
        (lambda X, Y: 1 if X > Y else 0, "X > Y"),
        (lambda X, Y: not X < Y, "X < Y"),
        (lambda X, Y: bool(X <= 1), "X <= 1"),
    ],
)
def test_a_comparison_that_is_asked_for_its_truth_is_named_in_the_hint(asks, said):
    X, Y = nt.tensor(np.array([0.0, 2.0]), seq), nt.ones("seq[2]")
    with pytest.raises(nt.AxisSizeError) as caught:
        asks(X, Y)
    assert caught.value.hint == f"`nt.all[...]({said})` or `nt.any[...]({said})`"
    assert isinstance(eval(f"nt.all[...]({said})", {"nt": nt, "X": X, "Y": Y}), nt.NamedTensor)
