"""What loading and saving hold: dtypes, devices, ties, and what is left over."""

import copy

import numpy as np
import pytest
import torch

import namedtensor as nt
from tests.weights.models import emb, hid, project, two

STATE = {"w": torch.arange(6.0).reshape(3, 2), "b": torch.arange(3.0)}
NAMES = {"W": "w: hid emb", "b": "b"}


@pytest.fixture
def module():
    return project.module(emb[2], hid[3])


def test_the_module_keeps_its_dtype_and_its_parameters():
    module = project.module(emb[2], hid[3], dtype=torch.float64)
    before = module.W
    nt.load(module, {k: v.to(torch.bfloat16) for k, v in STATE.items()}, NAMES)
    assert module.W is before
    assert module.W.dtype == torch.float64
    assert torch.equal(module.W, STATE["w"].T.double())


def test_a_dtype_may_be_asked_for(module):
    nt.load(module, STATE, NAMES, dtype=torch.float16)
    assert {p.dtype for p in module.parameters()} == {torch.float16}
    assert len(list(module.parameters())) == 2
    state = {}
    nt.save(module, state, NAMES, dtype=torch.float64)
    assert state["w"].dtype == torch.float64


def test_a_module_on_no_device_is_filled_where_it_is_asked_to_be():
    module = project.module(emb[2], hid[3], device="meta")
    nt.load(module, STATE, NAMES)
    assert module.W.device.type == "cpu"
    assert module(nt.ones("emb[2]", backend="torch")).shape == nt.Shape("hid[3]")


def test_numpy_arrays_are_weights_too(module):
    nt.load(module, {k: v.numpy() for k, v in STATE.items()}, NAMES)
    assert torch.equal(module.W, STATE["w"].T)


def test_what_is_left_is_told(module):
    found = nt.load(module, {"w": STATE["w"], "x": STATE["b"]}, {"W": "w: hid emb"}, strict=False)
    assert found.unused == ("x",)
    assert found.unfilled == ("b",)
    found = nt.load(module, {"w": STATE["w"]}, NAMES, strict=False)
    assert (found.unused, found.unfilled) == ((), ("b",))


def test_buffers_are_filled_and_told_as_parameters_are():
    module = torch.nn.BatchNorm1d(3)
    state = {"mean": torch.arange(3.0), "count": torch.tensor(7)}
    names = {"running_mean": "mean", "num_batches_tracked": "count"}
    found = nt.load(module, state, names, strict=False)
    assert found.unfilled == ("weight", "bias", "running_var")
    assert module.num_batches_tracked == 7


def test_tied_weights_are_filled_by_either_name():
    module = two.module(emb[2], hid[3])
    module.b = module.a
    found = nt.load(module, STATE, {"a.W": "w: hid emb", "b.b": "b"})
    assert found.unfilled == ()
    assert module.a.W is module.b.W
    nt.load(module, STATE, {"a.W": "w: hid emb", "b.b": "b"}, dtype=torch.float64)
    assert module.a.W is module.b.W
    assert module.a.W.dtype == torch.float64


def test_one_of_theirs_may_fill_two_of_ours_and_is_saved_while_they_agree():
    module = two.module(emb[2], hid[3])
    names = {"{x}.W": "w: hid emb", "{x}.b": "b"}
    nt.load(module, STATE, names)
    assert torch.equal(module.a.W, module.b.W)
    state = {}
    nt.save(module, state, names)
    assert torch.equal(state["w"], STATE["w"])
    with torch.no_grad():
        module.b.W += 1
    with pytest.raises(nt.WeightsError) as caught:
        nt.save(module, {}, names)
    assert str(caught.value) == (
        "save(two.module(...), {...}): a.W and b.W differ, and both are w\n"
        "hint: tie them, or name another tensor for one of them"
    )


@pytest.mark.parametrize(
    ("state", "names"),
    [
        ({**STATE, "b": torch.zeros(4)}, NAMES),
        ({"w": STATE["w"]}, NAMES),
        ({**STATE, "more": torch.zeros(1)}, NAMES),
        (STATE, {"W": "w: hid emb"}),
        (STATE, {**NAMES, "c": "b"}),
        (STATE, {"W": "w: hid emb", "b": ("b: hid", lambda b: 1 / 0)}),
        (STATE, {"W": "w: hid emb", "b": ("b: hid", lambda b: b @ "hid" @ b)}),
    ],
)
def test_a_module_that_cannot_be_filled_stays_as_it_was(module, state, names):
    before = copy.deepcopy(module.state_dict())
    with pytest.raises((nt.NamedTensorError, ZeroDivisionError)):
        nt.load(module, state, names)
    for name, data in module.state_dict().items():
        assert torch.equal(data, before[name])


def test_gradients_and_what_holds_the_parameters_go_on(module):
    optimiser = torch.optim.SGD(module.parameters(), lr=0.1)
    nt.load(module, STATE, NAMES)
    module(nt.ones("emb[2]", backend="torch")).torch("hid").sum().backward()
    optimiser.step()
    assert torch.allclose(module.W, STATE["w"].T - 0.1)


def test_saving_never_changes_what_is_saved(module):
    state = {}
    nt.save(module, state, NAMES)
    state["w"].zero_()
    assert module.W.abs().sum() > 0
    assert np.isfinite(state["b"].numpy()).all()
