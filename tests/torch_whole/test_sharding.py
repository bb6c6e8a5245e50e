"""The table of axes that are split is checked; that split models train is tested in two processes."""

import pytest
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard

import namedtensor as nt
from namedtensor.sharding import gather, shard
from tests.torch_whole.model import SIZES, Model, batch
from transformer_named.named_tensors import FFN, emb, hid, seq


@pytest.fixture
def mesh(monkeypatch):
    """One process that stands for a mesh of two dimensions."""
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield init_device_mesh("cpu", (1, 1), mesh_dim_names=("data", "model"))
    dist.destroy_process_group()


@pytest.fixture
def X():
    return nt.normal("batch[2] seq[5] emb[8]", backend="torch")


def refused(kind, call):
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


def test_a_tensor_is_split_along_its_axes_by_name(mesh, X):
    split = shard(X, mesh, {batch: "data", "emb": "model"})
    assert split.data.placements == (Shard(0), Shard(2))
    assert split.shape == X.shape
    nt.testing.assert_same(gather(split), X)
    nt.testing.assert_same(gather(X), X)


def test_each_parameter_is_split_where_it_has_the_axis(mesh):
    module = shard(FFN.module(*SIZES[:2]), mesh, {hid: "model"})
    placements = {name: p.placements for name, p in module.named_parameters()}
    assert placements == {
        "W1": (Replicate(), Shard(1)),
        "b1": (Replicate(), Shard(0)),
        "W2": (Replicate(), Shard(0)),
        "b2": (Replicate(), Replicate()),
    }


def test_a_split_formula_gives_what_the_whole_one_does(mesh, X):
    module = FFN.module(*SIZES[:2])
    expected = module(X)
    found = shard(module, mesh, {hid: "model"})(shard(X, mesh, {batch: "data"}))
    nt.testing.assert_close(gather(found), expected, rtol=1e-5, atol=1e-6)


def test_tied_weights_stay_tied(mesh):
    model = Model()
    model.scores.W = model.embedding.E
    shard(model, mesh, {emb: "model"})
    assert model.scores.W is model.embedding.E


def test_what_is_frozen_stays_frozen(mesh):
    module = FFN.module(*SIZES[:2]).requires_grad_(False)
    assert not any(p.requires_grad for p in shard(module, mesh, {hid: "model"}).parameters())


def test_a_dimension_that_the_mesh_lacks_is_refused(mesh, X):
    assert refused(nt.AxisNameError, lambda: shard(X, mesh, {batch: "rows"})) == (
        "shard(..., {batch: rows}): the mesh has no dimension rows\n"
        "hint: its dimensions are data, model"
    )


def test_a_mesh_without_names_is_refused(mesh, X):
    nameless = init_device_mesh("cpu", (1,))
    assert refused(nt.AxisNameError, lambda: shard(X, nameless, {batch: "data"})) == (
        "shard(..., {batch: data}): the mesh has no dimension data\n"
        "hint: name them: init_device_mesh(..., mesh_dim_names=...)"
    )
    assert shard(X, nameless, {}).data.placements == (Replicate(),)


def test_an_axis_that_nothing_has_is_refused(mesh, X):
    assert refused(nt.AxisMissingError, lambda: shard(X, mesh, {"bacth": "data"})) == (
        "shard(X, ...): nothing here has an axis bacth\n"
        "  X : batch[2] seq[5] emb[8]\n"
        "hint: did you mean batch?"
    )
    module = FFN.module(*SIZES[:2])
    assert refused(nt.AxisMissingError, lambda: shard(module, mesh, {seq: "model"})) == (
        "shard(module, ...): nothing here has an axis seq\n"
        "  FFN.W1 : emb[8] hid[16]\n"
        "  FFN.b1 : hid[16]\n"
        "  FFN.W2 : hid[16] emb[8]\n"
        "  FFN.b2 : emb[8]\n"
        "hint: leave it out of the table"
    )


def test_two_axes_of_one_tensor_cannot_be_split_by_one_dimension(mesh):
    module = FFN.module(*SIZES[:2])
    table = {emb: "model", hid: "model"}
    assert refused(nt.AxisClashError, lambda: shard(module, mesh, table)) == (
        "shard(..., model): emb and hid of W1 are both split by model\n"
        "  W1 : emb[8] hid[16]\n"
        "hint: leave one of them out of the table, and it is whole on every model"
    )
    assert not any(isinstance(p.data, dist.tensor.DTensor) for p in module.parameters())


def test_what_has_no_names_is_refused(mesh):
    assert refused(nt.BackendError, lambda: shard(torch.ones(2), mesh, {})) == (
        "shard(...): this is a Tensor, and named tensors and modules are split\n"
        'hint: name its axes: nt.tensor(x, "ax")'
    )
    X = nt.ones(seq[5], backend="numpy")
    assert refused(nt.BackendError, lambda: shard(X, mesh, {})) == (
        'shard(X, ...): X holds numpy data\n  X : seq[5]\nhint: split torch data: X.to("torch")'
    )


@pytest.fixture
def four():
    """A mesh of four processes, of which three are thought of: nothing is sent."""
    fake = pytest.importorskip("torch.testing._internal.distributed.fake_pg")
    dist.init_process_group("fake", store=fake.FakeStore(), rank=0, world_size=4)
    yield init_device_mesh("cpu", (4,), mesh_dim_names=("model",))
    dist.destroy_process_group()
    if "__dataclass_fields__" in vars(nt.NamedTensor):
        del nt.NamedTensor.__dataclass_fields__


def test_a_size_that_the_processes_cannot_share_evenly_is_named(four):
    W = shard(nt.normal("both[18] emb[3]", backend="torch"), four, {"both": "model"})
    assert refused(nt.AxisSizeError, lambda: W["both -> (head[6] key)"]) == (
        "W[both >> (head[6], key)]: axis both is 18 in W, and 4 processes share it unevenly\n"
        "  W : both[18] emb[3]\n"
        "hint: split an axis whose size 4 divides, or take the whole: gather(W)"
    )
    V = shard(nt.normal("both[12] emb[3]", backend="torch"), four, {"both": "model"})
    assert refused(nt.AxisSizeError, lambda: V["both -> (head[6] key)"]).startswith(
        "V[both >> (head[6], key)]: the processes would share an axis of the result unevenly: "
    )
    assert V["both -> (head[4] key)"].size("key") == 3


def test_a_tensor_that_is_not_split_is_named_where_it_meets_one_that_is(four):
    W = shard(nt.normal("hid[8] emb[3]", backend="torch"), four, {"hid": "model"})
    X = nt.normal("seq[2] emb[3]", backend="torch")
    assert refused(nt.BackendError, lambda: X @ emb @ W) == (
        "dot[emb](X, W): W is split over processes, and X is not\n"
        "  X : seq[2] emb[3]\n"
        "  W : hid[8] emb[3]\n"
        "hint: shard(X, mesh, {}) has it whole on each of them; a table names the axes to split"
    )
    assert (shard(X, four, {}) @ emb @ W).size("hid") == 8
