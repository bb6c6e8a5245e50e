"""What Python, numpy and torch ask of a value: copies, pickles, dataclasses, trees of values."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
import torch
from torch.utils import _pytree as pytree

import namedtensor as nt
from namedtensor import R, axes, formula
from namedtensor.testing import assert_close, assert_same

seq, emb, hid = axes("seq emb hid")


@pytest.fixture(params=["numpy", "torch"])
def X(request):
    return nt.tensor(np.arange(6.0).reshape(2, 3), seq, emb).to(request.param)


@formula
def project(X: R[emb], *, W: R[emb, hid]) -> R[hid]:
    return W @ emb @ X


# --------------------------------------------------------------------------------- plain Python


def test_hasattr_answers_for_every_name(X):
    assert hasattr(X, "shape")
    for name in (
        "__fspath__",
        "_repr_png_",
        "__len_hint__",
        "seq",
        "nothing",
        "__torch_dispatch__",
    ):
        assert not hasattr(X, name)


def test_a_copy_shares_data_and_a_deep_copy_does_not(X):
    shared, own = copy.copy(X), copy.deepcopy(X)
    assert shared.data is X.data
    assert own.data is not X.data
    assert_same(shared, X)
    assert_same(own, X)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_tensor_survives_a_pickle(X, protocol):
    again = pickle.loads(pickle.dumps(X, protocol))
    assert again.axes == X.axes
    assert_same(again, X)


@pytest.mark.parametrize(
    "value",
    [seq, seq.prime, emb[512], seq(3), seq[2:5], nt.Shape("seq[3] emb"), nt.R[seq, emb], nt.inf],
)
def test_axes_shapes_and_spaces_survive_pickles_and_copies(value):
    for again in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
        assert repr(again) == repr(value)


def test_an_index_defined_tensor_survives_pickles_and_copies():
    mask = nt.define[seq[3], emb[3]](lambda i, j: nt.where(j <= i, 0.0, -nt.inf))
    for again in (pickle.loads(pickle.dumps(mask)), copy.deepcopy(mask), copy.copy(mask)):
        assert_same(again, mask)


def test_a_formula_survives_a_pickle_and_a_copy():
    assert pickle.loads(pickle.dumps(project)) is project
    assert copy.deepcopy(project) is project


def test_an_error_survives_a_pickle(X):
    with pytest.raises(nt.AxisMissingError) as caught:
        X @ hid @ X
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is nt.AxisMissingError
    assert str(again) == str(caught.value)


def test_a_tensor_is_a_field_of_a_dataclass(X):
    @dataclasses.dataclass(frozen=True)
    class State:
        X: nt.NamedTensor
        step: int = 0

    state = dataclasses.replace(State(X), step=1)
    assert state.X is X
    assert dataclasses.asdict(state)["step"] == 1
    assert_same(dataclasses.asdict(state)["X"], X)


def test_a_tensor_is_a_key_by_identity(X):
    assert {X: 1}[X] == 1
    assert copy.copy(X) not in {X: 1}


def test_a_tensor_without_axes_is_a_number():
    for library in ("numpy", "torch"):
        x = nt.tensor(np.array(2)).to(library)
        assert (int(x), float(x), bool(x), x.item(), [10, 20, 30][x]) == (2, 2.0, True, 2, 30)


def test_axes_and_shapes_fill_columns_as_words_do(X):
    assert f"{seq:>6}|{X.shape:17}|{seq}" == "   seq|seq[2] x emb[3]  |seq"


def test_truth_length_and_iteration_of_a_tensor_are_refused(X):
    for question in (bool, len, list, int, float):
        with pytest.raises(nt.NamedTensorError):
            question(X)


def test_assignment_is_refused_and_says_how_to_update(X):
    with pytest.raises(nt.AxisNameError) as caught:
        X[seq(0)] = 1.0
    assert caught.value.hint == "X = X.at[seq(0)].set(1.0)"


# ----------------------------------------------------------------------------------------- numpy


@pytest.mark.parametrize(
    "function",
    [
        np.asarray,
        np.array,
        np.sum,
        np.exp,
        np.linalg.norm,
        np.transpose,
        lambda X: np.stack([X, X]),
    ],
)
def test_numpy_functions_ask_for_an_order(X, function):
    with pytest.raises(nt.BackendError):
        function(X)


@pytest.mark.parametrize(
    "operator",
    [
        lambda a, b: a + b,
        lambda a, b: a * b,
        lambda a, b: a - b,
        lambda a, b: a / b,
        lambda a, b: a @ b,
        lambda a, b: a == b,
        lambda a, b: a < b,
    ],
)
def test_bare_arrays_beside_named_tensors_are_refused_on_both_sides(X, operator):
    for array in (np.ones((2, 3)), torch.ones(2, 3)):
        with pytest.raises(nt.NamedTensorError):
            operator(array, X)
        with pytest.raises(nt.NamedTensorError):
            operator(X, array)


@pytest.mark.parametrize(
    "number", [np.float64(2), np.float32(2), np.int64(2), np.bool_(True), np.array(2.0)[()]]
)
def test_single_numbers_of_numpy_are_numbers_on_both_sides(X, number):
    plain = number.item()
    assert_close(number * X, plain * X)
    assert_close(X * number, X * plain)
    assert_close(number - X, plain - X)
    assert_same(number < X, plain < X)
    assert_same(number == X, plain == X)
    assert_same(number <= X, plain <= X)


# ----------------------------------------------------------------------------------------- torch


@pytest.fixture
def T():
    return nt.tensor(torch.arange(6.0, dtype=torch.float64).reshape(2, 3), seq, emb)


@pytest.mark.parametrize(
    "function",
    [torch.sum, torch.exp, torch.softmax, torch.nn.functional.relu, lambda X: torch.matmul(X, X)],
)
def test_torch_functions_ask_for_an_order(T, function):
    with pytest.raises(nt.BackendError):
        function(T, dim=0) if function is torch.softmax else function(T)


def test_a_tree_of_tensors_is_mapped(T):
    tree = {"X": T, "list": [T, 3.0]}
    doubled = pytree.tree_map(lambda x: x * 2, tree)
    assert_same(doubled["X"], 2 * T)
    assert_same(doubled["list"][0], 2 * T)
    assert doubled["list"][1] == 6.0
    leaves, structure = pytree.tree_flatten(tree)
    assert leaves[0] is T.data
    assert_same(pytree.tree_unflatten(leaves, structure)["X"], T)


def test_torch_func_grad_maps_over_named_tensors(T):
    gradient = torch.func.grad(lambda X: nt.sum[...](X**3).data)(T)
    assert_close(gradient, 3 * T**2)


def test_torch_func_grad_maps_over_a_tree_of_parameters(T):
    parameters = {"W": nt.ones("emb[3] hid[2]", dtype=torch.float64), "X": T}

    def loss(p):
        return nt.sum[...](project(p["X"], W=p["W"])).data

    gradients = torch.func.grad(loss)(parameters)
    assert_close(gradients["W"], nt.sum[seq](T) * nt.ones("hid[2]", dtype=torch.float64))
    assert gradients["X"].shape == T.shape


def test_torch_func_jvp_pushes_named_tensors_forward(T):
    value, change = torch.func.jvp(
        lambda X: X * X, (T,), (nt.tensor(torch.ones_like(T.data), seq, emb),)
    )
    assert_close(value, T * T)
    assert_close(change, 2 * T)


def test_torch_func_jacrev_of_named_tensors_has_a_named_result(T):
    by_row = torch.func.jacrev(lambda x: nt.sum[emb](nt.tensor(x, seq, emb) ** 2).data)(T.data)
    assert torch.allclose(
        by_row, nt.derivative(lambda X: nt.sum[emb](X**2))(T).torch("seq seq* emb*")
    )


def test_functional_call_runs_a_module_with_other_parameters(T):
    module = project.module(emb[3], hid[2], dtype=torch.float64)
    found = torch.func.functional_call(module, {"W": torch.ones(3, 2, dtype=torch.float64)}, (T,))
    assert_close(found, project(T, W=nt.ones("emb[3] hid[2]", dtype=torch.float64)))


def test_gradients_by_functional_call_are_those_of_backward(T):
    module = project.module(emb[3], hid[2], dtype=torch.float64)

    def loss(parameters):
        return nt.sum[...](torch.func.functional_call(module, parameters, (T,)) ** 2).data

    gradients = torch.func.grad(loss)(dict(module.named_parameters()))
    nt.sum[...](module(T) ** 2).backward()
    assert torch.allclose(gradients["W"], module.W.grad)


def test_a_tensor_survives_torch_save(T, tmp_path):
    torch.save({"X": T}, tmp_path / "state.pt")
    assert_same(torch.load(tmp_path / "state.pt", weights_only=False)["X"], T)


def test_checkpointing_recomputes_a_formula(T):
    from torch.utils.checkpoint import checkpoint

    W = nt.ones("emb[3] hid[2]", dtype=torch.float64).requires_grad_()
    loss = checkpoint(
        lambda w: nt.sum[...](project(T, W=nt.tensor(w, emb, hid))).data,
        W.data,
        use_reentrant=False,
    )
    loss.backward()
    assert_close(W.grad, nt.sum[seq](T) * nt.ones("hid[2]", dtype=torch.float64))
