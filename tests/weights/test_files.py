"""Files of weights: whole, cut off, broken and hostile ones."""

import copy
import io
import json
import os
import pickle
import resource
import struct
import zipfile

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import namedtensor as nt
from namedtensor import R, formula
from tests.python_calls import python_calls
from tests.weights.models import emb, hid, project

NAMES = {"W": "w: hid emb", "b": "b"}
STATE = {"w": torch.arange(6.0).reshape(3, 2), "b": torch.arange(3.0)}


@pytest.fixture
def module():
    return project.module(emb[2], hid[3])


def refused(module, path, error=nt.WeightsError):
    """Loading fails with one of our errors in little work, and leaves the module as it was."""
    before = copy.deepcopy(module.state_dict())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = []

    def load():
        with pytest.raises(error) as caught:
            nt.load(module, path, NAMES)
        said.append(str(caught.value))

    assert python_calls(load, of_c=True) < 200_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 200_000
    for name, data in module.state_dict().items():
        assert torch.equal(data, before[name])
    assert len(said[0]) < 600
    return said[0]


# -------------------------------------------------------------------------------------- whole files


@pytest.mark.parametrize("name", ["w.safetensors", "w.pt", "w.bin"])
def test_a_file_is_written_and_read(module, tmp_path, name):
    nt.load(module, STATE, NAMES)
    nt.save(module, tmp_path / name, NAMES)
    other = project.module(emb[2], hid[3])
    assert nt.load(other, str(tmp_path / name), NAMES) == nt.load(other, tmp_path / name, NAMES)
    assert torch.equal(other.W, module.W)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_safetensors_file_of_ours_tells_its_axes(module, tmp_path):
    @formula
    def turned(X: R[emb], *, b: R[hid], W: R[hid, emb]) -> R[hid]:
        return W @ emb @ X + b

    nt.save(module, tmp_path / "m.safetensors")
    other = turned.module(emb[2], hid[3])
    nt.load(other, tmp_path / "m.safetensors")
    assert torch.equal(other.W, module.W.T)


def test_a_file_that_another_wrote_is_read(module, tmp_path):
    save_file(STATE, tmp_path / "m.safetensors")
    nt.load(module, tmp_path / "m.safetensors", NAMES)
    assert torch.equal(module.W, STATE["w"].T)
    nt.save(module, tmp_path / "back.safetensors", NAMES)
    assert torch.equal(load_file(tmp_path / "back.safetensors")["w"], STATE["w"])


def test_tensors_of_a_file_are_read_one_at_a_time(tmp_path):
    size = 4 << 20
    state = {f"{i}.weight": torch.zeros(1, size) for i in range(8)}
    save_file(state, tmp_path / "m.safetensors")
    with torch.device("meta"):
        module = torch.nn.ModuleList([torch.nn.Linear(size, 1, bias=False) for _ in range(8)])
    seen = []

    class Watched(dict):
        def __getitem__(self, key):
            seen.append(key)
            return super().__getitem__(key)

    nt.load(module, tmp_path / "m.safetensors", {"{i}.weight": "{i}.weight"}, device="cpu")
    assert module[7].weight.device.type == "cpu"
    assert isinstance(module[7].weight, torch.nn.Parameter)


