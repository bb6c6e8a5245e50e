"""Sources and targets as people have them: arrays of numpy, named tensors, a module's own state dict."""

import copy

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import namedtensor as nt
from namedtensor import R, formula
from tests.weights.models import emb, head, hid, key, project, two

STATE = {"w": torch.arange(6.0).reshape(3, 2), "b": torch.arange(3.0)}
NAMES = {"W": "w: hid emb", "b": "b"}


chans1, chans2 = nt.axes("chans1 chans2")


@formula
def turned(X: R[emb], *, W: R[hid, emb], b: R[hid]) -> R[hid]:
    return W @ emb @ X + b


@formula
def alike(X: R[emb], *, W: R[emb, hid], V: R[emb, hid]) -> R[hid]:
    return W @ emb @ X + V @ emb @ X


@formula
def numbered(X: R[chans1], *, W: R[chans1, chans2]) -> R[chans2]:
    return W @ chans1 @ X


@formula
def renumbered(X: R[chans1], *, W: R[chans2, chans1]) -> R[chans2]:
    return W @ chans1 @ X


@pytest.fixture
def module():
    return project.module(emb[2], hid[3])


def refused(call, error, *words):
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def unchanged(module, state, names, error, *words, **more):
    """Loading fails in our words, and the module is as it was."""
    before = copy.deepcopy(module.state_dict())
    refused(lambda: nt.load(module, state, names, **more), error, *words)
    for name, data in module.state_dict().items():
        assert torch.equal(data, before[name])


# ------------------------------------------------------------------------------------ shared memory


def test_parameters_change_places_by_the_module_s_own_state_dict():
    module = alike.module(emb[2], hid[2])
    W, V = module.W.detach().clone(), module.V.detach().clone()
    nt.load(module, module.state_dict(), {"W": "V", "V": "W: hid emb"})
    assert torch.equal(module.W, V)
    assert torch.equal(module.V, W.T)


def test_what_a_function_does_in_place_is_done_to_a_copy(module):
    def doubled(W):
        W.data.mul_(2)
        return W

    source, before = copy.deepcopy(STATE), module.W.detach().clone()
    names = {"W": ("w: hid emb", doubled, doubled), "b": "b"}
    nt.save(module, {}, names)
    assert torch.equal(module.W, before)
    nt.load(module, source, names)
    assert torch.equal(source["w"], STATE["w"])
    assert torch.equal(module.W, 2 * STATE["w"].T)


def test_what_an_inverse_gives_back_is_saved_as_a_copy_in_the_dtype_asked_for(module):
    same = ("w: emb hid", lambda W: W, lambda W: W)
    state = {}
    nt.save(module, state, {"W": same, "b": "b"}, dtype="float64")
    assert state["w"].dtype == torch.float64
    nt.save(module, state, {"W": same, "b": "b"})
    state["w"].zero_()
    assert module.W.abs().sum() > 0


# -------------------------------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    "given",
    [
        np.arange(6.0)[::-1].reshape(3, 2),
        np.arange(6.0)[::-1].reshape(3, 2).astype(">f4"),
        np.arange(6.0)[::-1].reshape(3, 2).astype(np.float16),
    ],
)
def test_arrays_are_read_however_numpy_stores_them(module, given):
    nt.load(module, {**STATE, "w": given}, NAMES)
    assert module.W.tolist() == [[5.0, 3.0, 1.0], [4.0, 2.0, 0.0]]


def test_named_tensors_are_read_by_their_names():
    module = project.module(emb[3], hid[3])
    W = nt.tensor(np.arange(9.0).reshape(3, 3), "hid emb")
    nt.load(module, {"W": W, "b": nt.zeros(hid[3], backend="torch")})
    assert torch.equal(module.W, torch.arange(9.0).reshape(3, 3).T)
    unchanged(
        module,
        {"W": W, "b": torch.zeros(3)},
        {"W": "W: emb hid", "b": "b"},
        nt.AxisClashError,
        'W is a named tensor of "hid", "emb", and is said to be of emb hid',
        'X.torch("hid", "emb")',
    )


