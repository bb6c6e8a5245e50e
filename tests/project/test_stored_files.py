"""What version 0.1 wrote is read, and what is written names nothing that a version of torch may move."""

import io
import pickle
import subprocess
import sys

import numpy as np
import torch

import namedtensor as nt
from tests.project.stored import write

#: What torch and numpy name in files of their own; all their versions read it.
LASTING = {
    "torch._utils _rebuild_tensor_v2",
    "torch.storage _load_from_bytes",
    "torch FloatStorage",
    "collections OrderedDict",
    "numpy ndarray",
    "numpy dtype",
    "numpy._core.multiarray _reconstruct",
    "numpy._core.numeric _frombuffer",
}


class Names(pickle.Unpickler):
    """Read a pickle, and note what it asks for."""

    found: set[str]

    def find_class(self, module: str, name: str) -> object:
        self.found.add(f"{module} {name}")
        return super().find_class(module, name)


def names_in(written: bytes) -> set[str]:
    """List the modules and names that a pickle asks for."""
    reader = Names(io.BytesIO(written))
    reader.found = set()
    reader.load()
    return reader.found


def test_a_pickle_of_version_0_1_is_read():
    read = pickle.loads((write.HERE / "things.pickle").read_bytes())
    now = write.things()
    assert list(read) == list(now)
    for name in ("axis", "shape"):
        assert read[name] == now[name]
    for name in ("space", "error", "defined"):
        assert str(read[name]) == str(now[name])
    assert read["formula"] is write.project
    for name in ("floats", "bools"):
        assert read[name].axes == now[name].axes
        assert read[name].dtype == now[name].dtype
        np.testing.assert_array_equal(read[name].numpy(*now[name].axes), now[name].data)
    np.testing.assert_array_equal(read["defined"].numpy("seq", "hid"), now["defined"].data)


def test_a_file_of_torch_of_version_0_1_is_read_without_trusting_it():
    nt.tensor(torch.zeros(1), "seq")  # torch has met named tensors
    read = torch.load(write.HERE / "tensor.pt", weights_only=True)
    assert read.axes == ("seq", "emb")
    assert torch.equal(read.torch("seq", "emb"), write.torch_tensor().torch("seq", "emb"))


FIRST = """
import sys
import torch
import namedtensor as nt
try:
    torch.load(sys.argv[1], weights_only=True)
except Exception as error:
    assert "add_safe_globals([namedtensor.tensor.named.tensor])" in str(error).replace("`", ""), error
else:
    raise AssertionError("trusted before it was told")
with torch.serialization.safe_globals([nt.tensor]):
    assert torch.load(sys.argv[1], weights_only=True).axes == ("seq", "emb")
"""


def test_a_process_that_has_named_nothing_reads_a_file_once_nt_tensor_is_trusted():
    subprocess.run([sys.executable, "-c", FIRST, str(write.HERE / "tensor.pt")], check=True)


def test_a_state_dict_of_version_0_1_is_loaded():
    made = write.project.module("emb[3] hid[2]")
    made.load_state_dict(torch.load(write.HERE / "module.pt", weights_only=True))
    X = nt.tensor(torch.ones(3), "emb")
    assert torch.equal(made(X).torch("hid"), write.module()(X).torch("hid"))


def test_a_pickle_names_our_public_rooms_and_what_lasts():
    things, tensor = pickle.dumps(write.things()), pickle.dumps(write.torch_tensor())
    for written in (things, tensor):
        others = {n for n in names_in(written) if not n.startswith(("namedtensor", "tests."))}
        assert others <= LASTING
    assert not [n for n in names_in(things) if n.startswith("torch")]


def test_a_name_in_a_pickle_is_found():
    assert names_in(pickle.dumps(io.BytesIO)) == {"_io BytesIO"}