def test_a_save_that_fails_leaves_the_old_file(module, tmp_path, monkeypatch):
    nt.save(module, tmp_path / "m.pt", NAMES)
    before = (tmp_path / "m.pt").read_bytes()
    monkeypatch.setattr(torch, "save", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        nt.save(module, tmp_path / "m.pt", NAMES)
    assert [p.name for p in tmp_path.iterdir()] == ["m.pt"]
    assert (tmp_path / "m.pt").read_bytes() == before


# ----------------------------------------------------------------------------- cut off and broken


@pytest.mark.parametrize("suffix", ["safetensors", "pt"])
def test_a_file_cut_off_anywhere_is_refused(module, tmp_path, suffix):
    path = tmp_path / f"m.{suffix}"
    nt.save(module, path, NAMES)
    whole = path.read_bytes()
    for length in sorted({0, 1, 7, 8, 9, 40, len(whole) // 2, len(whole) - 8, len(whole) - 1}):
        path.write_bytes(whole[:length])
        assert "m." in refused(module, path)


@pytest.mark.parametrize("suffix", ["safetensors", "pt"])
def test_bytes_that_are_changed_are_refused_or_are_numbers(module, tmp_path, suffix):
    path = tmp_path / f"m.{suffix}"
    nt.save(module, path, NAMES)
    whole = path.read_bytes()
    draw = np.random.default_rng(0)
    for _ in range(40):
        broken = bytearray(whole)
        for place in draw.integers(0, len(whole), 3):
            broken[place] = draw.integers(0, 256)
        path.write_bytes(bytes(broken))
        try:
            nt.load(module, path, NAMES)
        except nt.NamedTensorError:
            continue


def header(listed, length=None, data=b""):
    text = listed if isinstance(listed, bytes) else json.dumps(listed).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def told(begin, end, shape=(3, 2), dtype="F32"):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


HOSTILE = {
    "a list longer than the file": header({}, length=1 << 40),
    "a list of the greatest length": b"\xff" * 8 + b"{}",
    "a tensor beyond the file": header({"w": told(0, 24), "b": told(24, 1 << 40, (1 << 38,))}),
    "a shape that overflows": header({"w": told(0, 24, (1 << 62, 1 << 62))}, data=b"0" * 24),
    "tensors that overlap": header({"w": told(0, 24), "b": told(0, 12, (3,))}, data=b"0" * 24),
    "a negative offset": header({"w": told(-8, 16)}, data=b"0" * 24),
    "no JSON": header(b"{" * 4096),
    "deep JSON": header(b"[" * 200_000),
    "no dtype": header({"w": {"shape": [3, 2]}}),
    "an unknown dtype": header({"w": told(0, 24, dtype="X9")}, data=b"0" * 24),
    "two million keys": header(b"{" + b",".join(b'"%d":{}' % i for i in range(1_500_000)) + b"}"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_safetensors_file_is_refused(module, tmp_path, name):
    path = tmp_path / "m.safetensors"
    path.write_bytes(HOSTILE[name])
    refused(module, path)


def test_many_keys_that_are_well_formed_are_listed_shortly(module, tmp_path):
    listed = {f"k{i}": told(0, 0, (0,)) for i in range(20_000)}
    (tmp_path / "m.safetensors").write_bytes(header(listed))
    assert "has no tensor w, b" in refused(module, tmp_path / "m.safetensors")


class Dangerous:
    def __reduce__(self):
        return os.system, ("touch /tmp/foreign_was_here",)


def test_a_pickle_under_another_name_is_refused_unread(module, tmp_path):
    for suffix in ("safetensors", "pt", "bin", "weights"):
        path = tmp_path / f"m.{suffix}"
        path.write_bytes(pickle.dumps(Dangerous()))
        assert "pickle" in refused(module, path)
    torch.save(STATE, tmp_path / "m.safetensors")
    assert "under the name of a safetensors file" in refused(module, tmp_path / "m.safetensors")
    torch.save(STATE, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    assert "from before 1.6" in refused(module, tmp_path / "old.pt")


def test_a_file_of_torch_that_would_run_something_is_refused(module, tmp_path):
    torch.save({"w": Dangerous()}, tmp_path / "m.pt")
    assert "without running what is in it" in refused(module, tmp_path / "m.pt")
    assert not os.path.exists("/tmp/foreign_was_here")


def test_an_archive_that_unpacks_to_more_than_itself_is_refused(module, tmp_path):
    with zipfile.ZipFile(tmp_path / "m.pt", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("m/data.pkl", b"0" * 50_000_000)
    assert "is packed" in refused(module, tmp_path / "m.pt")


def test_an_archive_with_a_pickle_that_is_too_long_is_refused(module, tmp_path):
    with zipfile.ZipFile(tmp_path / "m.pt", "w") as archive:
        archive.writestr("m/data.pkl", b"0" * 6_000_000)
    assert "lists its tensors in" in refused(module, tmp_path / "m.pt")


def test_a_storage_shorter_than_its_tensor_is_refused(module, tmp_path):
    torch.save(STATE, tmp_path / "m.pt")
    with zipfile.ZipFile(tmp_path / "m.pt") as archive:
        parts = {p.filename: archive.read(p) for p in archive.infolist()}
    with zipfile.ZipFile(tmp_path / "m.pt", "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data[:4] if "/data/" in name else data)
    refused(module, tmp_path / "m.pt", nt.NamedTensorError)


def test_what_is_no_dense_tensor_is_refused(module):
    state = {**STATE, "w": torch.eye(3).to_sparse()}
    refused(module, state, nt.KindError)
    refused(module, {**STATE, "w": "text"}, nt.KindError)
    refused(module, {**STATE, "w": torch.zeros(3, 2, dtype=torch.int64)}, nt.KindError)


def test_a_folder_a_missing_file_and_a_stream_are_refused(module, tmp_path):
    assert "cannot be opened" in refused(module, tmp_path)
    assert "cannot be opened" in refused(module, tmp_path / "none.pt")
    assert "a BytesIO" in refused(module, io.BytesIO(), nt.BackendError)