@pytest.mark.parametrize(
    ("given", "error", "word"),
    [
        (np.array([[1, None]] * 3, dtype=object), nt.KindError, "an array of object"),
        (np.array([["a", "b"]] * 3), nt.KindError, "which torch does not have"),
        (np.zeros((3, 2), np.longdouble), nt.KindError, "x.astype(float)"),
        (torch.zeros(3, 2, device="meta"), nt.WeightsError, 'on the device "meta"'),
    ],
)
def test_what_has_no_numbers_is_refused_before_anything_is_filled(module, given, error, word):
    unchanged(module, {**STATE, "w": given}, {"b": "b", "W": "w: hid emb"}, error, word)


def test_a_module_without_numbers_is_not_saved_and_one_without_sizes_not_filled():
    meta = project.module(emb[2], hid[3], device="meta")
    refused(lambda: nt.save(meta, {}, NAMES), nt.WeightsError, 'W is on the device "meta"')
    lazy = torch.nn.Sequential(torch.nn.LazyLinear(3))
    refused(
        lambda: nt.load(lazy, STATE, {"0.weight": "w"}),
        nt.WeightsError,
        "0.weight has no sizes before the module is called",
    )


def test_a_list_of_tensors_whose_length_begins_as_a_pickle_does_is_read(module, tmp_path):
    path = tmp_path / "m.safetensors"
    for length in range(300):
        save_file(STATE, path, metadata={"more": "x" * length})
        if path.read_bytes()[0] == 0x80:
            break
    assert path.read_bytes()[0] == 0x80
    nt.load(module, path, NAMES)
    assert torch.equal(module.W, STATE["w"].T)


# ------------------------------------------------------------------------------- dtypes and devices


@pytest.mark.parametrize("verb", ["load", "save"])
@pytest.mark.parametrize("dtype", [torch.int8, "int64", bool, "float23"])
def test_weights_have_dtypes_of_real_numbers(module, verb, dtype):
    call = {"load": lambda: nt.load(module, STATE, NAMES, dtype=dtype)}
    call["save"] = lambda: nt.save(module, {}, NAMES, dtype=dtype)
    refused(call[verb], nt.KindError, f"{verb}(project.module(...)", "dtype=torch.float32")


def test_a_dtype_may_be_given_by_its_name(module):
    nt.load(module, STATE, NAMES, dtype="float64")
    assert module.W.dtype == torch.float64


def test_what_nothing_fills_gets_the_dtype_too_and_keeps_its_numbers(module):
    b = module.b.detach().clone()
    found = nt.load(module, STATE, {"W": "w: hid emb"}, strict=False, dtype="float64")
    assert found.unfilled == ("b",)
    assert module.b.dtype == module.W.dtype == torch.float64
    assert torch.equal(module.b, b.double())
    module(nt.ones("emb[2]", backend="torch").to(torch.float64))


@pytest.mark.parametrize(("device", "word"), [("nonsense", "is no device"), ("vulkan", "cannot")])
def test_a_device_that_is_not_there_is_refused(module, device, word):
    unchanged(module, STATE, NAMES, nt.BackendError, word, device=device)


def test_finite_numbers_are_not_saved_as_infinite_ones(module):
    with torch.no_grad():
        module.W.fill_(1e6)
    refused(
        lambda: nt.save(module, {}, NAMES, dtype=torch.float16),
        nt.WeightsError,
        "W has finite numbers beyond 65504",
        "nt.save(..., dtype=torch.float32)",
    )


def test_parts_of_two_dtypes_are_saved_in_the_wider():
    module = alike.module(emb[2], hid[3])
    module.V = torch.nn.Parameter(module.V.detach().double() * (1 + 1e-12))
    state, names = {}, {("W", "V"): "w: (two emb) hid"}
    nt.save(module, state, names)
    assert torch.equal(state["w"][2:], module.V)


# ------------------------------------------------------------------------- axes that files tell


@pytest.mark.parametrize("suffix", ["pt", "safetensors"])
def test_files_of_ours_tell_their_axes_whatever_their_names(tmp_path, suffix):
    path = tmp_path / f"m.{suffix}"
    old, new = numbered.module("chans1[3] chans2[3]"), renumbered.module("chans1[3] chans2[3]")
    nt.save(old, path)
    nt.load(new, path)
    assert torch.equal(new.W, old.W.T)


