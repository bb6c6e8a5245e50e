"""DDP and FSDP2: two processes that share the sentences train as one does."""

import os
import subprocess
import sys

import pytest
import torch

from tests.project.interpreter import ROOT
from tests.torch_whole.two_processes import start, trained


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What two processes found, by the way in which they shared the work."""
    folder = tmp_path_factory.mktemp("processes")
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.torch_whole.two_processes", str(rank), str(folder)],
            cwd=ROOT,
            env={**os.environ, "GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for rank in range(2)
    ]
    try:
        said = [process.communicate(timeout=120)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0], "\n".join(said)
    return torch.load(folder / "found.pt")


@pytest.mark.parametrize(
    ("way", "near"),
    [
        ("replicated", dict(rtol=1e-12, atol=1e-14)),
        ("replicated, looking for unused parameters", dict(rtol=1e-12, atol=1e-14)),
        ("sharded", dict(rtol=1e-12, atol=1e-14)),
        ("split by head and hid", dict(rtol=1e-12, atol=1e-14)),
        ("split by vocab", dict(rtol=1e-12, atol=1e-14)),
        ("sharded in bfloat16", dict(rtol=0.02, atol=0.02)),
    ],
)
def test_two_processes_train_as_one_does(found, way, near):
    model, x = start()
    before = {name: parameter.clone() for name, parameter in model.state_dict().items()}
    expected = trained(model, x)
    assert found[way].keys() == expected.keys()
    for name in expected:
        assert not torch.equal(expected[name], before[name])
        torch.testing.assert_close(found[way][name].double(), expected[name], **near)
