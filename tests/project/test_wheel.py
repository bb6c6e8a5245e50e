"""The wheel that users install works with its run-time dependencies and nothing else."""

import os
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.project.interpreter import ROOT, python

CONTRACTION = """
import importlib.util
import namedtensor as nt
assert importlib.util.find_spec("torch") is None, "torch must not be a run-time dependency"
assert "site-packages" in nt.__file__, nt.__file__
W = nt.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "hid emb")
X = nt.tensor([1.0, 10.0], "emb")
print((W @ "emb" @ X).numpy("hid").tolist())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build the wheel as a release would."""
    folder = tmp_path_factory.mktemp("wheel")
    python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT))
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_holds_both_packages_and_nothing_beside_them(wheel):
    names = ZipFile(wheel).namelist()
    about = "-".join(wheel.name.split("-")[:2]) + ".dist-info"
    tops = {name.split("/")[0] for name in names}
    assert tops == {"namedtensor", "transformer_named", about}
    assert {"namedtensor/py.typed", "transformer_named/py.typed"} <= set(names)


def test_the_wheel_alone_runs_a_contraction(wheel, tmp_path):
    python("-m", "venv", "--without-pip", str(tmp_path / "empty"))
    inside = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin") / "python"
    python(
        *("-m", "pip", "--python", str(inside), "install", "--quiet"),
        *("--disable-pip-version-check", "--constraint", str(ROOT / "constraints.txt"), str(wheel)),
    )
    assert python("-c", CONTRACTION, executable=str(inside), cwd=tmp_path) == "[21.0, 43.0, 65.0]\n"