def test_a_file_of_torch_that_we_saved_tells_its_axes_to_torch_s_own_door(tmp_path):
    @formula
    def nested(X: R[emb], *, inner: project) -> R[hid]:
        return inner(X)

    @formula
    def other(X: R[emb], *, inner: turned) -> R[hid]:
        return inner(X)

    old, new = nested.module(emb[3], hid[3]), other.module(emb[3], hid[3])
    nt.save(old, tmp_path / "m.pt")
    new.load_state_dict(torch.load(tmp_path / "m.pt"))
    assert torch.equal(new.inner.W, old.inner.W.T)


def test_a_state_dict_that_is_written_over_tells_the_axes_of_what_it_holds_now():
    old, new = turned.module(emb[3], hid[3]), project.module(emb[3], hid[3])
    state = old.state_dict()
    nt.save(new, state)
    for fill in (nt.load, lambda module, state: module.load_state_dict(state)):
        other = turned.module(emb[3], hid[3])
        fill(other, state)
        assert torch.equal(other.W, new.W.T)
    nt.save(new, state, {"W": "W: (emb hid)", "b": "b"})
    assert "W" not in state._metadata[""]["axes"]


def test_axes_that_nobody_has_named_are_not_told(tmp_path):
    nt.save(torch.nn.Linear(2, 3), tmp_path / "m.safetensors")
    module = turned.module(emb[2], hid[3])
    nt.load(module, tmp_path / "m.safetensors", {"W": "weight", "b": "bias"})


# ------------------------------------------------------------------------- what overlaps must agree


def test_theirs_that_is_written_from_two_sides_holds_both():
    module = two.module(emb[2], hid[3])
    rest = {"{x}.b": "{x}.b"}
    same = ("w: emb hid", lambda W: W, lambda W: W)
    for names in (
        {"a.W": same, "b.W": same},
        {"a.W": "w: emb hid", "b.W": same},
        {"a.W": "w: emb hid", "b.W": "w: (emb hid)"},
    ):
        refused(lambda n=names: nt.save(module, {}, {**n, **rest}), nt.NamedTensorError, "b.W")
    module.b.W = module.a.W
    state = {}
    nt.save(module, state, {"a.W": "w: emb hid", "b.W": same, **rest})
    assert torch.equal(state["w"], module.a.W)


def test_numbers_that_are_none_do_not_differ_from_themselves():
    module = two.module(emb[2], hid[3])
    module.b = module.a
    with torch.no_grad():
        module.a.W[0, 0] = torch.nan
    state = {}
    nt.save(module, state, {"{x}.W": "w: emb hid", "{x}.b": "b"})
    nt.load(module, {**state, "v": state["w"]}, {"a.W": "w", "b.W": "v", "{x}.b": "b"})
    assert module.a.W[0, 0].isnan()


def test_a_tied_tensor_is_not_filled_from_two_that_differ_in_any_way():
    module = two.module(emb[2], hid[3])
    module.b = module.a
    state = {**STATE, "e0": torch.ones(3), "e1": torch.ones(3)}
    for other, word in (
        ("e{emb}: hid", "w and e0 differ"),
        (("w: hid emb", lambda W: W + 1), "w and w differ"),
    ):
        names = {"a.W": "w: hid emb", "b.W": other, "{x}.b": "b"}
        unchanged(module, state, names, nt.WeightsError, "are one tensor", word, strict=False)


def test_several_that_each_have_all_axes_are_refused(module):
    unchanged(
        module,
        {**STATE, "v": STATE["w"]},
        {"W": ("w: hid emb", "v: hid emb"), "b": "b"},
        nt.AxisClashError,
        "w is said to have each axis of W, and 2 of theirs make it",
    )


# ------------------------------------------------------------------------------- functions, tuples


