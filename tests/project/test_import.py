"""Importing the language is quiet, light, and leaves torch alone."""

from tests.project.interpreter import python


def test_importing_the_language_leaves_torch_unloaded():
    assert python("-c", "import namedtensor, sys; print('torch' in sys.modules)") == "False\n"


def test_numpy_tensors_leave_torch_unloaded():
    source = """
import sys
import namedtensor as nt
W = nt.tensor([[1.0, 2.0], [3.0, 4.0]], "hid emb")
X = nt.tensor([1.0, 1.0], "emb")
nt.softmax["hid"](W @ "emb" @ X)
print("torch" in sys.modules)
"""
    assert python("-c", source) == "False\n"


def test_importing_the_language_warns_of_nothing_and_prints_nothing():
    assert python("-W", "error", "-c", "import namedtensor") == ""


def test_both_packages_say_that_they_are_typed():
    source = """
from importlib.resources import files
for package in ("namedtensor", "transformer_named"):
    print(files(package).joinpath("py.typed").is_file())
"""
    assert python("-c", source) == "True\nTrue\n"


def test_the_version_is_the_distribution_s():
    source = """
from importlib.metadata import version
import namedtensor
print(namedtensor.__version__ == version("namedtensor-notation"))
"""
    assert python("-c", source) == "True\n"