@pytest.mark.parametrize(
    ("sizes", "text"), [((6, 2), "(a c) emb"), ((7, 2), "(hid c) emb"), ((3, 2), "hid[4] emb")]
)
def test_stored_axes_that_do_not_part_so_are_refused_before_a_function_runs(module, sizes, text):
    names = {"W": (f"w: {text}", lambda W: W), "b": "b"}
    state = {**STATE, "w": torch.zeros(sizes)}
    unchanged(module, state, names, nt.AxisSizeError, "does not part an axis of size")


def test_a_function_keeps_the_kind_of_numbers(module):
    names = {"W": ("w: hid emb", lambda W: W > 0), "b": "b"}
    unchanged(module, STATE, names, nt.KindError, "gave torch.bool, and was given torch.float32")


def test_a_function_does_not_meet_axes_of_size_1(module):
    names = {"W": ("w: 1 hid emb 1", lambda W: W * 2, lambda W: W / 2), "b": "b"}
    state, again = {**STATE, "w": STATE["w"][None, :, :, None]}, {}
    nt.load(module, state, names)
    nt.save(module, again, names)
    assert torch.equal(module.W, 2 * STATE["w"].T)
    assert torch.equal(again["w"], state["w"])


def test_a_tuple_of_one_is_a_case_of_several():
    @formula
    def score(X: R[emb], *, WQ: R[head, emb, key]) -> R[head, key]:
        return WQ @ emb @ X

    module = score.module(head[1], emb[2], key[3])
    Q = torch.randn(2, 3)
    nt.load(module, {"Q0": Q}, {"WQ": tuple(f"Q{i}: emb key" for i in range(1))})
    assert torch.equal(module.WQ[0], Q)
    nt.load(module, {"q": Q.T[None]}, {("WQ",): "q: one (head key) emb"})
    assert torch.equal(module.WQ[0], Q)


# --------------------------------------------------------------------------------- hints as typed


@pytest.mark.parametrize(
    ("sizes", "text", "better"),
    [
        ((1, 3, 2), "hid emb", "1 hid emb"),
        ((3, 2), "hid emb 1 1", "hid emb"),
        ((6,), "hid emb", "(hid emb)"),
        ((3, 1, 2, 1), "hid emb", "hid 1 emb 1"),
    ],
)
def test_the_axes_that_a_hint_writes_fit(module, sizes, text, better):
    state = {**STATE, "net.w": torch.arange(6.0).reshape(sizes)}
    names = {"W": f"w: {text}", "b": "b"}
    with pytest.raises(nt.AxisMissingError) as caught:
        nt.load(module, state, {"W": f"w: {text}"}, prefix="net.", strict=False)
    assert f'"w: {better}"' in str(caught.value)
    names = {"W": f"net.w: {better}", "b": "b"}
    nt.load(module, state, names, strict=False)
    assert torch.equal(module.W, STATE["w"].T)


def test_where_a_tensor_is_that_is_not_found_is_said(module):
    nested = {"model": STATE, "epoch": 3}
    unchanged(module, nested, NAMES, nt.WeightsError, "give source['model']")
    nt.load(module, nested["model"], NAMES)
    unchanged(module, STATE, {"W": "w:hid emb", "b": "b"}, nt.WeightsError, '"w: hid emb"')


def test_axes_of_a_plain_module_are_named_on_both_sides():
    linear = torch.nn.Linear(2, 3)
    unchanged(
        linear, STATE, {"weight": "w: out in", "bias": "b"}, nt.AxisMissingError, "weight: out in"
    )
    nt.load(linear, STATE, {"weight: out in": "w: out in", "bias": "b"})


@pytest.mark.parametrize("more", [{"prefix": None}, {"prefix": 3}, {"strict": "no"}])
def test_words_of_another_kind_are_refused(module, more):
    unchanged(module, STATE, NAMES, nt.KindError, f"{next(iter(more))}=", **more)
    refused(lambda: nt.save(module, {}, NAMES, **more), nt.KindError, next(iter(more)))


def test_a_parameter_of_another_rank_than_declared_is_told(module):
    module.W = torch.nn.Parameter(torch.zeros(3))
    unchanged(module, STATE, NAMES, nt.AxisMissingError, "W : (3,)")
